"""Find the columns of a table, or keys of an object, that have a cue's start, end, text, speaker.

columns_of         names -> what each of them holds
time_s, times_s    written times -> seconds

Names are English, and German, French, Spanish or Dutch as in headings of tables.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from indexer.formats.shared.clock import CLOCK, seconds

CUE_COLUMNS: Mapping[str, tuple[str, ...]] = {  # of several for one thing, the first counts
    "start": (
        "start", "start time", "starttime", "begin", "begin time", "begintime", "onset", "tmin",
        "xmin", "t0", "from", "in", "time start", "start ts", "start timestamp", "data start",
        "time begin", "begin timestamp", "t start", "start at", "start position", "tc in",
        "in point", "ts", "timestamp", "timecode", "time code", "time", "bg", "offset start",
        "begin offset", "start offset", "segment start", "st time", "start sec", "start s",
        "anfang", "beginn", "von", "startzeit", "anfangszeit", "zeitstempel", "zeit",
        "début", "debut", "horodatage", "temps", "inicio", "comienzo", "desde", "tiempo",
        "aanvang", "starttijd", "tijd",
    ),
    "end": (
        "end", "end time", "endtime", "stop", "stop time", "to", "tmax", "xmax", "t1", "out",
        "time end", "end ts", "end timestamp", "data end", "t end", "end at", "end position",
        "tc out", "out point", "finish", "ed", "offset end", "end offset", "offset", "en time",
        "ende", "bis", "endzeit", "fin", "final", "hasta", "einde", "eind", "eindtijd",
    ),
    "duration": (
        "duration", "dur", "length", "d duration", "dauer", "durée", "duree", "duración",
        "duracion", "duur",
    ),
    "text": (
        "text", "transcript", "transcription", "sentence", "utterance", "caption", "subtitle",
        "content", "body", "speech", "segment", "phrase", "annotation", "orthography", "label",
        "words str", "final sentence", "onebest", "written", "utf8", "display text", "raw text",
        "lines", "line", "dialogue", "dialog", "message", "msg", "spoken text", "subtitles",
        "captions", "words", "value", "substring", "transkript", "inhalt", "äußerung", "aussage",
        "texte", "contenu", "paroles",
        "texto", "contenido", "frase", "tekst", "inhoud", "zin",
    ),
    "word": ("word", "token", "wort", "mot", "palabra", "woord"),
    "confidence": ("confidence", "conf", "probability", "score", "prob", "word confidence"),
    "log": ("logprob", "log prob", "log probability"),
    "file": (
        "file", "filename", "file name", "recording", "recording id", "audio", "audio file",
        "audio filepath", "audio file path", "audio path", "audio id", "audio name", "wav",
        "wav path", "media", "media id", "video id", "video", "episode", "episode id",
        "session id", "file id", "file path", "filepath", "datei", "aufnahme", "fichier",
        "enregistrement", "archivo", "grabación", "bestand", "opname",
    ),
    "channel": ("channel", "channel id", "channel index", "channel tag", "kanal", "canal"),
    "language": (
        "language", "lang", "locale", "language code", "detected language", "sprache", "langue",
        "idioma", "taal",
    ),
    "speaker": (
        "speaker name", "speaker display name", "voice", "speaker", "speaker label", "speaker id",
        "spk", "spkr",
        "speaker tag", "speaker index", "participant", "who", "user", "author", "name",
        "sprecher", "sprecherin", "person", "locuteur", "intervenant", "orateur", "hablante",
        "orador", "interlocutor", "spreker",
    ),
    "tier": ("tier", "type", "tier name"),
}  # fmt: skip
MAY_BE_OTHERS = {  # a text only beside a start and an end: else columns of logs, of lists
    "value", "label", "line", "lines", "message", "msg", "segment", "content", "token", "words",
    "body", "captions", "subtitles", "annotation", "inhalt", "contenu", "contenido", "inhoud",
}  # fmt: skip
_BY_NAME = {name: what for what, names in CUE_COLUMNS.items() for name in names}
_RANK = {name: rank for names in CUE_COLUMNS.values() for rank, name in enumerate(names)}
_UNITS = {
    "ms": 0.001, "msec": 0.001, "msecs": 0.001, "millis": 0.001, "milliseconds": 0.001,
    "millisecond": 0.001, "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "second": 1.0,
    "sekunden": 1.0, "secondes": 1.0, "segundos": 1.0, "seconden": 1.0, "ticks": 1e-7,
    "us": 1e-6, "micros": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nanos": 1e-9,
}  # fmt: skip
_UNIT = re.compile(rf"^(.*?)(?<![ (\[])[ (\[]++(?:in )?({'|'.join(_UNITS)})[)\]]?$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CLOCK = re.compile(rf"{CLOCK}")
_NUMBER = re.compile(r"\+?(-?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(ms|s)?")

_PARTS = re.compile(
    r"(?=\d+\s*[hm])(?:(\d{1,4})\s*h)?\s*(?:(\d{1,3})\s*m)?\s*(?:(\d{1,3}(?:[.,]\d{1,9})?)\s*s)?"
)
_DOTTED = re.compile(r"(\d{1,2})\.([0-5]\d)\.([0-5]\d)")


class Column(NamedTuple):
    """The content of a column; for a time the seconds of its unit, 0 if its name has none."""

    what: str
    unit_s: float = 0.0


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]+", " ", _CAMEL.sub(" ", name.strip())).strip().lower()


@lru_cache(maxsize=1 << 12)
def _named(words: str) -> Column | None:
    """The part of a cue that a column or key of this name holds; None if none."""
    unit = _UNIT.match(words)
    if words not in _BY_NAME and unit and unit[1].strip() in _BY_NAME:
        return Column(_BY_NAME[unit[1].strip()], _UNITS[unit[2]])
    return Column(_BY_NAME[words]) if words in _BY_NAME else None


def columns_of(names: Iterable[str]) -> dict[str, tuple[int, Column]]:
    """Return, by what they hold, the place and kind of the columns of a cue.

    Of several of one kind, one whose name has a unit counts, else the first in `CUE_COLUMNS`:
    ``start`` before ``start_offset``. An ``offset`` is a start if there is no onset.

    >>> columns_of(["Start Time (ms)", "colour", "endTime"])
    {'start': (0, Column(what='start', unit_s=0.001)), 'end': (2, Column(what='end', unit_s=0.0))}
    """
    found: dict[str, tuple[int, Column]] = {}
    ranks: dict[str, tuple[bool, int]] = {}
    plain = [_plain(name) for name in names]
    for place, name in enumerate(plain):
        column = _named(name)
        if name == "offset" and "onset" not in plain:
            column = Column("start")
        if column is None:
            continue
        rank = not column.unit_s, _RANK.get(name, 0)
        if column.what not in found or rank < ranks[column.what]:
            found[column.what], ranks[column.what] = (place, column), rank
    return found


def is_complete(columns: Mapping[str, object]) -> bool:
    """Whether there are a start and words: an end may be that of the next."""
    return "start" in columns and ("text" in columns or "word" in columns)


def is_text(name: str) -> bool:
    """Whether a column of this name is what was said, and can be nothing else.

    >>> is_text("Transcript"), is_text("value")
    (True, False)
    """
    plain = _plain(name)
    return plain in _BY_NAME and _BY_NAME[plain] in ("text", "word") and plain not in MAY_BE_OTHERS


def time_s(written: str, unit_s: float) -> float:
    """Read a time: a number, perhaps with its unit, or a clock's.

    Raises:
        ValueError: it is not a time.

    >>> time_s("1:02.5", 0.001), time_s("1500", 0.001), time_s("2 s", 0.001), time_s("0,5", 1.0)
    (62.5, 1.5, 2.0, 0.5)
    >>> time_s("0h1m2.5s", 1.0), time_s("1m2s", 1.0), time_s("00.01.02", 1.0)
    (62.5, 62.0, 62.0)
    """
    written = written.strip()
    if clock := _CLOCK.fullmatch(written):
        return seconds(*clock.groups())
    number = _NUMBER.fullmatch(written)
    if number is None:
        return _in_parts_s(written)
    return float(number[1].replace(",", ".")) * (_UNITS[number[2]] if number[2] else unit_s)


def _in_parts_s(written: str) -> float:
    """Read ``0h1m2.5s`` or ``00.01.02``.

    Raises:
        ValueError: it is neither.
    """
    parts = _PARTS.fullmatch(written) or _DOTTED.fullmatch(written)
    if parts is None:
        raise ValueError(written)
    hours, minutes, whole = (float((part or "0").replace(",", ".")) for part in parts.groups())
    return 3600 * hours + 60 * minutes + whole


def times_s(written: Sequence[str], unit_s: float) -> list[float]:
    """Read many times: `time_s` of each, at once if all are plain numbers.

    Raises:
        ValueError: one is not a time.
    """
    digits = "".join(written).replace(".", "")
    if digits.isascii() and digits.isdecimal() and all(written):
        return [float(one) * unit_s for one in written]
    return [time_s(one, unit_s) for one in written]
