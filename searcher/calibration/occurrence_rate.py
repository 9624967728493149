"""Probabilities of a term's places, summed over its occurrence rate: how often it is said.

What is known of each place i of a term is a log likelihood ratio t_i: how much likelier its
evidence is if the term was said there than by accident, with one true place expected in the
archive. True places follow a Poisson process with an unknown rate r, accidental ones another, so
that given r each place is right by itself with odds r exp(t_i), and what is seen has the likelihood

    L(r) = exp(-DETECTED r) prod_i (1 + r exp(t_i))

A term's own places say how often it is said: the posterior of r is L(r) times a prior that is the
same for all terms, and the probability of place i is the mean of r exp(t_i) / (1 + r exp(t_i))
under it. So a name said fifty times needs no other rule than one said once, places compete where
one occurrence explains what is seen, and a term with no good place is probably not in the archive.
The prior is log-normal and put on a grid of rates, so the sum is exact and its cost is linear in
the number of places.

Source: empirical Bayes with a two-groups model (Efron 2008, "Microarrays, empirical Bayes and the
two-groups model"), the share of true places estimated for each term (Saerens et al. 2002 for a
classifier under a changed prior); the Poisson likelihood is that of an inhomogeneous point process.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s
from std.values import Bools, Float64s

DETECTED = 0.9  # share of true places that are among the candidates
LOG_RATES: Float64s = np.linspace(
    np.log(3e-3), np.log(1000.0), 28
)  # grid, occurrences in the archive
PRIOR_MEAN, PRIOR_DEVIATION = 0.0, 0.5  # of the log rate, before the places are seen
MAX_LOG_RATIO = 30.0
ROWS_AT_ONCE = 100_000

RATES: Float64s = np.exp(LOG_RATES)
_shape = np.exp(-0.5 * ((LOG_RATES - PRIOR_MEAN) / PRIOR_DEVIATION) ** 2)
LOG_PRIOR: Float64s = np.log(_shape / _shape.sum()) - DETECTED * RATES


class RatePosterior(NamedTuple):
    """What the places of each term say."""

    probability: Float64s  # (n,) of each place
    log_evidence: Float64s  # (terms,) of all its places, against all being accidental
    weight: Float64s  # (terms, rates) posterior of the rates


def rate_posterior(
    log_ratio: Float64s, term: Int64s, n_terms: int, log_prior: Float64s | None = None
) -> RatePosterior:
    """The probability of each place and the posterior of each term's rate.

    Args:
        log_ratio: (n,) of each place, nats.
        term: (n,) of each place, ascending.
        n_terms: number of terms.
        log_prior: (terms, rates) of the rates of each term; None = `LOG_PRIOR`.
    """
    if log_prior is None:
        log_prior = np.broadcast_to(LOG_PRIOR, (n_terms, len(RATES)))
    bounds = np.searchsorted(term, np.arange(n_terms + 1))
    probability = np.empty(len(log_ratio))
    log_evidence = np.empty(n_terms)
    weight = np.empty((n_terms, len(RATES)))
    for terms in _blocks(bounds):
        first, last = int(bounds[terms.start]), int(bounds[terms.stop])
        odds = odds_at_rates(log_ratio[first:last])
        work = np.log1p(odds)  # one more table of this size only: memory costs more than sums
        sums = _sums(work, bounds[terms.start : terms.stop + 1] - first)
        log_weight = log_prior[terms] + sums
        highest = log_weight.max(axis=1, keepdims=True)
        share = np.exp(log_weight - highest)
        total = share.sum(axis=1, keepdims=True)
        share /= total
        weight[terms] = share
        log_evidence[terms] = (highest + np.log(total))[:, 0]
        np.add(odds, 1, out=work)
        odds /= work
        odds *= share if len(share) == 1 else share[term[first:last] - terms.start]
        probability[first:last] = odds.sum(axis=1)
    return RatePosterior(probability, log_evidence, weight)


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
    log_weight = LOG_PRIOR + number[:, None] * LOG_RATES + ratio[:, None]
    probability = (is_right & is_known).astype(np.float64)
    open_rows = np.flatnonzero(~is_known)
    if len(open_rows):
        rest = rate_posterior(log_ratio[open_rows], term[open_rows], n_terms, log_weight)
        probability[open_rows] = rest.probability
        return LabelledPosterior(probability, rest.log_evidence)
    highest = log_weight.max(axis=1, keepdims=True)
    total = highest + np.log(np.exp(log_weight - highest).sum(axis=1, keepdims=True))
    return LabelledPosterior(probability, total[:, 0])


def odds_at_rates(log_ratio: Float64s) -> Float64s:
    """(n, rates) the odds of each place at each rate."""
    odds: Float64s = np.exp(clipped(log_ratio))[:, None] * RATES
    return odds


def clipped(log_ratio: Float64s) -> Float64s:
    """Within what exp can take."""
    bounded: Float64s = np.clip(log_ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO)
    return bounded


def _blocks(bounds: Int64s) -> Iterator[slice]:
    """Runs of whole terms: a term's sums must not depend on the others."""
    first, terms = 0, len(bounds) - 1
    while first < terms:
        last = int(np.searchsorted(bounds, bounds[first] + ROWS_AT_ONCE, side="right")) - 1
        last = min(max(last, first + 1), terms)
        yield slice(first, last)
        first = last


def _sums(rows: Float64s, bounds: Int64s) -> Float64s:
    """(terms, rates) the rows of each term, added up."""
    total = np.zeros((len(bounds) - 1, rows.shape[1]))
    some = np.flatnonzero(np.diff(bounds))
    if len(some):
        total[some] = np.add.reduceat(rows, bounds[some])
    return total
