"""The plots of matplotlib: DET curves with lines of equal TWV, and measures by threshold.

`scoring.report.det_axes` has the points. Matplotlib is used without pyplot (no global state, no
display) and imported when a plot is made. It comes with the extra `EXTRA`; an error names the extra
if it is missing. Colours are Okabe and Ito's, which colour-blind readers can tell apart; line
styles differ as well, and from the 29th curve on there are markers.

The legend of one curve is in a corner. Several curves have a legend beside the axes, a row for
each, and the figure grows with it. If there are more than `MAX_CURVES`, the legend says how many
are not drawn.
"""

import logging
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

import numpy as np

from scoring.measures.det import DET, Point, maximum
from scoring.report.det_axes import DetWindow, det_window, deviates, iso_lines, thin
from std.imports import required

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
        [artist for artist, _ in rows], _labels(rows), loc=corner, fontsize="small", framealpha=0.9
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
    """The meaning of the points on all curves."""
    from matplotlib.lines import Line2D

    return [
        (Line2D([], [], color="#595959", marker=marker, linestyle="none", markersize=7), name)
        for marker, name in (("D", "maximum TWV"), ("o", "actual TWV"))
    ]


def _labels(rows: Rows) -> Sequence[str]:
    """In lines; matplotlib leaves out what begins with an underscore."""
    wrapped = ["\n".join(textwrap.wrap(label, ROW_LETTERS)) or " " for _, label in rows]
    return [f" {label}" if label.startswith("_") else label for label in wrapped]


EXTRA = "plots"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("", "s", "^")
MARKS = 12  # on a curve that has markers
MAX_CURVES = len(COLOURS) * len(STYLES) * len(MARKERS)  # drawn: more cannot be told apart
MAX_POINTS = 2000  # drawn per curve: more than a plot can show


class LabelledCurve(NamedTuple):
    """One system's line in a DET plot."""

    label: str
    det: DET
    actual: Point | None  # where the system's own decisions stand


@contextmanager
def _names_as_they_are() -> Iterator[None]:
    """No formulas in names; a letter that the font lacks is a box in a PNG, without a warning.

    An SVG has names as text.
    """
    rc_context = required("matplotlib", EXTRA).rc_context
    with rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


@_names_as_they_are()
def det_figure(
    curves: Sequence[LabelledCurve], beta: float, title: str = "", *, standard_errors: bool = False
) -> "Figure":
    """Draw curves on one pair of axes.

    Args:
        curves: the first `MAX_CURVES` are drawn; the legend counts the others.
        beta: weight of P_fa in the TWV, for the lines of equal TWV.
        title: by default "Detection error trade-off".
        standard_errors: thin lines at two standard errors of the means over terms.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    figure = _figure(7.0, 6.0)
    axes = figure.add_subplot()
    drawn = curves[:MAX_CURVES]
    window = _window(drawn)
    _iso_twv(axes, beta, window)
    rows: Rows = []
    for i, curve in enumerate(drawn):
        rows += _draw(axes, curve, i, window, alone=len(curves) == 1)
        if standard_errors:
            _draw_standard_errors(axes, curve.det, _looks(i)["color"], window.p_fa[0])
    _axis(axes, window)
    axes.set_title(title or "Detection error trade-off", loc="left")
    if len(curves) == 1:
        in_corner(axes, rows)
    else:
        beside(figure, [*meaning_of_markers(), *rows], len(curves) - len(drawn))
    return figure


def _figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches."""
    # It logs that it builds its font cache or has no folder of its own: nothing users can act on.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _looks(i: int) -> dict[str, Any]:
    """Colour, line and marker of the i-th curve: no two of `MAX_CURVES` have the same."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": STYLES[i % len(STYLES)],
        "marker": MARKERS[i // (len(COLOURS) * len(STYLES)) % len(MARKERS)],
    }


def save(figure: "Figure", stream: BinaryIO, kind: str) -> None:
    """Write a figure as ``svg`` or ``png``; the same figure gives the same bytes."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "det", "svg.fonttype": "none"}), _names_as_they_are():
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(stream, format=kind, dpi=150, metadata=metadata)


def _draw(axes: "Axes", curve: LabelledCurve, i: int, window: DetWindow, *, alone: bool) -> Rows:
    """Draw the i-th curve and its points, and return its rows of the legend."""
    det = curve.det
    best = maximum(det) if det.terms else None  # no terms, no value
    looks = _looks(i)
    line: list[Artist] = []
    if len(det):
        shown = thin(det, MAX_POINTS)
        line = list(
            axes.plot(
                deviates(np.maximum(det.p_fa[shown], window.p_fa[0])),
                deviates(det.p_miss[shown]),
                **looks,
                markevery=max(len(shown) // MARKS, 1),
                markersize=5,
                linewidth=1.8,
            )
        )
    points: Rows = []
    values = []
    for point, marker, name in ((best, "D", "max"), (curve.actual, "o", "actual")):
        if point is not None and np.isfinite(point.p_fa) and np.isfinite(point.p_miss):
            points += [
                (artist, f"{name} TWV {point.twv:.3f}")
                for artist in axes.plot(
                    deviates(np.clip([point.p_fa], *window.p_fa)),
                    deviates(np.clip([point.p_miss], *window.p_miss)),
                    marker=marker,
                    linestyle="none",
                    color=looks["color"],
                    markeredgecolor="white",
                    markersize=9 if alone else 7,
                    clip_on=False,
                    zorder=5,
                )
            ]
            values.append(f"{name} {point.twv:.3f}")
    if alone:
        return [*((artist, curve.label) for artist in line), *points]
    row = ": ".join(part for part in (curve.label, ", ".join(values)) if part)
    return [(artist, row) for artist in line or [artist for artist, _ in points[:1]]]


def _draw_standard_errors(axes: "Axes", det: DET, colour: str, left: float) -> None:
    shown = thin(det, MAX_POINTS)
    for sign in (-2, 2):
        p_fa = (det.p_fa + sign * det.sd_p_fa / np.sqrt(det.terms))[shown]
        p_miss = (det.p_miss + sign * det.sd_p_miss / np.sqrt(det.terms))[shown]
        axes.plot(
            deviates(np.maximum(p_fa, left)),
            deviates(p_miss),
            color=colour,
            linewidth=0.7,
            alpha=0.7,
        )


@_names_as_they_are()
def threshold_figure(
    curves: Sequence[LabelledCurve], title: str = "", *, standard_errors: bool = False
) -> "Figure":
    """P_miss, P_fa and TWV against the threshold, one above the other.

    Args:
        standard_errors: draw lines at two standard errors.
    """
    figure = _figure(7.0, 7.5)
    panels = figure.subplots(3, 1, sharex=True)
    drawn = curves[:MAX_CURVES]
    rows: Rows = []
    for i, curve in enumerate(drawn):
        det, looks = curve.det, _looks(i)
        shown = thin(det, MAX_POINTS)
        for axes, mean, deviation in (
            (panels[0], det.twv, det.sd_twv),
            (panels[1], det.p_miss, det.sd_p_miss),
            (panels[2], det.p_fa, det.sd_p_fa),
        ):
            lines = axes.plot(
                det.threshold[shown],
                mean[shown],
                **looks,
                markevery=max(len(shown) // MARKS, 1),
                markersize=5,
            )
            if standard_errors:
                error = 2 * deviation[shown] / np.sqrt(det.terms)
                axes.fill_between(
                    det.threshold[shown], mean[shown] - error, mean[shown] + error,
                    color=looks["color"], alpha=0.15, linewidth=0,
                )  # fmt: skip
        rows += [(artist, curve.label) for artist in lines]
    for axes, name in zip(panels, ("TWV", "P(miss)", "P(false alarm)"), strict=True):
        axes.set_ylabel(name)
        axes.grid(color="#e5e5e5", linewidth=0.6)
    # Systems are compared around and above 0, the value of a system that returns nothing.
    panels[0].set_ylim(-1, 1)
    panels[0].axhline(0, color="#767676", linewidth=0.8)
    panels[0].set_title(title or "By threshold", loc="left")
    panels[-1].set_xlabel("threshold")
    if len(curves) == 1:
        in_corner(panels[1], rows, "best")
    else:
        beside(figure, rows, len(curves) - len(drawn))
    return figure


def _window(curves: Sequence[LabelledCurve]) -> DetWindow:
    """The window that holds every curve and decision."""
    actual = [curve.actual for curve in curves if curve.actual]
    p_fa = np.array([point.p_fa for point in actual])
    p_miss = np.array([point.p_miss for point in actual])
    return det_window(
        np.concatenate([p_fa, *(curve.det.p_fa for curve in curves)]),
        np.concatenate([p_miss, *(curve.det.p_miss for curve in curves)]),
    )


def _iso_twv(axes: "Axes", beta: float, window: DetWindow) -> None:
    """Grey lines on which the TWV is the same, named where they meet the left edge."""
    for value, x, y in iso_lines(window, beta):
        axes.plot(x, y, color="#767676", linewidth=0.8, zorder=1)
        axes.annotate(
            f"TWV {value:.1f}", (x[0], y[0]), xytext=(4, 2), textcoords="offset points",
            fontsize="x-small", color="#595959",
        )  # fmt: skip


def _axis(axes: "Axes", window: DetWindow) -> None:
    for axis, ticks in zip((axes.xaxis, axes.yaxis), window.ticks(), strict=True):
        axis.set_ticks(*zip(*ticks, strict=True))
    axes.set_xlim(*deviates(np.array(window.p_fa)))
    axes.set_ylim(*deviates(np.array(window.p_miss)))
    axes.set_xlabel("P(false alarm), %")
    axes.set_ylabel("P(miss), %")
    axes.grid(color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
