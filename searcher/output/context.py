"""What the recogniser wrote around a detection, and what it holds for likeliest in its place."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates
from searcher.recording_table import recording_table
from std.characters import has_characters, text_of
from std.errors import StoreError
from std.store import Segment
from std.store.columns import KEY_SHIFT, SLOT_ERROR, Int64s
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
    rows = candidates.recording
    if recordings is not table.recordings:
        distinct, which = np.unique(rows, return_inverse=True)
        known = [table.row_of.get(recordings[one], -1) for one in distinct.tolist()]
        rows = np.array(known, int)[which]
    here = np.append(table.segment, -1)[rows]  # row -1, of no segment, is the last
    for number in np.unique(here[here >= 0]).tolist():
        places = np.flatnonzero(here == number)
        some = candidates.rows(places)
        some = some._replace(recording=table.row_in_segment[rows[places]])
        for place, context in zip(
            places.tolist(), _in_segment(some, segments[number]), strict=True
        ):
            found[place] = context
    return found


def _in_segment(candidates: Candidates, segment: Segment) -> list[Context]:
    slots = segment.slots(np.unique(candidates.recording).tolist())
    base = candidates.recording.astype(np.uint64) << KEY_SHIFT
    recording = np.searchsorted(slots.key, base)
    recording_end = np.searchsorted(slots.key, base + (np.uint64(1) << KEY_SHIFT))
    first = slots.positions(candidates.first_slot)
    end = slots.positions(candidates.last_slot) + 1
    before, own, after = _around(slots.word, segment.words(), recording, first, end, recording_end)
    own_slots = zip((first - recording).tolist(), (end - recording).tolist(), strict=True)
    errors_ms = _largest_errors(candidates, segment)
    return [*map(Context, before, own, after, own_slots, errors_ms)]


def _around(
    word: Int32s, words: Sequence[str], begin: Int64s, first: Int64s, end: Int64s, stop: Int64s
) -> tuple[list[str], list[str], list[str]]:
    """The words before some slots of a recording, in them and after them, for n detections.

    Only a few slots are looked at, and more where these are silent.

    Args:
        word: (slots,) id of the likeliest word; -1 where there is none.
        words: by id.
        begin, stop: (n,) first slot of the recording, and one past the last.
        first, end: (n,) likewise of the slots themselves.
    """
    n = len(first)
    around = np.tile(_how_many_around(word, words, first, end), 3)
    starts, ends = np.concatenate([begin, first, end]), np.concatenate([first, end, stop])
    is_before, is_own, is_after = (np.repeat([i == part for part in range(3)], n) for i in range(3))
    reach = np.where(is_own, ends - starts, 2 * around)
    while True:
        low = np.where(is_before, np.maximum(starts, ends - reach), starts)
        high = np.where(is_after, np.minimum(ends, starts + reach), ends)
        run, said = _words_said(word, low, high)
        count = np.bincount(run, minlength=3 * n)
        is_short = (count < around) & ((low > starts) | (high < ends))
        if not is_short.any():
            break
        reach[is_short] *= 4
    place = np.arange(len(run)) - (np.cumsum(count) - count)[run]  # of each word in its run
    shown = np.where(is_own, count, np.minimum(count, around))
    skipped = np.where(is_before, count - shown, 0)
    kept = said[(place >= skipped[run]) & (place < (skipped + shown)[run])]
    texts = [words[i] for i in kept.tolist()]
    bounds = pairwise([0, *np.cumsum(shown).tolist()])
    joined = [text_of(texts[low:high]) for low, high in bounds]
    return joined[:n], joined[n : 2 * n], joined[2 * n :]


def _how_many_around(word: Int32s, words: Sequence[str], first: Int64s, end: Int64s) -> Int64s:
    """(n,) words to show on either side; arguments as those of `_around`."""
    run, said = _words_said(word, first, end)
    distinct, which = np.unique(said, return_inverse=True)
    is_character = np.array([has_characters(words[i]) for i in distinct.tolist()], bool)[which]
    with_characters = np.bincount(run, weights=is_character, minlength=len(first)) > 0
    return np.where(with_characters, CHARACTERS_AROUND, WORDS_AROUND)


def _words_said(word: Int32s, low: Int64s, high: Int64s) -> tuple[Int64s, Int32s]:
    """The likeliest words of runs of slots, without silent ones.

    Args:
        word: (slots,) id of the likeliest word; -1 where there is none.
        low, high: (n,) first slot of each run, and one past the last.

    Returns:
        (w,) number of each word's run, ascending; (w,) its id.
    """
    length = high - low
    run = np.repeat(np.arange(len(low)), length)
    first_of_run = np.cumsum(length) - length
    said = word[np.arange(len(run)) + (low - first_of_run)[run]]
    is_said = said >= 0
    return run[is_said], said[is_said]


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
