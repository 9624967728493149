"""Evaluations as a summary: a table for people, a document for programs.

In JSON an undefined value is null; in the table it is a dash.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any
from unicodedata import normalize

import numpy as np

from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.measures import MEASURES
from scoring.report.intervals import (
    defined,
    group_reliability,
    reliability_document,
    statistics_document,
    statistics_lines,
    text_table,
)
from scoring.resources import Resources
from scoring.statistics.significance import Statistics
from std.matching.occurrences import find
from std.numbers import counted
from std.terminal import printable

MISLEADING = 1.0  # a Cnxe above which scores are worse than none
NAMED = 3  # of many terms or recordings
SUMMARY_HEADER = (
    *("group", "terms", "scored", "targets", "corr", "fa", "miss"),
    *(measure.heading or name for name, measure in MEASURES.items()),
)


def summary_document(
    evaluations: Mapping[str, Evaluation],
    statistics: Statistics | None = None,
    resources: Resources | None = None,
) -> dict[str, Any]:
    """The document of ``std-score --json``: plain values, ready for `json.dumps`.

    One system is the document itself; several are a list under "systems".

    Args:
        evaluations: by system name.
        statistics: intervals and comparisons, if they were computed.
        resources: speed and processing load, if they are known.
    """
    systems = [_system_json(evaluation) for evaluation in evaluations.values()]
    result: dict[str, Any] = systems[0] if len(systems) == 1 else {"systems": systems}
    if len(systems) > 1:
        for label, system in zip(evaluations, systems, strict=True):
            system["name"] = label
    result["warnings"] = summary_warnings(evaluations)
    if statistics:
        result["statistics"] = statistics_document(list(evaluations), statistics)
    if resources:
        result["resources"] = resources_document(resources)
    return result


def _system_json(evaluation: Evaluation) -> dict[str, Any]:
    whole = evaluation.groups[0]
    return {
        "system_id": evaluation.system_id,
        "speech_seconds": whole.speech_s,
        "trials": whole.trials,
        "beta": whole.point.beta,
        "scores": evaluation.scores,
        "default_score": evaluation.default_score,
        "ignored": dict(evaluation.ignored),
        "numbers": evaluation.numbers,
        "groups": [_group_json(evaluation, group) for group in evaluation.groups],
        "terms": _terms_json(whole),
    }


def _group_json(evaluation: Evaluation, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "speech_seconds": group.speech_s,
        "trials": group.trials,
        "counts": {
            "terms": int(group.chosen.sum()),
            "scored_terms": int(group.counted.sum()),
            **group.counts.totals(group.counted)._asdict(),
        },
        "measures": {name: defined(value) for name, value in group.measures.items()},
        "calibration": reliability_document(group_reliability(evaluation, group)),
    }


def _terms_json(group: Group) -> list[dict[str, Any]]:
    counts = group.counts
    columns = (counts.targets, counts.corr, counts.fa, counts.miss, counts.corr_nondet)
    return [
        {
            "term_id": unit.term_id,
            "term": unit.text,
            "targets": targets,
            "corr": corr,
            "fa": fa,
            "miss": miss,
            "corr_nondet": rejected,
            "twv": defined(value),
        }
        for unit, targets, corr, fa, miss, rejected, value in zip(
            group.units, *(column.tolist() for column in columns), group.twv.tolist(), strict=True
        )
    ]


def resources_document(resources: Resources) -> dict[str, Any]:
    """Speed factors, memory and processing load, and the runs they come from.

    Args:
        resources: the resources of a system; memory in GB, ISF and SSF in seconds per second of
            speech.
    """
    return {**resources._asdict(), "processing_load": resources.processing_load()}


def resources_lines(resources: Resources) -> list[str]:
    """The same for people."""
    figures = {
        "ISF": resources.isf,
        "SSF": resources.ssf_per_second,
        "peak memory of indexing, GB": resources.indexing_peak_memory_gb,
        "of the search": resources.searching_peak_memory_gb,
        "processing load": resources.processing_load(),
    }
    told = [f"{name} {'-' if value is None else f'{value:.4g}'}" for name, value in figures.items()]
    return [", ".join(told), *resources.included]


def summary_warnings(evaluations: Mapping[str, Evaluation]) -> list[str]:
    """A line for each group with measures that have no value or are suspicious.

    Args:
        evaluations: by system name.
    """
    lines: list[str] = []
    for label, evaluation in evaluations.items():
        place = f"{label}: " if len(evaluations) > 1 else ""
        lines += [f"{place}{line}" for line in _told_of(evaluation)]
        for group in evaluation.groups:
            for what, fits in (("undefined", math.isnan), ("infinite", math.isinf)):
                names = [name for name, value in group.measures.items() if fits(value)]
                if names:
                    lines.append(f"{place}{group.name}: {what}: {', '.join(names)}")
            if group.cnxe.undefined:
                lines.append(f"{place}{group.name}: Cnxe has no value: {group.cnxe.undefined}")
            full = np.flatnonzero(group.counted & np.isnan(group.p_fa))
            if len(full):
                few = _few([group.units[i].term_id for i in full])
                lines.append(
                    f"{place}{group.name}: no P_fa, as every trial is a target: "
                    f"{counted(len(full), 'term')} ({few})"
                )
            mostly_unlisted = group.cnxe.unlisted > group.cnxe.actual / 2
            if group.cnxe.actual > MISLEADING and mostly_unlisted:
                worth = (
                    "lowest score of the list: it says where the list was cut"
                    if evaluation.default_score is None
                    else f"default_score {evaluation.default_score:g}"
                )
                lines.append(
                    f"{place}{group.name}: Cnxe is mostly that of places without a hit "
                    f"({group.cnxe.unlisted:.3g} of {group.cnxe.actual:.3g}), which have the "
                    f"{worth}"
                )
            if group.cnxe.gamma < 0:
                lines.append(f"{place}{group.name}: scores are upside down (best gamma below 0)")
    return lines


def _told_of(evaluation: Evaluation) -> Iterator[str]:
    """A line for each suspicious property of the hits, the terms and the reference."""
    if strange := evaluation.terms_not_listed:
        hits = counted(sum(strange.values()), "hit")
        terms = counted(len(strange), "term")
        yield f"left out: {terms} not in the term list, with {hits} ({_few(strange)})"
    if len(evaluation.hits_outside) and not len(evaluation.groups[0].hits):
        yield (
            f"no hit counts: {counted(len(evaluation.hits_outside), 'hit')}, all outside the "
            "excerpts of the ECF; times are in seconds"
        )
    if again := _words_again(evaluation):
        yield (
            f"repeated in the reference: {counted(again, 'word')}, with recording, speaker "
            "and times; each occurrence counts"
        )
    if silent := _recordings_without_words(evaluation):
        hits = counted(sum(silent.values()), "hit")
        yield (
            f"no word in the reference of {counted(len(silent), 'recording')} of the "
            f"ECF, where {hits} can only be wrong ({_few(silent)})"
        )
    if spelt := _spelt_otherwise(evaluation):
        yield (
            f"{counted(len(spelt), 'term')} with occurrences that do not count, as "
            f"letters are composed in one file only ({_few(spelt)}): bring both to NFC"
        )


def _few(names: Collection[str]) -> str:
    """The first of some names."""
    return ", ".join([*names][:NAMED]) + (", ..." if len(names) > NAMED else "")


def _spelt_otherwise(evaluation: Evaluation) -> list[str]:
    """The ids of terms that occur more often if all letters are composed, unlike in NIST's scorer.

    macOS and some editors decompose letters.
    """
    terms, lexemes = evaluation.terms, evaluation.lexemes
    if lexemes is None:
        return []
    texts = {*lexemes.words, *(term.text for term in terms.terms)}
    composed = {text: normalize("NFC", text) for text in texts}
    if all(text == same for text, same in composed.items()):
        return []
    as_composed = (
        replace(terms, terms=tuple(replace(one, text=composed[one.text]) for one in terms.terms)),
        replace(lexemes, words=tuple(composed[word] for word in lexemes.words)),
    )
    often = [
        np.bincount(
            find(*both, max_gap_s=evaluation.options.max_gap_s).term, minlength=len(terms.terms)
        )
        for both in ((terms, lexemes), as_composed)
    ]
    return [terms.terms[row].term_id for row in np.flatnonzero(often[1] > often[0]).tolist()]


def _words_again(evaluation: Evaluation) -> int:
    """The number of words of the reference that repeat a word of the same place and speaker."""
    lexemes = evaluation.lexemes
    if lexemes is None or not lexemes.words:
        return 0
    columns = (lexemes.recording, lexemes.speaker, lexemes.start_s, lexemes.duration_s)
    order = np.lexsort(columns)
    as_before = np.all([np.diff(one[order]) == 0 for one in columns], axis=0)
    shared = order[np.append(as_before, False) | np.append(False, as_before)]  # few, usually
    rows = [
        (*(one[row] for one in columns), lexemes.words[row])
        for row in shared[lexemes.duration_s[shared] > 0].tolist()
    ]
    return len(rows) - len({*rows})


def _recordings_without_words(evaluation: Evaluation) -> dict[str, int]:
    """The number of scored hits in recordings without a word in the reference."""
    lexemes, group = evaluation.lexemes, evaluation.groups[0]
    if lexemes is None:
        return {}
    known = {lexemes.recordings[i] for i in np.unique(lexemes.recording).tolist()}
    units = np.zeros_like(group.hits.term) if evaluation.options.pooled else group.hits.term
    number = np.bincount(
        group.hits.recording[group.counted[units]], minlength=len(group.hits.recordings)
    )
    found = zip(group.hits.recordings, number.tolist(), strict=True)
    return {f"{one.file}/{one.channel}": n for one, n in found if n and one not in known}


def summary_rows(evaluation: Evaluation) -> list[list[str]]:
    """A row per group, in the columns of `SUMMARY_HEADER`."""
    rows = []
    for group in evaluation.groups:
        totals = group.counts.totals(group.counted)
        counts = (int(group.chosen.sum()), int(group.counted.sum()), *totals[:4])
        rows.append(
            [group.name, *map(str, counts)]
            + [_number(group.measures[name], measure.form) for name, measure in MEASURES.items()]
        )
    return rows


def summary_text(
    evaluations: Mapping[str, Evaluation],
    statistics: Statistics | None = None,
    resources: Resources | None = None,
) -> str:
    """The summary as text, for a person.

    Args:
        evaluations: by system name.
        statistics: intervals and comparisons, if they were computed.
        resources: speed and processing load, if they are known.
    """
    evaluations = {printable(label): evaluation for label, evaluation in evaluations.items()}
    several = len(evaluations) > 1
    first = next(iter(evaluations.values()))
    whole = first.groups[0]
    name = "" if several else f"system {printable(first.system_id) or '(unnamed)'}: "
    rows = [[*(["system"] if several else []), *SUMMARY_HEADER]]
    for label, evaluation in evaluations.items():
        rows.extend([*([label] if several else []), *row] for row in summary_rows(evaluation))
    lines = [
        f"{name}{whole.speech_s:.1f} s of speech, {whole.trials} trials per term, "
        f"beta {whole.point.beta:.6g}, {_all_taken_as(evaluations)}",
        "",
        text_table(rows, left=2 if several else 1),
        "",
    ]
    for label, evaluation in evaluations.items():
        lines.extend(
            f"{label + ': ' if several else ''}ignored: {number} {what.replace('_', ' ')}"
            for what, number in evaluation.ignored.items()
            if number
        )
    if statistics:
        lines.extend(statistics_lines(list(evaluations), statistics))
    if resources:
        lines.extend(["", *resources_lines(resources)])
    return "\n".join(lines).rstrip("\n") + "\n"


def _all_taken_as(evaluations: Mapping[str, Evaluation]) -> str:
    """The numbers that all systems used, or that each used."""
    kinds = {label: _taken_as(evaluation) for label, evaluation in evaluations.items()}
    if len({*kinds.values()}) == 1:
        return next(iter(kinds.values()))
    return "; ".join(f"{label}: {kind}" for label, kind in kinds.items())


def _taken_as(evaluation: Evaluation) -> str:
    """The number of a hit that each kind of measure used."""
    if evaluation.numbers["calibration"] == "probability":
        return f"thresholds of the {evaluation.numbers['thresholds']}, Cnxe of the probability"
    kind = "probabilities" if evaluation.scores == "probability" else "log-likelihood ratios"
    return f"scores taken as {kind}"


def _number(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"
