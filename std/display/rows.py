"""The rows of a command's result in the requested form: a table for a person, or for programs.

| option | form |
|---|---|
| ``--json`` | one JSON document |
| ``--nl`` | JSON lines: one document a row |
| ``--csv`` | CSV with a header (`std.csv_files`) |
| ``--fmt table`` | a table for a person at a terminal |
| ``--fmt lines`` | one row a line, tab between the columns, nothing to be escaped in it |
| ``--fmt github`` and others | a table to paste, drawn by the library tabulate |

Without an option a terminal gets ``table``; elsewhere each command chooses its form. If the columns
of a table would be too narrow to read, as on a telephone, each cell is shown on a separate line
after the name of its column. HTML pages have `HtmlTable`; their templates escape texts.

Anything with rows is `Framed`: a data frame of pandas or polars, if a program has them.

>>> class Pair(Framed):
...     def frame_rows(self):
...         return [{"term": "burg", "probability": 0.9}]
>>> Pair().frame_columns()
{'term': ['burg'], 'probability': [0.9]}
"""

import io
import re
import shutil
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from std.csv_files import write_csv
from std.terminal import bold, is_terminal, json_text, printable

if TYPE_CHECKING:
    from jinja2 import Environment

TABLE, LINES, JSON, NL, CSV = "table", "lines", "json", "nl", "csv"
# Drawn by tabulate: our name of a form, and tabulate's.
DRAWN = {
    **{name: name for name in ("plain", "simple", "grid", "github")},
    "markdown": "github",
    **{name: name for name in ("html", "rst", "latex")},
}
# Markup characters of Markdown and reStructuredText; an underscore inside a word is not one.
MARKDOWN = re.compile(r"[\\|*`\[]|(?<![^\W_])_|_(?![^\W_])")
MARKDOWN_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})
FORMATS = (TABLE, LINES, *DRAWN)
MIN_COLUMN = 9  # least width of a folded column, in letters
GAP = 2  # between columns
PIPED_WIDTH = 140  # characters where stdout is no terminal
_STYLE = re.compile("\x1b\\[[0-9;]*m")  # ours: `printable` has escaped all others


class Framed:
    """A value with rows, as a table or data frame."""

    __slots__ = ()

    frame_header: ClassVar[Sequence[str]] = ()  # columns that are there without rows, too

    def frame_rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows, by column."""
        raise NotImplementedError

    def frame_columns(self) -> dict[str, list[Any]]:
        """The columns; None where a row lacks a value."""
        rows = self.frame_rows()
        names = dict.fromkeys([*self.frame_header, *(name for row in rows for name in row)])
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
    """Write rows to stdout.

    Args:
        form: see `form_of`.
        header: whether ``lines`` begin with the names of the columns.
    """
    if form == JSON:
        _line(json_text([*rows.documents]))
        return
    if form == TABLE:
        print_table(rows)
        return
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

    cells, names = [[*map(text, row)] for row in rows], [*map(text, header)]
    drawn = tabulate(cells, names, tablefmt=style, disable_numparse=True)
    _line(drawn.replace("{tabular}{}", f"{{tabular}}{{{'l' * len(header)}}}", 1))  # without rows


def _shown(cell: object) -> object:
    return "" if cell is None else cell


def _line(text: str) -> None:
    print(text)  # noqa: T201  # the result


class PrintedColumn(NamedTuple):
    """A column of a table at a terminal."""

    name: str
    is_right: bool = False  # numbers
    is_whole: bool = False  # never folded
    least: int = MIN_COLUMN  # letters that a fold leaves


def print_table(rows: Rows, *, right: Collection[str] = (), whole: Collection[str] = ()) -> None:
    """Print rows for a person.

    Args:
        right: right-aligned columns (numbers).
        whole: columns that are never folded.
    """
    names = rows.header if rows.brief_header is None else rows.brief_header
    print_columns(
        [PrintedColumn(printable(name), name in right, name in whole) for name in names],
        [
            [printable(str(value)) for value in row]
            for row in (rows.cells if rows.brief is None else rows.brief)
        ],
    )


def print_columns(columns: Sequence[PrintedColumn], rows: Sequence[Sequence[str]]) -> None:
    """Print a table as wide as the terminal, or of `PIPED_WIDTH` letters; cells may be bold."""
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else PIPED_WIDTH
    for line in laid_out(columns, rows, width):
        print(line)  # noqa: T201  # the result


def laid_out(
    columns: Sequence[PrintedColumn], rows: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    """The lines of a table, or of its rows below each other if it is too wide.

    Args:
        rows: a printable text for each column; words may be bold (`std.terminal.bold`).
        width: letters of a line.
    """
    longest = [
        max(map(width_of, (column.name, *(row[number] for row in rows))))
        for number, column in enumerate(columns)
    ]
    least = [
        full if column.is_whole else min(full, column.least)
        for full, column in zip(longest, columns, strict=True)
    ]
    room = width - GAP * (len(columns) - 1)
    heads = [bold(column.name) for column in columns]
    if sum(least) <= room or not rows:
        widths = _shrunk(longest, least, room)
        for row in (heads, *rows):
            yield from _row(row, widths, [column.is_right for column in columns])
        return
    widths = [max(width_of(column.name) for column in columns)]
    widths.append(max(1, width - GAP - widths[0]))
    for number, row in enumerate(rows):
        if number:
            yield ""
        for head, text in zip(heads, row, strict=True):
            if text:
                yield from _row((head, text), widths, (False, False))


def _shrunk(longest: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit: the widest columns give letters first."""
    widths = list(longest)
    while sum(widths) > room:
        above = [number for number, width in enumerate(widths) if width > least[number]]
        if not above:
            break
        widths[max(above, key=widths.__getitem__)] -= 1
    return widths


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    folds = [folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, folds))):
        parts = []
        for lines, width, is_right in zip(folds, widths, right, strict=True):
            text = lines[number] if number < len(lines) else ""
            space = " " * (width - width_of(text))
            parts.append(space + text if is_right else text + space)
        yield (" " * GAP).join(parts).rstrip()


def folded(text: str, width: int) -> list[str]:
    """A text as lines of a width, broken between words, or inside words that are longer."""
    if width_of(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        for part in [word] if width_of(word) <= width else _cut(word, width):
            joined = f"{lines[-1]} {part}" if lines[-1] else part
            if width_of(joined) <= width:
                lines[-1] = joined
            else:
                lines.append(part)
    return lines


def _cut(word: str, width: int) -> list[str]:
    """A word as parts of a width."""
    bare = _STYLE.sub("", word)
    parts = [""]
    for letter in bare:
        if parts[-1] and width_of(parts[-1] + letter) > width:
            parts.append("")
        parts[-1] += letter
    return parts if bare == word else [bold(part) for part in parts]


def width_of(text: str) -> int:
    """Columns that a terminal needs for a text (Unicode, annex 11): wide letters take two."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    letters = unicodedata.normalize("NFC", _STYLE.sub("", text))
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in letters
        if unicodedata.category(letter) not in ("Mn", "Me", "Cf")
    )


class HtmlColumn(NamedTuple):
    """A column of a table; numbers stand to the right, texts to the left."""

    name: str
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table whose first column names the row; a cell is text, or `markupsafe.Markup`."""

    caption: str
    columns: Sequence[HtmlColumn]
    rows: Iterable[Sequence[object]]  # may be made as they are written
    kind: str = ""  # a class of the style sheet
    has_total: bool = False  # the last row is the sum of the others


@cache
def templates(package: str, folder: str = "") -> "Environment":
    """The templates of a package, and `table.html` of this one; a missing name is an error.

    Args:
        package: the dotted name of an imported package.
        folder: the folder of the templates in it; empty: they lie beside the modules.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package, folder), PackageLoader("std.display", "")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
