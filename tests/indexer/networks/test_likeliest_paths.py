"""Word sequences of confusion networks, against an enumeration of all paths."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.spoken_queries import between, likeliest_sequences, mixture
from std.values import Alternative, Slot


def slot(epsilon, *words, start_ms=0, end_ms=100):
    return Slot(
        start_ms, end_ms, epsilon, [Alternative(word, p, start_ms, end_ms) for word, p in words]
    )


def every_sequence(slots):
    """The slow twin: all paths, one by one."""
    choices = []
    for one in slots:
        ways = [("", one.epsilon), *((a.word, a.posterior) for a in one.alternatives)]
        total = sum(p for _, p in ways)
        choices.append([(word, p / total) for word, p in ways if p])
    sequences = {}
    for path in product(*choices):
        words, posterior = tuple(word for word, _ in path if word), 1.0
        for _, p in path:
            posterior *= p
        sequences[words] = sequences.get(words, 0.0) + posterior
    return sequences


def test_by_hand():
    slots = [slot(0.0, ("new", 0.8), ("newark", 0.2)), slot(0.25, ("york", 0.75))]
    assert likeliest_sequences(slots, 3) == pytest.approx(
        {("new", "york"): 0.6, ("new",): 0.2, ("newark", "york"): 0.15}
    )


POSTERIOR = st.floats(0.01, 1)
SLOT = st.builds(
    lambda epsilon, words: slot(epsilon, *words.items()),
    st.floats(0, 1),
    st.dictionaries(st.sampled_from("abc"), POSTERIOR, min_size=1),
)


@given(st.lists(SLOT, max_size=4))
def test_as_all_paths(slots):
    expected = every_sequence(slots)
    found = likeliest_sequences(slots, 1000)
    assert dict(found) == pytest.approx(expected)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_slot_without_anything_is_skipped():
    assert likeliest_sequences([slot(0.0), slot(0.0, ("a", 0.5))], 5) == {("a",): 1.0}


def test_examples_of_a_query_count_the_same():
    found = mixture([{("a",): 0.5, (): 0.5}, {("a",): 0.5, ("b",): 0.5}], 5)
    assert [words for words, _ in found] == [("a",), ("b",)]
    assert [weight for _, weight in found] == pytest.approx([2 / 3, 1 / 3])
    assert mixture([{(): 1.0}], 5) == []


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "expected"),
    [(0, 300, "abc"), (100, 200, "b"), (60, 240, "b"), (20, 40, "a"), (300, 400, "")],
)
def test_slots_between_two_times(network, start_ms, end_ms, expected):
    of_three = network([("a", 1.0)], [("b", 1.0)], [("c", 1.0)])
    found = [one.alternatives[0].word for one in between(of_three, start_ms, end_ms)]
    assert "".join(found) == expected
