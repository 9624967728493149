"""Legends: of one curve in a corner of its axes, of many beside them."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Corner = Literal["upper right", "best"]
Rows = list[tuple["Artist", str]]
COLUMN_ROWS = 28
ROW_LETTERS = 40  # longer names take several lines


def in_corner(axes: "Axes", rows: Rows, corner: Corner = "upper right") -> None:
    """Inside the axes."""
    axes.legend(
        [artist for artist, _ in rows],
        _labels(rows),
        loc=corner,
        fontsize="small",
        framealpha=0.9,
    )


def beside(figure: "Figure", rows: Rows, more: int) -> None:
    """To the right of the axes; the figure grows, so that the axes keep their size.

    Args:
        more: curves that are not drawn; the last row says so.
    """
    from matplotlib.lines import Line2D

    if more:
        rows = [*rows, (Line2D([], [], linestyle="none"), f"and {more} more, not drawn")]
    if not rows:
        return
    width, height = figure.get_size_inches()
    made = figure.legend(
        [artist for artist, _ in rows],
        _labels(rows),
        loc="outside right upper",
        fontsize="small",
        ncols=-(-len(rows) // COLUMN_ROWS),
    )
    extent = made.get_window_extent()
    figure.set_size_inches(
        width + extent.width / figure.dpi + 0.2, max(height, extent.height / figure.dpi + 0.3)
    )


def meaning_of_markers() -> Rows:
    """What the points on all curves are."""
    from matplotlib.lines import Line2D

    return [
        (Line2D([], [], color="#595959", marker=marker, linestyle="none", markersize=7), name)
        for marker, name in (("D", "maximum TWV"), ("o", "actual TWV"))
    ]


def _labels(rows: Rows) -> Sequence[str]:
    """In lines; matplotlib leaves out what begins with an underscore."""
    wrapped = ["\n".join(textwrap.wrap(label, ROW_LETTERS)) or " " for _, label in rows]
    return [f" {label}" if label.startswith("_") else label for label in wrapped]
