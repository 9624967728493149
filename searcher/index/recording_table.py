"""The recordings of a snapshot, with the numbers that searches use.

recording_table   segments -> RecordingTable, cached as long as the segments exist

An archive may have many thousands of recordings, and a word is looked up in a millisecond, so a
search must not sort the recordings again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary, ref

import numpy as np

from std.languages.detection import of_segment
from std.store import Segment
from std.store.columns import Int64s
from std.values import Recording


@dataclass(frozen=True, eq=False)
class RecordingTable:
    """The recordings of some segments; candidates point into it."""

    recordings: tuple[Recording, ...]  # ascending, deleted ones included
    row_of: Mapping[Recording, int]
    rows: WeakKeyDictionary[Segment, Int64s]  # of each segment: (R,) rows of its recordings
    segments: tuple[ref[Segment], ...]
    segment: Int64s  # (n,) number of the segment where each is live; -1 if it is deleted
    row_in_segment: Int64s  # (n,) its row there

    def is_of(self, segments: Sequence[Segment]) -> bool:
        """Whether the table is of these segments, in this order."""
        return len(segments) == len(self.segments) and all(
            own() is other for own, other in zip(self.segments, segments, strict=True)
        )

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """(n,) codes; empty if a recording is deleted, or the index does not know its language."""
        of_number = [*map(of_segment, self.rows), ""]
        return tuple(of_number[number] for number in self.segment.tolist())


_known: WeakKeyDictionary[Segment, RecordingTable] = WeakKeyDictionary()  # by first segment


def recording_table(segments: Sequence[Segment]) -> RecordingTable:
    """The recordings of a snapshot.

    Args:
        segments: the segments of the snapshot. A recording is live in at most one of them, or the
            last counts.
    """
    if not segments:
        return _table(())
    table = _known.get(segments[0])
    if table is None or not table.is_of(segments):
        table = _known[segments[0]] = _table(segments)
    return table


def _table(segments: Sequence[Segment]) -> RecordingTable:
    """A new table."""
    recordings = tuple(sorted({one.recording for s in segments for one in s.recordings}))
    row_of = {recording: row for row, recording in enumerate(recordings)}
    rows: WeakKeyDictionary[Segment, Int64s] = WeakKeyDictionary()
    segment_number = np.full(len(recordings), -1)
    row_in_segment = np.zeros(len(recordings), np.int64)
    for number, segment in enumerate(segments):
        rows[segment] = own = np.array([row_of[one.recording] for one in segment.recordings], int)
        live = np.setdiff1d(np.arange(len(own)), [*segment.deleted])
        segment_number[own[live]], row_in_segment[own[live]] = number, live
    return RecordingTable(
        recordings, row_of, rows, tuple(map(ref, segments)), segment_number, row_in_segment
    )
