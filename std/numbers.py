"""Numbers as text: equal on every CPU in files and answers, rounded for people in sentences.

written, json_bytes             values of files and answers
about, counted, example         counts in a sentence, with an example
clock, length, duration         times and lengths of time
"""

from collections.abc import Sequence
from typing import Any

DIGITS = 12  # significant ones: the same on every CPU, whose vector units differ in the last of 16
_FORMAT = f"%.{DIGITS}g"

AS_THEY_ARE = frozenset({str, int, bool, type(None)})  # most values, which a call each would delay


def written(value: Any) -> Any:
    """A value as it is written: its floats to 12 digits, also in lists and objects.

    >>> written(0.1 + 0.2), written([{"a": 2 / 3}, "x", 7])
    (0.3, [{'a': 0.666666666667}, 'x', 7])
    """
    if isinstance(value, dict):
        return dict(zip(value, written([*value.values()]), strict=True))
    if isinstance(value, list | tuple):
        return [
            one
            if (kind := type(one)) in AS_THEY_ARE
            else float(_FORMAT % one)
            if kind is float
            else written(one)
            for one in value
        ]
    return float(_FORMAT % value) if isinstance(value, float) else value


def written_column(values: Sequence[float | None]) -> list[float | None]:
    """Numbers of a column as they are written, each distinct one once; None stays."""
    of_number = {one: one if one is None else float(_FORMAT % one) for one in {*values}}
    return [of_number[one] for one in values]


def json_bytes(document: Any, option: int = 0) -> bytes:
    """A document as JSON with numbers as they are written."""
    import orjson  # here: a search of one word does without it

    return orjson.dumps(written(document), option=option)


def about(number: float) -> str:
    """An expected count, rounded for a sentence.

    >>> about(28.9), about(1.2), about(0.42), about(0.01)
    ('about 29', 'about 1', 'about 0.4', 'less than 0.1')
    """
    if number < 0.05:
        return "less than 0.1"
    return f"about {number:,.0f}" if number >= 0.95 else f"about {number:.1f}"


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    Args:
        noun: an English noun in the singular, with a regular plural.

    >>> counted(1, "file"), counted(8822, "posting"), counted(0, "spoken query")
    ('1 file', '8,822 postings', '0 spoken queries')
    """
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def example(names: Sequence[object]) -> str:
    """The first of some names, for a sentence that counts them.

    >>> example(["a", "b"]), example(["a"])
    ('a ...', 'a')
    """
    return f"{names[0]}{' ...' if len(names) > 1 else ''}"


def with_channel(name: str, channel: int) -> str:
    """A recording's name, with the number of its channel unless that is the first.

    >>> with_channel("talk", 1), with_channel("talk", 2)
    ('talk', 'talk (2)')
    """
    return name if channel == 1 else f"{name} ({channel})"


def clock(seconds: float) -> str:
    """A time in a recording, as h:mm:ss.s without leading zero hours.

    >>> clock(75.04), clock(3675.0)
    ('1:15.0', '1:01:15.0')
    """
    tenths = round(10 * seconds)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    tail = f"{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"


def length(seconds: float) -> str:
    """A duration in a list, to the second.

    >>> length(94.2), length(3675.0)
    ('1:34', '1:01:15')
    """
    return clock(round(seconds)).removesuffix(".0")


def duration(seconds: float) -> str:
    """A duration in a sentence.

    >>> duration(7.4), duration(75), duration(3725)
    ('7 s', '1 min 15 s', '1 h 02 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole // 60 % 60:02d} min"
