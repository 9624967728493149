"""HTML pages from templates that escape every text, and the one form of a table in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jinja2 import Environment


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
