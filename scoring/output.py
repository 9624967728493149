"""The output folder: tables and plots, each file whole or not at all.

    report.html summary.txt summary.json tables.html det.svg det.png thresholds.svg
    terms.csv alignment.csv ignored.csv det.csv iso_ratios.csv

With several hit lists the tables in the last line are in a folder per system.
"""

import argparse
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from scoring import csv_tables, html_tables, page, plot
from scoring.det import ISO_RATIOS, Point, articulated
from scoring.evaluate import Evaluation
from scoring.significance import Statistics
from scoring.system_names import distinct
from std.errors import InputError
from std.formats.files import replace_file

Writer = Callable[[BinaryIO], object]
ACTUAL = ("decision_threshold", "P_miss", "P_fa", "ATWV")


def write(
    evaluations: Mapping[str, Evaluation],
    folder: Path,
    summary: str,
    document: Mapping[str, Any],
    args: argparse.Namespace,
    chance: Statistics | None = None,
) -> None:
    """Write everything.

    Raises:
        InputError: the folder cannot be made or written to.
    """
    several = len(evaluations) > 1
    curves = [
        plot.Curve(
            _curve_name(label if several else "", group.name),
            articulated(group.det) if args.articulated else group.det,
            Point(*(group.measures[one] for one in ACTUAL)),
        )
        for label, evaluation in evaluations.items()
        for group in evaluation.groups
    ]
    first = next(iter(evaluations.values()))
    beta = first.groups[0].point.beta
    title = "" if several else first.system_id
    det = plot.det_figure(curves, beta, title, standard_errors=args.standard_errors)
    thresholds = plot.threshold_figure(curves, title, standard_errors=args.standard_errors)
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    writers: dict[Path, Writer] = {
        Path("summary.txt"): lambda stream: stream.write(summary.encode()),
        Path("summary.json"): lambda stream: stream.write(f"{text}\n".encode()),
        Path("tables.html"): partial(html_tables.write, evaluations),
        Path("report.html"): lambda stream: stream.write(_report(evaluations, chance, args)),
        Path("det.svg"): partial(plot.save, det, kind="svg"),
        Path("det.png"): partial(plot.save, det, kind="png"),
        Path("thresholds.svg"): partial(plot.save, thresholds, kind="svg"),
    }
    ratios = tuple(args.iso_ratio) or ISO_RATIOS
    folders = _folder_names(list(evaluations), {path.name for path in writers})
    for evaluation, folder_name in zip(evaluations.values(), folders, strict=True):
        place = Path(folder_name) if several else Path()
        writers[place / "terms.csv"] = partial(csv_tables.terms_csv, evaluation)
        writers[place / "alignment.csv"] = partial(csv_tables.alignment_csv, evaluation)
        writers[place / "ignored.csv"] = partial(csv_tables.ignored_csv, evaluation)
        writers[place / "det.csv"] = partial(
            csv_tables.det_csv, evaluation, corners_only=args.articulated
        )
        writers[place / "iso_ratios.csv"] = partial(csv_tables.iso_ratios_csv, evaluation, ratios)
    for name_, save in writers.items():
        path = folder / name_
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                path.parent, 0, "a folder to write to", error.strerror or str(error)
            ) from error
        with replace_file(path) as stream:
            save(stream)


def _report(
    evaluations: Mapping[str, Evaluation], chance: Statistics | None, args: argparse.Namespace
) -> bytes:
    inputs = {
        "hit list": ", ".join(map(str, args.hits)),
        "reference": str(args.rttm),
        "term list": str(args.terms),
        "ECF": str(args.ecf),
    }
    names = list(evaluations)
    return page.render(
        list(evaluations.values()), names=names, statistics=chance, inputs=inputs
    ).encode()


def _curve_name(system: str, group: str) -> str:
    return f"{system} {group}" if system and group != "all" else system or group


def _folder_names(systems: Sequence[str], taken: Collection[str]) -> list[str]:
    """A folder for each system, none of which is a file of the report."""
    plain = [re.sub(r"[^\w.+-]+", "_", one).strip("._") or "system" for one in systems]
    return distinct(plain, taken, "{}_{}")
