"""The page's drawings as inline SVG: DET, measures by threshold, calibration.

Colours, dashes and dark mode are classes of the style sheet: series ``s0``, ``s1``, ... A drawing
says in its title and description what it shows; its numbers are also in tables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from scoring.measures.calibration import Reliability
from scoring.report.det_axes import DetWindow, det_window, deviates, iso_lines
from scoring.report.html_report.views import View
from std.values import Float64s

SAME = 1e-9  # of a threshold: a smaller difference to another one is none
MEASURE_LINES = ("value", "missing", "wrong")  # classes: TWV, P_miss, beta P_fa


class Axis(NamedTuple):
    """From values to pixels; values beyond the ends are drawn at the ends."""

    low: float
    high: float
    from_px: float
    to_px: float

    def px(self, values: Float64s) -> Float64s:
        inside = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        return self.from_px + inside * (self.to_px - self.from_px)


@dataclass(frozen=True, slots=True)
class Plane:
    """Two axes: where a drawing's points stand."""

    x: Axis
    y: Axis


def det_window_of(views: Sequence[View]) -> DetWindow:
    """The window that holds every curve and decision."""
    p_fa = np.concatenate([*(view.curve.p_fa for view in views), _measures(views, "P_fa")])
    p_miss = np.concatenate([*(view.curve.p_miss for view in views), _measures(views, "P_miss")])
    return det_window(p_fa, p_miss)


def det_plane(window: DetWindow) -> Plane:
    """Normal-deviate axes."""
    left, right, bottom, top = deviates(np.array([*window.p_fa, *window.p_miss])).tolist()
    return Plane(Axis(left, right, 62, 628), Axis(bottom, top, 470, 14))


def det_points(plane: Plane, p_fa: Float64s, p_miss: Float64s) -> tuple[Float64s, Float64s]:
    """Pixels of points of the DET plot."""
    return plane.x.px(deviates(np.nan_to_num(p_fa))), plane.y.px(deviates(np.nan_to_num(p_miss)))


def det_svg(views: Sequence[View], window: DetWindow) -> Markup:
    """All curves on one plane, lines of equal TWV, best thresholds and the systems' decisions."""
    plane = det_plane(window)
    parts = [_grid(plane, "P(false alarm), %", "P(miss), %", window.ticks())]
    for twv, x, y in iso_lines(window, views[0].group.point.beta):
        px, py = _pixels(plane, x, y)
        parts.append(_line(px, py, "iso"))
        at = f'x="{px[0] + 4:.1f}" y="{py[0] - 4:.1f}"'
        parts.append(f'<text class="iso" {at}>TWV {twv:.1f}</text>')
    for i, view in enumerate(views):
        x, y = det_points(plane, view.curve.p_fa, view.curve.p_miss)
        if len(x):
            parts.append(_line(x, y, f"line s{i}"))
    for i, view in enumerate(views):  # above all lines
        measures, letter = view.group.measures, letter_of(i) if len(views) > 1 else ""
        for name, kind in (("MTWV_P", "max"), ("P", "own")):
            p = np.array([measures[f"{name}_fa"], measures[f"{name}_miss"]])
            if np.isfinite(p).all() and (kind == "own" or view.curve.best >= 0):
                (x,), (y,) = det_points(plane, p[:1], p[1:])
                parts.append(
                    _mark(float(x), float(y), kind, f"s{i}", letter if kind == "own" else "")
                )
    cursor = (
        '<g id="det-cursor" class="cursor" hidden="hidden">'
        '<path d=""/><circle r="8" cx="0" cy="0"/></g>'
    )
    names = ", ".join(view.label for view in views)
    return _svg(
        *("det", 640, 520, "Detection error trade-off"),
        f"P(miss) against P(false alarm) at every threshold, normal-deviate axes: {names}. "
        "The summary table has the measures.",
        [*parts, cursor],
    )


def threshold_plane(view: View) -> Plane:
    """Thresholds from left to right; 0 to 1, or as far as the finite scores reach."""
    finite = view.curve.threshold[np.isfinite(view.curve.threshold)]
    low, high = float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
    if not len(finite) or (low >= 0 and high <= 1):
        low, high = 0.0, 1.0
    elif high - low <= SAME * abs(low):  # nothing is between them that a drawing could show
        margin = max(0.5, abs(low) / 2)
        low, high = low - margin, high + margin
    return Plane(Axis(low, high, 62, 628), Axis(0, 1, 470, 14))


def threshold_svg(view: View, plane: Plane, index: int) -> Markup:
    """TWV and its two losses, P_miss and beta P_fa, at every threshold."""
    curve, beta = view.curve, view.group.point.beta
    ticks = (_ticks(plane.x), [(tick, f"{tick:.1f}") for tick in np.linspace(0, 1, 6).tolist()])
    parts = [_grid(plane, "threshold (score)", "", ticks)]
    x = plane.x.px(curve.threshold)
    lines = (curve.twv, curve.p_miss, beta * curve.p_fa)
    for name, values in zip(MEASURE_LINES, lines, strict=True):
        if len(values):
            parts.append(_line(x, plane.y.px(np.nan_to_num(values)), f"line {name}"))
    parts.append(
        f'<g class="cursor threshold-cursor" hidden="hidden">'
        f'<path d="M0 {plane.y.to_px:g}V{plane.y.from_px:g}"/></g>'
    )
    return _svg(
        *(f"thresholds-{index}", 640, 520, "Value and losses by threshold"),
        f"TWV, P(miss) and beta times P(false alarm) of {view.label}; the TWV is 1 minus the two.",
        parts,
    )


def calibration_svg(view: View, plot: Reliability, index: int) -> Markup:
    """Share of correct hits by probability, with 95 % intervals; below, how many hits there are."""
    plane = Plane(Axis(0, 1, 62, 460), Axis(0, 1, 360, 14))
    tenths = [(tick, f"{tick:.1f}") for tick in np.linspace(0, 1, 6).tolist()]
    parts = [_grid(plane, "", "share of detections that are correct", (tenths, tenths))]
    parts.append(_line(*_pixels(plane, np.array([0.0, 1.0]), np.array([0.0, 1.0])), "diagonal"))
    filled = np.flatnonzero(plot.hits > 0)
    x, y = _pixels(plane, plot.expected[filled], plot.observed[filled])
    low, high = plane.y.px(plot.low[filled]), plane.y.px(plot.high[filled])
    for interval in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
        parts.append('<path class="interval" d="M{:.1f} {:.1f}V{:.1f}"/>'.format(*interval))
    if len(filled):
        parts.append(_line(x, y, "line s0"))
    for cx, cy in zip(x.tolist(), y.tolist(), strict=True):
        parts.append(f'<circle class="dot s0" cx="{cx:.1f}" cy="{cy:.1f}" r="4.5"/>')
    number = view.evaluation.numbers["calibration"]
    parts.extend(_histogram(plot, plane.x, number))
    return _svg(
        *(f"calibration-{index}", 480, 500, "Calibration"),
        f"Share of correct hits against {number}, {view.label}; points below the diagonal are "
        "overconfident. The bars show how many hits there are.",
        parts,
    )


def letter_of(index: int) -> str:
    """A, B, C, ...: the name of a curve beside its colour."""
    return chr(ord("A") + index)


def key_svg(name: str, kind: str = "line") -> Markup:
    """A short piece of a line, or a mark, for a legend."""
    if kind == "line":
        drawing = _line(np.array([1.0, 35.0]), np.array([8.0, 8.0]), f"line {name}")
    else:
        drawing = _mark(18, 8, kind, name, "")
    return Markup(f'<svg class="key" width="36" height="16" aria-hidden="true">{drawing}</svg>')


def _pixels(plane: Plane, x: Float64s, y: Float64s) -> tuple[Float64s, Float64s]:
    return plane.x.px(x), plane.y.px(y)


def _measures(views: Sequence[View], name: str) -> list[float]:
    values = (view.group.measures[name] for view in views)
    return [value for value in values if np.isfinite(value)]


Ticks = tuple[Sequence[tuple[float, str]], Sequence[tuple[float, str]]]


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    """Round numbers, five or so."""
    rough = (axis.high - axis.low) / 5
    size = 10.0 ** np.floor(np.log10(rough))
    step = size * min((1, 2, 2.5, 5, 10), key=lambda multiple: abs(multiple - rough / size))
    at = np.arange(np.ceil(axis.low / step), np.floor(axis.high / step) + 1) * step
    return [(tick, f"{tick:.6g}") for tick in at.tolist()]


def _grid(plane: Plane, x_label: str, y_label: str, ticks: Ticks) -> str:
    x, y = plane.x, plane.y
    lines, words = [], []
    for at, text in ticks[0]:
        if x.low <= at <= x.high:
            px = float(x.px(np.array(at)))
            lines.append(f"M{px:.1f} {y.from_px}V{y.to_px}")
            words.append(f'<text x="{px:.1f}" y="{y.from_px + 18}" class="middle">{text}</text>')
    for at, text in ticks[1]:
        if y.low <= at <= y.high:
            px = float(y.px(np.array(at)))
            lines.append(f"M{x.from_px} {px:.1f}H{x.to_px}")
            words.append(f'<text x="{x.from_px - 8}" y="{px + 4:.1f}" class="end">{text}</text>')
    middle_x, middle_y = (x.from_px + x.to_px) / 2, (y.from_px + y.to_px) / 2
    words.append(
        f'<text x="{middle_x}" y="{y.from_px + 40}" class="middle label">{escape(x_label)}</text>'
    )
    words.append(
        f'<text transform="translate(15 {middle_y}) rotate(-90)" class="middle label">'
        f"{escape(y_label)}</text>"
    )
    frame = f'<path class="frame" d="M{x.from_px} {y.to_px}V{y.from_px}H{x.to_px}"/>'
    return f'<path class="grid" d="{"".join(lines)}"/>{frame}{"".join(words)}'


def _histogram(plot: Reliability, x: Axis, number: str) -> Iterable[str]:
    """Bars below the plot: hits in each bin."""
    bottom, height = 452.0, 52.0
    edges, most = x.px(plot.edges), max(int(plot.hits.max()), 1)
    for left, right, n in zip(edges[:-1], edges[1:], plot.hits.tolist(), strict=True):
        tall = height * n / most
        yield (
            f'<rect class="bar" x="{left + 1:.1f}" y="{bottom - tall:.1f}" '
            f'width="{right - left - 2:.1f}" height="{tall:.1f}"/>'
            f'<text class="count middle" x="{(left + right) / 2:.1f}" y="{bottom + 13:.1f}">'
            f"{n}</text>"
        )
    middle = (x.from_px + x.to_px) / 2
    words = f"{number}; bars: detections in each tenth"
    yield f'<text class="middle label" x="{middle}" y="{bottom + 34}">{words}</text>'


def _line(x: Float64s, y: Float64s, name: str) -> str:
    points = np.column_stack([x, y])
    moved = np.ones(len(points), np.bool_)
    moved[1:] = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0) > 0
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points[moved].tolist())
    return f'<path class="{name}" d="M{path}"/>'


def _mark(x: float, y: float, kind: str, series: str, letter: str) -> str:
    """A disc for the system's own decisions, a diamond for its best threshold."""
    if kind == "own":
        shape = f'<circle class="mark {series}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'
    else:
        shape = f'<path class="mark {series}" d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z"/>'
    if letter:
        shape += f'<text class="letter" x="{x + 9:.1f}" y="{y - 7:.1f}">{letter}</text>'
    return shape


def _svg(
    name: str, width: int, height: int, title: str, description: str, parts: Iterable[str]
) -> Markup:
    return Markup(
        f'<svg id="{name}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-text">{escape(description)}</desc>{"".join(parts)}</svg>'
    )
