"""std-store's commands that change words and places: corrections; sync, relink, move-audio.

correct, corrections, rewrite    correct a recording, list corrections, write them into files
sync, relink, move_audio         compare an index with folders
"""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from indexer.reading_arguments import indexing_settings
from std.command import print_json, progress_bar, say, tell, warn
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.errors import StdError
from std.execution.cost import Stopwatch
from std.numbers import clock, counted
from std.options import configuration_of
from std.outputs import output_name

if TYPE_CHECKING:  # --help loads no array library
    from indexer import Changes, RecordingCorrection

COMMAND = "std-store"


def correct(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Correct a recording, or undo corrections, and show the changes."""
    if problem := misuse(args):
        raise StdError(problem)
    from indexer import correct_by_table, correct_recording, undo_corrections

    config, what = configuration_of(args), "corrected"
    channel = None if args.channel is None else int(args.channel)
    if args.table:
        done = correct_by_table(
            args.table,
            stores,
            dry_run=args.dry_run,
            config=config,
            progress=lambda n_rows: progress_bar("correcting", n_rows, quiet=args.quiet),
        )
    elif args.undo:
        done = undo_corrections(
            args.recording,
            stores,
            at_s=args.at,
            channel=channel,
            dry_run=args.dry_run,
            config=config,
        )
        what = "undone"
    else:
        done = correct_recording(
            args.recording,
            stores,
            words=args.words,
            at_s=args.at,
            transcript=args.transcript,
            channel=channel or 1,
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
    others = (args.recording, args.words, args.at, args.transcript, args.undo, args.channel)
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
    for _, one in report.partly:
        told = f"{one.replaced!r} is corrected, but stays where its words are separate fields"
        warn(COMMAND, f"{args.transcript}: {told}")
    if args.json:
        print_json(
            {name: [*correction_rows(some).documents] for name, some in report._asdict().items()}
        )
    if not args.quiet:
        tell(f"{counted(len(report.made), 'correction')} -> {output_name(args.output)}")
    return 0


def show_corrections(args: argparse.Namespace, found: "Sequence[RecordingCorrection]") -> None:
    """Print corrections in the requested form."""
    print_changes(correction_rows(found), form_of(args, piped=LINES))


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


def sync(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Synchronise the index with a folder, and show the changes; 2 if a file is refused."""
    started = Stopwatch()
    from indexer import sync_folder, watch_folder
    from indexer.cli_actions import tell_of_problems, told_to_stop

    settings = indexing_settings(args) | {"feedback": args.feedback, "alerts": args.alerts}
    if args.watch:
        with told_to_stop() as stop:
            indexed = watch_folder(
                args.folder,
                stores,
                tell=lambda line: say(COMMAND, line),
                stopped=stop.wait,
                sync=True,
                allow_gone=args.allow_gone,
                **settings,
            )
        if not args.quiet:
            tell(f"stopped; {counted(indexed, 'file')} indexed")
        return 0
    if not args.dry_run:
        settings["progress"] = lambda n: progress_bar("indexing", n, quiet=args.quiet)
    done = sync_folder(
        args.folder, stores, dry_run=args.dry_run, allow_gone=args.allow_gone, **settings
    )
    report = done.report
    tell_of_problems(report, args, COMMAND)
    form = form_of(args, piped=LINES)
    if form == JSON:
        refused = [str(failure) for failure in report.failures]
        print_json(document(done.changes) | {"refused": refused} | started.cost()._asdict())
    elif not args.quiet:
        print_changes(change_rows(done.changes), form)
    if not args.quiet:
        written = "; nothing was written" if args.dry_run else f" -> {', '.join(stores)}"
        tell(f"{done.changes.line()}{written}")
    return 2 if report.failures or report.audio.problems else 0


def document(changes: "Changes") -> dict[str, Any]:
    """What ``--json`` prints of changes."""
    return {
        "new": [str(one.path) for one in changes.new],
        "changed": [str(one.path) for one in changes.changed],
        "moved": [
            {"from": one.before, "to": str(one.after.path), "renamed": one.renamed}
            for one in changes.moved
        ],
        "gone": list(changes.gone),
        "unchanged": changes.unchanged,
    }


def change_rows(changes: "Changes") -> Rows:
    """A row for each change."""
    cells = [("new", str(one.path), "", "") for one in changes.new]
    cells += [("changed", str(one.path), "", "") for one in changes.changed]
    for one in changes.moved:
        name = f"{one.renamed[0]} is {one.renamed[1]}" if one.renamed else ""
        cells.append(("moved", str(one.after.path), one.before, name))
    cells += [("gone", "", "", recording) for recording in changes.gone]
    return _rows(["change", "file", "before", "recording"], cells)


def _rows(header: Sequence[str], cells: Sequence[tuple[str, ...]]) -> Rows:
    return Rows(header, cells, [dict(zip(header, row, strict=True)) for row in cells])


def print_changes(rows: Rows, form: str) -> None:
    """Print rows; no table without any."""
    if rows.cells or form != TABLE:
        print_rows(rows, form)


def relink(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Store the places of inputs; 2 if some were not found."""
    started = Stopwatch()
    from indexer import relink_inputs

    report = relink_inputs(args.folder, stores, dry_run=args.dry_run)
    for path in report.missing:
        warn(COMMAND, f"{path}: not found below {args.folder}")
    form = form_of(args, piped=LINES)
    if form == JSON:
        found = {"moved": dict(report.places), "missing": list(report.missing)}
        print_json(found | started.cost()._asdict())
    elif not args.quiet:
        print_changes(_rows(["before", "now"], [*report.places.items()]), form)
    if not args.quiet:
        written = "; nothing was written" if args.dry_run else ""
        tell(f"{counted(len(report.places), 'input')} elsewhere than before{written}")
    return 2 if report.missing else 0


def move_audio(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Store the places of audio; 2 if several files fit a recording."""
    started = Stopwatch()
    from indexer import move_audio as moved

    audio, places = moved(args.folder, stores, dry_run=args.dry_run)
    for problem in audio.problems:
        say(COMMAND, str(problem))
    for file in audio.missing:
        warn(COMMAND, f"{file}: no audio below {args.folder}")
    form = form_of(args, piped=LINES)
    if form == JSON:
        found = {"found": audio.found, "missing": list(audio.missing)}
        found["moved"] = {one: {"before": a, "now": b} for one, (a, b) in places.items()}
        print_json(found | started.cost()._asdict())
    elif not args.quiet:
        cells = [(one, before, now) for one, (before, now) in places.items()]
        print_changes(_rows(["recording", "before", "now"], cells), form)
    if not args.quiet:
        n = audio.found + len(audio.missing) + len(audio.problems)
        written = "; nothing was written" if args.dry_run else ""
        tell(f"audio of {audio.found} of {counted(n, 'recording')} in {args.folder}{written}")
    return 2 if audio.problems else 0
