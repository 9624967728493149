"""Pairs of stretches -> classes of recurring speech, and whether words explain them.

stretches_of    pairs -> stretches, with nearly equal ones joined, and their similarities
classes_of      stretches -> classes
Written         a word in a recording
WrittenWords    the words of an index, recording by recording
explained       the share of a class's time in which the same words were written

A class is a star: a stretch and all that resemble it (Aslam, Pelekhov and Rus 2004). Chains of
pairs (a resembles b, b resembles c) would soon join unrelated words.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.fuzz import partial_ratio

from searcher.index.stores import words_of_recording
from std.store import Segment
from std.values import Recording

SAME_STRETCH = 0.85  # of the joint time of two stretches: a larger common share makes them one
CELL_MS = 500

ALIKE = 80  # per cent of the shorter word's letters that the longer one has in a row
FEWEST_LETTERS = 4  # least letters of a word compared so


class Stretch(NamedTuple):
    """A stretch of a recording."""

    recording: int  # row of the archive's recordings
    begin_ms: int
    end_ms: int


class Pair(NamedTuple):
    """Two stretches that resemble each other."""

    one: Stretch
    other: Stretch
    score: int


class Star(NamedTuple):
    """A class: its centre, then the other members, the most similar first."""

    stretches: tuple[Stretch, ...]
    scores: tuple[int, ...]  # of each member with the centre; the centre has the best of these


class Stretches(NamedTuple):
    """Stretches and their similarities."""

    stretches: tuple[Stretch, ...]
    near: tuple[dict[int, int], ...]  # for each stretch, similar ones with scores


def stretches_of(pairs: Sequence[Pair]) -> Stretches:
    """Join stretches that are nearly the same.

    Args:
        pairs: the best first; the first pair of a stretch determines its start and end.
    """
    stretches: list[Stretch] = []
    cells: defaultdict[tuple[int, int], list[int]] = defaultdict(list)

    def number(stretch: Stretch) -> int:
        for cell in _cells(stretch):
            for known in cells[cell]:
                if _shared(stretches[known], stretch) >= SAME_STRETCH:
                    return known
        for cell in _cells(stretch):
            cells[cell].append(len(stretches))
        stretches.append(stretch)
        return len(stretches) - 1

    near: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for pair in pairs:
        one, other = number(pair.one), number(pair.other)
        if one != other:
            near[one].setdefault(other, pair.score)
            near[other].setdefault(one, pair.score)
    return Stretches(tuple(stretches), tuple(near[row] for row in range(len(stretches))))


def classes_of(pairs: Sequence[Pair]) -> list[Star]:
    """The classes, those with the highest sum of scores first.

    The first ones hardly overlap in time; the others have further stretches that resemble them.

    Args:
        pairs: the best first.
    """
    stretches, near = stretches_of(pairs)
    weight = [sum(of.values()) for of in near]
    free = set(range(len(stretches)))
    stars = []
    for centre in sorted(free, key=lambda row: (-weight[row], stretches[row])):
        if centre not in free:
            continue
        members = [row for row in near[centre] if row in free]
        if not members:
            continue
        members.sort(key=lambda row: (-near[centre][row], stretches[row]))
        free -= {centre, *members}
        scores = [near[centre][row] for row in members]
        stars.append(
            Star((stretches[centre], *(stretches[row] for row in members)), (scores[0], *scores))
        )
    return _told_once(sorted(stars, key=lambda star: (-sum(star.scores[1:]), star.stretches[0])))


def _told_once(stars: Sequence[Star]) -> list[Star]:
    """Classes of stretches that are in no earlier one, then further classes of similar stretches.

    If a class loses stretches to an earlier one, pairs of a kept and a lost stretch are kept, too:
    two places of a word may each resemble a third place more than each other.
    """
    told, kept = _Told(), list[Star]()
    for star in stars:
        rows = [row for row, one in enumerate(star.stretches) if not told.classes(one)]
        kept += told.with_rows(star, rows)
    for star in stars:
        own = [told.classes(one) for one in star.stretches]
        rows = [row for row, of in enumerate(own) if row == 0 or not of & own[0]]
        kept += told.with_rows(star, rows)
    return kept


class _Told:
    """The stretches of the classes so far, by time."""

    def __init__(self) -> None:
        self._cells: defaultdict[tuple[int, int], list[tuple[Stretch, int]]] = defaultdict(list)
        self._n = 0

    def classes(self, one: Stretch) -> set[int]:
        """The classes that contain half of a stretch, or of which a stretch contains half."""
        length = one.end_ms - one.begin_ms
        return {
            number
            for cell in _cells(one)
            for other, number in self._cells.get(cell, ())
            if 2 * _common_ms(one, other) >= min(length, other.end_ms - other.begin_ms)
        }

    def with_rows(self, star: Star, rows: Sequence[int]) -> list[Star]:
        """A further class of some of a star's stretches; none of fewer than two."""
        if len(rows) < 2:
            return []
        best, *others = (star.scores[row] for row in rows)
        # The best pair may be with a stretch that is left out; without the centre, no pair of the
        # class is known, and it is as certain as its second best likeness to the centre.
        best = min(best, max(others))
        kept = Star(tuple(star.stretches[row] for row in rows), (best, *others))
        for one in kept.stretches:
            for cell in _cells(one):
                self._cells[cell].append((one, self._n))
        self._n += 1
        return [kept]


def _cells(one: Stretch) -> list[tuple[int, int]]:
    """The time cells of a stretch in its recording, for finding overlapping ones."""
    cells = range(one.begin_ms // CELL_MS, one.end_ms // CELL_MS + 1)
    return [(one.recording, cell) for cell in cells]


def _shared(one: Stretch, other: Stretch) -> float:
    """The common share of the joint time of two stretches."""
    together = max(one.end_ms, other.end_ms) - min(one.begin_ms, other.begin_ms)
    return _common_ms(one, other) / together


def _common_ms(one: Stretch, other: Stretch) -> int:
    return min(one.end_ms, other.end_ms) - max(one.begin_ms, other.begin_ms)


class Written(NamedTuple):
    """A written word, and the share of its time in a stretch."""

    word: str
    share: float  # of the stretch


class WrittenWords:
    """The one-best words of an index, read for each recording at the first use."""

    def __init__(self, segments: Sequence[Segment], recordings: Sequence[Recording]) -> None:
        """Store the segments; stretches give the rows of their recordings."""
        self._segments, self._recordings = segments, recordings
        self._read: dict[int, tuple[np.ndarray, np.ndarray, list[str]]] = {}

    def of(self, stretch: Stretch) -> list[Written]:
        """The words written in a stretch: at least half of the word, or half of the stretch."""
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
    """The mean share of the members' time with words that half of them have, or similar ones."""
    count = Counter(word for one in members for word in {written.word for written in one})
    common = set()
    for word in count:
        n = sum(any(_alike(word, written.word) for written in one) for one in members)
        if n > 1 and 2 * n >= len(members):
            common.add(word)
    shares = [sum(written.share for written in one if written.word in common) for one in members]
    return min(1.0, sum(shares) / len(shares))


def _alike(one: str, other: str) -> bool:
    """Whether two words are equal, forms of one word, or one is part of the other."""
    return one == other or (
        min(len(one), len(other)) >= FEWEST_LETTERS and partial_ratio(one, other) >= ALIKE
    )
