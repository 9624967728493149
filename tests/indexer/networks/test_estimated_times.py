"""Times of words that share the time of what they stand in."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.networks.slot_times import filled, letters

NAN = float("nan")

FILLED = [
    # name, spans, weights, utterance, expected, estimated
    ("all known", [[1, 2]], [3], [NAN, NAN], [[1, 2]], False),
    # das (3 letters), dass (4) and polizei (7) share 14 ms by letters
    ("utterance only", [[NAN] * 2] * 3, [3, 4, 7], [0, 14], [[0, 3], [3, 7], [7, 14]], True),
    ("gap", [[0, 10], [NAN] * 2, [30, 40]], [1, 5, 1], [NAN] * 2,
     [[0, 10], [10, 30], [30, 40]], True),
    ("silence has no width", [[0, 9], [NAN] * 2, [20, 30]], [1, 0, 1], [NAN] * 2,
     [[0, 9], [9, 9], [20, 30]], False),
    ("silence first", [[NAN] * 2, [5, 9]], [0, 2], [NAN] * 2, [[5, 5], [5, 9]], False),
    ("silence only", [[NAN] * 2], [0], [NAN] * 2, [[0, 0]], False),
    ("word after the last time", [[5, 9], [NAN] * 2], [2, 2], [NAN] * 2, [[5, 9], [9, NAN]], True),
    ("no time at all", [[NAN] * 2], [2], [NAN] * 2, [[NAN] * 2], True),
    ("gap that is none", [[0, 30], [NAN] * 2, [20, 40]], [1, 1, 1], [NAN] * 2,
     [[0, 30], [30, 30], [20, 40]], True),
]  # fmt: skip


@pytest.mark.parametrize("row", FILLED, ids=lambda row: row[0])
def test_filled(row):
    _, spans, weights, utterance, expected, estimated = row
    result, flags, _ = filled(
        np.array(spans, dtype=float),
        np.array([0, len(spans)]),
        np.array(weights, dtype=float),
        np.array([utterance], dtype=float),
    )
    np.testing.assert_allclose(result, expected)
    assert flags.tolist() == [estimated]


def test_filled_leaves_other_utterances_alone():
    spans = np.array([[0, 1], [NAN, NAN], [5, 6]])
    result, flags, _ = filled(
        spans, np.array([0, 1, 2, 3]), np.ones(3), np.array([[0, 1], [2, 4], [5, 6.0]])
    )
    np.testing.assert_array_equal(result, [[0, 1], [2, 4], [5, 6]])
    assert flags.tolist() == [False, True, False]


def test_digits_take_the_time_of_their_names():
    # one, two, three ... zero have 40 letters
    assert letters(["haus", "7", "B7", "3.5"]).tolist() == [4, 4, 5, 9]


def test_the_borders_of_a_gap_bound_the_error():
    # by hand: "an" (2) and "dem" (3) share 10..20; "an" 10..14 may begin at 20, 10 off, "dem"
    # 14..20 may end at 10
    spans = np.array([[0, 10], [NAN, NAN], [NAN, NAN], [20, 30]])
    bounds = np.array([0, 4])
    result, _, errors = filled(spans, bounds, np.array([1, 2, 3, 1.0]), np.array([[0, 30.0]]))
    np.testing.assert_array_equal(result[1:3], [[10, 14], [14, 20]])
    np.testing.assert_array_equal(errors, [0, 10, 10, 0])


def one_run_at_a_time(spans, bounds, weights, utterance_spans):
    """The slow twin of `filled`: a run of slots without times after the other."""
    spans, errors = spans.copy(), np.zeros(len(spans))
    estimated = np.zeros(len(utterance_spans), dtype=bool)
    for u, (lo, hi) in enumerate(pairwise(bounds)):
        slot = lo
        while slot < hi:
            if not np.isnan(spans[slot, 0]):
                slot += 1
                continue
            end = slot
            while end < hi and np.isnan(spans[end, 0]):
                end += 1
            left = utterance_spans[u, 0] if slot == lo else spans[slot - 1, 1]
            right = utterance_spans[u, 1] if end == hi else spans[end, 0]
            total = sum(weights[slot:end])
            if total == 0:
                left = right if np.isnan(left) else left
                spans[slot:end] = 0.0 if np.isnan(left) else left
            else:
                estimated[u] = True
                right = right if np.isnan(right) or np.isnan(left) else max(left, right)
                at, begin = left, 0.0
                for i in range(slot, end):
                    begin += weights[i]
                    spans[i] = at, left + (right - left) * begin / total
                    at = spans[i, 1]
                    errors[i] = max(right - spans[i, 0], spans[i, 1] - left)
            slot = end
    return spans, estimated, errors


times = st.one_of(st.just(NAN), st.integers(0, 99).map(float))
slots = st.tuples(st.one_of(st.just((NAN, NAN)), st.tuples(times, times)), st.integers(0, 3))


@given(st.lists(st.tuples(st.tuples(times, times), st.lists(slots, max_size=6)), max_size=4))
def test_filled_equals_its_slow_twin(utterances):
    spans = np.array([s for _, own in utterances for s, _ in own], float).reshape(-1, 2)
    spans[np.isnan(spans).any(axis=1)] = NAN
    weights = np.array([w for _, own in utterances for _, w in own], float)
    bounds = np.cumsum([0, *(len(own) for _, own in utterances)])
    wholes = np.array([span for span, _ in utterances], float).reshape(-1, 2)
    got = filled(spans, bounds, weights, wholes)
    for ours, theirs in zip(got, one_run_at_a_time(spans, bounds, weights, wholes), strict=True):
        np.testing.assert_allclose(ours, theirs)
