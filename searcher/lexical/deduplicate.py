"""Deduplication: several candidates of one event -> one.

A word's posterior is often split over neighbouring slots, because the recogniser's clustering cut
its time span in two. These pieces exclude each other: their posteriors are summed. Candidates from
other paths, other variants or phonetic search are the same event found again: the best one stays.

Candidates of one term that follow each other without a gap form an overlap group. Within a group,
the best candidate suppresses those that share time with it, or touch it in a common slot. Two
exceptions keep a term that was said twice in a row, where neighbouring slots overlap slightly:
the same words with their middles half a second apart (and no common first or last slot), and
different words of a wildcard that stand in different slots and overlap by less than half.
Linking all neighbours into one event would lose a word said twice in a row.
"""

import numpy as np

from searcher.lexical.best_first import best_first
from searcher.results.candidates import Candidates, in_order
from std.store.columns import Int64s
from std.values import Bools, Float64s

SAME_EVENT_MS = 500  # NIST's matching tolerance: two hits closer than this compete for one


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
        candidates: (n,) in any order; of what is found of a term in several ways.
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
    """(n,) which spans share some time; one without length may lie inside the other or equal it.

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
