"""What the recogniser wrote around a detection."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates
from std.store import Segment
from std.store.columns import KEY_SHIFT
from std.values import Recording

WORDS_AROUND = 4


class Context(NamedTuple):
    """The likeliest words before, inside and after a detection, and the slots it covers."""

    before: str
    inside: str
    after: str
    slots: tuple[int, int] = (0, 0)  # first and one past the last, of its recording's slots


def contexts(
    candidates: Candidates, recordings: Sequence[Recording], segments: Sequence[Segment]
) -> list[Context]:
    """(n,) the context of each candidate, from the slots of its recording.

    ``candidates.recording`` points into ``recordings``.
    """
    found = [Context("", "", "")] * len(candidates.term)
    place_of = {one: i for i, one in enumerate(recordings)}
    for segment in segments:
        row_of = np.full(len(recordings), -1, dtype=np.int64)
        for i, one in enumerate(segment.recordings):
            if i not in segment.deleted:
                row_of[place_of[one.recording]] = i
        here = np.flatnonzero(row_of[candidates.recording] >= 0)
        if len(here):
            some = candidates.rows(here)
            some = some._replace(recording=row_of[some.recording])
            for row, context in zip(here.tolist(), _in_segment(some, segment), strict=True):
                found[row] = context
    return found


def _in_segment(candidates: Candidates, segment: Segment) -> list[Context]:
    recording = candidates.recording
    slots = segment.slots(np.unique(recording).tolist())
    said = slots.word >= 0
    key, word = slots.key[said], slots.word[said]
    words = segment.words()
    base = recording.astype(np.uint64) << KEY_SHIFT
    start = base + candidates.start_ms.astype(np.uint64)
    end = base + candidates.end_ms.astype(np.uint64)
    bounds = np.stack(
        [
            np.searchsorted(key, base),
            np.searchsorted(key, start),
            np.searchsorted(key, end, side="right"),
            np.searchsorted(key, base + (np.uint64(1) << KEY_SHIFT)),
        ],
        axis=1,
    )
    before = np.searchsorted(slots.key, base)
    first_slot = np.searchsorted(slots.key, start) - before
    last_slot = np.searchsorted(slots.key, end, side="right") - before

    def text(first: int, last: int) -> str:
        return " ".join(words[i] for i in word[first:last].tolist())

    return [
        Context(
            text(max(first, start - WORDS_AROUND), start),
            text(start, end),
            text(end, min(last, end + WORDS_AROUND)),
            covered,
        )
        for (first, start, end, last), covered in zip(
            bounds.tolist(), zip(first_slot.tolist(), last_slot.tolist(), strict=True), strict=True
        )
    ]
