"""std-index's actions other than indexing: preview, watch a folder, read spoken queries.

`tell_of_problems` prints problems of the inputs.
"""

import argparse
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from indexer.output import preview_rows, print_previews
from indexer.reading_arguments import indexing_settings, input_options, require_each_once
from std.command import print_json, progress_bar, say, tell, warn
from std.display.rows import LINES, TABLE, form_of, print_rows
from std.errors import named
from std.execution.cost import Stopwatch
from std.numbers import counted, example
from std.options import configuration_of
from std.repairs import mended, repair_lines

if TYPE_CHECKING:
    from indexer import IndexReport, Preview

FILES_NAMED = 20  # files of a kind named without --verbose


def preview(args: argparse.Namespace) -> int:
    """Print a preview of indexing; 2 if an input would be refused."""
    from indexer import preview_files

    require_each_once(args)
    previews = list(
        preview_files(
            args.input,
            args.store or (),
            config=configuration_of(args),
            options=input_options(args),
            jobs=args.jobs,
        )
    )
    if args.metadata:
        warn_of_unknown(args.metadata, previews)
    problems = [file for file in previews if file.problem]
    for file in problems:
        say("std-index", file.problem)
    for line in repair_lines(mended((file.path, file.repairs) for file in previews)):
        warn("std-index", line)
    form = form_of(args, piped=LINES)
    if form == TABLE:
        print_previews(previews, verbose=args.verbose)
    else:
        print_rows(preview_rows(previews, verbose=args.verbose), form)
    if not args.quiet:
        indexed = [file for file in previews if file.format and not file.problem]
        recordings = {recording for file in indexed for recording in file.recordings}
        utterances = sum(file.utterances for file in indexed)
        skipped = sum(bool(file.skipped) for file in previews)
        tell(
            f"{counted(len(indexed), 'file')}, {counted(len(recordings), 'recording')}, "
            f"{counted(utterances, 'utterance')}; "
            f"{skipped} skipped, {len(problems)} refused; nothing was written"
        )
    return 2 if problems else 0


def tell_of_problems(
    report: "IndexReport", args: argparse.Namespace, command: str = "std-index"
) -> None:
    """Warnings and errors, one line each."""
    for doubt in report.language_warnings:
        warn(command, doubt)
    for line in report.unmerged:
        warn(command, line)
    for file in report.kept:
        warn(command, f"{file} stays in the index, as an input could not be read")
    tell_of_inputs(report, args, command)
    if missing := report.described.not_indexed:
        n, metadata = counted(len(missing), "recording"), named(args.metadata)
        warn(command, f"{n} of {metadata} not in the index: {example(missing)}")
    if links := report.audio.left_out:
        n_links = counted(len(links), "link")
        warn(command, f"{n_links} out of {named(args.audio)} not followed: {example(links)}")
    for failure in (*report.failures, *report.audio.problems):
        say(command, str(failure))
    for missed, given in ((report.not_in_ecf, args.ecf), (report.without_turns, args.speakers)):
        if missed:
            first = example([f"{one.file}/{one.channel}" for one in missed])
            warn(command, f"{counted(len(missed), 'recording')} not in {named(given)}: {first}")


def tell_of_inputs(report: "IndexReport", args: argparse.Namespace, command: str) -> None:
    """Print skipped files, and warnings."""
    verbose = getattr(args, "verbose", None)  # no option of std-store sync
    names_them = "" if verbose is None else " (--verbose names them)"
    if verbose:
        for file in report.skipped:
            say(command, f"skipped {file.path}: {file.what}")
    elif report.skipped and not args.quiet:
        skipped = counted(len(report.skipped), "file")
        say(command, f"{skipped} skipped: no recogniser output{names_them}")
    for warning in (*repair_lines(report.repairs), *report.warnings, *report.lost_sound_lines):
        warn(command, warning)
    shown = report.wordless if verbose else report.wordless[:FILES_NAMED]
    for path in shown:
        warn(command, f"{named(path)}: no word in it")
    if more := len(report.wordless) - len(shown):
        warn(command, f"{counted(more, 'more file')} without a word{names_them}")


def warn_of_unknown(path: Path, previews: "Sequence[Preview]") -> None:
    """Read metadata, and warn of recordings that the inputs lack."""
    from std.files import read
    from std.metadata.read import parse

    names = {recording.file for file in previews for recording in file.recordings}
    if missing := [file for file in read(parse, path).files if file not in names]:
        metadata = f"{counted(len(missing), 'recording')} of {named(path)}"
        warn("std-index", f"{metadata} not in the inputs: {example(missing)}")


def watch_inputs(args: argparse.Namespace) -> int:
    """Index files that appear in a folder, one line per file, until SIGTERM or Ctrl-C."""
    started = Stopwatch()
    from indexer import watch_folder

    require_each_once(args)
    with told_to_stop() as stop:
        if not args.quiet:
            tell(f"watching {args.watch} -> {', '.join(args.store)}; Ctrl-C or SIGTERM ends it")
        indexed = watch_folder(
            args.watch,
            args.store,
            tell=lambda line: say("std-index", line),
            stopped=stop.wait,
            progress=lambda n_bytes: progress_bar("indexing", n_bytes, quiet=args.quiet),
            **indexing_settings(args),
        )
    if args.json:
        print_json({"indexed": indexed} | started.cost()._asdict())
    if not args.quiet:
        tell(f"stopped; {counted(indexed, 'file')} indexed")
    return 0


def write_queries(args: argparse.Namespace) -> int:
    """Write the spoken queries of the inputs for std-search."""
    started = Stopwatch()
    from indexer import read_spoken_queries
    from std.distinct import require_distinct
    from std.outputs import open_output, output_name
    from std.spoken_queries import dump

    require_each_once(args)
    inputs = {"INPUT": args.input, "--query-examples": args.query_examples}
    inputs |= {"--query-recognition": args.query_recognition}
    require_distinct(inputs, {"--queries-to": args.queries_to})
    report = read_spoken_queries(
        args.input,
        examples=args.query_examples,
        language=args.language or "",
        ecf=args.ecf,
        recognition=args.query_recognition,
        options=input_options(args),
    )
    with open_output(args.queries_to) as sink:
        dump(report.spoken, sink)
    for names, noun, what in (
        (report.wordless, "query", "without a word: nothing will be found"),
        (report.unused, "recording", "that --query-examples does not name"),
        ([str(path) for path in report.skipped], "file", "skipped: no recogniser output"),
    ):
        if names:
            warn("std-index", f"{counted(len(names), noun)} {what} ({example(names)})")
    queries = report.spoken.queries
    if args.json:
        examples = {query.query_id: query.examples for query in queries}
        seconds = {"query_seconds": report.spoken.duration_s}
        print_json({"queries": examples} | seconds | started.cost()._asdict())
    if not args.quiet:
        n_examples = sum(len(query.examples) for query in queries)
        sequences = sum(len(query.alternatives) for query in queries)
        tell(
            f"{counted(len(queries), 'query')}, {counted(n_examples, 'example')} "
            f"({report.spoken.duration_s or 0:.1f} s), "
            f"{counted(sequences, 'word sequence')} -> "
            f"{output_name(args.queries_to)}"
        )
    return 0


@contextmanager
def told_to_stop() -> Iterator[Event]:
    """An event that SIGTERM or Ctrl-C sets; a second Ctrl-C interrupts as usual."""
    stop = Event()

    def note(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
