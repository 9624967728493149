"""What the recogniser wrote around a detection, and what it holds for likeliest in its place."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates
from searcher.recording_table import recording_table
from std.characters import has_characters, text_of
from std.errors import StoreError
from std.store import Segment
from std.store.columns import KEY_SHIFT, SLOT_ERROR
from std.values import Int32s, Recording

WORDS_AROUND = 4
CHARACTERS_AROUND = 12  # where text has no spaces


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
    table = recording_table(segments)
    distinct, which = np.unique(candidates.recording, return_inverse=True)
    rows = np.array([table.row_of.get(recordings[one], -1) for one in distinct.tolist()], int)
    here = np.append(table.segment, -1)[rows][which]  # row -1, of no segment, is the last
    for number in np.unique(here[here >= 0]).tolist():
        places = np.flatnonzero(here == number)
        some = candidates.rows(places)
        some = some._replace(recording=table.row_in_segment[rows[which[places]]])
        for place, context in zip(
            places.tolist(), _in_segment(some, segments[number]), strict=True
        ):
            found[place] = context
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

    return [
        Context(
            *_around(slots.word, words, *bounds),
            (bounds[1] - bounds[0], bounds[2] - bounds[0]),
            error_ms,
        )
        for *bounds, error_ms in zip(
            *(column.tolist() for column in (recording, first, end, recording_end)),
            errors_ms,
            strict=True,
        )
    ]


def _around(
    word: Int32s, words: Sequence[str], begin: int, first: int, end: int, stop: int
) -> tuple[str, str, str]:
    """The words before some slots of a recording, in them and after them.

    Only a few slots are looked at, and more where these are silent.

    Args:
        word: (slots,) id of the likeliest word; -1 where there is none.
        words: by id.
        begin, stop: first slot of the recording, and one past the last.
        first, end: likewise of the slots themselves.
    """
    own = [words[i] for i in word[first:end].tolist() if i >= 0]
    around = CHARACTERS_AROUND if has_characters("".join(own)) else WORDS_AROUND
    reach = 2 * around
    while True:
        low, high = max(begin, first - reach), min(stop, end + reach)
        near = word[low:high].tolist()
        before = [words[i] for i in near[: first - low] if i >= 0]
        after = [words[i] for i in near[end - low :] if i >= 0]
        if (len(before) >= around or low == begin) and (len(after) >= around or high == stop):
            return text_of(before[-around:]), text_of(own), text_of(after[:around])
        reach *= 4


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
