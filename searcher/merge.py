"""Many candidates for one place -> one.

A word's posterior is often split over neighbouring slots, because the recogniser's clustering
cut its time span in two; those pieces exclude each other and are summed. What is left of a
place after that, other paths or other variants, is the same event seen again: the best stays.

Detections suppress others of their term whose middle is less than half a second away and which
overlap them, best first. (Chaining neighbours instead would swallow a word said twice in a row.)
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
    size = np.bincount(crowd)
    score = candidates.score.copy()
    keep = np.ones(len(score), dtype=bool)
    ends = np.cumsum(size)
    for i in np.flatnonzero(size > 1).tolist():
        rows = np.arange(ends[i] - size[i], ends[i])
        keep[rows] = _settle(candidates.rows(rows), score[rows[0] : rows[-1] + 1])
    return candidates._replace(score=score).rows(keep)


def crowds(candidates: Candidates) -> Int64s:
    """(n,) number of the crowd each belongs to: runs of one term and recording that overlap."""
    new_group = np.ones(len(candidates.term), dtype=bool)
    new_group[1:] = (np.diff(candidates.term) != 0) | (np.diff(candidates.recording) != 0)
    # One running maximum over all groups: lift each group above the one before it.
    group = np.cumsum(new_group)
    span = int(candidates.end_ms.max()) + 1
    reach = np.maximum.accumulate(group * span + candidates.end_ms) - group * span
    starts = new_group
    starts[1:] |= candidates.start_ms[1:] >= reach[:-1]
    return np.cumsum(starts) - 1


def _settle(crowd: Candidates, score: Float64s) -> Bools:
    """Sum the pieces of a variant into its best one, then keep the best of each place.

    ``score`` (n,) is changed in place; returns which to keep.
    """
    n = len(score)
    overlap = np.minimum.outer(crowd.end_ms, crowd.end_ms) - np.maximum.outer(
        crowd.start_ms, crowd.start_ms
    )
    middle = crowd.start_ms + crowd.end_ms
    near = (overlap > 0) & (np.abs(np.subtract.outer(middle, middle)) < 2 * SAME_PLACE_MS)
    same = near & np.equal.outer(crowd.variant, crowd.variant)
    given = score.copy()
    keep = np.zeros(n, dtype=bool)
    free = np.ones(n, dtype=bool)
    for i in np.lexsort((crowd.start_ms, -given)).tolist():
        if free[i]:
            keep[i] = True
            score[i] = min(1.0, given[same[i] & free].sum())
            free &= ~near[i]
    return keep
