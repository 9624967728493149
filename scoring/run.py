"""What ``std-score`` does, step by step: read, evaluate, compare, write."""

import argparse
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

from scoring import resources
from scoring.evaluate import Evaluation, evaluate
from scoring.measures.twv import NAMED_POINTS, OperatingPoint
from scoring.options import Options
from scoring.report import summary as report
from scoring.report.system_names import system_names
from scoring.report.write import write
from scoring.statistics.bootstrap import sample
from scoring.statistics.significance import Statistics, statistics
from std import config
from std.command import print_json, progress_bar, say, tell, warn
from std.distinct import require_distinct
from std.errors import InputError, StdError, named
from std.files import content_bytes, open_input, read, read_twice
from std.nist import ecf, rttm, std_list, term_list
from std.nist.rttm import Turns
from std.terminal import printable
from std.values import ECF, Lexemes, STDList, TermList

T = TypeVar("T")
BAR_FROM_BYTES = 20_000_000  # reading less takes less than about two seconds
BAR_STEP_BYTES = 1 << 20  # a bar need not move with every line


class Reference(NamedTuple):
    """All that hit lists are scored against."""

    ecf: ECF
    lexemes: Lexemes
    terms: TermList
    turns: Turns | None


def score(args: argparse.Namespace) -> int:
    """Score every hit list, compare them, write and print."""
    require_distinct(inputs_of(args), {})
    costs = None
    if args.resources:
        costs = resources.read(*args.resources)
        if not args.hits:
            print_json(report.resources_json(costs))
            return 0
    options = _options(args)
    reference = _read_reference(args)
    known = {term.term_id for term in reference.terms.terms}
    scored = [
        evaluate(
            reference.ecf,
            reference.lexemes,
            reference.terms,
            read_hits(path, known, quiet=args.quiet),
            options,
            turns=reference.turns,
            hits_path=named(path),
            reference_path=named(args.rttm),
        )
        for path in args.hits
    ]
    names = system_names(args.hits, [one.system_id for one in scored])
    evaluations = dict(zip(names, scored, strict=True))
    chance = _statistics(evaluations, args) if args.bootstrap else None
    document = report.document(evaluations, chance, costs)
    summary = report.summary_text(evaluations, chance)
    for line in report.warnings(evaluations):
        warn("std-score", line)
    if args.output:
        write(evaluations, args.output, summary, document, args, inputs_of(args), chance)
    if args.json:
        print_json(document)
    elif not args.output:
        print(summary, end="")  # noqa: T201  # the result, whose cells are printable
    if (args.json or args.output) and not args.quiet:
        import sys

        print(summary, end="", file=sys.stderr)  # noqa: T201  # for the person who watches
        if args.output:
            place = args.output
            made = f"report {place / 'report.html'}, DET plot {place / 'det.png'}"
            if len(evaluations) == 1:
                made += f", per-term table {place / 'terms.csv'}"
            print(file=sys.stderr)  # noqa: T201  # for the person who watches
            tell(made)
    return 0


def inputs_of(args: argparse.Namespace) -> dict[str, Path | list[Path] | None]:
    """The files that a command line has us read, by option."""
    return {
        "HITS": args.hits,
        "--ecf": args.ecf,
        "--rttm": args.rttm,
        "--terms": args.terms,
        "--config": args.config,
        "--resources": args.resources,
    }


def validate(args: argparse.Namespace) -> int:
    """Check each file by itself and say what it holds; status 2 if one is refused."""
    require_distinct(inputs_of(args), {})
    status = 0
    found: list[dict[str, Any]] = []
    encoding, known = "UTF-8", None

    def check(path: Path | None, what: str, parsed: Callable[[Path], T]) -> T | None:
        nonlocal status
        if path is None:
            return None
        try:
            value = parsed(path)
        except InputError as error:
            status = 2
            found.append({"file": named(path), "kind": what, "valid": False, "error": str(error)})
            return None
        found.append(
            {"file": named(path), "kind": what, "valid": True, "holds": report.holds(value)}
        )
        return value

    terms = check(args.terms, "term list", lambda path: read(term_list.parse, path))
    if terms is not None:
        encoding, known = terms.encoding, {term.term_id for term in terms.terms}
    check(args.ecf, "ECF", lambda path: read(ecf.parse, path))
    check(
        args.rttm,
        "transcript",
        lambda path: read(partial(rttm.parse, encoding=encoding), path),
    )
    for one in args.hits:
        check(one, "hit list", lambda path: read_hits(path, known, quiet=args.quiet))
    if args.json:
        print_json({"files": found})
    for line in found:
        said = line["holds"] if line["valid"] else line["error"]
        if not line["valid"]:
            say("std-score", said)
        elif not args.json:
            checked = f"{line['file']}: valid {line['kind']}, {said}"
            print(printable(checked))  # noqa: T201  # the result
    return status


def _options(args: argparse.Namespace) -> Options:
    cost_fa, cost_miss, prior = NAMED_POINTS[args.operating_point]
    if args.config:
        beta = config.load(args.config).decision.beta
        if prior is not None and not math.isclose(beta, 999.9):
            cost_fa = beta / (1 / prior - 1) * cost_miss
    cost_fa = args.cost_fa if args.cost_fa is not None else cost_fa
    cost_miss = args.cost_miss if args.cost_miss is not None else cost_miss
    prior = args.prior if args.prior is not None else prior
    if prior is None and (args.cost_fa is not None or args.cost_miss is not None):
        raise StdError("sws2012: expected its own costs of 1 and 1, got others; name a --prior too")
    return Options(
        point=None if prior is None else OperatingPoint(cost_fa, cost_miss, prior),
        scores=args.scores,
        max_gap_s=args.gap,
        tolerance_s=args.tolerance,
        trials_per_second=args.trials_per_second,
        all_terms=args.all_terms,
        searched_terms_only=args.searched_terms_only,
        pooled=args.pooled,
        segments=args.segments,
        characters=args.characters or args.keep_ascii or args.delete_hyphens,
        keep_ascii=args.keep_ascii,
        delete_hyphens=args.delete_hyphens,
        recordings=tuple(args.recordings),
        group_by=tuple(args.group_by),
    )


def _read_reference(args: argparse.Namespace) -> Reference:
    terms = read(term_list.parse, args.terms)
    turns = None
    words = partial(rttm.parse, encoding=terms.encoding)
    if args.segments:
        speakers = partial(rttm.parse_turns, encoding=terms.encoding)
        turns, lexemes = read_twice(speakers, words, args.rttm)
    else:
        lexemes = read(words, args.rttm)
    return Reference(read(ecf.parse, args.ecf), lexemes, terms, turns)


def read_hits(path: Path, known: Collection[str] | None, *, quiet: bool) -> STDList:
    """Read a hit list, with a progress bar if it is long."""
    with open_input(path) as stream, _watched(stream, path, quiet=quiet) as watched:
        return std_list.parse(watched, path, known_terms=known)


@contextmanager
def _watched(stream: BinaryIO, path: Path, *, quiet: bool) -> Iterator[BinaryIO]:
    """The same stream; reading it advances a bar."""
    size = content_bytes(path)
    if size < BAR_FROM_BYTES:
        yield stream
        return
    with progress_bar(path.name, size, quiet=quiet) as advance:
        yield cast(BinaryIO, _Watched(stream, advance))


class _Watched:
    """A stream that tells how much of it was read."""

    def __init__(self, stream: BinaryIO, advance: Callable[[float], None]) -> None:
        self._stream, self._advance, self._read = stream, advance, 0

    def readline(self, limit: int = -1) -> bytes:
        line = self._stream.readline(limit)
        self._read += len(line)
        if self._read > BAR_STEP_BYTES:
            self._advance(self._read)
            self._read = 0
        return line


def _statistics(evaluations: dict[str, Evaluation], args: argparse.Namespace) -> Statistics:
    samples = [sample(one.groups[0], one.options, one.scores) for one in evaluations.values()]
    with progress_bar("resampling", 2 * args.bootstrap, quiet=args.quiet) as advance:
        return statistics(
            samples,
            [one.groups[0].twv for one in evaluations.values()],
            replicates=args.bootstrap,
            seed=args.seed,
            confidence=args.confidence,
            advance=advance,
        )
