"""The records of CSV text with the lines in which they begin."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from std.csv_output import as_meant
from std.errors import InputError


def records(
    text: str, path: Path | str, delimiter: str = ",", *, line: int = 1, spaced: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line in which each record begins, and its fields without spaces around them.

    Blank records are left out, and apostrophes that `std.csv_output` puts before a formula.

    Args:
        text: CSV; ends of lines in quoted fields stay as they are.
        path: of the file, for messages.
        delimiter: between fields.
        line: of the file in which the text begins.
        spaced: spaces may stand before a quoted field.

    Raises:
        InputError: a quoted field does not end, or goes on behind its quotation mark.
    """
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=spaced, strict=True
    )
    begin = line
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield begin, [as_meant(field.strip()) for field in fields]
            begin = line + reader.line_num
    except csv.Error as error:
        raise InputError(path, begin, "fields quoted as in CSV", str(error)) from error
