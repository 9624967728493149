"""All samples of all formats against all readers: each is told by its content, and by no other.

A sample is a file of `tests/data/asr` or `tests/data/captions`, or a text of this module where a
format has none there.
"""

import io
from contextlib import suppress
from pathlib import Path

import pytest

from indexer.formats.detect import FORMATS, JSON_FORMATS, TEXT_FORMATS, detect, is_json, parse_file
from indexer.formats.shared.encodings import as_utf8
from indexer.formats.shared.reader_options import DEFAULT
from std.errors import InputError
from tests.indexer.formats.captions.word import word_document

DATA = Path(__file__).parents[2] / "data"
TEXTS = {
    "kaldi-lattice": b"utt1\n0\t1\t12\t0.5,10.5,1_2\n1\t0.0,0.0,\n\n",
    "plf": b"((('das',0.9,1),('dass',0.1,1),),(('haus',1.0,1),),)\n",
    "sausage": b"utt1 [ <eps> 0.98 das 0.02 ] [ haus 0.9 aus 0.1 ]\n",
    "pocketsphinx": b"# getcwd: /x\n# -logbase 1.0001\nFrames 10\n#\n"
    b"Nodes 1 (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)\n",
    "ass": b"[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, "
    b"Name, MarginL, MarginR, MarginV, Effect, Text\n"
    b"Dialogue: 0,0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,{\\k40}Purple {\\k50}carrots\n",
    "lines": b"Anna Smith  0:00\nPurple carrots grow.\n\nBob Jones  0:05\nGreen beans too.\n",
    "slf": b"VERSION=1.0\nN=2 L=1\nI=0 t=0.0\nI=1 t=0.5\nJ=0 S=0 E=1 W=das a=-1 l=-1\n",
}
TEXTS["youtube"] = (
    b'<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">\n<body>\n'
    b'<p t="120" d="3559" w="1"><s ac="0">purple</s><s t="400" ac="0"> carrots</s></p>\n'
    b"</body>\n</timedtext>\n"
)
TEXTS["timeline-xml"] = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE Trans SYSTEM "trans-14.dtd">\n'
    b'<Trans audio_filename="x"><Episode><Section type="report" startTime="0" endTime="2">\n'
    b'<Turn startTime="0" endTime="2">\n<Sync time="0"/>\npurple carrots\n</Turn></Section>'
    b"</Episode></Trans>\n"
)
TEXTS["fcpxml"] = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.11"><project '
    b'name="x"><sequence tcStart="0s"><spine><gap offset="0s" start="3600s" duration="9s"><caption '
    b'lane="1" offset="3601s" duration="3003/1500s" role="iTT?captionFormat=ITT.en"><text>'
    b'<text-style ref="ts1">purple carrots</text-style></text></caption></gap></spine></sequence>'
    b"</project></fcpxml>\n"
)
TEXTS["docx"] = word_document(
    [["Anna Smith  0:00"], ["Purple carrots."], ["Bob  0:05"], ["Beans."]]
)
TEXTS["chat"] = b"@UTF8\n@Begin\n*CHI:\tpurple carrots . \x15500_1400\x15\n@End\n"
TEXTS["otranscribe"] = (
    b'{"text": "<p><span class=\\"timestamp\\" data-timestamp=\\"2.1\\">0:02</span>Anna: '
    b'purple carrots<br></p>", "media": "x.mp3", "media-time": 3.2}'
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
SAMPLES |= {f"text of {name}": (name, text) for name, text in TEXTS.items()}


def test_every_format_has_a_sample():
    assert {name for name, _ in SAMPLES.values()} == {*FORMATS}


@pytest.mark.parametrize("sample", SAMPLES)
def test_content_tells_the_format(sample):
    expected, content = SAMPLES[sample]
    assert detect(content[: 1 << 16], "x") == expected


@pytest.mark.parametrize("sample", SAMPLES)
def test_line_ends_and_marks_of_encodings_change_nothing(sample):
    expected, content = SAMPLES[sample]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
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
    others = JSON_FORMATS if is_json(head) else TEXT_FORMATS
    claims = {name for name, (_, looks_like) in others.items() if looks_like(head)}
    shared = {"google", "watson", "whisper", "vosk", "azure", "aws"}  # keys, as `detect` asks first
    assert claims - {expected} <= (shared if expected in shared else set())


@pytest.mark.parametrize("reader", FORMATS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_readers_refuse_what_is_not_theirs(sample, reader):
    _, content = SAMPLES[sample]
    with suppress(InputError):  # nothing else is raised
        list(FORMATS[reader][0](io.BytesIO(content[:20_000]), "x", DEFAULT))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_every_sample_has_words(path):
    blocks = list(parse_file(path))
    assert sum(len(block.words) for block in blocks)
