"""std-store: list, change and verify an index."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from indexer.output import (
    common_folder,
    description_rows,
    details_rows,
    print_recordings,
    recording_rows,
)
from indexer.store_arguments import parser
from std.command import print_json, run, say, tell, warn
from std.display.rows import JSON, LINES, TABLE, form_of, print_rows
from std.errors import STANDARD_STREAM
from std.execution.cost import Stopwatch
from std.numbers import counted, example
from std.options import configuration_of

if TYPE_CHECKING:  # --help loads no array library
    from indexer import IndexReport

COMMAND = "std-store"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 success, 2 damage or an error that the user can correct."""
    args = parser().parse_args(argv)
    from indexer import store_actions

    actions = {
        "list": list_index,
        "show": show,
        "verify": verify,
        "delete": delete,
        "export": export,
        "transcripts": transcripts,
        "rename": rename,
        "correct": store_actions.correct,
        "rewrite": store_actions.rewrite,
        "corrections": store_actions.corrections,
        "sync": store_actions.sync,
        "relink": store_actions.relink,
        "move-audio": store_actions.move_audio,
        "merge": merge,
        "clean-up": clean_up,
    }
    return run(COMMAND, lambda: actions[args.subcommand](args, [args.index, *args.shard]))


def list_index(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Print the recordings of an index; 0 also if none fits."""
    from indexer import list_recordings

    listed = list_recordings(stores, where=args.where, recordings=args.recording)
    form = form_of(args, piped=LINES)
    if form != TABLE:
        print_rows(recording_rows(listed), form)
    elif listed:
        print_recordings(listed)
    if form != JSON and not args.quiet:
        folder = common_folder(path for entry in listed for path in entry.about.inputs)
        hours = sum(entry.about.speech_ms for entry in listed) / 3_600_000
        words = sum(entry.words for entry in listed)
        sources = f"; sources in {folder}" if folder else ""
        tell(
            f"{counted(len(listed), 'recording')}, {hours:.2f} h of speech, "
            f"{counted(words, 'word')}{sources}"
        )
    return 0


def show(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Print facts about an index as a whole, or about some of its recordings."""
    from indexer import describe_index, list_recordings

    form = form_of(args, piped=LINES)
    if args.recording:
        listed = list_recordings(stores, recordings=args.recording)
        document: object = [entry.document() for entry in listed]
        rows = details_rows(listed)
    else:
        described = describe_index(stores)
        document, rows = described.document(), description_rows(described)
    if form == JSON:
        print_json(document)
    else:
        print_rows(rows, form)
    return 0


def verify(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Print each damage of an index in a line, and its languages."""
    started = Stopwatch()
    from indexer import languages_line, pronouncer_hints, verify_index

    checks = []
    for check in verify_index(stores):
        checks.append(check)
        for line in check.damage:
            say(COMMAND, line)
        for doubt in check.warnings:
            warn(COMMAND, doubt)
        if not check.damage and not args.quiet:
            tell(f"{check.store}: {counted(check.segments, 'segment')}, no damage")
            if any(one["language"] for one in check.languages):
                tell(f"{check.store}: {languages_line(check.languages)}")
                for line in pronouncer_hints(check.languages):
                    tell(f"{check.store}: {line}")
    if args.json:
        intact = [check for check in checks if not check.damage]
        print_json(
            {
                "damage": {check.store: check.damage for check in checks},
                "inputs": {check.store: check.inputs for check in intact},
                "languages": {check.store: check.languages for check in intact},
                "clock_offsets": {check.store: check.clock_offsets for check in intact},
                "clock_changes": {check.store: check.clock_changes for check in intact},
                **started.cost()._asdict(),
            }
        )
    return 2 if any(check.damage for check in checks) else 0


def export(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Write the index as networks."""
    started = Stopwatch()
    from indexer import export_index
    from std.distinct import require_distinct
    from std.outputs import output_name

    outputs = {"NETWORKS": args.networks, "--metadata-to": args.metadata_to}
    outputs |= {"--json": STANDARD_STREAM} if args.json else {}
    require_distinct({}, outputs, stores)
    report = export_index(
        stores,
        args.networks,
        metadata=args.metadata_to,
        where=args.where,
        recordings=args.recording,
    )
    if report.estimated:
        n = counted(len(report.estimated), "recording")
        first = example([one.file for one in report.estimated])
        warn(COMMAND, f"times of words are estimates in {n} ({first}): the networks do not say so")
    if report.with_sound:
        n, first = counted(len(report.with_sound), "recording"), report.with_sound[0].file
        warn(COMMAND, f"the networks lack the sound of {n} (such as {first}): index it, too")
    if report.noises:
        n, first = counted(len(report.noises), "word"), report.noises[0]
        warn(COMMAND, f"only std-index --keep-nonwords indexes {n} again (such as {first})")
    counts = counted(report.recordings, "recording"), counted(report.utterances, "utterance")
    figures = {"recordings": report.recordings, "utterances": report.utterances}
    summary = f"{', '.join(counts)} -> {output_name(args.networks)}"
    return conclude(args, started, figures, summary)


def transcripts(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Write whole transcripts."""
    started = Stopwatch()
    from indexer import export_transcripts

    paths = export_transcripts(
        stores, args.folder, form=args.form, where=args.where, recordings=args.recording
    )
    summary = f"{counted(len(paths), 'transcript')} -> {args.folder}"
    return conclude(args, started, {"files": [str(path) for path in paths]}, summary)


def delete(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Delete recordings."""
    started = Stopwatch()
    from indexer import delete_recordings

    report = delete_recordings(args.recording, stores, config=configuration_of(args))
    tell_of_doubts(report)
    for line in report.unmerged:
        warn(COMMAND, line)
    summary = f"{counted(report.deleted, 'file')} deleted from {', '.join(stores)}"
    return conclude(args, started, {"deleted": report.deleted}, summary)


def rename(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Give a recording another name."""
    started = Stopwatch()
    from indexer import rename_recording

    new = rename_recording(args.old, args.new, stores, feedback=args.feedback, alerts=args.alerts)
    summary = f"{args.old} is {new} in {', '.join(stores)}"
    return conclude(args, started, {"renamed": {"from": args.old, "to": new}}, summary)


def merge(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Merge segments; 2 if a shard was not merged because another process writes to it."""
    started = Stopwatch()
    from indexer import merge_segments

    report = merge_segments(
        stores, config=configuration_of(args), jobs=args.jobs, scheduler=args.scheduler
    )
    tell_of_doubts(report)
    for line in report.unmerged:
        say(COMMAND, line)
    if args.json:
        print_json({"unmerged": report.unmerged} | started.cost()._asdict())
    if not args.quiet and not report.unmerged:
        tell(f"{', '.join(stores)}: merged")
    return 2 if report.unmerged else 0


def conclude(
    args: argparse.Namespace, started: Stopwatch, document: dict[str, Any], summary: str
) -> int:
    """Print the result and its cost for programs, the summary for people."""
    if args.json:
        print_json(document | started.cost()._asdict())
    if not args.quiet:
        tell(summary)
    return 0


def tell_of_doubts(report: "IndexReport") -> None:
    """Warnings about an index whose segments were rewritten."""
    for line in (*report.warnings, *report.language_warnings):
        warn(COMMAND, line)


def clean_up(args: argparse.Namespace, stores: Sequence[str]) -> int:
    """Remove replaced segments at once."""
    started = Stopwatch()
    from indexer import clean_up as cleaned_up

    removed = {}
    for url, segments in cleaned_up(stores):
        removed[url] = segments
        if not args.quiet:
            tell(f"{url}: {counted(segments, 'replaced segment')} removed")
    if args.json:
        print_json({"removed_segments": removed} | started.cost()._asdict())
    return 0


if __name__ == "__main__":
    sys.exit(main())
