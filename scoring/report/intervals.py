"""Values of an evaluation as JSON and text: numbers, intervals, comparisons, calibration."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.measures import WEIGHED
from scoring.measures.calibration import Reliability, reliability
from scoring.selection import judged_number
from scoring.statistics.jackknife import UNITS, Interval, Unit
from scoring.statistics.significance import Comparison, Statistics
from std.numbers import counted
from std.terminal import printable

DECIMALS = {"P_fa": 6}  # others have four
SMALLEST_P = 0.0001


def defined(value: float) -> float | None:
    """A number, or None for NaN and infinity, which JSON does not have."""
    return value if math.isfinite(value) else None


def text_table(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Columns aligned: the first ones left, numbers right; a rule below the header."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def group_reliability(evaluation: Evaluation, group: Group) -> Reliability | None:
    """The hits of a group in ten bins of probability; None without hits or probabilities."""
    if not len(group.hits) or evaluation.scores != "probability":
        return None
    return reliability(judged_number(group.hits), group.alignment.occurrence_of >= 0)


def reliability_document(plot: Reliability | None) -> dict[str, Any] | None:
    """Calibration as ``std-score --json`` prints it; bins without hits are left out."""
    if plot is None:
        return None
    edges = plot.edges.round(9)  # 0.3, not 0.30000000000000004
    columns = (edges[:-1], edges[1:], plot.hits, plot.correct)
    shares = (plot.expected, plot.observed, plot.low, plot.high)
    names = ("from", "to", "hits", "correct", "mean_probability", "share_correct", "low", "high")
    rows = zip(*(column.tolist() for column in (*columns, *shares)), strict=True)
    return {
        "hits": int(plot.hits.sum()),
        "expected_correct": plot.expected_correct,
        "correct": int(plot.correct.sum()),
        "ECE": plot.error,
        "bins": [dict(zip(names, row, strict=True)) for row in rows if row[2]],
    }


def statistics_document(labels: Sequence[str], statistics: Statistics) -> dict[str, Any]:
    """The key "statistics" of ``std-score --json``."""
    return {
        "replicates": statistics.replicates,
        "seed": statistics.seed,
        "confidence": statistics.confidence,
        "intervals": [
            {"system": label, "group": group.name}
            | {unit: _lists(intervals) for unit, intervals in units.items()}
            for group in statistics.groups
            for label, units in zip(labels, group.systems, strict=True)
        ],
        "comparisons": [
            {
                "systems": [labels[comparison.first], labels[comparison.second]],
                "group": group.name,
                "p_value_ATWV": comparison.p_value,
                "terms": comparison.terms,
                "differences": {
                    name: {"value": defined(difference.value)}
                    | _lists(difference.intervals)
                    | {"p_values": dict(difference.p_values)}
                    for name, difference in comparison.differences.items()
                },
            }
            for group in statistics.groups
            for comparison in group.comparisons
        ],
    }


def _lists(intervals: Mapping[Any, Interval]) -> dict[Any, list[float]]:
    return {name: list(interval) for name, interval in intervals.items()}


def interval_cells(statistics: Statistics, system: int, group_name: str) -> dict[str, float | None]:
    """Columns of a row of the summary: ``ATWV_terms_low``, ``ATWV_terms_high`` and so on."""
    units = next(one for one in statistics.groups if one.name == group_name).systems[system]
    return {
        column: value
        for name in WEIGHED
        for unit in UNITS
        for column, value in _ends(name, unit, units[unit].get(name))
    }


def comparison_rows(
    labels: Sequence[str], statistics: Statistics
) -> Iterator[dict[str, str | float | None]]:
    """A row for each pair of systems and group: differences, their intervals and p-values."""
    for group in statistics.groups:
        for pair in group.comparisons:
            row: dict[str, str | float | None] = {
                "system": f"{labels[pair.first]} - {labels[pair.second]}",
                "group": group.name,
            }
            for name, difference in pair.differences.items():
                row[name] = defined(difference.value)
                for unit in UNITS:
                    row.update(_ends(name, unit, difference.intervals.get(unit)))
                    row[f"{name}_{unit}_p"] = difference.p_values.get(unit)
            yield row | {"ATWV_permutation_p": pair.p_value}


def _ends(name: str, unit: Unit, interval: Interval | None) -> list[tuple[str, float | None]]:
    low, high = interval or (None, None)
    return [(f"{name}_{unit}_low", low), (f"{name}_{unit}_high", high)]


def statistics_lines(labels: Sequence[str], statistics: Statistics) -> list[str]:
    """Intervals of every measure, how each pair differs, and the permutation tests."""
    percent = f"{100 * statistics.confidence:g} %"
    over = [f"{percent} over {unit}" for unit in UNITS]
    rows = [["system", "group", "measure", *over]]
    rows.extend(
        [label, group.name, name, *(shown(name, units[unit].get(name)) for unit in UNITS)]
        for label, *systems in zip(
            labels, *(group.systems for group in statistics.groups), strict=True
        )
        for group, units in zip(statistics.groups, systems, strict=True)
        for name in WEIGHED
        if any(name in units[unit] for unit in UNITS)
    )
    lines = ["", text_table(rows, left=3)]
    pairs = [(group.name, pair) for group in statistics.groups for pair in group.comparisons]
    if pairs:
        header = ["systems", "group", "measure", "difference", over[0], "p", over[1], "p"]
        table = [row for name, pair in pairs for row in difference_rows(labels, name, pair)]
        lines += ["", text_table([header, *table], left=3)]
    return [*lines, *(_permuted(labels, name, pair, percent) for name, pair in pairs)]


def difference_rows(labels: Sequence[str], group: str, pair: Comparison) -> Iterator[list[str]]:
    """A row for each measure: systems, group, measure, difference; per unit interval and p."""
    for name, difference in pair.differences.items():
        if difference.intervals:
            cells = [f"{labels[pair.first]} - {labels[pair.second]}", group, name]
            cells.append(f"{difference.value:+.{DECIMALS.get(name, 4)}f}")
            for unit in UNITS:
                p_value = difference.p_values.get(unit)
                cells.append(shown(name, difference.intervals.get(unit)))
                cells.append("-" if p_value is None else shown_p(p_value))
            yield cells


def _permuted(labels: Sequence[str], group: str, pair: Comparison, percent: str) -> str:
    difference = pair.differences["ATWV"]
    place = "" if group == "all" else f", {group}"
    return (
        f"\n{labels[pair.first]} - {labels[pair.second]}{place}: "
        f"ATWV {difference.value:+.4f}, "
        f"{percent} {shown('ATWV', difference.intervals.get('terms'))} over terms, "
        f"{shown('ATWV', difference.intervals.get('recordings'))} over recordings, "
        f"p = {pair.p_value:.4f} (permutation of {counted(pair.terms, 'term')})"
    )


def shown(name: str, interval: Interval | None) -> str:
    """An interval for a person."""
    if interval is None:
        return "-"
    decimals = DECIMALS.get(name, 4)
    return f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f}"


def shown_p(p_value: float) -> str:
    """A p-value as text; one of 0 is shown as below the smallest possible."""
    return f"{p_value:.4f}" if p_value >= SMALLEST_P else f"<{SMALLEST_P}"
