"""Term lists of any kind: NIST's XML, one term a line, or CSV with ids.

A file whose first letter is ``<`` is XML (`std.nist.term_list`). Everything else is UTF-8 text:

    # comments and empty lines do not count            id,text,OOV
    polizei gewalt                                     T1,polizei gewalt,no
    rathaus                                            T2,rathaus,yes

The id of a term in a plain list is its text: a list that is edited after a search cannot be
mistaken for the one that was searched. CSV is told by its first line, which names the columns
``id`` and ``text`` (or ``termid``, ``term_id``, ``kwid``; ``term``, ``kwtext``, ``termtext``),
separated by commas, semicolons or tabs; further columns are attributes of the terms.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.csv_input import records
from std.errors import InputError
from std.files import content_of, decode, rewound
from std.nist import term_list
from std.nist.xml import CONTROL_CHARACTERS
from std.values import Term, TermList

COMMENT = "#"
ID_COLUMNS = ("id", "termid", "term_id", "kwid")
TEXT_COLUMNS = ("text", "term", "termtext", "term_text", "kwtext")
DELIMITERS = ",;\t"
# Start and duration behind a file and a channel: a line of RTTM, CTM or STM, and no term.
TIMES = re.compile(r"^(?:\S+\s+){2,4}\d+\.\d+\s+\d+\.\d+(?:\s|$)")
LOOKED_AT_BYTES = 4096
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")  # UTF-16, which XML may be; UTF-8


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> TermList:
    """Read a term list of any kind.

    Raises:
        InputError: as `std.nist.term_list.parse`; a text is not UTF-8, has control characters or no
            term, a term has no letter and no digit, or an id or a term is there twice.
    """
    head = stream.read(LOOKED_AT_BYTES)
    if not head:
        raise InputError(path, 0, "at least one term", "none")
    whole = rewound(stream, head)
    if is_xml(head):
        return term_list.parse(whole, path)
    text = decode(content_of(whole, path), path)
    if control := CONTROL_CHARACTERS.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise InputError(path, line, "text without control characters", control[0])
    terms: dict[str, Term] = {}
    for line, term in _terms(text, path):
        if TIMES.match(term.text):
            raise InputError(path, line, "a term of a term list", f"a line with times, {term.text}")
        if not any(map(str.isalnum, term.text)):
            raise InputError(path, line, "a term with a letter or a digit", term.text)
        if term.term_id in terms:
            raise InputError(path, line, "every term and id once", term.term_id)
        terms[term.term_id] = term
    if not terms:
        raise InputError(path, 0, "at least one term", "none")
    return TermList(tuple(terms.values()))


def is_xml(head: bytes) -> bool:
    """Whether a file is XML, by its first bytes."""
    for mark in BYTE_ORDER_MARKS:
        head = head.removeprefix(mark)
    return not head.strip() or head.lstrip(b" \t\r\n\0").startswith(b"<")


def _terms(text: str, path: Path | str) -> Iterator[tuple[int, Term]]:
    """The terms of a text with their lines."""
    lines = text.splitlines()
    rows = [
        (number, line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith(COMMENT)
    ]
    if not rows:
        return
    first, header = rows[0]
    for delimiter in DELIMITERS:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        columns = {name.lower() for name in names}
        if len(columns & {*ID_COLUMNS}) == len(columns & {*TEXT_COLUMNS}) == 1:
            yield from _of_csv(lines, first, delimiter, names, path)
            return
    for number, line in rows:
        term = " ".join(line.split())
        yield number, Term(term, term)


def _of_csv(
    lines: list[str], header_line: int, delimiter: str, names: list[str], path: Path | str
) -> Iterator[tuple[int, Term]]:
    """The terms of CSV below its header."""
    lower = [name.lower() for name in names]
    id_column = next(i for i, name in enumerate(lower) if name in ID_COLUMNS)
    text_column = next(i for i, name in enumerate(lower) if name in TEXT_COLUMNS)
    rest = "\n".join(lines[header_line:])
    for line, row in records(rest, path, delimiter, line=header_line + 1):
        if row[0].startswith(COMMENT):
            continue
        if len(row) != len(names):
            raise InputError(path, line, f"{len(names)} columns", str(len(row)))
        cells = [" ".join(cell.split()) for cell in row]
        if not cells[id_column]:
            raise InputError(path, line, f"an {names[id_column]}", "none")
        attributes = {
            name: cell
            for i, (name, cell) in enumerate(zip(names, cells, strict=True))
            if i not in (id_column, text_column) and name and cell
        }
        yield line, Term(cells[id_column], cells[text_column], attributes)
