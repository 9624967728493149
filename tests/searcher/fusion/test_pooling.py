import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.fusion.pooling import MEASURED_SURENESS, pool, weights

PROBABILITY = st.floats(0, 1)


def test_a_hand_calculation():
    doubt = np.array([[0.1, 0.2]])  # weights 1 / .01 to 1 / .04, that is .8 and .2
    assert weights(doubt)[0] == pytest.approx([0.8, 0.2])
    pooled = pool(np.array([[0.5, 1.0], [0.0, 0.5]]), weights(np.repeat(doubt, 2, axis=0)))
    assert pooled == pytest.approx([(0.8 * 0.25 + 0.2) ** 0.5, (0.2 * 0.25) ** 0.5])


@given(PROBABILITY)
def test_where_one_alone_has_the_recording_its_probability_stands(p):
    weight = weights(np.array([[np.inf, 0.3, np.inf]]))
    assert pool(np.array([[0.0, p, 0.0]]), weight)[0] == (p if p > 1e-150 else pytest.approx(p))


@given(PROBABILITY, st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_recognisers_that_agree_are_believed_as_one(p, first, second):
    weight = weights(np.array([[first, second]]))
    assert pool(np.array([[p, p]]), weight)[0] == pytest.approx(p, abs=1e-12)


@given(PROBABILITY, PROBABILITY, st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_the_pool_lies_between_the_mean_and_the_highest(p, q, first, second):
    weight = weights(np.array([[first, second]]))
    probability = np.array([[p, q]])
    mean = float((weight * probability).sum())
    assert mean - 1e-9 <= pool(probability, weight)[0] <= max(p, q) + 1e-9


@given(st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_who_is_surer_weighs_more(first, second):
    a, b = weights(np.array([[first, second]]))[0]
    assert (a > b) == (first < second) or first == pytest.approx(second)


def test_measured_doubts_count_for_more():
    doubt = np.array([[0.1, 0.2]])  # 1 / .0001 to 1 / .0016
    assert weights(doubt, MEASURED_SURENESS)[0] == pytest.approx([16 / 17, 1 / 17])
