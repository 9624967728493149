"""Marks in a table: what a person wrote beside hits in a spreadsheet.

The table is one of hits (``std-search --csv``) with one more column, ``right``:

    term,file,channel,start_s,end_s,probability,right
    burg,news_01,1,1.000,1.500,0.93,yes
    burg,news_02,1,7.200,7.700,0.81,no

    term       the term
    file       or ``recording``: name of the audio file; ``channel``: 1 without such a column
    start_s    and ``end_s``, or ``start`` and ``end``: in seconds
    right      or ``mark``, ``richtig``: `RIGHT` or `WRONG`; empty: nobody has heard it
"""

from collections.abc import Sequence
from pathlib import Path

from std.errors import InputError
from std.limits import MAX_CHANNEL, MAX_TIME_S
from std.tables.read import read_table
from std.values import Recording

RIGHT = ("yes", "true", "right", "ja", "richtig", "y", "j", "1", "x")
WRONG = ("no", "false", "wrong", "nein", "falsch", "n", "0")
COLUMNS = {
    "term": ("term",),
    "file": ("file", "recording"),
    "start": ("start_s", "start"),
    "end": ("end_s", "end"),
    "right": ("right", "mark", "richtig"),
}
CHANNEL = "channel"
NAMES = {name for names in COLUMNS.values() for name in names}

Row = tuple[str, Recording, float, float, bool]  # term, recording, start and end in s, right


def rows_of(content: bytes, path: Path | str) -> list[Row]:
    """The hits that somebody has marked.

    Args:
        content: the file.
        path: its name, for messages.

    Raises:
        InputError: it is no table, lacks a column, or a value is none of those above.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    table = read_table(content, path, lambda name: name.lower() in NAMES)
    names = [name.lower() for name in table.columns]
    place = {what: _column(what, names, path, table.line) for what in COLUMNS}
    rows = []
    for line, cells in table.rows:
        if not (said := cells[place["right"]].strip().lower()):
            continue
        if said not in (*RIGHT, *WRONG):
            raise InputError(path, line, f"{RIGHT[0]} or {WRONG[0]}", said)
        if not cells[place["term"]] or not cells[place["file"]]:
            raise InputError(path, line, "a term and a recording", ", ".join(cells))
        start_s, end_s = (_seconds(cells[place[what]], path, line) for what in ("start", "end"))
        if end_s < start_s:
            raise InputError(path, line, "an end not before the start", cells[place["end"]])
        channel = _channel(cells[names.index(CHANNEL)] if CHANNEL in names else "1", path, line)
        recording = Recording(cells[place["file"]], channel)
        rows.append((cells[place["term"]], recording, start_s, end_s, said in RIGHT))
    return rows


def _column(what: str, names: Sequence[str], path: Path | str, line: int) -> int:
    for name in COLUMNS[what]:
        if name in names:
            return names.index(name)
    raise InputError(path, line, f"a column {' or '.join(COLUMNS[what])}", ", ".join(names))


def _seconds(text: str, path: Path | str, line: int) -> float:
    try:
        seconds = float(text.replace(",", ".") if "." not in text else text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_TIME_S:
        raise InputError(path, line, "a time in seconds", text)
    return seconds


def _channel(text: str, path: Path | str, line: int) -> int:
    if not text.isdecimal() or int(text) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", text)
    return int(text)
