import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.calibration.features import (
    DEFAULT_WEIGHTS,
    Weights,
    fit,
    hit_features,
    iv_features,
    oov_features,
)
from searcher.phonetic.alignment import Hits
from searcher.phonetic.layout import N_MEASURES


def hits(*scores, ms=750):
    n = len(scores)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, 0] = scores
    zeros = np.zeros(n, np.int64)
    empty = np.zeros((n, 8))
    return Hits(
        zeros, zeros, 1000 * np.arange(n), 1000 * np.arange(n) + ms, measures,
        empty.astype(np.int32), empty.astype(np.int16), empty.astype(np.int16), zeros, zeros,
    )  # fmt: skip


def test_evidence_of_the_sound():
    f = hit_features(10, 20.0, hits(12.0, 9.0, 9.0))
    assert f["relative"].tolist() == pytest.approx([0.6, 0.45, 0.45])
    assert f["ahead"].tolist() == [3, -3, -3]
    assert f["rank"].tolist() == pytest.approx(np.log([1, 2, 3]).tolist())
    assert f["slow"].tolist() == pytest.approx([0, 0, 0])  # 75 ms a phone
    assert hit_features(10, 20.0, hits(12.0))["ahead"].tolist() == [12]
    assert hit_features(10, 20.0, hits())["ahead"].tolist() == []


def test_evidence_of_what_is_written():
    f = oov_features(np.array([0.5, 0.0]), np.array([-5.0, 3.0]), {"score": np.array([0.0, 3.0])})
    assert f["written"].tolist() == [1, 0]
    assert f["unheard"].tolist() == [1, 0]
    assert f["written_logit"].tolist() == pytest.approx([0, 0])
    heard = {name: np.array([0.0, 3.0]) for name in hit_features(1, 1.0, hits())}
    k = iv_features(np.array([0.75, 0.0]), np.array([-5.0, 3.0]), heard, 2)
    assert k["logit"].tolist() == pytest.approx([np.log(0.751 / 0.251), 0])
    assert k["written_elsewhere"].tolist() == pytest.approx([0, np.log(1.75)])
    assert k["score"].tolist() == [0, 3]
    assert k["rank"].tolist() == pytest.approx([0, np.log(2)])


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.floats(-5, 5))
def test_probabilities_by_hand(values, intercept):
    chance = Weights(intercept, {"x": 2.0}).probability({"x": np.array(values)}, len(values))
    odds = np.clip(intercept + 2 * np.array(values), -30, 30)
    assert chance == pytest.approx(1 / (1 + np.exp(-odds)))


def test_without_a_model_better_evidence_is_likelier():
    f = hit_features(10, 30.0, hits(25.0, 12.0, 6.0))
    chance = DEFAULT_WEIGHTS.probability(f, 3)
    assert chance[0] > 0.9
    assert chance[0] > chance[1] > chance[2]


def test_fitting_finds_the_weights_that_made_the_examples():
    random = np.random.default_rng(5)
    x, y = random.normal(3, 2, 20_000), random.normal(0, 1, 20_000)
    right = random.random(20_000) < 1 / (1 + np.exp(-(0.5 * x - 1.0 * y - 2)))
    found = fit({"x": x, "y": y, "constant": np.ones(20_000)}, right)
    assert found.coefficients["x"] == pytest.approx(0.5, abs=0.04)
    assert found.coefficients["y"] == pytest.approx(-1.0, abs=0.06)
    assert found.intercept == pytest.approx(-2, abs=0.15)
    with pytest.raises(ValueError, match="0 of 3 candidates are right"):
        fit({"x": np.arange(3.0)}, np.zeros(3, bool))
