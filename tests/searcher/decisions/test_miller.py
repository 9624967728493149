import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.decisions import expected_occurrences, term_specific_threshold

# Thresholds at beta 999.9 for T = 3600, 10800 and 36000 s, published to three digits in the
# derivation of the rule: N_true -> theta.
TABLE = [
    (3600, {0.5: 0.122, 1: 0.217, 2: 0.357, 5: 0.582, 20: 0.848, 100: 0.966}),
    (10800, {0.5: 0.044, 1: 0.085, 2: 0.156, 5: 0.317, 20: 0.650, 100: 0.903}),
    (36000, {0.5: 0.0137, 1: 0.0270, 2: 0.0526, 5: 0.122, 20: 0.357, 100: 0.736}),
]


@pytest.mark.parametrize(("speech_s", "table"), TABLE)
def test_term_specific_thresholds(speech_s, table):
    theta = term_specific_threshold(np.array(list(table)), speech_s, 999.9)
    assert theta.tolist() == pytest.approx(list(table.values()), abs=5e-4)


@given(st.floats(0.01, 50), st.floats(1000, 1e6), st.floats(1, 2000))
def test_at_the_threshold_accepting_neither_gains_nor_costs(n_true, speech_s, beta):
    """p/N - beta (1 - p) / (T - N) = 0 at p = theta: the rule's derivation."""
    p = term_specific_threshold(np.array([n_true]), speech_s, beta)[0]
    assert p / n_true - beta * (1 - p) / (speech_s - n_true) == pytest.approx(0, abs=1e-9)


def test_expected_occurrences_sum_merged_scores():
    n = expected_occurrences(np.array([0, 2, 2]), np.array([0.5, 0.25, 1.0]), 3, 2.0)
    assert n.tolist() == [1.0, 0.0, 2.5]


def test_where_nothing_was_said_nothing_is_decided():
    assert term_specific_threshold(np.array([0.0]), 0.0, 999.9).tolist() == [0.0]
