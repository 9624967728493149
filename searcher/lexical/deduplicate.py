"""Many candidates for one place -> one.

A word's posterior is often split over neighbouring slots, because the recogniser's clustering
cut its time span in two; those pieces exclude each other and are summed. What is left of a
place after that, other paths, other variants, what was heard there, is the same event seen again:
the best stays.

Detections suppress others of their term that share time with them, or touch them in a common
slot, best first. Two exceptions keep what was said twice in a row, where neighbouring slots
overlap by a little: the same words with their middles half a second apart (and no common first or
last slot), and different words of a wildcard that stand in different slots and overlap by less
than half. (Chaining neighbours instead would swallow a word said twice in a row.)
"""

import numpy as np

from searcher.candidates import Candidates, in_order
from std.store.columns import Int64s
from std.values import Bools, Float64s

SAME_PLACE_MS = 500  # NIST's matching tolerance: two hits closer than this compete for one


def merge(candidates: Candidates) -> Candidates:
    """One candidate per term and place, ordered by term, recording and time."""
    candidates = in_order(candidates)
    if len(candidates.term) == 0:
        return candidates
    crowd = crowds(candidates)
    ends = np.ones(len(crowd) + 1, dtype=bool)  # where a crowd begins, or the one before ended
    np.not_equal(crowd[1:], crowd[:-1], out=ends[1:-1])
    crowded = np.flatnonzero(~(ends[1:] & ends[:-1]))
    keep = np.ones(len(crowd), dtype=bool)
    score = candidates.score.copy()
    keep[crowded], score[crowded] = _settled(candidates.rows(crowded), crowd[crowded])
    return candidates._replace(score=score).rows(keep)


def crowds(candidates: Candidates) -> Int64s:
    """(n,) number of the crowd each belongs to: runs of one term and recording without a gap."""
    new_group = np.ones(len(candidates.term), dtype=bool)
    term, recording = candidates.term, candidates.recording
    new_group[1:] = (term[1:] != term[:-1]) | (recording[1:] != recording[:-1])
    # One running maximum over all groups: lift each group above the one before it.
    lift = np.cumsum(new_group) * (int(candidates.end_ms.max()) + 1)
    reach = np.maximum.accumulate(lift + candidates.end_ms) - lift
    starts = new_group
    starts[1:] |= candidates.start_ms[1:] > reach[:-1]
    return np.cumsum(starts) - 1


def overlap(
    start_ms: Int64s, end_ms: Int64s, other_start_ms: Int64s, other_end_ms: Int64s
) -> Bools:
    """(n,) which spans share some time; one without length may lie inside the other or equal it."""
    equal = (start_ms == other_start_ms) & (end_ms == other_end_ms)
    shared: Bools = equal | ((start_ms < other_end_ms) & (other_start_ms < end_ms))
    return shared


def same_place(some: Candidates, others: Candidates) -> Bools:
    """(n,) which pairs of candidates of one term and recording are one place."""
    shared_ms = np.minimum(some.end_ms, others.end_ms) - np.maximum(some.start_ms, others.start_ms)
    slots_meet = (some.first_slot <= others.last_slot) & (others.first_slot <= some.last_slot)
    place = overlap(some.start_ms, some.end_ms, others.start_ms, others.end_ms)
    place |= slots_meet & (shared_ms >= 0)
    apart_ms = np.abs(some.start_ms + some.end_ms - others.start_ms - others.end_ms) / 2
    end_to_end = (some.first_slot == others.first_slot) | (some.last_slot == others.last_slot)
    once = (apart_ms < SAME_PLACE_MS) | end_to_end
    lasting_ms = np.minimum(some.end_ms - some.start_ms, others.end_ms - others.start_ms)
    mostly = slots_meet | (2 * shared_ms > lasting_ms)
    same_family, same_words = some.family == others.family, some.variant == others.variant
    same: Bools = place & np.where(same_words, once, mostly | ~same_family)
    return same


def _settled(candidates: Candidates, crowd: Int64s) -> tuple[Bools, Float64s]:
    """Sum the pieces of a family into its best one, keep the best of each place.

    All crowds at once: each round keeps the best candidate that every crowd still has and drops
    those that compete with it.

    Args:
        candidates: (n,) ordered by crowd.
        crowd: (n,) the crowd of each.

    Returns:
        (n,) which to keep; (n,) the scores, summed for those that are kept.
    """
    keep = np.zeros(len(crowd), dtype=bool)
    score = candidates.score.copy()
    free = np.lexsort((candidates.start_ms, -candidates.score, crowd))
    while len(free):
        first = np.ones(len(free), dtype=bool)
        first[1:] = crowd[free[1:]] != crowd[free[:-1]]
        number = np.cumsum(first) - 1
        winners = free[first]
        winner = winners[number]
        near = same_place(candidates.rows(free), candidates.rows(winner)) | first
        pieces = near & (candidates.family[free] == candidates.family[winner])
        total = np.bincount(number[pieces], candidates.score[free[pieces]])
        keep[winners], score[winners] = True, np.minimum(total, 1.0)
        free = free[~near]
    return keep, score
