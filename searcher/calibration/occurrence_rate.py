"""Probabilities of a term's places, summed over its occurrence rate: how often it is said.

Each place i of a term has a log likelihood ratio t_i: its evidence if the term was said and found
there, against chance, with one true place expected in the archive. If the term is said, its number
of true places follows a zero-truncated Poisson distribution with an unknown rate r, the number of
false alarms a Poisson distribution, and the places that were found have the likelihood

    L(r) = (exp(-DETECTED r) prod_i (1 + r exp(t_i)) - exp(-r)) / (1 - exp(-r))

where exp(-r) is the probability that the term is not said at all. The places of a term determine
its rate: the weight of r is L(r) times a prior. Multiplied out, the product is a sum over all sets
of right places; the probability of place i is the share, over all rates, of the sets with i. So one
rule serves a name said once and a name said fifty times. If a term has one good place, this
explains that it is said, and poor places become less probable. If it has no good place, the
recogniser probably missed it. The prior is on a grid of rates, so the sum is exact and its cost is
linear in the number of places. A term with many places may be said that often: its grid goes up to
that rate, and is finer near the likely ones.

The share of a text's words that occur n times is proportional to 1 / n^2 (Zipf's law). So the rate
of an unknown term has the density 1 / (1 + r)^2. For other terms, posteriors expect occurrences,
and the ratios are divided by their number; the rate is a correction, log-normal around one.

Places at which the recogniser wrote the same word share one explanation: if that word is not the
term, all of them are wrong. So they are not independent evidence of the rate: place i counts as k_i
places (`searcher.phonetic.path_words.explained`), with the factor (1 + r exp(t_i))^k_i in L(r).

Source: empirical Bayes with a two-groups model (Efron 2008, "Microarrays, empirical Bayes and the
two-groups model"), the share of true places estimated for each term (Saerens et al. 2002 for a
classifier under a changed prior); the Poisson likelihood is that of an inhomogeneous point process.
Zipf's law: Simon 1955, "On a class of skew distribution functions", Biometrika 42:425.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s
from std.values import Bools, Float64s

DETECTED = 0.7  # share of true places that are among the candidates
LOG_RATES: Float64s = np.linspace(np.log(3e-3), np.log(1000.0), 28)  # occurrences in the archive
STEP = float(LOG_RATES[1] - LOG_RATES[0])
DEVIATION = 0.5  # of the log rate around 0, of a term whose occurrences are expected
FINITE = -30.0, 30.0  # log ratios within what exp can take
CELLS = 32_768  # of a table of places and rates: what a processor's cache holds
MANY_PLACES = 100  # places, from which on a term's rates have a grid of its own
FINER = 16  # such a grid's steps within a step of the others
NODE_STEP = 1 / 16  # nats; a place's log likelihood and probability are right to 1e-7


class Grid(NamedTuple):
    """Rates with their prior."""

    log_rate: Float64s  # (rates,)
    rate: Float64s  # (rates,)
    # Of terms of which nothing is known, and of those that are expected:
    log_weight: Float64s  # (2, rates) log prior, plus log(exp(-DETECTED r) / (1 - exp(-r)))
    log_unsaid: Float64s  # (2, rates) log prior, plus log(exp(-r) / (1 - exp(-r)))


def grid_of(log_rate: Float64s) -> Grid:
    """The grid of such rates, ascending and not necessarily evenly spaced."""
    rate = np.exp(log_rate)
    by_frequency = log_rate - 2 * np.log1p(rate)
    as_expected = -0.5 * (log_rate / DEVIATION) ** 2
    log_prior = np.log(np.gradient(log_rate)) + np.stack([by_frequency, as_expected])
    log_prior -= np.logaddexp.reduce(log_prior, axis=1, keepdims=True)
    log_prior -= np.log(-np.expm1(-rate))
    return Grid(log_rate, rate, log_prior - DETECTED * rate, log_prior - rate)


GRID = grid_of(LOG_RATES)  # of terms with few places


class RatePosterior(NamedTuple):
    """The probabilities of a term's places if it is said, and the evidence that it is."""

    probability: Float64s  # (n,) of each place
    log_evidence: Float64s  # (terms,) of all its places, against all being false alarms


class Known(NamedTuple):
    """Known right places of each term, beside its other places."""

    number: Float64s  # (terms,)
    log_ratio: Float64s  # (terms,) theirs, summed
    is_expected: Int64s  # (terms,) row of its prior, see `grid_of`


def rate_posterior(
    log_ratio: Float64s,
    term: Int64s,
    n_terms: int,
    counted: Float64s | None = None,
    is_expected: Bools | None = None,
) -> RatePosterior:
    """The probability of each place and the evidence of each term.

    Args:
        log_ratio: (n,) of each place, nats.
        term: (n,) of each place, ascending.
        counted: (n,) how many places each counts as, above 0 and at most 1; None: one.
        is_expected: (terms,) whether posteriors of its words expect it; None: of no term.
    """
    known = _nothing_known(n_terms, is_expected)
    return _rate_posterior(log_ratio, term, known, counted)


def log_evidence(
    log_ratio: Float64s,
    term: Int64s,
    n_terms: int,
    counted: Float64s | None = None,
    is_expected: Bools | None = None,
) -> Float64s:
    """(terms,) `RatePosterior.log_evidence` alone; see `rate_posterior`."""
    evidence, known = np.empty(n_terms), _nothing_known(n_terms, is_expected)
    for batch in _weighed(log_ratio, term, known, counted):
        evidence[batch.terms] = batch.log_evidence
    return evidence


def _nothing_known(n_terms: int, is_expected: Bools | None) -> Known:
    zeros = np.zeros(n_terms)
    return Known(zeros, zeros, (zeros if is_expected is None else is_expected).astype(np.int64))


def _rate_posterior(
    log_ratio: Float64s, term: Int64s, known: Known, counted: Float64s | None
) -> RatePosterior:
    """`rate_posterior` with places of each term that are known to be right."""
    probability, evidence = np.empty(len(log_ratio)), np.empty(len(known.number))
    for terms, places, own, grid, weight, of_terms in _weighed(log_ratio, term, known, counted):
        evidence[terms] = of_terms
        of_own = _weighted_probability(own, weight, grid)
        probability[places] = of_own if own.nodes is None else own.nodes.interpolated(of_own)
    return RatePosterior(probability, evidence)


class _Nodes(NamedTuple):
    """Where places lie among evenly spaced log ratios."""

    row: Int64s  # (4, n) of the nodes around each place
    share: Float64s  # (4, n) that each of them has

    def total(self, of_places: Float64s, nodes: int) -> Float64s:
        """(nodes,) a value of each place, shared out and added up."""
        total = np.bincount(self.row.ravel(), (self.share * of_places).ravel(), nodes)
        return total.astype(np.float64)

    def interpolated(self, of_nodes: Float64s) -> Float64s:
        """(n,) of each place, by the values of the nodes around it."""
        values: Float64s = (self.share * of_nodes[self.row]).sum(axis=0)
        return values


class _Places(NamedTuple):
    """Places of some terms, or nodes that stand for them."""

    odds: Float64s  # (n,) of each at a rate of one
    number: Float64s  # (n,) of places that each is
    counted: Float64s  # (n,) how many places each counts as, see `rate_posterior`
    bounds: Int64s  # (terms + 1,) where those of each term begin and end
    nodes: _Nodes | None = None


def _places(log_ratio: Float64s, counted: Float64s, bounds: Int64s) -> _Places:
    """The places of some terms; nodes stand for very many places of a single term."""
    n = len(log_ratio)
    if len(bounds) == 2 and n >= MANY_PLACES:
        least = float(log_ratio.min())
        nodes = int((log_ratio.max() - least) / NODE_STEP) + 4
        if nodes < n:
            at = (log_ratio - least) / NODE_STEP + 1
            row = at.astype(np.int64)
            x = at - row
            share = np.stack(
                [
                    x * (x - 1) * (2 - x) / 6,
                    (x * x - 1) * (x - 2) / 2,
                    x * (x + 1) * (2 - x) / 2,
                    x * (x * x - 1) / 6,
                ]
            )
            among = _Nodes(row + np.arange(-1, 3)[:, None], share)
            odds = np.exp(least + NODE_STEP * np.arange(-1, nodes - 1))
            number = among.total(np.ones(n), nodes)
            as_counted = number if (counted == 1).all() else among.total(counted, nodes)
            return _Places(odds, number, as_counted, np.array([0, nodes]), among)
    return _Places(np.exp(log_ratio), np.ones(n), counted, bounds)


class _Batch(NamedTuple):
    """Terms with the same grid of rates, and the weights of these."""

    terms: slice
    places: slice  # theirs
    own: _Places
    grid: Grid
    weight: Float64s  # (terms, rates) see `_weigh`
    log_evidence: Float64s  # (terms,)


def _weighed(
    log_ratio: Float64s, term: Int64s, known: Known, counted: Float64s | None
) -> Iterator[_Batch]:
    """Weigh the rates of terms; see `_rate_posterior`."""
    log_ratio = log_ratio.clip(*FINITE)
    counted = np.ones(len(log_ratio)) if counted is None else counted
    bounds = np.searchsorted(term, np.arange(len(known.number) + 1))
    for terms, are_many in _batches(np.diff(bounds) + known.number):
        at = slice(bounds[terms.start], bounds[terms.stop])
        of_terms = Known._make(column[terms] for column in known)
        within = bounds[terms.start : terms.stop + 1] - at.start
        own = _places(log_ratio[at], counted[at], within)
        grid = _own_grid(own, at.stop - at.start, of_terms) if are_many else GRID
        yield _Batch(terms, at, own, grid, *_weigh(own, of_terms, grid))


def _batches(numbers: Float64s) -> Iterator[tuple[slice, bool]]:
    """Terms to work on at once, and whether it is one with `MANY_PLACES` places, by places of each.

    >>> [*_batches(np.array([3, 500, 2, 0]))]
    [(slice(0, 1, None), False), (slice(1, 2, None), True), (slice(2, 4, None), False)]
    """
    first = 0
    for many in np.flatnonzero(numbers >= MANY_PLACES).tolist():
        if first < many:
            yield slice(first, many), False
        yield slice(many, many + 1), True
        first = many + 1
    if first < len(numbers):
        yield slice(first, len(numbers)), False


def _own_grid(own: _Places, places: int, known: Known) -> Grid:
    """The grid of a term with many places: up to twice as many, fine about its likeliest rate."""
    highest = max(LOG_RATES[-1], np.log(2 * (places + known.number[0]) / DETECTED))
    rates = int(np.ceil((highest + STEP - LOG_RATES[0]) / STEP))
    weight, _ = _weigh(own, known, _grid(rates))
    return _grid(rates, min(max(int(weight[0].argmax()), 2), rates - 3))


@lru_cache(maxsize=256)  # of thousands that there may be in a service that runs for months
def _grid(rates: int, likeliest: int | None = None) -> Grid:
    """The grid of so many rates, from the lowest up; fine about one of them, if it is named."""
    log_rate = LOG_RATES[0] + STEP * np.arange(rates)
    if likeliest is not None:
        fine = log_rate[likeliest] + STEP / FINER * np.arange(-2 * FINER, 2 * FINER + 1)
        log_rate = np.concatenate([log_rate[: likeliest - 2], fine, log_rate[likeliest + 3 :]])
    return grid_of(log_rate)


def _weigh(own: _Places, known: Known, grid: Grid) -> tuple[Float64s, Float64s]:
    """(terms, rates) the weight of each rate for the places, and (terms,) log evidence.

    A weight is the probability of its rate over that of all places being false alarms, without the
    condition that the term is said, so the sum of the weights is above 1.
    """
    in_full, as_counted = _log_likelihood(own, grid.rate)
    log_weight = grid.log_weight[known.is_expected]
    log_weight = log_weight + known.number[:, None] * grid.log_rate + known.log_ratio[:, None]
    log_unsaid = grid.log_unsaid[known.is_expected]
    log_unsaid = np.where(known.number[:, None] > 0, -np.inf, log_unsaid)
    log_said = log_weight + as_counted
    highest = log_said.max(axis=1, keepdims=True)
    weight = np.exp(log_said - highest) - np.exp(log_unsaid - highest)
    total = weight.sum(axis=1, keepdims=True)
    weight /= -np.expm1(log_unsaid - log_weight - in_full) * total
    return weight, (highest + np.log(total))[:, 0]


def _log_likelihood(own: _Places, rates: Float64s) -> tuple[Float64s, Float64s]:
    """(terms, rates) log likelihood of the places, in full and as counted, without `DETECTED`."""
    in_full = np.zeros((len(own.bounds) - 1, len(rates)))
    some = np.flatnonzero(np.diff(own.bounds))
    if not len(some):
        return in_full, in_full
    first_of = own.bounds[some]
    is_alike = bool((own.counted == own.number).all())
    as_counted = in_full if is_alike else np.zeros_like(in_full)
    at_once = max(1, CELLS // len(own.odds))
    for first in range(0, len(rates), at_once):
        of_rates = slice(first, first + at_once)
        table = rates[of_rates, None] * own.odds  # a row a rate: sums run along memory
        np.log1p(table, out=table)
        if not is_alike:
            counted = np.add.reduceat(table * own.counted, first_of, axis=1)
            as_counted[some, of_rates] = counted.T
        if own.nodes:
            table *= own.number
        in_full[some, of_rates] = np.add.reduceat(table, first_of, axis=1).T
    return in_full, as_counted


def _weighted_probability(own: _Places, weight: Float64s, grid: Grid) -> Float64s:
    """(n,) the probability of each place, summed over the rates of its term; see `_weigh`."""
    odds, term = own.odds, np.repeat(np.arange(len(weight)), np.diff(own.bounds))
    total = np.empty(len(odds))
    at_once = CELLS // len(grid.rate)
    for first in range(0, len(odds), at_once):
        rows = slice(first, first + at_once)
        table = odds[rows, None] * grid.rate
        table /= table + 1
        table *= weight if len(weight) == 1 else weight[term[rows]]
        total[rows] = table.sum(axis=1)
    return total


def labelled_posterior(
    log_ratio: Float64s,
    term: Int64s,
    n_terms: int,
    is_right: Bools,
    is_known: Bools,
    is_expected: Bools | None = None,
) -> RatePosterior:
    """The probability of each place once some are known to be right or wrong.

    Its log evidence minus that of `RatePosterior` is the log likelihood of the labels, whose
    derivative by a place's log ratio is the probability here minus the one there.

    Args:
        log_ratio, term, n_terms, is_expected: see `rate_posterior`.
        is_right: (n,) the labels.
        is_known: (n,) where there is one.

    Returns:
        with a probability of 0 or 1 where it is known, and the evidence of the places and labels.
    """
    known_right = is_right & is_known
    log_ratio_of_right = np.where(known_right, log_ratio.clip(*FINITE), 0.0)
    known = _nothing_known(n_terms, is_expected)._replace(
        number=np.bincount(term, known_right, n_terms).astype(np.float64),
        log_ratio=np.bincount(term, log_ratio_of_right, n_terms).astype(np.float64),
    )
    rows = np.flatnonzero(~is_known)
    others = _rate_posterior(log_ratio[rows], term[rows], known, None)
    probability = known_right.astype(np.float64)
    probability[rows] = others.probability
    return RatePosterior(probability, others.log_evidence)
