"""Tables as people write them: CSV, TSV, semicolons or | between the fields, or a workbook (XLSX).

Text is UTF-8, UTF-16 or a code page that the letters determine (`std.encodings`). Fields are quoted
as in RFC 4180; apostrophes that our own CSV puts before a formula are removed (`std.csv_files`). A
first line ``sep=;``, as spreadsheets write it, names the delimiter.

Rows of a workbook are read as text, as if the sheet had been saved as CSV. A date is written in ISO
8601, a whole number without a decimal point, a truth value as ``true`` or ``false``. A formula
counts by its value; it is refused if no spreadsheet has computed the value yet, or if the value is
an error (``#N/A``). If there are several sheets, the first with a known column is read, or else the
first that is not empty; hidden sheets come last. The other sheets are counted.

The callers know the meaning of the columns: lists of terms (`std.nist.term_file`), metadata
(`std.metadata.read`), marks (`std.marks`).
"""

import io
import unicodedata
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from std.csv_files import as_meant, records
from std.encodings import decoded
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.imports import required

ZIP = b"PK\x03\x04"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xls, and workbooks with a password
RICH_TEXT = b"{\\rtf"  # as TextEdit and Word save it
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
    problem: InputError | None = None  # the first cell that has no value


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook, readable or not."""
    return content.startswith((ZIP, OLD_OFFICE))


def sheet_of(content: bytes, path: Path | str, is_known: Callable[[str], bool]) -> Sheet:
    """Read the first sheet that has a known column, or else the first that is not empty.

    Args:
        is_known: whether a name is that of a known column.

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
            shown = [one for one in values.worksheets if one.sheet_state == "visible"]
            in_order = sorted(values.worksheets, key=lambda one: one not in shown)
            sheets = [_sheet(one, formulas[one.title], path) for one in in_order]
        except Exception as error:  # openpyxl raises whatever its parts do
            damage = Unquoted(str(error) or "a damaged one")
            raise InputError(path, 0, "a whole workbook", damage) from error
    filled = [one for one in sheets if one.records]
    if not filled:
        return Sheet("", 0, [])
    found = next((one for one in filled if has_known(one.records, is_known)), filled[0])
    if found.problem is not None:
        raise found.problem
    return found._replace(others=len(filled) - 1)


def _require_xlsx(content: bytes, path: Path | str) -> None:
    """Refuse a file of another kind, or one that is too large when it is unpacked."""
    if content.startswith(OLD_OFFICE):
        raise InputError(path, 0, EXPECTED, Unquoted("an .xls file, or one with a password"), SAVE)
    sizes = _sizes(content, path)
    if "xl/workbook.xml" not in sizes:
        raise InputError(path, 0, EXPECTED, Unquoted("another kind of ZIP file"), SAVE)
    if sum(sizes.values()) > MAX_BYTES:
        raise InputError(
            path, 0, f"a workbook of at most {MAX_BYTES} bytes, decompressed", Unquoted("more")
        )


def unpacked_bytes(content: bytes, path: Path | str) -> int:
    """The unpacked size of a workbook, or the size of a text. InputError: it is damaged."""
    return sum(_sizes(content, path).values()) if content.startswith(ZIP) else len(content)


def _sizes(content: bytes, path: Path | str) -> dict[str, int]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            return {part.filename: part.file_size for part in parts.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(path, 0, "a whole workbook", Unquoted(str(error))) from error


def _sheet(sheet: Any, formulas: Any, path: Path | str) -> Sheet:
    """The rows of a sheet that are not empty."""
    records: list[Record] = []
    problem = None
    sheet.reset_dimensions()  # the size that a file states may be wrong
    formulas.reset_dimensions()
    rows = zip(  # without max_col, empty rows up to a stray cell have no cells
        sheet.iter_rows(values_only=True, max_row=MAX_ROWS),
        formulas.iter_rows(values_only=True, max_row=MAX_ROWS),
        strict=True,
    )
    for line, (values, written) in enumerate(rows, start=1):
        problem = problem or _valueless(values, written, f"{path}: sheet {sheet.title}", line)
        fields = [as_meant(_text(value)) for value in values[:MAX_SHEET_COLUMNS]]
        while fields and not fields[-1]:
            fields.pop()
        if fields:
            records.append((line, fields))
    return Sheet(sheet.title, 0, records, problem)


def _valueless(
    values: Sequence[Any], written: Sequence[Any], place: str, line: int
) -> InputError | None:
    """The error of a formula whose value is not in the file, or is an error."""
    for value, text in zip(values, written, strict=False):
        if value in CELL_ERRORS:
            hint = "mend the formula, or empty the cell"
            return InputError(place, line, "a value", f"the error of a formula, {value}", hint)
        if value is None and isinstance(text, str) and text.startswith("="):
            hint = "open the workbook in a spreadsheet program, and save it"
            return InputError(place, line, "the value of a formula", text, hint)
    return None


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
    if isinstance(value, timedelta):  # [h]:mm:ss, which may have more hours than a day
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return str(value).strip()


CELL_ERRORS = frozenset(  # what a spreadsheet writes where a formula has no value
    ("#N/A", "#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)
DELIMITERS = ",;\t|"
TABLE_ENDS = (".csv", ".tsv", ".tab")  # of names of files that are tables, not lines of text
COMMENT = "#"
SEPARATOR = "sep="
MOST_TITLES = 10  # lines above a header
TABLE_HINT = 'save it as "CSV UTF-8", or convert it: iconv -f ENCODING -t UTF-8'


class Table(NamedTuple):
    """Columns, and rows with as many fields."""

    columns: tuple[str, ...]
    line: int  # of the header
    rows: list[Record]
    sheet: str = ""  # of a workbook; empty: it is text
    other_sheets: int = 0  # that were not read


def text_of(content: bytes, path: Path | str) -> str:
    """Decode a text that a person wrote.

    Raises:
        InputError: its encoding cannot be determined, or it is rich text.
    """
    if content.lstrip().startswith(RICH_TEXT):
        raise InputError(
            path, 1, "plain text or a table", Unquoted("rich text (RTF)"), "save it as plain text"
        )
    return decoded(content, path, hint=TABLE_HINT)


def read_table(content: bytes, path: Path | str, is_known: Callable[[str], bool]) -> Table:
    """Read a table of any kind.

    Args:
        is_known: whether a name is that of a known column; this determines the delimiter.

    Raises:
        InputError: it is not a table, is empty, or a row has more or fewer fields than the header.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    if is_workbook(content):
        sheet = sheet_of(content, path, is_known)
        table = table_of(_padded(without_titles(sheet.records, is_known)), path)
        return table._replace(sheet=sheet.name, other_sheets=sheet.others)
    text = text_of(content, path)
    delimiter = delimiter_of(text, path, is_known)
    return table_of(without_titles(split(text, path, delimiter), is_known), path, delimiter)


def without_titles(found: list[Record], is_known: Callable[[str], bool]) -> list[Record]:
    """The records from the header on: titles above a table have one field.

    Args:
        found: records; the first is the header unless a header with a known column follows titles.
        is_known: whether a name is that of a known column.
    """
    for at, (_, fields) in enumerate(found[: MOST_TITLES + 1]):
        if sum(map(bool, fields)) > 1:
            return found[at:] if any(map(is_known, fields)) else found
    return found


def has_known(found: list[Record], is_known: Callable[[str], bool]) -> bool:
    """Whether a known column is in the header."""
    return any(map(is_known, without_titles(found, is_known)[0][1]))


def table_of(found: list[Record], path: Path | str, delimiter: str = ",") -> Table:
    """Records as a table; empty fields after the last column are ignored.

    Raises:
        InputError: there are none, or one has another number of fields than the header.
    """
    if not found:
        raise InputError(path, 0, "a header line and a line for each row", EMPTY_FILE)
    (line, columns), *rows = found
    width = len(columns)
    for at, fields in rows:
        if len(fields) < width or any(fields[width:]):
            got = f"{len(fields)}: {delimiter.join(fields)}"
            raise InputError(path, at, f"{width} fields, as in the header", got)
    while width > 1 and not any(fields[width - 1] for _, fields in found):
        width -= 1
    columns, rows = columns[:width], [(at, fields[:width]) for at, fields in rows]
    return Table(tuple(columns), line, rows)


def _padded(found: list[Record]) -> list[Record]:
    """The rows of a sheet, with empty cells added at their ends."""
    width = len(found[0][1]) if found else 0
    return [(line, fields + [""] * (width - len(fields))) for line, fields in found]


def split(text: str, path: Path | str, delimiter: str) -> list[Record]:
    """The records of a text, without comments and without a line that names the delimiter."""
    found = [one for one in records(text, path, delimiter) if not one[1][0].startswith(COMMENT)]
    named = found[:1] and "".join(found[0][1]).lower().startswith(SEPARATOR)
    return found[1:] if named else found


def delimiter_of(text: str, path: Path | str, is_known: Callable[[str], bool]) -> str:
    """The delimiter that gives a known column; of several, the one that gives most columns.

    Raises:
        InputError: the header is not quoted as in CSV, whatever the delimiter.
    """
    first_line = text.lstrip("\ufeff").partition("\n")[0].strip().lower()
    if first_line.startswith(SEPARATOR) and first_line[len(SEPARATOR) :] in {*DELIMITERS}:
        return first_line[len(SEPARATOR) :]
    headers, problems = [], []
    for delimiter in DELIMITERS:
        try:
            header = _header(text, path, delimiter, is_known)
        except InputError as error:
            problems.append(error)
        else:
            headers.append((any(map(is_known, header)), len(header), delimiter))
    if not headers:
        raise problems[0]
    return max(headers, key=lambda one: one[:2])[2]  # the first of equals


def _header(
    text: str, path: Path | str, delimiter: str, is_known: Callable[[str], bool]
) -> list[str]:
    """The fields of the first record that is neither a comment nor a title."""
    found = (one for one in records(text, path, delimiter) if not one[1][0].startswith(COMMENT))
    top = [*islice(found, 1)]
    with suppress(InputError):  # what is wrong further down is told when all is read
        top += islice(found, MOST_TITLES)
    return without_titles(top, is_known)[0][1] if top else []


def same_name(first: str, second: str) -> bool:
    """Whether two columns have the same name, ignoring case and Unicode form."""
    return folded(first) == folded(second)


def folded(name: str) -> str:
    """A column's name for comparisons."""
    return unicodedata.normalize("NFC", name).strip().casefold()
