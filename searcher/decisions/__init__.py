"""Decision rules: from the scores of all candidates to scores on one scale, YES from 0.5 on.

Every rule is a function (term, score, n_terms, speech_s, config) -> (n,) rescaled scores. After it
one threshold, 0.5, holds for all terms, so lists can be combined and a threshold can be swept over
a hit list. Rescaling keeps the order of a term's candidates.

    exact          maximum expected term-weighted value, for probabilities (`exact`)
    term-specific  Miller et al. 2007: a threshold from the expected number of occurrences. A
    detection is accepted if its expected gain exceeds the expected cost of a false
    alarm. The gain depends on the number of occurrences: a missed one of two costs
    a term half its value, one of a hundred a hundredth
    kst            the same threshold, rescaled as a power (keyword-specific thresholding)
    sto            scores of a term sum to one (sum to one), then one threshold
    global         one threshold for all
    auto           exact for calibrated scores, term-specific for others: uncalibrated posteriors
    are often far from probabilities, and the latter depends on ratios only
"""

from collections.abc import Callable

import numpy as np

from searcher.decisions.exact import exact
from std.config import DecisionConfig
from std.store.columns import Int64s
from std.values import Float64s

Rule = Callable[[Int64s, Float64s, int, float, DecisionConfig], Float64s]

THRESHOLD = 0.5  # of rescaled scores, in every rule
MIN_THRESHOLD, MAX_THRESHOLD = (
    1e-6,
    1 - 1e-6,
)  # limits of thresholds, so that rescaling stays one to one


def at_half(score: Float64s, threshold: Float64s) -> Float64s:
    """Move each threshold to 0.5 on the odds scale: odds(score) / odds(threshold).

    >>> at_half(np.array([0.2, 0.5]), np.array([0.2, 0.2])).tolist()
    [0.5, 0.8]
    """
    theta = np.clip(threshold, MIN_THRESHOLD, MAX_THRESHOLD)
    for_it = (1 - theta) * score
    moved: Float64s = for_it / (for_it + theta * (1 - score))
    return moved


def to_the_power(score: Float64s, threshold: Float64s) -> Float64s:
    """Move each threshold to 0.5 by a power: score ** (log 0.5 / log threshold).

    >>> to_the_power(np.array([0.25, 0.5]), np.array([0.25, 0.25])).round(3).tolist()
    [0.5, 0.707]
    """
    moved: Float64s = score ** (
        np.log(0.5) / np.log(np.clip(threshold, MIN_THRESHOLD, MAX_THRESHOLD))
    )
    return moved


def expected_occurrences(term: Int64s, score: Float64s, n_terms: int, scale: float) -> Float64s:
    """(n_terms,) the sum of a term's merged scores, as an estimate of N_true."""
    summed: Float64s = np.bincount(term, weights=score, minlength=n_terms).astype(np.float64)
    return scale * summed


def term_specific_threshold(n_true: Float64s, speech_s: float, beta: float) -> Float64s:
    """The score above which accepting a detection raises the expected term-weighted value.

    theta = beta N / (T + (beta - 1) N), with T trials, one per second of speech.

    Source: Miller et al., "Rapid and accurate spoken term detection", Interspeech 2007; eq. 2.6
    of Wu's thesis (2012).

    >>> term_specific_threshold(np.array([1.0, 5.0]), 3600.0, 999.9).round(3).tolist()
    [0.217, 0.582]
    """
    trials = speech_s + (beta - 1) * n_true  # 0 where nothing was said: nothing to decide
    theta: Float64s = beta * n_true / np.where(trials == 0, 1.0, trials)
    return theta


def _term_specific(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    return at_half(score, _thresholds(term, score, n_terms, speech_s, config))


def _kst(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    return to_the_power(score, _thresholds(term, score, n_terms, speech_s, config))


def _sto(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    """A term's scores divided by their sum; the threshold is that of a term said once.

    Source: Mamou, Mangu et al., "System combination and score normalization for spoken term
    detection", ICASSP 2013. Miller's rule without its (beta - 1) N is score / N > beta / T.
    """
    total = expected_occurrences(term, score, n_terms, config.n_true_scale)[term]
    share = np.divide(score, total, out=np.zeros_like(score), where=total > 0)
    theta = config.beta / (speech_s + config.beta - 1)
    return at_half(np.minimum(share, 1.0), np.full(len(score), theta))


def _global(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    return at_half(score, np.full(len(score), config.threshold))


def _exact(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    return exact(
        term,
        score,
        n_terms,
        speech_s,
        beta=config.beta,
        missing=config.missing,
        occurs=config.terms == "occurring",
    )


def _thresholds(
    term: Int64s, score: Float64s, n_terms: int, speech_s: float, config: DecisionConfig
) -> Float64s:
    n_true = expected_occurrences(term, score, n_terms, config.n_true_scale)
    return term_specific_threshold(n_true, speech_s, config.beta)[term]


RULES: dict[str, Rule] = {
    "exact": _exact,
    "term-specific": _term_specific,
    "kst": _kst,
    "sto": _sto,
    "global": _global,
}


def score_without_hit(
    missed_share: float, n_true: float, speech_s: float, config: DecisionConfig
) -> float:
    """The score of a place without a hit: a probability, rescaled like the scores of a term.

    Args:
        missed_share: its probability.
        n_true: occurrences of a term, on average.
        speech_s: trials.
        config: the rule, its beta or threshold.
    """
    threshold = np.array([config.threshold])
    if config.rule != "global":
        threshold = term_specific_threshold(np.array([n_true]), speech_s, config.beta)
    return float(at_half(np.array([missed_share]), threshold)[0])


def rule_for(config: DecisionConfig, *, calibrated: bool) -> Rule:
    """The rule of a configuration."""
    if config.rule == "auto":
        return RULES["exact" if calibrated else "term-specific"]
    return RULES[config.rule]
