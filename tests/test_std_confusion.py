import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from std.confusion import (
    Counts,
    empty,
    from_json,
    log_ratios,
    probabilities,
    to_json,
    widened,
)  # fmt: skip

PHONES = ("a", "d", "t", "x")
N = len(PHONES)
numbers = st.floats(0, 100).map(lambda x: round(x, 2))


@st.composite
def counts(draw):
    columns = [draw(arrays(float, N, elements=numbers)) for _ in range(3)]
    return Counts(PHONES, draw(arrays(float, (N, N), elements=numbers)), *columns)


@given(counts())
def test_all_outcomes_of_a_phone_sum_to_one(some):
    observed, deleted = probabilities(some)
    assert observed.sum(axis=1) + deleted == pytest.approx(np.ones(N))
    assert (observed > 0).all()
    assert (deleted > 0).all()


@given(counts())
def test_counts_survive_json(some):
    again = from_json(json.loads(json.dumps(to_json(some))))
    for one, other in zip(
        (some.substituted, some.deleted, some.inserted, some.background),
        (again.substituted, again.deleted, again.inserted, again.background),
        strict=True,
    ):
        assert one.tolist() == other.tolist()


@given(counts())
def test_another_inventory_keeps_what_both_know(some):
    wide = widened(some, ("t", "new", "a"))
    assert wide.substituted[0, 2] == some.substituted[2, 0]
    assert wide.deleted.tolist() == [some.deleted[2], 0, some.deleted[0]]
    assert wide.substituted[1].sum() == 0


def test_the_prior_is_articulation():
    observed, _ = probabilities(empty(PHONES))
    a, d, t, _ = observed[1]
    assert d > t > a  # d is taken for itself, then for t, hardly for a vowel


def test_what_is_counted_is_believed():
    some = empty(PHONES)
    substituted = some.substituted.copy()
    substituted[1, 3] = 10_000  # d always becomes x
    observed, _ = probabilities(Counts(PHONES, substituted, *(np.zeros(N) for _ in range(3))))
    assert observed[1, 3] > 0.99
    assert observed[2, 2] < 0.1  # how often phones survive is learned from all of them


def test_ratios_by_hand():
    """Two phones, equally frequent, nothing counted: P(a|a) .55 of .92, the rest is the other's.

    same .55 + .37 confused + .08 deleted = 1; insertions .10, each phone half of them.
    """
    ratios = log_ratios(empty(("a", "t")))
    assert ratios.match[0, 0] == pytest.approx(np.log(0.55 / 0.5) + np.log(0.9))
    assert ratios.match[0, 1] == pytest.approx(np.log(0.37 / 0.5) + np.log(0.9))
    assert ratios.deletion[0] == pytest.approx(np.log(0.08))
    assert ratios.insertion[0] == pytest.approx(np.log(0.1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phones": None}, "TypeError"),
        ({"deleted": {"q": 1}}, "KeyError 'q'"),
        ({"inserted": {"a": -1}}, "expected counts from 0, got -1"),
        ({"background": {"a": float("nan")}}, "expected counts from 0"),
        ({"said_to_observed": []}, "AttributeError"),
    ],
)
def test_a_damaged_matrix_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        from_json(to_json(empty(PHONES)) | change)
    with pytest.raises(ValueError, match="do not fit"):
        Counts(PHONES, np.zeros((2, 2)), np.zeros(N), np.zeros(N), np.zeros(N))
