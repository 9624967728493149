"""The output folder: tables and plots, each file whole or not at all.

    report.html summary.txt summary.json tables.html
    terms.csv alignment.csv ignored.csv det.csv iso_ratios.csv
    det.svg det.png thresholds.svg

With several hit lists the tables in the second line are in a folder per system. The plots in the
last line need matplotlib; without it they are left out.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scoring.evaluate import Evaluation
from scoring.measures.det import ISO_RATIOS, Point, articulated
from scoring.report import csv_tables, html_report, plot
from scoring.report.csv_tables import TERMS_HEADER, cells, of_systems, term_rows
from scoring.report.summary import SUMMARY_HEADER, summary_document, summary_rows, summary_text
from scoring.resources import Resources
from scoring.statistics.significance import Statistics
from std.display.rows import HtmlColumn, HtmlTable, templates
from std.distinct import Given, require_distinct
from std.files import AnyPath
from std.imports import is_installed
from std.outputs import make_folder, open_output
from std.terminal import json_text, printable

Writer = Callable[[BinaryIO], object]
MAX_NAME = 50  # characters of a system's folder
ACTUAL = ("decision_threshold", "P_miss", "P_fa", "ATWV")


class Drawing(NamedTuple):
    """How curves are drawn and tabulated."""

    articulated: bool = False  # only the corners of DET curves
    standard_errors: bool = False  # lines at two standard errors of the means over terms
    iso_ratios: tuple[float, ...] = ISO_RATIOS  # P_miss / P_fa at which curves are read


DEFAULT_DRAWING = Drawing()


def write_report(
    evaluations: Mapping[str, Evaluation],
    folder: AnyPath,
    *,
    statistics: Statistics | None = None,
    resources: Resources | None = None,
    inputs: Mapping[str, str] | None = None,
    read_files: Mapping[str, Given] | None = None,
    drawing: Drawing = DEFAULT_DRAWING,
) -> None:
    """Write all tables and the HTML report, and the plots if matplotlib is installed.

    Args:
        evaluations: by system name.
        folder: made if it is missing; files of the same names are replaced.
        statistics: intervals and comparisons from `scoring.compare_systems`.
        resources: speed and memory of a system, for the summary.
        inputs: names of the input files in the HTML report, by kind: ``{"reference": "ref.rttm"}``.
        read_files: files that must not be overwritten, by the name that messages give them.
        drawing: how curves are drawn and tabulated.

    Raises:
        InputError: the folder cannot be made or written to.
        StdError: a file to write is one of ``read_files``.
    """
    writers = {
        **_summaries(evaluations, statistics, resources),
        Path("report.html"): _content(
            lambda: html_report.render(
                list(evaluations.values()),
                names=list(evaluations),
                statistics=statistics,
                inputs=inputs,
            )
        ),
        **(_plots(evaluations, drawing) if is_installed("matplotlib") else {}),
    }
    folder, folders = Path(folder), _folder_names(evaluations, {str(name) for name in writers})
    for name, evaluation in evaluations.items():
        system_folder = Path(folders[name]) if len(evaluations) > 1 else Path()
        writers |= {
            system_folder / file: writer for file, writer in _tables(evaluation, drawing).items()
        }
    for parent in dict.fromkeys((folder / path).parent for path in writers):
        make_folder(parent)
    require_distinct(read_files or {}, {"--output": [folder / path for path in writers]})
    for path, write in writers.items():
        with open_output(folder / path) as stream:
            write(stream)


def _content(text: Callable[[], str]) -> Writer:
    """Write a text that is made only when its file is open."""
    return lambda stream: stream.write(text().encode())


def _summaries(
    evaluations: Mapping[str, Evaluation],
    statistics: Statistics | None,
    resources: Resources | None,
) -> dict[Path, Writer]:
    text = summary_text(evaluations, statistics, resources)
    document = json_text(summary_document(evaluations, statistics, resources))
    return {
        Path("summary.txt"): _content(lambda: text),
        Path("summary.json"): _content(lambda: f"{document}\n"),
        Path("tables.html"): partial(write_tables, evaluations),
    }


def _plots(evaluations: Mapping[str, Evaluation], drawing: Drawing) -> dict[Path, Writer]:
    several = len(evaluations) > 1
    curves = [
        plot.LabelledCurve(
            _curve_name(name if several else "", group.name),
            articulated(group.det) if drawing.articulated else group.det,
            Point(*(group.measures[measure] for measure in ACTUAL)),
        )
        for name, evaluation in evaluations.items()
        for group in evaluation.groups
    ]
    first = next(iter(evaluations.values()))
    beta = first.groups[0].point.beta
    title = "" if several else drawable(first.system_id)
    errors = drawing.standard_errors
    det = plot.det_figure(curves, beta, title, standard_errors=errors)
    thresholds = plot.threshold_figure(curves, title, standard_errors=errors)
    return {
        Path("det.svg"): partial(plot.save, det, kind="svg"),
        Path("det.png"): partial(plot.save, det, kind="png"),
        Path("thresholds.svg"): partial(plot.save, thresholds, kind="svg"),
    }


def _tables(evaluation: Evaluation, drawing: Drawing) -> dict[str, Writer]:
    """The CSV tables of one system."""
    corners_only, ratios = drawing.articulated, drawing.iso_ratios
    return {
        "terms.csv": partial(csv_tables.terms_csv, evaluation),
        "alignment.csv": partial(csv_tables.alignment_csv, evaluation),
        "ignored.csv": partial(csv_tables.ignored_csv, evaluation),
        "det.csv": partial(csv_tables.det_csv, evaluation, corners_only=corners_only),
        "iso_ratios.csv": partial(csv_tables.iso_ratios_csv, evaluation, ratios),
    }


def _curve_name(system: str, group: str) -> str:
    return drawable(f"{system} {group}" if system and group != "all" else system or group)


def drawable(text: str) -> str:
    """A text for matplotlib, which has no glyph for some letters and reads dollars as formulas."""
    return printable(text).replace("$", r"\$")


def _folder_names(labels: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """A folder for each system; names that differ by case only are one on some file systems.

    >>> _folder_names(["a b", "A_b", "det.csv"], ["det.csv"])
    {'a b': 'a_b', 'A_b': 'A_b_2', 'det.csv': 'det.csv_2'}
    """
    names: dict[str, str] = {}
    used = {name.casefold() for name in taken}
    for label in labels:
        plain = re.sub(r"[^\w.+-]+", "_", label).strip("._")[:MAX_NAME] or "system"
        tries = (plain if number == 1 else f"{plain}_{number}" for number in count(1))
        names[label] = next(name for name in tries if name.casefold() not in used)
        used.add(names[label].casefold())
    return names


def write_tables(evaluations: Mapping[str, Evaluation], stream: BinaryIO) -> None:
    """Write one page with a summary and, for each system, its terms."""
    summary = of_systems(evaluations, summary_rows)
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
