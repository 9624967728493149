"""The best places of a query among the phones heard: at most one for each place.

find_places    queries -> Places, best first
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.heard.alignment import align
from searcher.heard.index import HeardIndex
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s
from std.values import Float64s

MOST = 100  # places of a query
NEAR = 4  # slots, within which the best end of an alignment counts
SAME_PLACE_MS = 500


class Places(NamedTuple):
    """Places of one query, best first."""

    segment: Int64s  # (n,)
    recording: Int64s  # (n,) row of that segment
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    score: Float64s  # (n,) nats

    def rows(self, which: Int64s) -> "Places":
        """Some rows of every column."""
        return Places._make(column[which] for column in self)


def find_places(phones: Pronunciation, indexes: Sequence[HeardIndex | None]) -> Places:
    """The best places of a query in all segments."""
    found = [
        _in_segment(phones, number, index)
        for number, index in enumerate(indexes)
        if index is not None
    ]
    if not found:
        none = np.empty(0, np.int64)
        return Places(none, none, none, none, np.empty(0))
    every = Places(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    order = np.lexsort((every.start_ms, every.recording, every.segment, -every.score))
    return _apart(every.rows(order[: 3 * MOST]))


def _in_segment(phones: Pronunciation, number: int, index: HeardIndex) -> Places:
    score, begin = align(phones, index)
    padded = np.pad(score, NEAR, constant_values=-np.inf)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * NEAR + 1).max(axis=1)
    slots = np.flatnonzero((score >= around) & (score > -1e29))
    slots = slots[np.argsort(-score[slots], kind="stable")[: 3 * MOST]]
    return Places(
        np.full(len(slots), number),
        index.recording[slots],
        index.begin_ms[begin[slots]],
        index.end_ms[slots],
        score[slots],
    )


def _apart(places: Places) -> Places:
    """Those without a better one whose middle is near, at most `MOST`."""
    kept: list[int] = []
    middle = (places.start_ms + places.end_ms) / 2
    taken: dict[tuple[int, int], list[float]] = {}
    for row in range(len(places.score)):
        key = int(places.segment[row]), int(places.recording[row])
        others = taken.setdefault(key, [])
        if all(abs(middle[row] - other) >= SAME_PLACE_MS for other in others):
            others.append(float(middle[row]))
            kept.append(row)
        if len(kept) == MOST:
            break
    return places.rows(np.array(kept, np.int64))
