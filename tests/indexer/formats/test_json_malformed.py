"""Recognisers' JSON with a value missing, wrong or extreme: one error that names its place."""

import copy
import io
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.readers import (
    aws,
    azure,
    google,
    vosk,
    watson,
    whisper,
    youtube,
)
from indexer.formats.registry import readers
from indexer.formats.shared.reader import DEFAULT
from std.errors import InputError
from std.json_fields import documents, read_json
from tests.indexer.formats.test_json import EXAMPLES, JSON, parse


def without(value, *way):
    value = copy.deepcopy(value)
    inner = value
    for key in way[:-1]:
        inner = inner[key]
    del inner[way[-1]]
    return value


def with_(value, new, *way):
    value = copy.deepcopy(value)
    inner = value
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = new
    return value


def example(name):
    return json.loads((JSON / name).read_text())


WHISPER, AWS, GOOGLE, WATSON = map(
    example, ["whisper.json", "aws.json", "google_v1.json", "watson.json"]
)
VOSK = {"result": [{"conf": 1, "start": 0, "end": 1, "word": "ja"}], "text": "ja"}
AZURE = example("azure_batch.json")
WORD = ("segments", 0, "words", 0)
PHRASE = ("recognizedPhrases", 0)
ERRORS = [
    (whisper, [], "a JSON document"),
    (whisper, {"text": "x"}, "a list at segments"),
    (whisper, with_(WHISPER, "x", *WORD, "start"), "a number at segments[0].words[0].start"),
    (whisper, with_(WHISPER, -1, *WORD, "start"), "seconds from 0"),
    (whisper, with_(WHISPER, 9, *WORD, "start"), "0 <= start <= end"),
    (whisper, with_(WHISPER, 70, *WORD, "end"), "a word of at most"),
    (whisper, with_(WHISPER, 1.5, *WORD, "probability"), "a number from 0 to 1"),
    (whisper, with_(WHISPER, None, *WORD, "word"), "text at segments[0].words[0].text"),
    (whisper, with_(WHISPER, 3, "segments", 0), "a JSON object at segments[0]"),
    (whisper, without(WHISPER, "segments", 0, "end"), "a number at segments[0].end"),
    (vosk, {"text": "ja"}, "a list at result"),
    (vosk, with_(VOSK, True, "result", 0, "conf"), "a number at result[0].conf"),
    (vosk, with_(VOSK, "\ud800", "result", 0, "word"), "text at result[0].word"),
    (vosk, {"alternatives": [{"result": [], "text": "a"}]}, "a number at alternatives[0].confid"),
    (aws, {"jobName": "x"}, "a JSON object at results"),
    (aws, without(AWS, "results", "items", 0, "end_time"), "a number at results.items[0].end_time"),
    (google, {"a": 1}, "a list at results"),
    (google, with_(GOOGLE, "x", "results", 0, "resultEndTime"), "a number at results[0].result"),
    (google, with_(GOOGLE, 10**30, "results", 1, "channelTag"), "a channel number at results[1]"),
    (google, {"results": [{"alternatives": [{"transcript": "ja"}]}]}, "times of its words"),
    (google, with_(GOOGLE, "x", "results", 0), "a JSON object at results[0]"),
    (google, {"results": {"a": {"transcript": "x"}}}, "a JSON object at results.a.transcript"),
    (
        youtube,
        {"events": [{"tStartMs": 0, "segs": [{"utf8": "ja"}, "nein"]}]},
        "a JSON object at events[0].segs[1]",
    ),
    (
        aws,
        with_(AWS, {"segments": [{"items": [{"start_time": []}]}]}, "results", "speaker_labels"),
        "text or a number at results.speaker_labels.segments[0].items[0].start_time",
    ),
    (
        azure,
        with_(AZURE, "bald", *PHRASE, "nBest", 0, "words", 1, "offset"),
        "ticks, or a duration",
    ),
    (azure, with_(AZURE, 3, *PHRASE, "nBest"), "a list at recognizedPhrases[0].nBest"),
    (watson, {"results": 1}, "a list at results"),
    (
        watson,
        with_(WATSON, "ja", "results", 0, "word_alternatives", 0, "start_time"),
        "a number at",
    ),
    (
        watson,
        {"results": [{"alternatives": [{"timestamps": [["a", 1]]}]}]},
        "a list of 3 at results[0]",
    ),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[2] for row in ERRORS])
def test_errors_name_the_place(row):
    module, value, expected = row
    with pytest.raises(InputError) as caught:
        parse(module, value)
    assert expected in caught.value.expected
    assert caught.value.path == "x.json"


def test_broken_json_names_the_line():
    with pytest.raises(InputError) as caught:
        list(documents(io.BytesIO(b'{"a": 1}\n\n{"b": \n oops}\n'), "x.json"))
    assert caught.value.line == 4


def test_nan_is_refused_where_it_is_asked_for():
    (part,) = documents(io.BytesIO(b'{"a": NaN, "b": 1}'), "x.json")
    assert part["b"].number() == 1
    with pytest.raises(InputError, match="expected a number at a, got 'NaN'"):
        part["a"].number()


def test_documents_know_their_lines():
    parts = list(documents(io.BytesIO(b'\n{"a": 1}\n[{"b":\n 2}, 3]\n\n4'), "x.json"))
    assert [(part.line, part.value) for part in parts] == [
        (2, {"a": 1}), (3, {"b": 2}), (3, 3), (6, 4),
    ]  # fmt: skip


VALUES = st.sampled_from(
    [None, True, -1, 0, 2.5, "", "a", "1s", [], {}, [[]], [{}], 10**400, "\ud800"]
)


def places(value, way=()):
    yield way
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*way, key))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_value_anywhere_gives_networks_or_an_input_error(path, data):
    text = path.read_text()
    whole = [json.JSONDecoder().raw_decode(text.split("\n{")[0].strip())[0]]
    way = data.draw(st.sampled_from(list(places(whole))[1:]))
    changed = with_(whole, data.draw(VALUES), *way)
    for reader in readers("json"):
        with suppress(InputError):
            list(reader.parse(io.BytesIO(json.dumps(changed).encode()), path, DEFAULT))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_truncated_files_are_refused(path, data):
    content = path.read_bytes().strip()
    if content.count(b"\n{"):  # one after the other: a cut between two is none
        content = content.split(b"\n{")[0]
    cut = content[: data.draw(st.integers(1, len(content) - 1))]
    for reader in readers("json"):
        with pytest.raises(InputError):
            list(reader.parse(io.BytesIO(cut), path, DEFAULT))


EXTREME = [
    # content, what the line says; None = taken
    (b'\xef\xbb\xbf{"a": [1, 2.5, "\\u00f6"]}', None),
    ('{"a": "\U0001f600"}'.encode(), None),
    (rb'{"a": "\ud83d\ude00"}', None),
    (b'{"a": 1' + b"0" * 300 + b"}", None),
    (b"", "JSON (Expecting value), got the end"),
    (b"{}{}", "JSON (Extra data)"),
    (b'{"a": 1, "a": 1}', "each key once, got a again"),
    (b"[NaN]", "a finite number, got NaN"),
    (b"[-Infinity]", "a finite number, got -Infinity"),
    (b"[1e999]", "a finite number, got 1e999"),
    (b"[0." + b"9" * 400 + b"e400]", "a finite number, got 0.9"),
    (b"[1" + b"0" * 5000 + b"]", "Exceeds the limit"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"),
    (rb'["\ud800"]', "half a surrogate pair"),
    (rb'{"\udfff": 1}', "half a surrogate pair"),
    (b'["\xed\xa0\x80"]', "utf-8 text"),
    (b'["\xff"]', "utf-8 text"),
    ('{"a": 1}'.encode("utf-16"), "utf-8 text"),
    (b'["\0"]', "JSON (Invalid control character at)"),
    (b"\0", "JSON (Expecting value), got '\\x00'"),
    (b"1" * 99 + b"x" * 99_999, "JSON (Extra data)"),
]


@pytest.mark.parametrize(("content", "message"), EXTREME)
def test_a_document_of_ours_is_taken_whole_or_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    if message is None:
        assert read_json(path).value == json.loads(content.decode("utf-8-sig"))
        return
    with pytest.raises(InputError) as caught:
        read_json(path)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert len(text) < len(str(path)) + 300


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("number", [10**400, -(10**400)], ids=["huge", "hugely negative"])
def test_a_number_that_no_float_holds_is_a_value_like_any(number, at):
    """Whole numbers of JSON have no end; rows that are lists are told by their numbers."""
    rows = [["so", 0.5, 1.5, 0.9], ["gut", 1.5, 2.0, 0.9]]
    rows[0][at] = number
    parent = {"start": number, "end": 1.5, "words": [{"word": "so", "start": 0.5, "end": 1.5}]}
    for reader in readers("json"):
        for document in (rows, {"segments": [parent]}):
            content = io.BytesIO(json.dumps(document).encode())
            with suppress(InputError):
                list(reader.parse(content, Path("a.json"), DEFAULT))
