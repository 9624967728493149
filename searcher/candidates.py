"""Candidates: places where a term may have been said, as columns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.store.columns import Int64s
from std.values import Bools, Float64s

Rows = Int64s | Bools | slice


class Candidates(NamedTuple):
    """One row per place; the tables that its first three columns point into are the caller's."""

    term: Int64s  # (n,)
    variant: Int64s  # (n,)
    recording: Int64s  # (n,)
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    score: Float64s  # (n,)

    def rows(self, which: Rows) -> "Candidates":
        """Some rows of every column."""
        return Candidates._make(column[which] for column in self)


def concatenate(parts: Sequence[Candidates]) -> Candidates:
    """All rows of all parts, in order."""
    return Candidates(
        _column([one.term for one in parts]),
        _column([one.variant for one in parts]),
        _column([one.recording for one in parts]),
        _column([one.start_ms for one in parts]),
        _column([one.end_ms for one in parts]),
        np.concatenate([np.empty(0), *(one.score for one in parts)]),
    )


def _column(columns: Sequence[npt.NDArray[np.int64]]) -> Int64s:
    return np.concatenate([np.empty(0, np.int64), *columns])


def in_order(candidates: Candidates) -> Candidates:
    """Ordered by term, recording and time."""
    return candidates.rows(
        np.lexsort((candidates.end_ms, candidates.start_ms, candidates.recording, candidates.term))
    )
