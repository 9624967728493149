"""The frames of an index that are searched, segment by segment.

SoundArchive the segments with sound, and which of their recordings count
archive_of   segments of an index -> SoundArchive
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.index.recording_table import recording_table
from std.errors import StdError
from std.sound.columns import SegmentSound, segment_sound
from std.sound.value import FRAME_MS, Encoder
from std.store import Segment
from std.store.columns import Int64s, UInt64s
from std.values import Recording


class ArchivePart(NamedTuple):
    """The sound of a segment."""

    sound: SegmentSound
    rows: Int64s  # (r,) of its recordings that are searched
    recordings: Int64s  # (r,) the same in the table of the index's recordings


@dataclass(frozen=True, slots=True, eq=False)
class SoundArchive:
    """All frames that are searched; those of one encoder."""

    recordings: tuple[Recording, ...]  # of the index; parts point into it
    parts: tuple[ArchivePart, ...]

    @property
    def encoder(self) -> Encoder:
        """What made the frames."""
        return self.parts[0].sound.encoder

    @property
    def seconds(self) -> float:
        """How much sound is searched."""
        frames = sum(
            int((part.sound.offsets[part.rows + 1] - part.sound.offsets[part.rows]).sum())
            for part in self.parts
        )
        return frames * FRAME_MS / 1000

    def frames(self, recording: Recording, begin_ms: float, end_ms: float) -> UInt64s:
        """(m, 4) the frames of a stretch of a recording; none where it has no sound."""
        for part in self.parts:
            for row, number in zip(part.rows.tolist(), part.recordings.tolist(), strict=True):
                if self.recordings[number] == recording:
                    first, end = part.sound.offsets[row : row + 2].tolist()
                    start_ms = int(part.sound.start_ms[row])
                    a = first + max(0, int((begin_ms - start_ms) // FRAME_MS))
                    b = first + max(0, int(-(-(end_ms - start_ms) // FRAME_MS)))
                    return np.array(part.sound.signs[a : min(b, end)])
        return np.empty((0, 4), np.uint64)


def archive_of(
    segments: Sequence[Segment], wanted: Callable[[Recording], bool] = lambda recording: True
) -> SoundArchive:
    """The sound of an index.

    Args:
        segments: the segments of the index.
        wanted: which recordings are searched.

    Raises:
        StdError: there is none, or it is of two encoders.
    """
    table = recording_table(segments)
    parts = []
    for segment in segments:
        sound = segment_sound(segment)
        if sound is None:
            continue
        rows = [
            row
            for row, one in enumerate(segment.recordings)
            if row not in segment.deleted
            and sound.offsets[row + 1] > sound.offsets[row]
            and wanted(one.recording)
        ]
        numbers = table.rows[segment][rows]
        parts.append(ArchivePart(sound, np.array(rows, np.int64), numbers.astype(np.int64)))
    if not parts:
        raise StdError(
            "the index has no sound: std-recognise --sound or --sound-only writes it, std-index "
            "takes it in"
        )
    if len({part.sound.encoder for part in parts}) > 1:
        raise StdError("the shards of the index have sound of two encoders, which do not compare")
    return SoundArchive(table.recordings, tuple(parts))
