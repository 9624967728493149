"""Segments whose columns are in memory or memory-mapped, and a store of such segments in memory.

ResidentSegment    a segment; its columns are checked where they are used, so that a damaged
                   index raises a `StoreError` instead of reading out of bounds
MemoryStore        for tests and notebooks, and as the simplest store
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from std.errors import StoreBusyError, StoreError
from std.metadata.table import NO_METADATA, Metadata
from std.store.columns import (
    KEY_SHIFT,
    IndexedRecording,
    Postings,
    SegmentColumns,
    Slots,
    first_slots,
    unpack_vocabulary,
)
from std.store.manifest import Manifest, manifest_after_commit, metadata_after_commit, segment_entry
from std.store.protocol import Commit, Store, faults
from std.text import Normalisation
from std.values import Bools, Column, Float32s, Int32s, Int64s, UInt32s, UInt64s


@dataclass(frozen=True, eq=False)
class ResidentSegment:
    """`std.store.Segment` over `SegmentColumns`."""

    id: str | None  # None if it is not committed yet
    _columns: SegmentColumns
    deleted: frozenset[int] = frozenset()

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        return self._columns.recordings

    def without(self, rows: Collection[int]) -> Self:
        return replace(self, deleted=self.deleted | {*rows})

    @cached_property
    def _is_deleted(self) -> Bools | None:
        return deleted_rows(self.deleted, len(self.recordings))

    @property
    def _place(self) -> str:
        """Its name in error messages."""
        return "segment to be committed" if self.id is None else f"segment {self.id}"

    @cached_property
    def _words(self) -> list[str]:
        words = unpack_vocabulary(self._columns.vocabulary, self._place)
        if len(words) != len(self._columns.posting_offsets) - 1:
            raise StoreError(f"{self._place}: vocabulary and posting offsets do not fit")
        return words

    @cached_property
    def _slots(self) -> Slots:
        columns = self._columns
        slots = Slots(
            columns.slot_key, columns.slot_epsilon, columns.slot_word, offsets=columns.slot_offsets
        )
        limits = len(columns.recordings), len(self._words)
        checked = checked_slots(slots, *limits, self._place)
        if not np.array_equal(first_slots(columns.slot_key, limits[0]), columns.slot_offsets):
            raise StoreError(f"{self._place}: expected the slots of each recording together")
        return checked

    def words(self) -> list[str]:
        return self._words

    def counts(self) -> Int64s:
        return np.diff(self._columns.posting_offsets)

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        postings_of = {}
        for word in words:
            row = bisect_left(self._words, word)
            if row < len(self._words) and self._words[row] == word:
                postings = self._row(row)
                if len(postings.key):
                    postings_of[word] = postings
        return postings_of

    def _row(self, row: int) -> Postings:
        columns = self._columns
        span = slice(int(columns.posting_offsets[row]), int(columns.posting_offsets[row + 1]))
        postings = Postings(
            self._keys(span),
            columns.posting_duration_ms[span],
            checked_posteriors(columns.posting_posterior[span], self._place),
            columns.posting_slot[span],
        )
        return without_recordings(postings, self._is_deleted)

    def _keys(self, span: slice) -> UInt64s:
        columns, place = self._columns, self._place
        slot = checked_rows(columns.posting_slot[span], len(columns.slot_key), place)
        try:
            return posting_keys(columns.posting_start_ms[span], slot, columns.slot_offsets)
        except ValueError as error:
            raise StoreError(f"{place}: postings are not in order of time") from error

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._slots

    def slots_between(self, gaps: object) -> Slots:
        return self._slots

    def extra(self, name: str) -> Column | None:
        return self._columns.extra.get(name)

    def extra_rows(self, name: str, rows: Int64s) -> Column | None:
        column = self.extra(name)
        if column is None:
            return None
        require_rows(rows, len(column), f"{self._place}: column {name}")
        return column[rows]

    def columns(self) -> SegmentColumns:
        return self._columns


def posting_keys(start_ms: UInt32s, slot: Int32s, slot_offsets: Int32s) -> UInt64s:
    """(n,) keys of the postings of one word, in ascending order of recordings.

    Args:
        start_ms: (n,) start within the recording.
        slot: (n,) row of the slot, which determines the recording.
        slot_offsets: (R + 1,) first slot of each recording.

    Raises:
        ValueError: they do not ascend.
    """
    recordings = len(slot_offsets) - 1
    if len(slot) < 2 * recordings:
        row = np.searchsorted(slot_offsets, slot, side="right") - 1
        key = row.astype(np.uint64) << KEY_SHIFT
    else:  # faster: a step for each recording, not for each posting
        bounds = np.searchsorted(slot, slot_offsets)
        begins = np.arange(recordings, dtype=np.uint64) << KEY_SHIFT
        key = np.repeat(begins, bounds[1:] - bounds[:-1])
    key |= start_ms
    return key


def checked_postings(postings: Postings, recordings: int, slots: int, place: str) -> Postings:
    """The same postings, after checking that their recordings and slots exist.

    Args:
        recordings, slots: their numbers in the segment.

    Raises:
        StoreError: a recording or a slot does not exist.
    """
    if len(postings.key):
        if int(postings.key.max() >> KEY_SHIFT) >= recordings:
            raise StoreError(f"{place}: a posting names a recording that does not exist")
        checked_rows(postings.slot, slots, place)
        checked_posteriors(postings.posterior, place)
    return postings


def checked_posteriors(posterior: Float32s, place: str) -> Float32s:
    """The same posteriors, after checking that they are from 0 to 1.

    Raises:
        StoreError: one is outside.
    """
    if len(posterior) and not 0 <= float(posterior.min()) <= float(posterior.max()) <= 1:
        raise StoreError(f"{place}: a posterior is not between 0 and 1")
    return posterior


def checked_rows(slot: Int32s, slots: int, place: str) -> Int32s:
    """The same rows of slots, after checking that they exist.

    Args:
        slot: (n,) rows.
        slots: the number of slots.

    Raises:
        StoreError: a row does not exist.
    """
    if len(slot) and not 0 <= int(slot.min()) <= int(slot.max()) < slots:
        raise StoreError(f"{place}: a posting names a slot that does not exist")
    return slot


def require_rows(rows: Int64s, n: int, column: str) -> None:
    """Refuse rows that a column does not have; negative ones do not count from its end.

    Args:
        rows: (m,) to be read.
        n: the number of rows of the column.
        column: its name in messages.

    Raises:
        StoreError: one is outside.
    """
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < n:
        raise StoreError(f"{column} has no such rows")


def checked_slots(slots: Slots, recordings: int, words: int, place: str) -> Slots:
    """The same slots, after checking their order, and that their recordings and words exist.

    Args:
        recordings, words: their numbers in the segment.

    Raises:
        StoreError: the order is wrong, or a recording or a word does not exist.
    """
    if len(slots.key) and int(slots.key.max() >> KEY_SHIFT) >= recordings:
        raise StoreError(f"{place}: a slot names a recording that does not exist")
    if (slots.key[1:] < slots.key[:-1]).any():
        raise StoreError(f"{place}: expected slots in order of time")
    if len(slots.word) and not -1 <= int(slots.word.min()) <= int(slots.word.max()) < words:
        raise StoreError(f"{place}: a slot names a word that does not exist")
    return slots


def deleted_rows(deleted: frozenset[int], recordings: int) -> Bools | None:
    """(recordings,) which are deleted; None if no recording is."""
    if not deleted:
        return None
    is_deleted = np.zeros(recordings, dtype=bool)
    is_deleted[list(deleted)] = True
    return is_deleted


def without_recordings(postings: Postings, is_deleted: Bools | None) -> Postings:
    """The postings outside the deleted recordings (`deleted_rows`)."""
    if is_deleted is None:
        return postings
    return postings.rows(np.flatnonzero(~is_deleted[postings.recording]))


@dataclass(frozen=True, eq=False)
class MemorySegment(ResidentSegment):
    """A segment of a `MemoryStore`."""

    id: str


class MemoryStore(Store):
    """`std.store.Store` in a dictionary."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._manifest = Manifest()
        self._columns: dict[str, SegmentColumns] = {}
        self._metadata = NO_METADATA
        self._writing = False
        self._commits = 0

    def normalisation(self) -> Normalisation | None:
        return self._manifest.normalisation

    def revision(self) -> str:
        return str(self._commits)

    def segments(self) -> tuple[MemorySegment, ...]:
        return tuple(
            MemorySegment(entry.id, self._columns[entry.id], entry.deleted)
            for entry in self._manifest.segments
        )

    def metadata(self) -> Metadata:
        return self._metadata

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._writing:
            raise StoreBusyError(f"{self.url}: somebody else is writing to this store")
        self._writing = True
        try:
            yield
        finally:
            self._writing = False

    def _commit(self, commit: Commit) -> None:
        entries = [segment_entry(columns) for columns in commit.add]
        manifest = manifest_after_commit(
            self._manifest,
            entries,
            commit.normalisation,
            commit.replace,
            commit.delete_files,
            place=self.url,
        )
        columns = self._columns | {
            entry.id: added for entry, added in zip(entries, commit.add, strict=True)
        }
        self._metadata = metadata_after_commit(self._metadata, commit.metadata, manifest)
        self._manifest = manifest
        self._commits += 1
        self._columns = {entry.id: columns[entry.id] for entry in manifest.segments}

    def damage(self) -> Iterator[str]:
        for entry in self._manifest.segments:
            yield from faults(entry, self._columns[entry.id])


_named: dict[str, MemoryStore] = {}


def open_memory(url: str) -> MemoryStore:
    """``memory:`` is a new store each time; ``memory:NAME`` is one store for the process."""
    name = url.partition(":")[2]
    return _named.setdefault(name, MemoryStore(url)) if name else MemoryStore(url)
