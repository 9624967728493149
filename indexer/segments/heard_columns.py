"""Phones heard in the recordings of a merged segment (`std.store.heard`)."""

from collections.abc import Sequence

import numpy as np

from std.store.columns import Column, IndexedRecording, SegmentColumns
from std.store.heard import HeardSlots, gathered
from std.values import Bools, Recording


def merged_heard(
    parts: Sequence[SegmentColumns], lives: Sequence[Bools], recordings: Sequence[IndexedRecording]
) -> dict[str, Column]:
    """The columns of the phones heard in the merged segment's recordings, where a part has them.

    Of a recording that several parts hold, those of the first that has any: its whole sound was
    heard, whatever part of its words a segment has.

    Args:
        parts: columns of segments.
        lives: of each part, which of its recordings still count.
        recordings: of the merged segment.
    """
    heard = {i: found for i, part in enumerate(parts) if (found := HeardSlots.read(part.extra))}
    if not heard:
        return {}
    number = {i: k for k, i in enumerate(heard)}
    place: dict[Recording, tuple[int, int]] = {}
    for i, found in heard.items():
        for row in np.flatnonzero(lives[i] & found.is_heard).tolist():
            place.setdefault(parts[i].recordings[row].recording, (number[i], row))
    return gathered([*heard.values()], [place.get(one.recording) for one in recordings]).columns()
