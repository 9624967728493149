"""The hits of a search as a table for a person."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

PIPED_WIDTH = 140  # characters where stdout is no terminal


def print_table(hits: Iterable[Mapping[str, Any]], *, limit: int, languages: bool = False) -> None:
    """Print the best hits of all terms, one per line, with the words around them.

    With ``languages`` each says which language its recording is in.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    ranked = sorted(hits, key=lambda hit: (hit["decision"] != "YES", -hit["score"]))
    table = Table(box=None, header_style="bold", pad_edge=False)
    language = ["language"] if languages else []
    for name in ("term", "file", *language, "time", "score", "", "context", "found as"):
        numeric = name in ("time", "score")
        table.add_column(
            name,
            justify="right" if numeric else "left",
            no_wrap=numeric or name == "file",  # a place that is cut off cannot be looked up
            overflow="fold",
        )
    for hit in ranked[:limit]:
        before, inside, after = map(escape, hit["context"])
        channel = f" ({hit['channel']})" if hit["channel"] != 1 else ""
        table.add_row(
            escape(hit["term"]),
            escape(hit["file"]) + channel,
            *([escape(hit["language"] or "?")] if languages else []),
            clock(hit["start_s"]),
            f"{hit['score']:.3f}",
            hit["decision"],
            f"{before} [bold]{inside}[/bold] {after}".strip(),
            escape(hit["how"] or _as_written(hit)),
        )
    console.print(table)
    if len(ranked) > limit:
        console.print(f"... and {len(ranked) - limit} more; --limit 0 shows all", highlight=False)


def _as_written(hit: Mapping[str, Any]) -> str:
    """How a term was found as itself: in the likeliest words, or as an alternative to them."""
    inside = hit["context"][1]
    if not inside or hit["searched"] == inside:
        return str(hit["method"])
    return f"{hit['method']}, an alternative to '{inside}'"


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss.s, without leading zero hours.

    >>> clock(75.04), clock(3675.0)
    ('1:15.0', '1:01:15.0')
    """
    tenths = round(10 * seconds)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    tail = f"{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"
