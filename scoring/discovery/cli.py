"""``std-discovery``: arguments in, exit status out.

0 scored; 2 an error that the user can correct, one line on stderr; anything else is a bug.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.limits import PARTS
from std.command import Parser, file_argument, folder_argument, number, run
from std.errors import InputError, StdError, named

if TYPE_CHECKING:
    from scoring.discovery.corpus import Corpus
    from scoring.discovery.evaluate import Progress
    from scoring.discovery.formats.alignments import Tier
    from scoring.discovery.formats.folds import Folds
    from scoring.discovery.scores import DiscoveryEvaluation
    from std.distinct import Given

EXAMPLE = """example:
  std-discovery --phones gold.phn --words gold.wrd --classes disc.class --output scores/
  std-discovery --phones gold.phn --words gold.wrd --classes disc.class \\
      --profile zrc2015 --parts 10 --talker-pattern '^s[0-9]{2}' --json
"""
INPUTS = ("phones", "words", "classes", "folds", "talkers", "config")
PROFILES = ("zrc2017", "zrc2015", "definition")


def parser() -> argparse.ArgumentParser:
    """The arguments of ``std-discovery``."""
    result = Parser(
        prog="std-discovery",
        description="Score term discovery with the ZeroSpeech measures: NED, coverage, matching, "
        "grouping, type, token and boundary.",
        epilog=EXAMPLE,
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
        help="whose numbers: the 2017 toolkit's (default), the 2015 one's, or the definition's",
    )
    parts = result.add_mutually_exclusive_group()
    parts.add_argument(
        "--folds", type=file_argument, metavar="FILE", help="intervals, folds by blank line"
    )
    count = number(PARTS)
    parts.add_argument("--parts", type=count, metavar="N", help="cut the corpus into N equal folds")
    talkers = result.add_mutually_exclusive_group()
    talkers.add_argument("--talkers", type=file_argument, metavar="FILE", help="lines: file talker")
    talkers.add_argument(
        "--talker-pattern",
        metavar="REGEX",
        help="what it finds in a file's name (its first group, if any) is the talker",
    )
    add(
        "--output",
        type=folder_argument,
        metavar="DIR",
        help="write scores.txt, .csv, .json, report.html",
    )
    add("--json", action="store_true", help="print one JSON document")
    add("--quiet", action="store_true", help="no progress bar and summary on stderr")
    add(
        "--config",
        type=file_argument,
        metavar="FILE.toml",
        help="checked; holds nothing for this command",
    )
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    args = parser().parse_args(argv)
    return run("std-discovery", lambda: _discovery(args))


def _discovery(args: argparse.Namespace) -> None:
    from scoring.discovery import summary
    from std.distinct import require_distinct
    from std.terminal import json_text

    inputs: Mapping[str, Given] = {f"--{name}": getattr(args, name) for name in INPUTS}
    require_distinct(inputs, {})
    evaluation = _evaluate(args)
    text = summary.text(evaluation)
    document = json_text(summary.document(evaluation))
    if args.output:
        _write(
            evaluation, args.output, inputs, named(args.classes).rpartition("/")[2], text, document
        )
    if args.json:
        print(document)
    if not args.json and not args.output:
        print(text, end="")
    elif not args.quiet:
        print(text, end="", file=sys.stderr)


def _evaluate(args: argparse.Namespace) -> "DiscoveryEvaluation":
    from scoring.discovery.corpus import make_corpus, make_discovery
    from scoring.discovery.evaluate import evaluate
    from scoring.discovery.formats import classes
    from std import config
    from std.files import open_input

    if args.config:
        config.load_config(args.config)
    phones, words = _tier(args.phones), _tier(args.words)
    corpus = make_corpus(phones, words, _talkers(args, phones))
    with open_input(args.classes) as stream:
        discovery = make_discovery(classes.parse(stream, args.classes), corpus, args.classes)
    parts = _parts(args, corpus)
    with _progress(args.quiet) as progress:
        return evaluate(corpus, discovery, args.profile, parts, progress)


def _tier(path: Path) -> "Tier":
    from scoring.discovery.formats import alignments
    from std.files import open_input

    with open_input(path) as stream:
        return alignments.parse(stream, path)


def _talkers(args: argparse.Namespace, phones: "Tier") -> dict[str, str] | None:
    """The talker of each recording, from a file or from the recordings' names."""
    from scoring.discovery.formats import folds
    from std.files import open_input

    files = phones.spans.files
    if args.talkers:
        with open_input(args.talkers) as stream:
            talkers = folds.parse_talkers(stream, args.talkers)
        for file in files:
            if file not in talkers:
                raise InputError(args.talkers, 0, f"a talker for recording {file}", "none")
        return talkers
    if args.talker_pattern is None:
        return None
    try:
        pattern = re.compile(args.talker_pattern)
    except re.error as error:
        raise StdError(f"--talker-pattern: expected a regular expression, got {error}") from error
    matches = {file: pattern.search(file) for file in files}
    for file, match in matches.items():
        if not match:
            raise StdError(f"--talker-pattern: expected a match in every name, got none in {file}")
    return {
        file: match[1 if pattern.groups else 0] or "" for file, match in matches.items() if match
    }


def _parts(args: argparse.Namespace, corpus: "Corpus") -> "Folds | None":
    """The folds asked for."""
    from scoring.discovery.folds import equal_parts, require_known
    from scoring.discovery.formats import folds
    from std.files import open_input

    if args.parts is not None:
        try:
            return equal_parts(corpus, args.parts)
        except ValueError as error:
            raise StdError(f"--parts: expected a number that fits the corpus, got {error}") from (
                error
            )
    if args.folds is None:
        return None
    with open_input(args.folds) as stream:
        parts = folds.parse(stream, args.folds)
    require_known(parts, corpus, args.folds)
    return parts


@contextmanager
def _progress(quiet: bool) -> "Iterator[Progress | None]":
    """A progress bar over the corpus and its folds, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scoring", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _write(
    evaluation: "DiscoveryEvaluation",
    folder: Path,
    inputs: "Mapping[str, Given]",
    title: str,
    text: str,
    document: str,
) -> None:
    """Write the four files, each whole or not at all."""
    from scoring.discovery import html_report, summary
    from std.distinct import require_distinct
    from std.outputs import make_folder, open_output

    contents = {
        "scores.txt": text,
        "scores.csv": summary.table(evaluation),
        "scores.json": document + "\n",
        "report.html": html_report.html_report(evaluation, title),
    }
    make_folder(folder)
    require_distinct(inputs, {"--output": [folder / name for name in contents]})
    for name, content in contents.items():
        with open_output(folder / name) as stream:
            stream.write(content.encode())
