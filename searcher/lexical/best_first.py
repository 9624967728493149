"""The best candidate of each event, in time n log n however densely candidates lie.

    best_first        candidates and who suppresses whom -> the candidate that each one belongs to
        _block            the best that are left, as many as can be compared with each other
        _inside           within a block, one after the other
        _same_pairs       all that those which a block keeps suppress
    SortedPlaces      candidates by group, length and start: which may share time with others

A candidate can be suppressed only by one that meets it in time, so few pairs are compared: spans
of about one length lie between two places of their order by start.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from searcher.results.candidates import Candidates
from std.execution.stop import check_stop
from std.store.columns import Int64s
from std.values import Bools

Suppresses = Callable[[Candidates, Candidates], Bools]  # (n,) of n pairs; symmetric

LEAST_AT_ONCE = 64  # candidates
PAIRS_EACH = 16  # that a candidate of a block has with others of it, on average
MOST_PAIRS = 1_000_000  # held at once
SHARE_AT_ONCE = 4  # the best quarter of those that are left makes a block


def best_first(candidates: Candidates, group: Int64s, order: Int64s, same: Suppresses) -> Int64s:
    """Go through candidates, the best first: each suppresses all that are left and the same as it.

    Args:
        candidates: (n,)
        group: (n,) only candidates of one group that meet in time can be the same.
        order: (n,) the candidates, the best of each group before its others.
        same: which pairs are.

    Returns:
        (n,) the candidate that suppressed each; its own row for those that are kept.
    """
    n = len(group)
    owner, is_left = np.arange(n), np.ones(n, dtype=bool)
    places, left = SortedPlaces.of(candidates, group, order), order
    while len(left):
        block, near = _block(candidates, group, left)
        pairs = [*_same_pairs(candidates, group, block, near, same)]
        owner[block] = block[_inside(block, pairs)]
        is_left[block] = False
        kept = block[owner[block] == block]
        for one, other in _same_pairs(candidates, group, kept, places, same):
            free = np.flatnonzero(is_left[other])[::-1]  # the last that is written is the best
            owner[other[free]] = one[free]
            is_left[other[free]] = False
        left = left[len(block) :]
        left = left[is_left[left]]
    return owner


def _block(candidates: Candidates, group: Int64s, left: Int64s) -> "tuple[Int64s, SortedPlaces]":
    """The best of those that are left, as many as have few enough pairs among them."""
    size = max(LEAST_AT_ONCE, len(left) // SHARE_AT_ONCE)
    while True:
        block = left[:size]
        places = SortedPlaces.of(candidates, group, block)
        first, last = places.windows(candidates, group, block)
        if size <= LEAST_AT_ONCE or int((last - first).sum()) <= PAIRS_EACH * size:
            return block, places
        size = max(LEAST_AT_ONCE, size // SHARE_AT_ONCE)


def _inside(block: Int64s, pairs: Sequence[tuple[Int64s, Int64s]]) -> Int64s:
    """(n,) which of a block's n candidates suppressed each of them, going through its pairs."""
    number = {row: i for i, row in enumerate(block.tolist())}
    owner = list(range(len(block)))
    for some, others in pairs:
        for row, other in zip(some.tolist(), others.tolist(), strict=True):
            one, later = number[row], number[other]
            if one < later and owner[one] == one and owner[later] == later:
                owner[later] = one
    return np.array(owner, np.int64)


def _same_pairs(
    candidates: Candidates, group: Int64s, some: Int64s, places: "SortedPlaces", same: Suppresses
) -> Iterator[tuple[Int64s, Int64s]]:
    """Which of some candidates are the same as which of those at places, by the former."""
    first, last = places.windows(candidates, group, some)
    total = np.cumsum((last - first).sum(axis=1))
    bounds = np.searchsorted(total, np.arange(MOST_PAIRS, int(total.max(initial=0)), MOST_PAIRS))
    for rows in np.split(np.arange(len(some)), np.unique(bounds)):
        check_stop()
        window, at = ranges(first[rows].ravel(), last[rows].ravel())
        one, other = some[rows[window // first.shape[1]]], places.order[at]
        is_same = same(candidates.rows(one), candidates.rows(other))
        yield one[is_same], other[is_same]


class SortedPlaces(NamedTuple):
    """Candidates by length (in powers of two), group and start."""

    order: Int64s  # (n,) rows
    key: Int64s  # (n,) ascending
    lengths: Int64s  # (k,) that there are: 0 for no time, else i for 2^(i-1) to 2^i - 1 ms
    spans: tuple[int, int]  # of groups and times, in the key

    @classmethod
    def of(cls, candidates: Candidates, group: Int64s, rows: Int64s) -> "SortedPlaces":
        """Some of the candidates."""
        start_ms, end_ms = candidates.start_ms[rows], candidates.end_ms[rows]
        length = np.frexp((end_ms - start_ms).astype(np.float64))[1].astype(np.int64)
        spans = int(group.max()) + 1, int(candidates.end_ms.max()) + 2
        key = (length * spans[0] + group[rows]) * spans[1] + start_ms
        order = np.argsort(key)
        return cls(rows[order], key[order], np.unique(length), spans)

    def windows(self, candidates: Candidates, group: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
        """Where those that may meet some candidates in time lie in the order.

        Returns:
            (rows, k) first and one past the last of each length.
        """
        n_groups, n_times = self.spans
        place = (self.lengths * n_groups + group[rows, np.newaxis]) * n_times
        earliest = candidates.start_ms[rows, np.newaxis] - (np.int64(1) << self.lengths)
        first = np.searchsorted(self.key, place + np.maximum(earliest, 0))
        latest = candidates.end_ms[rows, np.newaxis]
        return first, np.searchsorted(self.key, place + latest, side="right")


def ranges(first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
    """All (i, row) with first[i] <= row < last[i]."""
    counts = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), counts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, first[which] + within
