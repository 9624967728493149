"""`render`: views, detection errors, charts and tables, put into `report.html`."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from markupsafe import Markup

from scoring.evaluate import Evaluation
from scoring.report.html_report import calibration, charts, detection_errors, tables
from scoring.report.html_report.views import MAX_VIEWS, View, rounded, term_columns, views
from scoring.statistics.significance import Statistics
from std import __version__
from std.display.tables import templates

MAX_ERRORS = 2000  # of each kind, shared by the views
MAX_TERMS = 30_000  # shared by the views


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
        statistics: intervals and comparisons.
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
        notes=_notes(evaluations, shown),
        statistics=statistics,
        intervals=tables.interval_tables(statistics, names) if statistics else [],
        views=[_shown(view, i) for i, view in enumerate(shown)],
        det=charts.det_svg(shown, window),
        key=charts.key_svg,
        measure_lines=charts.MEASURE_LINES,
        number=shown[0].evaluation.numbers["calibration"],
        plural=calibration.plural,
        by_view=calibration.all_views(shown),
        ignored=[*map(tables.ignored, evaluations, names)],
        numbers=_json(_numbers(shown, charts.det_plane(window))),
    )


class ShownView(NamedTuple):
    """A view as the page shows it."""

    label: str
    letter: str
    thresholds: Markup
    has_hits: bool
    calibration: calibration.CalibrationTables | None
    calibration_plot: Markup


def _shown(view: View, index: int) -> ShownView:
    found = calibration.calibration_of(view)
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
