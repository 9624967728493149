"""How a segment is cut into documents, and the names of these documents.

All names begin with the id of the segment, so its documents are neighbours in the database:

    ID|v|PART           50,000 words of the vocabulary and the number of postings of each
    ID|b|BUCKET         postings of all rare words whose CRC-32 falls into the bucket
    ID|w|WORD.PART      postings of one frequent word
    ID|s|ROWS.PART      slots, ROWS per part (ID|s|PART in older indexes, with 65,536 per part)
    ID|x|NAME.PART      an extra column
    ID|m|0              a part of the manifest (`std.store.couchdb.codec`); ID is its own digest

The id is a digest of the segment's content, so a document never changes once it is written.
CouchDB's costs are per document and a reader's costs are per byte; about a thousand postings per
document is a good compromise (measurements: docs/stores.md).
"""

import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from std.errors import StoreError, quoted
from std.store.columns import KEY_SHIFT, SegmentColumns, Slots, row_ranges
from std.store.couchdb.codec import (
    BUCKET,
    EXTRA,
    SLOTS,
    VOCABULARY,
    WORD,
    Document,
    encode_document,
)
from std.values import Column, Int64s

DOCUMENT_NAME = re.compile(r"([0-9a-f]{32})\|[vbwsxm]\|.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a segment is cut into documents; recorded in the manifest, so readers follow it.

    The first four fields are the same for all segments, the others belong to one segment.
    """

    bucket_postings: int = (
        1024  # mean postings per bucket; a word with more has documents of its own
    )
    part_rows: int = 65_536  # of long columns; about 0.5 MB of JSON
    part_words: int = 50_000  # of the vocabulary
    slot_rows: int = 4096  # of the slots, of which a phrase needs few; about 30 kB of JSON
    slot_starts: tuple[int, ...] = ()  # first key of each part of the slots
    extra: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)  # dtype, shape

    @property
    def part_bytes(self) -> int:
        """Bytes of an extra column in a document."""
        return 8 * self.part_rows

    def for_segment(self, columns: SegmentColumns) -> "Layout":
        """The layout of a segment with these columns."""
        extra = {name: (column.dtype.str, column.shape) for name, column in columns.extra.items()}
        starts = tuple(columns.slot_key[:: self.slot_rows].tolist())
        return replace(self, slot_starts=starts, extra=extra)

    def slot_parts(self, recordings: Collection[int]) -> list[int]:
        """The parts that hold the slots of these recordings."""
        starts = np.array(self.slot_starts, np.uint64)
        rows = np.array(sorted(recordings), np.uint64)
        first = np.maximum(np.searchsorted(starts, rows << KEY_SHIFT, side="right") - 1, 0)
        end = np.searchsorted(starts, (rows + np.uint64(1)) << KEY_SHIFT)
        spans = zip(first.tolist(), end.tolist(), strict=True)
        return sorted({part for begin, last in spans for part in range(begin, last)})

    def slot_parts_between(self, first: Int64s, last: Int64s) -> list[int]:
        """The parts that hold the slots of each range of rows, both ends included."""
        begin, end = first // self.slot_rows, last // self.slot_rows
        parts: list[int] = np.unique(row_ranges(begin, end - begin + 1)).tolist()
        return parts

    def recorded(self) -> dict[str, Any]:
        """The layout as the manifest records it."""
        return asdict(self)

    def buckets(self, counts: Int64s) -> int:
        """Number of buckets of a segment with these postings per word."""
        rare = int(counts[counts <= self.bucket_postings].sum())
        return max(1, -(-rare // self.bucket_postings))

    def document_of(self, segment: str, row: int, word: str, count: int, buckets: int) -> list[str]:
        """Names of the documents that hold a word's postings.

        Args:
            row: the row of the word in the vocabulary.
            count: number of its postings.
            buckets: number of buckets of the segment.
        """
        if count <= self.bucket_postings:
            return [f"{segment}|b|{bucket_of(word, buckets)}"]
        return [f"{segment}|w|{row}.{part}" for part in range(part_count(count, self.part_rows))]


def recorded_layout(recorded: Mapping[str, Any], place: str) -> Layout:
    """The inverse of `Layout.recorded`.

    Raises:
        StoreError: the record is not a layout.
    """
    try:
        sizes = {name: recorded[name] for name in ("bucket_postings", "part_rows", "part_words")}
        sizes["slot_rows"] = recorded.get("slot_rows", recorded["part_rows"])  # older indexes
        if not all(type(size) is int and size > 0 for size in sizes.values()):
            raise ValueError(f"sizes {sizes}")
        extra = {
            str(name): (str(np.dtype(dtype).str), tuple(int(n) for n in shape))
            for name, (dtype, shape) in recorded["extra"].items()
        }
        if any(np.dtype(dtype).hasobject for dtype, _ in extra.values()):
            raise ValueError("an object column")
        starts = tuple(recorded["slot_starts"])
        if not all(type(key) is int and 0 <= key < 2**64 for key in starts):
            raise ValueError(f"slots that start at {starts}")
        return Layout(**sizes, slot_starts=starts, extra=extra)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(
            f"{place}: expected the layout of a segment, got {quoted(error)}"
        ) from error


def document_names(segment: str, words: list[str], counts: Int64s, layout: Layout) -> set[str]:
    """The names of all documents of a segment.

    Args:
        segment: its id.
        words: (V,) its vocabulary.
        counts: (V,) number of postings of each word.
        layout: how it is cut into documents.
    """
    buckets = layout.buckets(counts)
    names = set(vocabulary_names(segment, len(words), layout))
    for row, (word, count) in enumerate(zip(words, counts.tolist(), strict=True)):
        if count:
            names.update(layout.document_of(segment, row, word, count, buckets))
    names.update(slot_name(segment, part, layout) for part in range(len(layout.slot_starts)))
    for name in layout.extra:
        names.update(extra_names(segment, name, layout))
    return names


def vocabulary_names(segment: str, words: int, layout: Layout) -> list[str]:
    """Names of the documents that hold the vocabulary."""
    return [f"{segment}|v|{part}" for part in range(part_count(words, layout.part_words))]


def slot_name(segment: str, part: int, layout: Layout) -> str:
    """Name of the document that holds a part of the slots.

    The name contains the size of the parts, because the content of a document must follow from its
    name: an older version, with other parts, may have indexed the same recordings.
    """
    if layout.slot_rows == layout.part_rows:
        return f"{segment}|s|{part}"
    return f"{segment}|s|{layout.slot_rows}.{part}"


def extra_names(segment: str, name: str, layout: Layout) -> list[str]:
    """Names of the documents that hold an extra column."""
    dtype, shape = layout.extra[name]
    size = np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64))
    return [f"{segment}|x|{name}.{part}" for part in range(part_count(size, layout.part_bytes))]


def bucket_of(word: str, buckets: int) -> int:
    """The bucket that holds the postings of a rare word."""
    return zlib.crc32(word.encode()) % buckets


def part_count(rows: int, per_part: int) -> int:
    """How many documents hold this many rows."""
    return -(-rows // per_part)


def segment_of(name: str) -> str | None:
    """Id of the segment that a document belongs to; None if it is not part of an index."""
    match = DOCUMENT_NAME.fullmatch(name)
    return match[1] if match else None


def segment_documents(
    segment: str, columns: SegmentColumns, words: list[str], layout: Layout
) -> Iterator[Document]:
    """Every document of a segment, one at a time.

    Args:
        words: (V,) its vocabulary, as strings.
    """
    counts = np.diff(columns.posting_offsets)
    yield from _vocabulary_documents(segment, words, counts, layout)
    yield from _bucket_documents(segment, columns, words, counts, layout)
    for row in np.flatnonzero(counts > layout.bucket_postings).tolist():
        first, end = columns.posting_offsets[row : row + 2].tolist()
        for part, begin in enumerate(range(first, end, layout.part_rows)):
            rows = slice(begin, min(begin + layout.part_rows, end))
            yield encode_document(f"{segment}|w|{row}.{part}", WORD, _postings(columns, rows))
    for part, begin in enumerate(range(0, len(columns.slot_key), layout.slot_rows)):
        rows = slice(begin, begin + layout.slot_rows)
        slots = Slots(columns.slot_key[rows], columns.slot_epsilon[rows], columns.slot_word[rows])
        yield encode_document(slot_name(segment, part, layout), SLOTS, slots._asdict())
    for name, column in columns.extra.items():
        content = np.ascontiguousarray(column).reshape(-1).view(np.uint8)
        for part, begin in enumerate(range(0, len(content), layout.part_bytes)):
            rows = slice(begin, begin + layout.part_bytes)
            yield encode_document(f"{segment}|x|{name}.{part}", EXTRA, {"bytes": content[rows]})


def _vocabulary_documents(
    segment: str, words: list[str], counts: Int64s, layout: Layout
) -> Iterator[Document]:
    for part, begin in enumerate(range(0, len(words), layout.part_words)):
        rows = slice(begin, begin + layout.part_words)
        text = "".join(f"{word}\n" for word in words[rows]).encode()
        yield encode_document(
            f"{segment}|v|{part}",
            VOCABULARY,
            {"vocabulary": np.frombuffer(text, np.uint8), "count": counts[rows]},
        )


def _bucket_documents(
    segment: str, columns: SegmentColumns, words: list[str], counts: Int64s, layout: Layout
) -> Iterator[Document]:
    buckets = layout.buckets(counts)
    rare = np.flatnonzero((counts > 0) & (counts <= layout.bucket_postings))
    bucket = np.array([bucket_of(words[row], buckets) for row in rare.tolist()], dtype=np.int64)
    order = np.argsort(bucket, kind="stable")
    rare, bucket = rare[order], bucket[order]
    ends = np.searchsorted(bucket, np.arange(buckets), side="right")
    for number, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if begin == end:
            continue
        ids = rare[begin:end]
        rows = row_ranges(columns.posting_offsets[ids], counts[ids])
        packed = {"word": ids, "count": counts[ids]} | _postings(columns, rows)
        yield encode_document(f"{segment}|b|{number}", BUCKET, packed)


def _postings(columns: SegmentColumns, rows: slice | Int64s) -> dict[str, Column]:
    return {
        "key": columns.posting_keys(rows),
        "duration_ms": columns.posting_duration_ms[rows],
        "posterior": columns.posting_posterior[rows],
        "slot": columns.posting_slot[rows],
    }
