import numpy as np
import pytest

from searcher.phonetic.layout import N_MEASURES, SCORE, PhoneticHits, WeightedPronunciation
from searcher.phonetic.null_distribution import (
    RARE_PLACES,
    NullDistribution,
    learn_null_distribution,
)
from tests.searcher.phonetic.test_decoys import index_of


def hits(scores):
    n = len(scores)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, SCORE] = np.sort(scores)[::-1]
    rows, blank = np.zeros(n, np.int64), np.zeros((n, 8), np.int16)
    return PhoneticHits(
        rows, rows, rows, rows, measures, blank.astype(np.int32), blank, blank, rows, rows, rows,
        np.ones(n, bool),
    )  # fmt: skip


def test_the_tail_that_made_the_scores_is_found():
    """Scores with an exponential tail: N exp(-score / slope) places from a score up."""
    rng = np.random.default_rng(1)
    slope, places = 1.5, 5000

    def best(decoys):
        return {
            decoy: hits(np.sort(slope * rng.exponential(size=places))[::-1][:60])
            for decoy in decoys
        }

    null = learn_null_distribution([index_of({"anna": "anna", "otto": "otoa"})], best, lambda p: 20)
    for phones in (5, 10):
        for score in (8.0, 11.0):
            expected = np.log(places) - score / slope
            found = null.log_e_value(np.array([score]), query(phones))[0]
            assert found == pytest.approx(expected, abs=0.35)


def query(phones):
    """One pronunciation of so many phones; 20 nats if they are recognised one for one."""
    return [WeightedPronunciation(("a",) * phones, 20.0)]


def test_e_values_of_weighted_pronunciations_add_up():
    null = NullDistribution(np.array([10.0, 0, 0, 0, 2.0, 0]))
    half = [WeightedPronunciation((phone,) * 7, 20.0, np.log(0.5)) for phone in "ab"]
    # each reaches 6 nats where it scores 6 + log 2: exp((10 - 6 - log 2) / 2) = e^2 / sqrt(2)
    expected = np.log(2 * np.exp(2) / np.sqrt(2))
    assert null.log_e_value(np.array([6.0]), half) == pytest.approx([expected])
    assert null.log_e_value(np.array([6.0]), half[:1]) == pytest.approx([2 - np.log(2) / 2])


def test_e_values_by_hand():
    null = NullDistribution(
        np.array([10.0, 0, 0, 0, 2.0, 0])
    )  # 10 nats at rank 1, 2 for a factor e
    assert null.log_e_value(np.array([10.0, 6.0, 14.0]), query(7)).tolist() == [0, 2, -2]
    rare = null.rare_score(7, 20.0)
    assert np.exp(null.log_e_value(np.array([rare]), query(7))) == pytest.approx([RARE_PLACES])
    steep = NullDistribution(np.array([10.0, 0, 0, 0, -2.0, 0]))
    assert steep.slope(7) == 0.5


def test_terms_that_fit_more_places_than_decoys():
    null = NullDistribution(np.array([10.0, 0, 0, 0, 2.0, 0]))
    as_expected = 10 - 2 * np.log(np.arange(1, 61))
    assert null.term_shift(as_expected, query(7)) == pytest.approx(0, abs=1e-9)
    assert null.term_shift(as_expected + 1, query(7)) == pytest.approx(0.5)
    assert null.term_shift(as_expected + 9, query(7)) == 2
    two_true = np.concatenate([[19.0, 18.0], as_expected])[:60]
    assert null.term_shift(two_true, query(7)) == pytest.approx(0, abs=0.25)
    assert null.term_shift(np.array([19.0]), query(7)) == 0  # one hit, surely true
    assert null.term_shift(np.array([]), query(7)) <= 0
