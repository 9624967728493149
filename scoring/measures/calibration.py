"""Calibration: the predictions of the probabilities against the observed counts.

If scores are the probabilities that hits are correct, then eight in ten hits of 0.8 are correct,
and the scores of accepted hits sum to the number of correct ones. The TWV of the decisions can then
be predicted without a reference. The difference is the calibration error.

    reliability    share of correct hits by score, with intervals: the calibration plot
    expectations   counts and TWV, expected beside observed: the table

Only occurrences that have a hit are considered: scores predict nothing about the others.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.measures import twv
from std.values import Bools, Float64s, Int32s, Integers, freeze

Z95 = 1.959963984540054  # two-sided 95 % of the standard normal distribution
NODES = 64  # of the quadrature: error below 1e-9 up to 500 expected occurrences of a term


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Hits in bins of equal width over [0, 1]; NaN where a bin is empty."""

    edges: Float64s  # (k + 1,) a probability on an edge belongs to the bin above, 1.0 to the last
    hits: Counts  # (k,)
    correct: Counts  # (k,)
    expected: Float64s  # (k,) mean probability
    observed: Float64s  # (k,) share of correct hits
    low: Float64s  # (k,) 95 % interval of that share, by Wilson's score
    high: Float64s  # (k,)

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def error(self) -> float:
        """Expected calibration error (ECE): mean distance of the bins, weighted by their hits.

            ECE = sum over bins b of n_b / n |mean probability in b - share correct in b|

        Source: Naeini, Cooper and Hauskrecht, AAAI 2015, with bins of equal width. NaN without
        hits.
        """
        filled = self.hits > 0
        if not filled.any():
            return float("nan")
        distance = np.abs(self.expected[filled] - self.observed[filled])
        return float(np.average(distance, weights=self.hits[filled]))

    @property
    def expected_correct(self) -> float:
        """The sum of all probabilities."""
        return float(np.nansum(self.hits * self.expected))


class Expectation(NamedTuple):
    """One quantity as the scores predict it and as it is observed."""

    name: str  # correct_hits, correct_accepted, false_alarms or twv_found
    expected: float
    observed: float


def are_probabilities(score: Float64s) -> bool:
    """Whether all scores are in [0, 1]; other scores predict no counts.

    >>> are_probabilities(np.array([0.0, 0.3, 1.0])), are_probabilities(np.array([-3.2]))
    (True, False)
    """
    return bool(((score >= 0) & (score <= 1)).all())


def reliability(score: Float64s, correct: Bools, *, bins: int = 10) -> Reliability:
    """The calibration plot as numbers.

    Args:
        score: (n,) probabilities.
        correct: (n,) the hit is paired with a reference occurrence.

    Raises:
        ValueError: a score is no probability, or the columns differ in length.

    >>> plot = reliability(np.array([0.1, 0.9, 0.9]), np.array([False, True, False]), bins=2)
    >>> plot.expected.tolist(), plot.observed.tolist()
    ([0.1, 0.9], [0.0, 0.5])
    """
    _check(score, correct)
    place = np.minimum((score * bins).astype(np.int64), bins - 1)
    hits = np.bincount(place, minlength=bins)
    right = _sums(place, correct, bins)
    low, high = wilson(right, hits)
    return Reliability(
        np.linspace(0, 1, bins + 1),
        hits,
        right.astype(np.int64),
        twv.ratio(_sums(place, score, bins), hits),
        twv.ratio(right, hits),
        low,
        high,
    )


def wilson(successes: Float64s, trials: Counts) -> tuple[Float64s, Float64s]:
    """95 % intervals of shares, by Wilson's score; NaN without a trial.

    Source: Wilson, JASA 22, 1927.

    >>> low, high = wilson(np.array([8.0]), np.array([10]))
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.4902, 0.9433)
    """
    n = np.where(trials > 0, trials, np.nan)
    share, spread = successes / n, Z95**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def expected_twv(term: Int32s, score: Float64s, yes: Bools, trials: float, beta: float) -> float:
    """The TWV that the system's own scores predict for its decisions.

    With hits independently correct with probability p, and N their number in a term, a term that
    occurs is worth  correct / N - beta * false alarms / (trials - N).  Expected over terms that
    occur, as a ratio of expectations, with

        E[correct / N; N > 0] = sum over accepted i of p_i E[1 / (1 + N without i)]
        E[1 / (1 + K)] = integral over u from 0 to 1 of E[u ** K]

    The denominator ``trials - N`` is taken at the expected N, an error of the order N / trials.
    Terms expected in every trial have no P_fa.

    Args:
        term: (n,) index of each hit's term.
        score: (n,) probabilities.
        yes: (n,) accepted.
        trials: per term.
        beta: weight of P_fa in the TWV.

    Returns:
        NaN if no term is expected to occur.

    Raises:
        ValueError: a score is no probability, or the columns differ in length.

    >>> certain = np.array([1.0, 1.0])
    >>> yes = np.array([True, False])
    >>> round(expected_twv(np.array([0, 1], np.int32), certain, yes, 1000, 999.9), 12)
    0.5
    """
    _check(score, yes)
    if not len(score):
        return float("nan")
    terms = int(term.max()) + 1  # those without hits weigh nothing: P(N = 0) is 1

    p_absent = np.ones(terms)  # P(N = 0)
    np.multiply.at(p_absent, term, 1 - score)
    expected_n = _sums(term, score, terms)
    correct = np.zeros(terms)
    accepted_term, accepted = term[yes], score[yes]
    nodes, node_weights = np.polynomial.legendre.leggauss(NODES)
    for u, weight in zip((nodes + 1) / 2, node_weights / 2, strict=True):
        every = np.exp(_sums(term, np.log1p(-score * (1 - u)), terms))
        others = every[accepted_term] / (1 - accepted * (1 - u))
        correct += weight * _sums(accepted_term, accepted * others, terms)
    # A term that does not occur is not scored, nor are its false alarms.
    false_alarms = _sums(term, yes * (1 - score), terms) - _sums(term, yes, terms) * p_absent
    room = trials - expected_n
    value = correct - beta * np.divide(false_alarms, room, out=np.zeros(terms), where=room > 0)
    occurring = float((1 - p_absent).sum())
    return float(value.sum()) / occurring if occurring > 0 else float("nan")


def found_twv(term: Int32s, correct: Bools, yes: Bools, trials: float, beta: float) -> float:
    """The TWV that `expected_twv` predicts: as if the list contained every occurrence.

    Over terms with at least one correct hit; NaN if there is none.

    Args:
        term: (n,) index of each hit's term.
        correct: (n,) paired with a reference occurrence.
        yes: (n,) accepted.
        trials: per term.
        beta: weight of P_fa in the TWV.

    >>> both = np.array([True, True])
    >>> found_twv(np.array([0, 1], np.int32), both, np.array([True, False]), 1000, 999.9)
    0.5
    """
    terms = int(term.max(initial=-1)) + 1
    paired = _sums(term, correct, terms)
    occurs = paired > 0
    if not occurs.any():
        return float("nan")
    right = _sums(term, correct & yes, terms)[occurs] / paired[occurs]
    wrong = _sums(term, ~correct & yes, terms)[occurs]
    room = trials - paired[occurs]
    p_fa = np.divide(wrong, room, out=np.full(len(room), np.nan), where=room > 0)
    return twv.twv(1 - twv.mean(right), twv.mean(p_fa), beta)


def expectations(
    term: Int32s, score: Float64s, correct: Bools, yes: Bools, trials: float, beta: float
) -> list[Expectation]:
    """Expected beside observed: correct hits, those accepted, false alarms, TWV.

    Args:
        term: (n,) index of each hit's term.
        score: (n,) probabilities.
        correct: (n,) paired with a reference occurrence.
        yes: (n,) accepted.
        trials: per term.
        beta: weight of P_fa in the TWV.

    >>> yes = np.array([True])
    >>> for row in expectations(np.array([0], np.int32), np.array([0.75]), yes, yes, 1000, 100):
    ...     print(row.name, round(row.expected, 4), row.observed)
    correct_hits 0.75 1.0
    correct_accepted 0.75 1.0
    false_alarms 0.25 0.0
    twv_found 1.0 1.0
    """
    _check(score, correct)
    return [
        Expectation("correct_hits", float(score.sum()), float(correct.sum())),
        Expectation("correct_accepted", float(score[yes].sum()), float((correct & yes).sum())),
        Expectation("false_alarms", float((1 - score[yes]).sum()), float((~correct & yes).sum())),
        Expectation(
            "twv_found",
            expected_twv(term, score, yes, trials, beta),
            found_twv(term, correct, yes, trials, beta),
        ),
    ]


def _check(score: Float64s, column: Bools) -> None:
    if len(score) != len(column):
        raise ValueError(f"{len(score)} scores, {len(column)} rows beside them")
    if not are_probabilities(score):
        raise ValueError("calibration is of probabilities: a score lies outside [0, 1]")


def _sums(place: Integers, values: Float64s | Bools, n: int) -> Float64s:
    """(n,) sum of the values at each place."""
    sums: Float64s = np.bincount(place, weights=values, minlength=n).astype(np.float64)
    return sums
