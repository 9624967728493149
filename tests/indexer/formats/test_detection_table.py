"""All samples of all formats against all readers: each is told by its content, and by no other.

A sample is a file of `tests/data/asr` or `tests/data/captions`, or what its reader declares.
"""

import io
from pathlib import Path

import pytest

from indexer.formats.detect import detect, is_json, parse_file
from indexer.formats.registry import FORMATS, readers
from indexer.formats.shared.reader import DEFAULT
from std.encodings import as_utf8
from std.errors import InputError

DATA = Path(__file__).parents[2] / "data"
YOUTUBE_XML = (
    b'<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">\n<body>\n'
    b'<p t="120" d="3559" w="1"><s ac="0">purple</s><s t="400" ac="0"> carrots</s></p>\n'
    b"</body>\n</timedtext>\n"
)
BY_SUFFIX = {".mesh": "mesh", ".jsonl": "jsonl", ".ctm": "ctm", ".srt": "srt", ".vtt": "vtt",
             ".ttml": "ttml", ".eaf": "eaf", ".tei": "tei", ".TextGrid": "textgrid",
             ".tsv": "table", ".csv": "table", ".stm": "stm"}  # fmt: skip


def format_of(path):
    """What a sample is, by its name."""
    if path.parent.name == "json":  # named after the reader, and what of it
        if path.name == "transformers.json":  # chunks, which Whisper's reader reads
            return "whisper"
        begins = (name for name in FORMATS if path.name.startswith(name))
        return max(begins, key=len, default="whisper")
    if path.parent.name == "captions" and path.suffix == ".json":
        return "timed-text"
    return BY_SUFFIX[path.suffix]


PATHS = [
    *sorted((DATA / "asr" / "json").iterdir()),
    *sorted(path for path in (DATA / "asr" / "german").iterdir() if path.suffix in BY_SUFFIX),
    *sorted(path for path in (DATA / "captions").iterdir() if path.suffix != ".md"),
]
SAMPLES = {path.name: (format_of(path), path.read_bytes()) for path in PATHS}
SAMPLES |= {f"sample of {name}": (name, reader.sample) for name, reader in FORMATS.items()}
SAMPLES["YouTube's XML"] = ("youtube", YOUTUBE_XML)


def test_every_format_has_a_sample():
    assert {name for name, _ in SAMPLES.values()} == {*FORMATS}


@pytest.mark.parametrize("sample", SAMPLES)
def test_content_tells_the_format(sample):
    expected, content = SAMPLES[sample]
    assert detect(content[: 1 << 16], "x") == expected


@pytest.mark.parametrize("sample", SAMPLES)
def test_line_ends_and_marks_of_encodings_change_nothing(sample):
    expected, content = SAMPLES[sample]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or "binary" in FORMATS[expected].kinds:
        return
    content = content.removeprefix(b"\xef\xbb\xbf")
    assert detect((b"\xef\xbb\xbf" + content)[: 1 << 16], "x") == expected
    if expected in ("srt", "vtt", "ttml", "eaf", "textgrid", "table", "stm"):
        dos = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        assert detect(dos[: 1 << 16], "x") == expected


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_other_reader_of_its_kind_claims_it(sample):
    expected, content = SAMPLES[sample]
    head = as_utf8(content).removeprefix(b"\xef\xbb\xbf").lstrip()[: 1 << 16]
    kind = "json" if is_json(head) else "text"
    claims = {reader.name for reader in readers(kind) if reader.looks_like(head)}
    shared = {"google", "watson", "whisper", "vosk", "azure", "aws"}  # keys, as `detect` asks first
    assert claims - {expected} <= (shared if expected in shared else set())


@pytest.mark.parametrize("reader", FORMATS)
def test_readers_refuse_what_is_not_theirs(reader):
    raised = []
    for sample, (_, content) in SAMPLES.items():
        try:
            list(FORMATS[reader].parse(io.BytesIO(content[:20_000]), "x", DEFAULT))
        except InputError:
            pass
        except Exception as error:  # the list names every sample that ends so
            raised.append((sample, error))
    assert not raised


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_every_sample_has_words(path):
    blocks = list(parse_file(path))
    assert sum(len(block.words) for block in blocks)
