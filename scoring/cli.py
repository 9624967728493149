"""``std-score``: arguments in, exit status out.

0 scored; 2 the user can mend it, one line on stderr; anything else is our fault.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from std.errors import InputError, StdError

if TYPE_CHECKING:
    from scoring.evaluate import Evaluation

EXAMPLE = """example:
  std-score hits.xml --ecf ecf.xml --rttm reference.rttm --terms terms.xml --output scores/
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of ``std-score``."""
    result = argparse.ArgumentParser(
        prog="std-score",
        description="Score a hit list as NIST does: TWV, DET, every pair and every term.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument("hits", type=Path, help="hit list, 2006 or 2013 dialect, may be .gz")
    result.add_argument("--ecf", type=Path, required=True, help="which speech is scored")
    result.add_argument("--rttm", type=Path, required=True, help="the reference transcript")
    result.add_argument("--terms", type=Path, required=True, help="the term list")
    result.add_argument("--output", type=Path, metavar="DIR", help="write tables and plots here")
    result.add_argument("--json", action="store_true", help="print one JSON document")
    result.add_argument(
        "--quiet", action="store_true", help="no progress bar and summary on stderr"
    )
    result.add_argument("--config", type=Path, metavar="FILE.toml", help="takes [decision] beta")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    args = parser().parse_args(argv)
    try:
        _score(args)
    except (StdError, OSError) as error:
        print(f"std-score: {error}", file=sys.stderr)
        return 2
    return 0


def _score(args: argparse.Namespace) -> None:
    from scoring import report

    evaluation = _evaluate(args)
    for line in report.warnings(evaluation):
        print(f"std-score: warning: {line}", file=sys.stderr)
    summary = report.summary_text(evaluation)
    document = json.dumps(report.summary_json(evaluation), ensure_ascii=False, allow_nan=False)
    if args.output:
        _write(evaluation, args.output, summary, document)
    if args.json:
        print(document)
    if not args.json and not args.output:
        print(summary, end="")
    elif not args.quiet:
        print(summary, end="", file=sys.stderr)


def _evaluate(args: argparse.Namespace) -> "Evaluation":
    from scoring.evaluate import evaluate
    from scoring.options import Options
    from scoring.twv import OperatingPoint
    from std import config
    from std.formats import ecf, rttm, stdlist, termlist
    from std.formats.files import open_input

    point = OperatingPoint()
    if args.config:
        beta = config.load(args.config).decision.beta
        point = OperatingPoint(cost=beta / (1 / point.prior - 1), value=1.0, prior=point.prior)
    with open_input(args.ecf) as stream:
        excerpts = ecf.parse(stream, args.ecf)
    with open_input(args.terms) as stream:
        terms = termlist.parse(stream, args.terms)
    with open_input(args.rttm) as stream:
        lexemes = rttm.parse(stream, args.rttm, terms.encoding)
    with open_input(args.hits) as stream:
        known = {term.term_id for term in terms.terms}
        hits = stdlist.parse(stream, args.hits, known_terms=known)
    return evaluate(
        excerpts,
        lexemes,
        terms,
        hits,
        Options(point=point),
        hits_path=str(args.hits),
        reference_path=str(args.rttm),
    )


def _write(evaluation: "Evaluation", folder: Path, summary: str, document: str) -> None:
    """Write every table and plot, each whole or not at all."""
    from scoring import plot, report
    from scoring.det import Point
    from std.formats.files import replace_file

    curves = [
        plot.Curve(
            group.name,
            group.det,
            Point(
                *(group.measures[one] for one in ("decision_threshold", "P_miss", "P_fa", "ATWV"))
            ),
        )
        for group in evaluation.groups
    ]
    figure = plot.det_figure(curves, evaluation.groups[0].point.beta, evaluation.system_id)
    writers: dict[str, Callable[[BinaryIO], object]] = {
        "summary.txt": lambda stream: stream.write(summary.encode()),
        "summary.json": lambda stream: stream.write(f"{document}\n".encode()),
        "terms.csv": partial(report.terms_csv, evaluation),
        "alignment.csv": partial(report.alignment_csv, evaluation),
        "ignored.csv": partial(report.ignored_csv, evaluation),
        "det.csv": partial(report.det_csv, evaluation),
        "det.svg": partial(plot.save, figure, kind="svg"),
        "det.png": partial(plot.save, figure, kind="png"),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, 0, "a folder to write to", str(error.strerror)) from error
    for name, write in writers.items():
        with replace_file(folder / name) as stream:
            write(stream)
