"""Which candidates of different recognisers are one event.

Candidates of one term and recording are one event if their middles are less than half a second
apart, NIST's matching tolerance. Of each recogniser a place has one candidate at most, because
each search has removed its own duplicates: two that are left are two events. The most probable
candidate takes its nearest partner of each other recogniser first.
"""

import numpy as np

from searcher.lexical.deduplicate import SAME_EVENT_MS
from searcher.results.candidates import Candidates
from std.store.columns import Int64s


def same_places(candidates: Candidates, recogniser: Int64s) -> Int64s:
    """(n,) the place of each candidate: equal numbers are one event.

    Places are numbered by term, recording and start of their most probable candidate.

    Args:
        candidates: (n,) of all recognisers, in any order; with probabilities.
        recogniser: (n,) that found each.
    """
    term, recording = candidates.term, candidates.recording
    twice_middle = candidates.start_ms + candidates.end_ms
    by_rank = np.lexsort(
        (recogniser, candidates.end_ms, candidates.start_ms, -candidates.probability)
    )
    rank = np.empty(len(term), np.int64)  # 0: the most probable
    rank[by_rank] = np.arange(len(term))
    left = np.lexsort((rank, twice_middle, recording, term))
    group = _groups(term[left], recording[left], twice_middle[left])
    best_of_place = np.empty(len(term), np.int64)
    while len(left):
        order = np.lexsort((rank[left], group))
        left, group = left[order], group[order]
        is_best = np.ones(len(left), bool)
        is_best[1:] = group[1:] != group[:-1]
        best = left[is_best][np.cumsum(is_best) - 1]
        distance = np.abs(twice_middle[left] - twice_middle[best])
        is_near = (distance < 2 * SAME_EVENT_MS) & (recogniser[left] != recogniser[best])
        near = np.flatnonzero(is_near)
        near = near[
            np.lexsort((rank[left[near]], distance[near], recogniser[left[near]], group[near]))
        ]
        key = np.stack([group[near], recogniser[left[near]]])
        is_nearest = np.ones(len(near), bool)
        is_nearest[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
        taken = is_best.copy()
        taken[near[is_nearest]] = True
        best_of_place[left[taken]] = best[taken]
        left, group = left[~taken], group[~taken]
    firsts = np.unique(best_of_place)
    firsts = firsts[
        np.lexsort((rank[firsts], candidates.start_ms[firsts], recording[firsts], term[firsts]))
    ]
    number = np.empty(len(term), np.int64)
    number[firsts] = np.arange(len(firsts))
    places: Int64s = number[best_of_place]
    return places


def _groups(term: Int64s, recording: Int64s, twice_middle: Int64s) -> Int64s:
    """(n,) number of the run without a gap that no place reaches over.

    Args:
        term, recording, twice_middle: (n,) ordered by all three.
    """
    is_first = np.ones(len(term), bool)
    is_first[1:] = (
        (term[1:] != term[:-1])
        | (recording[1:] != recording[:-1])
        | (np.diff(twice_middle) >= 2 * SAME_EVENT_MS)
    )
    return np.cumsum(is_first) - 1
