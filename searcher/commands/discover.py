"""std-discover: an index in, classes of recurring speech out."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searcher.commands.command_line import printed_forms
from std.command import (
    file_argument,
    folder_argument,
    number,
    print_json,
    progress_bar,
    run,
    tell,
    warn,
)
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.errors import NOT_THERE, InputError, StdError
from std.execution.cost import Stopwatch
from std.options import (
    add_jobs_option,
    add_progress_options,
    add_row_options,
    add_scheduler_option,
    add_selection_options,
    add_store_option,
)
from std.outputs import open_output
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:
    from searcher import Discovered, DiscoveredClass, Index

DISCOVER_EXAMPLE = """\
example:
  std-discover --store INDEX --page classes.html --audio recordings
  std-discover --store INDEX --unexplained
  std-discover --store INDEX --output found.class
  std-discovery --phones gold.phn --words gold.wrd --classes found.class

exit status: 0 classes were found; 1 none was found (as with grep); 2 an error in options or input
"""
SHORTEST_NAME = 4  # letters
FRAGMENT_COLUMNS = ("class", "file", "channel", "start", "end", "score", "written", "spelling")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = Parser(
        prog="std-discover",
        description="Find speech that recurs in an archive, without terms: stretches of sound that "
        "resemble each other, in any language, with or without a recogniser. The index needs sound "
        "(std-recognise --sound or --sound-only, then std-index).",
        epilog=DISCOVER_EXAMPLE,
    )
    add_store_option(parse)
    by = parse.add_mutually_exclusive_group()
    by.add_argument(
        "--sound", dest="by", action="store_const", const="sound", default="sound",
        help="compare frames of sound (the default)",
    )  # fmt: skip
    by.add_argument(
        "--phones", dest="by", action="store_const", const="phones",
        help="compare the phones that were heard in the sound",
    )  # fmt: skip
    parse.add_argument(
        "--unexplained", action="store_true",
        help="only classes that the recogniser wrote as different words, or not at all",
    )  # fmt: skip
    parse.add_argument(
        "--names", type=file_argument, metavar="FILE",
        help="with --unexplained: file for spellings of the classes, made from the phones heard, "
        "one a line, for std-recognise --hotwords, std-search --terms, std-serve --alerts",
    )  # fmt: skip
    parse.add_argument(
        "--output",
        type=file_argument,
        metavar="CLASS",
        help="file for the classes, for std-discovery",
    )
    parse.add_argument(
        "--page",
        type=file_argument,
        metavar="HTML",
        help="file for a page with the classes and their sound",
    )
    parse.add_argument(
        "--audio",
        type=folder_argument,
        metavar="FOLDER",
        help="audio of the recordings, for --page",
    )
    _add_thresholds(parse.further("what counts as recurring"))
    add_selection_options(parse.further("recordings"), verb="compare ")
    work = parse.further("work")
    add_jobs_option(work)
    add_scheduler_option(work)
    add_row_options(parse, "fragments")
    add_progress_options(parse)
    return parse


def _add_thresholds(pairs: "argparse._ArgumentGroup") -> None:
    pairs.add_argument(
        "--least-score", type=number(Range(1, 1_000_000, whole=True)), metavar="SIGNS",
        help="lowest score of a pair: the number of signs by which its frames together are nearer "
        "than usual (300; with --phones 1000)",
    )  # fmt: skip
    pairs.add_argument(
        "--least-length", type=number(Range(0.1, 3.0)), default=0.3, metavar="SECONDS",
        help="shortest fragment (0.3)",
    )  # fmt: skip
    pairs.add_argument(
        "--most-chance", type=number(Range(0.0, 1.0)), metavar="SHARE",
        help="largest share of chance among the pairs, estimated with reversed speech (0.01; with "
        "--phones 0.25)",
    )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = classes found, 1 = none found, 2 = an error that the user can correct."""
    args = parser().parse_args(argv)
    return run("std-discover", lambda: discover(args))


def discover(args: argparse.Namespace) -> int:
    """Find classes, write and print them.

    Raises:
        StdError: the index lacks sound, or phones heard for names; a file cannot be written.
    """
    started = Stopwatch()
    from searcher import open_index, write_classes
    from std.distinct import require_distinct
    from std.execution.processes import executor

    if args.names and not args.unexplained:
        raise StdError("expected --unexplained with --names, got none")
    if args.audio and not args.page:
        raise StdError("expected --audio with --page, got none")
    if args.audio and not args.audio.is_dir():  # before the work
        raise InputError(args.audio, 0, "a folder with audio files", NOT_THERE)
    form = form_of(args, piped=LINES)
    outputs = {"--output": args.output, "--page": args.page, "--names": args.names}
    require_distinct({}, outputs | printed_forms(args), args.store)
    with open_index(*args.store) as index:
        if args.names and not any(one.extra("heard_by") is not None for one in index.segments):
            raise StdError("--names: expected phones heard in the index (std-index), got none")
        with (
            progress_bar("comparing", 1.0, quiet=args.quiet) as advance,
            executor(args.jobs, args.scheduler) as workers,
        ):
            found = index.discover(
                by=args.by, unexplained=args.unexplained, least_score=args.least_score,
                least_s=args.least_length, most_chance=args.most_chance, where=args.where,
                recordings=args.recording, workers=workers, advance=advance,
            )  # fmt: skip
        if args.names:
            write_names(found, args.names)
        if args.page:
            write_page(found, index, args)
    if form == JSON:
        print_json(document(found) | started.cost()._asdict())
    elif form == TABLE:
        print_classes(found.classes)
    else:
        print_rows(rows_of(found.classes), form)
    if args.output:  # last: it refuses names with blanks
        write_classes(found.classes, args.output)
    if not args.quiet:
        tell(f"{found.summary}, {started.cost()}")
    return 0 if found.classes else 1


def write_page(found: "Discovered", index: "Index", args: argparse.Namespace) -> None:
    """Write the page of classes.

    Raises:
        StdError: several files may be the audio of a recording, or the file cannot be written.
    """
    from searcher import write_class_page
    from std.numbers import counted
    from std.recordings import inputs_of

    silent = write_class_page(
        found,
        args.page,
        title=f"What recurs in {', '.join(args.store)}",
        audio=args.audio,
        metadata=index.metadata,
        inputs=inputs_of(index.recordings()),
    )
    if args.audio and silent:
        more = " ..." if len(silent) > 1 else ""
        missing = f"{counted(len(silent), 'recording')} ({silent[0]}{more})"
        warn("std-discover", f"{args.page} has no sound of {missing}: no audio in {args.audio}")


def write_names(found: "Discovered", path: Path) -> None:
    """Write the spellings of classes, each once, one a line; short ones are left out.

    Raises:
        StdError: the file cannot be written.
    """
    spelt = (one.spelling for one in found.classes)
    names = dict.fromkeys(name for name in spelt if len(name) >= SHORTEST_NAME)
    with open_output(path) as sink:
        sink.write("".join(f"{name}\n" for name in names).encode())


def document(found: "Discovered") -> dict[str, Any]:
    """The result as JSON."""
    return {
        "seconds_of_sound": found.seconds,
        "pairs": found.pairs,
        "by_chance": found.by_chance,
        "least_score": found.least_score,
        "classes": [
            {
                "by_chance": one.by_chance,
                "explained": one.explained,
                "spelling": one.spelling,
                "fragments": [
                    dict(zip(FRAGMENT_COLUMNS[1:-1], row[1:-1], strict=True))
                    for row in _cells(n, one)
                ],
            }
            for n, one in enumerate(found.classes, start=1)
        ],
    }


def rows_of(classes: "Sequence[DiscoveredClass]") -> Rows:
    """A row for each fragment."""
    cells = [row for n, one in enumerate(classes, start=1) for row in _cells(n, one)]
    return Rows(
        FRAGMENT_COLUMNS, cells, (dict(zip(FRAGMENT_COLUMNS, row, strict=True)) for row in cells)
    )


def print_classes(classes: "Sequence[DiscoveredClass]") -> None:
    """A table for a person; the number of a class is at its first fragment."""
    from std.display.rows import print_table
    from std.numbers import clock, with_channel

    is_spelt = any(one.spelling for one in classes)
    names = ("class", "file", "time", "length", "score", "written", *["spelling"] * is_spelt)
    cells = []
    for n, one in enumerate(classes, start=1):
        for row, part in enumerate(one.fragments):
            cells.append(
                (n if row == 0 else "", with_channel(*part.recording), clock(part.start_s),
                 f"{part.end_s - part.start_s:.2f}", part.score, part.written,
                 *[one.spelling if row == 0 else ""] * is_spelt)
            )  # fmt: skip
    right = ("class", "time", "length", "score")
    print_table(Rows(names, cells, ()), right=right, whole=("file", *right))


def _cells(n: int, one: "DiscoveredClass") -> list[tuple[object, ...]]:
    return [
        (n, *part.recording, part.start_s, part.end_s, part.score, part.written, one.spelling)
        for part in one.fragments
    ]


if __name__ == "__main__":
    sys.exit(main())
