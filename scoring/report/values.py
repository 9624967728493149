"""Values of an evaluation as JSON and text: numbers, aligned columns, calibration by group."""

import math
from collections.abc import Sequence
from typing import Any

from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.measures.calibration import Reliability, reliability
from scoring.selection import judged_number
from std.terminal import printable


def defined(value: float) -> float | None:
    """A number, or None for NaN and infinity, which JSON does not have."""
    return value if math.isfinite(value) else None


def text_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
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
