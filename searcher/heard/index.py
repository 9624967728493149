"""The phones heard in the recordings of a segment, as an alignment follows them.

open_heard    columns -> HeardIndex, or None
"""

from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s, SegmentColumns, UInt8s
from std.store.heard import COST, HeardSlots
from std.values import Bools, Float32s

PROBABILITY: Float32s = np.exp(-np.arange(256, dtype=np.float32) / COST)  # of each cost


class HeardIndex(NamedTuple):
    """Slots of a segment's recordings, one behind the other."""

    tokens: tuple[str, ...]  # what a slot may hold; the first is silence
    recording: Int64s  # (s,) row of the segment's recordings
    begin_ms: Int64s  # (s,)
    end_ms: Int64s  # (s,)
    is_first: UInt8s  # (s,) 1 where a recording begins
    empty: Float32s  # (s,) probability that it is no phone of its own
    offsets: Int64s  # (s + 1,) its alternatives
    token: UInt8s  # (m,)
    probability: Float32s  # (m,)


def open_heard(columns: SegmentColumns, live: Bools) -> HeardIndex | None:
    """The phones heard in a segment; None if there are none.

    Args:
        columns: of the segment.
        live: (R,) which recordings count.

    Raises:
        ValueError: the columns do not fit each other.
    """
    heard = HeardSlots.read(columns.extra)
    if heard is None:
        return None
    recording = np.repeat(np.arange(len(live)), np.diff(heard.offsets))
    every = np.flatnonzero((live & heard.is_heard)[recording])
    if not len(every):
        return None
    row = recording[every]
    frame_ms = heard.frame_ms.astype(np.int64)
    ends = np.cumsum(heard.frames, dtype=np.int64)  # in frames of all recordings in a row
    before = np.concatenate([[0], ends])[heard.offsets[:-1]]
    end_ms = heard.start_ms[row] + (ends[every] - before[row]) * frame_ms[row]
    alternatives = np.concatenate([[0], np.cumsum(heard.alternatives, dtype=np.int64)])
    lengths = heard.alternatives[every].astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    at = np.arange(offsets[-1]) + np.repeat(alternatives[every] - offsets[:-1], lengths)
    return HeardIndex(
        heard.tokens,
        row,
        end_ms - heard.frames[every].astype(np.int64) * frame_ms[row],
        end_ms,
        (np.diff(row, prepend=-1) != 0).astype(np.uint8),
        PROBABILITY[heard.empty[every]],
        offsets,
        heard.token[at],
        PROBABILITY[heard.cost[at]],
    )
