"""std-search --unit: the recordings, or turns of speakers, in which a query holds."""

import argparse
from typing import TYPE_CHECKING

from searcher.commands.arguments import configuration
from searcher.commands.opened import opened
from std.command import print_json, tell
from std.display.numbers import clock, counted
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows

if TYPE_CHECKING:
    from searcher import UnitHits  # --help needs none of what it loads

TABLE_ROWS = 50  # unless --limit says otherwise


def search_units(args: argparse.Namespace) -> int:
    """Search one query and print the units; 1 if there are none.

    Raises:
        StdError: the text is not a query.
    """
    from searcher import UnitHits
    from std.config import SHOWN_FROM
    from std.execution.processes import executor

    (query,) = args.term
    least = SHOWN_FROM if args.min_probability is None else args.min_probability
    with (
        opened(args, configuration(args)) as index,
        executor(args.jobs, args.scheduler) as workers,
    ):
        found = index.find_units(
            query, args.unit, where=args.where, recordings=args.recording,
            min_probability=least, workers=workers,
        )  # fmt: skip
    form = form_of(args, piped=LINES)
    if form != JSON and not args.quiet:
        for line in found.understood:
            tell(line)
    limit = TABLE_ROWS if form == TABLE and args.limit is None else args.limit
    shown = UnitHits(args.unit, found[: limit or len(found)], expected=found.expected)
    if form == JSON:
        print_json([one.document() for one in shown])
    else:
        print_rows(_rows(shown), "simple" if form == TABLE else form, header=False)
    if form == TABLE and len(found) > len(shown):
        tell(f"... and {len(found) - len(shown)} more; --limit 0 shows all")
    if not args.quiet and form != JSON:
        more = counted(found.less_likely, found.unit)
        below = f"; {more} of less probability left out" if found.less_likely else ""
        expected = f"about {found.expected.right + found.expected.right_below:.1f} in all"
        tell(f"{counted(len(found), found.unit)}, {expected}{below}")
    return 0 if found else 1


def _rows(found: "UnitHits") -> Rows:
    columns = sorted({name for one in found for name in one.metadata} - {"speaker"})
    return Rows(
        header=(
            *("file", "channel", "start_s", "end_s", "speaker", "probability", "places"),
            *columns,
        ),
        cells=[
            (
                *(one.file, one.channel, f"{one.start_s:.3f}", f"{one.end_s:.3f}", one.speaker),
                *(f"{one.probability:.4f}", _places(one.places)),
                *(one.metadata.get(name, "") for name in columns),
            )
            for one in found
        ],
        documents=(one.document() for one in found),
        brief_header=("file", "from", "to", "probability", "speaker", "places"),
        brief=[
            (
                one.file if one.channel == 1 else f"{one.file} ({one.channel})",
                *(clock(one.start_s), clock(one.end_s)),
                *(f"{one.probability:.3f}", one.speaker, _places(one.places)),
            )
            for one in found
        ],
    )


def _places(places: tuple[tuple[str, float, float, float], ...]) -> str:
    """The likeliest places in words: ``polizei 0:32.0, gewalt 1:10.2``."""
    return ", ".join(f"{term} {clock(start_s)}" for term, start_s, _, _ in places)
