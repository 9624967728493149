"""An `Evaluation` as tables: text for people, CSV and JSON for programs.

CSV files are quoted where needed, numbers have twelve significant digits and an undefined value
is an empty field. In JSON an undefined value is null.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import numpy as np

from scoring.align import Alignment
from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.occurrences import Occurrences
from scoring.twv import twv_of_terms
from std.values import Detections

MAIN_MEASURES = ("ATWV", "MTWV", "OTWV", "STWV", "P_miss", "P_fa")
ALIGNMENT_HEADER = (
    *("language", "file", "channel", "termid", "term", "ref_bt", "ref_et"),
    *("sys_bt", "sys_et", "sys_score", "sys_decision", "alignment"),
)
TERMS_HEADER = (
    *("group", "termid", "term", "targets", "corr", "fa", "miss", "corr_nondet", "omitted"),
    *("p_miss", "p_fa", "twv", "optimum_twv", "optimum_threshold", "supremum_twv"),
)
DET_HEADER = (
    *("group", "threshold", "p_miss", "p_fa", "twv", "sd_p_miss", "sd_p_fa", "sd_twv", "terms"),
)
SUMMARY_HEADER = (
    *("group", "terms", "scored", "targets", "corr", "fa", "miss"),
    *("P_miss", "P_fa", "ATWV", "MTWV", "thresh", "OTWV", "STWV"),
)


def summary_json(evaluation: Evaluation) -> dict[str, Any]:
    """The document that ``std-score --json`` prints: plain values, ready for `json.dumps`."""
    whole = evaluation.groups[0]
    return {
        "system_id": evaluation.system_id,
        "speech_seconds": whole.speech_s,
        "trials": whole.trials,
        "beta": whole.point.beta,
        "ignored": dict(evaluation.ignored),
        "groups": [_group_json(group) for group in evaluation.groups],
        "terms": [
            {
                "termid": term.term_id,
                "term": term.text,
                "targets": targets,
                "corr": corr,
                "fa": fa,
                "miss": miss,
                "corr_nondet": rejected,
                "twv": defined(value),
            }
            for term, targets, corr, fa, miss, rejected, value in zip(
                whole.units,
                whole.counts.targets.tolist(),
                whole.counts.corr.tolist(),
                whole.counts.fa.tolist(),
                whole.counts.miss.tolist(),
                whole.counts.corr_nondet.tolist(),
                whole.twv.tolist(),
                strict=True,
            )
        ],
    }


def _group_json(group: Group) -> dict[str, Any]:
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
    }


def defined(value: float) -> float | None:
    """A number, or None for what is undefined or infinite: JSON knows neither."""
    return value if math.isfinite(value) else None


def warnings(evaluation: Evaluation) -> list[str]:
    """A line for each measure that has no value, for the person who reads it."""
    return [
        f"{group.name}: {name} is undefined"
        for group in evaluation.groups
        for name, value in group.measures.items()
        if math.isnan(value)
    ]


def summary_text(evaluation: Evaluation) -> str:
    """The table that a person reads first."""
    rows = [list(SUMMARY_HEADER)]
    for group in evaluation.groups:
        totals, measures = group.counts.totals(group.counted), group.measures
        rows.append(
            [
                group.name,
                f"{int(group.chosen.sum())}",
                f"{int(group.counted.sum())}",
                *map(str, (totals.targets, totals.corr, totals.fa, totals.miss)),
                _number(measures["P_miss"], ".3f"),
                _number(measures["P_fa"], ".5f"),
                _number(measures["ATWV"], ".4f"),
                _number(measures["MTWV"], ".4f"),
                _number(measures["MTWV_threshold"], ".3f"),
                _number(measures["OTWV"], ".4f"),
                _number(measures["STWV"], ".4f"),
            ]
        )
    whole = evaluation.groups[0]
    lines = [
        f"system {evaluation.system_id or '(unnamed)'}: {whole.speech_s:.1f} s of speech, "
        f"{whole.trials} trials per term, beta {whole.point.beta:.6g}",
        "",
        text_table(rows),
        "",
    ]
    lines.extend(
        f"ignored: {number} {what.replace('_', ' ')}"
        for what, number in evaluation.ignored.items()
        if number
    )
    return "\n".join(lines).rstrip("\n") + "\n"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned: the first to the left, numbers to the right; a rule under the header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _number(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"


def terms_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """One row per group and term."""

    def rows() -> Iterable[Sequence[object]]:
        for group in evaluation.groups:
            counts = group.counts
            chosen = np.flatnonzero(group.chosen)
            terms = [group.units[i] for i in chosen]
            best = group.best
            best_twv = twv_of_terms(best.p_miss, best.p_fa, group.point.beta)
            supremum = np.where(
                counts.targets > 0, 1 - counts.omitted / np.maximum(counts.targets, 1), np.nan
            )
            yield from zip(
                [group.name] * len(chosen),
                (term.term_id for term in terms),
                (term.text for term in terms),
                *(
                    column[chosen].tolist()
                    for column in (counts.targets, counts.corr, counts.fa, counts.miss)
                ),
                counts.corr_nondet[chosen].tolist(),
                counts.omitted[chosen].tolist(),
                *(
                    _cells(column[chosen])
                    for column in (group.p_miss, group.p_fa, group.twv, best_twv)
                ),
                _cells(group.best.threshold[chosen]),
                _cells(supremum[chosen]),
                strict=True,
            )

    _write_csv(stream, TERMS_HEADER, rows())


def det_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """One row per group and threshold."""

    def rows() -> Iterable[Sequence[object]]:
        for group in evaluation.groups:
            det = group.det
            columns = (det.threshold, det.p_miss, det.p_fa, det.twv)
            yield from zip(
                [group.name] * len(det),
                *map(_cells, (*columns, det.sd_p_miss, det.sd_p_fa, det.sd_twv)),
                [det.terms] * len(det),
                strict=True,
            )

    _write_csv(stream, DET_HEADER, rows())


def alignment_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """Every reference occurrence and every hit inside the excerpts, paired where they are.

    ``alignment`` is CORR, MISS, FA or CORR!DET; an occurrence without any hit is a MISS
    without a decision.
    """
    whole = evaluation.groups[0]
    _write_csv(
        stream,
        ALIGNMENT_HEADER,
        _alignment_rows(evaluation, whole.hits, whole.occurrences, whole.alignment),
    )


def ignored_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """What lies outside the excerpts, in the columns of the alignment; ``alignment`` says which."""
    hits, occurrences = evaluation.hits_outside, evaluation.occurrences_outside
    nobody = Alignment(np.full(len(occurrences), -1, np.int32), np.full(len(hits), -1, np.int32))
    rows = _alignment_rows(evaluation, hits, occurrences, nobody)
    _write_csv(
        stream,
        ALIGNMENT_HEADER,
        ([*row[:-1], "OUTSIDE ECF"] for row in rows),
    )


def _alignment_rows(
    evaluation: Evaluation, hits: Detections, occurrences: Occurrences, alignment: Alignment
) -> Iterable[Sequence[object]]:
    """Sorted by term, recording and time."""
    terms = evaluation.terms.terms
    paired = np.flatnonzero(alignment.hit_of >= 0)
    omitted = np.flatnonzero(alignment.hit_of < 0)
    spare = np.flatnonzero(alignment.occurrence_of < 0)
    none = np.full(max(len(omitted), len(spare)), -1)
    reference = np.concatenate([paired, omitted, none[: len(spare)]])
    hit = np.concatenate([alignment.hit_of[paired], none[: len(omitted)], spare])
    term, start_s = np.empty(len(hit), np.int64), np.empty(len(hit))
    recording = np.empty(len(hit), object)
    for rows, table, source in (
        (hit >= 0, hits, hit),
        (reference >= 0, occurrences, reference),
    ):
        if rows.any():
            chosen = source[rows]
            term[rows], start_s[rows] = table.term[chosen], table.start_s[chosen]
            names = np.empty(len(table.recordings), object)
            names[:] = table.recordings
            recording[rows] = names[table.recording[chosen]]
    place = {one: i for i, one in enumerate(sorted(set(recording.tolist())))}
    place_of = np.array([place[one] for one in recording.tolist()], np.int64)
    order = np.lexsort((start_s, place_of, term))
    hit_end_s = hits.start_s + hits.duration_s
    for i, r, h in zip(order.tolist(), reference[order].tolist(), hit[order].tolist(), strict=True):
        one = terms[int(term[i])]
        yes = h >= 0 and bool(hits.yes[h])
        kind = ("CORR" if r >= 0 else "FA") if yes else ("MISS" if r >= 0 else "CORR!DET")
        yield [
            evaluation.language,
            *recording[i],
            one.term_id,
            one.text,
            *((occurrences.start_s[r], occurrences.end_s[r]) if r >= 0 else ("", "")),
            *(
                (hits.start_s[h], f"{hit_end_s[h]:.12g}", hits.score[h], "YES" if yes else "NO")
                if h >= 0
                else ("", "", "", "")
            ),
            kind,
        ]


def _cells(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[str]:
    return ["" if one != one else f"{one:.12g}" for one in values.tolist()]


def _write_csv(stream: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    text.detach()  # the caller owns the stream
