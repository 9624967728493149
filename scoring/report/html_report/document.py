"""`render` makes the report from views, detection errors, charts and tables.

Its section on calibration compares the predictions of the probabilities with the observed counts:
    calibration_of   one view: its bins and the sums, as tables
    all_views        every view in one row each
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from scoring.evaluate import Evaluation
from scoring.measures.calibration import Reliability, wilson
from scoring.report.html_report import charts, detection_errors, tables
from scoring.report.html_report.tables import plain
from scoring.report.html_report.views import MAX_VIEWS, View, rounded, term_columns, views
from scoring.report.summary import summary_warnings
from scoring.statistics.significance import Statistics
from std import __version__
from std.display.rows import HtmlColumn, HtmlTable, templates

MAX_ERRORS = 2000  # of each kind, shared by the views
MAX_TERMS = 30_000  # shared by the views

EXPECTATIONS = {
    "correct_hits": "Correct detections, accepted or not",
    "correct_accepted": "Correct among the accepted",
    "false_alarms": "False alarms among the accepted",
    "twv_found": "TWV, as if the list held every occurrence",
}
SHARES = ("detections", "mean", "share correct", "95 % interval (Wilson)")


def render(
    evaluations: Sequence[Evaluation],
    *,
    names: Sequence[str] = (),
    statistics: Statistics | None = None,
    inputs: Mapping[str, str] | None = None,
) -> str:
    """The report on one or more systems as one HTML document.

    Args:
        evaluations: at least one; all scored with the same terms, speech and options.
        names: one for each, shown instead of the system ids.
        inputs: names of the input files, by kind: ``{"reference": "ref.rttm"}``.

    Raises:
        ValueError: no evaluation, or not one name for each.
    """
    names = list(names) or [evaluation.system_id or "(unnamed)" for evaluation in evaluations]
    if not evaluations or len(names) != len(evaluations):
        raise ValueError(f"{len(evaluations)} evaluations, {len(names)} names")
    shown = views(evaluations, names)
    window = charts.det_window_of(shown)
    style, script = _asset("report.css"), _asset("report.js")
    page = templates(__package__).get_template("report.html")
    return page.render(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        title=f"Spoken term detection: {', '.join(names)}",
        heading=", ".join(names),
        version=__version__,
        scored=tables.scored(evaluations[0], inputs or {}),
        tiles=tables.tiles(shown[0]) if len(shown) == 1 else [],
        explained=tables.explained() if len(shown) > 1 else [],
        summary=tables.summary(evaluations, names),
        warnings=summary_warnings(dict(zip(names, evaluations, strict=True))),
        notes=_notes(evaluations, shown),
        statistics=statistics,
        intervals=tables.interval_tables(statistics, names) if statistics else [],
        views=[_shown(view, i) for i, view in enumerate(shown)],
        det=charts.det_svg(shown, window),
        key=charts.key_svg,
        measure_lines=charts.MEASURE_LINES,
        number=shown[0].evaluation.numbers["calibration"],
        plural=plural,
        by_view=all_views(shown),
        ignored=[*map(tables.ignored, evaluations, names)],
        numbers=_json(_numbers(shown, charts.det_plane(window))),
    )


class CalibrationTables(NamedTuple):
    """One view's calibration: the plot's points, and its tables."""

    plot: Reliability
    bins: HtmlTable
    sums: HtmlTable


class ShownView(NamedTuple):
    """A view as the page shows it."""

    label: str
    letter: str
    thresholds: Markup
    has_hits: bool
    calibration: CalibrationTables | None
    calibration_plot: Markup


def _shown(view: View, index: int) -> ShownView:
    found = calibration_of(view)
    return ShownView(
        view.label,
        charts.letter_of(index),
        charts.threshold_svg(view, charts.threshold_plane(view), index),
        len(view.group.hits) > 0,
        found,
        charts.calibration_svg(view, found.plot, index) if found else Markup(),
    )


def _numbers(shown: Sequence[View], plane: charts.Plane) -> dict[str, Any]:
    """The JSON that the script reads."""
    share = max(MAX_ERRORS // len(shown), 100)
    terms = max(MAX_TERMS // len(shown), 1000)
    rows = []
    for view in shown:
        curve = view.curve
        x, y = charts.det_points(plane, curve.p_fa, curve.p_miss)
        mine = charts.threshold_plane(view)
        targets = int(view.group.counts.targets[view.group.counted].sum())
        missed, wrong = (
            detection_errors.misses(view, share),
            detection_errors.false_alarms(view, share),
        )
        rows.append(
            {
                "label": view.label,
                "targets": targets,
                "curve": {
                    "threshold": rounded(curve.threshold, 9),
                    "p_miss": rounded(curve.p_miss),
                    "p_fa": rounded(curve.p_fa),
                    "twv": rounded(curve.twv),
                    "correct": curve.correct.tolist(),
                    "alarms": curve.false_alarms.tolist(),
                    "x": rounded(x, 4),
                    "y": rounded(y, 4),
                    "at": rounded(mine.x.px(curve.threshold), 4),
                },
                "best": curve.best,
                "own": rounded([view.group.measures["decision_threshold"]], 9)[0],
                "terms": {
                    "columns": term_columns(view, terms),
                    "total": int(view.group.chosen.sum()),
                },
                "misses": missed._asdict(),
                "alarms": wrong._asdict(),
            }
        )
    return {"views": rows, "det": {"left": plane.x.from_px, "bottom": plane.y.from_px}}


def _notes(evaluations: Sequence[Evaluation], shown: Sequence[View]) -> list[str]:
    groups = sum(len(evaluation.groups) for evaluation in evaluations)
    possible = len(evaluations) if len(evaluations) > 1 else groups
    notes = []
    if possible > MAX_VIEWS:
        notes.append(
            f"The summary has all; drawings and lists show the first {MAX_VIEWS} of {possible}."
        )
    if any(view.curve.points > len(view.curve) for view in shown):
        notes.append("Curves are thinned; every point is in det.csv.")
    return notes


def _json(value: object) -> Markup:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"))


@cache
def _asset(name: str) -> str:
    return files("scoring.report.html_report").joinpath(name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    """A source of the content security policy: exactly this text may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def calibration_of(view: View) -> CalibrationTables | None:
    """The tables of a view; None without hits or probabilities."""
    plot, number = view.reliability, view.evaluation.numbers["calibration"]
    if plot is None:
        return None
    return CalibrationTables(plot, _bins(plot, number), _sums(view, number))


def all_views(views: Sequence[View]) -> HtmlTable:
    """The calibration of every view in one row each."""
    systems = views[0].evaluation is not views[-1].evaluation
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
