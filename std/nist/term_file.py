"""Term lists of any kind: NIST's XML, one term a line, or a table.

A file whose first letter is ``<`` is XML (`std.nist.term_list`). Everything else is text, in any
encoding, or a workbook (`std.tables`):

    # comments and empty lines do not count            Name,Partei
    polizei gewalt                                     Olaf Scholz,SPD
    rathaus                                            Ada Lovelace,

The id of a term is its text, unless a column ``id`` (``termid``, ``term_id``, ``kwid``) has it, so
hits of an edited list are never assigned to the wrong terms. The column of the terms is found by
its name or named by the user; further columns are attributes of the terms. A text is a table if its
header has such a column and all lines have as many fields. If the lines have equally many fields
but no column has a known name, the file is refused and the message lists the columns. JSON is a
list of texts, or of objects, which are the rows of a table.

>>> term_columns(["Name", "Partei"]), term_columns(["Nr", "Suchbegriff", "Datei-Name"])
(['Name'], ['Suchbegriff'])
>>> term_columns(["id", "text", "OOV"]), term_columns(["Vorname", "Nachname", "Jahr"])
(['text'], ['Vorname', 'Nachname'])
>>> term_columns(["Name", "Term"]), term_columns(["Name", "Text", "Jahr"])
(['Term'], ['Name'])
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from std.errors import NONE, InputError
from std.files import content_of, rewound
from std.json_fields import documents
from std.nist import term_list
from std.nist.xml import CONTROL_CHARACTERS
from std.numbers import counted
from std.tables import (
    CELL_ERRORS,
    COMMENT,
    TABLE_ENDS,
    Table,
    delimiter_of,
    folded,
    is_workbook,
    read_table,
    same_name,
    split,
    table_of,
    text_of,
    without_titles,
)
from std.values import Term, TermList

# Start and duration after a file and a channel: a line of RTTM, CTM or STM, not a term.
TIMES = re.compile(r"^(?:\S+\s+){2,4}\d+\.\d+\s+\d+\.\d+(?:\s|$)")
LOOKED_AT_BYTES = 4096
_JSON = re.compile(r"\s*(\[\s*[\[{\"\]]|\{\s*\")")  # not [noise], which is a line of text
A_TERM = "term"  # the column of a list of texts
IN_TERMS = ","  # a delimiter that terms have, too
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")  # UTF-16, which XML may be; UTF-8
TERM_ID_COLUMNS = ("id", "termid", "term_id", "kwid")
TEXT_COLUMNS = ("text", "term", "termtext", "term_text", "kwtext")  # beside one of `ID_COLUMNS`
# Columns of terms by their names, in the languages that std has pronunciations of: of two columns,
# the one named earlier here.
TERM_WORDS = tuple(
    words.split()
    for words in (
        "term terms termen termes terme término términos termine termini termin",
        "keyword keywords query queries phrase phrases begriff begriffe suchbegriff suchbegriffe "
        "suchwort suchwörter stichwort stichwörter schlagwort schlagwörter schlüsselwort "
        "schlüsselwörter trefwoord trefwoorden zoekterm zoektermen zoekwoord zoekwoorden frase "
        "frases frasi hasło hasła fraza frazy",
        "name names namen person persons people personen naam nom noms nombre nombres nome nomi "
        "nazwa nazwy nazwisko nazwiska",
        "word words text wort wörter woord woorden mot mots palabra palabras parola parole słowo "
        "słowa",
    )
)
TERM_ENDINGS = ("name", "namen", "begriff", "begriffe")  # of compounds: Nachname, Fachbegriff
OTHER_COLUMNS = {  # that name something else: a file, a number, who wrote it
    *("id", "file", "filename", "datei", "dateiname", "user", "username", "recording"),
    *("aufnahme", "audio", "path", "pfad"),
}
A_COLUMN = "a column of terms, called term, name, keyword, Begriff or the like"


def term_columns(columns: Sequence[str]) -> list[str]:
    """The columns that may hold terms; if there are several, it is not clear which one does.

    A name that consists of a word of `TERM_WORDS`, perhaps after ``search``, comes before a name
    with other words. Among such names, ``term`` comes first, then words like ``keyword``, then
    words like ``name``, and last words like ``text``.
    """
    if has_ids(columns):
        return [name for name in columns if folded(name) in TEXT_COLUMNS]
    for same in TERM_WORDS:
        if whole := [name for name in columns if _alone(name) in same]:
            return whole
    return [name for name in columns if _says_term(name)]


def _alone(name: str) -> str:
    return folded(name).removeprefix("search").lstrip(" _-")


def has_ids(columns: Sequence[str]) -> bool:
    """Whether a table has one column of ids and one of texts, as lists of terms have."""
    names = {*map(folded, columns)}
    return len(names & {*TERM_ID_COLUMNS}) == len(names & {*TEXT_COLUMNS}) == 1


def _says_term(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", folded(name))
    return not OTHER_COLUMNS & {*words} and any(
        any(w in same for same in TERM_WORDS) or w.endswith(TERM_ENDINGS) for w in words
    )


def parse(
    stream: BinaryIO, path: Path | str = "<stream>", *, column: str | None = None
) -> TermList:
    """Read a term list of any kind.

    Args:
        path: its name, for messages; the extension of a table makes lines of one field a table.
        column: the column that holds the terms of a table; None: found by its name.

    Returns:
        the list; its ``column`` names the column of the terms in a table.

    Raises:
        InputError: as `std.nist.term_list.parse`; the encoding of a text is in doubt, it has
            control characters or no term, a term has no letter and no digit, or an id or a term is
            there twice; of a table, no column holds terms, or several may.
        ConfigError: it is a workbook, and openpyxl is not installed.
    """
    head = stream.read(LOOKED_AT_BYTES)
    if not head:
        raise InputError(path, 0, "at least one term", NONE)
    whole = rewound(stream, head)
    if is_xml(head):
        if column is not None:
            raise InputError(path, 0, f"a table with the column {column}", "XML")
        return term_list.parse(whole, path)
    content = content_of(whole, path)
    table = _table(content, path, column)
    if table is None:
        return TermList(_distinct(_plain(text_of(content, path)), path))
    lines = [] if is_workbook(content) else text_of(content, path).splitlines()
    comments = sum(line.startswith(COMMENT) for line in lines)
    return _of_table(table, path, column, comments)


def is_xml(head: bytes) -> bool:
    """Whether a file is XML, by its first bytes."""
    for mark in BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return head.lstrip(b" \t\r\n\0").startswith(b"<")


def _table(content: bytes, path: Path | str, column: str | None) -> Table | None:
    """The file as a table; None: it has one term a line."""

    def is_known(name: str) -> bool:
        return same_name(name, column) if column is not None else bool(term_columns([name]))

    if is_workbook(content):
        return read_table(content, path, is_known)
    text = text_of(content, path)
    _require_text(text, path)
    if _JSON.match(text):
        return _of_json(text, path)
    is_named = column is not None or str(path).lower().removesuffix(".gz").endswith(TABLE_ENDS)
    try:
        delimiter = delimiter_of(text, path, is_known)
        found = split(text, path, delimiter)
    except InputError:
        if is_named:
            raise
        return _old_table(text, path)
    below = without_titles(found, is_known)
    if is_named and found and (len(below[0][1]) > 1 or any(map(is_known, below[0][1]))):
        return table_of(below, path, delimiter)
    if len(below) < len(found) and delimiter not in IN_TERMS:
        return table_of(below, path, delimiter)
    if found and has_ids(found[0][1]):
        return table_of(found, path, delimiter)
    widths = {len(fields) for _, fields in found}
    if len(found) > 1 and len(widths) == 1 and widths != {1}:
        return table_of(found, path, delimiter)
    return None


def _of_json(text: str, path: Path | str) -> Table:
    """The rows of a list of texts or objects.

    Raises:
        InputError: it is other JSON, or broken.
    """
    parts = [*documents(io.BytesIO(text.encode()), path)]
    kinds = {type(part.value) for part in parts}
    if kinds == {str}:
        return Table((A_TERM,), 1, [(part.line, [part.text()]) for part in parts])
    if kinds != {dict}:
        raise InputError(path, parts[0].line, "a JSON list of texts or of objects", text[:99])
    columns = tuple(dict.fromkeys(key for part in parts for key in part.value))
    rows = [
        (part.line, [part[key].cell() if key in part.value else "" for key in columns])
        for part in parts
    ]
    return Table(columns, 1, rows)


def _old_table(text: str, path: Path | str) -> Table | None:
    """Refuse a table with ids whose quotation marks are wrong.

    Raises:
        InputError: the file is such a table.
    """
    header = next((line for line in text.splitlines() if line.strip()), "")
    for delimiter in ",;\t":
        if has_ids(header.split(delimiter)):
            return table_of(split(text, path, delimiter), path, delimiter)
    return None


def _require_text(text: str, path: Path | str) -> None:
    if control := CONTROL_CHARACTERS.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise InputError(path, line, "text without control characters", control[0])


def _plain(text: str) -> Iterator[tuple[int, Term]]:
    """The terms of a text with their line numbers; quotation marks around a line are removed."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith(COMMENT):
            continue
        term = " ".join(line.split())
        if len(term) > 2 and term[0] == term[-1] == '"' and '"' not in term[1:-1]:
            term = " ".join(term[1:-1].split())
        yield number, Term(term, term)


def _of_table(table: Table, path: Path | str, column: str | None, comments: int) -> TermList:
    """The terms of a table, and a description of the read column; `comments`: lines with #."""
    name = _term_column(table, path, column)
    text_at = table.columns.index(name)
    id_at = next(
        (i for i, one in enumerate(table.columns) if one.strip().lower() in TERM_ID_COLUMNS), None
    )
    if id_at == text_at:
        id_at = None
    rows, empty, again = [], 0, 0
    seen: set[str] = set()
    for line, fields in table.rows:
        cells = [" ".join(cell.split()) for cell in fields]
        if id_at is not None and not cells[id_at]:
            raise InputError(path, line, f"an {table.columns[id_at]}", NONE)
        if not cells[text_at]:
            empty += 1
            continue
        if id_at is None and cells[text_at] in seen:
            again += 1
            continue
        seen.add(cells[text_at])
        rows.append((line, _term(table.columns, cells, text_at, id_at)))
    terms = _distinct(rows, path)
    return replace(TermList(terms), column=_said(table, name, empty, again, comments, terms))


def _term(columns: Sequence[str], cells: Sequence[str], text_at: int, id_at: int | None) -> Term:
    attributes = {
        name: cell
        for i, (name, cell) in enumerate(zip(columns, cells, strict=True))
        if i not in (id_at, text_at) and name and cell
    }
    return Term(cells[text_at if id_at is None else id_at], cells[text_at], attributes)


def _term_column(table: Table, path: Path | str, column: str | None) -> str:
    """The column of the terms.

    Raises:
        InputError: no column has terms, or several may; the columns are listed.
    """
    listed = ", ".join(name or "(no name)" for name in table.columns)
    if column is not None:
        found = [name for name in table.columns if same_name(name, column)]
        if len(found) != 1:
            raise InputError(path, table.line, f"one column {column}", listed)
        return found[0]
    found = term_columns(table.columns)
    if len(found) == 1:
        return found[0]
    hint = "call one of them term, or name it (std-search --term-column)"
    if found:
        expected = f"one column of terms, and not {' and '.join(found)}"
        raise InputError(path, table.line, expected, listed, hint)
    if not is_table_name(path):
        hint += "; a term with a comma in it is quoted"
    raise InputError(path, table.line, A_COLUMN, listed, hint)


def is_table_name(path: Path | str) -> bool:
    """Whether a file is a table by its extension."""
    return str(path).lower().removesuffix(".gz").endswith((*TABLE_ENDS, ".xlsx"))


def _said(
    table: Table, name: str, empty: int, again: int, comments: int, terms: Sequence[Term]
) -> str:
    """A description of the read column."""
    others = [one for one in table.columns if one != name and term_columns([one])]
    left_out = [f"not {' or '.join(others)}"] if others else []
    left_out += [f"{counted(empty, 'row')} without one"] if empty else []
    left_out += [f"{again} there twice"] if again else []
    left_out += [f"{counted(comments, 'line')} with # left out"] if comments else []
    turned = [term.text for term in terms if "," in term.text]
    if turned:
        left_out.append(f"{len(turned)} with a comma, as {turned[0]}, searched in this order")
    if table.other_sheets:
        left_out.append(f"{counted(table.other_sheets, 'further sheet')} not read")
    sheet = f" of sheet {table.sheet}" if table.sheet else ""
    return f"column {name}{sheet}" + (f" ({', '.join(left_out)})" if left_out else "")


def _distinct(rows: Iterable[tuple[int, Term]], path: Path | str) -> tuple[Term, ...]:
    """The terms of rows.

    Raises:
        InputError: a text is not a term, an id is there twice, or there is no term.
    """
    terms: dict[str, Term] = {}
    for line, term in rows:
        if TIMES.match(term.text):
            raise InputError(path, line, "a term of a term list", f"a line with times, {term.text}")
        if term.text in CELL_ERRORS:
            raise InputError(path, line, "a term", f"the error of a formula, {term.text}")
        if not any(map(str.isalnum, term.text)):
            raise InputError(path, line, "a term with a letter or a digit", term.text)
        if term.term_id in terms:
            raise InputError(path, line, "every term and id once", term.term_id)
        terms[term.term_id] = term
    if not terms:
        raise InputError(path, 0, "at least one term", NONE)
    return tuple(terms.values())
