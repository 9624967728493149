"""An evaluation as text, CSV and JSON; the HTML page is `scoring.discovery.html_report`."""

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import PARTS, RATES, DiscoveryEvaluation, Scores, Spread
from std.display.rows import Rows
from std.written_numbers import written

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
    """Tables for a person: one per scope, one over folds, and what is odd."""
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


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


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
    """The values as rows for any form; an undefined value is empty, in JSON null."""
    values = [*rows(evaluation)]
    return Rows(
        header=ROW_HEADER,
        cells=[(*names, "" if math.isnan(value) else repr(value)) for *names, value in values],
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
