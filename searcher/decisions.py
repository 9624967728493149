"""Decision rules: from the scores of all candidates to scores on one scale, YES from 0.5 on.

Every rule is a function (term, score, n_terms, speech_s, config) -> (n,) rescaled scores. After it
one threshold, 0.5, holds for all terms, so lists can be combined and a threshold can be swept over
a hit list. Rescaling keeps the order of a term's candidates.

    exact          maximum expected term-weighted value, for probabilities
    term-specific  Miller et al. 2007: a threshold from the expected number of occurrences. A
                   detection is accepted if its expected gain exceeds the expected cost of a false
                   alarm. The gain depends on the number of occurrences: a missed one of two costs
                   a term half its value, one of a hundred a hundredth
    kst            the same threshold, rescaled as a power (keyword-specific thresholding)
    sto            scores of a term sum to one (sum to one), then one threshold
    global         one threshold for all
    auto           exact for calibrated scores, term-specific for others: uncalibrated posteriors
                   are often far from probabilities, and the latter depends on ratios only

The exact rule
    A term said N times gains 1/N for each hit and loses beta / (T - N) for each false alarm, with
    T trials, one per second. N is unknown, but calibrated, independent probabilities p_j of a
    term's candidates give its distribution: N is the number of right candidates plus the number of
    occurrences without a candidate (Poisson with mean ``missing``). Given that candidate i is
    right,

    E[1 / (1 + K_i)] = integral over u in [0, 1] of
                       exp(-missing (1 - u)) prod_{j != i} (1 - p_j + p_j u)

    where K_i counts the others. The expected gain is a sum over candidates, so each decision can be
    made by itself:  accept i  <=>  p_i E[1 / (1 + K_i)] >= beta / (T - N) (P_1 - p_i).

    P_1 is the probability that a false alarm has a cost: 1 if terms that do not occur are scored,
    too; otherwise the probability that the term occurs, with or without a candidate. The latter,
    and ``missing`` = 0.03, were chosen by measurement, not derived from the share of places that
    are found (`searcher.calibration.occurrence_rate.DETECTED`). P_1 = 1 loses .003 to .026 ATWV in
    the sets of docs/calibration.md; values of .1 and .3 for ``missing`` lose, too.

    In x = 1 - u the integrand falls at least as fast as exp(-N x), where N is the expected number,
    so 40 nodes on the relevant interval are enough for any N. The product over j differs between a
    term's candidates only by one factor, so each candidate costs one sum over the nodes. Where N is
    large, x is small and a short power series in p x is enough.

    The rule differs from the plug-in rule (theta from N = sum p): given that a candidate is right,
    N is one plus the others, so a single unlikely candidate is not accepted.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from std.config import DecisionConfig
from std.values import Float64s, Int64s

Rule = Callable[[Int64s, Float64s, int, float, DecisionConfig], Float64s]

THRESHOLD = 0.5  # of rescaled scores, in every rule
MIN_THRESHOLD, MAX_THRESHOLD = (
    1e-6,
    1 - 1e-6,
)  # limits of thresholds, so that rescaling stays one to one

NODES = 40  # Gauss-Legendre: exact for polynomials of degree 79, that is for 80 candidates
REACH = 40.0  # beyond x = REACH / N the integrand is below exp(-40)
MANY_OCCURRENCES = 400.0  # from this N on x stays below 0.1, and ORDER powers of p x leave 1e-14
ORDER = 14
ROWS_AT_ONCE = 50_000
CELLS = 32_768  # of a table of candidates and nodes: fits in a processor's cache
SURE = 1 - 1e-9


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
        n_true: occurrences of a term, on average.
        speech_s: trials.
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


def exact(
    term: Int64s,
    probability: Float64s,
    n_terms: int,
    speech_s: float,
    *,
    beta: float,
    missing: float,
    occurs: bool,
) -> Float64s:
    """(n,) gain / (gain + cost) of accepting each candidate: at least 0.5 if the gain is larger.

    Args:
        term: (n,) of each candidate, in any order.
        probability: (n,) calibrated and merged.
        speech_s: trials.
        beta: cost of a false alarm against a hit.
        missing: expected number of a term's occurrences without a candidate.
        occurs: whether only terms that occur are scored, as in an evaluation.
    """
    p = np.minimum(probability, SURE)
    expected = np.bincount(term, weights=p, minlength=n_terms) + missing
    nodes, weights = _quadrature()
    reach = np.minimum(1.0, REACH / np.maximum(expected, REACH))
    x, weight = reach[:, None] * nodes, reach[:, None] * weights  # (n_terms, NODES)
    many = expected > MANY_OCCURRENCES
    if many.all() or not many.any():
        gain = p * (_by_powers if many.any() else _by_nodes)(term, p, x, weight, missing)
    else:
        gain = np.empty(len(p))
        for which, gains in ((~many, _by_nodes), (many, _by_powers)):
            rows = np.flatnonzero(which[term])
            gain[rows] = p[rows] * gains(term[rows], p[rows], x, weight, missing)
    happens: Float64s | float = 1.0
    if occurs:
        none = np.bincount(term, weights=np.log1p(-p), minlength=n_terms) - missing
        happens = _of_terms(-np.expm1(none), term)
    trials = np.maximum(speech_s - expected, 1.0)
    cost = _of_terms(beta / trials, term) * np.maximum(happens - p, 0.0)
    worth: Float64s = gain / np.where(gain > 0, gain + cost, 1.0)
    return worth


def _by_nodes(term: Int64s, p: Float64s, x: Float64s, weight: Float64s, missing: float) -> Float64s:
    """(n,) E[1 / (1 + K)] given that a candidate is right."""
    result = np.empty(len(p))
    if (term[1:] < term[:-1]).any():
        order = np.argsort(term, kind="stable")
        result[order] = _by_nodes(term[order], p[order], x, weight, missing)
        return result
    log_product = -missing * x
    for rows in _pieces(term):
        _add_log_shares(log_product, term[rows], p[rows], x)
    integrand = weight * np.exp(log_product)
    at_once = CELLS // NODES
    for begin in range(0, len(p), at_once):
        rows = slice(begin, begin + at_once)
        others = p[rows, None] * _of_terms(x, term[rows])
        np.subtract(1, others, out=others)
        np.divide(_of_terms(integrand, term[rows]), others, out=others)
        result[rows] = others.sum(axis=1)
    return result


def _pieces(term: Int64s) -> Iterator[slice]:
    """Rows in pieces that begin with a term, so sums do not depend on earlier terms.

    A term with more than `ROWS_AT_ONCE` candidates is divided into pieces of its own.

    Args:
        term: (n,) of each candidate, ascending.
    """
    begin, within = 0, 0  # of the piece; of its last term
    for end in [*(np.flatnonzero(term[1:] != term[:-1]) + 1).tolist(), len(term)]:
        if end - begin > ROWS_AT_ONCE:
            if begin < within:
                yield slice(begin, within)
            for begin in range(within, end, ROWS_AT_ONCE):
                yield slice(begin, min(begin + ROWS_AT_ONCE, end))
            begin = end
        within = end
    if begin < len(term):
        yield slice(begin, len(term))


def _add_log_shares(total: Float64s, term: Int64s, p: Float64s, x: Float64s) -> None:
    """Add log(1 - p x) of some candidates to the totals of their terms.

    Args:
        total: (n_terms, NODES)
        term: (n,) of each candidate, ascending.
        p: (n,) of each.
        x: (n_terms, NODES) the nodes.
    """
    first = np.flatnonzero(np.concatenate([[True], term[1:] != term[:-1]]))
    at_once = max(1, CELLS // len(p))
    for begin in range(0, NODES, at_once):
        nodes = slice(begin, begin + at_once)
        at = x[:, nodes].T  # one row per node: sums run along memory
        table = -p * (at if len(x) == 1 else at[:, term])
        np.log1p(table, out=table)
        total[term[first], nodes] += np.add.reduceat(table, first, axis=1).T


def _of_terms(table: Float64s, term: Int64s) -> Float64s:
    """(n, ...) the rows of some terms; of a single term one row, which numpy broadcasts.

    Args:
        table: (n_terms, ...)
        term: (n,)
    """
    return table if len(table) == 1 else table[term]


def _by_powers(
    term: Int64s, p: Float64s, x: Float64s, weight: Float64s, missing: float
) -> Float64s:
    """The same for small p x: log(1 - p x) and 1 / (1 - p x) as power series."""
    log_product = -missing * x
    power = np.ones(len(p))
    for m in range(1, ORDER + 1):
        power *= p
        if m == 1 or len(x) > 1:
            moment = np.bincount(term, weights=power, minlength=len(x))
        else:  # several times as fast; its other rounding is lost beside the first moment
            moment = power.sum(keepdims=True)
        log_product -= moment[:, None] * x**m / m
    integrand = weight * np.exp(log_product)
    result = np.zeros(len(p))
    for m in range(ORDER, -1, -1):
        result *= p
        result += _of_terms((integrand * x**m).sum(axis=1), term)
    return result


@cache
def _quadrature() -> tuple[Float64s, Float64s]:
    """(NODES,) nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2
