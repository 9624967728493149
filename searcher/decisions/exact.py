"""Maximum expected term-weighted value: accept a candidate if this raises the expected value.

A term said N times gains 1/N for each hit and loses beta / (T - N) for each false alarm, with T
trials, one per second. N is unknown, but calibrated, independent probabilities p_j of a term's
candidates give its distribution: N is the number of right candidates plus the number of occurrences
without a candidate (Poisson with mean ``missing``). Given that candidate i is right,

    E[1 / (1 + K_i)] = integral over u in [0, 1] of exp(-missing (1 - u)) prod_{j != i} (1 - p_j + p_j u)

where K_i counts the others; the expected gain is additive over candidates, so each decision is
best on its own:  accept i  <=>  p_i E[1 / (1 + K_i)] >= beta / (T - N) (P_1 - p_i).

P_1 is the probability that a false alarm has a cost: 1 if terms that do not occur are scored, too;
otherwise the probability that the term occurs, with or without a candidate. The latter, and
``missing`` = 0.03, were chosen by measurement, not derived from the share of places that are found
(`searcher.calibration.occurrence_rate.DETECTED`): P_1 = 1 loses .003 to .026 ATWV in the sets of
docs/calibration.md, and ``missing`` of .1 and .3 lose, too.

In x = 1 - u the integrand falls at least as fast as exp(-N x), where N is the expected number, so
40 nodes on the relevant interval are enough for any N. The product over j differs between a term's
candidates only by one factor, so each candidate costs one sum over the nodes. Where N is large, x
is small and a short power series in p x is enough.

The rule differs from the plug-in rule (theta from N = sum p): given that a candidate is right, N is
one plus the others, so a single unlikely candidate is not accepted."""  # noqa: E501 # the formula

from collections.abc import Iterator
from functools import cache

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s

NODES = 40  # Gauss-Legendre: exact for polynomials of degree 79, that is for 80 candidates
REACH = 40.0  # beyond x = REACH / N the integrand is below exp(-40)
MANY_OCCURRENCES = 400.0  # from this N on x stays below 0.1, and ORDER powers of p x leave 1e-14
ORDER = 14
ROWS_AT_ONCE = 50_000
CELLS = 32_768  # of a table of candidates and nodes: fits in a processor's cache
SURE = 1 - 1e-9


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
    worth: Float64s = np.divide(gain, gain + cost, out=np.zeros_like(p), where=gain > 0)
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
        moment = np.bincount(term, weights=power, minlength=len(x))
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
