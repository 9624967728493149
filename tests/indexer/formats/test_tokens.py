"""Tokens as columns beside their twins: bytes.split, float, and a dictionary."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.formats.shared import mesh_bulk
from indexer.formats.shared.mesh_bulk import EXACT_DIGITS, LONGEST_WORD, tokenized


def every(found):
    return np.arange(len(found.starts))


def written(found):
    places = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return [found.text[start:end] for start, end in places]


texts = st.lists(st.sampled_from([b" ", b"\t", b"\r", b"\v", b"\f", b"\n", b"a", b"\xc3\xbc"]))


@given(texts.map(b"".join))
@example(b"")
@example(b"a")
@example(b"\n\na  b\r\n")
def test_cut_as_split_cuts(text):
    found = tokenized(text)
    assert written(found) == text.split()
    lines = text.removesuffix(b"\n").split(b"\n")
    assert np.diff(found.lines).tolist() == [len(line.split()) for line in lines]


@pytest.mark.parametrize("letter", [b"\0", b"\x08", b"\x0e", b"\x1c", b"\x1f"])
def test_other_control_characters_are_refused(letter):
    with pytest.raises(ValueError, match="control"):
        tokenized(b"a " + letter + b" b")


plain_decimals = st.from_regex(r"\A[0-9]{0,9}\.?[0-9]{0,9}\Z").filter(bool)
spellings = st.one_of(
    plain_decimals,
    st.floats(0, 1e5).map("{:.3f}".format),
    st.floats(0, 1).map("{:.7g}".format),
    st.floats().map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.text("0123456789.+-eE_xnaif٣", min_size=1, max_size=20),
)


@given(st.lists(spellings, max_size=20))
@example(["."])
@example(["1.2.3", "1"])
@example(["1234567.", ".12345678", "12345678.9", "1.23456789", "12345678901.2"])
@example(["9" * EXACT_DIGITS, "9" * (EXACT_DIGITS + 1), "9" * 30, "0." + "3" * 30])
@example(["0.1", "00000000.1", "1e-05", "-0", "nan", "inf", "1_0"])
@example(["1.1234567.1", "/", ":", "1:2", "\u00b2"])
def test_numbers_are_those_of_float(spelled):
    content = [one.encode() for one in spelled]
    found = tokenized(b" ".join(content))
    try:
        expected = [float(one) for one in content]
    except ValueError:
        with pytest.raises(ValueError, match="could not convert"):
            found.numbers(every(found))
    else:
        numbers = found.numbers(every(found))
        np.testing.assert_array_equal(numbers, expected)
        signs = [math.copysign(1, one) for one in expected]
        assert np.copysign(1, numbers).tolist() == signs


some_words = st.lists(st.text("ab\u00fc", min_size=1, max_size=30).map(str.encode))


@given(some_words)
@example([b"a" * n for n in range(1, 30)] * 2)
def test_words_are_told_apart(content):
    found = tokenized(b" ".join(content))
    vocabulary, number = found.words(every(found))
    assert sorted(vocabulary) == sorted(set(content))
    assert [vocabulary[i] for i in number.tolist()] == content


def test_words_of_some_tokens():
    found = tokenized(b"a b a c")
    vocabulary, number = found.words(np.array([3, 0, 0]))
    assert [vocabulary[i] for i in number.tolist()] == [b"c", b"a", b"a"]


def test_no_word_is_taken_for_another(monkeypatch):
    monkeypatch.setattr(mesh_bulk, "MIXER", np.uint64(0))
    found = tokenized(b"a b")
    with pytest.raises(ValueError, match="one hash"):
        found.words(every(found))


def test_absurdly_long_words_are_refused():
    content = b"a" * LONGEST_WORD
    found = tokenized(content)
    assert found.words(every(found))[0] == [content]
    found = tokenized(content + b"a")
    with pytest.raises(ValueError, match="a word of 257 bytes"):
        found.words(every(found))
