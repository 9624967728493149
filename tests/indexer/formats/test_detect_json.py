"""JSON of every recogniser against every reader: one knows it, the others do not read it."""

import io
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from indexer.formats import FORMAT_NAMES
from indexer.formats.detect import detect, parse_file
from indexer.formats.registry import readers
from indexer.formats.shared.reader import DEFAULT, ReaderOptions
from std.errors import InputError
from std.repairs import Repairs
from tests.networks import networks_in

JSON = Path(__file__).parents[2] / "data" / "asr" / "json"
SAMPLES = sorted(JSON.iterdir())

# A file's name begins with that of its format, but for three.
FORMAT_OF = {name: name for name in FORMAT_NAMES} | {
    "faster_whisper": "whisper",
    "transformers": "whisper",
    "transformers_n_best": "transformers",
}
GENERIC = "timed-text"  # rows of start, end and text, whoever writes them: asked last
READ_BY_OTHERS = {
    "elevenlabs": {"whisper"},
    "gentle": {"whisper"},  # a list of words with start and end
    "nemo": {"azure"},  # a phrase of which only "duration" and "text" are known
}


def format_of(path):
    return FORMAT_OF[max(filter(path.name.startswith, FORMAT_OF), key=len)]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_one_reader_knows_it(path):
    head = path.read_bytes()
    knowing = {reader.name for reader in readers("json") if reader.looks_like(head)}
    assert knowing - {GENERIC} == {format_of(path)}
    assert detect(head, "x") == format_of(path)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_other_readers_find_no_words(path):
    reading, content = set(), path.read_bytes()
    for reader in readers("json"):
        with suppress(InputError):
            if any(
                one.words for one in networks_in(reader.parse(io.BytesIO(content), path, DEFAULT))
            ):
                reading.add(reader.name)
    name = format_of(path)
    assert reading - {GENERIC} == {name} | READ_BY_OTHERS.get(name, set())


CERTAINTIES = re.compile(r'"(confidence|score|p|conf|probability)": *("?)[\d.]+', re.IGNORECASE)


RATED = [path for path in SAMPLES if path.name not in ("watson.json", "whisperx.json")]


@pytest.mark.parametrize("path", RATED, ids=lambda path: path.name)  # others have a word without
def test_confidences_that_are_all_0_are_none(tmp_path, path):
    """Such files were read as empty."""
    zero = tmp_path / path.name
    zero.write_text(CERTAINTIES.sub(r'"\1": \g<2>0', path.read_text()))
    read = [[*networks_in(parse_file(one))] for one in (path, zero)]
    said, unrated = ({word for one in found for word in one.words} for found in read)
    assert unrated == said


KEYS = sorted({key for reader in readers("json") for one in reader.keys for key in one.split()})


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_words_that_are_said_are_no_keys(path):
    """A talk about file formats: every key of every format is a word of it."""
    spoken = json.dumps([{"word": key} for key in KEYS] + KEYS).encode()
    first, rest = path.read_bytes()[:1], path.read_bytes()[1:]
    said = b'"said": ' + spoken + b", " if first == b"{" else b"[%b], " % spoken
    assert detect(first + said + rest, "x") == format_of(path)


def test_every_reader_has_a_sample():
    assert {format_of(path) for path in SAMPLES} == {one.name for one in readers("json")} - {
        "jsonl",
        GENERIC,
    }


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"text": ""}', b'{"a": {"b": [1, 2.5, null]}}'])
def test_nobody_knows_what_is_none(text):
    assert [reader.name for reader in readers("json") if reader.looks_like(text)] == []
    for reader in readers("json"):
        with suppress(InputError):
            assert list(networks_in(reader.parse(io.BytesIO(text), "x.json", DEFAULT))) == []


@pytest.mark.parametrize(
    "document",
    [
        {"segments": None, "text": "hello"},
        {"segments": 3, "language": "de"},
        {"segments": ["a", "b"], "text": "hi"},
        {"chunks": [{"text": "a"}], "timestamp": 1},
    ],
)
def test_json_that_is_no_transcript_is_called_so(tmp_path, document):
    """A list that a reader misses was all that the line named."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="expected recogniser output, got JSON with the keys"):
        list(parse_file(path, options=ReaderOptions(repairs=Repairs())))


@pytest.mark.parametrize(
    "word",
    [
        {"word": " hi", "start": 0, "end": 1, "probability": 7},
        {"word": None, "start": 0, "end": 1},
        {"word": " hi", "start": 0, "end": 900},
    ],
)
def test_words_that_their_reader_refuses_are_not_left_out_by_another(tmp_path, word):
    """Whisper's segments are captions, too: their words must not get lost with their times."""
    segment = {"id": 0, "start": 0.0, "end": 2.0, "text": " hello there", "words": [word]}
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"text": "", "language": "en", "segments": [segment]}))
    with pytest.raises(InputError, match=r"segments\[0\]\.words\[0\]|at most 65.535 s"):
        list(parse_file(path))
