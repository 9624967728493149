import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from std.errors import InputError
from std.json_fields import Part
from std.phonetics.confusion import (
    SAME,
    Counts,
    empty,
    from_json,
    log_ratios,
    probabilities,
    to_json,
    widened,
)

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
    again = from_json(Part("model.json", 0, json.loads(json.dumps(to_json(some)))))
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
    assert observed[2, 2] == pytest.approx(SAME)  # other phones say nothing of this one


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
        ({"phones": None}, "expected a list at phones"),
        ({"phones": [*PHONES, PHONES[0]]}, "different phones at phones"),
        ({"deleted": {"q": 1}}, "expected phones of the model at deleted, got 'q'"),
        ({"inserted": {"a": -1}}, "expected a number from 0 to 1000000000000 at inserted.a"),
        ({"background": {"a": float("nan")}}, "expected a number from 0 .* at background.a"),
        ({"said_to_observed": []}, "expected a JSON object at said_to_observed"),
        ({"said_to_observed": {"a": {"t": 1e13}}}, "at said_to_observed.a.t"),
    ],
)
def test_a_damaged_matrix_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        from_json(Part("model.json", 0, to_json(empty(PHONES)) | change))
    with pytest.raises(ValueError, match="do not fit"):
        Counts(PHONES, np.zeros((2, 2)), np.zeros(N), np.zeros(N), np.zeros(N))


def test_an_inventory_that_lacks_most_phones_has_finite_ratios():
    """Insertions of the phones that are left may outnumber them: no probability exceeds 1."""
    few = np.eye(N)
    some = Counts(
        PHONES, few * [900.0, 1, 1, 1], np.zeros(N), np.array([0, 0, 0, 900.0]), np.ones(N)
    )
    ratios = log_ratios(widened(some, ("t", "x")))
    assert all(
        np.isfinite(part).all() for part in (ratios.match, ratios.deletion, ratios.insertion)
    )


@pytest.mark.parametrize("which", range(4))
def test_ratios_of_any_accepted_counts_are_finite(which):
    parts = [np.zeros((N, N)), *(np.zeros(N) for _ in range(3))]
    for value in (1e-300, 1e12):
        parts[which] = np.full_like(parts[which], value)
        ratios = log_ratios(Counts(PHONES, *parts))
        assert all(np.isfinite(part).all() for part in (ratios.match, ratios.insertion))
