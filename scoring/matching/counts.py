"""Counts by term from an alignment of hits and occurrences."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.matching.alignment import Alignment
from std.values import Bools, Int32s, freeze

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

    def totals(self, terms: Bools | slice = slice(None)) -> Totals:
        """Sums over the chosen terms."""
        columns: Iterable[Counts] = (self.targets, self.corr, self.fa, self.miss, self.corr_nondet)
        return Totals(*(int(column[terms].sum()) for column in columns))


def count(
    terms: int, hit_term: Int32s, yes: Bools, occurrence_term: Int32s, alignment: Alignment
) -> TermCounts:
    """Count by term.

    Args:
        hit_term, yes: (n,) term and decision of each hit.
        occurrence_term: (m,) term of each reference occurrence.
        alignment: which hit is paired with which occurrence.
    """
    paired = alignment.occurrence_of >= 0

    def by_term(chosen: Int32s) -> Counts:
        return np.bincount(chosen, minlength=terms).astype(np.int64)

    return TermCounts(
        targets=by_term(occurrence_term),
        corr=by_term(hit_term[paired & yes]),
        fa=by_term(hit_term[~paired & yes]),
        corr_nondet=by_term(hit_term[~paired & ~yes]),
        omitted=by_term(occurrence_term[alignment.hit_of < 0]),
    )
