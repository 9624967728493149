"""A segment: an immutable inverted index of some recordings, as numpy columns.

Every kind of store keeps the same columns, so a search gives the same hits in each:

    vocabulary            the words, sorted by code point, as UTF-8 lines
    posting_*             word by word (CSR: posting_offsets), by recording and time within a word
    slot_*                recording by recording (CSR: slot_offsets) in time order; needed to skip
                          empty slots in phrases and to show context
    extra                 further columns by name (`SLOT_ERROR`, those of `std.store.speakers`, the
                          phone columns, those of `std.store.heard`); stores only keep them

A key is ``recording << 32 | time_ms``: one sorted column orders all recordings of a segment, and
a join of two words is a binary search in it. Times are below 2**32 ms, words below 2**16 ms.
Postings are stored with their start only; their recording is that of their slot
(`SegmentColumns.posting_keys`).
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Protocol

import numpy as np

from std.errors import StoreError
from std.store.speakers import Speakers
from std.values import (
    Bools,
    Column,
    Float32s,
    Int32s,
    Int64s,
    Recording,
    UInt8s,
    UInt16s,
    UInt32s,
    UInt64s,
    freeze,
)

__all__ = ["Int64s"]  # for modules that import it from here

# Extra column, (n,) of <u4: how far the times of a slot's words may be off where they are
# estimates, 0 where they are the recogniser's. A segment without estimates does not have it, nor
# has an index that was made before there was one.
SLOT_ERROR = "slot_error_ms"
MAX_WORD_MS = 2**16 - 1
MAX_TIME_MS = 2**32 - 1
KEY_SHIFT = np.uint64(32)
TIME_MASK = np.uint64(MAX_TIME_MS)


class IndexedRecording(NamedTuple):
    """A recording of a segment."""

    recording: Recording
    speech_ms: int  # summed length of its utterances
    utterances: int
    times_estimated: bool = False  # some slot times are interpolated, not the recogniser's
    inputs: tuple[str, ...] = ()  # absolute paths of the input files; empty in older indexes

    def digest_text(self) -> str:
        """The text that a segment's digest covers: everything but the inputs."""
        return (
            f"IndexedRecording(recording={self.recording!r}, speech_ms={self.speech_ms!r}, "
            f"utterances={self.utterances!r}, times_estimated={self.times_estimated!r})"
        )


class HasRecordings(Protocol):
    """A segment, or its entry in a manifest."""

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        """The recordings with which it was committed."""

    @property
    def deleted(self) -> frozenset[int]:
        """Rows of `recordings` that are deleted."""


def live_recordings(segment: HasRecordings) -> Iterator[tuple[int, IndexedRecording]]:
    """Yield the row and the recording of each recording that is not deleted."""
    return (one for one in enumerate(segment.recordings) if one[0] not in segment.deleted)


class Postings(NamedTuple):
    """The postings of one word, ascending by key."""

    key: UInt64s  # (n,) recording << 32 | start_ms
    duration_ms: UInt16s  # (n,)
    posterior: Float32s  # (n,)
    slot: Int32s  # (n,) row in the segment's slot columns

    @property
    def recording(self) -> Int64s:
        """(n,) index into the segment's recordings."""
        return (self.key >> KEY_SHIFT).astype(np.int64)

    @property
    def start_ms(self) -> Int64s:
        """(n,) start within the recording."""
        return (self.key & TIME_MASK).astype(np.int64)

    @property
    def end_ms(self) -> Int64s:
        """(n,) end within the recording."""
        return self.start_ms + self.duration_ms

    def rows(self, which: slice | Bools | Int64s) -> "Postings":
        return Postings._make(column[which] for column in self)


class Slots(NamedTuple):
    """Slots of one or more recordings, ascending by key."""

    key: UInt64s  # (n,) recording << 32 | middle in ms; those of an utterance never descend
    epsilon: Float32s  # (n,) posterior of 'no word here'
    word: Int32s  # (n,) id of the likeliest word; -1 where silence is likelier than any word
    row: Int64s | None = None  # (n,) in the segment's slot columns, ascending; None = 0, 1, 2, ...
    offsets: Int32s | None = None  # (R + 1,) the column ``slot_offsets``, if these are all slots

    def positions(self, rows: Int64s) -> Int64s:
        """Positions of some rows of the segment's slot columns among these slots."""
        return rows if self.row is None else np.searchsorted(self.row, rows)

    def of_recordings(self, recording: Int64s) -> tuple[Int64s, Int64s]:
        """(n,) positions of the first slot of some recordings, and one past their last slot."""
        if self.offsets is not None:
            begins, ends = self.offsets[recording], self.offsets[recording + 1]
            return begins.astype(np.int64), ends.astype(np.int64)
        begin = recording.astype(np.uint64) << KEY_SHIFT
        end = begin + (np.uint64(1) << KEY_SHIFT)
        return np.searchsorted(self.key, begin), np.searchsorted(self.key, end)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentColumns:
    """All columns of one segment.

    Raises:
        ValueError: the columns do not fit each other.
    """

    recordings: tuple[IndexedRecording, ...]
    vocabulary: UInt8s  # UTF-8, words in ascending code point order, each ended by a newline
    posting_offsets: Int64s  # (V + 1,) postings of word w are offsets[w]:offsets[w + 1]
    posting_start_ms: UInt32s  # (m,) within the recording
    posting_duration_ms: UInt16s  # (m,)
    posting_posterior: Float32s  # (m,)
    posting_slot: Int32s  # (m,)
    slot_offsets: Int32s  # (R + 1,) slots of recording r are offsets[r]:offsets[r + 1]
    slot_key: UInt64s  # (n,)
    slot_epsilon: Float32s  # (n,)
    slot_word: Int32s  # (n,)
    extra: Mapping[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        m, n = len(self.posting_start_ms), len(self.slot_key)
        for what, offsets, end in (
            ("posting", self.posting_offsets, m),
            ("slot", self.slot_offsets, n),
        ):
            ends = len(offsets) and (offsets[0], offsets[-1])
            if ends != (0, end) or (offsets[1:] < offsets[:-1]).any():
                raise ValueError(f"{what} offsets do not ascend from 0 to {end}")
        if len(self.slot_offsets) != len(self.recordings) + 1:
            raise ValueError(f"slot offsets are not those of {len(self.recordings)} recordings")
        for name in ("posting_duration_ms", "posting_posterior", "posting_slot"):
            if len(getattr(self, name)) != m:
                raise ValueError(f"{name} does not have {m} rows")
        for name in ("slot_epsilon", "slot_word"):
            if len(getattr(self, name)) != n:
                raise ValueError(f"{name} does not have {n} rows")
        errors = self.extra.get(SLOT_ERROR)
        if errors is not None and (errors.shape != (n,) or errors.dtype != np.dtype("<u4")):
            raise ValueError(f"{SLOT_ERROR} does not have {n} rows of <u4")
        if (turns := Speakers.read(self.extra).begin)[-1] >= max(n, 1):
            raise ValueError(f"turns of speakers up to slot {turns[-1]} of {n}")
        freeze(self)

    def posting_keys(self, rows: slice | Int64s) -> UInt64s:
        """Keys of some postings."""
        recording = self.slot_key[self.posting_slot[rows]] & ~TIME_MASK
        key: UInt64s = recording | self.posting_start_ms[rows]
        return key

    def arrays(self) -> dict[str, Column]:
        """Every column by its stored name; extra columns come last."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name in COLUMN_TYPES}
        return own | dict(self.extra)

    def digest(self) -> str:
        """SHA-256 over recordings and columns: the same recordings give the same segment."""
        texts = ", ".join(indexed.digest_text() for indexed in self.recordings)
        comma = "," if len(self.recordings) == 1 else ""  # as Python writes a tuple of one
        content = hashlib.sha256(f"({texts}{comma})".encode())
        for name, column in self.arrays().items():
            content.update(f"{name} {column.dtype.str} {column.shape}\n".encode())
            content.update(np.ascontiguousarray(column).view(np.uint8).data)
        return content.hexdigest()


COLUMN_TYPES: Mapping[str, np.dtype[np.generic]] = {
    "vocabulary": np.dtype("u1"),
    "posting_offsets": np.dtype("<i8"),
    "posting_start_ms": np.dtype("<u4"),
    "posting_duration_ms": np.dtype("<u2"),
    "posting_posterior": np.dtype("<f4"),
    "posting_slot": np.dtype("<i4"),
    "slot_offsets": np.dtype("<i4"),
    "slot_key": np.dtype("<u8"),
    "slot_epsilon": np.dtype("<f4"),
    "slot_word": np.dtype("<i4"),
}


def from_arrays(
    recordings: tuple[IndexedRecording, ...], arrays: Mapping[str, Column]
) -> SegmentColumns:
    """The inverse of `SegmentColumns.arrays`.

    Raises:
        ValueError: a column is missing, has another type, or does not fit the others.
    """
    for name, dtype in COLUMN_TYPES.items():
        if name not in arrays:
            raise ValueError(f"column {name} is missing")
        if arrays[name].dtype != dtype or arrays[name].ndim != 1:
            raise ValueError(f"column {name} is {arrays[name].dtype}, not a row of {dtype}")
    own = {name: arrays[name] for name in COLUMN_TYPES}
    extra = {name: column for name, column in arrays.items() if name not in COLUMN_TYPES}
    return SegmentColumns(recordings, **own, extra=extra)  # type: ignore[arg-type]  # checked above


def first_slots(slot_key: UInt64s, recordings: int) -> Int32s:
    """(R + 1,) where the slots of each recording begin: the column ``slot_offsets``."""
    keys = np.arange(recordings + 1, dtype=np.uint64) << KEY_SHIFT
    return np.searchsorted(slot_key, keys).astype(np.int32)


def pack_vocabulary(words: list[str]) -> UInt8s:
    """Sorted words as the ``vocabulary`` column."""
    return np.frombuffer("\n".join([*words, ""]).encode(), dtype=np.uint8)


def unpack_vocabulary(column: UInt8s, place: str = "segment") -> list[str]:
    """The ``vocabulary`` column as sorted words.

    Raises:
        StoreError: it is not UTF-8.
    """
    try:
        return column.tobytes().decode().split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise StoreError(f"{place}: expected a vocabulary in UTF-8, got: {error}") from error


def row_ranges(first: Int64s, count: Int64s) -> Int64s:
    """All rows of several ranges, one range after the other.

    Args:
        first: (n,) first row of each range.
        count: (n,) number of rows of each range.

    >>> row_ranges(np.array([7, 0]), np.array([3, 2])).tolist()
    [7, 8, 9, 0, 1]
    """
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(count.sum())
