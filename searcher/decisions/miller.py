"""How often a term is expected, and the threshold that follows from it.

A detection is worth accepting if its chance of being right outweighs the cost of a false alarm,
and that cost depends on how often the term occurs: missing one of two occurrences costs a term
half its value, missing one of a hundred costs a hundredth.
"""

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s


def expected_occurrences(term: Int64s, score: Float64s, n_terms: int, scale: float) -> Float64s:
    """(n_terms,) the sum of a term's merged scores, as an estimate of N_true."""
    summed: Float64s = np.bincount(term, weights=score, minlength=n_terms).astype(np.float64)
    return scale * summed


def term_specific_threshold(n_true: Float64s, speech_s: float, beta: float) -> Float64s:
    """The score from which accepting a detection raises the expected term-weighted value.

    theta = beta N / (T + (beta - 1) N), with T trials, one per second of speech.

    Source: Miller et al., "Rapid and accurate spoken term detection", Interspeech 2007; eq. 2.6
    of Wu's thesis (2012).

    >>> term_specific_threshold(np.array([1.0, 5.0]), 3600.0, 999.9).round(3).tolist()
    [0.217, 0.582]
    """
    trials = speech_s + (beta - 1) * n_true  # 0 where nothing was said: nothing to decide
    theta: Float64s = beta * n_true / np.where(trials == 0, 1.0, trials)
    return theta
