"""What was really said: where a development set's transcript has a term, and which hits are right.

The matching is that of NIST's evaluation (middle of the hit within half a second of the
occurrence, one hit per occurrence), greedy by score; official figures come from `std-score`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from std.store.columns import Int64s
from std.text import Normalisation
from std.values import Bools, Float64s, Lexemes, Recording

MAX_GAP_MS = 500
TOLERANCE_MS = 500


@dataclass(frozen=True, slots=True, eq=False)
class Transcript:
    """The reference words of some recordings, by recording and time."""

    recordings: tuple[Recording, ...]
    recording: Int64s  # (n,) index into recordings
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    words: tuple[str, ...]  # (n,) normalised
    places: dict[str, list[int]]  # rows of each word

    def within(self, recordings: Sequence[int]) -> "Transcript":
        """The words of some recordings only; the table stays."""
        rows = np.flatnonzero(np.isin(self.recording, list(recordings)))
        return _made(
            self.recordings,
            self.recording[rows],
            self.start_ms[rows],
            self.end_ms[rows],
            tuple(self.words[i] for i in rows.tolist()),
        )


def transcript(
    lexemes: Lexemes, recordings: Sequence[Recording], normalisation: Normalisation
) -> Transcript:
    """The words of the given recordings, normalised as the index is."""
    number = {one: i for i, one in enumerate(recordings)}
    table = np.array([number.get(one, -1) for one in lexemes.recordings], dtype=np.int64)
    recording = table[lexemes.recording] if len(table) else np.empty(0, np.int64)
    start = np.round(1000 * lexemes.start_s).astype(np.int64)
    end = np.round(1000 * (lexemes.start_s + lexemes.duration_s)).astype(np.int64)
    spoken = np.array([one != "fp" for one in lexemes.subtypes], dtype=bool)
    rows = np.flatnonzero((recording >= 0) & spoken)
    rows = rows[np.lexsort((start[rows], recording[rows]))]
    words = tuple(normalisation.word(lexemes.words[i]) for i in rows.tolist())
    return _made(tuple(recordings), recording[rows], start[rows], end[rows], words)


def _made(
    recordings: tuple[Recording, ...],
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    words: tuple[str, ...],
) -> Transcript:
    places = defaultdict(list)
    for i, word in enumerate(words):
        places[word].append(i)
    return Transcript(recordings, recording, start_ms, end_ms, words, dict(places))


def occurrences(said: Transcript, words: Sequence[str]) -> Int64s:
    """(n, 3) recording, start_ms, end_ms of a phrase, at most half a second between its words."""
    found = []
    for first in said.places.get(words[0], []):
        last = first + len(words) - 1
        if last >= len(said.words) or said.words[first : last + 1] != tuple(words):
            continue
        gaps = said.start_ms[first + 1 : last + 1] - said.end_ms[first:last]
        if said.recording[first] == said.recording[last] and (gaps <= MAX_GAP_MS).all():
            found.append((said.recording[first], said.start_ms[first], said.end_ms[last]))
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def right_ones(
    recording: Int64s, start_ms: Int64s, end_ms: Int64s, score: Float64s, reference: Int64s
) -> Bools:
    """(n,) which hits are right, best scores first; each occurrence makes one hit right."""
    right = np.zeros(len(score), dtype=bool)
    free = np.ones(len(reference), dtype=bool)
    if len(reference) == 0:
        return right
    for i in np.argsort(-score, kind="stable").tolist():
        middle = (start_ms[i] + end_ms[i]) / 2
        overlap = np.minimum(end_ms[i], reference[:, 2]) - np.maximum(start_ms[i], reference[:, 1])
        fits = (
            free
            & (reference[:, 0] == recording[i])
            & (reference[:, 1] - TOLERANCE_MS <= middle)
            & (middle <= reference[:, 2] + TOLERANCE_MS)
        )
        if fits.any():
            best = np.flatnonzero(fits)[np.argmax(overlap[fits])]
            free[best] = False
            right[i] = True
    return right
