"""Mean average precision: how early in a term's ranked list its hits are right.

A hit's precision is that of the list down to its score; hits of equal score share one precision,
so the order of a hit list does not matter. Occurrences that no hit is paired with count zero.
"""

import numpy as np

from scoring.matching.counts import Counts
from scoring.measures.runs import run_ends
from std.values import Bools, Float64s, Int32s


def average_precision(term: Int32s, score: Float64s, paired: Bools, targets: Counts) -> Float64s:
    """Average precision of each term; NaN for terms that do not occur.

    Args:
        term: (n,) index of each hit's term.
        score: (n,) higher is more likely.
        paired: (n,) the hit is paired with a reference occurrence.
        targets: (T,) reference occurrences.

    >>> average_precision(np.array([0, 0]), np.array([0.9, 0.8]), np.array([False, True]),
    ...                   np.array([2]))
    array([0.25])
    """
    order = np.lexsort((-score, term))
    term, score, right = term[order], score[order], paired[order].astype(np.int64)
    first = np.searchsorted(term, term, side="left")
    hits = np.cumsum(right)
    hits_so_far = hits - np.concatenate([[0], hits])[first]
    rank = np.arange(1, len(term) + 1) - first
    # Every hit takes the precision at the end of its run of equal scores.
    ends = np.flatnonzero(run_ends(score, term))
    end = ends[np.searchsorted(ends, np.arange(len(term)))]
    precision = hits_so_far[end] / rank[end]
    total = np.bincount(term, weights=precision * right, minlength=len(targets))
    average = np.full(len(targets), np.nan)
    np.divide(total, targets, out=average, where=targets > 0)
    return average
