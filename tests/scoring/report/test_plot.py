"""The plots with one curve and with many: every curve is named, beside the axes."""

import io

import numpy as np
import pytest

from scoring.measures import det
from scoring.measures.det import Point
from scoring.report import plot


def curve(name, seed=1):
    random = np.random.default_rng(seed)
    term = random.integers(0, 8, 60).astype(np.int32)
    paired = random.random(60) < 0.5
    targets = np.bincount(term[paired], minlength=8) + 1
    points = det.sweep(term, random.normal(paired, 1).round(2), paired, targets, 9000, 999.9)
    return plot.LabelledCurve(name, points, det.maximum(points))


def silent(name):
    """A group without any hit and without a value."""
    none = np.zeros(0)
    points = det.sweep(none.astype(np.int32), none, none > 0, np.array([0]), 90, 999.9)
    return plot.LabelledCurve(name, points, Point(*[float("nan")] * 4))


pytestmark = pytest.mark.filterwarnings("error")


def saved(figure, kind="png"):
    out = io.BytesIO()
    plot.save(figure, out, kind)
    return out.getvalue()


def names(figure):
    return [text.get_text() for one in figure.legends for text in one.get_texts()]


def det_figure(curves):
    return plot.det_figure(curves, 999.9)


@pytest.mark.parametrize(
    ("draw", "n"),
    [(det_figure, 2), (det_figure, 20), (det_figure, 60), (plot.threshold_figure, 90)],
)
def test_the_legend_of_many_curves_is_beside_the_axes(draw, n):
    figure = draw([curve(f"group {i}", i) for i in range(n)])
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    for axes in figure.axes:
        place = axes.get_window_extent()
        assert place.x1 < legend.x0
        # The figure grows; the axes stay readable.
        assert place.width > 5 * figure.dpi
    width, height = figure.get_size_inches() * figure.dpi
    assert 0 < legend.x0 < legend.x1 <= width
    assert 0 <= legend.y0 < legend.y1 <= height
    drawn = min(n, plot.MAX_CURVES)
    shown = [one.split(":")[0] for one in names(figure) if one.startswith("group")]
    assert shown == [f"group {i}" for i in range(drawn)]
    assert (f"and {n - drawn} more, not drawn" in names(figure)) == (n > drawn)


def test_curves_differ_in_their_looks():
    looks = [tuple(plot._looks(i).values()) for i in range(plot.MAX_CURVES)]
    assert len(set(looks)) == plot.MAX_CURVES


def test_one_curve_has_its_legend_in_a_corner():
    figure = plot.det_figure([curve("all")], 999.9)
    saved(figure)
    texts = [one.get_text() for one in figure.axes[0].get_legend().get_texts()]
    assert texts[0] == "all"
    assert [one.rsplit(" ", 1)[0] for one in texts[1:]] == ["max TWV", "actual TWV"]


def test_rows_say_what_a_curve_is_worth():
    figure = plot.det_figure([curve("a"), curve("b", 2)], 999.9)
    best = det.maximum(curve("b", 2).det).twv
    assert f"b: max {best:.3f}, actual {best:.3f}" in names(figure)


ODD = ["_hidden", "$a$ and $b", "$\\frac{$", "中文", "a" * 90, "", "two\nlines", "<b>&amp;</b>"]


def test_odd_names():
    for curves in ([curve(one) for one in ODD], *([curve(one)] for one in ODD[:3])):
        for figure in (
            plot.det_figure(curves, 999.9, ODD[1], standard_errors=True),
            plot.threshold_figure(curves, ODD[2], standard_errors=True),
        ):
            with plot._names_as_they_are():
                figure.draw_without_rendering()
    for kind in ("png", "svg"):
        assert saved(det_figure([curve(one) for one in ODD]), kind)
    shown = "".join(names(plot.threshold_figure([curve(one) for one in ODD]))).replace("\n", "")
    for one in ODD:
        assert one.replace("\n", " ") in shown


def test_groups_without_a_curve():
    for curves in ([], [silent("none")], [curve("a"), silent("none")], [silent("x"), silent("y")]):
        for figure in (det_figure(curves), plot.threshold_figure(curves)):
            figure.draw_without_rendering()
    assert not any("none" in one for one in names(det_figure([curve("a"), silent("none")])))
