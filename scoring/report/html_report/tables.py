"""The report's tables and lists: scores, intervals, the scored input, the parts not scored."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from scoring.evaluate import Evaluation
from scoring.measures import WEIGHED
from scoring.report.html_report.views import View
from scoring.report.intervals import shown_p
from scoring.statistics.jackknife import UNITS, Interval
from scoring.statistics.significance import Statistics
from std.display.rows import HtmlColumn, HtmlTable
from std.matching.occurrences import Occurrences
from std.values import Detections, Float64s

MAX_IGNORED = 200
DASH = "\N{EN DASH}"  # stands for an undefined number
EXPLAINED = (
    ("ATWV", "Actual term-weighted value: the value of the system's own decisions. "
     "1 is perfect, 0 is a system that returns nothing; it can be negative."),
    ("MTWV", "Maximum: the value at the best single threshold for all terms. Decisions that "
     "differ by term can be worth more."),
    ("OTWV", "Optimum: the value if every term had its own best threshold."),
    ("STWV", "Supremum: the value if every detection were accepted and none were false. "
     "It is below 1 by the occurrences that no detection matches."),
    ("P_miss", "Share of a term's occurrences that were not accepted, mean over terms."),
    ("P_fa", "Share of a term's non-target trials that were accepted, mean over terms."),
)  # fmt: skip
IGNORED = {
    "hits_outside_ecf": (
        "detections outside the excerpts",
        "They lie outside the excerpts of the experiment control file, or across two of them: "
        "that speech is not scored.",
    ),
    "references_outside_ecf": (
        "occurrences outside the excerpts",
        "Speech outside the excerpts is not scored.",
    ),
    "hits_of_terms_not_in_the_term_list": (
        "detections of terms outside the term list",
        "The term list does not name these terms.",
    ),
    "hits_of_terms_without_references": (
        "detections of terms without occurrences",
        "P(miss) is undefined for terms without an occurrence in the scored speech, so they and "
        "their false alarms stay out of the means.",
    ),
    "references_of_unsearched_terms": (
        "occurrences of terms not searched for",
        "The hit list does not mention these terms, and they were to be left out.",
    ),
    "hits_not_best_in_their_segment": (
        "detections that are not the best of their segment",
        "A speech segment has one answer for each term, the best.",
    ),
    "references_not_counted_by_segment": (
        "occurrences that are no trial of their own",
        "A speech segment is one trial, however often a term is said in it; what lies wholly in "
        "none counts nowhere.",
    ),
}


def scored(evaluation: Evaluation, inputs: Mapping[str, str]) -> dict[str, str]:
    """The scored input as names and texts; empty texts are left out."""
    whole, options, terms = evaluation.groups[0], evaluation.options, evaluation.terms
    point = whole.point
    rows = {
        **inputs,
        "speech": f"{_duration(whole.speech_s)} ({whole.speech_s:,.1f} s)",
        "trials": f"{whole.trials:,} per term, "
        + ("one per speech segment" if options.segments else _rate(options.trials_per_second)),
        "terms": f"{len(terms.terms):,}, of which {int(whole.counted.sum()):,} are scored",
        "occurrences": f"{int(whole.counts.targets[whole.counted].sum()):,} in the reference",
        "language": evaluation.language or terms.language,
        "operating point": f"beta {point.beta:.6g}: false alarm costs {point.cost:g}, miss costs "
        f"{point.value:g}, prior {point.prior:g}",
        "pairing": "by speech segment"
        if options.segments
        else f"middle of a detection within {options.tolerance_s:g} s of the occurrence; "
        f"at most {options.max_gap_s:g} s between the words of a term",
    }
    return {name: text for name, text in rows.items() if text}


class Tile(NamedTuple):
    """A measure, its value, and the measure in words."""

    symbol: Markup
    value: str
    text: str


def explained() -> list[tuple[Markup, str]]:
    """The measures in words."""
    return [(symbol(name), text) for name, text in EXPLAINED]


def tiles(view: View) -> list[Tile]:
    """A system's measures."""
    measures = view.group.measures
    found = []
    for name, text in EXPLAINED:
        if name == "MTWV" and math.isfinite(measures["MTWV_threshold"]):
            text = f"{text} Here: threshold {measures['MTWV_threshold']:.4g}."
        found.append(Tile(symbol(name), value_of(name, measures[name]), text))
    return found


def summary(evaluations: Sequence[Evaluation], names: Sequence[str]) -> HtmlTable:
    """A row for every group of every system."""
    several = len(evaluations) > 1
    rows = []
    for name, evaluation in zip(names, evaluations, strict=True):
        for i, group in enumerate(evaluation.groups):
            label = name if i == 0 else f"{name}: {group.name}" if several else group.name
            totals, measures = group.counts.totals(group.counted), group.measures
            counts = (int(group.counted.sum()), totals.targets, totals.corr, totals.fa, totals.miss)
            rows.append(
                [
                    label,
                    *(f"{count:,}" for count in counts),
                    *(value_of(one, measures[one]) for one in ("P_miss", "P_fa", "ATWV", "MTWV")),
                    plain(measures["MTWV_threshold"], ".4g"),
                    *(value_of(one, measures[one]) for one in ("OTWV", "STWV")),
                ]
            )
    header = (
        *("system or group", "terms scored", "targets", "correct", "false alarms", "missed"),
        *(symbol("P_miss"), symbol("P_fa"), "ATWV", "MTWV", "at threshold", "OTWV", "STWV"),
    )
    return HtmlTable(
        "Measures and counts at the system's own decisions", [*map(HtmlColumn, header)], rows
    )


class NotScored(NamedTuple):
    """The hits and occurrences that a system's evaluation left out."""

    counts: HtmlTable
    listed: Mapping[str, HtmlTable]  # the first of each kind, by its name and number


def ignored(evaluation: Evaluation, name: str) -> NotScored:
    """The hits and occurrences that a system's evaluation left out, and why."""
    rows = []
    for kind, number in evaluation.ignored.items():
        what, why = IGNORED.get(kind, (kind.replace("_", " "), ""))
        rows.append([what, f"{number:,}", why])
    columns = [HtmlColumn("what"), HtmlColumn("how many"), HtmlColumn("why", is_text=True)]
    hits, occurrences = evaluation.hits_outside, evaluation.occurrences_outside
    listed = (
        *_outside(evaluation, name, "detections", hits, hits.start_s + hits.duration_s),
        *_outside(evaluation, name, "occurrences", occurrences, occurrences.end_s),
    )
    return NotScored(HtmlTable(name, columns, rows), dict(listed))


def _outside(
    evaluation: Evaluation, name: str, what: str, rows: Detections | Occurrences, end_s: Float64s
) -> Iterator[tuple[str, HtmlTable]]:
    """The first hits and occurrences outside the excerpts, if there are any."""
    if not len(rows):
        return
    terms = evaluation.terms.terms
    score = rows.score if isinstance(rows, Detections) else None
    lines = []
    for i in range(min(len(rows), MAX_IGNORED)):
        where = rows.recordings[rows.recording[i]]
        shown = DASH if score is None else plain(float(score[i]), ".4g")
        times = f"{rows.start_s[i]:.2f}", f"{end_s[i]:.2f}"
        lines.append([terms[rows.term[i]].text, where.file, where.channel, *times, shown])
    count = f"all {len(rows):,}"
    if len(rows) > MAX_IGNORED:
        count = f"first {MAX_IGNORED:,} of {len(rows):,}; all in ignored.csv"
    numbers = map(HtmlColumn, ("channel", "start, s", "end, s", "score"))
    columns = [HtmlColumn("term"), HtmlColumn("recording", is_text=True), *numbers]
    table = HtmlTable(f"{what} of {name} outside the excerpts", columns, lines)
    yield f"{what} ({count})", table


def value_of(name: str, value: float) -> str:
    """A measure as text."""
    return plain(value, {"P_fa": ".6f"}.get(name, ".4f"))


def plain(value: float, form: str) -> str:
    """A number as text; a dash where it is undefined."""
    return format(value, form).replace("-", "\N{MINUS SIGN}") if math.isfinite(value) else DASH


def symbol(name: str) -> Markup:
    """A measure's name, with the text after its underscore as a subscript."""
    stem, _, index = name.partition("_")
    return Markup("{}<sub>{}</sub>").format(stem, index) if index else Markup(stem)


def _rate(trials_per_second: float) -> str:
    return "one per second" if trials_per_second == 1 else f"{trials_per_second:g} per second"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{seconds / 60:.1f} min"


def interval_tables(statistics: Statistics, names: Sequence[str]) -> list[HtmlTable]:
    """The intervals of each system, then the differences if there are several."""
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
        for measure in WEIGHED
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
