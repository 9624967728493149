"""A segment with its corrections, and without them.

    corrected      columns, corrections -> columns with certain words; keeps the replaced slots
    uncorrected    the inverse
    spoken_words   the words of the one-best of recordings, with their slots

Both remove slots from columns, and merge the rest with a segment of the new slots
(`indexer.segments.merge`).
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from indexer.segments.invert import posting_order, slot_errors
from indexer.segments.merge import merged
from std.corrections import Correction, KeptSlot, Layer
from std.store.columns import (
    SLOT_ERROR,
    TIME_MASK,
    IndexedRecording,
    SegmentColumns,
    first_slots,
    pack_vocabulary,
    unpack_vocabulary,
)
from std.store.resident import ResidentSegment
from std.store.speakers import COLUMNS, Speakers, speaker_columns
from std.values import Bools, Column, Int64s, Recording


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
    slots, noted = _Slots(columns), dict[str, Layer]()
    for file, layer in layers.items():
        done = []
        for one in layer:
            row = slots.row(Recording(file, one.channel))
            if row is not None:
                span_ms = one.start_ms, one.end_ms
                before = slots.exchange(row, span_ms, _certain(one), inherit=True)
                one = one._replace(before=before)
            done.append(one)
        noted[file] = tuple(done)
    return slots.columns(), noted


def uncorrected(columns: SegmentColumns, layers: Mapping[str, Layer]) -> SegmentColumns:
    """Columns without corrections.

    Args:
        columns: the corrected columns.
        layers: the corrections that `corrected` returned.
    """
    slots = _Slots(columns)
    for file, layer in layers.items():
        for one in reversed(layer):
            row = slots.row(Recording(file, one.channel))
            if row is not None:
                slots.exchange(row, (one.start_ms, one.end_ms), one.before)
    return slots.columns()


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


class _Slots:
    """The slots of columns while stretches are exchanged, recording by recording.

    Many exchanges cost one merge. A slot is its row, or what takes its place.
    """

    def __init__(self, columns: SegmentColumns) -> None:
        self._columns = columns
        self._rows = {one.recording: row for row, one in enumerate(columns.recordings)}
        self._changed: dict[int, tuple[list[int], list[int | KeptSlot]]] = {}  # middles, slots

    def row(self, recording: Recording) -> int | None:
        """The row of a recording; None if the columns lack it."""
        return self._rows.get(recording)

    def exchange(
        self,
        row: int,
        span_ms: tuple[int, int],
        slots: Sequence[KeptSlot],
        *,
        inherit: bool = False,
    ) -> tuple[KeptSlot, ...]:
        """Put new slots in a stretch of a recording; return the replaced ones.

        With ``inherit``, the new slots have the speaker and time errors of the replaced ones.
        """
        if row not in self._changed:
            first, end = self._columns.slot_offsets[row : row + 2].tolist()
            keys = self._columns.slot_key[first:end] & TIME_MASK
            self._changed[row] = keys.tolist(), [*range(first, end)]
        middles, held = self._changed[row]
        low, high = (bisect_left(middles, time_ms) for time_ms in span_ms)
        high = max(low, high)
        before = tuple(map(self._kept, held[low:high]))
        if inherit and held:
            near = self._kept(held[min(low, len(held) - 1)])
            error_ms = max((slot.error_ms for slot in before), default=near.error_ms)
            slots = [slot._replace(speaker=near.speaker, error_ms=error_ms) for slot in slots]
        middles[low:high] = [slot.middle_ms for slot in slots]
        held[low:high] = slots
        return before

    def columns(self) -> SegmentColumns:
        """The columns with all exchanges."""
        if not self._changed:
            return self._columns
        keep, new = np.ones(len(self._columns.slot_key), bool), []
        for row, (_, held) in sorted(self._changed.items()):
            first, end = self._columns.slot_offsets[row : row + 2].tolist()
            keep[first:end] = False
            keep[[one for one in held if isinstance(one, int)]] = True
            slots = [one for one in held if isinstance(one, KeptSlot)]
            new.append(_columns_of(self._columns.recordings[row].recording, slots))
        parts = [_taken(self._columns, keep), *new]
        return merged([ResidentSegment(None, part) for part in parts])

    def _kept(self, slot: int | KeptSlot) -> KeptSlot:
        if isinstance(slot, KeptSlot):
            return slot
        best = int(self._columns.slot_word[slot])
        return KeptSlot(
            int(self._columns.slot_key[slot] & TIME_MASK),
            float(self._columns.slot_epsilon[slot]),
            0 if self._errors is None else int(self._errors[slot]),
            self._speakers.names[int(self._speakers.at(np.array([slot]))[0])],
            None if best < 0 else self._words[best],
            tuple(map(self._alternative, self._postings(slot))),
        )

    def _alternative(self, posting: int) -> tuple[str, int, int, float]:
        columns = self._columns
        return (
            self._words[int(np.searchsorted(columns.posting_offsets, posting, side="right")) - 1],
            int(columns.posting_start_ms[posting]),
            int(columns.posting_duration_ms[posting]),
            float(columns.posting_posterior[posting]),
        )

    def _postings(self, slot: int) -> list[int]:
        order, offsets = self._by_slot
        found: list[int] = order[offsets[slot] : offsets[slot + 1]].tolist()
        return found

    @cached_property
    def _by_slot(self) -> tuple[Int64s, Int64s]:
        """The postings ordered by slot, and where those of each slot begin."""
        slots = self._columns.posting_slot
        counts = np.bincount(slots, minlength=len(self._columns.slot_key))
        return np.argsort(slots, kind="stable"), np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def _words(self) -> list[str]:
        return unpack_vocabulary(self._columns.vocabulary)

    @cached_property
    def _speakers(self) -> Speakers:
        return Speakers.read(self._columns.extra)

    @cached_property
    def _errors(self) -> Column | None:
        return self._columns.extra.get(SLOT_ERROR)


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


def spoken_words(
    columns: SegmentColumns, rows: Sequence[int]
) -> Iterator[tuple[list[SpokenWord], Int64s]]:
    """The words of the one-best of some recordings, and the middles of all their slots.

    Args:
        rows: of the recordings.

    Yields:
        the words of a recording, in order; and (n,) middles of its slots in ms.
    """
    words = unpack_vocabulary(columns.vocabulary)
    word = np.repeat(np.arange(len(words)), np.diff(columns.posting_offsets))
    best = np.flatnonzero(columns.slot_word[columns.posting_slot] == word)
    best = best[np.argsort(columns.posting_slot[best], kind="stable")]
    slots = columns.posting_slot[best]
    for row in rows:
        first, end = columns.slot_offsets[row : row + 2].tolist()
        found = [
            SpokenWord(
                words[int(word[one])],
                int(columns.posting_start_ms[one]),
                int(columns.posting_start_ms[one]) + int(columns.posting_duration_ms[one]),
                int(columns.posting_slot[one]) - first,
            )
            for one in best[slice(*np.searchsorted(slots, [first, end]).tolist())].tolist()
        ]
        yield found, (columns.slot_key[first:end] & TIME_MASK).astype(np.int64)
