"""The reference transcript of a development set: occurrences of phrases, and correct hits.

Occurrences and pairs are those of scoring: both come from `std.matching`.

    Lexemes            --make_transcript-->   Transcript, normalised as the index is
    phrases            --find_occurrences-->  Occurrences; --phrases_said--> those that have some
    hits, Occurrences  --correct_hits-->      which hits are paired with an occurrence
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from searcher.tuning.labels import Phrase
from std.ecf_filter import inside_one
from std.matching.alignment import align
from std.matching.occurrences import Occurrences, find
from std.store.columns import Int64s
from std.text import Normalisation
from std.values import Bools, Detections, Excerpt, Float64s, Lexemes, Recording, Term, TermList


@dataclass(frozen=True, slots=True, eq=False)
class TuningTranscript:
    """The reference words of some recordings, by recording and time.

    The columns leave out filled pauses; ``lexemes`` has them, because no phrase goes across one.
    """

    lexemes: Lexemes  # normalised; ``lexemes.recordings`` is the caller's table
    recording: Int64s  # (n,) index into lexemes.recordings
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    words: tuple[str, ...]  # (n,)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """The table of recordings."""
        return self.lexemes.recordings

    def inside(self, excerpts: Sequence[Excerpt]) -> "TuningTranscript":
        """The words inside some excerpts only; the table stays."""
        start_s = self.lexemes.start_s
        spans = self.lexemes.recording, start_s, start_s + self.lexemes.duration_s
        rows = np.flatnonzero(inside_one(excerpts, self.recordings, *spans))
        return _transcript(_rows(self.lexemes, rows))

    def within(self, recordings: Collection[int]) -> "TuningTranscript":
        """The words of some recordings only; the table stays."""
        rows = np.flatnonzero(np.isin(self.lexemes.recording, list(recordings)))
        return _transcript(_rows(self.lexemes, rows))


def make_transcript(
    lexemes: Lexemes, recordings: Sequence[Recording], normalisation: Normalisation
) -> TuningTranscript:
    """The words of the given recordings, normalised as the index is.

    Args:
        lexemes: the reference; words of other recordings are left out.
        recordings: the table that the transcript's recordings point into.
        normalisation: the normalisation of the index.
    """
    number = {recording: i for i, recording in enumerate(recordings)}
    table = np.array(
        [number.get(recording, -1) for recording in lexemes.recordings], dtype=np.int32
    )
    recording = table[lexemes.recording] if len(table) else np.empty(0, np.int32)
    rows = np.flatnonzero(recording >= 0)
    rows = rows[np.lexsort((lexemes.start_s[rows], recording[rows]))]
    moved = replace(lexemes, recordings=tuple(recordings), recording=recording)
    chosen = _rows(moved, rows)
    return _transcript(replace(chosen, words=tuple(map(normalisation.word, chosen.words))))


def find_occurrences(transcript: TuningTranscript, phrases: Sequence[Sequence[str]]) -> Occurrences:
    """Where phrases occur; ``term`` counts in ``phrases``."""
    terms = tuple(Term(str(i), " ".join(words)) for i, words in enumerate(phrases))
    return find(TermList(terms), transcript.lexemes)


def phrases_said(transcript: TuningTranscript, phrases: Sequence[Phrase]) -> list[Phrase]:
    """The phrases that occur."""
    rows = np.unique(find_occurrences(transcript, phrases).term)
    return [phrases[row] for row in rows.tolist()]


def correct_hits(
    term: Int64s,
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    score: Float64s,
    occurrences: Occurrences,
) -> Bools:
    """(n,) which hits are paired with an occurrence of their term.

    Args:
        term: (n,) of each hit, as ``occurrences.term`` counts.
        recording: (n,) index into ``occurrences.recordings``.
        start_ms: (n,)
        end_ms: (n,)
        score: (n,) settles which hit is paired where several could be.
        occurrences: the occurrences of all terms.
    """
    hits = Detections(
        terms=(),
        recordings=occurrences.recordings,
        term=term.astype(np.int32),
        recording=recording.astype(np.int32),
        start_s=start_ms / 1000,
        duration_s=(end_ms - start_ms) / 1000,
        score=score.copy(),
        yes=np.ones(len(term), dtype=bool),
    )
    paired: Bools = align(hits, occurrences).occurrence_of >= 0
    return paired


def _rows(lexemes: Lexemes, rows: Int64s) -> Lexemes:
    chosen = rows.tolist()
    return replace(
        lexemes,
        recording=lexemes.recording[rows],
        speaker=lexemes.speaker[rows],
        start_s=lexemes.start_s[rows],
        duration_s=lexemes.duration_s[rows],
        words=tuple(lexemes.words[i] for i in chosen),
        subtypes=tuple(lexemes.subtypes[i] for i in chosen),
    )


def _transcript(lexemes: Lexemes) -> TuningTranscript:
    rows = np.flatnonzero([subtype != "fp" for subtype in lexemes.subtypes])
    start_s, duration_s = lexemes.start_s[rows], lexemes.duration_s[rows]
    return TuningTranscript(
        lexemes,
        lexemes.recording[rows].astype(np.int64),
        np.round(1000 * start_s).astype(np.int64),
        np.round(1000 * (start_s + duration_s)).astype(np.int64),
        tuple(lexemes.words[i] for i in rows.tolist()),
    )
