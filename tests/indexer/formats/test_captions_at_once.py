"""What is read of many captions at once, beside its slow and obvious twin."""

import json
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.formats.readers import srt
from indexer.formats.shared import (
    caption_text,
    clock,
    columns_of_cues,
    cues,
    json_times,
)
from indexer.formats.shared.columns_of_cues import Column
from indexer.formats.shared.cues import Cue
from indexer.networks import hypotheses, nonwords
from indexer.networks.slot_times import DIGIT_LETTERS, letters

USUAL = "00:00:01,500 --> 00:00:02.500"
LINES = st.sampled_from([
    USUAL, USUAL + " align:start", USUAL + "\t", USUAL + "x", " " + USUAL, "0" + USUAL, "das", "",
    "1", "00:01 -> 00:02", "a --> b", "->", "99:59:59,999 --> 99:59:59,999", "\U0001f3b5 Haus",
    USUAL.replace("1", "\u0661"), USUAL.replace(":", ",", 1), "00:00:01,500 ---> 00:00:02,500",
])  # fmt: skip
WORDS = st.text(st.sampled_from("aZ1-.,*<>[]()'\u00bb \n\u0301\u2074\U0001f3b5\u0661"), max_size=6)


@given(st.lists(LINES, max_size=5).map("\n".join))
@example(USUAL)
@example(f"1\n{USUAL}\ndas Haus\n\n2\n{USUAL} line:0\n\U0001f3b5\n")
def test_usual_lines_of_times_are_found_as_any_are(text):
    usual = clock._usual_time_lines(text)
    assert usual is None or usual == clock._any_time_lines(text)
    if text and set(text.split("\n")) <= {USUAL, "das", ""} and USUAL in text:
        assert usual is not None


@given(st.text(st.sampled_from("a1 \t\n\ufeff\u0661\u2074"), max_size=12))
def test_numbers_of_the_next_caption_go(body):
    assert srt._without_number(body) == srt._NUMBER.sub("", body)


@given(st.lists(st.text(st.sampled_from("ab \n<i>"), max_size=8), max_size=6))
def test_what_repeats_is_never_overlooked(texts):
    captions = [Cue(line, line, line + 1.0, text) for line, text in enumerate(texts)]
    may = [caption_text._may_repeat(*pair) for pair in pairwise(captions)]
    assert all(
        one or not count
        for one, count in zip(may, caption_text._repeats(captions)[1:], strict=True)
    )


def slow_bare(written):
    """Letter by letter, each with its marks."""
    if "**" in written or written.strip().lower() in nonwords.UNKNOWN_WORDS:
        return "<unk>"
    letters = []
    for one in written:
        if letters and unicodedata.category(one)[0] == "M":
            letters[-1] += one
        else:
            letters.append(one)
    kept = [i for i, one in enumerate(letters) if unicodedata.category(one[0])[0] in "LNM"]
    return "".join(letters[kept[0] : kept[-1] + 1]) if kept else ""


@given(WORDS)
@example("<unk>")
@example("[UNK]")
@example("s***")
@example("\U0001f3b5\u0301")
@example("<\u0301a")
@example("1<\u0301")
def test_bare_words(written):
    assert hypotheses.bare(written) == slow_bare(written)


@given(st.lists(WORDS))
def test_words_of_tokens(tokens):
    vocabulary, rows = cues._words(tokens)
    expected = [slow_bare(token) for token in tokens]
    assert [vocabulary[row] if row >= 0 else "" for row in rows] == expected
    assert vocabulary == [word for word in dict.fromkeys(expected) if word]


@given(st.lists(WORDS | st.sampled_from(["sil", "<eps>", "haus", "haus(2)", "[noise]"])))
def test_replacements_are_those_of_each_token(tokens):
    expected = {token: nonwords.spoken(token) for token in tokens}
    expected = {token: word for token, word in expected.items() if word != token}
    assert list(nonwords.replacements(tokens).items()) == list(expected.items())


@given(st.lists(WORDS))
def test_letters_of_each_word(words):
    counts = letters(words)
    for word, count in zip(words, counts.tolist(), strict=True):
        digits = sum(unicodedata.category(letter) == "Nd" for letter in word)
        assert count == len(word) + (DIGIT_LETTERS - 1) * digits


@given(st.lists(st.sampled_from(["1", "1.5", ".5", "2.", "", ".", "1:02", "1,5", "2 s", "-1"])))
def test_many_times_are_read_as_each_is(written):
    def each(written, unit_s):
        return [columns_of_cues.time_s(one, unit_s) for one in written]

    assert times_or_none(columns_of_cues.times_s, written) == times_or_none(each, written)


def times_or_none(read, written):
    try:
        return read(written, 0.001)
    except ValueError:
        return None


@given(st.floats() | st.integers() | st.booleans() | st.none())
@example(2**53 + 1)
@example(-0.0)
def test_times_of_json_are_read_as_they_are_written(value):
    try:
        expected = columns_of_cues.time_s(json.dumps(value), 0.001)
    except ValueError:
        with pytest.raises((ValueError, TypeError)):
            json_times.seconds_of(value, Column("start"), 0.001)
    else:
        np.testing.assert_array_equal(
            json_times.seconds_of(value, Column("start"), 0.001), expected
        )
