"""`render`: views, mistakes, charts and the three files of the page, put together."""

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scoring.evaluate import Evaluation
from scoring.page import charts, mistakes
from scoring.page.views import MAX_VIEWS, View, rounded, term_columns, views
from std import __version__
from std.values import Detections

MAX_MISTAKES = 2000  # of each kind, shared by the views
MAX_IGNORED = 200
DASH = "\N{EN DASH}"  # stands for what is undefined

MEASURES = (
    ("ATWV", "Actual term-weighted value: what the system's own decisions are worth. "
     "1 is perfect, 0 is silence, and it can be negative."),
    ("MTWV", "Maximum: the value at the best single threshold for all terms."),
    ("OTWV", "Optimum: the value if every term had its own best threshold."),
    ("STWV", "Supremum: the value if every detection were accepted and none were false. "
     "What the index cannot reach at all is missing from it."),
    ("P_miss", "Share of a term's occurrences that were not accepted, mean over terms."),
    ("P_fa", "Share of a term's other trials (one per second of speech) that were "
     "accepted by mistake, mean over terms."),
)  # fmt: skip
IGNORED = {
    "hits_outside_ecf": "Detections that lie outside the excerpts of the experiment control file "
    "(or across two of them): that speech is not scored.",
    "references_outside_ecf": "Occurrences in the reference that lie outside the excerpts: "
    "nobody is asked to find them.",
    "hits_of_terms_without_references": "Detections of terms that are never said in the scored "
    "speech: P(miss) is undefined for those terms, so they stay out of the means.",
}
EXPECTATIONS = {
    "correct_hits": "Correct detections, accepted or not",
    "correct_accepted": "Correct among the accepted",
    "false_alarms": "False alarms among the accepted",
    "twv_found": "TWV, as if the list held every occurrence",
}


def render(
    evaluations: Sequence[Evaluation],
    *,
    names: Sequence[str] = (),
    inputs: Mapping[str, str] | None = None,
) -> str:
    """The report on one or more systems as one HTML document.

    Args:
        evaluations: at least one; all scored with the same terms, speech and options.
        names: one for each, shown instead of the system ids.
        inputs: what was read, by kind: ``{"reference": "ref.rttm"}``.

    Raises:
        ValueError: no evaluation, or not one name for each.
    """
    names = list(names) or [one.system_id or "(unnamed)" for one in evaluations]
    if not evaluations or len(names) != len(evaluations):
        raise ValueError(f"{len(evaluations)} evaluations, {len(names)} names")
    shown = views(evaluations, names)
    plane = charts.det_plane(shown)
    style, script = _asset("page.css"), _asset("page.js")
    title = f"Spoken term detection: {', '.join(names)}"
    return Template(_asset("page.html")).substitute(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=escape(title),
        heading=escape(", ".join(names)),
        version=escape(__version__),
        scored=_scored(evaluations[0], inputs or {}),
        measures=_measures(shown),
        summary=_summary(evaluations, names),
        explained="".join(
            f"<div><dt>{_symbol(name)}</dt><dd>{escape(text)}</dd></div>"
            for name, text in MEASURES
        ) if len(shown) > 1 else "",
        chooser=_chooser(shown),
        det=charts.det_svg(shown, plane),
        legend=_legend(shown),
        thresholds=_one_of(
            charts.threshold_svg(view, charts.threshold_plane(view), i)
            for i, view in enumerate(shown)
        ),
        calibration=_one_of(_calibration(view, i) for i, view in enumerate(shown)),
        ignored="".join(map(_ignored, evaluations, names)),
        numbers=_json(_numbers(shown, plane)),
        notes=_notes(evaluations, shown),
    )  # fmt: skip


def _numbers(shown: Sequence[View], plane: charts.Plane) -> dict[str, Any]:
    """What the script reads."""
    share = max(MAX_MISTAKES // len(shown), 100)
    rows = []
    for view in shown:
        curve = view.curve
        x, y = charts.det_points(plane, curve.p_fa, curve.p_miss)
        mine = charts.threshold_plane(view)
        targets = int(view.group.counts.targets[view.group.counted].sum())
        missed, wrong = mistakes.misses(view, share), mistakes.false_alarms(view, share)
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
                "terms": {"columns": term_columns(view), "total": int(view.group.chosen.sum())},
                "misses": missed._asdict(),
                "alarms": wrong._asdict(),
            }
        )
    return {"views": rows, "det": {"left": plane.x.from_px, "bottom": plane.y.from_px}}


def _scored(evaluation: Evaluation, inputs: Mapping[str, str]) -> str:
    whole, options, terms = evaluation.groups[0], evaluation.options, evaluation.terms
    point = whole.point
    rows = {
        **{kind: escape(path) for kind, path in inputs.items()},
        "speech": f"{_duration(whole.speech_s)} ({whole.speech_s:,.1f} s), "
        f"{whole.trials:,} trials per term",
        "terms": f"{len(terms.terms):,}, of which {int(whole.counted.sum()):,} are scored",
        "occurrences": f"{int(whole.counts.targets[whole.counted].sum()):,} in the reference",
        "language": escape(evaluation.language or terms.language),
        "operating point": f"beta {point.beta:.6g}: false alarm costs {point.cost:g}, miss costs "
        f"{point.value:g}, prior {point.prior:g}",
        "pairing": "by speech segment"
        if options.segments
        else f"middle of a detection within {options.tolerance_s:g} s of the occurrence; "
        f"at most {options.max_gap_s:g} s between the words of a term",
    }
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{text}</dd></div>" for name, text in rows.items() if text
    )


def _measures(shown: Sequence[View]) -> str:
    """Tiles of a single system's measures."""
    if len(shown) > 1:
        return ""
    measures = shown[0].group.measures
    tiles = []
    for name, text in MEASURES:
        value = _value(name, measures[name])
        if name == "MTWV" and math.isfinite(measures["MTWV_threshold"]):
            text = f"{text} Here: {measures['MTWV_threshold']:.4g}."
        tiles.append(
            f"<div><dt>{_symbol(name)}</dt><dd><strong>{value}</strong> "
            f"<span>{escape(text)}</span></dd></div>"
        )
    return f'<dl class="tiles">{"".join(tiles)}</dl>'


def _summary(evaluations: Sequence[Evaluation], names: Sequence[str]) -> str:
    several = len(evaluations) > 1
    rows = []
    for name, evaluation in zip(names, evaluations, strict=True):
        for i, group in enumerate(evaluation.groups):
            label = name if i == 0 else f"{name}: {group.name}" if several else group.name
            totals, measures = group.counts.totals(group.counted), group.measures
            counts = (int(group.counted.sum()), totals.targets, totals.corr, totals.fa, totals.miss)
            cells = [f"{one:,}" for one in counts]
            for measure in ("P_miss", "P_fa", "ATWV", "MTWV"):
                cells.append(_value(measure, measures[measure]))
            cells.append(_plain(measures["MTWV_threshold"], ".4g"))
            cells.extend(_value(one, measures[one]) for one in ("OTWV", "STWV"))
            rows.append(
                f'<tr><th scope="row" dir="auto">{escape(label)}</th>'
                + "".join(f"<td>{cell}</td>" for cell in cells)
                + "</tr>"
            )
    return "".join(rows)


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
    items = []
    for i, view in enumerate(shown):
        letter = f"<b>{charts.letter_of(i)}</b> " if len(shown) > 1 else ""
        label = f'{letter}<span dir="auto">{escape(view.label)}</span>'
        items.append(f"<li>{charts.key_svg(i)} {label}</li>")
    items.append(f"<li>{charts.key_svg(0, 'own')} the system's own decisions</li>")
    items.append(f"<li>{charts.key_svg(0, 'max')} best single threshold</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _one_of(parts: Iterable[str]) -> str:
    """A part for each view, of which the script shows one."""
    return "".join(
        f'<div class="of-view" data-view="{i}"{" hidden" if i else ""}>{part}</div>'
        for i, part in enumerate(parts)
    )


def _calibration(view: View, index: int) -> str:
    if view.reliability is None:
        return (
            "<p>No calibration: there are no detections, or their scores are not probabilities "
            "between 0 and 1.</p>"
        )
    rows = "".join(
        f'<tr><th scope="row">{EXPECTATIONS[one.name]}</th>'
        + "".join(
            f"<td>{_plain(value, '.3f' if one.name == 'twv_found' else ',.1f')}</td>"
            for value in (one.expected, one.observed)
        )
        + "</tr>"
        for one in view.expectations
    )
    bins = "".join(
        f'<tr><th scope="row">{low:.1f} to {high:.1f}</th><td>{n:,}</td>'
        f"<td>{_plain(expected, '.3f')}</td><td>{_plain(observed, '.3f')}</td>"
        f"<td>{_plain(least, '.3f')} to {_plain(most, '.3f')}</td></tr>"
        for low, high, n, expected, observed, least, most in zip(
            view.reliability.edges[:-1].tolist(),
            view.reliability.edges[1:].tolist(),
            view.reliability.hits.tolist(),
            view.reliability.expected.tolist(),
            view.reliability.observed.tolist(),
            view.reliability.low.tolist(),
            view.reliability.high.tolist(),
            strict=True,
        )
        if n
    )
    return f"""<div class="pair"><figure>{charts.calibration_svg(view, view.reliability, index)}
</figure><div>
<table><caption>Expected from the scores, and observed</caption>
<thead><tr><th scope="col">what</th><th scope="col">expected</th><th scope="col">observed</th></tr>
</thead><tbody>{rows}</tbody></table>
<p>Calibration error {view.reliability.error:.3f}: mean distance of the points from the diagonal,
weighted by their detections. Occurrences without any detection cannot be expected, so the TWV of
this table leaves them out; the ATWV counts them as missed.</p>
<details><summary>The plot as a table</summary><table class="numbers">
<thead><tr><th scope="col">score</th><th scope="col">hits</th><th scope="col">mean score</th>
<th scope="col">share correct</th><th scope="col">95 % interval</th></tr></thead>
<tbody>{bins}</tbody></table></details></div></div>"""


def _ignored(evaluation: Evaluation, name: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(kind.replace("_", " "))}</th><td>{number:,}</td>'
        f'<td class="text">{escape(IGNORED.get(kind, ""))}</td></tr>'
        for kind, number in evaluation.ignored.items()
    )
    table = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Not scored">'
        f'<table><caption dir="auto">{escape(name)}</caption><thead><tr><th scope="col">what</th>'
        f'<th scope="col">how many</th><th scope="col" class="text">why</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    return table + _outside(evaluation, evaluation.hits_outside)


def _outside(evaluation: Evaluation, hits: Detections) -> str:
    """The first of the detections outside the excerpts."""
    if not len(hits):
        return ""
    terms = evaluation.terms.terms
    rows = []
    for i in range(min(len(hits), MAX_IGNORED)):
        where = hits.recordings[hits.recording[i]]
        rows.append(
            f'<tr><th scope="row" dir="auto">{escape(terms[hits.term[i]].text)}</th>'
            f'<td class="text">{escape(where.file)}</td><td>{where.channel}</td>'
            f"<td>{hits.start_s[i]:.2f}</td><td>{hits.start_s[i] + hits.duration_s[i]:.2f}</td>"
            f"<td>{hits.score[i]:.4g}</td></tr>"
        )
    count = f"all {len(hits):,}"
    if len(hits) > MAX_IGNORED:
        count = f"first {MAX_IGNORED:,} of {len(hits):,}; all in ignored.csv"
    return (
        f"<details><summary>Detections outside the excerpts ({count})</summary>"
        '<table class="numbers"><thead><tr><th scope="col">term</th>'
        '<th scope="col" class="text">recording</th>'
        '<th scope="col">channel</th><th scope="col">start, s</th><th scope="col">end, s</th>'
        f'<th scope="col">score</th></tr></thead><tbody>{"".join(rows)}</tbody></table></details>'
    )


def _notes(evaluations: Sequence[Evaluation], shown: Sequence[View]) -> str:
    groups = sum(len(one.groups) for one in evaluations)
    possible = len(evaluations) if len(evaluations) > 1 else groups
    notes = []
    if possible > MAX_VIEWS:
        notes.append(
            f"The summary has all; drawings and lists show the first {MAX_VIEWS} of {possible}."
        )
    if any(view.curve.points > len(view.curve) for view in shown):
        notes.append("Curves are thinned; every point is in det.csv.")
    return "".join(f"<p>{one}</p>" for one in notes)


def _value(name: str, value: float) -> str:
    return _plain(value, {"P_fa": ".6f"}.get(name, ".4f"))


def _plain(value: float, form: str) -> str:
    return format(value, form).replace("-", "\N{MINUS SIGN}") if math.isfinite(value) else DASH


def _symbol(name: str) -> str:
    stem, _, index = name.partition("_")
    return f"{stem}<sub>{index}</sub>" if index else stem


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{seconds / 60:.1f} min"


def _json(value: object) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


@cache
def _asset(name: str) -> str:
    return files("scoring.page").joinpath(name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    """A source of the content security policy: exactly this text may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
