"""std-search --alerts: the hits of a list of terms that were not reported yet."""

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from searcher.commands.command_line import configuration, opened
from std.command import print_json, tell
from std.display.numbers import counted
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.errors import named

if TYPE_CHECKING:
    from searcher import Index

ALERT_HEADER = (
    *("term", "file", "channel", "start_s", "end_s", "probability"),
    *("before", "found", "after", "time"),
)


def tell_new_hits(args: argparse.Namespace) -> int:
    """Search the list and print new hits.

    Returns:
        0 if there are new hits, else 1.

    Raises:
        StdError: a file cannot be read or written, or another process has it open.
    """
    from searcher import StandingSearch

    config = configuration(args)
    with (
        opened(args, config) as index,
        StandingSearch(args.alerts, args.term_column) as search,
    ):
        if search.column and not args.quiet:
            terms = counted(len(search.terms), "term")
            tell(f"{terms} from {search.column} of {named(args.alerts)}")
        is_first = search.is_first
        are_posted = search.posted == len(search.lines)
        lines = search.look(cast("Index", index))  # --fuse is refused
        if lines and not is_first and are_posted:
            search.note_posted()  # reported here, so a service does not post them again
        if is_first and not args.quiet:
            tell(
                f"first search of this list: {counted(len(lines), 'hit')} written to {search.path} "
                "as known; the next search tells what is new"
            )
    new = [] if is_first else lines
    show(new, args)
    if not args.quiet and not is_first:
        tell(counted(len(new), "new hit"))
    return 0 if new else 1


def show(lines: Sequence[Mapping[str, Any]], args: argparse.Namespace) -> None:
    """Print hits in the requested form."""
    form = form_of(args, piped=LINES)
    if form == JSON:
        print_json(lines)
    elif form != TABLE:
        print_rows(rows_of(lines), form, header=False)
    elif lines:
        from std.display.tables import print_table

        print_table(rows_of(lines), right=("start", "probability"), whole=("term", "file"))


def rows_of(lines: Sequence[Mapping[str, Any]]) -> Rows:
    """Hits as rows, the likeliest first."""
    ordered = sorted(lines, key=lambda line: -line["probability"])
    return Rows(
        header=ALERT_HEADER,
        cells=[
            (
                *(line["term"], line["file"], line["channel"], f"{line['start_s']:.3f}"),
                f"{line['start_s'] + line['duration_s']:.3f}",
                *(f"{line['probability']:.4f}", *line["context"], line["time"]),
            )
            for line in ordered
        ],
        documents=ordered,
        brief_header=("term", "file", "start", "probability", "text"),
        brief=[
            (
                line["term"],
                line["file"] if line["channel"] == 1 else f"{line['file']} ({line['channel']})",
                *(f"{line['start_s']:.3f}", f"{line['probability']:.3f}"),
                " ".join(part for part in line["context"] if part),
            )
            for line in ordered
        ],
    )
