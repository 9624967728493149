"""Conditions against an evaluation of the obvious kind, and what the grammar refuses."""

import datetime
import re
from contextlib import suppress
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StdError
from std.metadata.where import OPERATORS, Condition, is_date, is_number
from std.query.expression import conjuncts
from std.query.grammar import parse_where

WORDS = st.text("abcxyzäß*?.-/0123456789", min_size=1).filter(lambda word: word.lower() != "and")
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
NUMBERS = st.one_of(
    st.integers(-99, 99).map(str), st.sampled_from(["7.0", "07", "+7", "-.5", "1e3"])
)
DATES = st.sampled_from(
    ["2023", "2024", "2024-01", "2024-02", "2024-01-31", "2024-01-31T20:15", "2024-01-31 20:15:01"]
)
VALUES = st.one_of(TEXTS, NUMBERS, DATES, WORDS)


def parse(text):
    """The comparisons of a text that all must hold."""
    return conjuncts(parse_where(text))


def spelt(text, quote):
    """A text in quotes."""
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


@given(
    st.lists(
        st.tuples(WORDS, st.sampled_from(sorted(OPERATORS)), TEXTS, st.sampled_from("\"'")),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([" and ", " AND ", "\tAnd\n"]),
)
def test_what_is_spelt_in_quotes_is_read_back(comparisons, conjunction):
    text = conjunction.join(f"{c}{op}{spelt(value, quote)}" for c, op, value, quote in comparisons)
    read = parse(text)
    assert [one.operator for one in read] == [one[1] for one in comparisons]
    assert [one.column for one in read] == [one[0].lower() for one in comparisons]
    assert [one.value for one in read] == [normalize("NFC", one[2]) for one in comparisons]


def test_words_need_no_quotes():
    assert parse("speaker = Ada  Lovelace and 'air date'>=2024-01") == (
        Condition("speaker", "=", "Ada Lovelace"),
        Condition("air date", ">=", "2024-01"),
    )
    assert parse("title ~ *news* and channel != 2")[0] == Condition("title", "~", "*news*")
    assert parse("a = 'and'") == (Condition("a", "=", "and"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the name of a column, got the end"),
        ("speaker", "expected an operator after 'speaker', got the end"),
        ("speaker Ada", "expected an operator after 'Ada', got the end"),
        ("= Ada", "expected the name of a column, got '='"),
        ("a =", "expected a value after a =, got the end"),
        ("a = b and", "expected the name of a column, got the end"),
        ("a = b and and c = d", "expected the name of a column, got 'and'"),
        ("a = 'b' c", "expected and, or the end, after 'b', got 'c'"),
        ("a = b = c", "expected and, or the end, after 'b', got '='"),
        ('a = "b', "expected a column, an operator or a value, got '\"b'"),
        ("a ! b", "expected a column, an operator or a value, got '! b'"),
    ],
)
def test_what_is_no_condition_is_refused(text, message):
    with pytest.raises(StdError, match=re.escape(message)):
        parse(text)


@given(st.text("ab'\"\\=<>!~ and*", max_size=30))
def test_any_text_is_read_or_refused(text):
    with suppress(StdError):
        assert parse(text)


def obviously_holds(stored, operator, asked):
    """The documented meaning, case by case and without the module's own words."""
    if stored is None:
        return operator == "!="
    if operator == "~":
        pattern = "".join(
            {"*": ".*", "?": "."}.get(letter) or re.escape(letter) for letter in asked
        )
        return re.fullmatch(pattern, stored, re.DOTALL) is not None
    if operator == "!=":
        return not obviously_holds(stored, "=", asked)
    if operator in ("<=", ">="):
        return obviously_holds(stored, operator[0], asked) or obviously_holds(stored, "=", asked)
    number = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
    if number.fullmatch(stored) and number.fullmatch(asked):
        left, right = float(stored), float(asked)
    elif is_date(asked):
        if not is_date(stored):
            return False
        left, right = (re.split(r"[-T :]", one) for one in (stored, asked))
        left = left[: len(right)]
    elif number.fullmatch(asked) or number.fullmatch(stored) or is_date(stored):
        return False
    else:
        left, right = stored, asked
    return {"=": left == right, "<": left < right, ">": left > right}[operator]


@given(
    st.none() | VALUES, st.sampled_from(sorted(OPERATORS)), VALUES.filter(lambda v: "[" not in v)
)
def test_comparisons_hold_as_documented(stored, operator, asked):
    assert Condition("x", operator, asked).holds(stored) is obviously_holds(stored, operator, asked)


@given(st.lists(VALUES, unique=True), st.sampled_from(sorted(OPERATORS)), VALUES)
def test_a_column_is_compared_value_by_value(values, operator, asked):
    one = Condition("x", operator, asked)
    assert one.fits(values).tolist() == [*map(one.holds, values), one.holds(None)]


@pytest.mark.parametrize(
    ("condition", "stored", "holds"),
    [
        ("date >= 2024-01", "2024-01-01", True),
        ("date >= 2024-01", "2023-12-31", False),
        ("date <= 2024-01", "2024-01-31", True),
        ("date > 2024-01", "2024-01-31", False),
        ("date = 2024", "2024-01-31T20:15", True),
        ("date < 2024-01", "2024", True),  # earlier than any of its months
        ("date = 2024-01", "spring", False),
        ("date < 2024-01", "spring", False),
        ("date < 31.1.2024", "2024-01-01", False),  # no date as they are compared: a text
        ("date <= 2024-13", "2024-01-01", False),
        ("length < 1,5", "0.5", False),
        ("length > 9", "10", True),
        ("length > 9", "unknown", False),
        ("length != 9", "unknown", True),
        ("length = 7", "7.0", True),
        ("speaker = Ada", "ada", False),
        ("speaker ~ A?a", "Ada", True),
        ("speaker ~ [A-C]*", "Ada", True),
        ("speaker != Ada", None, True),
        ("speaker < Ada", None, False),
    ],
)
def test_examples(condition, stored, holds):
    assert parse(condition)[0].holds(stored) is holds


@pytest.mark.parametrize("text", ["2023-02-29", "2024-04-31T10:00", "1900-02-29", "2024-00-01"])
def test_no_other_day_is_a_date(text):
    assert not is_date(text)


@given(st.dates())
def test_every_date_is_one(day):
    assert is_date(day.isoformat())
    assert is_date(day.isoformat()[:7])
    later = day + datetime.timedelta(days=1) if day < datetime.date.max else day
    assert Condition("date", "<=", later.isoformat()).holds(day.isoformat())


@pytest.mark.parametrize("text", ["", ".5", "5.", "1e3", "٣", "1_000", " 1", "0x1", "nan"])
def test_what_is_no_number(text):
    assert not is_number(text)
