"""Read what a person says of recordings: CSV, TSV or JSON -> `Metadata`.

CSV     a header, then a line per recording; delimiter comma, semicolon, tab or | (told by the
        header); quoted as in RFC 4180; UTF-8, or UTF-16 with a byte order mark
JSON    a list of objects, one object per line, or one object that names each recording:
        {"news_01": {"title": "Evening news", "date": "2024-01-31"}}

One column, or key, names the recording: `ID_COLUMNS`. Folder and audio extension of the name do not
count, as everywhere (`std.nist.audio_names`). Names of columns are taken in lower case. All other
columns are kept as text; ``date`` must be an ISO date, so that conditions can compare it.
"""

import codecs
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from std.command import UNWRITABLE
from std.csv_input import records
from std.errors import InputError
from std.files import content_of, decode
from std.json_fields import Part, documents
from std.limits import MAX_DOCUMENT_BYTES
from std.metadata.table import Metadata, Values, of_rows
from std.metadata.where import is_date
from std.nist.audio_names import recording_name

AUDIO = "audio"  # path or URL: where nothing else names the recording, it does, and is kept
ID_COLUMNS = ("recording", "file", "file_id", "recording_id", "id", "filename", AUDIO)
DELIMITERS = ",;\t|"
MAX_COLUMNS = 200
MAX_LETTERS = 10_000  # of a value
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_JSON = re.compile(r"\s*[\[{]")
_BASIC_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")

Row = tuple[int, str, Values]  # line, audio file, values by column


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> Metadata:
    """Read metadata of recordings; a recording without any value has an empty row.

    Args:
        stream: the file.
        path: its name, for messages.

    Raises:
        InputError: it is neither CSV nor JSON, has no column that names the recordings, names one
            twice, or a date is not an ISO date.
    """
    content = content_of(stream, path, MAX_DOCUMENT_BYTES)
    text = decode(content, path, "utf-16" if content.startswith(UTF_16) else "utf-8")
    rows: dict[str, Values] = {}
    lines: dict[str, int] = {}
    for line, file, values in (
        _json_rows(text, path) if _JSON.match(text) else _csv_rows(text, path)
    ):
        if file in rows:
            before = f" (line {lines[file]} has it already)" if lines[file] != line else ""
            raise InputError(path, line, f"each recording once{before}", file)
        rows[file], lines[file] = values, line
    return of_rows(rows)


def _csv_rows(text: str, path: Path | str) -> Iterator[Row]:
    delimiter, header_line, header = _header(text, path)
    names = _names(header, path, header_line)
    id_column = _id_column(names, path, header_line)
    for line, fields in islice(records(text, path, delimiter), 1, None):
        if len(fields) != len(names):
            n = f"{len(names)} fields, as in the header"
            raise InputError(path, line, n, f"{len(fields)}: {delimiter.join(fields)}")
        pairs = zip(names, fields, strict=True)
        values = {name: field for name, field in pairs if name != id_column or name == AUDIO}
        yield _row(fields[names.index(id_column)], values, path, line)


def _header(text: str, path: Path | str) -> tuple[str, int, list[str]]:
    """Delimiter, line and fields of the header.

    Of several delimiters the one counts that makes a column for the recordings' names, and of
    those the one that makes most columns.
    """
    headers, problems = [], []
    for delimiter in DELIMITERS:
        try:
            line, fields = next(records(text, path, delimiter), (0, []))
        except InputError as error:
            problems.append(error)
        else:
            named = any(field.lower() in ID_COLUMNS for field in fields)
            headers.append((named, len(fields), delimiter, line, fields))
    if not headers:
        raise problems[0]
    _, n, delimiter, line, fields = max(headers, key=lambda one: one[:2])  # the first of equals
    if not n:
        raise InputError(path, 0, "a header line and a line for each recording", "an empty file")
    return delimiter, line, fields


def _names(header: Iterable[str], path: Path | str, line: int) -> list[str]:
    """The columns' names in lower case, each once."""
    names = [unicodedata.normalize("NFC", name).lower() for name in header]
    if "" in names:
        raise InputError(
            path, line, "a name for every column", f"none for column {names.index('') + 1}"
        )
    if len(names) > MAX_COLUMNS:
        raise InputError(path, line, f"at most {MAX_COLUMNS} columns", str(len(names)))
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise InputError(path, line, "each column once", twice)
    return names


def _id_column(names: Sequence[str], path: Path | str, line: int) -> str:
    found = next((name for name in ID_COLUMNS if name in names), None)
    if found is None:
        expected = f"a column that names the recordings: one of {', '.join(ID_COLUMNS)}"
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
    """The members of an object that names each recording; None if it is another one."""
    if not isinstance(document.value, dict) or not document.value:
        return None
    members = list(document.items())
    return members if all(isinstance(part.value, dict) for _, part in members) else None


def _json_row(file: str, part: Part, id_key: str | None = None) -> Row:
    keys = [key for key in part.value if key != id_key or key.lower() == AUDIO]
    names = _names(keys, part.path, part.line)
    values = {name: _json_text(part[key]) for name, key in zip(names, keys, strict=True)}
    return _row(file, values, part.path, part.line)


def _json_text(part: Part) -> str:
    """A value as text: numbers and truth values as JSON writes them, null as nothing."""
    value: Any = part.value
    if value is None:
        return ""
    if isinstance(value, str):
        return part.text()
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise part.error("text or a number")


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
            value = _BASIC_DATE.sub(r"\1-\2-\3", value) if _BASIC_DATE.fullmatch(value) else value
            if not is_date(value):
                raise InputError(
                    path, line, "a date as 2024, 2024-01, 2024-01-31 or 2024-01-31T20:15", value
                )
        checked[column] = value
    return line, file, checked
