"""The file in which the indexer hands spoken queries to search."""

import io
import json

import pytest

from std.errors import InputError
from std.sound.files import sounds_of
from std.spoken_queries import (
    QueryStretch,
    SpokenQueries,
    SpokenQuery,
    WeightedWords,
    dump,
    parse,
    term_list_of,
)

TOMATO = SpokenQuery(
    "tomato",
    ("tomato", "tomato.1"),
    (WeightedWords("tomato", 0.75), WeightedWords('to "mate" o', 0.25)),
    stretches=(QueryStretch("tomato", 0.3, 0.9), QueryStretch("tomato.1", 0.05, 0.15)),
)
SILENT = SpokenQuery("silent", ("silent",), ())


def test_written_and_read_again(tmp_path):
    spoken, path = SpokenQueries((TOMATO, SILENT), "en"), tmp_path / "queries.json"
    with path.open("wb") as sink:
        dump(spoken, sink)
    assert parse(path) == spoken
    again = io.BytesIO()
    dump(parse(path), again)
    assert again.getvalue() == path.read_bytes()


def test_the_sound_of_a_query_is_where_its_words_are(tmp_path):
    """A stretch that is shorter than an example may be is extended; one that is longer is none."""
    assert sounds_of(TOMATO.stretches, tmp_path) == ()
    for name in ("tomato", "tomato.1", "speech"):
        (tmp_path / f"{name}.sound").touch()
    expected = (f"{tmp_path}/tomato.sound@0.300-0.900", f"{tmp_path}/tomato.1.sound@0.000-0.200")
    assert sounds_of(TOMATO.stretches, tmp_path) == expected
    assert sounds_of([QueryStretch("speech", 0, 11)], tmp_path) == ()


def test_the_term_list_has_the_likeliest_words():
    terms = term_list_of(SpokenQueries((TOMATO, SILENT), "en"), "ecf.xml")
    assert [(term.term_id, term.text) for term in terms.terms] == [
        ("tomato", "tomato"),
        ("silent", "silent"),  # no word was heard
    ]
    assert terms.terms[0].attributes == {"Examples": "2"}


def query(**changes):
    one = {"id": "a", "examples": ["a"], "alternatives": [{"words": "x", "weight": 1}]} | changes
    return {"format": "std spoken queries 1", "queries": [one]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"format": "std-search archive 1"}, r"std-index NETWORKS --queries-to FILE"),
        ({"format": "std spoken queries 1", "queries": []}, "at least one query"),
        (query(id=" "), r"the name of a query, .* at queries\[0\].id"),
        (query(id="a\x00"), r"without control characters at queries\[0\].id"),
        (
            query(alternatives=[{"words": "x\x01", "weight": 1}]),
            "words, without control characters",
        ),
        (query(alternatives=[{"words": " ", "weight": 1}]), "expected words, .* at"),
        (query(alternatives=[{"words": "x", "weight": 0}]), "above 0, up to 1"),
        (query(alternatives=[{"words": w, "weight": 0.6} for w in "xy"]), "sum is at most 1"),
        (query() | {"queries": query()["queries"] * 2}, "each query once, got 'a'"),
        (
            query(stretches=[{"recording": "a", "start_s": 2, "end_s": 1}]),
            r"expected a time after 2 at queries\[0\].stretches\[0\].end_s",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, document, expected):
    path = tmp_path / "queries.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=expected):
        parse(path)
