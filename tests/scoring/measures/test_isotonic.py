import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from scoring.measures.ranking import ascending_means

places = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), max_size=30)


@given(places)
def test_as_scipy_does_it(places):
    means, weights = (np.array([place[i] for place in places], float) for i in (0, 1))
    expected = isotonic_regression(means, weights=weights).x if places else []
    assert ascending_means(means * weights, weights) == pytest.approx(expected, abs=1e-12)


def test_neighbours_that_go_down_share_their_mean():
    # By hand: 3 and 1 share 2; 0 pulls them down to (3 + 1 + 2 * 0) / 4 = 1; 5 stays.
    found = ascending_means(np.array([3.0, 1, 0, 5]), np.array([1.0, 1, 2, 1]))
    assert found.tolist() == [1, 1, 1, 5]


def test_a_hundred_thousand_places_take_linear_time():
    found = ascending_means(np.arange(100_000, 0, -1.0), np.ones(100_000))
    assert found == pytest.approx(np.full(100_000, 50_000.5))
