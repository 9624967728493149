"""The file in which the indexer hands spoken queries to search."""

import io
import json

import pytest

from std.errors import InputError
from std.spoken_queries import SpokenQueries, SpokenQuery, WeightedWords, dump, parse, term_list_of

TOMATO = SpokenQuery(
    "tomato",
    ("tomato", "tomato.1"),
    (WeightedWords("tomato", 0.75), WeightedWords('to "mate" o', 0.25)),
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
    ],
)
def test_other_files_are_refused(tmp_path, document, expected):
    path = tmp_path / "queries.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=expected):
        parse(path)
