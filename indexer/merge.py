"""Merging: many segments into one that reads as if everything had been inverted at once.

A look-up costs one step per segment, so an index of many small segments is slow to search and
one big segment is slow to add to. In between stand tiers: segments of about the same size are
merged as soon as there are `FAN_IN` of them, so each posting is rewritten at most once per tier
and an index of n postings has at most about ``FAN_IN * log(n)`` segments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from std.store import Segment
from std.store.columns import (
    KEY_SHIFT,
    TIME_MASK,
    Column,
    IndexedRecording,
    Int64s,
    SegmentColumns,
    UInt64s,
    pack_vocabulary,
)
from std.values import Bools, Int32s, Recording

FAN_IN = 8  # segments of a tier that become one of the next; also the ratio of their sizes
SMALLEST_TIER = 100_000  # postings below which segments are all alike

Rows = Int64s | slice
Scalar = TypeVar("Scalar", bound=np.generic)
Rebuild = Callable[[SegmentColumns], Mapping[str, Column]]


def plan(sizes: Sequence[int]) -> list[list[int]]:
    """Which segments to merge now, given each one's number of postings.

    Returns:
        Groups of rows of ``sizes``, each to become one segment; none where nothing is due. What
        a merge makes may fill the next tier: plan again until there is nothing left.
    """
    tiers: dict[int, list[int]] = {}
    for row, size in enumerate(sizes):
        tiers.setdefault(_tier(size), []).append(row)
    return [rows for _, rows in sorted(tiers.items()) if len(rows) >= FAN_IN]


def _tier(size: int) -> int:
    tier, limit = 0, SMALLEST_TIER
    while size >= limit:
        tier, limit = tier + 1, limit * FAN_IN
    return tier


def merged(segments: Sequence[Segment], rebuild: Rebuild | None = None) -> SegmentColumns:
    """One segment with the live recordings of all; a recording that several hold is united.

    Args:
        segments: what to merge. Slots of one recording that share their middle keep the order
            of the segments.
        rebuild: makes the extra columns of the result, which are dropped without it.

    Returns:
        Columns equal to those of inverting all the live recordings' networks at once.
    """
    parts = [one.columns() for one in segments]
    lives = [_live(one) for one in segments]
    recordings = _recordings(parts, lives)
    row_of = {one.recording: row for row, one in enumerate(recordings)}
    rows = [
        np.array([row_of.get(one.recording, -1) for one in part.recordings], dtype=np.int64)
        for part in parts
    ]

    slot_kept = [_kept(part.slot_key, live) for part, live in zip(parts, lives, strict=True)]
    slot_key = _concatenated(
        [_moved(p.slot_key[k], r) for p, k, r in zip(parts, slot_kept, rows, strict=True)],
        np.uint64,
    )
    slot_order = np.argsort(slot_key, kind="stable")
    new_slot = np.empty(len(slot_key), dtype=np.int64)
    new_slot[slot_order] = np.arange(len(slot_key))

    kept = [_kept(part.posting_key, live) for part, live in zip(parts, lives, strict=True)]
    old_words = [_words_of_postings(part)[k] for part, k in zip(parts, kept, strict=True)]
    vocabulary, new_ids = _united_vocabulary(segments, old_words)
    key = _concatenated(
        [_moved(p.posting_key[k], r) for p, k, r in zip(parts, kept, rows, strict=True)], np.uint64
    )
    word = _concatenated([n[w] for n, w in zip(new_ids, old_words, strict=True)], np.int64)
    slot = new_slot[_slots_side_by_side(parts, kept, slot_kept)]
    order = np.lexsort((slot, key, word))
    columns = SegmentColumns(
        recordings=recordings,
        vocabulary=pack_vocabulary(vocabulary),
        posting_offsets=np.searchsorted(word[order], np.arange(len(vocabulary) + 1)),
        posting_key=key[order],
        posting_duration_ms=_picked(parts, kept, "posting_duration_ms", np.uint16)[order],
        posting_posterior=_picked(parts, kept, "posting_posterior", np.float32)[order],
        posting_slot=slot[order].astype(np.int32),
        slot_key=slot_key[slot_order],
        slot_epsilon=_picked(parts, slot_kept, "slot_epsilon", np.float32)[slot_order],
        slot_word=_concatenated(
            [
                _renamed(part.slot_word[k], ids)
                for part, k, ids in zip(parts, slot_kept, new_ids, strict=True)
            ],
            np.int32,
        )[slot_order],
    )
    return replace(columns, extra=dict(rebuild(columns))) if rebuild else columns


def _live(segment: Segment) -> Bools:
    """(r,) which recordings of a segment still count."""
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
            )
    return tuple(table[recording] for recording in sorted(table))


def _kept(key: UInt64s, live: Bools) -> Rows:
    """Rows whose recording is live; a slice, which copies nothing, where all are."""
    if live.all():
        return slice(None)
    return np.flatnonzero(live[(key >> KEY_SHIFT).astype(np.int64)])


def _moved(key: UInt64s, rows: Int64s) -> UInt64s:
    """Keys in terms of the merged recordings; ``rows`` maps the old ones."""
    recording = rows[(key >> KEY_SHIFT).astype(np.int64)].astype(np.uint64)
    moved: UInt64s = (recording << KEY_SHIFT) | (key & TIME_MASK)
    return moved


def _words_of_postings(part: SegmentColumns) -> Int64s:
    """(m,) the word id of each posting."""
    return np.repeat(np.arange(len(part.posting_offsets) - 1), np.diff(part.posting_offsets))


def _united_vocabulary(
    segments: Sequence[Segment], word_ids: Sequence[Int64s]
) -> tuple[list[str], list[Int64s]]:
    """The words that still have postings, and for each segment the new id of each old one."""
    used = [np.unique(ids) for ids in word_ids]
    words = [one.words() for one in segments]
    vocabulary = sorted(
        set(
            chain.from_iterable(
                (w[i] for i in u.tolist()) for w, u in zip(words, used, strict=True)
            )
        )
    )
    id_of = {word: row for row, word in enumerate(vocabulary)}
    return vocabulary, [
        np.array([id_of.get(word, -1) for word in one], dtype=np.int64) for one in words
    ]


def _slots_side_by_side(
    parts: Sequence[SegmentColumns],
    kept: Sequence[Rows],
    slot_kept: Sequence[Rows],
) -> Int64s:
    """(m,) each kept posting's row among the kept slots of all segments, one after the other."""
    rows, before = [], 0
    for part, k, s in zip(parts, kept, slot_kept, strict=True):
        place = np.full(len(part.slot_key), -1, dtype=np.int64)
        n_kept = len(part.slot_key[s])
        place[s] = np.arange(before, before + n_kept)
        rows.append(place[part.posting_slot[k]])
        before += n_kept
    return _concatenated(rows, np.int64)


def _renamed(slot_word: Int32s, new_ids: Int64s) -> Int64s:
    """Word ids of slots in terms of the merged vocabulary; -1 stays -1."""
    return np.append(new_ids, -1)[slot_word]


def _picked(
    parts: Sequence[SegmentColumns], rows: Sequence[Rows], name: str, dtype: type[Scalar]
) -> npt.NDArray[Scalar]:
    """One column of all segments, kept rows only, one segment after the other."""
    return _concatenated(
        [getattr(part, name)[kept] for part, kept in zip(parts, rows, strict=True)], dtype
    )


def _concatenated(columns: Sequence[npt.NDArray[Any]], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Concatenate, also when there is nothing to concatenate."""
    return np.concatenate([np.empty(0, dtype), *columns]).astype(dtype, copy=False)
