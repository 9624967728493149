"""Tables for a person: rich's in a terminal, and those of HTML pages, whose templates escape texts.

If a table's columns would be too narrow to read, as on a telephone, each cell is shown on a
separate line after the name of its column.
"""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from std.display.rows import Rows
from std.terminal import has_colours, is_terminal

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.console import Console
    from rich.table import Table


MIN_COLUMN = 9  # least width of a wrapped column, in letters
GAP = 2  # between columns
PIPED_WIDTH = 140  # characters where stdout is no terminal


def console(width: int, **settings: Any) -> "Console":
    """The console for tables: stdout, as wide as its terminal, otherwise ``width`` letters.

    Bold and colours are used where `std.terminal` allows them.
    """
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            raise  # `std.command.run` handles it

    return _Console(
        width=None if is_terminal(sys.stdout) else width,
        color_system="standard" if has_colours(sys.stdout) else None,
        no_color=False,  # decided already
        **settings,
    )


def print_table(rows: Rows, *, right: Collection[str] = (), whole: Collection[str] = ()) -> None:
    """Print rows for a person.

    Args:
        rows: the result.
        right: right-aligned columns (numbers).
        whole: columns that are never folded.
    """
    from rich.table import Table

    from std.terminal import cell

    names = rows.header if rows.brief_header is None else rows.brief_header
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in names:
        table.add_column(
            cell(name),
            justify="right" if name in right else "left",
            no_wrap=name in whole,
            overflow="fold",
        )
    for row in rows.cells if rows.brief is None else rows.brief:
        table.add_row(*(cell(str(value)) for value in row))
    print_fitting(console(PIPED_WIDTH, highlight=False), table)


def print_fitting(
    out: "Console", table: "Table", least: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Print a table whose first row is its header, or its rows below each other if it is too wide.

    Args:
        out: the console.
        table: a table without box and edges.
        least: least width of columns that are not ``no_wrap``; default `MIN_COLUMN`.
    """
    if _needed_width(table, least) <= out.width or not table.row_count:
        out.print(table)
        return
    out.print(_below_each_other(table))


def _needed_width(table: "Table", least: Mapping[str, int]) -> int:
    """The least width of a readable table, in letters."""
    from rich.text import Text

    widths = []
    for column in table.columns:
        texts = [Text.from_markup(str(cell)) for cell in (column.header, *column.cells)]
        longest = max(text.cell_len for text in texts)
        kept = least.get(str(column.header), MIN_COLUMN)
        widths.append(longest if column.no_wrap else min(longest, kept))
    return sum(widths) + GAP * (len(widths) - 1)


def _below_each_other(table: "Table") -> "Table":
    """The rows of a table as blocks: names of columns on the left, cells on the right."""
    from rich.table import Table

    below = Table(box=None, show_header=False, pad_edge=False)
    below.add_column(style=table.header_style, no_wrap=True)
    below.add_column(overflow="fold")
    rows = zip(*(column.cells for column in table.columns), strict=True)
    for number, row in enumerate(rows):
        if number:
            below.add_row()
        for column, shown in zip(table.columns, row, strict=True):
            if shown:
                below.add_row(column.header, shown)
    return below


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
