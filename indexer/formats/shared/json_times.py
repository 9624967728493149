"""Times in seconds and texts of rows of JSON.

    timed_rows    `indexer.formats.shared.json_row.Row` -> `Timed`
    seconds_of    a time as people write it -> seconds

Times may be numbers, texts (``"1.5s"``, ``0:01:02.5``, ``PT1.5S``) or objects (``relative``, or
``seconds`` and ``nanos``). Their unit is that of the key's name, else by the rate of
speech (`indexer.formats.shared.clock`). Times that count from the start of the object around a row
become times in the recording. Rows that are all alike and plain are read as columns.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from indexer.formats.shared.clock import plausible, unit_s
from indexer.formats.shared.columns_of_cues import Column, time_s
from indexer.formats.shared.json_row import NO_TIMES, Row
from indexer.formats.shared.reader import ReaderOptions
from std.errors import ForeignFileError, Unquoted
from std.json_fields import Part
from std.ranges import MAX_TIME_S
from std.repairs import NO_TEXT, NO_TIME, UNKNOWN
from std.values import Float64s

INSIDE = 0.8  # of rows that begin before their parent: then times count from the parent's start
OF_CUTS = "supervisions"  # Lhotse's, which count from their cut, wherever that begins
SAMPLE_S = 1 / 16_000
WITHIN_S = 0.5  # that words may begin before their parent, and count from the recording
MOST_UNITS = 1e18  # in a number of a time
TIMES_EXAMINED = 10_000  # rows examined for the unit of times
_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d")
_ISO = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


class Timed(NamedTuple):
    """A row with its times in seconds; the end is NaN if it has none."""

    row: Row
    start_s: float
    end_s: float
    text: str


def timed_rows(rows: Sequence[Row], path: Path | str, options: ReaderOptions) -> list[Timed]:
    """Read the times and texts of rows; those without speech are left out.

    Raises:
        InputError: most rows cannot be read.
    """
    _refuse_times_of_day(rows[:TIMES_EXAMINED], path)
    _refuse_frames(rows[:TIMES_EXAMINED], path)
    if (columns := _timed_columns(rows)) is not None:
        return _placed(*columns, path, options)
    unit = _unit_s(rows[:TIMES_EXAMINED])
    read = options.repairs.rows(rows, lambda row: _timed(row, path, unit, options))
    return _placed([one for one in read if one is not None], unit, path, options)


def _timed_columns(rows: Sequence[Row]) -> tuple[list[Timed], float] | None:
    """Read all rows at once, and return their unit; None if anything is unusual."""
    fields = rows[0].fields
    last = next((what for what in ("end", "duration") if what in fields), "")
    if not last or any(row.fields is not fields for row in rows):
        return None
    start, final, texts = (
        [row.value[fields[what][0]] for row in rows] for what in ("start", last, rows[0].text_at)
    )
    if {*map(type, texts)} != {str} or not {*map(type, start), *map(type, final)} <= {int, float}:
        return None
    try:
        "".join(texts).encode()  # they may hold half a letter
        written = np.array([start, final], np.float64)
    except (UnicodeEncodeError, OverflowError):
        return None
    if not (written >= 0).all():
        return None
    if fields["start"][1].unit_s:
        unit = 1.0
    else:
        starts, lasts = written[:, :TIMES_EXAMINED]
        ends = starts + lasts if last == "duration" else lasts
        unit = unit_s(starts, ends, sum(map(len, texts[:TIMES_EXAMINED])))
    units = [fields[what][1].unit_s or unit for what in ("start", last)]
    spans_s = written * np.array(units)[:, None]
    if not (spans_s <= MAX_TIME_S).all():
        return None
    if last == "duration":
        spans_s[1] += spans_s[0]
    return list(map(Timed, rows, *spans_s.tolist(), texts)), unit


def _refuse_times_of_day(rows: Sequence[Row], path: Path | str) -> None:
    """Refuse times of the day: Unix times, in seconds or milliseconds, and 2026-01-02T10:00:05Z.

    Raises:
        ForeignFileError: the rows have such times.
    """
    first = rows[0]
    starts = [row.get("start") for row in rows]
    numbers = [one for one in map(_number, starts) if one is not None]
    are_dates = all(isinstance(one, str) and _DATE.match(one) for one in starts)
    if are_dates or (numbers and _are_since_1970(min(numbers), max(numbers))):
        expected = "times from the start of the recording"
        hint = "subtract the time at which the recording began"
        got = Unquoted(f"times of the day: {starts[0]}")
        raise ForeignFileError(path, first.around.line, expected, got, hint)


def _are_since_1970(first: float, last: float) -> bool:
    """Whether times are Unix times (s or ms) of 1998 to 2096 that span less than twelve days."""
    return any(9e8 * unit < first and last < 4e9 * unit and last - first < 1e6 * unit
               for unit in (1.0, 1000.0))  # fmt: skip


def _refuse_frames(rows: Sequence[Row], path: Path | str) -> None:
    """Refuse whole numbers called offsets that can be neither seconds nor milliseconds.

    NeMo and transformers call frames of 10 to 80 ms so; the rate of speech does not show which.

    Raises:
        ForeignFileError: they are frames, probably.
    """
    first = rows[0]
    key, column = first.fields["start"]
    if column.unit_s or "offset" not in key.lower():
        return
    if any(type(row.value.get(key)) is not int for row in rows):
        return
    starts, ends, letters = _written(rows)
    length = float((ends - starts).sum())
    if not any(plausible(letters, length * unit_s) for unit_s in (1.0, 0.001)):
        expected = "times in seconds or milliseconds"
        got = Unquoted(f"whole numbers at {key}: frames, probably")
        hint = "write the words' start and end in seconds"
        raise ForeignFileError(path, first.around.line, expected, got, hint)


def _unit_s(rows: Sequence[Row]) -> float:
    """The unit of times without one."""
    if any(row.fields["start"][1].unit_s for row in rows):
        return 1.0
    return unit_s(*_written(rows))


def _written(rows: Sequence[Row]) -> tuple[Float64s, Float64s, float]:
    """Starts and ends of rows as written, if both are known, and their letters."""
    timed = [(start, row) for row in rows if (start := _number(row.get("start"))) is not None]
    followers = [*(start for start, _ in timed[1:]), UNKNOWN]
    spans = [
        (start, _end(row, start, follower))
        for (start, row), follower in zip(timed, followers, strict=False)
    ]
    known = [row for (_, row), (_, end) in zip(timed, spans, strict=True) if end == end]
    written = np.array([span for span in spans if span[1] == span[1]], np.float64).reshape(-1, 2)
    return written[:, 0], written[:, 1], sum(len(row.text or "") for row in known)


def _end(row: Row, start: float, following: float) -> float:
    """The end of a row in the unit of its start; without one the start of the next."""
    end, duration = _number(row.get("end")), _number(row.get("duration"))
    if end is not None:
        return end
    return following if duration is None else start + duration


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else None


def _timed(row: Row, path: Path | str, unit: float, options: ReaderOptions) -> Timed | None:
    """Read the times and the text of a row; None for one without speech."""
    text = row.text
    if text is None:
        part = Part(path, row.around.line, dict(row.value), row.where)
        options.repairs.note(NO_TEXT, part.error("a text"))
        return None
    if not text.isascii():  # it may hold half a letter
        text = Part(path, row.around.line, text, row.where, options.repairs).text()
    start_s = _time(row, "start", path, unit, options)
    end_s = _time(row, "end", path, unit, options)
    if end_s != end_s:
        end_s = start_s + _time(row, "duration", path, unit, options)
    return Timed(row, start_s, end_s, text)


def _time(row: Row, what: str, path: Path | str, unit: float, options: ReaderOptions) -> float:
    """Read a time in seconds; NaN if there is none."""
    if what not in row.fields:
        return UNKNOWN
    key, column = row.fields[what]
    value = row.value[key]
    if value in NO_TIMES:
        return UNKNOWN
    if type(value) in (int, float) and 0 <= value < MOST_UNITS:  # as nearly always
        whole_s = float(value * (column.unit_s or unit))
        if whole_s <= MAX_TIME_S:
            return whole_s
    where = f"{row.where}.{key}".strip(".")
    part = Part(path, row.around.line, value, where, options.repairs)
    if type(value) in (int, float):
        return part.seconds(1 / (column.unit_s or unit))
    try:
        return seconds_of(value, column, unit)
    except (ValueError, TypeError, OverflowError) as error:
        raise part.error("a time, in numbers or as 0:01:02.5,") from error


def seconds_of(value: Any, column: Column, unit: float) -> float:
    """Read a time as people write it.

    Raises:
        ValueError, TypeError: it is not a time.

    >>> [seconds_of(v, Column("start"), 1.0) for v in ("PT1.5S", "1.5s", {"relative": 1.5})]
    [1.5, 1.5, 1.5]
    """
    if isinstance(value, dict):
        if "relative" in value:
            return float(value["relative"])
        if "seconds" in value or "nanos" in value:
            return float(value.get("seconds") or 0) + 1e-9 * float(value.get("nanos") or 0)
    if isinstance(value, list) and value:
        return seconds_of(value[0 if column.what == "start" else -1], column, unit)
    if isinstance(value, str):
        if (iso := _ISO.fullmatch(value)) and value != "PT":
            hours, minutes, whole = (float(part or 0) for part in iso.groups())
            return 3600 * hours + 60 * minutes + whole
        return time_s(value, column.unit_s or unit)
    if type(value) in (int, float) and math.isfinite(value):
        return float(value) * (column.unit_s or unit)
    raise ValueError(value)


def _placed(
    timed: list[Timed], unit: float, path: Path | str, options: ReaderOptions
) -> list[Timed]:
    """Move rows whose times count from the start of their parent.

    Where this start is impossible, times that count from it are unknown.
    """
    if all(one.row.around.start is None for one in timed):
        return timed
    unit = _unit_of_parents_s(timed, unit)
    starts = [_parent_s(one.row, unit) for one in timed]
    inner = [
        (one, start)
        for one, start in zip(timed, starts, strict=True)
        if start > 2 * WITHIN_S and one.start_s == one.start_s
    ]
    early = sum(one.start_s < start - WITHIN_S for one, start in inner)
    of_cuts = all(f"{OF_CUTS}[" in one.row.where for one in timed)
    are_inner = of_cuts or (len(inner) > 0 and early >= INSIDE * len(inner))
    wrong = [one.row.around for one, start in zip(timed, starts, strict=True) if start != start]
    if wrong and (are_inner or not inner):
        value, _ = wrong[0].start or (None, None)
        problem = Part(path, wrong[0].line, value, wrong[0].where).error("a time")
        options.repairs.note(NO_TIME, problem, len(wrong))
    if not are_inner:
        return timed
    return [
        one._replace(start_s=one.start_s + start, end_s=one.end_s + start) if start else one
        for one, start in zip(timed, starts, strict=True)
    ]


def _unit_of_parents_s(timed: Sequence[Timed], unit: float) -> float:
    """The unit of the times of parents: Otter counts samples there, and seconds in words."""
    said_s: dict[tuple[float, float], float] = {}
    for one in timed:
        start, end = (_plain_number(time) for time in (one.row.around.start, one.row.around.end))
        if start is not None and end is not None and 0 <= one.end_s <= MAX_TIME_S:
            said_s[start, end] = max(said_s.get((start, end), 0.0), one.end_s)
    length_s = sum(end - start for start, end in said_s) * SAMPLE_S
    spoken_s = sum(said_s.values())
    return SAMPLE_S if spoken_s > 0 and math.isclose(spoken_s, length_s, rel_tol=0.1) else unit


def _plain_number(time: tuple[Any, Column] | None) -> float | None:
    """A time as written, if it is a whole number whose key says no unit."""
    is_plain = time is not None and type(time[0]) is int and not time[1].unit_s
    return float(time[0]) if time and is_plain and abs(time[0]) < MOST_UNITS else None


def _parent_s(row: Row, unit: float) -> float:
    """The start of a row's parent: 0 if it has none, NaN if it is impossible."""
    if row.around.start is None:
        return 0.0
    try:
        start_s = seconds_of(*row.around.start, unit)
    except (ValueError, TypeError, OverflowError):
        return UNKNOWN if type(row.around.start[0]) in (int, float) else 0.0
    return max(start_s, 0.0) if -WITHIN_S <= start_s <= MAX_TIME_S else UNKNOWN
