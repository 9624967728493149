"""The term-weighted value (TWV) and its parts, P_miss and P_fa.

    P_miss(t) = missed(t) / targets(t)          P_fa(t) = false alarms(t) / (trials - targets(t))
    TWV = 1 - ( mean P_miss + beta * mean P_fa )          over the terms that occur

A term that is a target in every trial has no P_fa and no TWV of its own; it counts in the mean of
P_miss and is left out of the mean of P_fa.

Source: NIST STD 2006 evaluation plan, section 4; F4DE 3.5.0 (its behaviour).
"""

import numpy as np
import numpy.typing as npt

from scoring.matching.counts import Counts
from std.errors import StdError
from std.values import Float64s


def empirical_prior(targets: int, trials_per_term: float) -> float:
    """The prior of MediaEval SWS 2012: all target trials divided by the trials of one term.

    Source: MediaEval 2013 SWS performance measures, equation 17.

    Raises:
        StdError: there are as many targets as trials, so that it is no probability.
    """
    prior = targets / trials_per_term if trials_per_term else 1.0
    if not 0 < prior < 1:
        raise StdError(
            f"sws2012: expected fewer targets than trials per term, got {targets} of "
            f"{trials_per_term:g}"
        )
    return prior


def number_of_trials(speech_s: float, trials_per_second: float = 1.0) -> int:
    """Trials per term: the nearest whole number, halves to the even one."""
    return round(speech_s * trials_per_second)


def p_miss(miss: Counts, targets: Counts) -> Float64s:
    """(T,) Probability of a miss; NaN for terms that do not occur."""
    return ratio(miss, targets)


def p_fa(fa: Counts, targets: Counts, trials: float) -> Float64s:
    """(T,) Probability of a false alarm; NaN for terms that leave no non-target trial.

    Args:
        fa: (T,) false alarms of each term.
        targets: (T,) its occurrences.
        trials: per term; by convention one per second of speech.
    """
    return ratio(fa, trials - targets)


def twv(p_miss_mean: float, p_fa_mean: float, beta: float) -> float:
    """TWV of mean probabilities: 1 is perfect, 0 is a system that returns nothing."""
    return 1 - (p_miss_mean + beta * p_fa_mean)


def twv_of_terms(p_miss: Float64s, p_fa: Float64s, beta: float) -> Float64s:
    """(T,) TWV of each term.

    Args:
        p_miss, p_fa: (T,) of each term.
        beta: cost of a false alarm against a miss.
    """
    return 1 - (p_miss + beta * p_fa)


def mean(values: Float64s) -> float:
    """Mean over the terms for which a rate is defined; NaN of nothing."""
    values = values[~np.isnan(values)]
    return float(np.mean(values)) if len(values) else float("nan")


def ratio(part: npt.NDArray[np.number], whole: npt.NDArray[np.number]) -> Float64s:
    """(n,) part over whole; NaN where the whole is 0.

    Args:
        part, whole: (n,)
    """
    found = np.full(len(part), np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found
