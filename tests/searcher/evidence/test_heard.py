"""What was heard, weighed on top of what words and guessed phones say."""

import numpy as np

from searcher.calibration.weights import LogRatios, Weights
from searcher.evidence.heard import (
    KNOWN_SHARE,
    MOST_BY_CHANCE,
    heard_evidence,
    places_alone,
    with_heard,
)
from searcher.heard.places import HeardPlaces, PlacesToFit
from searcher.heard.search import HeardTerm

LOG_SLOTS = 7.0
SPANS = PlacesToFit(np.array([0, 0, 1]), np.array([1000, 5000, 0]), np.array([1500, 5600, 400]))
TERM = HeardTerm(
    ("t", "a", "b", "a"),
    HeardPlaces(
        np.array([0, 1, 0, 2]),
        np.array([1100, 0, 5900, 700]),
        np.array([1600, 300, 6400, 900]),
        np.array([-1.0, -2.0, -3.0, -4.0]),
    ),
    np.array([-5.0, -2.0, 0.0, MOST_BY_CHANCE + 0.1]),
    np.array([-1.0, -9.0, -np.inf]),
    np.array([-5.0, 3.0, 9.0]),
)
RATIOS = LogRatios(
    np.array([2.0, -4.0, 1.0]), np.array([2.5, -3.5, 1.5]), np.array([1.0, 0.5, 1.0])
)


def test_a_place_is_alone_where_no_other_lies_and_chance_does_not_give_many():
    assert places_alone(TERM, SPANS).tolist() == [2]  # 0 and 1 overlap, of 3 there are too many
    nowhere = PlacesToFit(*(column[:0] for column in SPANS))
    assert places_alone(TERM, nowhere).tolist() == [0, 1, 2]


def test_without_weights_nothing_is_moved():
    found = with_heard(RATIOS, SPANS, TERM, LOG_SLOTS, Weights(0.0, {}), is_known=False)
    np.testing.assert_array_equal(found.ratios.all_false_alarms, [2.0, -4.0, 1.0, -LOG_SLOTS])
    np.testing.assert_array_equal(found.ratios.chance, [2.5, -3.5, 1.5, -LOG_SLOTS])
    np.testing.assert_array_equal(found.ratios.counted, [1.0, 0.5, 1.0, 1.0])
    assert found.alone.start_ms.tolist() == [5900]


def test_what_is_heard_moves_both_ratios_and_nothing_where_nobody_listened():
    weights = Weights(0.5, {"log_e_rate": -1.0, "alone": 2.0, "log_ratio": -0.5})
    found = with_heard(RATIOS, SPANS, TERM, LOG_SLOTS, weights, is_known=False)
    shift = [*np.log(0.03 + 0.97 * np.exp([0.5 + 12 - 1, 0.5 + 4 + 2])), 0.0]
    np.testing.assert_allclose(found.ratios.all_false_alarms[:3], RATIOS.all_false_alarms + shift)
    np.testing.assert_allclose(found.ratios.chance[:3], RATIOS.chance + shift)
    np.testing.assert_allclose(found.ratios.all_false_alarms[3], 0.5 + 7 + 2 - LOG_SLOTS)


def test_features_are_those_of_both_kinds_of_places():
    ratio, alone = np.array([2.0, -40.0, 1.0]), np.array([2])
    evidence = heard_evidence(ratio, TERM, alone, LOG_SLOTS, is_known=False)
    assert not evidence.is_expected
    features = evidence.features
    np.testing.assert_allclose(features["log_e_rate"], [-12, -4, 2, -7])
    np.testing.assert_allclose(features["log_e_curve"], [49, 0, 0, 4])
    np.testing.assert_allclose(features["fit"], [-0.25, -2.25, -6, -0.75])
    np.testing.assert_allclose(features["log_ratio"], [2, -15, 1, 0])
    np.testing.assert_allclose(features["alone"], [0, 0, 0, 1])
    np.testing.assert_allclose(features["alone_fit"], [0, 0, 0, -0.75])
    np.testing.assert_allclose(features["alone_phones"], [0, 0, 0, np.log(4)])
    np.testing.assert_allclose(evidence.offset, [2, -40, 1, -7])
    assert (features["known"] == 0).all()


def test_what_is_heard_of_a_known_term_counts_by_half():
    weights = Weights(1.0, {"known": 0.5, "alone": 2.0})
    found = with_heard(RATIOS, SPANS, TERM, LOG_SLOTS, weights, is_known=True)
    shift = np.log(0.03 + 0.97 * np.exp(KNOWN_SHARE * 1.5))
    np.testing.assert_allclose(found.ratios.chance[:2], RATIOS.chance[:2] + shift)
    np.testing.assert_allclose(found.ratios.chance[3], KNOWN_SHARE * 3.5 - LOG_SLOTS)
