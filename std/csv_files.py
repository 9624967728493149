"""CSV: rows without formulas, and records with their line numbers.

Files are written in UTF-8 and quoted where needed. A spreadsheet computes a cell that begins with
``=``, ``+``, ``-`` or ``@`` as a formula. So one apostrophe is put before such a text, but not
before numbers. Readers of our files remove it (`as_meant`).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

from std.errors import InputError, Unquoted
from std.numbers import written


def records(
    text: str, path: Path | str, delimiter: str = ",", *, spaced: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line in which each record begins, and its fields without spaces around them.

    Blank records are left out, and the apostrophes before formulas are removed.

    Args:
        text: CSV; ends of lines in quoted fields stay as they are.
        delimiter: between fields.
        spaced: whether spaces may precede a quoted field.

    Raises:
        InputError: a quoted field does not end, or text follows its closing quotation mark.
    """
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=spaced, strict=True
    )
    begin = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield begin, [as_meant(field.strip()) for field in fields]
            begin = 1 + reader.line_num
    except csv.Error as error:
        raise InputError(path, begin, "fields quoted as in CSV", Unquoted(str(error))) from error


# As spreadsheets see it: apostrophes in front are ours, full-width signs and white space count.
FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.ASCII | re.IGNORECASE)


def harmless(cell: object) -> object:
    """A cell that spreadsheets do not compute.

    >>> [harmless(cell) for cell in ("=1+1", "-0.3", -0.3, "'s avonds", "-s")]
    ["'=1+1", '-0.3', -0.3, "'s avonds", "'-s"]
    """
    if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def as_meant(cell: str) -> str:
    """The inverse of `harmless`.

    >>> [as_meant(cell) for cell in ("'=1+1", "'s avonds", "'-s")]
    ['=1+1', "'s avonds", '-s']
    """
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def write_csv(stream: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a header and rows; the stream stays open. Names of files may not be UTF-8: escaped."""
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="")
    # Told of both line ends, it quotes both (Python < 3.13); the files have the one.
    rows_out = SimpleNamespace(write=lambda row: text.write(row.removesuffix("\r\n") + "\n"))
    writer = csv.writer(rows_out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([harmless(written(cell)) for cell in row] for row in rows)
    text.detach()  # the caller owns the stream
