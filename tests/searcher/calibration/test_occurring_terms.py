import numpy as np
import pytest
from scipy.integrate import quad

from searcher.calibration import occurring_terms
from searcher.calibration.occurrence_rate import DETECTED, rate_posterior
from searcher.calibration.occurring_terms import (
    FOUND_NOWHERE,
    NOT_SEARCHED,
    PRIOR,
    SAID,
    TAKEN_TO_OCCUR,
    occurrence_probability,
    occurs_by_itself,
    share_posterior,
    term_occurrence,
)

NOTHING = rate_posterior(np.empty(0), np.empty(0, int), 1).log_evidence[0]  # no place at all


def by_integration(log_evidence):
    """The probability of each term, one after the other, by an independent quadrature."""

    def log_density(share):
        logs = np.logaddexp(np.log(share) + log_evidence, np.log1p(-share))
        return PRIOR * np.log(share) + logs.sum()

    shares = np.linspace(0, 1, 2001)[1:-1]
    peak = shares[np.argmax([log_density(share) for share in shares])]
    highest = log_density(peak)

    def integral(function):
        def weighed(share):
            return np.exp(log_density(share) - highest) * function(share)

        return quad(weighed, 0, 1, points=[peak / 3, peak, min(1.0, 3 * peak)], limit=500)[0]

    total = integral(lambda share: 1.0)
    return [
        integral(lambda s, e=e: s * e / (s * e + 1 - s)) / total
        for e in np.exp(log_evidence).tolist()
    ]


@pytest.mark.parametrize(
    ("n", "mean"), [(1, 0), (3, 0), (30, 0), (60, -3), (200, -2), (400, 3)], ids=str
)
def test_probabilities_are_those_of_an_independent_quadrature(n, mean):
    log_evidence = np.random.default_rng(n).normal(mean, 2, n)
    found = occurrence_probability(log_evidence)
    assert found == pytest.approx(by_integration(log_evidence), abs=2e-4)


@pytest.mark.parametrize("n", [10, 100, 3000, 20_000])
def test_of_names_without_a_place_as_few_are_expected_in_lists_of_any_length(n):
    """Over s, s^2 (s e + 1 - s)^n has its mass near 3 / (n (1 - e)); each term has s e of it."""
    odds = np.exp(NOTHING)
    expected = (PRIOR + 1) * odds / (1 - odds)
    assert expected == pytest.approx(0.624, abs=1e-3)
    found = occurrence_probability(np.full(n, NOTHING))
    assert found.sum() == pytest.approx(expected, rel=1e-4)


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


def test_each_kind_of_terms_has_its_own_share():
    log_evidence = np.array([9.0] * 30 + [NOTHING] * 10 + [-2.0] * 40)
    is_oov = np.arange(80) >= 40
    found = term_occurrence(log_evidence, is_oov, "list")
    np.testing.assert_array_equal(found[:40], occurrence_probability(log_evidence[:40]))
    np.testing.assert_array_equal(found[40:], occurrence_probability(log_evidence[40:]))
    assert (found[30:40] > 0.5).all()
    assert (found[40:] < 0.05).all()


@pytest.mark.parametrize("mode", ["adhoc", "list"])
def test_terms_that_are_not_judged_count_for_no_share(mode):
    log_evidence = np.array([NOT_SEARCHED, 1.0, TAKEN_TO_OCCUR, NOT_SEARCHED])
    found = term_occurrence(log_evidence, np.array([True, True, True, False]), mode)
    assert found[[0, 2, 3]].tolist() == [0, 1, 0]
    assert found[1] == pytest.approx(occurs_by_itself(np.ones(1))[0], abs=1e-4)


def test_terms_without_a_place_count_for_the_share():
    log_evidence = np.array([9.0, 1.0, *[FOUND_NOWHERE] * 30])
    is_oov = np.ones(len(log_evidence), bool)
    found = term_occurrence(log_evidence, is_oov, "list")
    expected = by_integration(np.where(np.isfinite(log_evidence), log_evidence, NOTHING))
    assert found[:2] == pytest.approx(expected[:2], abs=2e-4)
    assert not found[2:].any()
    of_others = term_occurrence(log_evidence, is_oov & (log_evidence > 0), "list")
    assert of_others[1] > found[1]  # they are of the other kind: known words


def test_single_terms_do_not_change_each_other():
    log_evidence = np.array([9.0, -3.0, -3.0, NOTHING])
    is_oov = np.ones(4, bool)
    together = term_occurrence(log_evidence, is_oov, "adhoc")
    for i in range(4):
        alone = term_occurrence(log_evidence[i : i + 1], is_oov[:1], "adhoc")
        assert alone.tolist() == together[i : i + 1].tolist()
    of_list = term_occurrence(np.repeat(log_evidence, 50), np.ones(200, bool), "list")
    assert of_list[50] < together[1]  # the list says that few occur


def test_certain_terms_are_not_more_than_certain():
    assert occurrence_probability(np.full(1000, 40.0)).max() <= 1
