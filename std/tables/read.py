"""Read a table of any kind: CSV, TSV, semicolons or | between the fields, or a workbook.

Text is UTF-8, UTF-16 or a code page that is told by its letters (`std.encodings`). Fields are
quoted as in RFC 4180; apostrophes that our own CSV puts before a formula are taken off
(`std.csv_files`). A first line ``sep=;``, as spreadsheets write it, names the delimiter.

Which column of a table holds terms is told by its name:

>>> term_columns(["Name", "Partei"]), term_columns(["Nr", "Suchbegriff", "Datei-Name"])
(['Name'], ['Suchbegriff'])
>>> term_columns(["id", "text", "OOV"]), term_columns(["Vorname", "Nachname", "Jahr"])
(['text'], ['Vorname', 'Nachname'])
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from std.csv_files import records
from std.encodings import decoded
from std.errors import InputError
from std.tables.workbook import Record, is_workbook, sheet_of

DELIMITERS = ",;\t|"
TABLE_ENDS = (".csv", ".tsv", ".tab")  # of names of files that are tables, not lines of text
COMMENT = "#"
SEPARATOR = "sep="
TABLE_HINT = 'save it as "CSV UTF-8", or convert it: iconv -f ENCODING -t UTF-8'

TERM_ID_COLUMNS = ("id", "termid", "term_id", "kwid")
TEXT_COLUMNS = ("text", "term", "termtext", "term_text", "kwtext")  # beside one of `ID_COLUMNS`
TERM_WORDS = {  # of a column's name that say that terms are in it
    *("term", "terms", "keyword", "keywords", "name", "names", "phrase", "phrases"),
    *("query", "queries", "word", "words", "text", "begriff", "begriffe", "suchbegriff"),
    *("suchbegriffe", "suchwort", "stichwort", "stichwörter", "schlagwort", "schlagwörter"),
    *("namen", "wort", "wörter"),
}
TERM_ENDINGS = ("name", "namen", "begriff", "begriffe")  # of compounds: Nachname, Fachbegriff
OTHER_COLUMNS = {  # that name something else: a file, a number, who wrote it
    *("id", "file", "filename", "datei", "dateiname", "user", "username", "recording"),
    *("aufnahme", "audio", "path", "pfad"),
}


class Table(NamedTuple):
    """Columns, and rows with as many fields."""

    columns: tuple[str, ...]
    line: int  # of the header
    rows: list[Record]
    sheet: str = ""  # of a workbook; empty: it is text
    other_sheets: int = 0  # that were not read


def text_of(content: bytes, path: Path | str) -> str:
    """Decode a text of a person's.

    Raises:
        InputError: in which encoding it is cannot be told.
    """
    return decoded(content, path, hint=TABLE_HINT)


def read_table(content: bytes, path: Path | str, is_known: Callable[[str], bool]) -> Table:
    """Read a table of any kind.

    Args:
        content: the file.
        path: its name, for messages.
        is_known: whether a column of this name is looked for; it tells the delimiter.

    Raises:
        InputError: it is neither, is empty, or a row has more or fewer fields than the header.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    if is_workbook(content):
        sheet = sheet_of(content, path)
        table = table_of(_padded(sheet.records), path)
        return table._replace(sheet=sheet.name, other_sheets=sheet.others)
    text = text_of(content, path)
    delimiter = delimiter_of(text, path, is_known)
    return table_of(split(text, path, delimiter), path, delimiter)


def table_of(found: list[Record], path: Path | str, delimiter: str = ",") -> Table:
    """Records as a table.

    Raises:
        InputError: there are none, or one has another number of fields than the header.
    """
    if not found:
        raise InputError(path, 0, "a header line and a line for each row", "an empty file")
    (line, columns), *rows = found
    for at, fields in rows:
        if len(fields) != len(columns):
            got = f"{len(fields)}: {delimiter.join(fields)}"
            raise InputError(path, at, f"{len(columns)} fields, as in the header", got)
    return Table(tuple(columns), line, rows)


def _padded(found: list[Record]) -> list[Record]:
    """The rows of a sheet with the cells that are empty at their ends."""
    width = len(found[0][1]) if found else 0
    return [(line, fields + [""] * (width - len(fields))) for line, fields in found]


def split(text: str, path: Path | str, delimiter: str) -> list[Record]:
    """The records of a text, without comments and without a line that names the delimiter."""
    found = [one for one in records(text, path, delimiter) if not one[1][0].startswith(COMMENT)]
    named = found[:1] and "".join(found[0][1]).lower().startswith(SEPARATOR)
    return found[1:] if named else found


def delimiter_of(text: str, path: Path | str, is_known: Callable[[str], bool]) -> str:
    """The delimiter that makes a known column, and of several the one with most columns.

    Raises:
        InputError: with none of them is the header quoted as in CSV.
    """
    first_line = text.lstrip("\ufeff").partition("\n")[0].strip().lower()
    if first_line.startswith(SEPARATOR) and first_line[len(SEPARATOR) :] in {*DELIMITERS}:
        return first_line[len(SEPARATOR) :]
    headers, problems = [], []
    for delimiter in DELIMITERS:
        try:
            header = _first(text, path, delimiter)
        except InputError as error:
            problems.append(error)
        else:
            headers.append((any(map(is_known, header)), len(header), delimiter))
    if not headers:
        raise problems[0]
    return max(headers, key=lambda one: one[:2])[2]  # the first of equals


def _first(text: str, path: Path | str, delimiter: str) -> list[str]:
    """The fields of the first record that is no comment."""
    for _, fields in records(text, path, delimiter):
        if not fields[0].startswith(COMMENT):
            return fields
    return []


def same_name(first: str, second: str) -> bool:
    """Whether two columns have one name, whatever the case and the form of their letters."""
    return _folded(first) == _folded(second)


def term_columns(columns: Sequence[str]) -> list[str]:
    """The columns that may hold terms; more than one: which is meant is not clear.

    A name that is nothing but such a word counts more than one that has others beside it.
    """
    if has_ids(columns):
        return [name for name in columns if _folded(name) in TEXT_COLUMNS]
    whole = [name for name in columns if _folded(name) in TERM_WORDS]
    return whole or [name for name in columns if _says_term(name)]


def has_ids(columns: Sequence[str]) -> bool:
    """Whether a table has one column of ids and one of texts, as lists of terms have."""
    names = {*map(_folded, columns)}
    return len(names & {*TERM_ID_COLUMNS}) == len(names & {*TEXT_COLUMNS}) == 1


def _says_term(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", _folded(name))
    return not OTHER_COLUMNS & {*words} and any(
        w in TERM_WORDS or w.endswith(TERM_ENDINGS) for w in words
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()
