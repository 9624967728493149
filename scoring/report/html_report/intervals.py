"""Intervals of the measures, and differences between systems, as HTML tables by group."""

from collections.abc import Sequence
from html import escape

from scoring.report.html_report.tables import DASH, scrolled, symbol, value_of
from scoring.report.intervals import shown_p
from scoring.statistics.jackknife import UNITS, Interval
from scoring.statistics.significance import Statistics
from scoring.statistics.weighed import MEASURES


def section(statistics: Statistics, names: Sequence[str]) -> str:
    """The part of the report.

    Args:
        statistics: of the systems.
        names: one for each system.
    """
    percent = f"{100 * statistics.confidence:g} %"
    return (
        '<section id="resampling" aria-labelledby="resampling-title">'
        '<h2 id="resampling-title">Intervals</h2>'
        f"<p>{percent} intervals: over terms, for other term lists, and over recordings, for as "
        "much other speech. Each term, or recording, in turn counts for less (a jackknife); at "
        f"most {statistics.replicates:,} parts (seed {statistics.seed}). The p-values beside them "
        "are those of Student's t. The last one is the share of random swaps of the two systems, "
        "term by term, with a difference as large.</p>"
        f"{_intervals(statistics, names)}{_differences(statistics, names)}</section>"
    )


def _intervals(statistics: Statistics, names: Sequence[str]) -> str:
    rows = [
        _head(names[i]) + _text(escape(group.name)) + _text(symbol(measure))
        + "".join(_cell(_shown(measure, units[unit].get(measure))) for unit in UNITS)
        for i in range(len(names))
        for group in statistics.groups
        for units in [group.systems[i]]
        for measure in MEASURES
        if any(measure in units[unit] for unit in UNITS)
    ]  # fmt: skip
    over = [f"over {unit}" for unit in UNITS]
    return _table("Intervals of the measures", ["system", "group", "measure"], over, rows)


def _differences(statistics: Statistics, names: Sequence[str]) -> str:
    rows = []
    for group in statistics.groups:
        for pair in group.comparisons:
            label = f"{names[pair.first]} \N{MINUS SIGN} {names[pair.second]}"
            for measure, difference in pair.differences.items():
                cells = [value_of(measure, difference.value)]
                for unit in UNITS:
                    p_value = difference.p_values.get(unit)
                    cells.append(_shown(measure, difference.intervals.get(unit)))
                    cells.append(DASH if p_value is None else escape(shown_p(p_value)))
                cells.append(f"{pair.p_value:.4f}" if measure == "ATWV" else "")
                start = _head(label) + _text(escape(group.name)) + _text(symbol(measure))
                rows.append(start + "".join(map(_cell, cells)))
    if not rows:
        return ""
    over = [text for unit in UNITS for text in (f"over {unit}", "p-value")]
    columns = ["difference", *over, "p-value, swaps"]
    return _table("Differences", ["systems", "group", "measure"], columns, rows)


def _table(caption: str, texts: Sequence[str], numbers: Sequence[str], rows: list[str]) -> str:
    head = f'<th scope="col">{texts[0]}</th>'
    head += "".join(f'<th scope="col" class="text">{text}</th>' for text in texts[1:])
    head += "".join(f'<th scope="col">{text}</th>' for text in numbers)
    return scrolled(caption, head, "".join(f"<tr>{row}</tr>" for row in rows))


def _head(text: str) -> str:
    return f'<th scope="row" dir="auto">{escape(text)}</th>'


def _text(html: str) -> str:
    return f'<td class="text" dir="auto">{html}</td>'


def _cell(text: str) -> str:
    return f"<td>{text}</td>"


def _shown(measure: str, interval: Interval | None) -> str:
    if interval is None:
        return DASH
    return f"{value_of(measure, interval.low)} to {value_of(measure, interval.high)}"
