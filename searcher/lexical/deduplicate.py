"""Deduplication: several candidates of one event -> one.

A word's posterior is often split over neighbouring slots, because the recogniser's clustering cut
its time span in two. These pieces exclude each other: their posteriors are summed. Candidates from
other paths, other variants or phonetic search are the same event found again: the best one stays.

Candidates of one term that follow each other without a gap form an overlap group. Within a group,
the best candidate suppresses those that share time with it, or touch it in a common slot. There are
two exceptions, because neighbouring slots overlap slightly where a term is said twice in a row.
Both hits stay if they have the same words, with their middles half a second apart and no common
first or last slot. They also stay if they have different words of a wildcard in different slots
that overlap by less than half. Linking all neighbours into one event would lose a word said twice
in a row.

        best_first        candidates -> the candidate that suppresses each
        _block            the best remaining candidates, as many as can be compared at once
        _inside           within a block, one after the other
        _same             the pairs that are one event
    NearPairs         the pairs that may be one event
    SortedPlaces      candidates by group, length and start: which may share time with others

The time is n log n for any density of candidates: a candidate is suppressed only by one that meets
it in time, and among spans of similar length these are consecutive in the order of starts.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.results.candidates import Candidates, in_order
from std.execution.stop import check_stop
from std.values import Bools, Float64s, Int64s, ranges

SAME_EVENT_MS = 500  # NIST's matching tolerance: closer hits compete for one occurrence

Suppresses = Callable[[Candidates, Candidates], Bools]  # (n,) of n pairs; symmetric

LEAST_AT_ONCE = 64  # candidates
ALL_AT_ONCE = 1024  # remaining candidates that make a block, if they have few pairs
PAIRS_EACH = 16  # pairs of a candidate within its block, on average
MOST_PAIRS = 1_000_000  # held at once
SHARE_AT_ONCE = 4  # the best quarter of the remaining candidates makes a block


def deduplicate(candidates: Candidates) -> Candidates:
    """One candidate per term and event, ordered by term, recording and time."""
    candidates = in_order(candidates)
    if len(candidates.term) == 0:
        return candidates
    group = overlap_groups(candidates)
    is_bound = np.ones(len(group) + 1, dtype=bool)  # between two groups, and at both ends
    np.not_equal(group[1:], group[:-1], out=is_bound[1:-1])
    several = np.flatnonzero(~(is_bound[1:] & is_bound[:-1]))  # in groups of two or more
    if not len(several):
        return candidates
    keep = np.ones(len(group), dtype=bool)
    probability = candidates.probability.copy()
    keep[several], probability[several] = _suppress(candidates.rows(several), group[several])
    return candidates._replace(probability=probability).rows(keep)


def best_of_each_place(candidates: Candidates, probability: Float64s) -> Int64s:
    """Rows of the candidates that no likelier one of the same term suppresses, ascending.

    Args:
        candidates: (n,) candidates of all methods, in any order.
        probability: (n,) of each.
    """
    n = len(candidates.term)
    if n == 0:
        return np.zeros(0, np.int64)
    rows = np.lexsort((candidates.start_ms, candidates.recording, candidates.term))
    ordered = candidates.rows(rows)
    order = np.lexsort((ordered.start_ms, -probability[rows]))
    owner = best_first(ordered, overlap_groups(ordered), order, is_same_event)
    return np.sort(rows[owner == np.arange(n)])


def overlap_groups(candidates: Candidates) -> Int64s:
    """(n,) number of each candidate's overlap group.

    A group is a run of candidates of one term and recording without a gap.

    Args:
        candidates: (n,) ordered by term, recording and start.
    """
    is_first = np.ones(len(candidates.term), dtype=bool)
    term, recording = candidates.term, candidates.recording
    is_first[1:] = (term[1:] != term[:-1]) | (recording[1:] != recording[:-1])
    # One running maximum over all recordings: shift each recording above the one before it.
    shift = np.cumsum(is_first) * (int(candidates.end_ms.max()) + 1)
    latest_end = np.maximum.accumulate(shift + candidates.end_ms) - shift
    is_first[1:] |= candidates.start_ms[1:] > latest_end[:-1]
    return np.cumsum(is_first) - 1


def overlap(
    start_ms: Int64s, end_ms: Int64s, other_start_ms: Int64s, other_end_ms: Int64s
) -> Bools:
    """(n,) which spans share time; a span of length 0 may be inside the other or equal it.

    Args:
        start_ms, end_ms: (n,) spans.
        other_start_ms, other_end_ms: (n,) spans to compare them with, row by row.
    """
    equal = (start_ms == other_start_ms) & (end_ms == other_end_ms)
    shared: Bools = equal | ((start_ms < other_end_ms) & (other_start_ms < end_ms))
    return shared


def is_same_event(candidates: Candidates, others: Candidates) -> Bools:
    """(n,) which pairs of candidates are one event; each pair is of one term and recording."""
    start_ms, end_ms = candidates.start_ms, candidates.end_ms
    shared_ms = np.minimum(end_ms, others.end_ms) - np.maximum(start_ms, others.start_ms)
    slots_meet = (candidates.first_slot <= others.last_slot) & (
        others.first_slot <= candidates.last_slot
    )
    meet = overlap(start_ms, end_ms, others.start_ms, others.end_ms)
    meet |= slots_meet & (shared_ms >= 0)
    middle_distance_ms = np.abs(start_ms + end_ms - others.start_ms - others.end_ms) / 2
    slots_begin_or_end_together = (candidates.first_slot == others.first_slot) | (
        candidates.last_slot == others.last_slot
    )
    is_near = (middle_distance_ms < SAME_EVENT_MS) | slots_begin_or_end_together
    shorter_ms = np.minimum(end_ms - start_ms, others.end_ms - others.start_ms)
    overlaps_by_half = slots_meet | (2 * shared_ms > shorter_ms)
    same_family = candidates.family == others.family
    same_words = candidates.variant == others.variant
    same: Bools = meet & np.where(same_words, is_near, overlaps_by_half | ~same_family)
    return same


def _suppress(candidates: Candidates, group: Int64s) -> tuple[Bools, Float64s]:
    """Keep the best candidate of each event, with the probabilities of its family's pieces summed.

    Args:
        candidates: (n,) ordered by group.
        group: (n,) the overlap group of each.

    Returns:
        (n,) which to keep; (n,) the probabilities, summed for those that are kept.
    """
    order = np.lexsort((candidates.start_ms, -candidates.probability))
    owner = best_first(candidates, group, order, is_same_event)
    keep = owner == np.arange(len(owner))
    pieces = order[candidates.family[order] == candidates.family[owner[order]]]
    total = np.bincount(owner[pieces], candidates.probability[pieces], minlength=len(owner))
    return keep, np.where(keep, np.minimum(total, 1.0), candidates.probability)


def best_first(candidates: Candidates, group: Int64s, order: Int64s, same: Suppresses) -> Int64s:
    """Process candidates, the best first: each suppresses all remaining ones of the same event.

    Args:
        candidates: (n,)
        group: (n,) only candidates of one group that meet in time can be the same.
        order: (n,) the candidates, the best of each group before its others.
        same: which pairs are one event.

    Returns:
        (n,) the candidate that suppressed each; its own row for those that are kept.
    """
    n = len(group)
    owner, is_left = np.arange(n), np.ones(n, dtype=bool)
    places: SortedPlaces | None = None  # of all candidates
    left = order
    while len(left):
        block, pairs = _block(candidates, group, left)
        owner[block] = block[_inside(block, [*_same(candidates, pairs, same)])]
        if len(block) == len(left):
            break
        is_left[block] = False
        kept = block[owner[block] == block]
        places = places or SortedPlaces.of(candidates, group, order)
        for one, other in _same(candidates, places.near(candidates, group, kept), same):
            free = np.flatnonzero(is_left[other])[::-1]  # the best is written last
            owner[other[free]] = one[free]
            is_left[other[free]] = False
        left = left[len(block) :]
        left = left[is_left[left]]
    return owner


def _block(candidates: Candidates, group: Int64s, left: Int64s) -> "tuple[Int64s, NearPairs]":
    """The best remaining candidates, as many as have few enough pairs, and these."""
    size = len(left)
    if size > ALL_AT_ONCE:
        size = max(LEAST_AT_ONCE, size // SHARE_AT_ONCE)
    while True:
        block = left[:size]
        pairs = SortedPlaces.of(candidates, group, block).near(candidates, group, block)
        if size <= LEAST_AT_ONCE or pairs.number <= PAIRS_EACH * size:
            return block, pairs
        size = max(LEAST_AT_ONCE, size // SHARE_AT_ONCE)


def _inside(block: Int64s, pairs: Sequence[tuple[Int64s, Int64s]]) -> Int64s:
    """(n,) the candidate of a block that suppresses each, from its pairs."""
    number = {row: i for i, row in enumerate(block.tolist())}
    owner = list(range(len(block)))
    for some, others in pairs:
        for row, other in zip(some.tolist(), others.tolist(), strict=True):
            one, later = number[row], number[other]
            if one < later and owner[one] == one and owner[later] == later:
                owner[later] = one
    return np.array(owner, np.int64)


class NearPairs(NamedTuple):
    """Pairs of some candidates and of sorted ones that may meet them in time."""

    rows: Int64s  # (n,) of the former
    order: Int64s  # rows of the latter
    first: Int64s  # (n, k) of each and of k lengths, where the latter begin in ``order``
    last: Int64s  # (n, k) where they end

    @property
    def number(self) -> int:
        """The number of pairs."""
        return int((self.last - self.first).sum())


def _same(
    candidates: Candidates, pairs: NearPairs, same: Suppresses
) -> Iterator[tuple[Int64s, Int64s]]:
    """The pairs that are one event, by the former candidate."""
    rows, order, first, last = pairs
    total = np.cumsum((last - first).sum(axis=1))
    steps = np.arange(MOST_PAIRS, int(total.max(initial=0)), MOST_PAIRS)
    bounds = {0, *np.searchsorted(total, steps).tolist(), len(rows)}
    for begin, end in pairwise(sorted(bounds)):
        check_stop()
        window, at = ranges(first[begin:end].ravel(), last[begin:end].ravel())
        one, other = rows[begin + window // first.shape[1]], order[at]
        is_same = same(candidates.rows(one), candidates.rows(other))
        yield one[is_same], other[is_same]


class SortedPlaces(NamedTuple):
    """Candidates by length (in powers of two), group and start."""

    order: Int64s  # (n,) rows
    key: Int64s  # (n,) ascending
    lengths: Int64s  # (k,) existing lengths: 0 for no time, else i for 2^(i-1) to 2^i - 1 ms
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

    def near(self, candidates: Candidates, group: Int64s, rows: Int64s) -> NearPairs:
        """Some candidates with those of each length that may meet them in time."""
        n_groups, n_times = self.spans
        place = (self.lengths * n_groups + group[rows, np.newaxis]) * n_times
        earliest = candidates.start_ms[rows, np.newaxis] - (np.int64(1) << self.lengths)
        first = np.searchsorted(self.key, place + np.maximum(earliest, 0))
        latest = candidates.end_ms[rows, np.newaxis]
        last = np.searchsorted(self.key, place + latest, side="right")
        return NearPairs(rows, self.order, first, last)
