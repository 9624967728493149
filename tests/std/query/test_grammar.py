"""The query language: what is an operator and what a word, and what is understood."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StdError
from std.metadata.where import Condition
from std.query.expression import Every, Near, Phrase, Position, Some, Without, in_words
from std.query.grammar import parse_query, parse_where

COLUMNS = frozenset({"recording", "language", "channel", "speaker", "date", "title"})
A, B, C = Phrase("a"), Phrase("b"), Phrase("c")


def parse(text):
    return parse_query(text, COLUMNS)


@pytest.mark.parametrize(
    "text",
    [
        "polizei gewalt", "rock and roll", "to be or not to be", "law and order", "und oder nicht",
        '"burg anlagen"', '"burg" anlagen', "E-Mail", "U-Bahn - Linie", "rock -n- roll",
        "12:30 Uhr",
        "Lehrer:innen", "jede:r", "Lehrer:innen und jede:r", "re:publica", "http://a.de/x haus",
        "a = b", "x > y", "burg near schloss", "within a year", "within 30 seconds of death",
        "AND", "OR", "NOT", "near", "NEAR", "(alt)", "haus (alt)", "((a", "a)", '5" vinyl', "c++",
        "was ist das?", "m?ller", "burg~2", "robo*", "", " ", "date", "C:\\x",
    ],
)  # fmt: skip
def test_a_text_without_operators_is_the_term_as_it_is_written(text):
    assert parse(text) == Phrase(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a AND b", Every((A, B))),
        ("a AND b AND c", Every((A, B, C))),
        ("a OR b", Some((A, B))),
        ("a NOT b", Every((A, Without(B)))),
        ("a AND NOT b", Every((A, Without(B)))),
        ("a -b", Every((A, Without(B)))),
        ("a OR b c", Some((A, Phrase("b c")))),
        ("a OR b AND c", Some((A, Every((B, C))))),
        ("(a OR b) c", Every((Some((A, B)), C))),
        ("(a or b) and c", Every((Some((A, B)), C))),
        (
            "(a or b) AND c",
            Every((Phrase("a or b"), C)),
        ),
        ('"a" and "b"', Every((Phrase('"a"'), Phrase('"b"')))),
        ("speaker:anna and a", Every((Condition("speaker", ":", "anna"), A))),
        ("a NEAR b", Near(A, B, 10.0)),
        ("a NEAR/5s b", Near(A, B, 5.0)),
        ("a near/500ms b", Near(A, B, 0.5)),
        ("a Near/2m b", Near(A, B, 120.0)),
        ("a NEAR/1h b", Near(A, B, 3600.0)),
        ("a WITHIN 30s b", Near(A, B, 30.0)),
        ("a within 30s b", Near(A, B, 30.0)),
        ("a WITHIN 30 seconds OF b", Near(A, B, 30.0)),
        ("a NEAR/1s b NEAR/2s c", Every((Near(A, B, 1.0), Near(B, C, 2.0)))),
        ("(a OR b) NEAR/1s c", Near(Some((A, B)), C, 1.0)),
        ("a speaker:anna", Every((A, Condition("speaker", ":", "anna")))),
        ("a -speaker:anna", Every((A, Without(Condition("speaker", ":", "anna"))))),
        ("a date:2013", Every((A, Condition("date", ":", "2013")))),
        ("a date:>=2013", Every((A, Condition("date", ">=", "2013")))),
        ("a date >= 2013", Every((A, Condition("date", ">=", "2013")))),
        ("a date:2013..", Every((A, Condition("date", ">=", "2013")))),
        ('a title:"x y"', Every((A, Condition("title", ":", "x y")))),
        ("a recording:radio/*", Every((A, Condition("recording", ":", "radio/*")))),
        ("a first:30s", Every((A, Position("first", 30.0)))),
        ("a last:2m", Every((A, Position("last", 120.0)))),
        ("NOT a first:30s", Every((Without(A), Position("first", 30.0)))),
        ("(a AND b) AND c first:30s", Every((A, B, C, Position("first", 30.0)))),
        ("a AND (b first:30s)", Every((A, Every((B, Position("first", 30.0)))))),
        ('"rock AND roll"', Phrase('"rock AND roll"')),
    ],
)
def test_what_is_read(text, expected):
    assert parse(text) == expected


def test_a_range_is_two_comparisons():
    begin, end = Condition("date", ">=", "2013"), Condition("date", "<=", "2015")
    assert parse("a date:2013..2015") == Every((A, Every((begin, end))))
    assert parse_where("date:2013..2015") == Every((begin, end))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a AND", "expected words to search for, got the end"),
        ("AND a", "expected words to search for, got 'AND'"),
        ("a AND OR b", 'a word is meant? "OR"'),
        ("(a AND b", "expected a closing parenthesis, got the end"),
        ("a AND b)", "expected a parenthesis that is opened before, got ')'"),
        ("a datum:2013", "got 'datum'; is 'date' meant?; in quotation marks it is a word"),
        ("a speeker:anna", "is 'speaker' meant?"),
        ("a first:soon", "expected first:30s, got 'first:soon'"),
        ("a NEAR/2x b AND c", "expected a time as in NEAR/5s or WITHIN 5s, got 'NEAR/2x'"),
        ("a near/2,5s b", "expected a time as in NEAR/5s"),
        ("a NEAR/x b", "expected a time as in NEAR/5s or WITHIN 5s, got 'NEAR/x'"),
        ("a NEAR/2h b", "expected at most 3600 s"),
        ("a NEAR (b AND c)", "expected words, or words joined by OR, on both sides of"),
        ("a NEAR/9999s b", "expected at most 3600 s"),
        (f"{'(' * 60}a AND b{')' * 60}", "at most 50 parentheses"),
        ("a AND " * 3000 + "b", "at most 10000 letters"),
    ],
)
def test_what_is_no_query_is_refused(text, message):
    with pytest.raises(StdError, match=re.escape(message)):
        parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("polizei AND gewalt", "“polizei” and “gewalt”"),
        ("polizei -gewalt", "“polizei” without “gewalt”"),
        ("a b NEAR/5s c", "“a b” within 5 s of “c”"),
        ("(a OR b) AND NOT c", "(“a” or “b”) without “c”"),
        ("a speaker:anna date:2013..2015", "“a”, said by anna, date 2013 to 2015"),
        ("NOT hello first:30s", "not said: “hello”, in the first 30 s of a recording"),
    ],
)
def test_queries_in_words(text, words):
    assert in_words(parse(text)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("date = 2013 or title = News (1)", "date is 2013 or title is News (1)"),
        ("(date = 2013 or a = Ada) and not title ~ *x*",
         "(date is 2013 or a is Ada), not title fits *x*"),
        ("not = 5", "not is 5"),
        ("not (date:2013)", "not date has 2013"),
        ("(title = foo (bar))", "title is foo (bar)"),
        ('title:"a b" and date:2013', "title has a b, date has 2013"),
        ("a:b = 3", "a:b is 3"),
        ("((a=b))", "a is b"),
    ],
)  # fmt: skip
def test_conditions_have_the_same_operators(text, words):
    assert in_words(parse_where(text)) == words


@given(st.text('ab:-()"*.~0= ANDORTEWHIspeakr', max_size=40))
def test_any_text_is_a_query_or_refused(text):
    with suppress(StdError):
        assert parse(text)
    with suppress(StdError):
        assert parse_where(text)


@pytest.mark.parametrize(
    ("asked", "stored", "holds"),
    [
        ("2013", "2013-05-01", True),
        ("2013", "News 2013", True),
        ("2013", "20134", False),
        ("anna", "Anna Müller", True),
        ("anna", "Annabel", False),
        ("anna*", "Annabel", True),
        ("MÜLLER", "Anna Müller", True),
        ("7", "7.0", True),
    ],
)
def test_a_colon_asks_for_a_number_a_date_or_words(asked, stored, holds):
    assert Condition("x", ":", asked).holds(stored) is holds
    assert not Condition("x", ":", asked).holds(None)


def test_a_word_alone_that_begins_with_a_dash_is_a_word():
    assert parse_query("-1", None) == Phrase("-1")
    assert parse_query(" -gewalt ", None) == Phrase(" -gewalt ")
