# ruff: noqa: RUF001  # letters of other alphabets are meant
"""Text of captions: its encoding, its lines, and which part of it is spoken."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.formats.shared import mesh_bulk
from indexer.formats.shared.caption_text import spoken_part, without_repeats
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.mesh_bulk import EXACT_DIGITS, LONGEST_WORD_BYTES, tokenized
from std.encodings import decoded
from std.errors import InputError
from std.repairs import NO_LETTER, Repairs
from tests.indexer.formats.captions.conftest import read, said, times


@pytest.mark.parametrize("name", ["crlf_utf16.srt", "windows1252.srt"])
def test_encodings(name):
    assert said(read(name))[1] == (2000, 3000, "Müller")


IN_PAGES = {
    "cp1250": "proszę usiąść i słuchać, żółw poszły na łąkę",
    "cp1251": "железная дорога новая, и мы не знаем что это",
    "cp1252": "ça va très bien, l'été est fini, garçon où êtes-vous",
    "mac_roman": "Über das schöne Wetter müssen wir später sprechen",
    "cp1254": "güneşli bir gün, şimdi çıkıyoruz, yarın değil",
    "shift_jis": "今日は天気がいいですね。電車に乗ります",
    "gbk": "今天天气很好，我们去公园散步吧",
    "cp949": "안녕하세요 오늘 날씨가 좋습니다",
    "utf-16-le": "das Haus steht",
    "utf-16-be": "das Haus steht",
}


@pytest.mark.parametrize("page", IN_PAGES)
def test_the_letters_of_a_language_tell_the_code_page(page):
    text = f"1\n00:00:01,000 --> 00:00:02,000\n{IN_PAGES[page]}\n"
    assert decoded(text.encode(page), "x") == text


def test_doubt_is_a_refusal_that_names_the_way_out():
    text = "1\n00:00:01,000 --> 00:00:02,000\nΓεια\n"
    with pytest.raises(InputError, match=r"x:3: expected .* in doubt; name it with --encoding"):
        decoded(text.encode("cp1253"), "x")
    assert decoded(text.encode("cp1253"), "x", encoding="cp1253") == text


def test_damaged_utf_8_is_not_another_code_page():
    repairs = Repairs()
    assert decoded("Müller geht über".encode() + b" \xe6 Br", "x", repairs).endswith(" \ufffd Br")
    assert {*repairs.found} == {NO_LETTER}
    with pytest.raises(InputError, match="x:1: expected UTF-8 text"):
        decoded("Müller geht über".encode() + b" \xe6 Br", "x")


def test_line_ends_are_the_same():
    assert decoded("a\r\nb\rc\u2028d".encode(), "x") == "a\nb\nc\nd"
    with pytest.raises(InputError, match="x:2: expected text, got a zero byte"):
        decoded(b"a\n\0", "x")
    repairs = Repairs()
    assert decoded(b"many words\nand \0 one", "x", repairs) == "many words\nand \ufffd one"
    assert repairs.found == {NO_LETTER: (1, 2)}
    with pytest.raises(InputError, match="a zero byte"):  # it is no text
        decoded(b"a\0b\0c\0", "x", repairs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<i>a</i> <font color='red'>b</font>", "a b"),
        ("{\\an8}a\\Nb", "a\nb"),
        ("a < b > c", "a < b > c"),
        ("&lt;3 &#39;s", "<3 's"),
        ("Note: hi", "Note: hi"),
        ("at 12:30", "at 12:30"),
        ("-" * 50_000 + "A" * 50_000, "-" * 50_000 + "A" * 50_000),
    ],
)
def test_spoken_part(text, expected):
    assert spoken_part(text) == expected


def test_captions_that_roll_up_are_read_once():
    networks = read("rolls_up.vtt")
    assert said(networks) == [(0, 650, "das haus"), (660, 3000, "ist gut"), (3010, 4000, "ja")]
    assert times(networks[1]) == [(660, 1000), (1000, 3000)]
    assert [n.times_estimated for n in networks] == [False, False, True]


def test_words_said_twice_are_no_rolling_up():
    # somebody says "no" in two captions of ten
    lines = ["no", "no", *"abcdefgh"]
    captions = [Cue(i, i, i + 1, line) for i, line in enumerate(lines)]
    assert without_repeats(captions) == captions


def test_rolling_up_without_times_of_words():
    texts = ["a b", "a b", "a b\nc d", "c d", "c d\ne f", "e f"]
    captions = [Cue(i, i, i + 1, text) for i, text in enumerate(texts)]
    assert [cue.text for cue in without_repeats(captions)] == ["a b", "c d", "e f"]


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
    content = b"a" * LONGEST_WORD_BYTES
    found = tokenized(content)
    assert found.words(every(found))[0] == [content]
    found = tokenized(content + b"a")
    with pytest.raises(ValueError, match="a word of 257 bytes"):
        found.words(every(found))
