"""Evaluations of several systems: rows of their groups or terms, and what they are called."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal

from scoring.evaluate import Evaluation
from scoring.report.csv_tables import TERMS_HEADER, cells, term_rows
from scoring.report.intervals import comparison_rows, defined, interval_cells
from scoring.report.summary import SUMMARY_HEADER, summary_rows
from scoring.statistics.significance import Statistics
from std.display.rows import Rows
from std.errors import named
from std.terminal import printable

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
        brief=[
            (label, *row)
            for label, evaluation in evaluations.items()
            for row in summary_rows(evaluation)
        ],
    )


def _terms(evaluations: Mapping[str, Evaluation]) -> Rows:
    rows = [
        (label, *row) for label, evaluation in evaluations.items() for row in term_rows(evaluation)
    ]
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


def system_names(paths: Sequence[Path], system_ids: Sequence[str]) -> list[str]:
    """A name for each hit list: its system id if no other has it, else its file name.

    Lists that share a system id all take their file names. Where those are equal, too, as many
    folders come before them as it takes; a file given twice gets a number.

    Args:
        paths: (systems,) of the hit lists.
        system_ids: (systems,) as the lists state them; empty = none.

    >>> system_names([Path("a.xml"), Path("b.xml.gz"), Path("c.xml")], ["std", "std", "other"])
    ['a', 'b', 'other']
    >>> system_names([Path("run1/hits.xml"), Path("run2/hits.xml")], ["std", "std"])
    ['run1/hits', 'run2/hits']
    """
    shared = Counter(system_ids)
    own = [bool(system_id) and shared[system_id] == 1 for system_id in system_ids]
    taken = {system_id for system_id, is_own in zip(system_ids, own, strict=True) if is_own}
    files = [path for path, is_own in zip(paths, own, strict=True) if not is_own]
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
    """The ends of the paths, all as long as the shortest that tell them apart."""
    parts = [(*map(printable, path.parts[:-1]), _stem(path)) for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(path_parts[-length:]).replace("//", "/") for path_parts in parts]
        if len(set(names)) == len(names) and taken.isdisjoint(names):
            return names
    return distinct(["/".join(path_parts).replace("//", "/") for path_parts in parts], taken)


def _stem(path: Path) -> str:
    name = printable(named(path)).rpartition("/")[2]  # a name may hold bytes that are no letters
    return name.removesuffix(".gz").removesuffix(".xml") or name
