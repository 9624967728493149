"""Maximum expected term-weighted value: accept a candidate if that is expected to pay.

A term said N times gains 1/N for each hit and loses beta / (T - N) for each false alarm, with T
trials, one per second. N is not known, but with calibrated, independent probabilities p_j of a
term's candidates its distribution is: the candidates that are right, plus those that no
candidate stands for (Poisson with mean ``missing``). Given that candidate i is right,

    E[1 / (1 + K_i)] = integral over u in [0, 1] of exp(-missing (1 - u)) prod_{j != i} (1 - p_j + p_j u)

where K_i counts the others; the expected gain is additive over candidates, so each decision is
best on its own:  accept i  <=>  p_i E[1 / (1 + K_i)] >= beta / (T - N) (P_1 - p_i).

P_1 is the chance that a false alarm costs anything: 1 if the term may not occur at all, or, if
only terms that occur are scored, the chance that it does.

Against the plug-in rule (theta from N = sum p): given that a candidate is right, N is not sum p
but one plus the others, so a lone unlikely candidate is not accepted for its loneliness.
"""  # noqa: E501  # the formula

from functools import cache

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s

NODES = 40  # Gauss-Legendre: exact for polynomials of degree 79, that is for 80 candidates
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
    """(n,) gain / (gain + cost) of accepting each candidate: at least 0.5 exactly if it pays.

    Args:
        term: (n,) of each candidate, in any order.
        probability: (n,) calibrated and merged.
        speech_s: trials.
        beta: cost of a false alarm against a hit.
        missing: expected number of a term's occurrences that no candidate stands for.
        occurs: whether only terms that occur count, as in an evaluation; else any term may
            be asked for.
    """
    p = np.minimum(probability, SURE)
    nodes, weights = _quadrature()
    share = np.log1p(-p[:, None] * (1 - nodes))  # (n, NODES) log(1 - p + p u)
    total = np.zeros((n_terms, len(nodes)))
    np.add.at(total, term, share)
    others = total[term] - share - missing * (1 - nodes)
    gain = p * (np.exp(others) @ weights)
    expected = np.bincount(term, weights=p, minlength=n_terms)[term] + missing
    if occurs:
        none = np.bincount(term, weights=np.log1p(-p), minlength=n_terms)[term] - missing
        happens = -np.expm1(none)
    else:
        happens = np.ones(len(p))
    trials = np.maximum(speech_s - expected, 1.0)
    cost = beta / trials * np.maximum(happens - p, 0.0)
    worth: Float64s = np.divide(gain, gain + cost, out=np.zeros_like(p), where=gain > 0)
    return worth


@cache
def _quadrature() -> tuple[Float64s, Float64s]:
    """Nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2
