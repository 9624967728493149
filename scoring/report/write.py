"""The output folder: tables and plots, each file whole or not at all.

    report.html summary.txt summary.json tables.html det.svg det.png thresholds.svg
    terms.csv alignment.csv ignored.csv det.csv iso_ratios.csv

With several hit lists the tables in the last line are in a folder per system.
"""

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from scoring.evaluate import Evaluation
from scoring.measures.det import ISO_RATIOS, Point, articulated
from scoring.report import csv_tables, html_tables, page, plot
from scoring.statistics.significance import Statistics
from std.distinct import Given, require_distinct
from std.errors import named
from std.outputs import make_folder, open_output
from std.terminal import json_text, printable

Writer = Callable[[BinaryIO], object]
MAX_NAME = 50  # characters of a system's folder
ACTUAL = ("decision_threshold", "P_miss", "P_fa", "ATWV")


def write(
    evaluations: Mapping[str, Evaluation],
    folder: Path,
    summary: str,
    document: Mapping[str, Any],
    args: argparse.Namespace,
    inputs: Mapping[str, Given],
    chance: Statistics | None = None,
) -> None:
    """Write everything.

    Args:
        inputs: the files read, by option; none of them is written.

    Raises:
        InputError: the folder cannot be made or written to.
        StdError: a file to write is one that was read.
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
    title = "" if several else drawable(first.system_id)
    det = plot.det_figure(curves, beta, title, standard_errors=args.standard_errors)
    thresholds = plot.threshold_figure(curves, title, standard_errors=args.standard_errors)
    text = json_text(document)
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
    folders = _folder_names(evaluations, {str(name) for name in writers})
    for label, evaluation in evaluations.items():
        place = Path(folders[label]) if several else Path()
        writers[place / "terms.csv"] = partial(csv_tables.terms_csv, evaluation)
        writers[place / "alignment.csv"] = partial(csv_tables.alignment_csv, evaluation)
        writers[place / "ignored.csv"] = partial(csv_tables.ignored_csv, evaluation)
        writers[place / "det.csv"] = partial(
            csv_tables.det_csv, evaluation, corners_only=args.articulated
        )
        writers[place / "iso_ratios.csv"] = partial(csv_tables.iso_ratios_csv, evaluation, ratios)
    for place in dict.fromkeys((folder / name).parent for name in writers):
        make_folder(place)
    require_distinct(inputs, {"--output": [folder / name for name in writers]})
    for name, save in writers.items():
        with open_output(folder / name) as stream:
            save(stream)


def _report(
    evaluations: Mapping[str, Evaluation], chance: Statistics | None, args: argparse.Namespace
) -> bytes:
    def shown(path: Path) -> str:
        return printable(named(path))

    inputs = {
        "hit list": ", ".join(shown(path) for path in args.hits),
        "reference": shown(args.rttm),
        "term list": shown(args.terms),
        "ECF": shown(args.ecf),
    }
    names = list(evaluations)
    return page.render(
        list(evaluations.values()), names=names, statistics=chance, inputs=inputs
    ).encode()


def _curve_name(system: str, group: str) -> str:
    return drawable(f"{system} {group}" if system and group != "all" else system or group)


def drawable(text: str) -> str:
    """A text for matplotlib, which has no glyph for some letters and takes dollars for formulas."""
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
