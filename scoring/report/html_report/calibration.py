"""The calibration section: predictions of the probabilities beside the observed counts.

calibration_of   one view: its bins and the sums, as tables
all_views        every view in one row each
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.measures.calibration import Reliability, wilson
from scoring.report.html_report.tables import plain
from scoring.report.html_report.views import View
from std.display.tables import HtmlColumn, HtmlTable

EXPECTATIONS = {
    "correct_hits": "Correct detections, accepted or not",
    "correct_accepted": "Correct among the accepted",
    "false_alarms": "False alarms among the accepted",
    "twv_found": "TWV, as if the list held every occurrence",
}
SHARES = ("detections", "mean", "share correct", "95 % interval (Wilson)")


class CalibrationTables(NamedTuple):
    """One view's calibration: the plot's points, and its tables."""

    plot: Reliability
    bins: HtmlTable
    sums: HtmlTable


def calibration_of(view: View) -> CalibrationTables | None:
    """The tables of a view; None without hits or probabilities."""
    plot, number = view.reliability, view.evaluation.numbers["calibration"]
    if plot is None:
        return None
    return CalibrationTables(plot, _bins(plot, number), _sums(view, number))


def all_views(views: Sequence[View]) -> HtmlTable:
    """The calibration of every view in one row each."""
    systems = len({view.evaluation.system_id for view in views}) > 1
    number = views[0].evaluation.numbers["calibration"]
    rows = []
    for view in views:
        plot, label = view.reliability, view.label if systems else view.group.name
        cells = [plain(float("nan"), "")] * 7  # one for each column
        if plot is not None:
            sums = f"{plot.expected_correct:,.1f}", f"{plot.correct.sum():,}", f"{plot.error:.3f}"
            cells = [*_shares(*_together(plot)), *sums]
        rows.append([label, *cells])
    what = "system" if systems else "group"
    return HtmlTable(
        f"Calibration by {what}: detections, mean {number}, share correct, sums, ECE",
        [*map(HtmlColumn, (what, *SHARES, "expected correct", "correct", "ECE"))],
        rows,
        "compact",
    )


def _bins(plot: Reliability, number: str) -> HtmlTable:
    """The plot as a table, with a last row for all bins together."""
    columns = (plot.hits, plot.expected, plot.observed, plot.low, plot.high)
    rows = [
        [f"{low:.1f} to {high:.1f}", *_shares(*row)]
        for low, high, *row in zip(
            *(edges.tolist() for edges in (plot.edges[:-1], plot.edges[1:])),
            *(column.tolist() for column in columns),
            strict=True,
        )
    ]
    rows.append(["all", *_shares(*_together(plot))])
    return HtmlTable(
        f"Detections, mean {number} and share correct in ten bins",
        [*map(HtmlColumn, ("bin", *SHARES))],
        rows,
        "compact",
        has_total=True,
    )


def _shares(hits: int, mean: float, share: float, low: float, high: float) -> list[str]:
    """The columns `SHARES` of a row."""
    interval = f"{low:.3f} to {high:.3f}" if hits else plain(low, "")
    return [f"{hits:,}", plain(mean, ".3f"), plain(share, ".3f"), interval]


def _together(plot: Reliability) -> tuple[int, float, float, float, float]:
    """The arguments of `_shares` for all bins together."""
    hits, correct = int(plot.hits.sum()), float(plot.correct.sum())
    low, high = wilson(np.array([correct]), np.array([hits]))
    return hits, plot.expected_correct / hits, correct / hits, float(low[0]), float(high[0])


def _sums(view: View, number: str) -> HtmlTable:
    """The sums of the probabilities, and the numbers observed."""
    rows = [
        [
            EXPECTATIONS[expectation.name],
            *(
                plain(value, ".3f" if expectation.name == "twv_found" else ",.1f")
                for value in (expectation.expected, expectation.observed)
            ),
        ]
        for expectation in view.expectations
    ]
    return HtmlTable(
        f"Expected from the {plural(number)}, and observed",
        [*map(HtmlColumn, ("what", "expected", "observed"))],
        rows,
    )


def plural(number: str) -> str:
    """The name of a hit's number in the plural."""
    return "probabilities" if number == "probability" else f"{number}s"
