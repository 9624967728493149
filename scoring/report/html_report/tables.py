"""Tables written as HTML: scores, what is not scored."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from scoring.evaluate import Evaluation
from scoring.report.html_report.views import View
from std.matching.occurrences import Occurrences
from std.values import Detections, Float64s

MAX_IGNORED = 200
DASH = "\N{EN DASH}"  # stands for what is undefined
MEASURES = (
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


def scored(evaluation: Evaluation, inputs: Mapping[str, str]) -> str:
    """What was scored, as pairs of a definition list."""
    whole, options, terms = evaluation.groups[0], evaluation.options, evaluation.terms
    point = whole.point
    rows = {
        **{kind: escape(path) for kind, path in inputs.items()},
        "speech": f"{_duration(whole.speech_s)} ({whole.speech_s:,.1f} s)",
        "trials": f"{whole.trials:,} per term, "
        + ("one per speech segment" if options.segments else _rate(options.trials_per_second)),
        "terms": f"{len(terms.terms):,}, of which {int(whole.counted.sum()):,} are scored",
        "occurrences": f"{int(whole.counts.targets[whole.counted].sum()):,} in the reference",
        "language": escape(evaluation.language or terms.language),
        "operating point": f"beta {point.beta:.6g}: false alarm costs {point.cost:g}, miss costs "
        f"{point.value:g}, prior {point.prior:g}",
        "pairing": "by speech segment"
        if options.segments
        else f"middle of a detection within {options.tolerance_s:g} s of the occurrence; "
        f"at most {options.max_gap_s:g} s between the words of a term",
    }
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{text}</dd></div>" for name, text in rows.items() if text
    )


def measures(shown: Sequence[View]) -> str:
    """Tiles of a single system's measures."""
    if len(shown) > 1:
        return ""
    measures = shown[0].group.measures
    tiles = []
    for name, text in MEASURES:
        value = value_of(name, measures[name])
        if name == "MTWV" and math.isfinite(measures["MTWV_threshold"]):
            text = f"{text} Here: threshold {measures['MTWV_threshold']:.4g}."
        tiles.append(
            f"<div><dt>{symbol(name)}</dt><dd><strong>{value}</strong> "
            f"<span>{escape(text)}</span></dd></div>"
        )
    return f'<dl class="tiles">{"".join(tiles)}</dl>'


def explanations(shown: Sequence[View]) -> str:
    """The measures in words, where they have no tiles."""
    if len(shown) == 1:
        return ""
    return "".join(
        f"<div><dt>{symbol(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in MEASURES
    )


def summary(evaluations: Sequence[Evaluation], names: Sequence[str]) -> str:
    """Rows of the summary: every system, every group."""
    several = len(evaluations) > 1
    rows = []
    for name, evaluation in zip(names, evaluations, strict=True):
        for i, group in enumerate(evaluation.groups):
            label = name if i == 0 else f"{name}: {group.name}" if several else group.name
            totals, measures = group.counts.totals(group.counted), group.measures
            counts = (int(group.counted.sum()), totals.targets, totals.corr, totals.fa, totals.miss)
            cells = [f"{count:,}" for count in counts]
            for measure in ("P_miss", "P_fa", "ATWV", "MTWV"):
                cells.append(value_of(measure, measures[measure]))
            cells.append(plain(measures["MTWV_threshold"], ".4g"))
            cells.extend(value_of(measure, measures[measure]) for measure in ("OTWV", "STWV"))
            rows.append(
                f'<tr><th scope="row" dir="auto">{escape(label)}</th>'
                + "".join(f"<td>{cell}</td>" for cell in cells)
                + "</tr>"
            )
    return "".join(rows)


def scrolled(caption: str, head: str, rows: str, *, kind: str = "") -> str:
    """A table that scrolls on its own where it is too wide; ``kind`` is a class of it."""
    table = f'<table class="{kind}">' if kind else "<table>"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">{table}'
        f'<caption dir="auto">{escape(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def ignored(evaluation: Evaluation, name: str) -> str:
    """What a system's evaluation left out, and why."""
    rows = []
    for kind, number in evaluation.ignored.items():
        what, why = IGNORED.get(kind, (kind.replace("_", " "), ""))
        rows.append(
            f'<tr><th scope="row">{escape(what)}</th><td>{number:,}</td>'
            f'<td class="text">{escape(why)}</td></tr>'
        )
    table = scrolled(
        name,
        '<th scope="col">what</th><th scope="col">how many</th>'
        '<th scope="col" class="text">why</th>',
        "".join(rows),
    )
    hits, occurrences = evaluation.hits_outside, evaluation.occurrences_outside
    return (
        table
        + _outside(evaluation, name, "detections", hits, hits.start_s + hits.duration_s, hits.score)
        + _outside(evaluation, name, "occurrences", occurrences, occurrences.end_s, None)
    )


def _outside(
    evaluation: Evaluation,
    name: str,
    what: str,
    rows: Detections | Occurrences,
    end_s: Float64s,
    score: Float64s | None,
) -> str:
    """The first of what lies outside the excerpts."""
    if not len(rows):
        return ""
    terms = evaluation.terms.terms
    lines = []
    for i in range(min(len(rows), MAX_IGNORED)):
        where = rows.recordings[rows.recording[i]]
        lines.append(
            f'<tr><th scope="row" dir="auto">{escape(terms[rows.term[i]].text)}</th>'
            f'<td class="text" dir="auto">{escape(where.file)}</td><td>{where.channel}</td>'
            f"<td>{rows.start_s[i]:.2f}</td><td>{end_s[i]:.2f}</td>"
            f"<td>{DASH if score is None else plain(float(score[i]), '.4g')}</td></tr>"
        )
    count = f"all {len(rows):,}"
    if len(rows) > MAX_IGNORED:
        count = f"first {MAX_IGNORED:,} of {len(rows):,}; all in ignored.csv"
    table = scrolled(
        f"{what} of {name} outside the excerpts",
        '<th scope="col">term</th><th scope="col" class="text">recording</th>'
        '<th scope="col">channel</th><th scope="col">start, s</th><th scope="col">end, s</th>'
        '<th scope="col">score</th>',
        "".join(lines),
    )
    return f"<details><summary>Show the {what} ({count})</summary>{table}</details>"


def value_of(name: str, value: float) -> str:
    """A measure as text."""
    return plain(value, {"P_fa": ".6f"}.get(name, ".4f"))


def plain(value: float, form: str) -> str:
    """A number as text; a dash where it is undefined."""
    return format(value, form).replace("-", "\N{MINUS SIGN}") if math.isfinite(value) else DASH


def symbol(name: str) -> str:
    """A measure's name, what follows its underscore below the line."""
    stem, _, index = name.partition("_")
    return f"{stem}<sub>{index}</sub>" if index else stem


def _rate(trials_per_second: float) -> str:
    return "one per second" if trials_per_second == 1 else f"{trials_per_second:g} per second"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{seconds / 60:.1f} min"
