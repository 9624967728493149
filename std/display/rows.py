"""The rows of a command's result in the requested form; of a program's, as a data frame.

| option | form |
|---|---|
| ``--json`` | one JSON document |
| ``--nl`` | JSON lines: one document a row |
| ``--csv`` | CSV with a header (`std.csv_files`) |
| ``--fmt table`` | a table for a person at a terminal |
| ``--fmt lines`` | one row a line, tab between the columns, nothing to be escaped in it |
| ``--fmt github`` and others | a table to paste, drawn by the library tabulate |

Without an option a terminal gets ``table``; elsewhere each command chooses its form.

Anything with rows is `Framed`: a data frame of pandas or polars, if a program has them.

>>> class Pair(Framed):
...     def frame_rows(self):
...         return [{"term": "burg", "probability": 0.9}]
>>> Pair().frame_columns()
{'term': ['burg'], 'probability': [0.9]}
"""

import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from std.csv_files import write_csv
from std.terminal import is_terminal, json_text, printable


class Framed:
    """A value with rows, as a table or data frame."""

    __slots__ = ()

    def frame_rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows, by column."""
        raise NotImplementedError

    def frame_columns(self) -> dict[str, list[Any]]:
        """The columns; None where a row lacks a value."""
        rows = self.frame_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [row.get(name) for row in rows] for name in names}

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        return _library("pandas").DataFrame(self.frame_columns())

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``.

        Raises:
            ModuleNotFoundError: polars is not installed.
        """
        return _library("polars").DataFrame(self.frame_columns())


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        message = f"to_{name}: expected the package {name} (pip install {name}), got none"
        raise ModuleNotFoundError(message, name=name) from error


TABLE, LINES, JSON, NL, CSV = "table", "lines", "json", "nl", "csv"
# Drawn by tabulate: our name of a form, and tabulate's.
DRAWN = {
    "plain": "plain",
    "simple": "simple",
    "grid": "grid",
    "github": "github",
    "markdown": "github",
    "html": "html",
    "rst": "rst",
    "latex": "latex",
}
# Markup characters of Markdown and reStructuredText; an underscore inside a word is not one.
MARKDOWN = re.compile(r"[\\|*`\[]|(?<![^\W_])_|_(?![^\W_])")
MARKDOWN_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})
FORMATS = (TABLE, LINES, *DRAWN)


@dataclass(frozen=True)
class Rows:
    """A result as rows, each of them in several shapes.

    ``header`` and ``cells`` are complete, for programs; ``brief_header`` and ``brief`` are shorter,
    for people, and default to these. Numbers are written in full; None is an empty cell.
    """

    header: Sequence[str]
    cells: Sequence[Sequence[object]]
    documents: Iterable[Any]  # one a row
    brief_header: Sequence[str] | None = None
    brief: Sequence[Sequence[object]] | None = None


def form_of(asked: Any, piped: str) -> str:
    """The form of a command's rows.

    Args:
        asked: the parsed command line (`std.options.add_row_options`).
        piped: the default form if stdout is not a terminal.
    """
    for name in (JSON, NL, CSV):
        if getattr(asked, name, False):
            return name
    if asked.fmt:
        return str(asked.fmt)
    return TABLE if is_terminal(sys.stdout) else piped


def print_rows(rows: Rows, form: str, *, header: bool = True) -> None:
    """Write rows to stdout in any form but ``json`` and ``table``, which commands write themselves.

    Args:
        rows: the result.
        form: see `form_of`.
        header: whether ``lines`` begin with the names of the columns.
    """
    if form == NL:
        for document in rows.documents:
            _line(json_text(document))
        return
    if form == CSV:
        target = io.BytesIO()
        write_csv(target, rows.header, ([_shown(cell) for cell in row] for row in rows.cells))
        print(target.getvalue().decode(), end="")  # noqa: T201  # the result
        return
    names = rows.header if rows.brief_header is None else rows.brief_header
    table = rows.cells if rows.brief is None else rows.brief
    if form == LINES:
        for row in (*([names] if header else ()), *table):
            _line("\t".join(printable(str(_shown(cell))) for cell in row))
        return
    print_drawn(names, table, DRAWN[form])


def print_drawn(header: Sequence[str], rows: Sequence[Sequence[object]], style: str) -> None:
    """Draw a table with tabulate; markup in cells is escaped, and no text is read as a number."""
    from tabulate import tabulate

    def text(cell: object) -> str:
        shown = printable(str(_shown(cell)))
        if style in ("github", "rst"):
            shown = MARKDOWN.sub(r"\\\g<0>", shown)
        return shown.translate(MARKDOWN_ENTITIES) if style == "github" else shown

    table = [[text(cell) for cell in row] for row in rows]
    _line(tabulate(table, [text(name) for name in header], tablefmt=style, disable_numparse=True))


def _shown(cell: object) -> object:
    return "" if cell is None else cell


def _line(text: str) -> None:
    print(text)  # noqa: T201  # the result
