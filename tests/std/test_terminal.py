"""What is printed shows itself and does nothing else."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.terminal import json_text, printable

OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # general categories of what terminals obey or hide
HOSTILE = [
    "\x1b[2J",
    "\x07",
    "\x7f",
    "\x9b31m",
    "a\nb",
    "a\rb",
    "\t",
    "\u202eabc",
    "\u2066",
    "a\u200bb",
]
HOSTILE += ["\u2028", "\ufeff", "\u00ad", "a\u200db", "\udcff", "\U000e0041", "\u061c"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_texts_show_what_they_are(text):
    shown = printable(text)
    assert shown != text
    assert shown.isprintable()
    assert "\\" in shown


@pytest.mark.parametrize(
    "text",
    [
        "straße",
        "日本語\u3000テスト",
        "l\u2019été\u00a0!",
        "\u0645\u06cc\u200c\u062e\u0648",  # Persian, spelt with a joiner
        "क्\u200dष",
        "[red]",
        "\\",
        "👍🏽",
    ],
)
def test_words_stay_as_they_are(text):
    assert printable(text) == text


@given(st.text(st.characters()))
def test_nothing_is_obeyed(text):
    shown = printable(text).replace("\u200c", "").replace("\u200d", "")
    assert not {unicodedata.category(letter) for letter in shown} & OBEYED


@given(st.recursive(st.none() | st.text(st.characters()), st.lists))
def test_json_loses_nothing(document):
    text = json_text(document)
    assert json.loads(text) == document
    assert not {unicodedata.category(letter) for letter in text} & OBEYED
    text.encode()
