"""The HTML report: the published figures as tables and bars, in one file without network access.

Bars are drawn beside the numbers they repeat, so nothing depends on seeing or on colour; the page
prints in black and white.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from scoring.discovery.scores import PARTS, RATES, DiscoveryEvaluation, Scores
from scoring.discovery.summary import SCOPE_NAMES
from std.display.html import HtmlColumn, HtmlTable, templates

MEANING = {
    "zrc2017": "equal to the toolkit of the 2017 and 2020 challenges (zerospeech-tde 2.0.3)",
    "zrc2015": "equal to the toolkit of the 2015 challenge (tde 0.2.1)",
    "definition": "the published definition to the letter",
}
BAR_PX = 80
BAR = Markup(
    '{:.4f}<svg width="{}" height="12" aria-hidden="true"><rect width="{}" height="12"/></svg>'
)


class Section(NamedTuple):
    """A part of the report."""

    title: str
    tables: Sequence[HtmlTable]


def html_report(evaluation: DiscoveryEvaluation, title: str) -> str:
    """The HTML report as one text; ``title`` names what was scored."""
    return (
        templates(__package__)
        .get_template("report.html")
        .render(
            heading=f"Term discovery: {title}",
            profile=evaluation.profile,
            meaning=MEANING[evaluation.profile],
            sections=[*_sections(evaluation)],
        )
    )


def _sections(evaluation: DiscoveryEvaluation) -> Iterator[Section]:
    """One for each scope, then one for the folds, if there are any."""
    for scope, scores in evaluation.scores.items():
        yield Section(SCOPE_NAMES[scope].capitalize(), [*_scope_tables(scores)])
    if evaluation.fold_scores:
        title = f"Over {len(evaluation.fold_scores)} folds"
        yield Section(title, [_fold_table(evaluation)])


def _scope_tables(scores: Scores) -> Iterator[HtmlTable]:
    yield HtmlTable(
        "Precision, recall and F-score",
        [*map(HtmlColumn, ("measure", *PARTS))],
        [
            [measure, *(_bar(getattr(getattr(scores, measure), part)) for part in PARTS)]
            for measure in RATES
        ],
    )
    yield HtmlTable(
        "NED and coverage",
        [*map(HtmlColumn, ("measure", "value"))],
        [["NED", _bar(scores.ned)], ["coverage", _bar(scores.coverage)]],
    )
    yield HtmlTable(
        "Counted on",
        [*map(HtmlColumn, ("what", "how many"))],
        [[name.replace("_", " "), f"{count:,}"] for name, count in scores.counts.items()],
    )
    if remarks := [*scores.reasons().items()]:
        columns = [HtmlColumn("measure"), HtmlColumn("remark", is_text=True)]
        yield HtmlTable("Remarks", columns, remarks)


def _fold_table(evaluation: DiscoveryEvaluation) -> HtmlTable:
    rows = [
        [
            f"{measure} {part}".strip(),
            _bar(spread.mean),
            *map(_number, (spread.std, spread.min, spread.max)),
        ]
        for (measure, part), spread in evaluation.spread.items()
    ]
    columns = ("measure", "mean", "standard deviation", "minimum", "maximum")
    return HtmlTable("Each fold measured alone", [*map(HtmlColumn, columns)], rows)


def _bar(value: float) -> str:
    """A number and the same as a bar; a value above 1 fills the bar."""
    if math.isnan(value):
        return "undefined"
    return BAR.format(value, BAR_PX, round(BAR_PX * min(max(value, 0.0), 1.0), 1))


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
