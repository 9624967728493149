"""Measures of the order of hits: average precision, and parts that such measures share.

    run_ends            which rows end a run of equal values
    ascending_means     isotonic regression, by pooling adjacent violators
    average_precision   the mean precision of a term's ranked list at its right hits

The precision of a hit is that of the list down to its score. Hits of equal score share one
precision, so the order of a hit list does not matter. Occurrences that no hit is paired with count
zero.

Source of the isotonic regression: Ayer, Brunk, Ewing, Reid and Silverman, "An empirical
distribution function for sampling with incomplete information", Annals of Mathematical Statistics
26, 1955; Barlow, Bartholomew, Bremner and Brunk, "Statistical inference under order restrictions",
1972, section 1.2.
"""

import numpy as np
import numpy.typing as npt

from scoring.matching.counts import Counts
from std.values import Bools, Float64s, Int32s


def run_ends(*columns: npt.NDArray[np.number]) -> Bools:
    """(n,) which rows end a run of rows that are equal in every column.

    Compared, not subtracted: infinite scores are equal to each other.

    >>> run_ends(np.array([7, 7, 7, 9]), np.array([np.inf, 1, 1, 1])).tolist()
    [True, False, True, True]
    """
    ends = np.ones(len(columns[0]), np.bool_)
    ends[:-1] = False
    for column in columns:
        ends[:-1] |= column[1:] != column[:-1]
    return ends


def ascending_means(total: Float64s, weight: Float64s) -> Float64s:
    """Values that do not go down and are nearest to the means, by weighted squares.

    Args:
        total: (n,) weighted sum of the observations at each place: mean times weight.
        weight: (n,) of each place, above 0.

    Returns:
        (n,) the fitted values.
    """
    blocks: list[tuple[float, float, int]] = []  # total, weight, number of places
    for block in zip(total.tolist(), weight.tolist(), [1] * len(total), strict=True):
        here, heaviness, places = block
        while blocks and blocks[-1][0] * heaviness >= here * blocks[-1][1]:  # as means compare
            before = blocks.pop()
            here, heaviness, places = here + before[0], heaviness + before[1], places + before[2]
        blocks.append((here, heaviness, places))
    if not blocks:
        return np.empty(0)
    sums, weights, counts = (np.array(column) for column in zip(*blocks, strict=True))
    return np.repeat(sums / weights, counts)


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
