"""Text of captions: its encoding, its lines, and which part of it is spoken."""

import pytest

from indexer.formats import srt
from indexer.formats.caption_text import decoded, spoken_part
from indexer.networks.nonwords import Nonwords
from std.errors import InputError
from tests.indexer.formats.captions.conftest import parsed, read, said


@pytest.mark.parametrize("name", ["crlf_utf16.srt", "windows1252.srt"])
def test_encodings(name):
    assert said(read(name))[1] == (2000, 3000, "Müller")


def test_other_code_pages_are_refused():
    hello = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440"
    cyrillic = f"1\n00:00:01,000 --> 00:00:02,000\n{hello}\n".encode("cp1251")
    with pytest.raises(InputError, match="x:3: expected UTF-8, UTF-16 or Windows-1252"):
        parsed(srt, cyrillic)


def test_line_ends_are_the_same():
    assert decoded("a\r\nb\rc\u2028d".encode(), "x") == "a\nb\nc\nd"
    with pytest.raises(InputError, match="x:2: expected text, got 'a zero byte'"):
        decoded(b"a\n\0", "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<i>a</i> <font color='red'>b</font>", "a b"),
        ("{\\an8}a\\Nb", "a b"),
        ("a < b > c", "a < b > c"),
        ("&lt;3 &#39;s", "<3 's"),
        (">> JOHN: hi", " hi"),
        ("Speaker 1: hi", " hi"),
        ("Note: hi", "Note: hi"),
        ("at 12:30", "at 12:30"),
        ("-" * 50_000 + "A" * 50_000, "-" * 50_000 + "A" * 50_000),
    ],
)
def test_spoken_part(text, expected):
    assert spoken_part(text, Nonwords()) == expected
