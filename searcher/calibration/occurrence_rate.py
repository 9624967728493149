"""Probabilities of a term's places, summed over its occurrence rate: how often it is said.

What is known of each place i of a term is a log likelihood ratio t_i: how much likelier its
evidence is if the term was said and found there than by accident, with one true place expected in
the archive. It is taken that the term is said. Its number of true places follows a zero-truncated
Poisson distribution with an unknown rate r, that of accidental ones a Poisson distribution, and
what is seen has the likelihood

    L(r) = (exp(-DETECTED r) prod_i (1 + r exp(t_i)) - exp(-r)) / (1 - exp(-r))

where exp(-r) is what a term that is not said at all would add. A term's own places say how often
it is said: the weight of r is L(r) times a prior that is the same for all terms. Multiplied out,
the product is a sum over which places are right, and the probability of place i is the share of it,
over all rates, in which i is. So a name said fifty times needs no other rule than one said once,
one good place is enough for the term to be said and lowers the probabilities of poor ones, and a
term with no good place was probably missed by the recogniser. The prior is log-normal and put on a
grid of rates, so the sum is exact and its cost is linear in the number of places.

Source: empirical Bayes with a two-groups model (Efron 2008, "Microarrays, empirical Bayes and the
two-groups model"), the share of true places estimated for each term (Saerens et al. 2002 for a
classifier under a changed prior); the Poisson likelihood is that of an inhomogeneous point process.
"""

from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s
from std.values import Bools, Float64s

DETECTED = 0.7  # share of true places that are among the candidates
LOG_RATES: Float64s = np.linspace(
    np.log(3e-3), np.log(1000.0), 28
)  # grid, occurrences in the archive
PRIOR_MEAN, PRIOR_DEVIATION = 0.0, 0.5  # of the log rate, before the places are seen
MAX_LOG_RATIO = 30.0
CELLS = 32_768  # of a table of places and rates: what a processor's cache holds

RATES: Float64s = np.exp(LOG_RATES)
_shape = np.exp(-0.5 * ((LOG_RATES - PRIOR_MEAN) / PRIOR_DEVIATION) ** 2)
# Log prior of each rate with the factors of L(r) that do not depend on the places, and what its
# term exp(-r) comes to, summed over the rates.
LOG_WEIGHT: Float64s = np.log(_shape / _shape.sum()) - np.log(-np.expm1(-RATES)) - DETECTED * RATES
LOG_UNSAID = float(np.logaddexp.reduce(LOG_WEIGHT - (1 - DETECTED) * RATES))


class RatePosterior(NamedTuple):
    """What the places of each term say, if it is said."""

    probability: Float64s  # (n,) of each place
    log_evidence: Float64s  # (terms,) of all its places, against all being accidental
    weight: Float64s  # (terms, rates) of each rate; without the term exp(-r), so above 1 in sum


def rate_posterior(log_ratio: Float64s, term: Int64s, n_terms: int) -> RatePosterior:
    """The probability of each place and the weights of each term's rates.

    Args:
        log_ratio: (n,) of each place, nats.
        term: (n,) of each place, ascending.
        n_terms: number of terms.
    """
    return _rate_posterior(log_ratio, term, *_weight_before(n_terms))


def _weight_before(n_terms: int) -> tuple[Float64s, Float64s]:
    """(terms, rates) log weights before the places are seen, (terms,) log of what is of exp(-r)."""
    return np.broadcast_to(LOG_WEIGHT, (n_terms, len(RATES))), np.full(n_terms, LOG_UNSAID)


def _rate_posterior(
    log_ratio: Float64s, term: Int64s, log_weight: Float64s, log_unsaid: Float64s
) -> RatePosterior:
    """`rate_posterior` with weights of each term's own; see `_weigh`."""
    odds = np.exp(clipped(log_ratio))
    weight, evidence = _weigh(odds, term, log_weight, log_unsaid)
    return RatePosterior(_weighted_probability(odds, term, weight), evidence, weight)


def log_evidence(log_ratio: Float64s, term: Int64s, n_terms: int) -> Float64s:
    """(terms,) `RatePosterior.log_evidence` alone; see `rate_posterior`."""
    return _weigh(np.exp(clipped(log_ratio)), term, *_weight_before(n_terms))[1]


def _weigh(
    odds: Float64s, term: Int64s, log_weight: Float64s, log_unsaid: Float64s
) -> tuple[Float64s, Float64s]:
    """(terms, rates) `RatePosterior.weight`, and (terms,) log evidence.

    Args:
        odds: (n,) of each place at a rate of one.
        term: (n,) of each place.
        log_weight: (terms, rates) of each rate, with what is known beside the places.
        log_unsaid: (terms,) of what the term exp(-r) comes to; -inf: the term is said for certain.
    """
    bounds = np.searchsorted(term, np.arange(len(log_weight) + 1))
    log_weight = log_weight + _log_likelihood(odds, bounds)
    highest = log_weight.max(axis=1, keepdims=True)
    weight = np.exp(log_weight - highest)
    total = weight.sum(axis=1, keepdims=True) - np.exp(log_unsaid[:, None] - highest)
    weight /= total
    return weight, (highest + np.log(total))[:, 0]


def _log_likelihood(odds: Float64s, bounds: Int64s) -> Float64s:
    """(terms, rates) log likelihood of the places of each term at each rate, without `DETECTED`.

    Args:
        odds: (n,) of each place at a rate of one.
        bounds: (terms + 1,) where the places of each term begin and end.
    """
    sums = np.zeros((len(bounds) - 1, len(RATES)))
    some = np.flatnonzero(np.diff(bounds))
    at_once = max(1, CELLS // max(1, len(odds)))
    for first in range(0, len(RATES), at_once):
        rates = slice(first, first + at_once)
        table = RATES[rates, None] * odds  # a row a rate: sums run along memory
        np.log1p(table, out=table)
        if len(some):
            sums[some, rates] = np.add.reduceat(table, bounds[some], axis=1).T
    return sums


def _weighted_probability(odds: Float64s, term: Int64s, weight: Float64s) -> Float64s:
    """(n,) the probability of each place, summed over the rates of its term.

    Args:
        odds: (n,) of each place at a rate of one.
        term: (n,) of each place.
        weight: (terms, rates) see `RatePosterior`.
    """
    total = np.empty(len(odds))
    at_once = CELLS // len(RATES)
    for first in range(0, len(odds), at_once):
        rows = slice(first, first + at_once)
        table = odds[rows, None] * RATES
        table /= table + 1
        table *= weight if len(weight) == 1 else weight[term[rows]]
        total[rows] = table.sum(axis=1)
    return total


class LabelledPosterior(NamedTuple):
    """What the places of each term say together with the labels of some of them."""

    probability: Float64s  # (n,) of each place; 0 or 1 where it is known
    log_evidence: Float64s  # (terms,) of all its places and the labels


def labelled_posterior(
    log_ratio: Float64s, term: Int64s, n_terms: int, is_right: Bools, is_known: Bools
) -> LabelledPosterior:
    """The probability of each place once some are known to be right or wrong.

    Its log evidence minus that of `RatePosterior` is the log likelihood of the labels, whose
    derivative after a place's log ratio is the probability here minus the one there.

    Args:
        log_ratio, term, n_terms: see `rate_posterior`.
        is_right: (n,) the labels.
        is_known: (n,) where there is one.
    """
    bounds = np.searchsorted(term, np.arange(n_terms + 1))
    right = np.concatenate([[0], np.cumsum(is_right & is_known)])
    clipped_right = np.where(is_right & is_known, clipped(log_ratio), 0.0)
    ratios = np.concatenate([[0.0], np.cumsum(clipped_right)])
    number, ratio = np.diff(right[bounds]), np.diff(ratios[bounds])
    log_weight = LOG_WEIGHT + number[:, None] * LOG_RATES + ratio[:, None]
    log_unsaid = np.where(number > 0, -np.inf, LOG_UNSAID)
    rows = np.flatnonzero(~is_known)
    others = _rate_posterior(log_ratio[rows], term[rows], log_weight, log_unsaid)
    probability = (is_right & is_known).astype(np.float64)
    probability[rows] = others.probability
    return LabelledPosterior(probability, others.log_evidence)


def clipped(log_ratio: Float64s) -> Float64s:
    """Within what exp can take."""
    bounded: Float64s = np.clip(log_ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO)
    return bounded
