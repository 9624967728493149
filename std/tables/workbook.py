"""Rows of a workbook (XLSX) as text, as if the sheet had been saved as CSV.

A date is written as ISO does, a whole number without a decimal point, a truth value as ``true`` or
``false``. A formula is its value; one without a value, because no spreadsheet has computed it yet,
is refused. Of several sheets the first with anything in it counts; the others are counted.
"""

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from std.csv_files import as_meant
from std.errors import InputError
from std.extras import required

ZIP = b"PK\x03\x04"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xls, and workbooks with a password
EXPECTED = "a workbook (.xlsx) or CSV"
SAVE = "save it as .xlsx or as CSV UTF-8"
MAX_BYTES = 1 << 28  # of a workbook's parts, decompressed
MAX_ROWS = 1 << 20  # as spreadsheets have
MAX_SHEET_COLUMNS = 1 << 10

Record = tuple[int, list[str]]  # line, fields


class Sheet(NamedTuple):
    """The sheet that is read."""

    name: str
    others: int  # sheets of the workbook that have anything in them, too
    records: list[Record]  # rows that have anything in them


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook, also one that cannot be read."""
    return content.startswith((ZIP, OLD_OFFICE))


def sheet_of(content: bytes, path: Path | str) -> Sheet:
    """Read the first sheet that has anything in it.

    Args:
        content: the file.
        path: its name, for messages.

    Raises:
        InputError: it is no XLSX, damaged, too large, or a formula has no value.
        ConfigError: openpyxl is not installed.
    """
    _require_xlsx(content, path)
    openpyxl = required("openpyxl", "xlsx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and the like, which do not count here
        try:
            values, formulas = (
                openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only)
                for data_only in (True, False)
            )
            sheets = [
                (one.title, [*_records(one, formulas[one.title], path)])
                for one in values.worksheets
            ]
        except InputError:
            raise
        except Exception as error:  # openpyxl raises whatever its parts do
            raise InputError(path, 0, "a whole workbook", str(error) or "a damaged one") from error
    filled = [(name, records) for name, records in sheets if records]
    if not filled:
        return Sheet("", 0, [])
    name, records = filled[0]
    return Sheet(name, len(filled) - 1, records)


def _require_xlsx(content: bytes, path: Path | str) -> None:
    """Refuse a file of another kind, or one that grows too large."""
    if content.startswith(OLD_OFFICE):
        raise InputError(path, 0, EXPECTED, "an .xls file, or one with a password", SAVE)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            sizes = {part.filename: part.file_size for part in parts.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(path, 0, "a whole workbook", str(error)) from error
    if "xl/workbook.xml" not in sizes:
        raise InputError(path, 0, EXPECTED, "another kind of ZIP file", SAVE)
    if sum(sizes.values()) > MAX_BYTES:
        raise InputError(path, 0, f"a workbook of at most {MAX_BYTES} bytes, decompressed", "more")


def _records(sheet: Any, formulas: Any, path: Path | str) -> Iterator[Record]:
    """Yield the rows of a sheet that have anything in them."""
    sheet.reset_dimensions()  # the size that a file states may be wrong
    formulas.reset_dimensions()
    rows = zip(
        sheet.iter_rows(values_only=True, max_row=MAX_ROWS, max_col=MAX_SHEET_COLUMNS),
        formulas.iter_rows(values_only=True, max_row=MAX_ROWS, max_col=MAX_SHEET_COLUMNS),
        strict=True,
    )
    for line, (values, written) in enumerate(rows, start=1):
        _require_values(values, written, f"{path}: sheet {sheet.title}", line)
        fields = [as_meant(_text(value)) for value in values]
        while fields and not fields[-1]:
            fields.pop()
        if fields:
            yield line, fields


def _require_values(values: Sequence[Any], written: Sequence[Any], place: str, line: int) -> None:
    """Refuse a formula whose value is not in the file."""
    for value, text in zip(values, written, strict=False):
        if value is None and isinstance(text, str) and text.startswith("="):
            hint = "open the workbook in a spreadsheet program, and save it"
            raise InputError(place, line, "the value of a formula", text, hint)


def _text(value: Any) -> str:
    """A cell as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        at_midnight = value.time() == time()
        return value.date().isoformat() if at_midnight else value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip()
