"""The summary and the per-term table as a plain HTML page, to paste or to print."""

from collections.abc import Mapping
from typing import BinaryIO

from scoring.evaluate import Evaluation
from scoring.report.csv_tables import TERMS_HEADER, cells, term_rows
from scoring.report.summary import SUMMARY_HEADER, summary_rows
from std.display.html import HtmlColumn, HtmlTable, templates


def write(evaluations: Mapping[str, Evaluation], stream: BinaryIO) -> None:
    """Write one page with a summary and, for each system, its terms."""
    summary = [
        (label, *row)
        for label, evaluation in evaluations.items()
        for row in summary_rows(evaluation)
    ]
    tables = [
        HtmlTable("Summary", [*map(HtmlColumn, ("system", *SUMMARY_HEADER))], summary),
        *(
            HtmlTable(
                f"Terms: {label}",
                [*map(HtmlColumn, TERMS_HEADER)],
                (cells(row, 4) for row in term_rows(evaluation)),
            )
            for label, evaluation in evaluations.items()
        ),
    ]
    page = templates(__package__).get_template("tables.html")
    for part in page.generate(tables=tables):
        stream.write(part.encode())
