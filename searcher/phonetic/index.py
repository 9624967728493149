"""The networks of one segment as phones: its phone columns, verified.

    open_phonetic_index(segment)
    PhoneticIndex.within(recordings)    a part of the segment

Deleted recordings stay in the columns until segments are merged, and so do those outside the
searched part. Counts leave both out, so a search gives the same hits before and after a merge, and
the same hits as in an index of the part alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np

from searcher.phonetic.layout import BLOCK_ROWS, SILENT, LikeliestPhones, PhoneticColumns
from std.errors import StoreError
from std.store import Segment
from std.store.columns import KEY_SHIFT, TIME_MASK, SegmentColumns, unpack_vocabulary
from std.values import Bools, Column, Float64s, Int32s, Int64s, Recording, UInt8s, UInt64s

# SplitMix64 (Steele, Lea and Flood 2014): the step of its stream, and the shifts and factors of its
# finaliser but the last, which does not change the upper bits (Stafford's variant 13).
HASH_FACTOR = 0x9E3779B97F4A7C15
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))

MAX_INVENTORY = SILENT  # phones that fit in a byte, beside that


@dataclass(frozen=True, eq=False)
class PhoneticIndex:
    """The networks of one segment as phones; `indexer.segments.phone_columns` describes them."""

    pronouncer: str  # of the words: ``espeak-ng:de``
    inventory: tuple[str, ...]
    words: Sequence[str]
    word_phone_offsets: Int64s
    word_phones: UInt8s
    gram_codes: Int32s
    gram_offsets: Int64s
    gram_words: Int32s
    slot_arc_offsets: Int32s
    arc_rows: Int32s
    block_words: Int32s  # word of every `BLOCK_ROWS`-th posting and of the last one
    columns: SegmentColumns
    left_out: frozenset[int]  # rows of recordings that are deleted or not searched
    segment: Segment

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the segment and the left-out rows; a worker opens the columns itself."""
        return _opened_without, (self.segment, self.left_out)

    def within(self, recordings: Collection[Recording]) -> "PhoneticIndex":
        """The same without the other recordings, as if they were deleted."""
        others = frozenset(
            row
            for row, indexed in enumerate(self.columns.recordings)
            if indexed.recording not in recordings
        )
        return self if others <= self.left_out else replace(self, left_out=self.left_out | others)

    @cached_property
    def live(self) -> Bools:
        """(R,) which recordings count."""
        live = np.ones(len(self.columns.recordings), dtype=bool)
        live[list(self.left_out)] = False
        return live

    @property
    def searched(self) -> list[Recording]:
        """The recordings that count."""
        recordings = self.columns.recordings
        return [recordings[row].recording for row in np.flatnonzero(self.live).tolist()]

    @cached_property
    def counts(self) -> Int64s:
        """(V,) live alternatives of each word."""
        counts = np.diff(self.columns.posting_offsets)
        if not self.left_out:
            return counts
        few_are_live = 2 * len(self.left_out) > len(self.live)
        bounds = self.slot_arc_offsets[self.columns.slot_offsets].tolist()
        counted = np.flatnonzero(self.live == few_are_live).tolist()
        rows = np.concatenate(
            [np.empty(0, np.int32), *(self.arc_rows[bounds[i] : bounds[i + 1]] for i in counted)]
        )
        words = np.searchsorted(self.columns.posting_offsets, rows, side="right") - 1
        of_counted = np.bincount(words, minlength=len(counts))
        return of_counted if few_are_live else counts - of_counted

    @property
    def arcs(self) -> int:
        """Number of live alternatives."""
        return int(self.counts.sum())

    @cached_property
    def phone_counts(self) -> Mapping[str, float]:
        """The number of live alternatives with each phone; absent phones are left out."""
        weight = np.repeat(self.counts, np.diff(self.word_phone_offsets))
        counts = np.bincount(self.word_phones, weights=weight, minlength=len(self.inventory))
        return {
            phone: count
            for phone, count in zip(self.inventory, counts.tolist(), strict=True)
            if count
        }

    @cached_property
    def gram_phones(self) -> tuple[Int64s, Int64s, Int64s]:
        """(G,) the first, second and third phone of each trigram."""
        first, rest = np.divmod(self.gram_codes.astype(np.int64), len(self.inventory) ** 2)
        return first, *np.divmod(rest, len(self.inventory))

    @cached_property
    def phonetic_columns(self) -> PhoneticColumns:
        """The columns that an alignment follows."""
        columns = self.columns
        return PhoneticColumns(
            slot_arc_offsets=self.slot_arc_offsets,
            arc_rows=self.arc_rows,
            block_words=self.block_words,
            posting_offsets=columns.posting_offsets,
            posting_start_ms=columns.posting_start_ms,
            posting_duration_ms=columns.posting_duration_ms,
            posting_posterior=columns.posting_posterior,
            slot_key=columns.slot_key.view(np.int64),
            word_phone_offsets=self.word_phone_offsets,
            word_phones=self.word_phones,
        )

    @cached_property
    def likeliest_phones(self) -> LikeliestPhones:
        """The phones that an extension follows."""
        from searcher.phonetic.seed_kernels import likeliest_phones

        columns = self.columns
        slots = columns.slot_key.view(np.int64), columns.slot_word
        return LikeliestPhones(*likeliest_phones(*slots, self.word_phone_offsets, self.word_phones))

    def recordings_of(self, slots: Int64s) -> Int64s:
        """(n,) the recording of each slot."""
        return (self.columns.slot_key[slots] >> KEY_SHIFT).astype(np.int64)

    def tie_breaks(self, slots: Int64s, salt: int) -> Float64s:
        """(n,) a hash of each slot's audio file, channel and time, in [0, 1).

        Each salt gives other numbers. The order of time would favour some recordings.
        """
        key = self.columns.slot_key[slots]
        mixed = (self._names[(key >> KEY_SHIFT).astype(np.int64)] << KEY_SHIFT) | (key & TIME_MASK)
        mixed += np.uint64(salt * HASH_FACTOR % 2**64)
        for shift, factor in MIXING:
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        return (mixed >> np.uint64(11)).astype(np.float64) / 2**53

    @cached_property
    def _names(self) -> UInt64s:
        """(R,) a 32-bit hash of each recording's audio file and channel."""
        recordings = (one.recording for one in self.columns.recordings)
        names = (f"{one.channel} {one.file}".encode() for one in recordings)
        return np.fromiter(map(crc32, names), np.uint64)


def open_phonetic_index(segment: Segment) -> PhoneticIndex | None:
    """The phone columns of a segment, or None if it was indexed without.

    Raises:
        StoreError: the columns do not fit each other.
    """
    columns = segment.columns()
    extra = columns.extra
    if "phone_maker" not in extra:
        return None
    try:
        index = PhoneticIndex(
            pronouncer=bytes(extra["phone_maker"]).decode(),
            inventory=tuple(unpack_vocabulary(_typed(extra, "phone_inventory", "u1"))),
            words=segment.words(),
            word_phone_offsets=_typed(extra, "word_phone_offsets", "<i8"),
            word_phones=_typed(extra, "word_phones", "u1"),
            gram_codes=_typed(extra, "gram_codes", "<i4"),
            gram_offsets=_typed(extra, "gram_offsets", "<i8"),
            gram_words=_typed(extra, "gram_words", "<i4"),
            slot_arc_offsets=_typed(extra, "slot_arc_offsets", "<i4"),
            arc_rows=_typed(extra, "arc_rows", "<i4"),
            block_words=_block_words(columns.posting_offsets),
            columns=columns,
            left_out=segment.deleted,
            segment=segment,
        )
        _check(index)
    except (KeyError, ValueError, UnicodeDecodeError) as error:
        raise StoreError(f"segment {segment.id}: phone columns do not fit: {error}") from error
    return index


def _opened_without(segment: Segment, left_out: frozenset[int]) -> PhoneticIndex | None:
    """A part of a segment with phones."""
    index = open_phonetic_index(segment)
    return index and replace(index, left_out=left_out)


def _typed(extra: Mapping[str, Column], name: str, dtype: str) -> Any:
    """A column, read-only wherever it is stored, as kernels are compiled for such ones."""
    column = extra[name].view()
    column.flags.writeable = False
    if column.dtype != np.dtype(dtype) or column.ndim != 1:
        raise ValueError(f"{name} is {column.dtype}, not a row of {dtype}")
    return column


def _block_words(posting_offsets: Int64s) -> Int32s:
    """The first row of the search for the word of a posting."""
    m = int(posting_offsets[-1])
    rows = np.minimum(np.arange(0, m + BLOCK_ROWS, BLOCK_ROWS), m - 1)
    return (np.searchsorted(posting_offsets, rows, side="right") - 1).astype(np.int32)


def _check(index: PhoneticIndex) -> None:
    """Check all offsets, because kernels do not check bounds.

    Raises:
        ValueError: some column points outside another.
    """
    columns, p = index.columns, len(index.inventory)
    if p > MAX_INVENTORY:
        raise ValueError(f"{p} different phones")
    v, m, n = len(index.words), len(columns.posting_start_ms), len(columns.slot_key)
    for offsets, length, target in (
        (index.word_phone_offsets, v + 1, len(index.word_phones)),
        (index.gram_offsets, len(index.gram_codes) + 1, len(index.gram_words)),
        (index.slot_arc_offsets, n + 1, m),
    ):
        if len(offsets) != length or offsets[0] != 0 or offsets[-1] != target:
            raise ValueError(f"{len(offsets)} offsets into {target} rows")
        if (offsets[1:] < offsets[:-1]).any():
            raise ValueError("offsets descend")
    for column, least, end in (
        (index.word_phones, 0, p),
        (index.gram_codes, 0, p**3),
        (index.gram_words, 0, v),
        (index.arc_rows, 0, m),
        (columns.posting_slot, 0, n),
        (columns.slot_key, 0, len(columns.recordings) << 32),
        (columns.slot_word, -1, v),
    ):
        if len(column) and not least <= int(column.min()) <= int(column.max()) < end:
            raise ValueError(f"a row outside {end}")
    if len(index.arc_rows) != m:
        raise ValueError(f"{len(index.arc_rows)} alternatives of {m}")
