"""std-store's commands that compare an index with folders: sync, relink, move-audio."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from std.command import print_json, progress_bar, say, tell, warn
from std.display.numbers import counted
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.display.tables import print_table
from std.execution.cost import Stopwatch
from std.options import configuration_of

if TYPE_CHECKING:  # --help loads no array library
    from indexer import Changes



def sync(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Synchronise the index with a folder, and show the changes; 2 if a file is refused."""
    started = Stopwatch()
    from indexer import sync_folder, watch_folder
    from indexer.cli_actions import told_to_stop
    from indexer.reading_arguments import input_options

    settings: dict[str, Any] = {
        "options": input_options(args),
        "ecf": args.ecf,
        "metadata": args.metadata,
        "audio": args.audio,
        "config": configuration_of(args),
        "language": args.language,
        "jobs": args.jobs,
        "scheduler": args.scheduler,
    }
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
    for line in (*report.warnings, *report.language_warnings, *report.unmerged):
        warn(COMMAND, line)
    for failure in report.failures:
        say(COMMAND, str(failure))
    form = form_of(args, piped=LINES)
    if form == JSON:
        refused = [str(failure) for failure in report.failures]
        print_json(document(done.changes) | {"refused": refused} | started.cost()._asdict())
    elif not args.quiet:
        print_changes(change_rows(done.changes), form)
    if not args.quiet:
        written = "; nothing was written" if args.dry_run else f" -> {', '.join(stores)}"
        tell(f"{done.changes.line()}{written}")
    return 2 if report.failures else 0


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
    """Print rows in any form but JSON; nothing without changes."""
    if form != TABLE:
        print_rows(rows, form)
    elif rows.cells:
        print_table(rows)


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
