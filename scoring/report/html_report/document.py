"""`render`: views, detection errors, charts and tables, put into one HTML document."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scoring.evaluate import Evaluation
from scoring.report.html_report import calibration, charts, detection_errors, intervals, tables
from scoring.report.html_report.views import MAX_VIEWS, View, rounded, term_columns, views
from scoring.statistics.significance import Statistics
from std import __version__

LINES = ("TWV", "P<sub>miss</sub>", "beta P<sub>fa</sub>")
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
        inputs: what was read, by kind: ``{"reference": "ref.rttm"}``.

    Raises:
        ValueError: no evaluation, or not one name for each.
    """
    names = list(names) or [evaluation.system_id or "(unnamed)" for evaluation in evaluations]
    if not evaluations or len(names) != len(evaluations):
        raise ValueError(f"{len(evaluations)} evaluations, {len(names)} names")
    shown = views(evaluations, names)
    plane = charts.det_plane(shown)
    style, script = _asset("report.css"), _asset("report.js")
    title = f"Spoken term detection: {', '.join(names)}"
    return Template(_asset("report.html")).substitute(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=escape(title),
        heading=escape(", ".join(names)),
        version=escape(__version__),
        scored=tables.scored(evaluations[0], inputs or {}),
        measures=tables.measures(shown),
        summary=tables.summary(evaluations, names),
        explained=tables.explanations(shown),
        resampling=intervals.section(statistics, names) if statistics else "",
        resampling_link='<a href="#resampling">Intervals</a>' if statistics else "",
        chooser=_chooser(shown),
        det=charts.det_svg(shown, plane),
        legend=_legend(shown),
        lines="".join(
            f"<li>{charts.key_svg(name)} {text}</li>"
            for name, text in zip(charts.MEASURE_LINES, LINES, strict=True)
        ),
        thresholds=_one_of(
            charts.threshold_svg(view, charts.threshold_plane(view), i)
            for i, view in enumerate(shown)
        ),
        calibration=calibration.introduction(shown[0])
        + _one_of(calibration.one(view, i) for i, view in enumerate(shown))
        + calibration.all_views(shown),
        ignored="".join(map(tables.ignored, evaluations, names)),
        numbers=_json(_numbers(shown, plane)),
        notes=_notes(evaluations, shown),
    )


def _numbers(shown: Sequence[View], plane: charts.Plane) -> dict[str, Any]:
    """What the script reads."""
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


def _chooser(shown: Sequence[View]) -> str:
    """The choice of the system that the parts below show; none for a single one."""
    options = "".join(
        f'<option value="{i}">{charts.letter_of(i)}: {escape(view.label)}</option>'
        for i, view in enumerate(shown)
    )
    hidden = " hidden" if len(shown) == 1 else ""
    return (
        f'<p class="chooser"{hidden}><label for="view">Shown in detail</label> '
        f'<select id="view" autocomplete="off">{options}</select></p>'
    )


def _legend(shown: Sequence[View]) -> str:
    items, mark = [], "s0" if len(shown) == 1 else "value"
    for i, view in enumerate(shown):
        letter = f"<b>{charts.letter_of(i)}</b> " if len(shown) > 1 else ""
        label = f'{letter}<span dir="auto">{escape(view.label)}</span>'
        items.append(f"<li>{charts.key_svg(f's{i}')} {label}</li>")
    items.append(f"<li>{charts.key_svg(mark, 'own')} the system's own decisions</li>")
    items.append(f"<li>{charts.key_svg(mark, 'max')} best single threshold</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _one_of(parts: Iterable[str]) -> str:
    """A part for each view, of which the script shows one."""
    return "".join(
        f'<div class="of-view" data-view="{i}"{" hidden" if i else ""}>{part}</div>'
        for i, part in enumerate(parts)
    )


def _notes(evaluations: Sequence[Evaluation], shown: Sequence[View]) -> str:
    groups = sum(len(evaluation.groups) for evaluation in evaluations)
    possible = len(evaluations) if len(evaluations) > 1 else groups
    notes = []
    if possible > MAX_VIEWS:
        notes.append(
            f"The summary has all; drawings and lists show the first {MAX_VIEWS} of {possible}."
        )
    if any(view.curve.points > len(view.curve) for view in shown):
        notes.append("Curves are thinned; every point is in det.csv.")
    return "".join(f"<p>{note}</p>" for note in notes)


def _json(value: object) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


@cache
def _asset(name: str) -> str:
    return files("scoring.report.html_report").joinpath(name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    """A source of the content security policy: exactly this text may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
