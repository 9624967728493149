"""Evaluations as rows: a row a group, or a row a term, of all systems."""

from collections.abc import Mapping
from typing import Any, Literal

from scoring.evaluate import Evaluation
from scoring.report.csv_tables import TERMS_HEADER, cells, term_rows
from scoring.report.intervals import comparison_rows, interval_cells
from scoring.report.summary import SUMMARY_HEADER, summary_rows
from scoring.report.values import defined
from scoring.statistics.significance import Statistics
from std.display.rows import Rows

Table = Literal["summary", "terms"]


def evaluation_rows(
    evaluations: Mapping[str, Evaluation],
    table: Table = "summary",
    statistics: Statistics | None = None,
) -> Rows:
    """The summary, or the per-term table, of one or several systems.

    Args:
        evaluations: by system name.
        table: ``summary`` for a row a group, ``terms`` for a row a group and term.
        statistics: intervals for the summary, and a row a pair of systems and group.
    """
    return _terms(evaluations) if table == "terms" else _summary(evaluations, statistics)


def _summary(evaluations: Mapping[str, Evaluation], statistics: Statistics | None) -> Rows:
    documents: list[dict[str, Any]] = [
        {"system": label, "group": group.name}
        | {"terms": int(group.chosen.sum()), "scored_terms": int(group.counted.sum())}
        | group.counts.totals(group.counted)._asdict()
        | {name: defined(value) for name, value in group.measures.items()}
        | (interval_cells(statistics, i, group.name) if statistics else {})
        for i, (label, evaluation) in enumerate(evaluations.items())
        for group in evaluation.groups
    ]
    if statistics:
        documents.extend(comparison_rows(list(evaluations), statistics))
    names = list(dict.fromkeys(name for document in documents for name in document))
    return Rows(
        header=names,
        cells=[cells([document.get(name) for name in names]) for document in documents],
        documents=documents,
        brief_header=("system", *SUMMARY_HEADER),
        brief=[
            (label, *row)
            for label, evaluation in evaluations.items()
            for row in summary_rows(evaluation)
        ],
    )


def _terms(evaluations: Mapping[str, Evaluation]) -> Rows:
    rows = [
        (label, *row) for label, evaluation in evaluations.items() for row in term_rows(evaluation)
    ]
    header = ("system", *TERMS_HEADER)

    def document(row: tuple[str | int | float, ...]) -> dict[str, Any]:
        return {
            name: defined(value) if isinstance(value, float) else value
            for name, value in zip(header, row, strict=True)
        }

    return Rows(
        header=header,
        cells=[cells(row) for row in rows],
        documents=map(document, rows),
        brief_header=header,
        brief=[cells(row, 4) for row in rows],
    )
