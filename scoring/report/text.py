"""Numbers and tables as text."""

import math
from collections.abc import Sequence

from std.terminal import printable


def defined(value: float) -> float | None:
    """A number, or None for what is undefined or infinite: JSON knows neither."""
    return value if math.isfinite(value) else None


def text_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns aligned: the first ones left, numbers right; a rule below the header."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
