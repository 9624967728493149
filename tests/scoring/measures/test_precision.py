import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from scoring.measures.ranking import average_precision

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
