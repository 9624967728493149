"""Describe files that no reader knows, for messages and for skipping foreign files.

    unknown         first bytes -> the error of an unknown format
    near_json       JSON -> the formats that have most of its keys, nearest first

Of a file's content, messages show names only: keys of JSON, the root of XML, columns of a table.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from indexer.formats.registry import all_readers, readers
from indexer.formats.shared.columns_of_cues import columns_of
from indexer.formats.shared.recordings import RTTM_TYPES
from indexer.formats.shared.table_rows import SEPARATORS
from std.errors import EMPTY_FILE, ForeignFileError, InputError, Unquoted
from std.nist.audio_names import AUDIO_EXTENSION
from std.nist.xml import root_name

RECOGNISER_FIRST = (
    "a recogniser must turn speech into words first: std-recognise AUDIO --output NETWORKS, "
    "then std-index NETWORKS (or what any other recogniser writes)"
)
ALL_FORMATS = "std-index --help names the formats"
UNPACK = "unpack it first"
WITHOUT_TIMES = "a transcript needs times: index the recogniser's SRT, WebVTT or JSON"
_PROSE = re.compile(rb"(?:[^\W\d_]|[\x80-\xff]|[\s'\",.!?:;()-]){40}")
IS_REFERENCE = "std-score takes it as the reference"


class _Magic(NamedTuple):
    pattern: bytes  # a regular expression of the first bytes
    what: str
    hint: str = ""


BINARY = [
    _Magic(rb"RIFF....WAVE|RF64....WAVE", "WAV audio", RECOGNISER_FIRST),
    _Magic(rb"NIST_1A", "NIST SPHERE audio", RECOGNISER_FIRST),
    _Magic(rb"ID3|\xff[\xfb\xf3\xf2\xfa]", "MP3 audio", RECOGNISER_FIRST),
    _Magic(rb"fLaC", "FLAC audio", RECOGNISER_FIRST),
    _Magic(rb"OggS.{24}.{0,255}?OpusHead", "Opus audio", RECOGNISER_FIRST),
    _Magic(rb"OggS", "Ogg audio", RECOGNISER_FIRST),
    _Magic(rb"\xff[\xf1\xf9]", "AAC audio", RECOGNISER_FIRST),
    _Magic(rb"....ftyp(M4A|M4B|mp42)", "M4A audio", RECOGNISER_FIRST),
    _Magic(rb"....ftyp", "an MP4 film", RECOGNISER_FIRST),
    _Magic(rb"\x1a\x45\xdf\xa3", "a WebM or Matroska film", RECOGNISER_FIRST),
    _Magic(rb"FORM....AIF[FC]", "AIFF audio", RECOGNISER_FIRST),
    _Magic(rb"\.snd|dns\.", "AU audio", RECOGNISER_FIRST),
    _Magic(rb"caff", "CAF audio", RECOGNISER_FIRST),
    _Magic(rb"#!AMR", "AMR audio", RECOGNISER_FIRST),
    _Magic(rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "WMA audio", RECOGNISER_FIRST),
    _Magic(rb"RIFF....AVI ", "an AVI film", RECOGNISER_FIRST),
    _Magic(rb"\x00\x00\x01[\xb3\xba]", "an MPEG film", RECOGNISER_FIRST),
    _Magic(rb"PK\x03\x04|PK\x05\x06", "a ZIP archive or an office document", UNPACK),
    _Magic(rb"BZh\d", "bzip2", UNPACK),
    _Magic(rb"\xfd7zXZ\x00", "xz", UNPACK),
    _Magic(rb"\x28\xb5\x2f\xfd", "Zstandard", UNPACK),
    _Magic(rb"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    _Magic(rb"Rar!\x1a\x07", "a RAR archive", UNPACK),
    _Magic(rb".{257}ustar", "a tar archive", UNPACK),
    _Magic(rb"%PDF-", "a PDF document"),
    _Magic(rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM....\x00\x00\x00\x00", "an image"),
    _Magic(rb"SQLite format 3\x00", "an SQLite database"),
    _Magic(rb"\x93NUMPY", "a NumPy array"),
    _Magic(rb"\x89HDF\r\n", "an HDF5 file"),
    _Magic(rb"\x80[\x02-\x05][\x95c}\](K]", "a Python pickle"),
    _Magic(rb"\x7fELF|MZ|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe", "a program"),
    _Magic(rb"\x00\x00\x00\x01Bud1", "a folder's settings of macOS"),
]
TEXT = [
    _Magic(rb"Scenarist_SCC", "SCC, closed captions as codes", "convert it to SRT or WebVTT"),
    _Magic(rb"\d{3}STL\d\d\.", "STL, subtitles of broadcasters (EBU)", "convert it to SRT"),
    _Magic(
        rb"(.{0,9999}?\n)?([ .]*pass1_best:|### Recognition: 1st)",
        "the log of Julius, whose times count from each utterance",
        "write its words as CTM: recording 1 start duration word confidence",
    ),
    _Magic(rb"\[INFORMATION\]|\[SUBTITLE\]", "SubViewer captions", "convert it to SRT"),
    _Magic(rb"\[\d+\]\[\d+\]", "MPL2 captions", "convert it to SRT"),
    _Magic(
        rb"[^\s]+ [^\s]+ \d+(\.\d+)? \d+(\.\d+)?[ \t]*(\n|$)",
        "segments of Kaldi (utterance, recording, start, end)",
        "give it as --segments beside the recogniser's output",
    ),
    _Magic(rb"\{\d+\}\{\d+\}", "MicroDVD captions, whose times are frames", "convert it to SRT"),
    _Magic(
        rb"\d+\.\d+\t\d+\.\d+\t[^\t\n]*[^\W\d]",
        "labels of Audacity, a table without headings",
        "write a first line start<TAB>end<TAB>text",
    ),
    _Magic(rb"(?s).{0,99}ooTextFile", "a Praat object other than a TextGrid"),
    _Magic(rb"ooBinaryFile", "a binary Praat file", "save it as a text file"),
    _Magic(rb"(;[^\n]*\n|[^\S\n]*\n)*(%b)[ \t]" % RTTM_TYPES, "RTTM", IS_REFERENCE),
    _Magic(rb"(?i)<!doctype html|<html", "HTML"),
    _Magic(
        rb"[^\s]+ [^\s]+ \d+\.\d+ \d+\.\d+ -\d+(\.\d+)? [^\W\d]",
        "segments of an aligner (utterance, recording, start, end, score, text)",
        "write them as STM: recording 1 utterance start end text",
    ),
    _Magic(
        rb"[^\t\n]+\t[^\t\n]*\t(\d+\.\d+\t){2,3}[^\t\n]*[^\W\d]",
        "a table without headings, as ELAN exports it",
        "export it with headings (Tier, Begin Time, End Time, Text), or index the .eaf",
    ),
    _Magic(
        rb"[^\t\n]+(\t[^\t\n]*){3,}\n(\d{1,3}:)?\d{1,2}:\d\d([.,]\d+)?\t(\d[\d:.,]*\t)+",
        "a table of times with headings that are not known",
        "name its columns Begin Time, End Time, Speaker, Text",
    ),
]
NIST_ROOTS = {"ecf", "termlist", "kwlist", "stdlist", "kwslist"}
XML_HINTS = {
    "window": "these are RealText captions: convert them to SRT",
    "xmeml": "its captions are read if exported as SRT, or from Final Cut's .fcpxml",
}

IN_BRACKETS = re.compile(  # lines of LRC and of Whisper's programs, a heading of ASS, a name
    rb"[\[{]\s*\d{1,3}(:\d\d|\.\d\d\.\d\d|[hm]\s?\d)|\[\d{1,6}\.\d{1,3}s?\s*-+>"
    rb"|\[[a-z]{2,6}:[^\]\n]*\]|\[script info\]"
    rb"|\[[^\s\d\"'{}\[\]][^\"\n{}\[\]]{0,80}\]\s*[\[(]?\d{1,3}:\d\d",
    re.IGNORECASE,
)
IS_JSON = re.compile(r"\.jsonl?(\.gz)?$", re.IGNORECASE)
_KEY = re.compile(rb'"([^"\\\x00-\x1f]{1,40})"\s*:')
SHOWN_KEYS = 6
HALF = 0.5


def unknown(
    head: bytes,
    path: Path | str,
    lacks: Mapping[str, str] | None = None,
    instead: tuple[str, str] | None = None,
) -> InputError:
    """Return the error of a file of an unknown format.

    Args:
        head: its first bytes, without a byte order mark.
        path: its name.
        lacks: keys that readers of JSON missed in it, by format.
        instead: the kind of JSON and what to do, if known.
    """
    expected = "recogniser output"
    claims = _is_claimed(path)
    binary = _first(BINARY, head)
    if not head.strip():
        claims = claims or bool(IS_JSON.search(str(path)))
        return (InputError if claims else ForeignFileError)(path, 1, expected, EMPTY_FILE)
    if binary is None and b"\0" in head[:4096]:
        hint = RECOGNISER_FIRST if AUDIO_EXTENSION.search(str(path)) else ""
        binary = _Magic(b"", "audio, by its name" if hint else "binary data", hint)
    if binary is not None:
        return ForeignFileError(path, 0, expected, Unquoted(binary.what), binary.hint)
    is_text = IN_BRACKETS.match(head) or _first(TEXT, head)
    is_json = not is_text and re.match(rb"\s*([{\[]\s*[\[{\"\d\]}]|[{\[]\s*$)", head)
    what, hint = instead or (_json(head, lacks) if is_json else _text(head))
    if not instead:
        hint = hint or ALL_FORMATS
    return (InputError if claims else ForeignFileError)(path, 1, expected, Unquoted(what), hint)


def near_json(content: bytes, least: float = 0.0) -> list[str]:
    """Return formats that share keys with JSON, nearest first.

    Args:
        content: the JSON.
        least: share of a format's keys that it must have; at least one key.
    """
    keys = {key.decode(errors="replace") for key in _KEY.findall(content)}
    shares = {
        reader.name: max((_share(keys, one) for one in reader.keys), default=0.0)
        for reader in readers("json")
    }
    near = (name for name, share in shares.items() if share and share >= least)
    return sorted(near, key=lambda name: -shares[name])


def has_keys(content: bytes) -> bool:
    """Whether there is a key of JSON."""
    return _KEY.search(content) is not None


def _share(keys: set[str], wanted: str) -> float:
    return len(keys & {*wanted.split()}) / len(wanted.split())


def _first(table: list[_Magic], head: bytes) -> _Magic | None:
    return next((one for one in table if re.match(b"(?s)" + one.pattern, head)), None)


def _json(head: bytes, lacks: Mapping[str, str] | None) -> tuple[str, str]:
    keys = list(dict.fromkeys(key.decode(errors="replace") for key in _KEY.findall(head)))
    shown = ", ".join(keys[:SHOWN_KEYS]) + (", ..." if len(keys) > SHOWN_KEYS else "")
    what = f"JSON with the keys {shown}" if keys else "JSON without keys"
    near = near_json(head, HALF)[:2]
    if lacks is None:
        lacks = {name: _missing({*keys}, all_readers()[name].keys) for name in near}
    return what, _comes_near({name: lacks[name] for name in near if lacks.get(name)})


def _missing(keys: set[str], sets: tuple[str, ...]) -> str:
    best = max(sets, key=lambda one: _share(keys, one))
    return ", ".join(key for key in best.split() if key not in keys)


def _comes_near(lacks: Mapping[str, str]) -> str:
    return "; ".join(f"{name} comes near, but lacks {what}" for name, what in lacks.items())


def _text(head: bytes) -> tuple[str, str]:
    known = _first(TEXT, head)
    if known:
        return known.what, known.hint
    if name := root_name(head):
        hint = "std-search and std-score take it" if name in NIST_ROOTS else XML_HINTS.get(name, "")
        return f"XML, a document <{name}>", hint
    if columns := _columns_without_text(head):
        return f"a table with the columns {columns}", "name the column of the words Text"
    lacks = ((reader.name, reader.lacks(head)) for reader in readers("text"))
    nearest = next(((name, what) for name, what in lacks if what), None)
    if nearest is None and _PROSE.match(head):
        return "text", WITHOUT_TIMES
    return "text", _comes_near(dict([nearest] if nearest else []))


def _columns_without_text(head: bytes) -> str:
    """The headings of a table that has starts, and ends or durations, but no text by its name."""
    heading = head.partition(b"\n")[0].decode("utf-8", "replace").strip()
    for separator in SEPARATORS:
        names = [name.strip(' "') for name in heading.split(separator)]
        if "start" in (found := columns_of(names)) and {"end", "duration"} & {*found}:
            return ", ".join(names)
    return ""


def _is_claimed(path: Path | str) -> bool:
    """Whether a file name is used only by a known format."""
    extension = Path(path).name.lower().removesuffix(".gz").rpartition(".")[2]
    return any(extension in reader.extensions for reader in all_readers().values())
