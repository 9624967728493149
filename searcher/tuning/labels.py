"""Labels of candidates (right, wrong, unknown), from a transcript or from people's marks.

    Places   candidates of phrases
    Judge    phrases and their places -> Labels

    Lexemes            --make_transcript-->   Transcript, normalised as the index is
    phrases            --find_occurrences-->  Occurrences; --phrases_said--> the phrases with some
    hits, Occurrences  --correct_hits-->      which hits are paired with an occurrence

    marks   --marked_places-->  places in the search's table
    places  --by_marks-->       labels of the candidates at these places; other candidates have none

    remembered   a search by words that looks up the same phrases once

Occurrences and pairs are those of scoring: both come from `std.matching`.

People mark the places that they see, mostly probable ones. If the choice of the marked places
depends only on the evidence, it needs no correction. The weights maximise the likelihood of the
labels given the evidence, in which the choice cancels out (missing at random: Rubin 1976). It does
not cancel out if people mark right places more often than wrong ones with the same evidence.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from searcher.phonetic.layout import SAME_PLACE_MS
from searcher.results.candidates import Candidates
from std.marks import Mark
from std.matching.alignment import align
from std.matching.occurrences import Occurrences, find
from std.nist.ecf import inside_one
from std.text import Normalisation
from std.values import (
    Bools,
    Detections,
    Excerpt,
    Float64s,
    Int64s,
    Lexemes,
    Recording,
    Term,
    TermList,
)

Phrase = tuple[str, ...]  # normalised words


class Places(NamedTuple):
    """Candidates of phrases, one phrase after the other."""

    phrase: Int64s  # (n,) ascending
    recording: Int64s  # (n,) row of the search's table
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    score: Float64s  # (n,) settles which of several candidates is an occurrence


class Labels(NamedTuple):
    """The candidates that are right, and those whose label is known."""

    is_right: Bools  # (n,) False where nothing is known
    is_known: Bools  # (n,)

    @classmethod
    def all_known(cls, is_right: Bools) -> "Labels":
        """Labels of candidates that all are known."""
        return cls(is_right, np.ones(len(is_right), dtype=bool))


Judge = Callable[[Sequence[Phrase], Places], Labels]
# Searches phrases by their words in some excerpts (None: everywhere); one list per phrase, merged.
SearchByWords = Callable[[Sequence[Phrase], Sequence[Excerpt] | None], list[Candidates]]


def remembered(search_by_words: SearchByWords) -> SearchByWords:
    """The same search, which looks up the same phrases in the same speech once.

    Each half is searched with three confusions, which do not change the places of words.
    """
    found: dict[tuple[Sequence[Phrase], Sequence[Excerpt] | None], list[Candidates]] = {}

    def search(phrases: Sequence[Phrase], excerpts: Sequence[Excerpt] | None) -> list[Candidates]:
        asked = tuple(phrases), None if excerpts is None else tuple(excerpts)
        if asked not in found:
            found[asked] = search_by_words(phrases, excerpts)
        return found[asked]

    return search


@dataclass(frozen=True, slots=True, eq=False)
class TuningTranscript:
    """The reference words of some recordings, by recording and time.

    The columns leave out filled pauses; ``lexemes`` has them, because no phrase contains one.
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
    """
    number = {recording: i for i, recording in enumerate(recordings)}
    table = np.array(
        [number.get(recording, -1) for recording in lexemes.recordings], dtype=np.int32
    )
    recording = table[lexemes.recording] if len(table) else np.empty(0, np.int32)
    moved = replace(lexemes, recordings=tuple(recordings), recording=recording)
    spoken = _separated(_rows(moved, np.flatnonzero(recording >= 0)), normalisation)
    chosen = _rows(spoken, np.lexsort((spoken.start_s, spoken.recording)))
    return _transcript(replace(chosen, words=tuple(map(normalisation.word, chosen.words))))


def find_occurrences(transcript: TuningTranscript, phrases: Sequence[Sequence[str]]) -> Occurrences:
    """The occurrences of phrases; ``term`` is a row of ``phrases``."""
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
        term: (n,) the term of each hit, as a row like ``occurrences.term``.
        recording: (n,) index into ``occurrences.recordings``.
        start_ms: (n,)
        end_ms: (n,)
        score: (n,) decides which hit is paired if several could be.
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


def _separated(lexemes: Lexemes, normalisation: Normalisation) -> Lexemes:
    """Words cut as the index cuts them, as text without spaces; parts share the time by letters."""
    if not normalisation.several_words(lexemes.words):
        return lexemes
    parts = [normalisation.parts(word) for word in lexemes.words]
    words = tuple(part for some in parts for part in some)
    row = np.repeat(np.arange(len(parts)), [len(some) for some in parts])
    end = np.cumsum([0, *map(len, words)])
    of_word = np.bincount(row, np.diff(end), len(parts))
    begin = end[:-1] - (np.cumsum(of_word) - of_word)[row]
    letter_s = (lexemes.duration_s / np.maximum(of_word, 1))[row]
    return replace(
        _rows(lexemes, row),
        start_s=lexemes.start_s[row] + begin * letter_s,
        duration_s=np.diff(end) * letter_s,
        words=words,
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


class MarkedPlace(NamedTuple):
    """A place that a person judged."""

    phrase: Phrase
    recording: int  # row of the search's table
    start_ms: int
    end_ms: int
    is_right: bool


def marked_places(
    marks: Iterable[Mark], recordings: Sequence[Recording], normalisation: Normalisation
) -> list[MarkedPlace]:
    """The current marks in order, without marks in other recordings and marks of wildcards."""
    row_of = {recording: row for row, recording in enumerate(recordings)}
    places = []
    for mark in marks:
        phrase = normalisation.phrase(mark.term)
        row = row_of.get(mark.recording)
        is_term = any(map(str.isalnum, "".join(phrase))) and "*" not in mark.term
        if row is None or mark.right is None or not is_term:
            continue
        start_ms, end_ms = round(1000 * mark.start_s), round(1000 * mark.end_s)
        places.append(MarkedPlace(phrase, row, start_ms, end_ms, mark.right))
    return places


def by_marks(marked: Sequence[MarkedPlace]) -> Judge:
    """Labels from marks: a mark belongs to the candidate that it overlaps most.

    The last mark of a candidate counts. If an index is made again, or searched with another model,
    a place may move a little, so the middles of mark and candidate may be up to `SAME_PLACE_MS`
    apart.
    """
    of_phrase: dict[Phrase, list[MarkedPlace]] = {}
    for place in marked:
        of_phrase.setdefault(place.phrase, []).append(place)

    def judge(phrases: Sequence[Phrase], places: Places) -> Labels:
        n = len(places.phrase)
        labels = Labels(np.zeros(n, dtype=bool), np.zeros(n, dtype=bool))
        bounds = np.searchsorted(places.phrase, np.arange(len(phrases) + 1))
        for i, phrase in enumerate(phrases):
            rows = slice(bounds[i], bounds[i + 1])
            for mark in of_phrase.get(phrase, ()):
                row = _nearest(mark, Places._make(column[rows] for column in places))
                if row is not None:
                    labels.is_right[bounds[i] + row] = mark.is_right
                    labels.is_known[bounds[i] + row] = True
        return labels

    return judge


def _nearest(mark: MarkedPlace, places: Places) -> int | None:
    """The row of the place that a mark overlaps most; None if it overlaps none."""
    start_ms, end_ms = places.start_ms, places.end_ms
    shared_ms: Int64s = np.minimum(end_ms, mark.end_ms) - np.maximum(start_ms, mark.start_ms)
    middles_apart_ms = np.abs(start_ms + end_ms - mark.start_ms - mark.end_ms) / 2
    is_near = (places.recording == mark.recording) & (middles_apart_ms < SAME_PLACE_MS)
    near = np.flatnonzero(is_near & (shared_ms > 0))
    if not len(near):
        return None
    whole_ms = np.maximum(end_ms, mark.end_ms) - np.minimum(start_ms, mark.start_ms)
    return int(near[np.argmax(shared_ms[near] / whole_ms[near])])
