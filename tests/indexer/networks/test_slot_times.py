from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.networks.slot_times import times_from_one_best, untangled, weighted_spans
from std.networks import TimedWord

NAN = float("nan")


def test_weighted_mean_of_timed_words():
    # by hand: (0.75 * 100 + 0.25 * 140) / 1 = 110; the untimed word and slot 2 play no part
    spans = weighted_spans(
        np.array([0, 0, 0, 1]),
        3,
        np.array([0.75, 0.25, 0.5, 0.2]),
        np.array([[100, 300], [140, 260], [NAN, NAN], [400, 500.0]]),
    )
    np.testing.assert_array_equal(spans, [[110, 290], [400, 500], [NAN, NAN]])


UNTANGLED = [
    ("apart", [[0, 10], [20, 30]], [0, 2], [[0, 10], [20, 30]]),
    ("overlap halves", [[0, 20], [10, 30]], [0, 2], [[0, 15], [15, 30]]),
    ("not across utterances", [[0, 20], [10, 30]], [0, 1, 2], [[0, 20], [10, 30]]),
    # 100..200, 0..50: the boundary becomes (200 + 0) / 2 = 100, the end 50 may not run back
    ("wrong order", [[100, 200], [0, 50]], [0, 2], [[100, 100], [100, 100]]),
    ("none", [], [0, 0], []),
]


@pytest.mark.parametrize(
    ("spans", "bounds", "expected"),
    [row[1:] for row in UNTANGLED],
    ids=[row[0] for row in UNTANGLED],
)
def test_untangled(spans, bounds, expected):
    spans = np.array(spans, dtype=float).reshape(-1, 2)
    expected = np.array(expected, dtype=float).reshape(-1, 2)
    np.testing.assert_array_equal(untangled(spans, np.array(bounds)), expected)


utterances = st.lists(
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 3_000)), max_size=8), max_size=4
)


def flat(nested):
    rows = [(start, start + length) for one in nested for start, length in one]
    bounds = np.cumsum([0, *map(len, nested)])
    return np.array(rows, dtype=float).reshape(-1, 2), bounds


@given(utterances)
def test_untangled_slots_never_overlap_nor_run_backwards(nested):
    spans, bounds = flat(nested)
    result = untangled(spans, bounds)
    for lo, hi in pairwise(bounds):
        assert (np.diff(result[lo:hi].ravel()) >= 0).all()


@given(utterances)
def test_untangled_equals_one_utterance_at_a_time(nested):
    spans, bounds = flat(nested)
    one_by_one = [untangled(spans[lo:hi], np.array([0, hi - lo])) for lo, hi in pairwise(bounds)]
    np.testing.assert_array_equal(
        untangled(spans, bounds), np.concatenate([*one_by_one, spans[:0]])
    )


def words(text, start=0.0, length=1.0):
    return [TimedWord(token, start + i * length, start + (i + 1) * length)
            for i, token in enumerate(text.split())]  # fmt: skip


def test_times_are_borrowed_from_the_same_words():
    slots = [["das", "dass"], ["haus"], ["ist", "isst"], ["gross"]]
    spans = times_from_one_best(slots, words("dass haus isst gross"))
    np.testing.assert_array_equal(spans, [[0, 1], [1, 2], [2, 3], [3, 4]])


def test_what_has_no_word_gets_no_time():
    # "ganz" is in no slot and like none; nothing was heard where "sehr" is
    spans = times_from_one_best([["das"], ["sehr"], ["haus"]], words("das haus"))
    np.testing.assert_array_equal(spans, [[0, 1], [NAN, NAN], [1, 2]])
    spans = times_from_one_best([["das"], ["haus"]], words("das ganz haus"))
    np.testing.assert_array_equal(spans, [[0, 1], [2, 3]])


def test_likeness_decides_between_words():
    spans = times_from_one_best([["polizeien"], ["gewalt"]], words("äh polizei gewalten"))
    np.testing.assert_array_equal(spans, [[1, 2], [2, 3]])


@given(
    st.lists(st.sampled_from(["an", "ab", "zu"]), max_size=6),
    st.lists(st.sampled_from(["an", "ab", "zu"]), max_size=6),
)
def test_borrowed_times_stay_in_order(slots, heard):
    spans = times_from_one_best([[word] for word in slots], words(" ".join(heard)))
    starts = spans[~np.isnan(spans[:, 0]), 0]
    assert (np.diff(starts) > 0).all()
    assert len(starts) <= len(heard)
