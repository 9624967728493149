"""A segment whose columns are all at hand, in memory or memory-mapped.

Untrusted columns are checked where they are used: a damaged index gives a `StoreError`, never
an access out of bounds.
"""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from std.errors import StoreError
from std.store.columns import (
    KEY_SHIFT,
    Column,
    IndexedRecording,
    Int64s,
    Postings,
    SegmentColumns,
    Slots,
    unpack_vocabulary,
)


@dataclass(frozen=True, eq=False)
class ResidentSegment:
    """`std.store.Segment` over `SegmentColumns`."""

    id: str
    _columns: SegmentColumns
    deleted: frozenset[int] = frozenset()

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        return self._columns.recordings

    @cached_property
    def _words(self) -> list[str]:
        words = unpack_vocabulary(self._columns.vocabulary, f"segment {self.id}")
        if len(words) != len(self._columns.posting_offsets) - 1:
            raise StoreError(f"segment {self.id}: vocabulary and posting offsets do not fit")
        return words

    @cached_property
    def _slots(self) -> Slots:
        columns = self._columns
        slots = Slots(columns.slot_key, columns.slot_epsilon, columns.slot_word)
        return checked_slots(slots, len(self._words), f"segment {self.id}")

    def words(self) -> list[str]:
        return self._words

    def counts(self) -> Int64s:
        return np.diff(self._columns.posting_offsets)

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        found = {}
        for word in words:
            row = bisect_left(self._words, word)
            if row < len(self._words) and self._words[row] == word:
                postings = self._row(row)
                if len(postings.key):
                    found[word] = postings
        return found

    def _row(self, row: int) -> Postings:
        columns = self._columns
        span = slice(int(columns.posting_offsets[row]), int(columns.posting_offsets[row + 1]))
        postings = Postings(
            columns.posting_key[span],
            columns.posting_duration_ms[span],
            columns.posting_posterior[span],
            columns.posting_slot[span],
        )
        limits = len(columns.recordings), len(columns.slot_key)
        return without(checked_postings(postings, *limits, f"segment {self.id}"), self.deleted)

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._slots

    def extra(self, name: str) -> Column | None:
        return self._columns.extra.get(name)

    def columns(self) -> SegmentColumns:
        return self._columns


def checked_postings(postings: Postings, recordings: int, slots: int, place: str) -> Postings:
    """The same postings, none of which points at a recording or slot that does not exist.

    Raises:
        StoreError: one does.
    """
    if len(postings.key):
        if int(postings.key.max() >> KEY_SHIFT) >= recordings:
            raise StoreError(f"{place}: a posting names a recording that does not exist")
        if int(postings.slot.min()) < 0 or int(postings.slot.max()) >= slots:
            raise StoreError(f"{place}: a posting names a slot that does not exist")
    return postings


def checked_slots(slots: Slots, words: int, place: str) -> Slots:
    """The same slots, none of which names a word that does not exist.

    Raises:
        StoreError: one does.
    """
    if len(slots.word) and not -1 <= int(slots.word.min()) <= int(slots.word.max()) < words:
        raise StoreError(f"{place}: a slot names a word that does not exist")
    return slots


def without(postings: Postings, deleted: frozenset[int]) -> Postings:
    """The postings outside the deleted recordings."""
    if not deleted:
        return postings
    return postings.rows(~np.isin(postings.recording, list(deleted)))
