"""``std-score``: arguments in, exit status out; the work is in `scoring.run`."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.options import (
    CONFIDENCE,
    COST,
    ISO_RATIO,
    PRIOR,
    REPLICATES,
    SECONDS,
    TRIALS_PER_SECOND,
)
from std.command import SEED, encoding_argument, file_argument, folder_argument, number, run
from std.options import add_config_options, add_progress_options, add_row_options
from std.parser import Parser

if TYPE_CHECKING:
    from scoring import Reader  # --help loads no array library

EXAMPLE = """examples:
  std-score hits.xml --ecf ecf.xml --rttm reference.rttm --terms terms.xml --output scores/
  std-score hits.xml --probabilities probabilities.xml --ecf ecf.xml --rttm reference.rttm \\
            --terms terms.xml --output scores/
  std-score a.xml b.xml --ecf ecf.xml --rttm reference.rttm --terms terms.xml --bootstrap 1000
  std-score hits.xml --ecf ecf.xml --rttm reference.rttm --terms terms.xml \\
            --operating-point sws2013 --scores llr --group-by oov --group-by source-type
  std-score hits.xml --ecf ecf.xml --rttm reference.rttm --terms words.txt --table terms --csv
  std-score hits.xml --reference talk.TextGrid --terms words.txt
  std-score --reference talk.ctm --rttm-to talk.rttm --ecf-to talk.ecf.xml
  std-score --validate hits.xml --terms terms.xml
  std-score --resources recognise.json index.json search.json

--group-by takes
  attribute:NAME       by a term attribute; attribute:NAME=REGEX for some of its values,
                       "attribute:A && B" for combinations
  terms:NAME=RE,RE     terms by whole id      oov                  in and out of vocabulary
  length               by words per term      frequency            by references per term
  has-references       said, or not           source-type          by source type of the ECF
  language             terms of a language (attribute) in speech of it (excerpts of the ECF)
  recording            by file/channel        recording:NAME=REGEX
  source-type:NAME=bnews,cts                  language:NAME=english,german
REGEX is a regular expression, found anywhere in file/channel (such as news_07/1) or in a value,
ignoring case: --recordings news selects all recordings with "news" in their names, '^news_07/1$'
only one.
"""
OPERATING_POINTS = ("nist2006", "sws2012", "sws2013", "quesst2014")


def parser() -> argparse.ArgumentParser:
    """The arguments of ``std-score``."""
    result = Parser(
        prog="std-score",
        description="Score hit lists as NIST and MediaEval do: TWV, DET, Cnxe, each term's values.",
        epilog=EXAMPLE,
    )
    _add_inputs(result)
    add = result.add_argument
    add("--output", type=folder_argument, metavar="DIR", help="write tables and plots here")
    add(
        "--table",
        choices=("summary", "terms"),
        default="summary",
        help="rows of --csv, --nl and --fmt: one for each group, or one for each term (summary)",
    )
    add_row_options(result, "the summary")
    add_progress_options(result, quiet="no progress and no summary on stderr")
    add("--validate", action="store_true", help="only check the files that are given")
    add(
        "--resources",
        type=file_argument,
        nargs="+",
        action="extend",
        metavar="JSON",
        help="compute speed factors and processing load from what std-recognise, std-index and "
        "std-search printed with --json; files of one kind are added up",
    )
    _add_reference(result)
    _add_operating_point(result)
    _add_selection(result)
    _add_matching(result)
    _add_resampling(result)
    _add_drawing(result)
    return result


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "hits",
        type=file_argument,
        nargs="*",
        metavar="HITS",
        help="hit lists in either of NIST's dialects",
    )
    add(
        "--probabilities",
        type=file_argument,
        action="append",
        default=[],
        metavar="HITS",
        help="the same hits with probabilities as scores (std-search --probabilities), for Cnxe "
        "and calibration; for several hit lists one each, in their order",
    )
    add(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="speech that is scored (default: that of the reference)",
    )
    add(
        "--reference",
        "--rttm",
        type=file_argument,
        action="append",
        default=[],
        metavar="FILE",
        help="the reference transcript: RTTM, CTM, STM, TextGrid, or any other format that "
        "std-index reads; a file or a folder; repeatable",
    )
    add(
        "--terms",
        type=file_argument,
        metavar="FILE",
        help="the term list: XML, a term a line, or CSV with id,text",
    )


def _add_reference(parser: Parser) -> None:
    add = parser.further("the reference").add_argument
    add(
        "--encoding",
        type=encoding_argument,
        metavar="NAME",
        help="encoding of the reference: gbk, cp1251, ... (default: as the term list names it)",
    )
    add("--rttm-to", type=file_argument, metavar="RTTM", help="write the --reference as RTTM")
    add("--ecf-to", type=file_argument, metavar="XML", help="write the speech of the --reference")


def _add_operating_point(parser: Parser) -> None:
    group = parser.further("operating point")
    add = group.add_argument
    add(
        "--operating-point",
        choices=OPERATING_POINTS,
        default="nist2006",
        help="costs and prior by name (default: nist2006)",
    )
    add("--cost-fa", type=number(COST), metavar="C", help="cost of a false alarm")
    add("--cost-miss", type=number(COST), metavar="C", help="cost of a miss, value of a hit")
    add("--prior", type=number(PRIOR), metavar="P", help="probability that a trial is a target")
    trials = number(TRIALS_PER_SECOND)
    add(
        "--trials-per-second",
        type=trials,
        default=1.0,
        metavar="N",
        help="trials in a second of speech (default: 1)",
    )
    add(
        "--scores",
        choices=("probability", "llr"),
        help="kind of the scores, for Cnxe (default: probability if all are in 0 to 1, else llr)",
    )
    add(
        "--number",
        choices=("probability", "score"),
        help="with --probabilities: use this number of a hit for all measures (default: the "
        "probability for Cnxe and calibration, the score for DET, MTWV, OTWV and MAP)",
    )
    add_config_options(group, "beta is taken from its [decision] table")


def _add_selection(parser: Parser) -> None:
    add = parser.further("what is scored").add_argument
    add("--group-by", action="append", default=[], metavar="KIND", help="see below; repeatable")
    add(
        "--recordings",
        action="append",
        default=[],
        metavar="REGEX",
        help="score only recordings whose file/channel matches; repeatable",
    )
    add(
        "--all-terms",
        action="store_true",
        help="also count false alarms of terms that do not occur",
    )
    add(
        "--searched-terms-only",
        action="store_true",
        help="leave out terms that the hit list does not mention",
    )
    add("--pooled", action="store_true", help="pool the trials of all terms; no means over terms")
    add("--segments", action="store_true", help="trials are speech segments, not seconds")


def _add_matching(parser: Parser) -> None:
    add = parser.further("how hits and references are matched").add_argument
    add(
        "--tolerance",
        type=number(SECONDS),
        default=0.5,
        metavar="S",
        help="largest distance of a hit's middle from its occurrence (default: 0.5)",
    )
    add(
        "--gap",
        type=number(SECONDS),
        default=0.5,
        metavar="S",
        help="longest silence between the words of an occurrence (default: 0.5)",
    )
    add("--characters", action="store_true", help="compare by characters, not by words")
    add("--keep-ascii", action="store_true", help="with --characters: leave ASCII words whole")
    add("--delete-hyphens", action="store_true", help="with --characters: remove hyphens first")


def _add_resampling(parser: Parser) -> None:
    add = parser.further("intervals and comparisons").add_argument
    add(
        "--bootstrap",
        type=number(REPLICATES),
        default=0,
        metavar="N",
        help="intervals over terms and recordings (in N parts if there are more) and comparisons "
        "by N permutations; 1000 suffice in most cases",
    )
    add("--seed", type=SEED, default=1, help="seed of the random numbers (default: 1)")
    confidence = number(CONFIDENCE)
    add(
        "--confidence",
        type=confidence,
        default=0.95,
        metavar="P",
        help="confidence of the intervals (default: 0.95)",
    )


def _add_drawing(parser: Parser) -> None:
    add = parser.further("what is drawn").add_argument
    add("--articulated", action="store_true", help="draw only the corners of the DET curve")
    add(
        "--standard-errors", action="store_true", help="draw lines 2 standard errors from the curve"
    )
    add(
        "--iso-ratio",
        action="append",
        type=number(ISO_RATIO),
        default=[],
        metavar="R",
        help="report the curve's point at this P_miss/P_fa; repeatable",
    )


def misuse(args: argparse.Namespace) -> str:
    """The error in a combination of options; empty if it is valid."""
    if args.rttm_to or args.ecf_to:
        if not args.reference:
            return "--rttm-to, --ecf-to: expected a --reference, got none"
        return "--rttm-to, --ecf-to: expected no HITS, got some" if args.hits else ""
    if args.validate:
        given = args.hits or args.probabilities or args.ecf or args.reference or args.terms
        return "" if given else "--validate: expected files, got none"
    if args.resources and not args.hits:
        return ""
    missing = [f"--{name}" for name in ("reference", "terms") if not getattr(args, name)]
    if not args.hits or missing:
        return f"expected {', '.join(missing) or 'HITS'}, got none"
    if args.probabilities and len(args.probabilities) != len(args.hits):
        return (
            f"--probabilities: expected one for each of {len(args.hits)} hit lists, "
            f"got {len(args.probabilities)}"
        )
    return ""


def main(argv: Sequence[str] | None = None, reader: "Reader | None" = None) -> int:
    """Exit status: 0 scored, 2 an error that the user can correct.

    Args:
        argv: the arguments.
        reader: the reader of references that are not RTTM (`scoring.reference`); None: RTTM only.
    """
    arguments = parser()
    args = arguments.parse_args(argv)
    if problem := misuse(args):
        arguments.error(problem)

    def work() -> int:
        from scoring import run as steps

        if args.rttm_to or args.ecf_to:
            return steps.convert(args, reader)
        return steps.validate(args, reader) if args.validate else steps.score(args, reader)

    return run("std-score", work)
