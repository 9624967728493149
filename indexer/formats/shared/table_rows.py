"""Rows of a table and the contents of its columns, by its headings or else by all its rows.

    table_in       the beginning of a text -> the columns of its table
    rows_in        a text -> its rows
    with_ends      rows whose times are spans, or words' starts alone -> rows with ends
    guessed_unit_s    the unit of times of a column without one

A table without headings is one of speech if its rows have a time, a later time and a text, in
order, at a plausible rate of speech: labels of Audacity, words of whisper-timestamped.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from indexer.formats.shared.clock import CLOCK, UNITS_S, plausible, unit_s
from indexer.formats.shared.columns_of_cues import Column, columns_of, is_complete, is_text, times_s
from indexer.networks.raw import SECONDS_PER_LETTER
from std.errors import InputError, Unquoted
from std.repairs import BAD_ROW, REFUSED, Repairs
from std.values import Float64s

_BARE = re.sub(r"\((?!\?)", "(?:", CLOCK)  # without groups
SEPARATORS = ("\t", ",", ";", "|")
LONGEST_FIELD = 1 << 20
LONGEST_HEADING = 2000
ROWS_EXAMINED = 400  # of a table without headings
LEAST_ROWS = 2
MOST_COLUMNS = 8
FREQUENCIES = "\\"  # begins a line of Audacity's with the selected frequencies
_SPAN = re.compile(rf"\"?({_BARE})\s*(?:-+>|[-\u2013\u2014])\s*({_BARE})\"?")
_LETTER = re.compile(r"[^\W\d_]")
Columns = Mapping[str, tuple[int, Column]]
Numbered = tuple[int, list[str]]  # a row and its line


class TimedTable(NamedTuple):
    """The form of a table, and the contents of its columns."""

    separator: str
    columns: Columns
    width: int
    has_header: bool = True


def table_in(text: str, *, cut: bool = False) -> TimedTable | None:
    """Return the columns of a table; None if the text is no table of speech.

    Args:
        text: its beginning.
        cut: whether its last line may be incomplete.
    """
    first, _, rest = text.partition("\n")
    if len(first) < LONGEST_HEADING:
        separator, columns = _header(first)
        if columns and (_may_lack_ends(first, separator, columns) or _has_spans(rest)):
            return TimedTable(separator, columns, len(_fields(first, separator)))
    lines = [first, *islice(rest.split("\n"), ROWS_EXAMINED)]
    lines = lines[:-1] if cut or len(lines) > ROWS_EXAMINED else lines
    found = (_without_header(lines, separator) for separator in SEPARATORS if separator in first)
    return next(filter(None, found), None)


def _header(line: str) -> tuple[str, Columns]:
    """Return the separator of the columns, and those of a cue; none if one is missing."""
    for separator in SEPARATORS:
        fields = _fields(line, separator)
        columns = columns_of(fields)
        if is_complete(columns):
            return separator, columns
    return "", {}


def _may_lack_ends(heading: str, separator: str, columns: Columns) -> bool:
    """Whether a table has ends, or is one of speech without, by the name of its text."""
    if {"end", "duration"} & {*columns}:
        return True
    at = columns.get("text", columns.get("word"))
    return at is not None and is_text(_fields(heading, separator)[at[0]])


def _has_spans(rows: str) -> bool:
    """Whether the first row has a time that is a span."""
    return _SPAN.search(rows.partition("\n")[0]) is not None


def with_ends(rows: Sequence[Numbered], columns: Columns) -> tuple[Sequence[Numbered], Columns]:
    """Add a column of ends to rows without, if their times are spans, or of words.

    A word lasts until the next, at most as long as its letters take.
    """
    if not rows or {"end", "duration"} & {*columns}:
        return rows, columns
    at = columns["start"][0]
    found = [_SPAN.fullmatch(row[at].strip()) for _, row in rows]
    if all(found):
        spans = [(one[1], one[2]) for one in found if one]
    elif (
        "word" in columns
        and "text" not in columns
        and (starts := _times([r[at] for _, r in rows])) is not None
    ):
        spans = _words_spans(starts, [row[columns["word"][0]] for _, row in rows])
    else:
        return rows, columns
    width = max(len(row) for _, row in rows)
    spread = [
        (line, [*row[:at], start, *row[at + 1 :], *[""] * (width - len(row)), end])
        for (line, row), (start, end) in zip(rows, spans, strict=True)
    ]
    return spread, {**columns, "end": (width, Column("end", columns["start"][1].unit_s))}


def _words_spans(starts: Float64s, words: Sequence[str]) -> list[tuple[str, str]]:
    """Starts and ends of words, in the unit of their starts."""
    letters = np.array([max(1, len(word)) for word in words], np.float64)
    following = np.append(starts[1:], np.inf)
    gaps = np.maximum(0.0, np.diff(starts))
    unit = unit_s(starts[:-1], starts[:-1] + gaps, float(letters[:-1].sum()))
    ends = np.minimum(
        np.where(following > starts, following, np.inf),
        starts + SECONDS_PER_LETTER * letters / unit,
    )
    return [
        (repr(start), repr(end)) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _fields(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, quoting=_quoting(separator)), [])
    except csv.Error:  # a control character, or a field of 131,072 letters
        return []


def _quoting(separator: str) -> Literal[0, 3]:
    return csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL


def _without_header(lines: Sequence[str], separator: str, first: int = 0) -> TimedTable | None:
    """The columns of a table without headings: times and one text only.

    A first line that is no such row is an unknown heading.
    """
    width = len(_fields(lines[0], separator))
    if not LEAST_ROWS < width <= MOST_COLUMNS or sum(map(len, lines)) > LONGEST_FIELD:
        return None
    table = TimedTable(separator, {}, width, has_header=False)
    rows: list[list[str]] = []
    with suppress(InputError):
        rows = [row for _, row in rows_in("\n".join(lines[first:]), table, "", REFUSED)]
    if len(rows) < LEAST_ROWS:
        return None
    columns = [*zip(*rows, strict=True)]
    times = {at: found for at, own in enumerate(columns) if (found := _times(own)) is not None}
    if len(times) < 2:
        return None if first else _without_header(lines, separator, first=1)
    texts = [
        at for at, own in enumerate(columns) if at not in times and _LETTER.search("".join(own))
    ]
    others = [at for at in range(width) if at not in times and at not in texts]
    if len(texts) != 1 or any("".join(columns[at]).strip() for at in others):
        return None
    if (span := _span(times)) is None:
        return None
    start, end = span
    letters, length = sum(map(len, columns[texts[0]])), float((times[end] - times[start]).sum())
    is_clock = ":" in columns[start][0]
    if is_clock and start == 0 and separator == ",":  # of captions, whose texts have punctuation
        return None
    if not any(plausible(letters, length * one) for one in UNITS_S[: 1 if is_clock else 2]):
        return None
    what = {"start": start, "end": end, "text": texts[0]}
    columns_of_cues = {name: (at, Column(name)) for name, at in what.items()}
    return table._replace(columns=columns_of_cues, has_header=bool(first))


def _span(times: Mapping[int, Float64s]) -> tuple[int, int] | None:
    """The columns of starts and ends; ELAN's others repeat them, or are durations."""
    start, *more = times
    end = next((at for at in more if not np.allclose(times[at], times[start], atol=0.01)), None)
    if end is None or (np.diff(times[start]) < 0).any():
        return None
    lengths = times[end] - times[start]
    known = (times[start], times[end], lengths)
    if (lengths < 0).any() or not all(
        any(np.allclose(times[at], one, atol=0.01) for one in known) for at in more
    ):
        return None
    return start, end


def _times(column: Sequence[str]) -> Float64s | None:
    """A column's times; None if it has others."""
    try:
        return np.array(times_s(column, 1.0), np.float64)
    except ValueError:
        return None


def rows_in(text: str, table: TimedTable, path: Path | str, repairs: Repairs) -> Iterator[Numbered]:
    """Yield the rows of a table with their line; empty ones are skipped.

    Raises:
        InputError: a row is damaged, and repairs are not allowed.
    """
    separator, width = table.separator, table.width
    text = text.partition("\n")[2] if table.has_header else text
    limit = csv.field_size_limit(LONGEST_FIELD)
    reader = csv.reader(
        (line + "\n" for line in text.split("\n")),
        delimiter=separator,
        quoting=_quoting(separator),
        skipinitialspace=True,
        strict=True,
    )
    first = 2 if table.has_header else 1
    begins = first
    try:
        for row in reader:
            if any(map(str.strip, row)) and row[0] != FREQUENCIES:
                if len(row) <= width:
                    yield begins, [*row, *[""] * (width - len(row))]
                else:  # a text that should have been in quotation marks
                    problem = InputError(path, begins, f"{width} fields", str(len(row)))
                    repairs.note(BAD_ROW, problem)
            begins = reader.line_num + first
    except csv.Error as error:
        raise InputError(
            path, reader.line_num + first - 1, "a row of fields", Unquoted(str(error))
        ) from error
    finally:
        csv.field_size_limit(limit)


def guessed_unit_s(rows: Sequence[Numbered], start: int, end: int, text: int) -> float:
    """Return seconds of the unit of bare numbers, by the rate of speech; 1 if some are not."""
    try:
        starts, ends = (np.array([float(row[at]) for _, row in rows]) for at in (start, end))
    except ValueError:
        return 1.0
    if not np.isfinite([starts, ends]).all():
        return 1.0
    return unit_s(starts, ends, sum(len(row[text]) for _, row in rows))
