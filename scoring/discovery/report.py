"""An evaluation as text, CSV, JSON and HTML.

The HTML report is one file and needs no network. Its bars repeat numbers that stand beside them, so
that it can be read by a screen reader and printed in black and white.
"""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import PARTS, RATES, DiscoveryEvaluation, Scores, Spread
from std.display.rows import HtmlColumn, HtmlTable, Rows, templates
from std.numbers import written

SCOPE_NAMES: dict[TalkerScope, str] = {
    "all": "whole corpus",
    "within": "within talkers",
    "cross": "across talkers",
}
JSON_KEYS: dict[TalkerScope, str] = {
    "all": "measures",
    "within": "within_talker",
    "cross": "cross_talker",
}


def text(evaluation: DiscoveryEvaluation) -> str:
    """Tables for a person: one per scope, one over folds, and remarks.

    Args:
        evaluation: the evaluation of one class file.
    """
    blocks = [f"profile {evaluation.profile}\n"]
    for scope, scores in evaluation.scores.items():
        rows = [f"{SCOPE_NAMES[scope]:15}{''.join(f'{part:>11}' for part in PARTS)}"]
        for measure in RATES:
            rates = getattr(scores, measure)
            values = "".join(f"{_number(getattr(rates, part)):>11}" for part in PARTS)
            rows.append(f"{measure:15}{values}")
        rows.append(f"{'coverage':15}{_number(scores.coverage):>11}")
        rows.append(f"{'NED':15}{_number(scores.ned):>11}")
        rows.append("  ".join(f"{name} {count}" for name, count in scores.counts.items()))
        rows += [f"{name}: {reason}" for name, reason in scores.reasons().items()]
        blocks.append("\n".join(rows) + "\n")
    if evaluation.fold_scores:
        blocks.append(_spread_text(evaluation))
    return "\n".join(blocks)


def _spread_text(evaluation: DiscoveryEvaluation) -> str:
    rows = [f"{f'{len(evaluation.fold_scores)} folds':21}   mean    std    min    max"]
    for (measure, part), spread in evaluation.spread.items():
        name = f"{measure} {part}".strip()
        values = (spread.mean, spread.std, spread.min, spread.max)
        rows.append(f"{name:21}" + "".join(f"{_number(value):>7}" for value in values))
    return "\n".join(rows) + "\n"


def _number(value: float, undefined: str = "-") -> str:
    return undefined if math.isnan(value) else f"{value:.4f}"


def rows(evaluation: DiscoveryEvaluation) -> Iterator[tuple[str, str, str, str, float]]:
    """Yield (profile, scope, measure, part, value): the table that the CSV file holds.

    ``scope`` is a scope, ``fold N`` or ``folds``; a row of ``folds`` has a part such as
    ``precision mean``.
    """
    for scope, scores in evaluation.scores.items():
        for measure, part, value in scores:
            yield evaluation.profile, scope, measure, part, value
    for number, scores in enumerate(evaluation.fold_scores, start=1):
        for measure, part, value in scores:
            yield evaluation.profile, f"fold {number}", measure, part, value
    for (measure, part), spread in evaluation.spread.items():
        for name, value in _spread_json(spread, keep_nan=True).items():
            yield evaluation.profile, "folds", measure, f"{part} {name}".strip(), value


ROW_HEADER = ("profile", "scope", "measure", "part", "value")


def form_rows(evaluation: DiscoveryEvaluation) -> Rows:
    """The values as rows for any form; an undefined value is empty, in JSON null.

    Args:
        evaluation: the evaluation of one class file.
    """
    values = [*rows(evaluation)]
    return Rows(
        header=ROW_HEADER,
        cells=[(*names, _defined(value)) for *names, value in values],
        documents=[
            dict(zip(ROW_HEADER, (*names, _defined(value)), strict=True))
            for *names, value in values
        ],
        brief_header=ROW_HEADER,
        brief=[(*names, _number(value)) for *names, value in values],
    )


def table(evaluation: DiscoveryEvaluation) -> str:
    """The values as CSV, to 12 digits; an undefined value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ROW_HEADER)
    for *names, value in rows(evaluation):
        writer.writerow((*names, "" if math.isnan(value) else repr(written(value))))
    return out.getvalue()


def document(evaluation: DiscoveryEvaluation) -> dict[str, Any]:
    """The values as one JSON document; undefined values are None, with a reason.

    Keys as docs/discovery.md lists them; ``folds`` only when there are folds, ``within_talker``
    and ``cross_talker`` only when talkers are known.

    Args:
        evaluation: the evaluation of one class file.
    """
    everything = evaluation.scores["all"]
    result: dict[str, Any] = {
        "profile": evaluation.profile,
        "measures": _measures(everything),
        "counts": dict(everything.counts),
        "reasons": everything.reasons(),
    }
    if evaluation.fold_scores:
        result["folds"] = {
            "count": len(evaluation.fold_scores),
            **_nested({key: _spread_json(spread) for key, spread in evaluation.spread.items()}),
            "per_fold": [
                {**_measures(scores), "counts": dict(scores.counts)}
                for scores in evaluation.fold_scores
            ],
        }
    for scope in ("within", "cross"):
        if scope in evaluation.scores:
            scores = evaluation.scores[scope]
            result[JSON_KEYS[scope]] = {
                **_measures(scores),
                "counts": dict(scores.counts),
                "reasons": scores.reasons(),
            }
    return result


def _measures(scores: Scores) -> dict[str, Any]:
    return _nested({(measure, part): _defined(value) for measure, part, value in scores})


def _nested(values: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """{(measure, part): value} as {measure: {part: value}}; a measure without parts is a value."""
    result: dict[str, Any] = {}
    for (measure, part), value in values.items():
        if part:
            result.setdefault(measure, {})[part] = value
        else:
            result[measure] = value
    return result


def _spread_json(spread: Spread, keep_nan: bool = False) -> dict[str, Any]:
    values = {"mean": spread.mean, "std": spread.std, "min": spread.min, "max": spread.max}
    return {name: value if keep_nan else _defined(value) for name, value in values.items()}


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    """The HTML report as one text; ``title`` names the scored system."""
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
            *(_number(value, "undefined") for value in (spread.std, spread.min, spread.max)),
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
