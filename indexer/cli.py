"""std-index: recogniser output files in, an index out."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from indexer.reading_arguments import (
    add_reading_options,
    add_recording_options,
    indexing_settings,
    require_each_once,
)
from std.command import (
    file_argument,
    folder_argument,
    peak_memory_gb,
    print_json,
    progress_bar,
    run,
    tell,
    text_argument,
)
from std.errors import named
from std.execution.cost import Cost, Stopwatch
from std.numbers import counted
from std.options import (
    QUIET,
    add_config_options,
    add_jobs_option,
    add_progress_option,
    add_row_options,
    add_scheduler_option,
    add_store_option,
)
from std.parser import Parser

if TYPE_CHECKING:  # --help does not load an array library
    from indexer import IndexReport

NAMES_SHOWN = 20


EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index azure --store INDEX --name-by path
  std-index networks --store INDEX --metadata recordings.csv
  std-index networks --dry-run
  std-index discs.ctm --store INDEX --chunks 4440
  std-index --store INDEX --watch incoming --metadata recordings.csv
  std-index query_networks --queries-to queries.json
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""
MOVED = {  # options of 1.0.0
    "--list": "std-store list INDEX",
    "--where": "std-store list INDEX --where CONDITION",
    "--recording": "std-store list INDEX --recording PATTERN",
    "--delete": "std-store delete INDEX RECORDING (or, beside its new INPUT, --replace RECORDING)",
    "--merge": "std-store merge INDEX",
    "--verify": "std-store verify INDEX",
    "--clean-up": "std-store clean-up INDEX",
}


def parser() -> Parser:
    """The options in the order in which ``--help`` lists them."""
    parse = Parser(
        prog="std-index",
        description="Index a recogniser's output, so that std-search can find spoken terms in it.",
        epilog=EXAMPLE,
        moved=MOVED,
    )
    parse.add_argument(
        "input", nargs="*", type=file_argument, metavar="INPUT", help="files or folders"
    )
    add_store_option(parse, required=False)
    add_recording_options(parse)
    _add_modes(parse)
    add_jobs_option(parse)
    parse.add_argument("--keep-going", action="store_true", help="skip files that cannot be read")
    parse.add_argument("--quiet", action="store_true", help=QUIET)
    parse.add_argument(
        "--verbose", action="store_true", help="name all files that are skipped or hold no word"
    )
    add_reading_options(parse)
    _add_query_options(parse.further("spoken queries"))
    settings = parse.further("settings")
    add_config_options(settings)
    add_scheduler_option(settings)
    add_progress_option(settings)
    add_row_options(parse, "--dry-run", "everything else", further=True)
    return parse


def _add_modes(parse: Parser) -> None:
    """The options of replacing, and of actions other than indexing."""
    add = parse.add_argument
    add(
        "--replace",
        nargs="+",
        action="extend",
        type=text_argument,
        default=[],
        metavar="RECORDING",
        help="delete these recordings from the index, because INPUT replaces them; their metadata "
        "stay",
    )
    modes = parse.add_mutually_exclusive_group()
    modes.add_argument(
        "--dry-run",
        action="store_true",
        help="read INPUT, list format, utterances and recordings of each file, write nothing",
    )
    modes.add_argument(
        "--watch",
        type=folder_argument,
        metavar="FOLDER",
        help="index files that appear in a folder, until stopped",
    )
    modes.add_argument(
        "--queries-to",
        type=file_argument,
        metavar="JSON",
        help="read INPUT as recogniser output of spoken queries, for std-search --queries; each "
        "recording is an example of a query (tomato, tomato.1, tomato_2: of one query)",
    )


def _add_query_options(group: "argparse._ArgumentGroup") -> None:
    """The options of spoken queries."""
    add = group.add_argument
    add(
        "--query-examples",
        type=file_argument,
        metavar="CSV",
        help="query,recording[,start_s,end_s]: recordings, or parts of them, of each query",
    )
    add(
        "--query-recognition",
        type=file_argument,
        action="append",
        default=[],
        metavar="JSON",
        help="output of std-recognise --json for the queries: its CPU time is added to the "
        "search's; repeatable",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 success, 2 a file that was not read, or an error that the user can correct."""
    args = parser().parse_args(argv)
    if problem := misuse(args):
        parser().error(problem)
    return run("std-index", lambda: work(args))


def misuse(args: argparse.Namespace) -> str:
    """The error in a combination of options; empty if it is valid."""
    instead = args.dry_run or args.watch or args.queries_to
    wrong = {
        "--segments has the places of utterances: expected no --chunks": (
            args.segments and args.chunks is not None
        ),
        "--query-examples needs --queries-to": args.query_examples and not args.queries_to,
        "--query-recognition needs --queries-to": args.query_recognition and not args.queries_to,
        "--queries-to needs INPUT files and no --store: nothing is indexed": (
            args.queries_to and (args.store or not args.input)
        ),
        "--dry-run needs INPUT files": args.dry_run and not args.input,
        "--watch takes its files from its folder: expected no INPUT": args.watch and args.input,
        "--replace needs INPUT files to index": (args.replace and (instead or not args.input)),
        "--csv, --nl and --fmt are forms of --dry-run": (
            (args.csv or args.nl or args.fmt) and not args.dry_run
        ),
        "the following arguments are required: --store": (
            not args.store and not (args.dry_run or args.queries_to)
        ),
        "expected INPUT files, --metadata, --audio or --watch": (
            not (args.input or args.metadata or args.audio or args.watch)
        ),
        "--audio needs recordings of an index: expected no --dry-run and no --queries-to": (
            args.audio and (args.dry_run or args.queries_to)
        ),
    }
    return next((message for message, holds in wrong.items() if holds), "")


def work(args: argparse.Namespace) -> int:
    """Index; or read spoken queries, preview, watch."""
    from indexer import cli_actions

    if args.queries_to:
        return cli_actions.write_queries(args)
    if args.watch:
        return cli_actions.watch_inputs(args)
    return cli_actions.preview(args) if args.dry_run else index(args)


def index(args: argparse.Namespace) -> int:
    """Index the inputs, and apply metadata."""
    started = Stopwatch()
    from indexer import cli_actions, index_files

    require_each_once(args)
    report = index_files(
        args.input,
        args.store,
        delete=args.replace,
        keep_going=args.keep_going,
        progress=lambda n_bytes: progress_bar("indexing", n_bytes, quiet=args.quiet),
        **indexing_settings(args),
    )
    cli_actions.tell_of_problems(report, args)
    if args.json:
        described = {"metadata": asdict(report.described)} if args.metadata else {}
        if args.audio:
            described |= {"audio": {"found": report.audio.found, "missing": report.audio.missing}}
        print_json(figures(report, started.cost(), args.jobs) | described)
    if not args.quiet:
        tell_summary(report, started.cost(), args)
    return 2 if report.failures or report.audio.problems else 0


def figures(report: "IndexReport", cost: Cost, jobs: int) -> dict[str, Any]:
    """What ``--json`` prints."""
    return {
        "files": audio_files(report),
        "utterances": report.utterances,
        "slots": report.slots,
        "postings": report.postings,
        "words": report.words,
        "languages": report.languages,
        "speech_seconds": report.speech_s,
        **cost._asdict(),
        "isf": cost.cpu_seconds / report.speech_s if report.speech_s else None,
        "peak_memory_gb": peak_memory_gb(workers=jobs),
        "skipped": [str(file.path) for file in report.skipped],
        "nonwords": report.nonwords,
        "speakers": report.speakers,
        "tiers": report.tiers,
        "tiers_left_out": report.tiers_left_out,
        "repairs": {
            kind: {"count": mended.times, "first": mended.place}
            for kind, mended in report.repairs.items()
        },
        "times_estimated": len(report.estimated),
        "wordless": [str(path) for path in report.wordless],
        **({"with_sound": len(report.with_sound)} if report.with_sound else {}),
        **({"phones_heard": [asdict(one) for one in report.heard]} if report.heard else {}),
    }


def audio_files(report: "IndexReport") -> int:
    """The number of indexed audio files."""
    return len({recording.file for recording in report.recordings})


def tell_summary(report: "IndexReport", cost: Cost, args: argparse.Namespace) -> None:
    """The summary: replaced, described and indexed recordings, a line each."""
    from indexer import languages_line, pronouncer_hints

    stores = ", ".join(args.store)
    if report.deleted:
        tell(f"{counted(report.deleted, 'file')} taken out of {stores}")
    if args.metadata:
        again = report.described.pronounced_again
        spoken = f", {again} pronounced in another language than before" if again else ""
        tell(f"metadata of {counted(report.described.recordings, 'file')}{spoken} -> {stores}")
    if args.audio:
        n = report.audio.found + len(report.audio.missing) + len(report.audio.problems)
        tell(f"audio of {report.audio.found} of {counted(n, 'file')} in {named(args.audio)}")
    if not args.input:
        return
    speed = report.speech_s / cost.seconds if cost.seconds else 0.0
    n_dropped = sum(report.nonwords.values())
    dropped = f", {counted(n_dropped, 'non-word')} dropped" if n_dropped else ""
    sound = (
        f", sound of {counted(len(report.with_sound), 'recording')}" if report.with_sound else ""
    )
    tell(
        f"{counted(audio_files(report), 'file')}, {counted(report.utterances, 'utterance')}, "
        f"{counted(report.postings, 'posting')} of {counted(report.words, 'word')}"
        f"{dropped}{sound}; "
        f"{report.speech_s:.0f} s of speech in {cost}, "
        f"{speed:,.0f} times real time, peak memory {peak_memory_gb(workers=args.jobs):.2f} GB "
        f"-> {stores}"
    )
    if any(one["language"] for one in report.languages):
        tell(languages_line(report.languages))
        for line in pronouncer_hints(report.languages):
            tell(line)
    for heard in report.heard:
        tell(heard.line())
    if n := len(report.estimated):
        tell(
            f"times of words are estimated in {n} of {counted(len(report.recordings), 'recording')}"
        )
    if report.speakers:
        counts = (
            report.speakers if len(report.recordings) > 1 else dict.fromkeys(report.speakers, 0)
        )
        tell(f"{counted(len(counts), 'speaker')} named: {listed(counts)}")
    if report.tiers:
        left_out = f"; left out: {listed(report.tiers_left_out)}" if report.tiers_left_out else ""
        tell(f"tiers read: {listed(report.tiers)}{left_out}")


def listed(counts: Mapping[str, int]) -> str:
    """The most frequent names of a count, with numbers if useful."""
    from std.terminal import printable

    shown = [
        (printable(name) or "(no name)") + (f" ({n})" if n else "") for name, n in counts.items()
    ]
    more = [f"{len(shown) - NAMES_SHOWN} more"] if len(shown) > NAMES_SHOWN else []
    return ", ".join([*shown[:NAMES_SHOWN], *more])


if __name__ == "__main__":
    sys.exit(main())
