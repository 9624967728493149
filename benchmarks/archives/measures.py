"""What the probabilities of a simulated archive are worth, by class of terms.

    search      the terms in an index, list by list -> Found
    measured    Found -> a `Row` for each class

Hits are paired with what was said as `std-score` pairs them. Calibration errors and exact ones are
those of `benchmarks.calibration`, of hits from .1 up.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.archives.parts import Said
from benchmarks.archives.terms import Asked
from benchmarks.calibration import LEAST, calibration_error, error_of_exact
from searcher.found_terms import PreparedIndex
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.matching.alignment import align
from std.matching.occurrences import Occurrences
from std.values import Bools, Float64s, Int32s, Term

LIKELY = 0.5
MANY = 5  # expected places from which a term counts as flooded


class Found(NamedTuple):
    """The hits of some terms."""

    asked: Sequence[Asked]
    said: Int32s  # (terms,)
    term: Int32s  # (hits,)
    probability: Float64s  # (hits,)
    score: Float64s  # (hits,) of the decision
    is_right: Bools  # (hits,)
    cpu_s: float


class Row(NamedTuple):
    """A line of the table."""

    name: str
    terms: int
    said: int
    right: int  # hits
    total: float  # sum of the probabilities of all hits
    over_right: float | None  # total / right
    middle: float | None  # median of the terms' total / right
    error: float  # ECE
    exact: float  # that of exact probabilities
    recall: float | None  # of what was said, from .5 up
    false: float  # false hits from .5 up per term
    largest: float  # of the terms, the largest total less what is right
    flooded: int  # terms with a total more than 5 above what is right


def find(
    asked: Sequence[Asked], said: Said, occurrences: Occurrences, index: PreparedIndex
) -> Found:
    """Search terms as one list.

    Args:
        asked: the terms.
        said: in the archive.
        occurrences: of the terms.
        index: of the archive.
    """
    texts = [" ".join(said.words.words[row] for row in one.phrase) for one in asked]
    begin = time.process_time()
    result = search(
        [Term(str(i), text) for i, text in enumerate(texts)],
        index,
        SearchedSpeech(None, 3600 * said.hours),
    )
    cpu_s = time.process_time() - begin
    detections = result.detections()
    is_right = align(detections, occurrences).occurrence_of >= 0
    return Found(
        asked,
        np.bincount(occurrences.term, minlength=len(asked)).astype(np.int32),
        detections.term,
        result.probability,
        result.decision_score,
        is_right,
        cpu_s,
    )


def rows(found: Found) -> Iterator[Row]:
    """A row for each class, in the order in which they are asked for."""
    names = [one.name for one in found.asked]
    for name in dict.fromkeys(names):
        of_class = np.array([one == name for one in names])
        hits = of_class[found.term]
        p, y, term = found.probability[hits], found.is_right[hits], found.term[hits]
        total = np.bincount(term, p, len(names))[of_class]
        right = np.bincount(term, y, len(names))[of_class]
        said = int(found.said[of_class].sum())
        shown, likely = p >= LEAST, p >= LIKELY
        excess = total - right
        ratios = total[right > 0] / right[right > 0]
        yield Row(
            name,
            int(of_class.sum()),
            said,
            int(right.sum()),
            float(p.sum()),
            float(p.sum() / right.sum()) if right.sum() else None,
            float(np.median(ratios)) if len(ratios) else None,
            calibration_error(p[shown], y[shown]),
            error_of_exact(p[shown][:: max(1, int(shown.sum()) // 20_000)]),
            float((y & likely).sum() / said) if said else None,
            float((~y & likely).sum() / of_class.sum()),
            float(excess.max()),
            int((excess > MANY).sum()),
        )


HEADER = (
    "| hours | recogniser | terms | n | said | right | sum | sum/right | median | ECE | exact | "
    "recall | false | largest | > 5 | plain: sum/right | ECE | recall | false |"
)


def line(hours: float, recogniser: str, row: Row, plain: Row) -> str:
    """A line of the table, as Markdown."""
    cells: list[Any] = [
        f"{hours:g}", recogniser, row.name, row.terms, f"{row.said:,}", f"{row.right:,}",
        f"{row.total:,.1f}", _short(row.over_right), _short(row.middle), _short(row.error, 3),
        _short(row.exact, 3), _short(row.recall), _short(row.false), f"{row.largest:,.1f}",
        row.flooded, _short(plain.over_right), _short(plain.error, 3), _short(plain.recall),
        _short(plain.false),
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def _short(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"
