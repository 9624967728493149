"""``std-discovery``: arguments in, exit status out.

0 scored; 2 an error that the user can correct, one line on stderr; anything else is a bug.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from std.command import file_argument, folder_argument, number, print_json, run, tell
from std.display.progress import progress
from std.display.rows import JSON, TABLE, form_of, print_rows
from std.errors import StdError, named
from std.options import add_config_options, add_progress_options, add_row_options, configuration_of
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:
    from scoring.discovery import Corpus, DiscoveryEvaluation, Folds, Progress
    from std.distinct import Given

DISCOVERY_EXAMPLE = """example:
  std-discovery --phones gold.phn --words gold.wrd --classes disc.class --output scores/
  std-discovery --phones gold.phn --words gold.wrd --classes disc.class \\
      --profile zrc2015 --parts 10 --talker-pattern '^s[0-9]{2}' --json
"""
INPUTS = ("phones", "words", "classes", "folds", "talkers", "config")
FOLDS = Range(2, 1_000_000, whole=True)  # of a corpus
PROFILES = ("zrc2017", "zrc2015", "definition")


def parser() -> argparse.ArgumentParser:
    """The arguments of ``std-discovery``."""
    result = Parser(
        prog="std-discovery",
        description="Score term discovery with the ZeroSpeech measures: NED, coverage, matching, "
        "grouping, type, token and boundary.",
        epilog=DISCOVERY_EXAMPLE,
    )
    add = result.add_argument
    add(
        "--phones",
        type=file_argument,
        required=True,
        metavar="GOLD.phn",
        help="gold phone alignment",
    )
    add(
        "--words", type=file_argument, required=True, metavar="GOLD.wrd", help="gold word alignment"
    )
    add(
        "--classes",
        type=file_argument,
        required=True,
        metavar="DISC.class",
        help="discovered classes",
    )
    add(
        "--profile",
        choices=PROFILES,
        default="zrc2017",
        help="compute as the 2017 toolkit (default), the 2015 toolkit, or the definition does",
    )
    corpus = result.further("parts of the corpus, and talkers")
    parts = corpus.add_mutually_exclusive_group()
    parts.add_argument(
        "--folds",
        type=file_argument,
        metavar="FILE",
        help="intervals: lines of file, onset and offset; a blank line separates folds",
    )
    count = number(FOLDS)
    parts.add_argument("--parts", type=count, metavar="N", help="cut the corpus into N equal folds")
    talkers = corpus.add_mutually_exclusive_group()
    talkers.add_argument("--talkers", type=file_argument, metavar="FILE", help="lines: file talker")
    talkers.add_argument(
        "--talker-pattern",
        metavar="REGEX",
        help="the match in a file's name (its first group, if any) is the talker",
    )
    add(
        "--output",
        type=folder_argument,
        metavar="DIR",
        help="write scores.txt, .csv, .json, report.html",
    )
    add_row_options(result, "values")
    add_progress_options(result, quiet="no progress and no summary on stderr")
    add_config_options(result, "checked only: this command has no settings")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    args = parser().parse_args(argv)
    return run("std-discovery", lambda: _discovery(args))


def _discovery(args: argparse.Namespace) -> None:
    from scoring.discovery import summary_document, summary_rows, summary_text, write_report
    from std.distinct import require_distinct

    inputs: Mapping[str, Given] = {f"--{name}": getattr(args, name) for name in INPUTS}
    require_distinct(inputs, {})
    evaluation = _evaluate(args)
    if args.output:
        title = named(args.classes).rpartition("/")[2]
        write_report(evaluation, args.output, title=title, read_files=inputs)
    form = form_of(args, piped=TABLE)
    if form == JSON:
        print_json(summary_document(evaluation))
    elif form != TABLE:
        print_rows(summary_rows(evaluation), form)
    elif not args.output:
        print(summary_text(evaluation), end="")
    elif not args.quiet:
        print(summary_text(evaluation), file=sys.stderr)
    if args.output and not args.quiet:
        tell(f"report {args.output / 'report.html'}")


def _evaluate(args: argparse.Namespace) -> "DiscoveryEvaluation":
    from scoring.discovery import evaluate_discovery, read_classes, read_corpus, with_talkers

    configuration_of(args)
    corpus = read_corpus(args.phones, args.words)
    corpus = with_talkers(corpus, _talkers(args, corpus))
    discovery = read_classes(args.classes, corpus)
    parts = _parts(args, corpus)
    with _progress(args) as advance:
        return evaluate_discovery(corpus, discovery, args.profile, parts, advance)


def _talkers(args: argparse.Namespace, corpus: "Corpus") -> dict[str, str]:
    """The talker of each recording, from a file or from the recordings' names, if asked for."""
    from scoring.discovery import read_talkers, talkers_by_name

    if args.talkers:
        return read_talkers(args.talkers, corpus)
    if args.talker_pattern is None:
        return {}
    try:
        return talkers_by_name(corpus, args.talker_pattern)
    except ValueError as error:
        raise StdError(f"--talker-pattern: {error}") from error


def _parts(args: argparse.Namespace, corpus: "Corpus") -> "Folds | None":
    """The folds asked for."""
    from scoring.discovery import equal_parts, read_folds

    if args.folds:
        return read_folds(args.folds, corpus)
    if args.parts is None:
        return None
    try:
        return equal_parts(corpus, args.parts)
    except ValueError as error:
        raise StdError(f"--parts: expected a number that fits the corpus, got {error}") from error


@contextmanager
def _progress(args: argparse.Namespace) -> "Iterator[Progress]":
    """Progress over the corpus and its folds."""
    with progress("scoring", None, quiet=args.quiet) as shown:
        yield lambda done, total: shown.update(done, total)
