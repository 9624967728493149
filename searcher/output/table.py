"""The hits of a search as a table for a person, and as rows for programs.

print_table    hits with the words around them, on the terminal
hit_rows       CSV, JSON lines, lines with tabs, tables to paste
"""

from collections.abc import Sequence

from searcher.results.hits import Hit
from std.characters import text_of
from std.display.numbers import clock
from std.display.rows import Rows
from std.display.tables import PIPED_WIDTH, console, print_fitting

HEADER = (
    *("term_id", "term", "file", "channel", "language", "start_s", "end_s", "probability"),
    *("score", "decision", "before", "found", "after", "found_as", "within_s", "speaker"),
    "within_word",
)
BRIEF = ("term", "file", "start", "end", "probability", "text")
DECIDED = ("score", "decision")  # further columns of hits with decisions
LEAST_LETTERS = {"context": 18, "found as": 12}  # least width of texts, in letters


def hit_rows(hits: Sequence[Hit], *, decided: bool) -> Rows:
    """Hits as rows, in their order; times in seconds.

    Args:
        hits: the hits of a search.
        decided: whether they are accepted or rejected.
    """
    columns = sorted({name for hit in hits for name in hit.metadata} - {"speaker"})
    return Rows(
        header=(*HEADER, *columns),
        cells=[
            (
                *(hit.term_id, hit.term, hit.file, hit.channel, hit.language),
                *(seconds(hit.start_s), seconds(hit.start_s + hit.duration_s)),
                f"{hit.probability:.4f}",
                *((f"{hit.score:.4f}", hit.decision) if decided else ("", "")),
                *(*hit.context, hit.found_as, hit.within_s, hit.said_by),
                str(hit.within_word or ""),
                *(hit.metadata.get(name, "") for name in columns),
            )
            for hit in hits
        ],
        documents=(hit.document() for hit in hits),
        brief_header=(*BRIEF, *DECIDED) if decided else BRIEF,
        brief=[
            (
                hit.term,
                hit.file if hit.channel == 1 else f"{hit.file} ({hit.channel})",
                *(seconds(hit.start_s), seconds(hit.start_s + hit.duration_s)),
                *(f"{hit.probability:.3f}", text_of(filter(None, hit.context))),
                *((f"{hit.score:.3f}", hit.decision) if decided else ()),
            )
            for hit in hits
        ],
    )


def seconds(time_s: float) -> str:
    """A time with milliseconds.

    >>> seconds(22.0249999)
    '22.025'
    """
    return f"{time_s:.3f}"


def print_table(
    hits: Sequence[Hit],
    *,
    limit: int,
    decided: bool,
    languages: bool = False,
    columns: Sequence[str] = (),
) -> None:
    """Print the first hits, one per line, with the words around them.

    Args:
        hits: in the order of the rows.
        limit: how many are printed.
        decided: show each hit's rescaled score and whether it is accepted.
        languages: show which language each hit's recording is in.
        columns: metadata of the recordings to show.
    """
    from rich.table import Table

    from std.terminal import cell

    out = console(PIPED_WIDTH)
    table = Table(box=None, header_style="bold", pad_edge=False)
    numbers = ("time", "probability", "score")
    language = ("language",) if languages else ()
    if any(hit.speaker for hit in hits[:limit]) and "speaker" not in columns:
        columns = ("speaker", *columns)
    decision = ("score", "decision") if decided else ()
    for name in (
        *("term", "file", *map(cell, columns), *language, "time", "probability"),
        *(*decision, "context", "found as"),
    ):
        table.add_column(
            name,
            justify="right" if name in numbers else "left",
            no_wrap=name in numbers or name == "file",  # a shortened name cannot be looked up
            overflow="fold",
        )
    for hit in hits[:limit]:
        before, inside, after = map(cell, hit.context)
        channel = f" ({hit.channel})" if hit.channel != 1 else ""
        table.add_row(
            cell(hit.term),
            cell(hit.file) + channel,
            *(cell(_value(hit, name)) for name in columns),
            *((cell(hit.language or "?"),) if languages else ()),
            f"{clock(hit.start_s)} {hit.estimate}".strip(),
            f"{hit.probability:.3f}",
            *((f"{hit.score:.3f}", hit.decision) if decided else ()),
            f"{before} [bold]{inside}[/bold] {after}".strip(),
            cell(hit.found_as),
        )
    print_fitting(out, table, LEAST_LETTERS)
    if len(hits) > limit:
        out.print(f"... and {len(hits) - limit} more; --limit 0 shows all", highlight=False)


def _value(hit: Hit, column: str) -> str:
    """A hit's value in a column: its speaker, or a value of its recording's metadata."""
    return hit.said_by if column == "speaker" else hit.metadata.get(column, "")
