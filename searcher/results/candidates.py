"""Candidates: places where a term may have been said, as columns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s
from std.values import Bools, Float64s

Rows = Int64s | Bools | slice


class Candidates(NamedTuple):
    """One row per place; the caller has the tables of term, variant, family and recording."""

    term: Int64s  # (n,)
    variant: Int64s  # (n,)
    recording: Int64s  # (n,)
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    probability: Float64s  # (n,) probability that the term is said there, if it occurs
    family: Int64s  # (n,) variant; candidates of one family are pieces of one event at a place
    first_slot: Int64s  # (n,) of its words, a row of its segment's slot columns
    last_slot: Int64s  # (n,)

    def rows(self, which: Rows) -> "Candidates":
        """Some rows of every column; not copied if these are all rows."""
        if isinstance(which, np.ndarray) and which.dtype == np.bool_:
            if which.all():
                return self
            which = np.flatnonzero(which)  # counted once, not for each column
        return Candidates._make(column[which] for column in self)


NO_CANDIDATES = Candidates._make(np.empty(0, np.int64) for _ in Candidates._fields)._replace(
    probability=np.empty(0)
)


def concatenate(parts: Sequence[Candidates]) -> Candidates:
    """All rows of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(NO_CANDIDATES, *parts, strict=True)
    return Candidates._make(np.concatenate(column) for column in columns)


def in_order(candidates: Candidates) -> Candidates:
    """Ordered by term, recording and start; equal ones keep their order."""
    term, recording, start = candidates.term, candidates.recording, candidates.start_ms
    spans = int(recording.max(initial=0)) + 1, int(start.max(initial=0)) + 1
    if (int(term.max(initial=0)) + 1) * spans[0] * spans[1] < 2**63:
        place = (term * spans[0] + recording) * spans[1] + start
        if (place[1:] >= place[:-1]).all():  # as one segment's postings are
            return candidates
        return candidates.rows(np.argsort(place, kind="stable"))
    return candidates.rows(np.lexsort((start, recording, term)))
