"""The hits of std-search in the requested forms.

output_hits    rows on stdout, explanations, clips, subtitles, edits
tell_remarks   notes about the terms
tell_figures   notes about the hits
tell_forms     the related forms of the terms
"""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from std.command import print_json, progress_bar, tell, warn
from std.display.rows import JSON, LINES, TABLE, form_of, print_rows
from std.errors import StdError
from std.numbers import counted
from std.outputs import output_name

if TYPE_CHECKING:
    from searcher import FusedIndex, Hit, Index, SearchResult

TABLE_ROWS = 50  # unless --limit says otherwise


def is_restricted(args: argparse.Namespace) -> bool:
    """Whether only some recordings are searched."""
    return args.where is not None or bool(args.recording)


def is_decided(args: argparse.Namespace) -> bool:
    """Whether hits have decisions, as those of a list always do."""
    one_by_one = args.term or args.like or args.query_audio
    return not one_by_one or args.decide or args.beta is not None


def prints_hits(args: argparse.Namespace) -> bool:
    """Whether hits go to stdout; a batch that writes a list prints them only on request."""
    return not args.output or bool(args.csv or args.nl or args.fmt)


def tell_remarks(found: "SearchResult", *, has_hits: bool, args: argparse.Namespace) -> None:
    """Print notes about the terms."""
    from searcher.output.notices import remarks

    for line in remarks(found):
        tell(line)
    if found.less_likely:
        places = counted(found.less_likely, "less likely place")
        tell(f"{places} left out; --min-probability 0 shows all")
    if not has_hits:
        asked = " in the recordings asked for" if is_restricted(args) else ""
        tell(f"no hits{asked}")


def tell_figures(found: "SearchResult") -> None:
    """Print the expected number of right hits, and notes about recognisers."""
    from searcher.output.notices import copy_notice

    if notice := copy_notice(found):
        tell(notice)
    tell(str(found.expected))


def tell_forms(forms: "SearchResult", args: argparse.Namespace) -> None:
    """Print the related forms that were found, with their counts."""
    from searcher.output.notices import form_notices

    for line in form_notices(forms):
        tell(line if args.inflections else f"{line}; --inflections shows them")


def output_hits(
    args: argparse.Namespace,
    found: "SearchResult",
    hits: "Sequence[Hit]",
    index: "Index | FusedIndex",
) -> None:
    """Write hits in all requested forms: files first, then stdout.

    Raises:
        StdError: a file cannot be written.
    """
    if args.explain:
        from std.outputs import open_output
        from std.terminal import json_text

        with open_output(args.explain) as sink:
            for hit in hits:
                sink.write(json_text(hit.document()).encode() + b"\n")
    if args.corrections:
        from searcher.output.table import LEAST_PROBABILITY, write_corrections

        least = LEAST_PROBABILITY if args.min_probability is None else args.min_probability
        n = write_corrections(hits, args.corrections, least)
        if not args.quiet:
            tell(f"{counted(n, 'place')} written otherwise -> {output_name(args.corrections)}")
    if args.timeline or args.markers or args.clips or args.srt:
        write_media(args, hits, index)
    if not prints_hits(args):
        return
    form = form_of(args, piped=LINES)
    shown = hits[: args.limit or len(hits)]
    if form == JSON:
        print_json([hit.document() for hit in shown])
    elif form == TABLE:
        show_table(hits, found, args)
    else:
        from searcher.output.table import hit_rows

        print_rows(hit_rows(shown, decided=is_decided(args)), form, header=False)


def writes_hits(args: argparse.Namespace) -> bool:
    """Whether hits are written to files."""
    return any((args.explain, args.clips, args.srt, args.timeline, args.markers, args.corrections))


def write_media(
    args: argparse.Namespace, hits: "Sequence[Hit]", index: "Index | FusedIndex"
) -> None:
    """Write the shown hits for editing programs, as clips and subtitles, without rejected ones."""
    from searcher.output.media import write_clips, write_markers, write_subtitles, write_timeline
    from std.recordings import inputs_of
    from std.timelines import FRAME_RATES, frames_of

    chosen = [hit for hit in hits if hit.decision != "NO"][: args.limit or None]
    rate = FRAME_RATES[args.frame_rate]
    try:
        first_frame = frames_of(args.first_timecode, rate)
    except ValueError as error:
        raise StdError(f"--first-timecode: {error}") from error
    frames: dict[str, Any] = {"rate": rate, "first_frame": first_frame}
    sound: dict[str, Any] = {}
    if args.timeline or args.clips:
        sound = {"audio": args.audio, "metadata": index.metadata, "around_s": args.clip_around}
        sound["inputs"] = inputs_of(index.recordings())
    if args.timeline:
        write_timeline(chosen, args.timeline, **sound, **frames)
    if args.markers:
        write_markers(chosen, args.markers, kind=args.markers_for, **frames)
    if args.srt:
        write_subtitles(chosen, args.srt)
    if args.clips:
        label = f"cutting {counted(len(chosen), 'clip')}"
        with progress_bar(label, len(chosen), quiet=args.quiet) as advance:
            warnings = write_clips(
                chosen, args.clips, kind=args.clip_format, **sound, advance=advance
            )
        for warning in warnings:
            warn("std-search", warning)


def show_table(hits: "Sequence[Hit]", found: "SearchResult", args: argparse.Namespace) -> None:
    """Print a table of hits."""
    from searcher.output.table import print_table

    if not hits:
        return
    names = [name.strip().lower() for name in args.columns.split(",")]
    limit = TABLE_ROWS if args.limit is None else args.limit
    print_table(
        hits,
        limit=limit or len(hits),
        decided=is_decided(args),
        languages=len({*found.languages} - {""}) > 1,
        columns=[name for name in names if any(name in hit.metadata for hit in hits)],
    )
