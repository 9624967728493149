"""Utterances without ends, and such as overlap, beside a slow twin."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT
from indexer.networks.raw import SECONDS_PER_LETTER, SHORTEST_PER_LETTER
from std.values import Recording

NAN = float("nan")


def spans(cues):
    """(start, end) in seconds of cues of one recording, as utterances."""
    rows = [Cue(1, start, end, text) for start, end, text in cues]
    (block,) = utterances_of_cues(rows, "x", Recording("x", 1), DEFAULT)
    return [(a / 1000, b / 1000) for a, b in block.spans_ms.tolist()]


def slow(cues):
    """The slow twin: each group of cues that start together, and the next."""
    order = sorted(range(len(cues)), key=lambda i: cues[i][0])
    result = [None] * len(cues)
    starts = sorted({start for start, _, _ in cues})
    following = dict(pairwise([*starts, float("inf")]))
    for start in starts:
        group = [i for i in order if cues[i][0] == start]
        total = sum(len(cues[i][2]) for i in group)
        ends = []
        for i in group:
            end, letters = cues[i][1], len(cues[i][2])
            if not end > start:
                end = min(following[start], start + SECONDS_PER_LETTER * letters)
            roll = following[start] - start > SHORTEST_PER_LETTER * total
            ends.append(following[start] if end > following[start] and roll else end)
        at = 0
        for i, end in zip(group, ends, strict=True):
            n = len(cues[i][2])
            if len(group) > 1:
                whole = max(ends) - start
                result[i] = (start + whole * at / total, start + whole * (at + n) / total)
            else:
                result[i] = (start, end)
            at += n
    return result


cue = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["ja", "winter", "eins"]))


@given(st.lists(cue, min_size=1, max_size=8))
def test_settled_spans_equal_their_slow_twin(rows):
    cues = [(start, start + length if length else NAN, text) for start, length, text in rows]
    for ours, theirs in zip(spans(cues), slow(cues), strict=True):
        assert ours == pytest.approx(theirs, abs=0.0011)


def test_captions_that_stay_on_the_screen_do_not_interleave():
    rolling = [(0.9, 5.9, "ja"), (3.9, 7.9, "quiet"), (5.9, 10.1, "purple"), (7.9, 10.9, "winter")]
    assert spans(rolling) == [(0.9, 3.9), (3.9, 5.9), (5.9, 7.9), (7.9, 10.9)]


def test_lines_with_a_start_only_last_until_the_next_or_as_long_as_their_letters():
    assert spans([(0, NAN, "purple"), (5, NAN, "green"), (5.1, NAN, "onions")]) == [
        (0, 0.42), (5, 5.1), (5.1, 5.52),
    ]  # fmt: skip
