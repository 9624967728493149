import numpy as np
from scipy.optimize import minimize_scalar

from searcher.calibration.occurrence_rate import rate_posterior
from searcher.calibration.occurring_terms import (
    SHARES,
    WORTH,
    occurrence_probability,
    occurring_share,
)


def test_the_share_is_that_of_an_independent_optimiser():
    rng = np.random.default_rng(1)
    for said in (0, 3, 20, 50):
        log_evidence = np.concatenate([rng.normal(6, 2, said), rng.normal(-0.8, 0.2, 50 - said)])

        def loss(share, log_evidence=log_evidence):
            each = np.logaddexp(np.log(share) + log_evidence, np.log1p(-share))
            return -each.sum() - WORTH * np.log(share)

        found = minimize_scalar(loss, bounds=(1e-6, 1 - 1e-9), method="bounded")
        assert abs(occurring_share(log_evidence) - found.x) <= 0.5 / len(SHARES) + 1e-3


def test_the_share_is_that_of_trying_one_after_the_other():
    rng = np.random.default_rng(4)
    for n in (1, 3, 200):
        log_evidence = rng.normal(0, 3, n)
        likelihood = [
            np.log(share * np.exp(log_evidence) + 1 - share).sum() + WORTH * np.log(share)
            for share in SHARES.tolist()
        ]
        assert occurring_share(log_evidence) == SHARES[np.argmax(likelihood)]


def test_probabilities_are_those_of_bayes_rule_by_hand():
    log_evidence = np.log([4.0] * 2 + [0.2] * 30)
    share = occurring_share(log_evidence)
    assert 0 < share < 1
    probability = occurrence_probability(log_evidence)
    assert np.isclose(probability[0], share * 4 / (share * 4 + 1 - share))
    assert np.isclose(probability[-1], share * 0.2 / (share * 0.2 + 1 - share))


def test_a_term_asked_for_by_itself_is_taken_to_occur_and_so_is_a_list_of_terms_that_do():
    for log_evidence in ([], [-0.95], [-0.9, -0.9], [9.0] * 90 + [-0.9] * 10):
        assert (occurrence_probability(np.array(log_evidence)) == 1.0).all()


def test_overwhelming_evidence_is_no_overflow():
    probability = occurrence_probability(np.array([1e6] + [-0.95] * 40))
    assert probability[0] == 1.0
    assert (probability[1:] < 0.2).all()


def test_sums_hold_in_lists_drawn_from_the_model():
    # Of 400 terms 60 occur once; each has 20 places, the evidence of the true one is stronger.
    rng = np.random.default_rng(2)
    n_terms, n_places, shift = 400, 20, 3.5
    evidence = rng.normal(0, 1, (n_terms, n_places))
    right = np.zeros((n_terms, n_places), bool)
    right[:60, 0] = True
    evidence[right] += shift
    # The log ratio of two normal densities, one true place expected among the places.
    log_ratio = shift * evidence - shift**2 / 2 - np.log(n_places)
    term = np.repeat(np.arange(n_terms), n_places)
    posterior = rate_posterior(log_ratio.ravel(), term, n_terms)
    occurs = occurrence_probability(posterior.log_evidence)
    assert abs((posterior.probability * occurs[term]).sum() - 60) < 9
    assert posterior.probability.sum() > 100  # as if every term occurred
