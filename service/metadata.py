"""What a file says of recordings: title, date, speaker, ... (``--metadata recordings.csv``).

A CSV file with a header; its first column is the recording's file name, as the index has it.
Commas, semicolons and tabs separate; all values are text.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from std.errors import InputError
from std.files import read_text

MAX_BYTES = 1 << 26
MAX_COLUMNS = 50


@dataclass(frozen=True, slots=True)
class Metadata:
    """Values of recordings by column."""

    columns: tuple[str, ...] = ()  # beside the file name
    of_file: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, file: str) -> Mapping[str, str]:
        """What is known of a recording."""
        return self.of_file.get(file, {})


def read_metadata(path: Path) -> Metadata:
    """Read a table of recordings.

    Raises:
        InputError: it cannot be read, a row is longer than the header, or a file stands twice.
    """
    text = read_text(path, MAX_BYTES)
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    rows = csv.reader(text.splitlines(), delimiter=separator)
    columns = tuple(name.strip() for name in next(rows, []))
    if not 1 < len(columns) <= MAX_COLUMNS or not all(columns) or len({*columns}) < len(columns):
        expected = f"a header with 2 to {MAX_COLUMNS} different names, the first for the file"
        raise InputError(path, 1, expected, header)
    of_file: dict[str, dict[str, str]] = {}
    try:
        for row in rows:
            if not any(row):
                continue
            if len(row) > len(columns):
                raise InputError(path, rows.line_num, f"{len(columns)} columns", f"{len(row)}")
            file, *values = (value.strip() for value in row)
            if file in of_file:
                raise InputError(path, rows.line_num, "each recording once", file)
            named = zip(columns[1:], values, strict=False)
            of_file[file] = {column: value for column, value in named if value}
    except csv.Error as error:
        raise InputError(path, rows.line_num, "a row of CSV", str(error)) from error
    return Metadata(columns[1:], of_file)
