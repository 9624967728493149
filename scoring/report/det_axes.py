"""The parts of a DET plot, for all drawings: window, ticks, lines of equal TWV, thinned curves.

On normal-deviate axes a system whose scores are normally distributed draws a straight line. The
HTML report (`scoring.report.html_report.charts`) and matplotlib (`scoring.report.plot`) draw these
points.
"""

from collections.abc import Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.measures.det import DET, maximum
from std.values import Float64s

TICKS = np.array(
    (
        *(1e-6, 1e-5, 1e-4, 1e-3, 0.004, 0.01, 0.02, 0.05, 0.1, 0.2),
        *(0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99),
    )
)
MISS_TICKS = TICKS[(TICKS >= 0.01) & (TICKS <= 0.99)]
FA_TICKS = TICKS[TICKS <= 0.4]
ISO_TWV = (0.1, 0.3, 0.5, 0.7, 0.9)
ISO_POINTS = 200
LOWEST_P_FA = 1e-4  # that every plot shows
MIDDLE_P_MISS = (0.1, 0.9)  # that every plot shows
MARGIN = 1.5  # times P_fa beyond the outermost points

Range = tuple[float, float]


class DetWindow(NamedTuple):
    """The probabilities between which a plot lies; both ends are ticks."""

    p_fa: Range
    p_miss: Range

    def ticks(self) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
        """(deviate, per cent) of each tick of P_fa, and of P_miss."""
        return _ticks(FA_TICKS, self.p_fa), _ticks(MISS_TICKS, self.p_miss)


def det_window(p_fa: Float64s, p_miss: Float64s) -> DetWindow:
    """The window that holds all points; P_fa of 0 has no place on the axis.

    Args:
        p_fa, p_miss: (n,) and (m,) of all curves and decisions; NaN is left out.
    """
    p_fa = np.append(p_fa[p_fa > 0], LOWEST_P_FA)
    p_miss = np.append(p_miss[np.isfinite(p_miss)], MIDDLE_P_MISS)
    return DetWindow(
        _between(FA_TICKS, float(p_fa.min()) / MARGIN, float(p_fa.max()) * MARGIN),
        _between(MISS_TICKS, float(p_miss.min()), float(p_miss.max())),
    )


class IsoLine(NamedTuple):
    """Points of equal TWV, as normal deviates."""

    twv: float
    x: Float64s  # (n,) of P_fa
    y: Float64s  # (n,) of P_miss


def iso_lines(window: DetWindow, beta: float) -> Iterator[IsoLine]:
    """The lines of equal TWV that cross a window; each begins at its left edge."""
    cdf = NormalDist().cdf
    left, right, low, high = deviates(np.array([*window.p_fa, *window.p_miss])).tolist()
    x = np.linspace(left, right, ISO_POINTS)
    p_fa = np.array([cdf(deviate) for deviate in x.tolist()])
    for value in ISO_TWV:
        y = deviates(1 - value - beta * p_fa)
        shown = (y > low) & (y < high)
        if shown.any():
            shown[1:] |= shown[:-1]  # one point more: down to the edge
            yield IsoLine(value, x[shown], y[shown])


def deviates(probabilities: Float64s) -> Float64s:
    """Normal deviates: where the standard normal distribution reaches each probability.

    Args:
        probabilities: (n,) those beyond 1e-12 and 1 - 1e-12 are taken for these.
    """
    inverse = NormalDist().inv_cdf
    clipped = np.clip(probabilities, 1e-12, 1 - 1e-12)
    return np.array([inverse(probability) for probability in clipped.tolist()])


def thin(whole: DET, limit: int) -> npt.NDArray[np.intp]:
    """Indices of at most `limit` points, ascending, dense where the curve moves.

    Each step is as long as it moves P_miss and the logarithm of P_fa, and a little more, so that
    thresholds which change nothing are not all dropped.
    """
    n = len(whole)
    if n <= limit:
        return np.arange(n)
    height = np.nan_to_num(whole.p_miss)
    width = np.log10(np.maximum(np.nan_to_num(whole.p_fa), 1e-7)) / 7
    step = np.hypot(np.diff(height), np.diff(width))
    way = np.concatenate([[0], np.cumsum(step + (step.sum() + 1e-9) / (4 * n))])
    even = np.searchsorted(way, np.linspace(0, way[-1], limit - 1))
    best = int(np.argmax(whole.threshold >= maximum(whole).threshold))
    return np.unique(np.append(np.minimum(even, n - 1), best))


def _between(ticks: Float64s, low: float, high: float) -> Range:
    first = max(int(np.searchsorted(ticks, low, side="right")) - 1, 0)
    last = max(min(int(np.searchsorted(ticks, high)), len(ticks) - 1), first + 1)
    return float(ticks[first]), float(ticks[last])


def _ticks(ticks: Float64s, window: Range) -> list[tuple[float, str]]:
    shown = ticks[(ticks >= window[0]) & (ticks <= window[1])]
    texts = (f"{100 * tick:.6g}" for tick in shown.tolist())
    return [*zip(deviates(shown).tolist(), texts, strict=True)]
