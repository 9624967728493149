"""Probabilities of queries against all worlds: each place right or wrong, the query read literally.

The twin knows the language by its description only: `true_in` reads an expression over the right
places of a world, and shares no code with events, sweeps and witnesses.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searcher.queries.events import Sites, event_of
from searcher.queries.probability import probability
from searcher.queries.witnesses import witnesses
from std.metadata.where import Condition
from std.query.expression import Every, Near, Phrase, Some, Without
from std.query.grammar import has_places, parse_query

TEXTS = ("a", "b", "c")
SPEAKER = Condition("speaker", ":", "anna")  # whom places know
DATE = Condition("date", ":", "2013")  # which units know

words = st.sampled_from([Phrase(text) for text in TEXTS])
sayable = st.one_of(
    words,
    st.tuples(words, words).map(Some),
    words.map(lambda one: Every((one, SPEAKER))),
)
near = st.builds(Near, sayable, sayable, st.sampled_from([0.0, 1.0, 3.0]))
leaf = st.one_of(words, near, words.map(lambda one: Every((SPEAKER, one))))


def joined(parts):
    return st.one_of(
        st.lists(parts, min_size=2, max_size=3).map(lambda some: Every(tuple(some))),
        st.lists(parts, min_size=2, max_size=3).map(lambda some: Some(tuple(some))),
        parts.map(Without),
        parts.map(lambda one: Every((one, DATE))),
    )


expressions = st.recursive(leaf, joined, max_leaves=4)
place = st.tuples(
    st.integers(0, 1),  # unit
    st.integers(0, 9),  # start in s
    st.integers(0, 3),  # duration in s
    st.sampled_from(TEXTS),
    st.booleans(),  # said by Anna
    st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]),
)


def gap_s(one, other):
    return max(one[1] - (other[1] + other[2]), other[1] - (one[1] + one[2]))


def found_in(expression, world, anna):
    """The right places of what has places."""
    if isinstance(expression, Phrase):
        return [one for one in world if one[3] == expression.text and (one[4] or not anna)]
    if isinstance(expression, Some):
        return [one for part in expression.parts for one in found_in(part, world, anna)]
    (said,) = (part for part in expression.parts if part != SPEAKER)
    return found_in(said, world, anna=True)


def true_in(expression, world, unit, anna=False):
    if isinstance(expression, Phrase):
        return bool(found_in(expression, world, anna))
    if isinstance(expression, Near):
        left, right = (found_in(one, world, anna) for one in (expression.left, expression.right))
        return any(
            one is not other and gap_s(one, other) <= expression.seconds
            for one, other in product(left, right)
        )
    if isinstance(expression, Without):
        return not true_in(expression.part, world, unit, anna)
    if isinstance(expression, Some):
        return any(true_in(part, world, unit, anna) for part in expression.parts)
    if DATE in expression.parts and unit == 1:  # unit 0 is of 2013, unit 1 is not
        return False
    said = [part for part in expression.parts if part not in (SPEAKER, DATE)]
    return all(true_in(part, world, unit, anna or SPEAKER in expression.parts) for part in said)


def because_of(expression, one, world, unit, anna=False):
    """Whether an expression holds because of a right place."""
    if isinstance(expression, Phrase):
        return one in found_in(expression, [one], anna)
    if isinstance(expression, Near):
        sides = expression.left, expression.right
        return any(
            one in found_in(side, [one], anna)
            and any(
                two is not one and gap_s(one, two) <= expression.seconds
                for two in found_in(other, world, anna)
            )
            for side, other in (sides, sides[::-1])
        )
    if isinstance(expression, Without):
        return False
    if isinstance(expression, Some):
        return any(because_of(part, one, world, unit, anna) for part in expression.parts)
    anna = anna or SPEAKER in expression.parts
    if DATE in expression.parts and unit == 1:
        return False
    said = [part for part in expression.parts if part not in (SPEAKER, DATE)]
    mine = [part for part in said if can_be_because_of(part, one, world, unit, anna)]
    return bool(mine) and all(
        because_of(part, one, world, unit, anna) if part in mine
        else true_in(part, world, unit, anna)
        for part in said
    )  # fmt: skip


def can_be_because_of(expression, one, world, unit, anna):
    """Whether a place is one of the words that are said, wherever the others are."""
    if isinstance(expression, Phrase):
        return one in found_in(expression, [one], anna)
    if isinstance(expression, Near):
        return any(one in found_in(s, [one], anna) for s in (expression.left, expression.right))
    if isinstance(expression, Without):
        return False
    if isinstance(expression, Every):
        anna = anna or SPEAKER in expression.parts
    parts = [part for part in expression.parts if part not in (SPEAKER, DATE)]
    return any(can_be_because_of(part, one, world, unit, anna) for part in parts)


def worlds_of(places):
    for right in product([False, True], repeat=len(places)):
        of_each = (
            one[5] if is_right else 1 - one[5] for one, is_right in zip(places, right, strict=True)
        )
        weight = np.prod([*of_each])
        if weight:
            yield weight, [one for one, is_right in zip(places, right, strict=True) if is_right]


def computed(expression, places):
    columns = [*zip(*places, strict=True)] or [()] * 6
    unit, start, duration = (np.array(one, np.int64) for one in columns[:3])
    sites = Sites(unit, 1000 * start, 1000 * (start + duration), np.array(columns[5], float), 2)
    rows = {
        text: np.array([i for i, one in enumerate(columns[3]) if one == text], np.int64)
        for text in TEXTS
    }

    def fits(condition):
        if condition == SPEAKER:
            return np.array(columns[4], bool), np.ones(2, bool)
        return unit == 0, np.array([True, False])

    event = event_of(expression, rows, fits, sites)
    return probability(event, sites), witnesses(event, sites)


@settings(max_examples=400, deadline=None)
@given(expressions, st.lists(place, max_size=7, unique=True))
def test_probabilities_are_sums_over_all_worlds(expression, places):
    of_units, of_places = computed(expression, places)
    for unit in (0, 1):
        here = [one for one in places if one[0] == unit]
        holds = sum(w for w, world in worlds_of(here) if true_in(expression, world, unit))
        assert of_units[unit] == pytest.approx(holds, abs=1e-12)
        for row, one in enumerate(places):
            if one[0] == unit:
                because = sum(
                    weight
                    for weight, world in worlds_of(here)
                    if one in world and because_of(expression, one, world, unit)
                )
                assert of_places[row] == pytest.approx(because, abs=1e-12)


@given(st.lists(place, max_size=8))
def test_a_word_alone_keeps_the_probabilities_of_its_places(places):
    _, of_places = computed(Phrase("a"), places)
    assert of_places.tolist() == [one[5] if one[3] == "a" else 0.0 for one in places]


def test_one_worked_example():
    places = [(0, 0, 1, "a", False, 0.8), (0, 3, 1, "b", False, 0.5), (0, 60, 1, "b", False, 0.5)]
    said, of_places = computed(parse_query("a AND b", ()), places)
    assert said[0] == pytest.approx(0.8 * 0.75)  # b at one of two places
    assert of_places == pytest.approx([0.8 * 0.75, 0.5 * 0.8, 0.5 * 0.8])
    close, of_places = computed(parse_query("a NEAR/2s b", ()), places)
    assert close[0] == pytest.approx(0.8 * 0.5)
    assert of_places == pytest.approx([0.4, 0.4, 0.0])
    without, of_places = computed(parse_query("a -b", ()), places)
    assert without[0] == pytest.approx(0.8 * 0.25)
    assert of_places == pytest.approx([0.2, 0.0, 0.0])


def test_what_is_near_has_places():
    assert has_places(parse_query("a OR b", ()))
    assert not has_places(parse_query("a AND b", ()))
