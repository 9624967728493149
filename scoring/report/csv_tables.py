"""An `Evaluation` as rows and as CSV; several systems as rows, and the names of systems.

CSV is quoted where needed, with twelve significant digits; undefined values are empty.
`std.csv_files` describes the texts that a spreadsheet would read as formulas.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from scoring.evaluate import Evaluation
from scoring.measures.det import articulated, iso_ratio_points
from scoring.measures.twv import twv_of_terms
from scoring.report.intervals import comparison_rows, defined, interval_cells
from scoring.report.summary import SUMMARY_HEADER, summary_rows
from scoring.statistics.significance import Statistics
from std.csv_files import write_csv
from std.display.rows import Rows
from std.errors import named
from std.files import AnyPath, paths_of
from std.matching.alignment import Alignment
from std.matching.occurrences import Occurrences
from std.terminal import printable
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


def det_csv(evaluation: Evaluation, stream: BinaryIO, *, corners_only: bool) -> None:
    """One row per group and threshold.

    Args:
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
        ratios: P_miss / P_fa of each line.
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
    """Every reference occurrence and every hit inside the excerpts, with their pairs.

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
    """Hits and occurrences outside the excerpts, in the columns of `alignment_csv`."""
    hits, occurrences = evaluation.hits_outside, evaluation.occurrences_outside
    unpaired = Alignment(np.full(len(occurrences), -1, np.int32), np.full(len(hits), -1, np.int32))
    rows = _alignment_rows(evaluation, hits, occurrences, unpaired)
    write_csv(stream, _alignment_header(hits), ([*row[:-1], "OUTSIDE ECF"] for row in rows))


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
    for rows, table, source in ((hit >= 0, hits, hit), (reference >= 0, occurrences, reference)):
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
    """A row as text: measures with ``digits`` significant digits, empty if undefined."""
    return [
        ("" if cell != cell else f"{cell:.{digits}g}") if isinstance(cell, float) else cell
        for cell in row
    ]


def _cells(values: Float64s) -> list[object]:
    return cells(values.tolist())


Table = Literal["summary", "terms"]


def evaluation_rows(
    evaluations: Mapping[str, Evaluation],
    table: Table = "summary",
    statistics: Statistics | None = None,
) -> Rows:
    """The summary, or the per-term table, of one or several systems.

    Args:
        evaluations: by system name.
        table: ``summary`` for a row a group, ``terms`` for a row a group and term.
        statistics: intervals for the summary, and a row a pair of systems and group.
    """
    return _terms(evaluations) if table == "terms" else _summary(evaluations, statistics)


def _summary(evaluations: Mapping[str, Evaluation], statistics: Statistics | None) -> Rows:
    documents: list[dict[str, Any]] = [
        {"system": label, "group": group.name}
        | {"terms": int(group.chosen.sum()), "scored_terms": int(group.counted.sum())}
        | group.counts.totals(group.counted)._asdict()
        | {name: defined(value) for name, value in group.measures.items()}
        | (interval_cells(statistics, i, group.name) if statistics else {})
        for i, (label, evaluation) in enumerate(evaluations.items())
        for group in evaluation.groups
    ]
    if statistics:
        documents.extend(comparison_rows(list(evaluations), statistics))
    names = list(dict.fromkeys(name for document in documents for name in document))
    return Rows(
        header=names,
        cells=[cells([document.get(name) for name in names]) for document in documents],
        documents=documents,
        brief_header=("system", *SUMMARY_HEADER),
        brief=of_systems(evaluations, summary_rows),
    )


def of_systems(
    evaluations: Mapping[str, Evaluation], rows: Callable[[Evaluation], Iterable[Sequence[Any]]]
) -> list[tuple[Any, ...]]:
    """The rows of several systems, each with the system's name before it."""
    return [(label, *row) for label, one in evaluations.items() for row in rows(one)]


def _terms(evaluations: Mapping[str, Evaluation]) -> Rows:
    rows = of_systems(evaluations, term_rows)
    header = ("system", *TERMS_HEADER)

    def document(row: tuple[str | int | float, ...]) -> dict[str, Any]:
        return {
            name: defined(value) if isinstance(value, float) else value
            for name, value in zip(header, row, strict=True)
        }

    return Rows(
        header=header,
        cells=[cells(row) for row in rows],
        documents=map(document, rows),
        brief_header=header,
        brief=[cells(row, 4) for row in rows],
    )


def system_names(paths: Sequence[AnyPath], system_ids: Sequence[str]) -> list[str]:
    """A name for each hit list: its system id if no other has it, else its file name.

    Lists that share a system id are named by their files. If these names are equal, too, folders
    are put before them until they differ; a file given twice gets a number.

    Args:
        paths: (systems,) of the hit lists.
        system_ids: (systems,) as the lists state them; empty = none.

    >>> system_names(["a.xml", "b.xml.gz", "c.xml"], ["std", "std", "other"])
    ['a', 'b', 'other']
    >>> system_names([Path("run1/hits.xml"), Path("run2/hits.xml")], ["std", "std"])
    ['run1/hits', 'run2/hits']
    """
    shared = Counter(system_ids)
    own = [bool(system_id) and shared[system_id] == 1 for system_id in system_ids]
    taken = {system_id for system_id, is_own in zip(system_ids, own, strict=True) if is_own}
    files = [path for path, is_own in zip(paths_of(paths), own, strict=True) if not is_own]
    names = iter(_file_names(files, taken))
    return [
        system_id if is_own else next(names)
        for system_id, is_own in zip(system_ids, own, strict=True)
    ]


def distinct(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """The same names; one that is taken gets a number.

    >>> distinct(["a", "a", "b"], {"b"})
    ['a', 'a (2)', 'b (2)']
    """
    result: list[str] = []
    for name in names:
        tries = chain([name], (f"{name} ({number})" for number in count(2)))
        result.append(
            next(
                candidate
                for candidate in tries
                if candidate not in result and candidate not in taken
            )
        )
    return result


def _file_names(paths: Sequence[Path], taken: set[str]) -> list[str]:
    """The ends of the paths, all of the smallest length at which they differ."""
    parts = [(*map(printable, path.parts[:-1]), _stem(path)) for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(path_parts[-length:]).replace("//", "/") for path_parts in parts]
        if len(set(names)) == len(names) and taken.isdisjoint(names):
            return names
    return distinct(["/".join(path_parts).replace("//", "/") for path_parts in parts], taken)


def _stem(path: Path) -> str:
    name = printable(named(path)).rpartition("/")[2]  # a name may hold bytes that are no letters
    return name.removesuffix(".gz").removesuffix(".xml") or name
