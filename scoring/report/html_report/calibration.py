"""The calibration section: what the probabilities predict beside what is observed.

section   how to read it; for each view a plot, its bins and the sums; then all views side by side
"""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from scoring.measures.calibration import Reliability, wilson
from scoring.report.html_report import charts
from scoring.report.html_report.tables import plain, scrolled
from scoring.report.html_report.views import View

EXPECTATIONS = {
    "correct_hits": "Correct detections, accepted or not",
    "correct_accepted": "Correct among the accepted",
    "false_alarms": "False alarms among the accepted",
    "twv_found": "TWV, as if the list held every occurrence",
}
SHARES = ("detections", "mean", "share correct", "95 % interval (Wilson)")
NUMBERS = {
    "probability": "The probabilities come from a list of their own; the scores beside them are "
    "rescaled for decisions and are not judged here.",
    "score": "The hit list has one number for each detection, its score. A score that is rescaled "
    "so that one threshold fits all terms is no probability and will not look calibrated: "
    "std-score --probabilities reads the probabilities from a second list.",
}


def introduction(view: View) -> str:
    """How the section is read, and which of a detection's numbers it is about."""
    number = view.evaluation.numbers["calibration"]
    return (
        f"<p>Of ten detections with {number} 0.8, eight should be correct: points on the diagonal. "
        f"Below it the {_plural(number)} are too high, above it too low. {NUMBERS[number]}</p>"
    )


def one(view: View, index: int) -> str:
    """One view's calibration plot, its bins, and the sums expected and observed."""
    plot, number = view.reliability, view.evaluation.numbers["calibration"]
    if plot is None:
        why = "the scores are taken for log-likelihood ratios, not for probabilities"
        return (
            f"<p>No calibration: {why if len(view.group.hits) else 'there are no detections'}.</p>"
        )
    return f"""<div class="pair"><figure>{charts.calibration_svg(view, plot, index)}
<figcaption>Each point is one of ten bins of {number}; the lines are 95 % intervals (Wilson).
</figcaption></figure><div>{_bins(plot, number)}
<p>Expected calibration error (ECE) <strong>{plot.error:.3f}</strong>: the mean, over the ten bins,
of |mean {number} \N{MINUS SIGN} share correct|, weighted by their detections.</p>
{_sums(view, number)}
<p>Occurrences without any detection cannot be expected, so the TWV of this table leaves them out;
the ATWV counts them as misses.</p></div></div>"""


def all_views(views: Sequence[View]) -> str:
    """The calibration of every view in one row each; nothing for a single one."""
    if len(views) == 1:
        return ""
    systems = len({view.evaluation.system_id for view in views}) > 1
    number = views[0].evaluation.numbers["calibration"]
    rows = []
    for view in views:
        plot, label = view.reliability, view.label if systems else view.group.name
        cells = [plain(float("nan"), "")] * 7  # one for each column
        if plot is not None:
            sums = f"{plot.expected_correct:,.1f}", f"{plot.correct.sum():,}", f"{plot.error:.3f}"
            cells = [*_shares(*_together(plot)), *sums]
        rows.append(f'<tr><th scope="row" dir="auto">{escape(label)}</th>{_cells(cells)}</tr>')
    what = "system" if systems else "group"
    return scrolled(
        f"Calibration by {what}: detections, mean {number}, share correct, sums, ECE",
        _head(what, *SHARES, "expected correct", "correct", "ECE"),
        "".join(rows),
        kind="compact",
    )


def _bins(plot: Reliability, number: str) -> str:
    """The plot as a table, with a last row for all bins together."""
    columns = (plot.hits, plot.expected, plot.observed, plot.low, plot.high)
    rows = [
        f'<tr><th scope="row">{low:.1f} to {high:.1f}</th>{_cells(_shares(*row))}</tr>'
        for low, high, *row in zip(
            *(edges.tolist() for edges in (plot.edges[:-1], plot.edges[1:])),
            *(column.tolist() for column in columns),
            strict=True,
        )
    ]
    together = _cells(_shares(*_together(plot)))
    rows.append(f'<tr class="total"><th scope="row">all</th>{together}</tr>')
    return scrolled(
        f"Detections, mean {number} and share correct in ten bins",
        _head("bin", *SHARES),
        "".join(rows),
        kind="compact",
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


def _sums(view: View, number: str) -> str:
    """What the probabilities add up to, and what is observed."""
    rows = "".join(
        f'<tr><th scope="row">{EXPECTATIONS[expectation.name]}</th>'
        + _cells(
            plain(value, ".3f" if expectation.name == "twv_found" else ",.1f")
            for value in (expectation.expected, expectation.observed)
        )
        + "</tr>"
        for expectation in view.expectations
    )
    return scrolled(
        f"Expected from the {_plural(number)}, and observed",
        _head("what", "expected", "observed"),
        rows,
    )


def _plural(number: str) -> str:
    return "probabilities" if number == "probability" else f"{number}s"


def _head(*names: str) -> str:
    return "".join(f'<th scope="col">{name}</th>' for name in names)


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"<td>{text}</td>" for text in texts)
