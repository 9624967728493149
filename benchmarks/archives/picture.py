"""The picture of a table: sum over right against times said, one curve for each archive size.

    python -m benchmarks.archives.picture TABLE.json [...] docs/images/archives.svg

draws tables that ``python -m benchmarks.archives --json`` printed.

A panel for each recogniser. Colours are Okabe and Ito's, which colour-blind readers can tell apart;
markers and line styles differ as well, so that it can be printed. Known words have full
markers, names empty ones. The band is .85 to 1.15.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.archives.measures import Row
from benchmarks.evidence import save
from scoring.report.plot import COLOURS, STYLES

MARKERS = "osD^v"
BAND = (0.85, 1.15)
LIMITS = (0.1, 10.0)  # of sum over right


def draw(rows: Sequence[tuple[float, str, Row]], path: Path) -> None:
    """Draw what is said; classes that nobody says have no sum over right."""
    from matplotlib.figure import Figure

    recognisers = list(dict.fromkeys(name for _, name, _ in rows))
    sizes = list(dict.fromkeys(hours for hours, _, _ in rows))
    figure = Figure(figsize=(4 * len(recognisers), 4.2), layout="constrained")
    panels = figure.subplots(1, len(recognisers), sharey=True, squeeze=False)[0]
    for panel, name in zip(panels, recognisers, strict=True):
        panel.axhspan(*BAND, color="0.9")
        panel.axhline(1, color="0.5", linewidth=0.8)
        for i, hours in enumerate(sizes):
            for kind, full in (("known", True), ("name", False)):
                points = [
                    (int(row.name.rsplit(" ", 1)[1].replace(",", "")), row.over_right)
                    for size, recogniser, row in rows
                    if (size, recogniser) == (hours, name)
                    and row.name.startswith(kind)
                    and row.over_right is not None
                ]
                if points:
                    panel.plot(
                        *zip(*sorted(points), strict=True),
                        STYLES[i % len(STYLES)],
                        color=COLOURS[i % len(COLOURS)],
                        marker=MARKERS[i % len(MARKERS)],
                        markerfacecolor=None if full else "white",
                        label=f"{kind}, {hours:g} h",
                    )
        panel.set(xscale="log", yscale="log", ylim=LIMITS, title=name, xlabel="times said")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("sum of probabilities / right hits")
    panels[0].set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
    panels[0].legend(fontsize="small")
    save(figure, path)


def main() -> None:
    """Draw the tables of some files."""
    *tables, path = map(Path, sys.argv[1:])
    rows = []
    for table in tables:
        for line in json.loads(table.read_text(encoding="utf-8")):
            row = Row(**{name: line[name] for name in Row._fields})
            rows.append((line["hours"], line["recogniser"], row))
    draw(sorted(rows, key=lambda row: row[0]), path)


if __name__ == "__main__":
    main()
