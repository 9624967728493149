"""Which column of a table, or key of an object, holds what of a cue, by the names people give them.

named       names -> what each of them holds
unit        whether times without a unit are seconds or milliseconds
time_s, times_s    written times -> seconds
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from indexer.formats.clock import CLOCK, seconds

NAMES: Mapping[str, tuple[str, ...]] = {
    "start": (
        "start", "start time", "starttime", "begin", "begin time", "from", "onset", "tmin", "xmin",
        "t0", "in", "time start", "start offset", "start ts", "timestamp", "time",
    ),
    "end": (
        "end", "end time", "endtime", "stop", "stop time", "to", "offset", "tmax", "xmax", "t1",
        "out", "time end", "end offset", "end ts", "finish",
    ),
    "duration": ("duration", "dur", "length"),
    "text": (
        "text", "transcript", "transcription", "sentence", "utterance", "caption", "subtitle",
        "content", "speech", "label", "annotation", "orthography", "words str",
    ),
    "word": ("word", "token"),
    "confidence": ("confidence", "conf", "probability", "score"),
    "file": ("file", "filename", "file name", "recording", "audio", "audio file", "wav", "media"),
    "channel": ("channel",),
    "language": ("language", "lang", "locale"),
}  # fmt: skip
_BY_NAME = {name: what for what, names in NAMES.items() for name in names}
_UNITS = {"ms": 0.001, "msec": 0.001, "milliseconds": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0}
_UNIT = re.compile(rf"^(.*?)[ (\[]+({'|'.join(_UNITS)})[)\]]?$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CLOCK = re.compile(rf"{CLOCK}")
_NUMBER = re.compile(r"\+?((?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(ms|s)?")
LETTERS_PER_UNIT = 1.0  # of time; speech has about 15 a second, .015 a millisecond


class Column(NamedTuple):
    """What a column holds; for a time the seconds of its unit, 0 where its name has none."""

    what: str
    unit_s: float = 0.0


def named(name: str) -> Column | None:
    """Tell what a column or key of this name holds; None if it is nothing of a cue's.

    >>> named("Start Time (ms)"), named("endTime"), named("speaker")
    (Column(what='start', unit_s=0.001), Column(what='end', unit_s=0.0), None)
    """
    words = re.sub(r"[\s_.-]+", " ", _CAMEL.sub(" ", name.strip())).strip().lower()
    unit = _UNIT.match(words)
    if words not in _BY_NAME and unit and unit[1].strip() in _BY_NAME:
        return Column(_BY_NAME[unit[1].strip()], _UNITS[unit[2]])
    return Column(_BY_NAME[words]) if words in _BY_NAME else None


def columns_of(names: Iterable[str]) -> dict[str, tuple[int, Column]]:
    """Return, by what they hold, the place and kind of the columns of a cue; the first of each."""
    columns: dict[str, tuple[int, Column]] = {}
    for place, name in enumerate(names):
        if column := named(name):
            columns.setdefault(column.what, (place, column))
    return columns


def is_complete(columns: Mapping[str, object]) -> bool:
    """Tell whether there are a start, an end or a duration, and words."""
    has_end = "end" in columns or "duration" in columns
    return "start" in columns and has_end and ("text" in columns or "word" in columns)


def time_s(written: str, unit_s: float) -> float:
    """Read a time: a number, perhaps with its unit, or a clock's.

    Raises:
        ValueError: it is none.

    >>> time_s("1:02.5", 0.001), time_s("1500", 0.001), time_s("2 s", 0.001), time_s("0,5", 1.0)
    (62.5, 1.5, 2.0, 0.5)
    """
    written = written.strip()
    if clock := _CLOCK.fullmatch(written):
        return seconds(*clock.groups())
    number = _NUMBER.fullmatch(written)
    if number is None:
        raise ValueError(written)
    return float(number[1].replace(",", ".")) * (_UNITS[number[2]] if number[2] else unit_s)


def times_s(written: Sequence[str], unit_s: float) -> list[float]:
    """Read many times: `time_s` of each, at once if all are plain numbers.

    Raises:
        ValueError: one is none.
    """
    digits = "".join(written).replace(".", "")
    if digits.isascii() and digits.isdecimal() and all(written):
        return [float(one) * unit_s for one in written]
    return [time_s(one, unit_s) for one in written]


def unit_s(rows: Iterable[tuple[str, str, str]]) -> float:
    """Tell the unit of times that have none: (start, end, text) of some rows -> seconds of it.

    Whisper's tables have whole milliseconds under the names under which others have seconds. They
    are told by the rate of speech: whole numbers are milliseconds if hardly a letter falls to each.
    """
    letters = length = 0.0
    for start, end, text in rows:
        if not (start.strip().isdecimal() and end.strip().isdecimal()):
            return 1.0
        letters += len(text)
        length += max(0.0, float(end) - float(start))  # infinite beyond 308 digits
    return 0.001 if letters < LETTERS_PER_UNIT * length else 1.0
