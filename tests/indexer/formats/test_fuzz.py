"""Damaged files of every format: an input error, or what is left of them."""

import io
import random
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import ReaderOptions
from indexer.lattices.lattice import Lattice
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.repairs import Repairs
from std.values import Recording
from tests.indexer.formats import named_formats

SAMPLES = {
    "ass": b"[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, "
    b"Name, MarginL, MarginR, MarginV, Effect, Text\n"
    b"Dialogue: 0,0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,{\\k40}Purple {\\k50}carrots\n"
    b"Dialogue: 0,0:00:01.50,0:00:02.40,Default,,0,0,0,,grow\n",
    "lines": b"Anna Smith  0:00\nPurple carrots grow.\n\nBob Jones  0:05\nGreen beans too.\n",
    "youtube": b'{"wireMagic": "pb3", "events": [{"tStartMs": 120, "dDurationMs": 3559, "segs": '
    b'[{"utf8": "purple"}, {"utf8": " carrots", "tOffsetMs": 400, "acAsrConf": 0}]}]}',
    "timeline-xml": b'<?xml version="1.0"?>\n<Trans audio_filename="x"><Episode><Section '
    b'type="report" startTime="0" endTime="2"><Turn startTime="0" endTime="2">\n<Sync time="0"/>\n'
    b'purple <Event desc="b"/> carrots\n<Sync time="1.2"/>\ngrow\n</Turn></Section></Episode>'
    b"</Trans>",
    "fcpxml": b'<?xml version="1.0"?><fcpxml version="1.11"><resources><media id="r2"><sequence '
    b'tcStart="0s"><spine><gap offset="0s" start="0s" duration="9s"><caption lane="1" offset="2s" '
    b'duration="1s"><text>grow</text></caption></gap></spine></sequence></media></resources>'
    b'<project name="x"><sequence tcStart="5s"><spine><ref-clip ref="r2" offset="5s" start="1s" '
    b'duration="4s"><caption lane="1" offset="3s" duration="3003/1500s" role="Anna?captionFormat='
    b'ITT.en"><text><text-style ref="t">purple carrots</text-style></text></caption></ref-clip>'
    b"</spine></sequence></project></fcpxml>",
    "chat": b"@UTF8\n@Begin\n*CHI:\tpurple carrots [/] carrots . \x15500_1400\x15\n"
    b"%wor:\tpurple \x15500_900\x15 carrots \x15900_1400\x15 .\n@End\n",
    "otranscribe": b'{"text": "<p><span class=\\"timestamp\\" data-timestamp=\\"2.1\\">0:02</span>'
    b'Anna: purple carrots<br></p>", "media": "x.mp3", "media-time": 3.2}',
    "timed-text": b'{"language": "en", "segments": [{"start": 0.5, "end": 2.1, "speaker": "A", '
    b'"text": "purple carrots", "words": [{"word": "purple", "start": 0.5, "end": 0.9, "score": 1},'
    b'{"word": "carrots", "start": 0.9, "end": 2.1, "score": 0.5}]}]}',
    "table": b"Begin,End,Label,Type,Speaker\n0.5,0.9,purple,words,anna\n0.5,0.6,P,phones,anna\n"
    b"0.9,1.4,carrots,words,anna\n",
}
SAMPLES = {name: reader.sample for name, reader in FORMATS.items()} | SAMPLES
NAMED = {"youtube srv3": "YouTube srv3", "youtube srv1": "YouTube srv1",
         "timeline-xml exb": "EXMARaLDA", "timeline-xml flk": "FOLKER",
         "lines names": "Otter", "lines last": "Descript"}  # fmt: skip
SAMPLES |= {name: named_formats.SAMPLES[of].content.encode() for name, of in NAMED.items()}
PIECES = [b"", b"-", b"0", b"9" * 40, b"1e999", b"NaN", b'"', b"\\", b"{", b"]", b"<", b"&", b",",
          b":", b"\x00", b"\xff", b"\x15", b"\n", b"\t", b"null", b"\xef\xbb\xbf",
          b"[" * 500]  # fmt: skip
HOSTILE = [  # a format, a beginning, and what is repeated: time grew with the square, or worse
    ("lines", "Anna 0:05\nAnna", " "),
    ("lines", "0:05 a\n.", "\u0301"),
    ("lines", "0:05 a\n0:06 b\n0:07 c\n0:08 d", "\u00a0"),
    ("ass", "[Script Info]\n[Events]\nDialogue: 0,0:00:00.50,0:00:01.40,a,,0,0,0,,{", "\\k1"),
    ("otranscribe", '{"text": "<span', " data-timestamp='1'"),
    ("table", "begin,end,text\n0,1,a\n", "1"),
    ("timed-text", '[{"start": 0, "end": 1, "text": "a", "', "("),
    ("timeline-xml", "<Trans><Turn startTime='0' endTime='1'>a", "<Sync time='1'/>"),
    ("timeline-xml", "<Trans><Turn startTime='0' endTime='1'>a(", "1"),
    ("stm", "x 1 a 0 1 <", ","),
]
ENDS = {"otranscribe": '"}', "timed-text": '": 1}]', "table": "x,1,b\n",
        "timeline-xml": "</Turn></Trans>"}  # fmt: skip
ROUNDS = 250
MOST_S = 1.0  # of CPU for a damaged sample of some 300 bytes
MOST_BYTES = 64 << 20


def damaged(content, chance):
    """Some bytes taken out, doubled, or put in other places."""
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(content) + 1)
        to = min(len(content), at + chance.choice([0, 1, 1, 2, 8, 40]))
        kept = content[at:to] * chance.choice([0, 0, 1, 2])
        content = content[:at] + kept + chance.choice(PIECES) + content[to:]
    return content


def read(name, content):
    spans = {"x": UtteranceSpan(Recording("x", 1), 0.0, 0.65)}  # for formats without times
    segments = spans if name in ("sausage", "plf") else None
    options = ReaderOptions(repairs=Repairs(), segments=segments)
    return list(FORMATS[name.partition(" ")[0]].parse(io.BytesIO(content), Path("talk"), options))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read(name):
    blocks = read(name, SAMPLES[name])
    words = [block.word if isinstance(block, Lattice) else block.words for block in blocks]
    assert sum(map(len, words)) >= 2


@pytest.mark.parametrize("name", SAMPLES)
def test_damage_is_an_input_error_or_less_speech(name):
    chance = random.Random(name)
    for _ in range(ROUNDS):
        content = damaged(SAMPLES[name], chance)
        started = time.process_time()
        try:
            blocks = read(name, content)
        except InputError:
            blocks = []
        assert time.process_time() - started < MOST_S, content
        for block in (one for one in blocks if not isinstance(one, Lattice)):
            assert (block.spans_ms[:, 0] <= block.spans_ms[:, 1]).all(), content
            assert (block.word_spans_ms >= 0).all(), content


@pytest.mark.parametrize("name", SAMPLES)
def test_detection_bears_damage_too(tmp_path, name):
    chance, path = random.Random(name), tmp_path / "talk"
    for _ in range(ROUNDS // 5):
        path.write_bytes(damaged(SAMPLES[name], chance))
        with suppress(InputError):
            list(parse_file(path, options=ReaderOptions(repairs=Repairs())))


@pytest.mark.parametrize("name", SAMPLES)
def test_memory_is_bounded(name):
    chance = random.Random(name)
    tracemalloc.start()
    try:
        for _ in range(ROUNDS // 10):
            with suppress(InputError):
                read(name, damaged(SAMPLES[name], chance))
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("name", "begin", "unit"), HOSTILE)
def test_hostile_files_take_linear_time(name, begin, unit):
    content = begin + unit * (100_000 // len(unit)) + ENDS.get(name, ":x\n")
    began_s = time.process_time()
    with suppress(InputError):
        read(name, content.encode())
    assert time.process_time() - began_s < 2
