"""What the recogniser wrote where the members of a class are, and whether that explains the class.

Written         a word in a recording
WrittenWords    those of an index, recording by recording
explained       the share of a class's time in which the same words were written
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.fuzz import partial_ratio

from searcher.discovery.classes import Stretch
from searcher.index.recording_words import words_of_recording
from std.store import Segment
from std.values import Recording

ALIKE = 80  # per cent of the letters of the shorter word that the longer one has in a row
FEWEST_LETTERS = 4  # letters of a word that is compared so


class Written(NamedTuple):
    """A word that was written, and the part of its time that is in a stretch."""

    word: str
    share: float  # of the stretch


class WrittenWords:
    """The one-best words of an index; those of a recording are read when they are first asked."""

    def __init__(self, segments: Sequence[Segment], recordings: Sequence[Recording]) -> None:
        """Of some segments, whose recordings stretches name by their rows."""
        self._segments, self._recordings = segments, recordings
        self._read: dict[int, tuple[np.ndarray, np.ndarray, list[str]]] = {}

    def of(self, stretch: Stretch) -> list[Written]:
        """The words that are written in a stretch: at least half of each, or half of the stretch.

        Args:
            stretch: of a recording.
        """
        begins, ends, words = self._of_recording(stretch.recording)
        length = stretch.end_ms - stretch.begin_ms
        inside = np.minimum(ends, stretch.end_ms) - np.maximum(begins, stretch.begin_ms)
        rows = np.flatnonzero(2 * inside >= np.minimum(ends - begins, length).clip(1))
        return [Written(words[row], float(inside[row] / length)) for row in rows.tolist()]

    def _of_recording(self, row: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
        if row not in self._read:
            found = words_of_recording(
                self._segments, self._recordings[row], 0.0, float("inf"), alternatives=False
            )
            begins = np.array([1000 * one.start_s for one in found or ()])
            lengths = np.array([1000 * one.duration_s for one in found or ()])
            self._read[row] = begins, begins + lengths, [one.word for one in found or ()]
        return self._read[row]


def explained(members: Sequence[Sequence[Written]]) -> float:
    """The mean share of their time in which members have words that half of them have, or alike.

    Args:
        members: the words of each member of a class.
    """
    count = Counter(word for one in members for word in {written.word for written in one})
    common = set()
    for word in count:
        n = sum(any(_alike(word, written.word) for written in one) for one in members)
        if n > 1 and 2 * n >= len(members):
            common.add(word)
    shares = [sum(written.share for written in one if written.word in common) for one in members]
    return min(1.0, sum(shares) / len(shares))


def _alike(one: str, other: str) -> bool:
    """Whether two words are one, forms of one, or one is a part of the other."""
    return one == other or (
        min(len(one), len(other)) >= FEWEST_LETTERS and partial_ratio(one, other) >= ALIKE
    )
