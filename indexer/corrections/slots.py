"""A segment with its corrections, and without them.

    corrected      columns, corrections -> columns with certain words; keeps the replaced slots
    uncorrected    the inverse
    spoken_words   the words of a recording's one-best, with their slots

Both remove slots from columns, and merge the rest with a segment of the new slots
(`indexer.segments.merge`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from indexer.segments.invert import posting_order, slot_errors
from indexer.segments.merge import merged
from std.corrections import Correction, KeptSlot, Layer
from std.store.columns import (
    SLOT_ERROR,
    TIME_MASK,
    IndexedRecording,
    Int64s,
    SegmentColumns,
    first_slots,
    pack_vocabulary,
    unpack_vocabulary,
)
from std.store.resident import ResidentSegment
from std.store.speakers import COLUMNS, Speakers, speaker_columns
from std.values import Bools, Recording


class SpokenWord(NamedTuple):
    """A word of the one-best."""

    word: str
    start_ms: int
    end_ms: int
    slot: int  # row among the slots of the recording


def corrected(
    columns: SegmentColumns, layers: Mapping[str, Layer]
) -> tuple[SegmentColumns, dict[str, Layer]]:
    """Columns with corrections applied.

    Args:
        columns: without phone columns.
        layers: corrections by audio file; those of other files are ignored.

    Returns:
        the columns; and the corrections with the slots that they replaced.
    """
    noted: dict[str, Layer] = {}
    for file, layer in layers.items():
        done = []
        for one in layer:
            row = _row(columns, Recording(file, one.channel))
            if row is not None:
                span, slots = (one.start_ms, one.end_ms), _certain(one)
                columns, before = _exchanged(columns, row, span, slots, inherit=True)
                one = one._replace(before=before)
            done.append(one)
        noted[file] = tuple(done)
    return columns, noted


def uncorrected(columns: SegmentColumns, layers: Mapping[str, Layer]) -> SegmentColumns:
    """Columns without corrections.

    Args:
        columns: the corrected columns.
        layers: the corrections that `corrected` returned.
    """
    for file, layer in layers.items():
        for one in reversed(layer):
            row = _row(columns, Recording(file, one.channel))
            if row is not None:
                columns, _ = _exchanged(columns, row, (one.start_ms, one.end_ms), one.before)
    return columns


def _certain(correction: Correction) -> tuple[KeptSlot, ...]:
    """The new slots of a correction."""
    last = correction.start_ms
    slots = []
    for left, (word, start_ms, end_ms) in enumerate(correction.words, -len(correction.words)):
        middle = min(max((start_ms + end_ms) // 2, last), correction.end_ms + left)
        alternative = (word, start_ms, max(1, end_ms - start_ms), 1.0)
        slots.append(KeptSlot(middle, 0.0, 0, "", word, (alternative,)))
        last = middle + 1
    return tuple(slots)


def _row(columns: SegmentColumns, recording: Recording) -> int | None:
    for row, one in enumerate(columns.recordings):
        if one.recording == recording:
            return row
    return None


def _exchanged(
    columns: SegmentColumns,
    row: int,
    span_ms: tuple[int, int],
    slots: Sequence[KeptSlot],
    *,
    inherit: bool = False,
) -> tuple[SegmentColumns, tuple[KeptSlot, ...]]:
    """Columns with new slots in a stretch of a recording, and the replaced slots.

    With ``inherit``, the new slots have the speaker and time errors of the replaced ones.
    """
    first, end = columns.slot_offsets[row : row + 2].tolist()
    middles = (columns.slot_key[first:end] & TIME_MASK).astype(np.int64)
    low, high = (first + np.searchsorted(middles, span_ms)).tolist()
    before = _slots(columns, low, high)
    if inherit and first < end:
        (near,) = _slots(columns, min(low, end - 1), min(low, end - 1) + 1)
        error_ms = max((slot.error_ms for slot in before), default=near.error_ms)
        slots = [slot._replace(speaker=near.speaker, error_ms=error_ms) for slot in slots]
    keep = np.ones(len(columns.slot_key), bool)
    keep[low:high] = False
    parts = [_taken(columns, keep), _columns_of(columns.recordings[row].recording, slots)]
    return merged([ResidentSegment(None, part) for part in parts]), before


def _slots(columns: SegmentColumns, low: int, high: int) -> tuple[KeptSlot, ...]:
    """The slots of columns from one row to before another."""
    if low == high:
        return ()
    words = unpack_vocabulary(columns.vocabulary)
    speakers = Speakers.read(columns.extra)
    errors = columns.extra.get(SLOT_ERROR)
    inside = np.flatnonzero((columns.posting_slot >= low) & (columns.posting_slot < high))
    word = np.searchsorted(columns.posting_offsets, inside, side="right") - 1
    alternatives: dict[int, list[tuple[str, int, int, float]]] = {}
    for posting, number in zip(inside.tolist(), word.tolist(), strict=True):
        alternatives.setdefault(int(columns.posting_slot[posting]), []).append(
            (
                words[number],
                int(columns.posting_start_ms[posting]),
                int(columns.posting_duration_ms[posting]),
                float(columns.posting_posterior[posting]),
            )
        )
    found = []
    for slot in range(low, high):
        best = int(columns.slot_word[slot])
        found.append(
            KeptSlot(
                int(columns.slot_key[slot] & TIME_MASK),
                float(columns.slot_epsilon[slot]),
                0 if errors is None else int(errors[slot]),
                speakers.names[int(speakers.at(np.array([slot]))[0])],
                None if best < 0 else words[best],
                tuple(alternatives.get(slot, ())),
            )
        )
    return tuple(found)


def _taken(columns: SegmentColumns, keep: Bools) -> SegmentColumns:
    """Columns without some slots; a merge removes words without postings."""
    new_row = np.cumsum(keep) - 1
    kept = keep[columns.posting_slot]
    extra = {name: column for name, column in columns.extra.items() if name not in COLUMNS}
    if SLOT_ERROR in extra:
        extra |= {SLOT_ERROR: extra[SLOT_ERROR][keep]}
    speakers = Speakers.read(columns.extra)
    extra |= speaker_columns(speakers.names, speakers.in_all(len(keep))[keep])
    slot_key = columns.slot_key[keep]
    before = np.concatenate([[0], np.cumsum(kept)])
    return replace(
        columns,
        posting_offsets=before[columns.posting_offsets],
        posting_start_ms=columns.posting_start_ms[kept],
        posting_duration_ms=columns.posting_duration_ms[kept],
        posting_posterior=columns.posting_posterior[kept],
        posting_slot=new_row[columns.posting_slot[kept]].astype(np.int32),
        slot_offsets=first_slots(slot_key, len(columns.recordings)),
        slot_key=slot_key,
        slot_epsilon=columns.slot_epsilon[keep],
        slot_word=columns.slot_word[keep],
        extra=extra,
    )


def _columns_of(recording: Recording, slots: Sequence[KeptSlot]) -> SegmentColumns:
    """Slots of one recording as a segment."""
    rows = [(slot, *one) for slot, held in enumerate(slots) for one in held.alternatives]
    words = sorted({row[1] for row in rows})
    number = {word: i for i, word in enumerate(words)}
    slot = np.array([row[0] for row in rows], np.int64)
    word = np.array([number[row[1]] for row in rows], np.int64)
    start_ms = np.array([row[2] for row in rows], np.uint32)
    order = posting_order(word, start_ms.astype(np.uint64), slot)
    keys = np.array([held.middle_ms for held in slots], np.uint64)
    names = [held.speaker for held in slots]
    return SegmentColumns(
        recordings=(IndexedRecording(recording, 0, 0),),
        vocabulary=pack_vocabulary(words),
        posting_offsets=np.searchsorted(word[order], np.arange(len(words) + 1)),
        posting_start_ms=start_ms[order],
        posting_duration_ms=np.array([row[3] for row in rows], np.uint16)[order],
        posting_posterior=np.array([row[4] for row in rows], np.float32)[order],
        posting_slot=slot[order].astype(np.int32),
        slot_offsets=first_slots(keys, 1),
        slot_key=keys,
        slot_epsilon=np.array([held.epsilon for held in slots], np.float32),
        slot_word=np.array(
            [-1 if held.word is None else number[held.word] for held in slots], np.int32
        ),
        extra=slot_errors(np.array([held.error_ms for held in slots], np.int64))
        | speaker_columns(names, np.arange(len(slots))),
    )


def spoken_words(columns: SegmentColumns, row: int) -> tuple[list[SpokenWord], Int64s]:
    """The words of the one-best of a recording, and the middles of all its slots.

    Returns:
        the words, in order; and (n,) middles of slots in ms.
    """
    first, end = columns.slot_offsets[row : row + 2].tolist()
    inside = np.flatnonzero((columns.posting_slot >= first) & (columns.posting_slot < end))
    word = np.searchsorted(columns.posting_offsets, inside, side="right") - 1
    slot = columns.posting_slot[inside]
    best = inside[columns.slot_word[slot] == word]
    words = unpack_vocabulary(columns.vocabulary)
    found = [
        SpokenWord(
            words[int(columns.slot_word[columns.posting_slot[one]])],
            int(columns.posting_start_ms[one]),
            int(columns.posting_start_ms[one]) + int(columns.posting_duration_ms[one]),
            int(columns.posting_slot[one]) - first,
        )
        for one in best.tolist()
    ]
    found.sort(key=lambda one: one.slot)
    middles = (columns.slot_key[first:end] & TIME_MASK).astype(np.int64)
    return found, middles
