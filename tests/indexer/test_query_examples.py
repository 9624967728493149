"""Which recordings are examples of which query."""

import io
import json

import pytest

from indexer import read_spoken_queries
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


def test_a_stretch_is_where_the_likeliest_words_are(tmp_path):
    """A slot that is likelier empty is none; a query without words is all of its utterance."""
    path = tmp_path / "networks.jsonl"
    for name, epsilon in (("tomato", 0.1), ("nothing", 0.7)):
        slots = [
            {"s": 0.0, "e": 0.4, "eps": 0.8, "w": [["a", 0.2, 0.0, 0.4]]},
            {
                "s": 0.5,
                "e": 0.9,
                "eps": epsilon,
                "w": [["to", 0.3, 0.6, 0.9], ["b", 0.1, 0.5, 0.7]],
            },
            {"s": 0.9, "e": 1.3, "eps": epsilon, "w": [["mato", 0.3, 0.9, 1.25]]},
        ]
        line = {"utt": name, "file": name, "channel": 1, "start": 0, "end": 2, "slots": slots}
        with path.open("a") as sink:
            sink.write(json.dumps(line) + "\n")
    found = read_spoken_queries(path).spoken.queries
    assert {one.query_id: one.stretches for one in found} == {
        "tomato": (("tomato", 0.6, 1.25),),
        "nothing": (("nothing", 0.0, 2.0),),
    }
    (cut,) = read_spoken_queries(
        path, examples=[QueryExample("q", "tomato", 500, 800)]
    ).spoken.queries
    assert cut.stretches == (("tomato", 0.5, 0.8),)
