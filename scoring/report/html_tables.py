"""The summary and the per-term table as a plain HTML page, to paste or to print."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import BinaryIO

from scoring.evaluate import Evaluation
from scoring.report.csv_tables import TERMS_HEADER, cells, term_rows
from scoring.report.summary import SUMMARY_HEADER, summary_rows

STYLE = (
    "body{font:16px/1.4 system-ui,sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #ccc}"
    "th:first-child,td:first-child{text-align:left}caption{text-align:left;font-weight:bold}"
)


def write(evaluations: Mapping[str, Evaluation], stream: BinaryIO) -> None:
    """Write one page with a summary and, for each system, its terms."""
    stream.write(
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Scores</title>'
        f"<style>{STYLE}</style>\n".encode()
    )
    header = ("system", *SUMMARY_HEADER)
    rows = [
        (label, *row)
        for label, evaluation in evaluations.items()
        for row in summary_rows(evaluation)
    ]
    _table(stream, "Summary", header, rows)
    for label, evaluation in evaluations.items():
        _table(
            stream,
            f"Terms: {label}",
            TERMS_HEADER,
            (cells(row, 4) for row in term_rows(evaluation)),
        )
    stream.write(b"</html>\n")


def _table(
    stream: BinaryIO, caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    stream.write(f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>\n".encode())
    for row in rows:
        cells = "".join(f"<td>{escape(str(cell))}</td>" for cell in row)
        stream.write(f"<tr>{cells}</tr>\n".encode())
    stream.write(b"</table>\n")
