"""Read a user's metadata of recordings: a table or JSON -> `Cells` -> `Metadata`.

table   CSV, TSV or a workbook (`std.tables`): a header, then a line per recording
JSON    a list of objects, one object per line, or one object that names each recording:
        {"news_01": {"title": "Evening news", "date": "2024-01-31"}}

One column, or key, names the recording: `RECORDING_COLUMNS`. Folder and audio extension are
removed, as everywhere (`std.nist.audio_names`). Names of columns become lower case. All other
columns are text; ``date`` becomes an ISO date, so that conditions can compare it; spreadsheets of
many countries write it as 31.01.2024.

The output of ``std-store list --csv`` is such a table, too; the index's own columns in it are
recognised and are not metadata (`std.metadata.cells`).
"""

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from std.command import UNWRITABLE
from std.errors import InputError, Unquoted
from std.files import content_of
from std.json_fields import Part, documents
from std.metadata.cells import Cells, FileMetadata, Row, own_columns, rows_of_files
from std.metadata.table import Values, of_rows
from std.metadata.where import is_date
from std.nist.audio_names import recording_name
from std.ranges import MAX_DOCUMENT_BYTES
from std.tables import Table, is_workbook, read_table, text_of

AUDIO = "audio"  # path or URL: names the recording if no other column does, and is kept
RECORDING_COLUMNS = (
    *("recording", "file", "file_id", "recording_id", "id", "filename", "aufnahme", "datei"),
    *("dateiname", AUDIO),
)
MAX_COLUMNS = 200
MAX_LETTERS = 10_000  # of a value
_JSON = re.compile(r"\s*[\[{]")
_BASIC_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DATE_WITH_POINTS = re.compile(
    r"([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})(?: +([0-9]{1,2})((?::[0-9]{2}){1,2}))?"
)


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> FileMetadata:
    """Read metadata of recordings; a recording without any value has an empty row.

    Args, Raises:
        as `parse_cells`.
    """
    cells = parse_cells(stream, path)
    table = of_rows(cells.rows)
    return FileMetadata(table.files, table.number, table.columns, cells)


def parse_cells(stream: BinaryIO, path: Path | str) -> Cells:
    """Read the cells of a file, empty ones included.

    Raises:
        InputError: the file is neither a table nor JSON, has no column that names the recordings,
            names a recording twice, or has a date that is not an ISO date.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    content = content_of(stream, path, MAX_DOCUMENT_BYTES)
    if not is_workbook(content):
        text = text_of(content, path)
        if _JSON.match(text):
            return Cells(_each_once(_json_rows(text, path), path))
    table = read_table(content, path, lambda name: name.lower() in RECORDING_COLUMNS)
    own = own_columns(_names(table.columns, path, table.line))
    rows, languages = rows_of_files(_table_rows(table, path), own, path)
    return Cells(_each_once(rows, path), own, languages)


def _each_once(found: Iterable[Row], path: Path | str) -> dict[str, Values]:
    """The values of each recording.

    Raises:
        InputError: one is there twice.
    """
    rows: dict[str, Values] = {}
    lines: dict[str, int] = {}
    for line, file, values in found:
        if file in rows:
            before = f" (line {lines[file]} has it already)" if lines[file] != line else ""
            raise InputError(path, line, f"each recording once{before}", file)
        rows[file], lines[file] = values, line
    return rows


def _table_rows(table: Table, path: Path | str) -> Iterator[Row]:
    names = _names(table.columns, path, table.line)
    id_column = _id_column(names, path, table.line)
    for line, cells in table.rows:
        pairs = zip(names, cells, strict=True)
        values = {name: cell for name, cell in pairs if name != id_column or name == AUDIO}
        yield _row(cells[names.index(id_column)], values, path, line)


def _names(header: Iterable[str], path: Path | str, line: int) -> list[str]:
    """The columns' names in lower case, each once."""
    names = [unicodedata.normalize("NFC", name).lower() for name in header]
    if "" in names:
        raise InputError(
            path,
            line,
            "a name for every column",
            Unquoted(f"none for column {names.index('') + 1}"),
        )
    if len(names) > MAX_COLUMNS:
        raise InputError(path, line, f"at most {MAX_COLUMNS} columns", str(len(names)))
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise InputError(path, line, "each column once", twice)
    return names


def _id_column(names: Sequence[str], path: Path | str, line: int) -> str:
    found = next((name for name in RECORDING_COLUMNS if name in names), None)
    if found is None:
        expected = f"a column that names the recordings: one of {', '.join(RECORDING_COLUMNS)}"
        raise InputError(path, line, expected, ", ".join(names))
    return found


def _json_rows(text: str, path: Path | str) -> Iterator[Row]:
    parts = list(documents(io.BytesIO(text.encode()), path))
    named = _named(parts[0]) if len(parts) == 1 else None
    if named is not None:
        for file, part in named:
            yield _json_row(file, part)
        return
    for part in parts:
        keys = {name.lower(): name for name, _ in part.items()}
        id_key = keys[_id_column([*keys], path, part.line)]
        yield _json_row(part[id_key].text(), part, id_key)


def _named(document: Part) -> list[tuple[str, Part]] | None:
    """The members of an object with a key for each recording; None for another object."""
    if not isinstance(document.value, dict) or not document.value:
        return None
    members = list(document.items())
    return members if all(isinstance(part.value, dict) for _, part in members) else None


def _json_row(file: str, part: Part, id_key: str | None = None) -> Row:
    keys = [key for key in part.value if key != id_key or key.lower() == AUDIO]
    names = _names(keys, part.path, part.line)
    values = {name: part[key].cell() for name, key in zip(names, keys, strict=True)}
    return _row(file, values, part.path, part.line)


def _row(name: str, values: Mapping[str, str], path: Path | str, line: int) -> Row:
    """A recording's values, normalised and checked."""
    file = recording_name(name)
    if not file:
        raise InputError(path, line, "the name of a recording", "")
    checked = {}
    for column, text in values.items():
        value = unicodedata.normalize("NFC", text).strip()
        if len(value) > MAX_LETTERS:
            expected = f"at most {MAX_LETTERS} letters in column {column}"
            raise InputError(path, line, expected, f"{len(value)}")
        if UNWRITABLE.search(value):
            raise InputError(
                path, line, f"text without control characters in column {column}", value
            )
        if column == "date" and value:
            value = iso_date(value)
            if not is_date(value):
                raise InputError(
                    path, line, "a date as 2024, 2024-01, 2024-01-31 or 2024-01-31T20:15", value
                )
        checked[column] = value
    return line, file, checked


def iso_date(text: str) -> str:
    """A date as ISO 8601 writes it; other text is unchanged.

    >>> [iso_date(text) for text in ("20240131", "31.1.2024", "31.01.2024 9:15", "1/31/2024")]
    ['2024-01-31', '2024-01-31', '2024-01-31T09:15', '1/31/2024']
    """
    if match := _BASIC_DATE.fullmatch(text):
        return "-".join(match.groups())
    if match := _DATE_WITH_POINTS.fullmatch(text):
        day, month, year, hour, rest = match.groups()
        return f"{year}-{month:0>2}-{day:0>2}" + (f"T{hour:0>2}{rest}" if hour else "")
    return text
