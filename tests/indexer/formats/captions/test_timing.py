"""Times of captions and of their words, beside a slow twin of the reader."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.readers import srt
from indexer.formats.shared import cues
from indexer.formats.shared.clock import time_lines
from indexer.formats.shared.cues import Cue, utterances_of_cues
from std.values import Recording
from tests.indexer.formats.captions.conftest import options, parsed, said, times


def test_captions_without_length_last_as_long_as_their_letters():
    # by hand: 7 letters at 70 ms
    (network,) = parsed(srt, "1\n00:00:01,000 --> 00:00:01,000\ndas Haus\n")
    assert (network.start_ms, network.end_ms) == (1000, 1490)
    assert network.slot_errors_ms.max() == 490


def test_captions_that_roll_end_where_the_next_begins():
    text = "1\n0:00:01,0 --> 0:00:04,0\neins\n\n2\n0:00:02,0 --> 0:00:05,0\nzwei\n"
    assert said(parsed(srt, text)) == [(1000, 2000, "eins"), (2000, 5000, "zwei")]


def test_errors_of_slots_follow_words_that_are_split():
    (network,) = parsed(srt, "1\n00:00:00,000 --> 00:00:01,000\nja—nein\n")
    assert np.array_equal(network.slot_errors_ms, [1000])


def test_times_are_read_at_once_as_one_by_one():
    text = "00:01:02,003 --> 1:02:03.5\n99:59:59,999 --> 100:00:00,000\n"
    text += "\u0660\u0660:00:01,000 --> 00:00:02,000\n"
    lines = time_lines(text)
    assert [(one.line, one.start_s, one.end_s) for one in lines] == [
        (1, 62.003, 3723.5), (2, 359999.999, 360000.0), (3, 1.0, 2.0),
    ]  # fmt: skip


def slow_columns(text):
    """The slow twin of `cues`: a caption after the other, a word after the other."""
    rows = []
    for line in text.split("\n\n"):
        _, span, *lines = line.split("\n")
        start_s, end_s = (
            sum(float(part) * 60**i for i, part in enumerate(reversed(time.split(":"))))
            for time in span.replace(",", ".").split(" --> ")
        )
        words = [word.strip(".,!?\"'-") for word in " ".join(lines).split()]
        words = [word for word in words if word]
        total, at = sum(map(len, words)), 0
        for word in words:
            span_s = (end_s - start_s) / total
            rows.append((word, start_s + at * span_s, start_s + (at + len(word)) * span_s))
            at += len(word)
    return rows


captions = st.lists(
    st.tuples(
        st.integers(1, 9_000_000), st.integers(1, 9000),
        st.lists(st.sampled_from(["das", "Haus,", "-", "ist.", '"gut"']), min_size=1, max_size=9),
    ),
    min_size=1, max_size=9,
)  # fmt: skip


def clock(ms):
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"


@given(captions)
@settings(deadline=None)
def test_captions_equal_their_slow_twin(cases):
    blocks, at = [], 0
    for i, (pause, length, words) in enumerate(cases, start=1):
        start, at = at + pause, at + pause + length
        blocks.append(f"{i}\n{clock(start)} --> {clock(at)}\n" + " ".join(words))
    text = "\n\n".join(blocks)
    networks = parsed(srt, text)
    got = [(w, *span) for n in networks for w, span in zip(n.words, times(n), strict=True)]
    expected = slow_columns(text)
    assert [row[0] for row in got] == [row[0] for row in expected]
    for ours, theirs in zip(got, expected, strict=True):
        assert ours[1:] == pytest.approx([1000 * theirs[1], 1000 * theirs[2]], abs=1)


def test_many_cues_come_in_blocks(monkeypatch):
    monkeypatch.setattr(cues, "CUES_AT_ONCE", 2)
    found = [Cue(i, i, i + 1, f"w{i}") for i in range(5)]
    blocks = list(utterances_of_cues(found, "x", Recording("x", 1), options()))
    assert [name for block in blocks for name in block.names] == [f"x-{i}" for i in range(1, 6)]
    assert [len(block) for block in blocks] == [2, 2, 1]
