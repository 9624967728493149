"""What no recogniser should write: repeated keys, other encodings, endless nesting."""

import io

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import DEFAULT
from std.errors import InputError
from std.json_fields import Part
from tests.indexer.formats.json.conftest import read
from tests.networks import networks_in


def test_a_key_that_comes_twice_is_refused():
    with pytest.raises(InputError, match=r"news.json:2: expected JSON \(each key once, got text"):
        read("whisper", b'\n{"segments": [], "text": "", "text": "x"}')


def test_json_is_read_in_utf_16_and_refused_where_its_letters_are_broken(tmp_path):
    path = tmp_path / "x.json"
    text = '{"result": [{"word": "tür", "conf": 1, "start": 0, "end": 1}], "text": "tür"}'
    path.write_bytes(text.encode("utf-16"))
    assert [one.words for one in networks_in(parse_file(path))] == [("tür",)]
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"(?i)x.json:1: expected utf-8 text"):
        list(networks_in(parse_file(path)))


def test_what_is_nested_too_deeply_to_show_is_named():
    value = []
    for _ in range(100_000):
        value = [value]
    assert "list with too much in it" in str(Part("x.json", 1, value).error("text"))


def test_alternatives_of_hours_are_refused():
    said_by = [" ".join(f"{word}{i}" for i in range(4000)) for word in "ab"]
    result = {"alternatives": [{"transcript": text} for text in said_by], "resultEndTime": "9s"}
    with pytest.raises(InputError, match=r"news.json:1: expected alternatives of an utterance"):
        read("google", {"results": [result]})


@pytest.mark.parametrize("name", ["aws", "azure", "dstc", "google", "vosk", "watson", "whisper"])
@pytest.mark.parametrize("inner", ["[", '{"results":', '{"response":', '{"segments":[', '{"cnet":'])
def test_nesting_without_end_is_refused(name, inner):
    for depth in (50, 400, 900, 100_000):
        content = inner.encode() * depth
        with pytest.raises(InputError):
            list(networks_in(FORMATS[name].parse(io.BytesIO(content), "x.json", DEFAULT)))
    closed = inner.encode() * 300 + b"7" + inner.replace("[", "]").replace("{", "}")[-1:].encode()
    with pytest.raises(InputError):
        list(networks_in(FORMATS[name].parse(io.BytesIO(closed), "x.json", DEFAULT)))
