"""The phones heard in the recordings of a segment, as columns for the alignment.

open_heard    columns -> HeardIndex, or None

Alternatives stay in the segment's form, a byte for a phone and one for its cost, so an index of a
thousand hours is not copied.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from std.store.columns import Int64s, SegmentColumns, UInt8s
from std.store.heard import COST_A_NAT, HeardSlots
from std.values import Bools, Float32s, Int32s

PROBABILITY: Float32s = np.exp(-np.arange(256, dtype=np.float32) / COST_A_NAT)  # of each cost


@dataclass(frozen=True, eq=False)
class HeardIndex:
    """Slots of a segment, and the recordings among them that are searched."""

    tokens: tuple[str, ...]  # possible content of a slot; the first is silence
    recording: Int64s  # (r,) rows of the search's table, ascending as their slots
    bounds: Int64s  # (r, 2) first slot of each, and one past the last
    begin_ms: Int32s  # (s,)
    end_ms: Int32s  # (s,)
    empty: UInt8s  # (s,) cost of being no phone of its own
    offsets: Int64s  # (s + 1,) its alternatives
    token: UInt8s  # (m,)
    cost: UInt8s  # (m,)

    @property
    def slots(self) -> int:
        """The number of slots of the recordings."""
        return int((self.bounds[:, 1] - self.bounds[:, 0]).sum())

    @cached_property
    def likeliest(self) -> UInt8s:
        """(s, 2) the two likeliest phones of each slot, for seeds."""
        from searcher.heard.kernels import two_likeliest

        return two_likeliest(self.offsets, self.token, self.cost)

    def within(self, recordings: Int64s) -> "HeardIndex":
        """The same with some of the recordings, rows of the search's table."""
        some = np.isin(self.recording, recordings)
        return replace(self, recording=self.recording[some], bounds=self.bounds[some])


def open_heard(columns: SegmentColumns, live: Bools, rows: Int64s) -> HeardIndex | None:
    """The phones heard in a segment; None if there are none.

    Args:
        columns: the columns of the segment.
        live: (R,) which recordings count.
        rows: (R,) of its recordings in the search's table.

    Raises:
        ValueError: the columns do not fit each other.
    """
    heard = HeardSlots.read(columns.extra)
    if heard is None:
        return None
    some = np.flatnonzero(live & heard.is_heard & (np.diff(heard.offsets) > 0))
    if not len(some):
        return None
    slots = np.diff(heard.offsets)
    length_ms = heard.frames * np.repeat(heard.frame_ms, slots).astype(np.int32)
    ends = np.cumsum(length_ms, dtype=np.int64)
    before = np.concatenate([[0], ends])[heard.offsets[:-1]]
    end_ms = (ends - np.repeat(before - heard.start_ms, slots)).astype(np.int32)
    return HeardIndex(
        heard.tokens,
        rows[some],
        np.stack([heard.offsets[some], heard.offsets[some + 1]], axis=1),
        end_ms - length_ms,
        end_ms,
        heard.empty,
        np.concatenate([[0], np.cumsum(heard.alternatives, dtype=np.int64)]),
        heard.token,
        heard.cost,
    )
