r"""Marks of people who listened: hits right or wrong, and notes; one JSON object a line.

    {"term": "hahnenfedern", "recording": "KERSTIN_00", "channel": 1, "start": 10.448,
     "end": 11.388, "right": true, "time": "2026-11-22T09:30:00Z"}

    term        the searched term
    recording   file and channel of the hit; start and end in seconds
    right       true: the term is said there; false: it is not; null: a mark is removed
    time        time of the mark, UTC, ISO 8601
    author      the person, if a service knows its users; may be missing
    undoes      time of the line whose change this one reverses; may be missing

A mark without a term is a note about a time of a recording, or a stretch of it:

    {"recording": "KERSTIN_00", "channel": 1, "start": 10.448, "end": 11.388,
     "note": "who is this?", "time": "2026-11-22T09:31:00Z"}

    note        what a person wrote; empty: the note is removed

Lines are appended and never changed: the last one about a hit, or about the times of a note, counts
(`latest`). An incomplete last line of a killed writer is left out: its sender was not told that it
was stored. `std-serve --feedback` writes this file.

`read_marks` also reads what a person wrote beside hits in a spreadsheet: a table of hits
(``std-search --csv``) with one more column, ``right``:

    term,file,channel,start_s,end_s,probability,right
    burg,news_01,1,1.000,1.500,0.93,yes
    burg,news_02,1,7.200,7.700,0.81,no

    term       the term
    file       or ``recording``: name of the audio file; ``channel``: 1 without such a column
    start_s    and ``end_s``, or ``start`` and ``end``: in seconds
    right      or ``mark``, ``richtig``: `RIGHT` or `WRONG`; empty: not judged

    >>> import io
    >>> line = dump(Mark("burg", Recording("a", 1), 1.0, 1.5, True, "2026-11-22T09:30:00Z"))
    >>> [mark.right for mark in parse(io.BytesIO(line + line[:9]), "marks.jsonl")]
    [True]
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from std.errors import InputError
from std.fields import numbered
from std.files import content_of, open_input, rewound
from std.json_fields import STRICT, Part
from std.metadata.cells import CHANNEL_COLUMN, channel_in
from std.ranges import CHANNEL, MAX_TIME_S, TIME_S
from std.tables import read_table
from std.values import Recording

MAX_MARK_BYTES = 1 << 16
LOOKED_AT_BYTES = 4096
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)

RIGHT = ("yes", "true", "right", "ja", "richtig", "y", "j", "1", "x")
WRONG = ("no", "false", "wrong", "nein", "falsch", "n", "0")
MARK_COLUMNS = {
    "term": ("term",),
    "file": ("file", "recording"),
    "start": ("start_s", "start"),
    "end": ("end_s", "end"),
    "right": ("right", "mark", "richtig"),
}
MARK_COLUMN_NAMES = {name for names in MARK_COLUMNS.values() for name in names}

Row = tuple[str, Recording, float, float, bool]  # term, recording, start and end in s, right


class Mark(NamedTuple):
    """A person's judgement of one hit, or a note."""

    term: str  # empty: a note
    recording: Recording
    start_s: float
    end_s: float
    right: bool | None  # None: an earlier mark is removed, or it is a note
    time: str  # empty: read from a table
    author: str = ""  # empty: unknown
    undoes: str = ""  # time of the mark that this one reverses; empty: none
    note: str = ""  # empty: an earlier note is removed, or it is a judgement

    @property
    def stands(self) -> bool:
        """Whether it says something; if not, it removes an earlier mark."""
        return self.right is not None or bool(self.note)

    @property
    def hit(self) -> tuple[str, Recording, int, int]:
        """The key of its hit: term, recording, start and end in milliseconds."""
        return self.term, self.recording, round(1000 * self.start_s), round(1000 * self.end_s)


def parse(stream: BinaryIO, path: Path | str) -> Iterator[Mark]:
    """Yield the marks of a file in the order of its lines; blank lines are skipped.

    Raises:
        InputError: a line is no mark.
    """
    for number, line in numbered(stream, path, MAX_MARK_BYTES):
        if not line.strip() or not line.endswith(b"\n"):
            continue
        try:
            value = STRICT.decode(line.decode())
        except (ValueError, RecursionError) as error:
            got = line.decode(errors="replace").strip()
            raise InputError(path, number, "a JSON object", got) from error
        yield _mark(Part(path, number, value))


def _mark(part: Part) -> Mark:
    start_s, end_s = part["start"].within(TIME_S), part["end"].within(TIME_S)
    if end_s < start_s:
        raise part["end"].error("a time not before the start")
    term, right, note = "", None, ""
    if "note" in part.value:
        note = part["note"].text()
        if "term" in part.value:
            raise part["note"].error("a term or a note, not both")
    else:
        term, right = part["term"].text(), part["right"].value
        if not term:
            raise part["term"].error("a term")
        if not isinstance(right, bool) and right is not None:
            raise part["right"].error("true, false or null")
    if not _TIME.fullmatch(part["time"].text()):
        raise part["time"].error("a time as 2026-11-22T09:30:00Z")
    recording = Recording(part["recording"].text(), int(part["channel"].within(CHANNEL)))
    author, undoes = (
        part[name].text() if name in part.value else "" for name in ("author", "undoes")
    )
    time = part["time"].text()
    return Mark(term, recording, start_s, end_s, right, time, author, undoes, note)


def dump(mark: Mark) -> bytes:
    """A mark as a line of the file."""
    more = {"author": mark.author, "undoes": mark.undoes}
    document = {
        **({"term": mark.term} if mark.term else {}),
        "recording": mark.recording.file,
        "channel": mark.recording.channel,
        "start": round(mark.start_s, 3),
        "end": round(mark.end_s, 3),
        **({"right": mark.right} if mark.term else {"note": mark.note}),
        "time": mark.time,
        **{name: value for name, value in more.items() if value},
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def latest(marks: Iterable[Mark]) -> list[Mark]:
    """The current marks: the last one of each hit, unless it removes the mark."""
    last: dict[tuple[str, Recording, int, int], Mark] = {}
    for mark in marks:
        last.pop(mark.hit, None)
        last[mark.hit] = mark
    return [mark for mark in last.values() if mark.stands]


def read_marks(path: Path) -> list[Mark]:
    """The current judgements of a file, in chronological order, without its notes.

    Args:
        path: the path of a file of `std-serve`, or of a table of hits with a column of marks
            (`std.marks`).

    Raises:
        InputError: the file cannot be read, or a line is no mark.
    """
    with open_input(path) as stream:
        head = stream.read(LOOKED_AT_BYTES)
        whole = rewound(stream, head)
        if not head.strip() or head.lstrip().startswith(b"{"):
            return [mark for mark in latest(parse(whole, path)) if mark.right is not None]
        rows = rows_of(content_of(whole, path), path)
    return latest(Mark(*row, "") for row in rows)


def rows_of(content: bytes, path: Path | str) -> list[Row]:
    """The marked hits of a table.

    Raises:
        InputError: the file is not a table, lacks a column, or has an invalid value.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    table = read_table(content, path, lambda name: name.lower() in MARK_COLUMN_NAMES)
    names = [name.lower() for name in table.columns]
    place = {what: _column(what, names, path, table.line) for what in MARK_COLUMNS}
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
        written = cells[names.index(CHANNEL_COLUMN)] if CHANNEL_COLUMN in names else "1"
        channel = channel_in(written, path, line)
        recording = Recording(cells[place["file"]], channel)
        rows.append((cells[place["term"]], recording, start_s, end_s, said in RIGHT))
    return rows


def _column(what: str, names: Sequence[str], path: Path | str, line: int) -> int:
    for name in MARK_COLUMNS[what]:
        if name in names:
            return names.index(name)
    raise InputError(path, line, f"a column {' or '.join(MARK_COLUMNS[what])}", ", ".join(names))


def _seconds(text: str, path: Path | str, line: int) -> float:
    try:
        seconds = float(text.replace(",", ".") if "." not in text else text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_TIME_S:
        raise InputError(path, line, "a time in seconds", text)
    return seconds
