"""What a term becomes, as tables for a person."""

from collections.abc import Mapping, Sequence
from typing import Any

from std.command import console

PIPED_WIDTH = 120  # characters where stdout is no terminal


def print_queries(queries: Sequence[Mapping[str, Any]], limit: int = 10) -> None:
    """Print each term: what is looked up for it, and what is spelt like its unknown words."""
    from rich.table import Table

    from std.terminal import cell

    out = console(PIPED_WIDTH, highlight=False)
    for one in queries:
        unknown = [word["word"] for word in one["words"] if not word["in_vocabulary"]]
        state = f"not in the vocabulary: {', '.join(unknown)}" if unknown else "all words known"
        out.print(f"[bold]{cell(one['term'])}[/bold]  ({cell(state)})")
        if one["variants"]:
            table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
            for name in ("looked up as", "similarity", "method", "how"):
                table.add_column(name, justify="right" if name == "similarity" else "left")
            for variant in one["variants"][:limit]:
                table.add_row(
                    cell(" ".join(variant["words"])),
                    f"{variant['similarity']:.3f}",
                    variant["channel"],
                    cell(variant["how"]),
                )
            out.print(table)
            if len(one["variants"]) > limit:
                out.print(f"... and {len(one['variants']) - limit} more; --json shows all")
        else:
            out.print("no split")
        for word in one["words"]:
            for name in ("levenshtein", "dice", "pronunciation"):
                if similar := word.get(name):
                    shown = ", ".join(f"{like} {value:.2f}" for like, value in similar[:limit])
                    out.print(cell(f"{name} of {word['word']}: {shown}"))
            for start, end, like, distance in word.get("matches", []):
                segment = word["word"][start:end]
                out.print(cell(f"match {start}:{end} {segment} {like} {distance}"))
        out.print()
