"""The HTML report: the published figures as tables and bars, in one file without network access.

Bars are drawn beside the numbers they repeat, so nothing depends on seeing or on colour; the page
prints in black and white.
"""

import math
from html import escape

from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import PARTS, RATES, DiscoveryEvaluation, Scores
from scoring.discovery.summary import SCOPE_NAMES

STYLE = """
:root { color-scheme: light dark; --bar: #2b6cb0; --line: #8888; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--line); text-align: right;
  font-variant-numeric: tabular-nums; }
th[scope=row], thead th:first-child, td.note { text-align: left; }
svg rect { fill: var(--bar); }
svg { vertical-align: middle; margin-left: .5rem; }
.scroll { overflow-x: auto; }
@media print { body { margin: 0; max-width: none; } section { break-inside: avoid; }
  svg rect { fill: #000; } }
""".strip()

MEANING = {
    "zrc2017": "equal to the toolkit of the 2017 and 2020 challenges (zerospeech-tde 2.0.3)",
    "zrc2015": "equal to the toolkit of the 2015 challenge (tde 0.2.1)",
    "definition": "the published definition to the letter",
}
BAR_PX = 80


def html_report(evaluation: DiscoveryEvaluation, title: str) -> str:
    """The HTML report as one text; ``title`` names what was scored."""
    sections = [_scope_section(scope, scores) for scope, scores in evaluation.scores.items()]
    if evaluation.fold_scores:
        sections.append(_fold_section(evaluation))
    heading = escape(f"Term discovery: {title}")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{heading}</title>
<style>
{STYLE}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
<p>Profile <strong>{evaluation.profile}</strong>: {MEANING[evaluation.profile]}.
NED is an error (0 is best); everything else is a success (1 is best).</p>
{"".join(sections)}</main>
</body>
</html>
"""


def _scope_section(scope: TalkerScope, scores: Scores) -> str:
    head = "".join(f'<th scope="col">{part}</th>' for part in PARTS)
    body = []
    for measure in RATES:
        cells = "".join(_cell(getattr(getattr(scores, measure), part)) for part in PARTS)
        body.append(f'<tr><th scope="row">{measure}</th>{cells}</tr>\n')
    counts = "".join(
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th><td>{count:,}</td></tr>\n'
        for name, count in scores.counts.items()
    )
    notes = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="note">{escape(reason)}</td></tr>\n'
        for name, reason in scores.reasons().items()
    )
    remarks = f"<table><caption>Remarks</caption><tbody>\n{notes}</tbody></table>\n"
    return f"""<section>
<h2>{SCOPE_NAMES[scope].capitalize()}</h2>
<div class="scroll"><table><caption>Precision, recall and F-score</caption>
<thead><tr><th scope="col">measure</th>{head}</tr></thead>
<tbody>
{"".join(body)}</tbody></table></div>
<table><caption>NED and coverage</caption><tbody>
<tr><th scope="row">NED</th>{_cell(scores.ned)}</tr>
<tr><th scope="row">coverage</th>{_cell(scores.coverage)}</tr>
</tbody></table>
<table><caption>Counted on</caption><tbody>
{counts}</tbody></table>
{remarks if notes else ""}</section>
"""


def _fold_section(evaluation: DiscoveryEvaluation) -> str:
    rows = []
    for (measure, part), spread in evaluation.spread.items():
        cells = "".join(f"<td>{_number(x)}</td>" for x in (spread.std, spread.min, spread.max))
        name = f"{measure} {part}".strip()
        rows.append(f'<tr><th scope="row">{name}</th>{_cell(spread.mean)}{cells}</tr>\n')
    columns = ("measure", "mean", "standard deviation", "minimum", "maximum")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    return f"""<section>
<h2>Over {len(evaluation.fold_scores)} folds</h2>
<div class="scroll"><table><caption>Each fold measured alone</caption>
<thead><tr>{head}</tr></thead>
<tbody>
{"".join(rows)}</tbody></table></div>
</section>
"""


def _cell(value: float) -> str:
    """A number and the same as a bar; a value above 1 fills the bar."""
    if math.isnan(value):
        return "<td>undefined</td>"
    width = round(BAR_PX * min(max(value, 0.0), 1.0), 1)
    bar = (
        f'<svg width="{BAR_PX}" height="12" aria-hidden="true">'
        f'<rect width="{width}" height="12"/></svg>'
    )
    return f"<td>{value:.4f}{bar}</td>"


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
