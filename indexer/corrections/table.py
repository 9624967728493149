"""Corrections as a table, which `std-search --corrections` writes and a person edits.

    recording,channel,start_s,end_s,before,after,probability,right
    news_01,1,61.500,62.400,emanuel macron,Emmanuel Macron,0.98,yes

    recording          or ``file``; ``channel``: 1 without such a column
    start_s, end_s     the approximate time
    before             the recogniser's words
    after              the spoken words; empty: nothing
    right              or ``accept``: no leaves a row out; empty, or no such column: yes

`std-store corrections --csv` prints such a table, too.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from std.errors import InputError
from std.marks import RIGHT, WRONG
from std.ranges import MAX_CHANNEL, MAX_TIME_S, Range
from std.tables import read_table
from std.values import Recording

NAMES = {
    "recording": ("recording", "file"),
    "start": ("start_s", "start"),
    "end": ("end_s", "end"),
    "before": ("before",),
    "after": ("after",),
}
CHANNEL = "channel"
ACCEPTED = ("right", "accept", "accepted")
TIME_S = Range(0, MAX_TIME_S)


class TableRow(NamedTuple):
    """A correction of a table."""

    line: int
    recording: Recording
    start_ms: int
    end_ms: int
    before: str
    after: str


def read_corrections(content: bytes, path: Path) -> list[TableRow]:
    """The accepted corrections of a table.

    Args:
        content: the file.
        path: its name, for messages.

    Raises:
        InputError: the file is not a table, lacks a column, or has an invalid value.
        ConfigError: the file is a workbook, and openpyxl is not installed.
    """
    known = {name for names in NAMES.values() for name in names}
    table = read_table(content, path, lambda name: name.lower() in known)
    columns = [name.lower() for name in table.columns]
    place = {}
    for what, names in NAMES.items():
        found = [columns.index(name) for name in names if name in columns]
        if not found:
            expected = f"a column {' or '.join(names)}"
            raise InputError(path, table.line, expected, ", ".join(table.columns))
        place[what] = found[0]
    accepted = next((columns.index(name) for name in ACCEPTED if name in columns), None)
    rows = []
    for line, cells in table.rows:
        said = "" if accepted is None else cells[accepted].strip().lower()
        if said and said not in (*RIGHT, *WRONG):
            raise InputError(path, line, f"{RIGHT[0]} or {WRONG[0]}", said)
        if said in WRONG:
            continue
        channel = cells[columns.index(CHANNEL)] if CHANNEL in columns else "1"
        rows.append(_row(line, {what: cells[i] for what, i in place.items()}, channel, path))
    return rows


def _row(line: int, cells: dict[str, str], channel: str, path: Path) -> TableRow:
    if not channel.isdecimal() or int(channel) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", channel)
    times = []
    for what in ("start", "end"):
        text = cells[what]
        try:
            times.append(round(1000 * TIME_S.read(text if "." in text else text.replace(",", "."))))
        except ValueError as error:
            raise InputError(path, line, "a time in seconds", text) from error
    if times[1] < times[0]:
        raise InputError(path, line, "an end not before the start", cells["end"])
    if not cells["recording"]:
        raise InputError(path, line, "the name of a recording", "")
    recording = Recording(cells["recording"], int(channel))
    return TableRow(line, recording, times[0], times[1], cells["before"], cells["after"])


def by_file(rows: Sequence[TableRow]) -> dict[str, list[TableRow]]:
    """The rows of each audio file."""
    found: dict[str, list[TableRow]] = {}
    for row in rows:
        found.setdefault(row.recording.file, []).append(row)
    return found
