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
        words = unpack_vocabulary(self._columns.vocabulary)
        if len(words) != len(self._columns.posting_offsets) - 1:
            raise StoreError(f"segment {self.id}: vocabulary and posting offsets do not fit")
        return words

    @cached_property
    def _slots(self) -> Slots:
        columns = self._columns
        if len(columns.slot_word) and int(columns.slot_word.max()) >= len(self._words):
            raise StoreError(f"segment {self.id}: a slot names a word that does not exist")
        return Slots(columns.slot_key, columns.slot_epsilon, columns.slot_word)

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
        if len(postings.key) and int(postings.key[-1] >> KEY_SHIFT) >= len(columns.recordings):
            raise StoreError(f"segment {self.id}: a posting names a recording that does not exist")
        return without(postings, self.deleted)

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._slots

    def extra(self, name: str) -> Column | None:
        return self._columns.extra.get(name)

    def columns(self) -> SegmentColumns:
        return self._columns


def without(postings: Postings, deleted: frozenset[int]) -> Postings:
    """The postings outside the deleted recordings."""
    if not deleted:
        return postings
    return postings.rows(~np.isin(postings.recording, list(deleted)))
