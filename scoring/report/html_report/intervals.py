"""Intervals of the measures, and differences between systems, as tables by group."""

from collections.abc import Sequence

from scoring.report.html_report.tables import DASH, symbol, value_of
from scoring.report.intervals import shown_p
from scoring.statistics.jackknife import UNITS, Interval
from scoring.statistics.significance import Statistics
from scoring.statistics.weighed import MEASURES
from std.display.html import HtmlColumn, HtmlTable


def interval_tables(statistics: Statistics, names: Sequence[str]) -> list[HtmlTable]:
    """The intervals of each system, then the differences if there are several.

    Args:
        statistics: of the systems.
        names: one for each system.
    """
    differences = _differences(statistics, names)
    return [_intervals(statistics, names), *([differences] if differences.rows else [])]


def _intervals(statistics: Statistics, names: Sequence[str]) -> HtmlTable:
    rows = [
        [
            names[i],
            group.name,
            symbol(measure),
            *(_shown(measure, group.systems[i][unit].get(measure)) for unit in UNITS),
        ]
        for i in range(len(names))
        for group in statistics.groups
        for measure in MEASURES
        if any(measure in group.systems[i][unit] for unit in UNITS)
    ]
    columns = [*_columns("system"), *(HtmlColumn(f"over {unit}") for unit in UNITS)]
    return HtmlTable("Intervals of the measures", columns, rows)


def _differences(statistics: Statistics, names: Sequence[str]) -> HtmlTable:
    rows = []
    for group in statistics.groups:
        for pair in group.comparisons:
            label = f"{names[pair.first]} \N{MINUS SIGN} {names[pair.second]}"
            for measure, difference in pair.differences.items():
                cells = [label, group.name, symbol(measure), value_of(measure, difference.value)]
                for unit in UNITS:
                    p_value = difference.p_values.get(unit)
                    cells.append(_shown(measure, difference.intervals.get(unit)))
                    cells.append(DASH if p_value is None else shown_p(p_value))
                cells.append(f"{pair.p_value:.4f}" if measure == "ATWV" else "")
                rows.append(cells)
    numbers = ("difference", *(text for unit in UNITS for text in (f"over {unit}", "p-value")))
    columns = [*_columns("systems"), *map(HtmlColumn, (*numbers, "p-value, swaps"))]
    return HtmlTable("Differences", columns, rows)


def _columns(first: str) -> list[HtmlColumn]:
    return [
        HtmlColumn(first),
        HtmlColumn("group", is_text=True),
        HtmlColumn("measure", is_text=True),
    ]


def _shown(measure: str, interval: Interval | None) -> str:
    if interval is None:
        return DASH
    return f"{value_of(measure, interval.low)} to {value_of(measure, interval.high)}"
