"""The hits of a search as a table for a person."""

from collections.abc import Sequence

from searcher.results.hits import Hit
from std.display.numbers import clock
from std.display.tables import PIPED_WIDTH, console, print_fitting

LEAST = {"context": 18, "found as": 12}  # letters that people need to read texts


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
            no_wrap=name in numbers or name == "file",  # what is cut off cannot be looked up
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
    print_fitting(out, table, LEAST)
    if len(hits) > limit:
        out.print(f"... and {len(hits) - limit} more; --limit 0 shows all", highlight=False)


def _value(hit: Hit, column: str) -> str:
    """What a hit has in a column: of its speaker, or of its recording's metadata."""
    return hit.said_by if column == "speaker" else hit.metadata.get(column, "")
