"""What std-index does beside indexing: list, preview, watch a folder, read spoken queries."""

import argparse
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from std.command import console, print_json, progress_bar, say, tell, warn
from std.errors import named

if TYPE_CHECKING:
    from indexer import ListedRecording, Preview

PIPED_WIDTH = 140  # characters where stdout is no terminal
NAMED = 3  # recordings of an input that are named in the table


def list_index(args: argparse.Namespace) -> int:
    """Print the recordings of an index; 0 also if none fits."""
    from indexer import list_recordings

    listed = list_recordings(args.store, where=args.where, recordings=args.recording)
    if args.json:
        print_json([one.document() for one in listed])
        return 0
    folder = common_folder(path for one in listed for path in one.about.inputs)
    if listed:
        print_recordings(listed, folder)
    if not args.quiet:
        hours = sum(one.about.speech_ms for one in listed) / 3_600_000
        words = sum(one.words for one in listed)
        sources = f"; sources in {folder}" if folder else ""
        tell(f"{len(listed)} recordings, {hours:.2f} h of speech, {words} words{sources}")
    return 0


def common_folder(paths: Iterable[str]) -> str:
    """The folder that holds all of some absolute paths; empty if there is none.

    >>> common_folder(["/in/a/x.mesh", "/in/b/y.mesh", "-"]), common_folder(["/in/x"])
    ('/in', '/in')
    """
    folders = {os.path.dirname(path) for path in paths if os.path.isabs(path)}  # noqa: PTH117, PTH120  # texts
    return os.path.commonpath(folders) if folders else ""


def print_recordings(listed: "Sequence[ListedRecording]", folder: str) -> None:
    """Print a table of recordings, with the metadata that any of them has.

    Args:
        listed: one for each row.
        folder: that sources are shown without.
    """
    from rich.table import Table

    from std.terminal import cell

    names = sorted({name for one in listed for name in one.about.metadata} - {"language"})
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("recording", "speech", "language", "words", *map(cell, names), "source"):
        right = name in ("speech", "words")
        whole = right or name == "recording"  # what is cut off cannot be looked up
        table.add_column(name, justify="right" if right else "left", no_wrap=whole, overflow="fold")
    for one in listed:
        about = one.about
        channel = f" ({about.recording.channel})" if about.recording.channel != 1 else ""
        table.add_row(
            cell(about.recording.file) + channel,
            clock(about.speech_ms),
            cell(about.language or about.metadata.get("language", "") or "?"),
            str(one.words),
            *(cell(about.metadata.get(name, "")) for name in names),
            cell(", ".join(path.removeprefix(f"{folder}/") for path in about.inputs)),
        )
    console(PIPED_WIDTH, highlight=False).print(table)


def clock(time_ms: int) -> str:
    """Hours, minutes and seconds.

    >>> clock(3_725_400)
    '1:02:05'
    """
    minutes, seconds = divmod(round(time_ms / 1000), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def preview(args: argparse.Namespace) -> int:
    """Print what indexing the inputs would bring; 2 if something would be refused."""
    from indexer import preview_files
    from indexer.arguments import input_options, require_each_once

    require_each_once(args)
    found = list(
        preview_files(
            args.input,
            args.store or (),
            config=args.config,
            options=input_options(args),
            jobs=args.jobs,
        )
    )
    if args.metadata:
        warn_of_unknown(args.metadata, found)
    problems = [one for one in found if one.problem]
    for one in problems:
        say("std-index", one.problem)
    if args.json:
        print_json([one.document() for one in found])
    else:
        print_previews(found, args)
    if not args.quiet:
        indexed = [one for one in found if one.format and not one.problem]
        recordings = {recording for one in indexed for recording in one.recordings}
        utterances = sum(one.utterances for one in indexed)
        skipped = sum(bool(one.skipped) for one in found)
        tell(
            f"{len(indexed)} files, {len(recordings)} recordings, {utterances} utterances; "
            f"{skipped} skipped, {len(problems)} refused; nothing was written"
        )
    return 2 if problems else 0


def warn_of_unknown(path: Path, found: "Sequence[Preview]") -> None:
    """Read metadata, and warn of recordings that the inputs do not have."""
    from std.files import read
    from std.metadata.read import parse

    names = {recording.file for one in found for recording in one.recordings}
    if missing := [file for file in read(parse, path).files if file not in names]:
        example = f"{missing[0]}{' ...' if len(missing) > 1 else ''}"
        metadata = f"{len(missing)} recordings of {named(path)}"
        warn("std-index", f"{metadata} are not in the inputs: {example}")


def print_previews(found: "Sequence[Preview]", args: argparse.Namespace) -> None:
    """Print a table of input files: format, utterances and names; those skipped if verbose."""
    from rich.table import Table

    from std.terminal import cell

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("file", "format", "utterances", "postings", "recordings"):
        right = name in ("utterances", "postings")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for one in found:
        if one.problem or (one.skipped and not args.verbose):
            continue
        names = list(dict.fromkeys(recording.file for recording in one.recordings))
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        about = f"skipped: {one.skipped}" if one.skipped else f"{', '.join(names[:NAMED])}{more}"
        numbers = ("", "") if one.skipped else (str(one.utterances), str(one.postings))
        table.add_row(cell(str(one.path)), one.format, *numbers, cell(about))
    if table.rows:
        console(PIPED_WIDTH, highlight=False).print(table)


def watch_inputs(args: argparse.Namespace) -> int:
    """Index what appears in a folder, one line per file, until SIGTERM or Ctrl-C."""
    from indexer import watch_folder
    from indexer.arguments import input_options, require_each_once

    require_each_once(args)
    with told_to_stop() as stop:
        if not args.quiet:
            tell(f"watching {args.watch} -> {', '.join(args.store)}; Ctrl-C or SIGTERM ends it")
        indexed = watch_folder(
            args.watch,
            args.store,
            tell=lambda line: say("std-index", line),
            stopped=stop.wait,
            options=input_options(args),
            ecf=args.ecf,
            metadata=args.metadata,
            config=args.config,
            language=args.language,
            jobs=args.jobs,
            scheduler=args.scheduler,
            progress=lambda n_bytes: progress_bar("indexing", n_bytes, quiet=args.quiet),
        )
    if args.json:
        print_json({"indexed": indexed})
    if not args.quiet:
        tell(f"stopped; {indexed} files indexed")
    return 0


def write_queries(args: argparse.Namespace) -> int:
    """Write the spoken queries of the inputs for std-search."""
    from indexer import read_spoken_queries
    from indexer.arguments import input_options, require_each_once
    from std.distinct import require_distinct
    from std.outputs import open_output, output_name
    from std.spoken_queries import dump

    require_each_once(args)
    inputs = {"INPUT": args.input, "--query-examples": args.query_examples}
    require_distinct(inputs, {"--queries-to": args.queries_to})
    report = read_spoken_queries(
        args.input,
        examples=args.query_examples,
        language=args.language or "",
        options=input_options(args),
    )
    with open_output(args.queries_to) as sink:
        dump(report.spoken, sink)
    for names, what in (
        (report.wordless, "queries have no word, nothing will be found for them"),
        (report.unused, "recordings are no example of a query"),
        ([str(path) for path in report.skipped], "files are no recogniser output and were skipped"),
    ):
        if names:
            example = f"{names[0]}{' ...' if len(names) > 1 else ''}"
            warn("std-index", f"{len(names)} {what}: {example}")
    queries = report.spoken.queries
    if args.json:
        print_json({"queries": {one.query_id: one.examples for one in queries}})
    if not args.quiet:
        examples = sum(len(one.examples) for one in queries)
        sequences = sum(len(one.alternatives) for one in queries)
        tell(
            f"{len(queries)} queries, {examples} examples, {sequences} word sequences -> "
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
