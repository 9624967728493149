"""What an alignment says of each term, as numbers that can be added."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.align import Alignment
from scoring.occurrences import Occurrences
from std.values import Detections, freeze

Counts = npt.NDArray[np.int64]


class Totals(NamedTuple):
    """Counts of several terms together."""

    targets: int
    corr: int
    fa: int
    miss: int
    corr_nondet: int


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """Counts by term; the sum of two is that of two parts of the speech.

    A hit paired with an occurrence is correct if the system said YES, else the occurrence is
    missed. A hit without an occurrence is a false alarm if the system said YES, else a correct
    rejection.
    """

    targets: Counts  # (T,) reference occurrences
    corr: Counts  # (T,) paired, YES
    fa: Counts  # (T,) unpaired hits, YES
    corr_nondet: Counts  # (T,) unpaired hits, NO
    omitted: Counts  # (T,) occurrences without any hit, whatever the decision

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def miss(self) -> Counts:
        """(T,) occurrences that are not correct: omitted, or paired with a NO."""
        return self.targets - self.corr

    def __add__(self, other: "TermCounts") -> "TermCounts":
        return TermCounts(
            self.targets + other.targets,
            self.corr + other.corr,
            self.fa + other.fa,
            self.corr_nondet + other.corr_nondet,
            self.omitted + other.omitted,
        )

    def totals(self, terms: npt.NDArray[np.bool_] | slice = slice(None)) -> Totals:
        """Sums over some terms."""
        columns: Iterable[Counts] = (self.targets, self.corr, self.fa, self.miss, self.corr_nondet)
        return Totals(*(int(column[terms].sum()) for column in columns))


def count(
    terms: int, hits: Detections, occurrences: Occurrences, alignment: Alignment
) -> TermCounts:
    """Count by term; ``terms`` is the length of the term list."""
    paired = alignment.occurrence_of >= 0

    def by_term(chosen: npt.NDArray[np.int32]) -> Counts:
        return np.bincount(chosen, minlength=terms).astype(np.int64)

    return TermCounts(
        targets=by_term(occurrences.term),
        corr=by_term(hits.term[paired & hits.yes]),
        fa=by_term(hits.term[~paired & hits.yes]),
        corr_nondet=by_term(hits.term[~paired & ~hits.yes]),
        omitted=by_term(occurrences.term[alignment.hit_of < 0]),
    )
