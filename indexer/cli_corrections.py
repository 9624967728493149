"""std-store's commands of corrections: correct a recording, list corrections."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from std.command import print_json, tell, warn
from std.display.numbers import clock, counted
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.display.tables import print_table
from std.errors import StdError
from std.options import configuration_of
from std.outputs import output_name

COMMAND = "std-store"

if TYPE_CHECKING:  # --help loads no array library
    from indexer import RecordingCorrection


def correct(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Correct a recording, or undo corrections, and show the changes."""
    if problem := misuse(args):
        raise StdError(problem)
    from indexer import correct_by_table, correct_recording, undo_corrections

    config, what = configuration_of(args), "corrected"
    if args.table:
        done = correct_by_table(args.table, stores, dry_run=args.dry_run, config=config)
    elif args.undo:
        done = undo_corrections(
            args.recording, stores, at_s=args.at, dry_run=args.dry_run, config=config
        )
        what = "taken back"
    else:
        done = correct_recording(
            args.recording,
            stores,
            words=args.words,
            at_s=args.at,
            transcript=args.transcript,
            channel=int(args.channel),
            dry_run=args.dry_run,
            config=config,
        )
    show_corrections(args, done)
    if not args.quiet:
        written = "; nothing was written" if args.dry_run else f" in {', '.join(stores)}"
        tell(f"{args.recording or args.table}: {counted(len(done), 'place')} {what}{written}")
    return 0


def misuse(args: argparse.Namespace) -> str:
    """The error in a combination of options; empty if it is valid."""
    others = (args.recording, args.words, args.at, args.transcript, args.undo)
    if args.table:
        wrong = any(one is not None and one is not False for one in others)
        return "--table names recordings and words: expected no other option" * wrong
    if not args.recording:
        return "expected RECORDING, or --table"
    if args.undo:
        wrong = args.words is not None or args.transcript
        return "--undo takes corrections back: expected no --words and no --transcript" * bool(
            wrong
        )
    if args.transcript:
        both = args.words is not None or args.at is not None
        return "--transcript says what was said and when: expected no --at and no --words" * both
    if args.at is None or args.words is None:
        return "expected --at with --words, or --transcript, or --undo"
    return ""


def corrections(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """List the corrections of an index."""
    from indexer import list_corrections

    found = list_corrections(stores, recordings=args.recording)
    show_corrections(args, found)
    if not args.quiet:
        files = {one.recording.file for one in found}
        tell(f"{counted(len(found), 'correction')} of {counted(len(files), 'recording')}")
    return 0


def rewrite(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Write corrections into a transcript; warn of those that are not in it."""
    from indexer import rewrite_transcript

    report = rewrite_transcript(
        args.transcript, args.recording, stores, args.output, channel=int(args.channel)
    )
    for _, one in report.not_found:
        warn(COMMAND, f"{args.transcript}: {one.replaced!r} is not there: {one.text!r} left out")
    if args.json:
        made = [*correction_rows(report.made).documents]
        print_json({"made": made, "not_found": [*correction_rows(report.not_found).documents]})
    if not args.quiet:
        tell(f"{counted(len(report.made), 'correction')} -> {output_name(args.output)}")
    return 0


def show_corrections(args: argparse.Namespace, found: "Sequence[RecordingCorrection]") -> None:
    """Print corrections in the requested form."""
    rows = correction_rows(found)
    form = form_of(args, piped=LINES)
    if form == JSON:
        print_json([*rows.documents])
    elif form != TABLE:
        print_rows(rows, form)
    elif rows.cells:
        print_table(rows)


def correction_rows(found: "Sequence[RecordingCorrection]") -> Rows:
    """A row for each correction: place, words before, words after."""
    header = ["recording", "channel", "start_s", "end_s", "before", "after"]
    cells = []
    for recording, one in found:
        times = [time for word in one.words for time in word[1:]] or [one.start_ms, one.end_ms]
        span = min(times) / 1000, max(times) / 1000
        cells.append((*recording, *span, one.replaced, one.text))
    return Rows(
        header,
        cells,
        [dict(zip(header, row, strict=True)) for row in cells],
        brief_header=["recording", "time", "before", "after"],
        brief=[(row[0], clock(row[2]), *row[4:]) for row in cells],
    )
