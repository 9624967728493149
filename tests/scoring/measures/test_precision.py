import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from sklearn.metrics import average_precision_score

from scoring.measures.ranking import ascending_means, average_precision

hits = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 6), st.booleans()), min_size=1, max_size=20
)


@given(hits)
def test_against_scikit_learn(rows):
    term, score, paired = (np.array(column) for column in zip(*rows, strict=True))
    targets = np.bincount(term[paired], minlength=3) + 1  # one more that no hit found
    found = average_precision(term, score.astype(float), paired, targets)
    for t in range(3):
        mine = term == t
        expected = 0.0
        if paired[mine].any():
            # scikit-learn knows only the listed targets: scale by how many of all they are.
            share = paired[mine].sum() / targets[t]
            expected = share * average_precision_score(paired[mine], score[mine])
        assert found[t] == pytest.approx(expected)


def test_terms_that_do_not_occur_have_none():
    none = np.zeros(0)
    found = average_precision(none.astype(int), none, none.astype(bool), np.array([0, 2]))
    assert np.isnan(found[0])
    assert found[1] == 0


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
