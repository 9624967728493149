"""An `Evaluation` as CSV: quoted where needed, twelve significant digits, undefined is empty.

`std.csv_files` says what becomes of texts that a spreadsheet would take for formulas.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from scoring.evaluate import Evaluation
from scoring.measures.det import articulated, iso_ratio_points
from scoring.measures.twv import twv_of_terms
from std.csv_files import write_csv
from std.matching.alignment import Alignment
from std.matching.occurrences import Occurrences
from std.values import Detections, Float64s

ALIGNMENT_HEADER = (
    *("language", "file", "channel", "term_id", "term", "ref_bt", "ref_et"),
    *("sys_bt", "sys_et", "sys_score", "sys_decision", "alignment"),
)
PROBABILITY = "sys_probability"  # before the last column, where hits have two numbers
TERMS_HEADER = (
    *("group", "term_id", "term", "targets", "corr", "fa", "miss", "corr_nondet", "omitted"),
    *("p_miss", "p_fa", "twv", "optimum_twv", "optimum_threshold", "supremum_twv"),
)
DET_HEADER = (
    *("group", "threshold", "p_miss", "p_fa", "twv", "sd_p_miss", "sd_p_fa", "sd_twv", "terms"),
)
ISO_RATIOS_HEADER = ("group", "ratio", "p_fa", "p_miss", "threshold")


def terms_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """One row per group and term."""
    write_csv(stream, TERMS_HEADER, map(cells, term_rows(evaluation)))


def term_rows(evaluation: Evaluation) -> Iterator[tuple[str | int | float, ...]]:
    """The rows of the per-term table: names, counts, and measures (NaN where undefined)."""
    for group in evaluation.groups:
        counts, best = group.counts, group.best
        chosen = np.flatnonzero(group.chosen)
        units = [group.units[i] for i in chosen]
        supremum = np.full(len(counts.targets), np.nan)
        detected = counts.targets - counts.omitted
        np.divide(detected, counts.targets, out=supremum, where=counts.targets > 0)
        integers = (counts.targets, counts.corr, counts.fa, counts.miss, counts.corr_nondet)
        best_twv = twv_of_terms(best.p_miss, best.p_fa, group.point.beta)
        actual, other = (group.p_miss, group.p_fa, group.twv), (best_twv, best.threshold, supremum)
        yield from zip(
            [group.name] * len(chosen),
            (unit.term_id for unit in units),
            (unit.text for unit in units),
            *(column[chosen].tolist() for column in (*integers, counts.omitted)),
            *(column[chosen].tolist() for column in (*actual, *other)),
            strict=True,
        )


def det_csv(evaluation: Evaluation, stream: BinaryIO, *, corners_only: bool = False) -> None:
    """One row per group and threshold.

    Args:
        evaluation: the evaluation of one hit list.
        stream: opened for writing bytes.
        corners_only: leave out points inside runs of hits of one kind.
    """

    def rows() -> Iterator[Sequence[object]]:
        for group in evaluation.groups:
            det = articulated(group.det) if corners_only else group.det
            means = (det.threshold, det.p_miss, det.p_fa, det.twv)
            deviations = (det.sd_p_miss, det.sd_p_fa, det.sd_twv)
            names, terms = [group.name] * len(det), [det.terms] * len(det)
            yield from zip(names, *map(_cells, (*means, *deviations)), terms, strict=True)

    write_csv(stream, DET_HEADER, rows())


def iso_ratios_csv(evaluation: Evaluation, ratios: tuple[float, ...], stream: BinaryIO) -> None:
    """Where each curve meets lines of constant P_miss / P_fa.

    Args:
        evaluation: the evaluation of one hit list.
        ratios: P_miss / P_fa of each line.
        stream: opened for writing bytes.
    """
    write_csv(
        stream,
        ISO_RATIOS_HEADER,
        (
            [group.name, *(f"{value:.12g}" for value in point)]
            for group in evaluation.groups
            for point in iso_ratio_points(group.det, ratios)
        ),
    )


def alignment_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """Every reference occurrence and every hit inside the excerpts, paired where they are.

    ``alignment`` is CORR, MISS, FA or CORR!DET; an occurrence without any hit is a MISS
    without a decision.
    """
    whole = evaluation.groups[0]
    write_csv(
        stream,
        _alignment_header(whole.hits),
        _alignment_rows(evaluation, whole.hits, whole.occurrences, whole.alignment),
    )


def ignored_csv(evaluation: Evaluation, stream: BinaryIO) -> None:
    """What lies outside the excerpts, in the columns of the alignment; ``alignment`` says which."""
    hits, occurrences = evaluation.hits_outside, evaluation.occurrences_outside
    unpaired = Alignment(np.full(len(occurrences), -1, np.int32), np.full(len(hits), -1, np.int32))
    rows = _alignment_rows(evaluation, hits, occurrences, unpaired)
    write_csv(
        stream,
        _alignment_header(hits),
        ([*row[:-1], "OUTSIDE ECF"] for row in rows),
    )


def _alignment_header(hits: Detections) -> Sequence[str]:
    *first, last = ALIGNMENT_HEADER
    return ALIGNMENT_HEADER if hits.probability is None else (*first, PROBABILITY, last)


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
    rank = {name: i for i, name in enumerate(sorted(set(recording.tolist())))}
    rank_of = np.array([rank[name] for name in recording.tolist()], np.int64)
    order = np.lexsort((start_s, rank_of, term))
    hit_end_s, probability = hits.start_s + hits.duration_s, hits.probability
    for i, r, h in zip(order.tolist(), reference[order].tolist(), hit[order].tolist(), strict=True):
        term_of_row = terms[int(term[i])]
        yes = h >= 0 and bool(hits.yes[h])
        kind = ("CORR" if r >= 0 else "FA") if yes else ("MISS" if r >= 0 else "CORR!DET")
        yield [
            evaluation.language,
            *recording[i],
            term_of_row.term_id,
            term_of_row.text,
            *((occurrences.start_s[r], occurrences.end_s[r]) if r >= 0 else ("", "")),
            *(
                (hits.start_s[h], f"{hit_end_s[h]:.12g}", hits.score[h], "YES" if yes else "NO")
                if h >= 0
                else ("", "", "", "")
            ),
            *(() if probability is None else (probability[h] if h >= 0 else "",)),
            kind,
        ]


def cells(row: Sequence[object], digits: int = 12) -> list[object]:
    """A row as it is written: measures with so many significant digits, undefined is empty."""
    return [
        ("" if cell != cell else f"{cell:.{digits}g}") if isinstance(cell, float) else cell
        for cell in row
    ]


def _cells(values: Float64s) -> list[object]:
    return cells(values.tolist())
