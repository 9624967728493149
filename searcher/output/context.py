"""What the recogniser wrote around a detection, and what it holds for likeliest in its place."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates
from std.errors import StoreError
from std.store import Segment
from std.store.columns import KEY_SHIFT, SLOT_ERROR
from std.values import Int32s, Recording

WORDS_AROUND = 4


class Context(NamedTuple):
    """The likeliest words before the slots of a detection, in them, and after them.

    In its own slots the detection's words may be less likely than others, or than silence.
    """

    before: str
    likeliest: str
    after: str
    slots: tuple[int, int] = (0, 0)  # first and one past the last, of its recording's slots
    error_ms: int = 0  # how far its times may be off; 0 where none of them is estimated


def contexts(
    candidates: Candidates, recordings: Sequence[Recording], segments: Sequence[Segment]
) -> list[Context]:
    """(n,) the context of each candidate, from the slots of its recording.

    ``candidates.recording`` points into ``recordings``.

    Args:
        candidates: (n,) whose recordings are rows of ``recordings``.
        recordings: the search's table.
        segments: that were searched.
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
    slots = segment.slots(np.unique(candidates.recording).tolist())
    words = segment.words()
    base = candidates.recording.astype(np.uint64) << KEY_SHIFT
    recording = np.searchsorted(slots.key, base)
    recording_end = np.searchsorted(slots.key, base + (np.uint64(1) << KEY_SHIFT))
    first = slots.positions(candidates.first_slot)
    end = slots.positions(candidates.last_slot) + 1
    errors_ms = _largest_errors(candidates, segment)

    def text(ids: Int32s) -> str:
        return " ".join(words[i] for i in ids.tolist())

    return [
        Context(
            text(_last(slots.word[begin:own])),
            text(slots.word[own:after][slots.word[own:after] >= 0]),
            text(_last(slots.word[after:stop][::-1])[::-1]),
            (own - begin, after - begin),
            error_ms,
        )
        for begin, own, after, stop, error_ms in zip(
            *(column.tolist() for column in (recording, first, end, recording_end)),
            errors_ms,
            strict=True,
        )
    ]


def _last(ids: Int32s) -> Int32s:
    """The last `WORDS_AROUND` slots with a word, looking no further back than needed."""
    window = 4 * WORDS_AROUND
    while True:
        near = ids[-window:]
        said = near[near >= 0]
        if len(said) >= WORDS_AROUND or window >= len(ids):
            return said[-WORDS_AROUND:]
        window *= 4


def _largest_errors(candidates: Candidates, segment: Segment) -> list[int]:
    """(n,) how far the times of each candidate may be off: what the worst of its slots may."""
    column = segment.extra(SLOT_ERROR)
    if column is None:
        return [0] * len(candidates.term)
    first, last = candidates.first_slot, candidates.last_slot
    if int(last.max(initial=-1)) >= len(column):
        raise StoreError(f"segment {segment.id}: expected {SLOT_ERROR} of every slot")
    bounds = np.stack([first, last + 1], axis=1).ravel()
    padded = np.append(column, 0)  # what is one past the last may be asked for
    largest: list[int] = np.maximum.reduceat(padded, bounds)[::2].tolist()
    return largest
