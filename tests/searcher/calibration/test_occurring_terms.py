import numpy as np
import pytest
from scipy.integrate import quad

from searcher.calibration import occurring_terms
from searcher.calibration.occurrence_rate import DETECTED, rate_posterior
from searcher.calibration.occurring_terms import (
    PRIOR,
    SAID,
    occurrence_probability,
    occurs_by_itself,
    share_posterior,
)

NOTHING = rate_posterior(np.empty(0), np.empty(0, int), 1).log_evidence[0]  # no place at all


def by_integration(log_evidence):
    """The probability of each term, one after the other, by an independent quadrature."""

    def density(share):
        return share**PRIOR * np.prod(share * np.exp(log_evidence) + 1 - share)

    total = quad(density, 0, 1)[0]
    return [
        quad(lambda s, e=e: density(s) * s * e / (s * e + 1 - s), 0, 1)[0] / total
        for e in np.exp(log_evidence).tolist()
    ]


@pytest.mark.parametrize("n", [1, 3, 30])
def test_probabilities_are_those_of_an_independent_quadrature(n):
    log_evidence = np.random.default_rng(n).normal(0, 2, n)
    found = occurrence_probability(log_evidence)
    assert found == pytest.approx(by_integration(log_evidence), abs=2e-3)


def test_without_evidence_a_term_occurs_as_often_as_the_prior_says():
    assert occurrence_probability(np.zeros(1))[0] == pytest.approx(SAID, abs=1e-4)


def test_one_term_by_hand():
    # Over s the mean of s e^t / (s e^t + 1 - s), weighted by s^2 (s e^t + 1 - s), is
    # (e^t / 4) / (e^t / 4 + 1 / 12).
    for log_evidence in (NOTHING, 0.7, 5.0):
        odds = 3 * np.exp(log_evidence)
        found = occurrence_probability(np.array([log_evidence]))[0]
        assert found == pytest.approx(odds / (1 + odds), abs=1e-4)
        both = occurs_by_itself(np.array([log_evidence, -20.0]))
        assert both[0] == pytest.approx(odds / (1 + odds), abs=1e-12)
        assert both[1] < 1e-8


def test_long_lists_say_what_their_share_is():
    occurring = occurrence_probability(np.array([9.0] * 90 + [NOTHING] * 10))
    assert (occurring > 0.6).all()
    silent = occurrence_probability(np.array([9.0] * 3 + [NOTHING] * 97))
    assert (silent[:3] > 0.99).all()
    assert (silent[3:] < 0.03).all()


def test_the_order_of_the_terms_changes_no_bit():
    rng = np.random.default_rng(5)
    log_evidence = rng.normal(-1, 3, 300)
    order = rng.permutation(300)
    assert (share_posterior(log_evidence) == share_posterior(log_evidence[order])).all()


def test_overwhelming_evidence_is_no_overflow():
    probability = occurrence_probability(np.array([1e6] + [NOTHING] * 40))
    assert probability[0] == pytest.approx(1.0)
    assert (probability[1:] < 0.2).all()
    assert occurrence_probability(np.empty(0)).shape == (0,)


def test_sums_hold_in_lists_drawn_from_the_model():
    # Of 400 terms 60 occur, most of them once; each has 20 places among which true ones are with a
    # probability of DETECTED. The evidence of true ones is stronger.
    rng = np.random.default_rng(2)
    n_terms, n_places, shift = 400, 20, 3.5
    evidence = rng.normal(0, 1, (n_terms, n_places))
    right = np.zeros((n_terms, n_places), bool)
    for term in range(60):
        said = 0
        while not said:
            said = rng.poisson(np.exp(rng.normal(0, 0.5)))
        right[term, : rng.binomial(said, DETECTED)] = True
    evidence[right] += shift
    # The log ratio of two normal densities, DETECTED true places expected among the places.
    log_ratio = shift * evidence - shift**2 / 2 + np.log(DETECTED / n_places)
    term = np.repeat(np.arange(n_terms), n_places)
    posterior = rate_posterior(log_ratio.ravel(), term, n_terms)
    occurs = occurrence_probability(posterior.log_evidence)
    assert abs((posterior.probability * occurs[term]).sum() - right.sum()) < 9
    assert posterior.probability.sum() > 2 * right.sum()  # as if every term occurred


def test_long_lists_are_taken_in_pieces(monkeypatch):
    log_evidence = np.random.default_rng(5).normal(0, 3, 50)
    at_once = occurrence_probability(log_evidence)
    monkeypatch.setattr(occurring_terms, "TERMS_AT_ONCE", 7)
    np.testing.assert_allclose(occurrence_probability(log_evidence), at_once, rtol=1e-12)


def test_certain_terms_are_not_more_than_certain():
    assert occurrence_probability(np.full(1000, 40.0)).max() <= 1
