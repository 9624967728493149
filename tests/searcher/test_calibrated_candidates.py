"""Probabilities of the places of several terms, and that each term occurs."""

import numpy as np
import pytest

from searcher.calibrated_candidates import LogRatios, _probabilities
from searcher.calibration.occurrence_rate import rate_posterior
from searcher.calibration.occurring_terms import occurrence_probability

SAID, SILENT = 6, 60


@pytest.fixture
def lists():
    """A list of names of which one in eleven is said; a place of these beats chance by far."""
    rng = np.random.default_rng(3)
    chance = [np.array([7.0, -5.0]) for _ in range(SAID)]
    chance += [rng.normal(-7, 1, 4) for _ in range(SILENT)]
    return [LogRatios(np.minimum(of_term, 1.0), of_term) for of_term in chance]


def test_a_place_is_judged_against_all_accidents(lists):
    probabilities, _ = _probabilities(lists, np.ones(len(lists), bool))
    for found, ratios in zip(probabilities, lists, strict=True):
        alone = rate_posterior(ratios.all_accidents, np.zeros(len(found), int), 1)
        assert found == pytest.approx(alone.probability, rel=1e-12)


def test_whether_a_term_occurs_is_judged_against_chance(lists):
    """Words that resemble a name make a place of it doubtful, not that it was spoken of."""
    n = np.array([len(ratios.chance) for ratios in lists])
    evidence = rate_posterior(
        np.concatenate([ratios.chance for ratios in lists]), np.repeat(np.arange(len(n)), n), len(n)
    ).log_evidence
    _, occurs = _probabilities(lists, np.ones(len(lists), bool))
    assert occurs == pytest.approx(occurrence_probability(evidence))
    assert (occurs[:SAID] > 0.98).all()
    assert (occurs[SAID:] < 0.2).all()


def test_terms_without_evidence_keep_their_posteriors(lists):
    some = [None, lists[0], None]
    probabilities, occurs = _probabilities(some, np.array([False, True, True]))
    assert probabilities[0] is probabilities[2] is None
    assert len(probabilities[1]) == 2
    assert occurs.tolist() == [1, 1, 1]
