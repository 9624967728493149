"""The postings of a merged segment, gathered from its parts a block of words at a time."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from indexer.segments.invert import posting_order
from std.store.columns import TIME_MASK, SegmentColumns
from std.values import Bools, Float32s, Int32s, Int64s, UInt16s, UInt32s, UInt64s

BLOCK_POSTINGS = 2_000_000  # merged at once


class MergedPostings(NamedTuple):
    """The postings of the merged segment, in order."""

    start_ms: UInt32s
    duration_ms: UInt16s
    posterior: Float32s
    slot: Int32s


def merged_postings(
    parts: Sequence[SegmentColumns],
    lives: Sequence[Bools],
    new_slots: Sequence[Int32s],
    new_ids: Sequence[Int64s],
    offsets: Int64s,
    new_key: UInt64s,
) -> MergedPostings:
    """Gather the live postings of all parts, a block of the vocabulary at a time.

    Args:
        parts: the columns of the segments.
        lives: for each part, (r,) which of its recordings are live.
        new_slots: for each part, (n,) the row of each slot in the merged segment; -1: dropped.
        new_ids: for each part, (V,) the row of each word in the merged vocabulary; -1: dropped.
        offsets: (V + 1,) ``posting_offsets`` of the merged segment.
        new_key: (n,) ``slot_key`` of the merged segment.
    """
    start_ms = np.empty(offsets[-1], np.uint32)
    duration_ms = np.empty(offsets[-1], np.uint16)
    posterior = np.empty(offsets[-1], np.float32)
    slot = np.empty(offsets[-1], np.int32)
    for first, last in _blocks(offsets):
        pieces = [
            _piece(part, live, place, ids, first, last)
            for part, live, place, ids in zip(parts, lives, new_slots, new_ids, strict=True)
        ]
        block = _Piece(*map(np.concatenate, zip(*pieces, strict=True)))
        key = (new_key[block.slot] & ~TIME_MASK) | block.start_ms
        order = posting_order(block.word - first, key, block.slot)
        here = slice(offsets[first], offsets[last])
        start_ms[here] = block.start_ms[order]
        duration_ms[here] = block.duration_ms[order]
        posterior[here] = block.posterior[order]
        slot[here] = block.slot[order]
    return MergedPostings(start_ms, duration_ms, posterior, slot)


class _Piece(NamedTuple):
    """One segment's live postings of a block of words, in terms of the merged segment."""

    word: Int64s
    start_ms: UInt32s
    duration_ms: UInt16s
    posterior: Float32s
    slot: Int32s


def _piece(
    part: SegmentColumns, live: Bools, new_slots: Int32s, new_ids: Int64s, first: int, last: int
) -> _Piece:
    """Postings of the words ``first`` to before ``last`` of the merged vocabulary."""
    inside = np.flatnonzero((new_ids >= first) & (new_ids < last))
    low, high = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (0, 0)
    offsets = part.posting_offsets[low : high + 1]
    span = slice(int(offsets[0]), int(offsets[-1]))
    word = np.repeat(new_ids[low:high], np.diff(offsets))
    slot = new_slots[part.posting_slot[span]]
    kept: Int64s | slice = slice(None) if live.all() else np.flatnonzero(slot >= 0)
    return _Piece(
        word[kept],
        part.posting_start_ms[span][kept],
        part.posting_duration_ms[span][kept],
        part.posting_posterior[span][kept],
        slot[kept],
    )


def _blocks(offsets: Int64s) -> Iterator[tuple[int, int]]:
    """Cut the vocabulary in runs of words with about `BLOCK_POSTINGS` each, at least one word."""
    first, n = 0, len(offsets) - 1
    while first < n:
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK_POSTINGS, "right")) - 1
        last = min(max(last, first + 1), n)
        yield first, last
        first = last
