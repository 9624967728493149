"""Which recordings are examples of which query."""

import io

import pytest

from indexer.query_examples import QueryExample, query_of_name, read_examples
from std.errors import InputError


@pytest.mark.parametrize(
    ("recording", "query"),
    [
        ("tomato", "tomato"),
        ("tomato.1", "tomato"),
        ("tomato_2", "tomato"),
        ("sws_001", "sws_001"),
        ("dev_12", "dev_12"),
        ("dev_0", "dev_0"),
        ("_1", "_1"),
    ],
)
def test_names(recording, query):
    assert query_of_name(recording) == query


def test_a_table():
    text = b"query,recording,start_s,end_s\ntomato,audio/a.wav,1.5,2\ntomato,b,,\n"
    assert read_examples(io.BytesIO(text)) == [
        QueryExample("tomato", "a", 1500, 2000),
        QueryExample("tomato", "b"),
    ]
    assert read_examples(io.BytesIO(b"note,query,recording\nx,q,r\n")) == [QueryExample("q", "r")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the columns query,recording"),
        ("query,file\na,b\n", "the columns query,recording"),
        ("query,recording,start_s\na,b,1\n", "the columns query,recording"),
        ("query,recording\n", "a line for each example"),
        ("query,recording\na,\n", ":2: expected a value in column recording"),
        ("query,recording\na,b\na,b\n", ":3: expected each example once .line 2"),
        ("query,recording,start_s,end_s\na,b,1,\n", "both start_s and end_s"),
        ("query,recording,start_s,end_s\na,b,2,1\n", "start_s before end_s"),
        ("query,recording,start_s,end_s\na,b,x,1\n", "a number at start_s"),
    ],
)
def test_mistakes_are_named(text, expected):
    with pytest.raises(InputError, match=expected):
        read_examples(io.BytesIO(text.encode()), "examples.csv")
