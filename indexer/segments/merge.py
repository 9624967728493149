"""Merge many segments into one that equals inverting everything at once.

`indexer.maintain` chooses the segments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, count, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from indexer.segments.invert import slot_errors
from indexer.segments.merged_postings import merged_postings
from indexer.segments.phone_columns import merged_heard
from indexer.segments.sound import merged_sound
from std.store import Segment
from std.store.columns import (
    KEY_SHIFT,
    SLOT_ERROR,
    TIME_MASK,
    IndexedRecording,
    SegmentColumns,
    first_slots,
    pack_vocabulary,
)
from std.store.protocol import verified_columns
from std.store.speakers import SPEAKER_NAMES, Speakers, speaker_columns, turn_columns
from std.values import Bools, Column, Int32s, Int64s, Recording, UInt64s

Rows = Int64s | slice
Scalar = TypeVar("Scalar", bound=np.generic)
Rebuild = Callable[[SegmentColumns], Mapping[str, Column]]


def merged(segments: Sequence[Segment], rebuild: Rebuild | None = None) -> SegmentColumns:
    """One segment with the live recordings of all; parts of one recording are combined.

    Processes the vocabulary in blocks, so it needs little memory beside its result.

    Args:
        segments: what to merge; those without an id are not committed yet. Slots of one recording
            with the same middle are ordered by the start of the segments' speech of it.
        rebuild: makes the extra columns of the result; without it only `SLOT_ERROR`, the speakers,
            the sound and the phones heard are kept.

    Returns:
        Columns equal to those of inverting all the live recordings' networks at once.

    Raises:
        StoreError: a segment is damaged.
    """
    parts = [verified_columns(segment) for segment in segments]
    lives = [_live(one) for one in segments]
    recordings = _recordings(parts, lives)
    row_of = {one.recording: row for row, one in enumerate(recordings)}
    rows = [
        np.array([row_of.get(one.recording, -1) for one in part.recordings], dtype=np.int64)
        for part in parts
    ]

    slot_kept = [_kept_slots(part, live) for part, live in zip(parts, lives, strict=True)]
    new_key, slot_order = _merged_slot_keys(parts, slot_kept, rows)
    new_slots = _new_slots(parts, slot_kept, slot_order)

    kept = [_kept_postings(part, live) for part, live in zip(parts, lives, strict=True)]
    counts = [_live_counts(part, k) for part, k in zip(parts, kept, strict=True)]
    vocabulary, new_ids = _merged_vocabulary(segments, counts)
    offsets = _offsets(len(vocabulary), new_ids, counts)
    postings = merged_postings(parts, lives, new_slots, new_ids, offsets, new_key)
    columns = SegmentColumns(
        recordings=recordings,
        vocabulary=pack_vocabulary(vocabulary),
        posting_offsets=offsets,
        posting_start_ms=postings.start_ms,
        posting_duration_ms=postings.duration_ms,
        posting_posterior=postings.posterior,
        posting_slot=postings.slot,
        slot_offsets=first_slots(new_key, len(recordings)),
        slot_key=new_key,
        slot_epsilon=_concatenated(
            [part.slot_epsilon[k] for part, k in zip(parts, slot_kept, strict=True)], np.float32
        )[slot_order],
        slot_word=_concatenated(
            [
                _renamed(part.slot_word[k], ids)
                for part, k, ids in zip(parts, slot_kept, new_ids, strict=True)
            ],
            np.int32,
        )[slot_order],
        extra=_slot_errors(parts, slot_kept, slot_order)
        | _speakers(parts, slot_kept, slot_order)
        | _of_sound(parts, lives, rows, recordings),
    )
    return replace(columns, extra={**columns.extra, **rebuild(columns)}) if rebuild else columns


def _of_sound(
    parts: Sequence[SegmentColumns],
    lives: Sequence[Bools],
    rows: Sequence[Int64s],
    recordings: Sequence[IndexedRecording],
) -> dict[str, Column]:
    """The columns of sound and of phones heard of the merged segment, if a part has them."""
    sound = merged_sound(parts, lives, rows, len(recordings))
    return sound | merged_heard(parts, lives, recordings)


def _slot_errors(
    parts: Sequence[SegmentColumns], slot_kept: Sequence[Rows], slot_order: Int64s
) -> dict[str, Column]:
    """The column `SLOT_ERROR` of the merged segment, if a part has one."""
    if not any(SLOT_ERROR in part.extra for part in parts):
        return {}
    errors_ms = [
        part.extra.get(SLOT_ERROR, np.zeros(len(part.slot_key), np.uint32))[kept]
        for part, kept in zip(parts, slot_kept, strict=True)
    ]
    return slot_errors(_concatenated(errors_ms, np.uint32)[slot_order])


def _speakers(
    parts: Sequence[SegmentColumns], slot_kept: Sequence[Rows], slot_order: Int64s
) -> dict[str, Column]:
    """The columns of the merged segment that say who spoke, if a part has them."""
    if not any(SPEAKER_NAMES in part.extra for part in parts):
        return {}
    if all(isinstance(kept, slice) for kept in slot_kept) and _ascends(slot_order):
        return _appended(parts)
    names: list[str] = []
    rows = []
    for part, kept in zip(parts, slot_kept, strict=True):
        speakers = Speakers.read(part.extra)
        rows.append(speakers.in_all(len(part.slot_key))[kept] + len(names))
        names += speakers.names
    return speaker_columns(names, _concatenated(rows, np.int32)[slot_order])


def _appended(parts: Sequence[SegmentColumns]) -> dict[str, Column]:
    """The columns of speakers, if the slots of the parts follow each other: from their turns."""
    names: list[str] = []
    begins, rows, done = [], [], 0
    for part in parts:
        if not len(part.slot_key):
            continue
        speakers = Speakers.read(part.extra)
        begins.append(speakers.begin.astype(np.int64) + done)
        rows.append(speakers.row.astype(np.int64) + len(names))
        names += speakers.names
        done += len(part.slot_key)
    return turn_columns(names, _concatenated(begins, np.int64), _concatenated(rows, np.int64))


def _ascends(order: Int64s) -> bool:
    return bool((order[1:] > order[:-1]).all())


def _merged_slot_keys(
    parts: Sequence[SegmentColumns], slot_kept: Sequence[Rows], rows: Sequence[Int64s]
) -> tuple[UInt64s, Int64s]:
    """The keys of all kept slots in order, and that order.

    ``rows`` maps the recordings of each part to the merged ones.
    """
    slot_key = _concatenated(
        [_moved(p.slot_key[k], r) for p, k, r in zip(parts, slot_kept, rows, strict=True)],
        np.uint64,
    )
    slot_order = _slot_order(
        slot_key, [len(p.slot_key[k]) for p, k in zip(parts, slot_kept, strict=True)]
    )
    return slot_key[slot_order], slot_order


def _slot_order(slot_key: UInt64s, sizes: Sequence[int]) -> Int64s:
    """The order of the slots of several parts by time.

    If parts hold utterances of one recording, slots may share a key: then the part whose speech of
    this recording begins first goes first, whatever the order of the parts.
    """
    if (slot_key[1:] > slot_key[:-1]).all():  # parts of different recordings, in their order
        return np.arange(len(slot_key))
    part = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.concatenate([[0], np.cumsum(sizes)])
    recording = slot_key >> KEY_SHIFT
    order = np.argsort(slot_key, kind="stable")
    tied = slot_key[order][1:] == slot_key[order][:-1]
    if not (tied & (part[order][1:] != part[order][:-1])).any():
        return order
    first = np.empty_like(slot_key)
    for begin, end in pairwise(begins.tolist()):
        mine = recording[begin:end]
        first[begin:end] = slot_key[begin + np.searchsorted(mine, mine)]
    return np.lexsort((first, slot_key))


def _live(segment: Segment) -> Bools:
    """(r,) which recordings of a segment are live."""
    live = np.ones(len(segment.recordings), dtype=bool)
    live[list(segment.deleted)] = False
    return live


def _recordings(
    parts: Sequence[SegmentColumns], lives: Sequence[Bools]
) -> tuple[IndexedRecording, ...]:
    """The live recordings in order, each once."""
    table: dict[Recording, IndexedRecording] = {}
    for part, live in zip(parts, lives, strict=True):
        for row in np.flatnonzero(live).tolist():
            one = part.recordings[row]
            known = table.get(one.recording, IndexedRecording(one.recording, 0, 0))
            table[one.recording] = IndexedRecording(
                one.recording,
                known.speech_ms + one.speech_ms,
                known.utterances + one.utterances,
                known.times_estimated or one.times_estimated,
                tuple(sorted({*known.inputs, *one.inputs})),
            )
    return tuple(table[recording] for recording in sorted(table))


def _kept_slots(part: SegmentColumns, live: Bools) -> Rows:
    """Rows of slots whose recording is live; a slice, which copies nothing, if all are."""
    if live.all():
        return slice(None)
    return np.flatnonzero(np.repeat(live, np.diff(part.slot_offsets)))


def _kept_postings(part: SegmentColumns, live: Bools) -> Rows:
    """Rows of postings whose recording is live; a slice, which copies nothing, if all are."""
    if live.all():
        return slice(None)
    return np.flatnonzero(np.repeat(live, np.diff(part.slot_offsets))[part.posting_slot])


def _moved(key: UInt64s, rows: Int64s) -> UInt64s:
    """Keys in terms of the merged recordings; ``rows`` maps the old ones."""
    recording = rows[(key >> KEY_SHIFT).astype(np.int64)].astype(np.uint64)
    moved: UInt64s = (recording << KEY_SHIFT) | (key & TIME_MASK)
    return moved


def _live_counts(part: SegmentColumns, kept: Rows) -> Int64s:
    """(V,) number of live postings of each word."""
    if isinstance(kept, slice):
        return np.diff(part.posting_offsets)
    return np.diff(np.searchsorted(kept, part.posting_offsets))


def _offsets(words: int, new_ids: Sequence[Int64s], counts: Sequence[Int64s]) -> Int64s:
    """(V + 1,) where the postings of each merged word begin."""
    total = np.zeros(words, dtype=np.int64)
    for ids, n in zip(new_ids, counts, strict=True):
        total[ids[ids >= 0]] += n[ids >= 0]
    return np.concatenate([[0], np.cumsum(total)])


def _merged_vocabulary(
    segments: Sequence[Segment], counts: Sequence[Int64s]
) -> tuple[list[str], list[Int64s]]:
    """The words that still have postings, and for each segment the new id of each old one."""
    used = [
        list(compress(one.words(), (n > 0).tolist()))
        for one, n in zip(segments, counts, strict=True)
    ]
    vocabulary = sorted(dict.fromkeys(chain.from_iterable(used)))  # fast: runs in order
    id_of = dict(zip(vocabulary, count(), strict=False))
    new_ids = []
    for words, n in zip(used, counts, strict=True):
        ids = np.full(len(n), -1, dtype=np.int64)
        ids[n > 0] = np.fromiter(map(id_of.__getitem__, words), np.int64, len(words))
        new_ids.append(ids)
    return vocabulary, new_ids


def _new_slots(
    parts: Sequence[SegmentColumns], slot_kept: Sequence[Rows], slot_order: Int64s
) -> list[Int32s]:
    """For each segment the new row of each of its slots; -1 if it is dropped."""
    new_row = np.empty(len(slot_order), dtype=np.int32)
    new_row[slot_order] = np.arange(len(slot_order), dtype=np.int32)
    places, before = [], 0
    for part, kept in zip(parts, slot_kept, strict=True):
        place = np.full(len(part.slot_key), -1, dtype=np.int32)
        n_kept = len(part.slot_key[kept])
        place[kept] = new_row[before : before + n_kept]
        places.append(place)
        before += n_kept
    return places


def _renamed(slot_word: Int32s, new_ids: Int64s) -> Int64s:
    """Word ids of slots in terms of the merged vocabulary; -1 stays -1."""
    return np.append(new_ids, -1)[slot_word]


def _concatenated(columns: Sequence[npt.NDArray[Any]], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Concatenate, also when there is nothing to concatenate."""
    return np.concatenate([np.empty(0, dtype), *columns]).astype(dtype, copy=False)
