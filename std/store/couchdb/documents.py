"""Columns as CouchDB documents, and back. Pure: no server in sight.

A segment becomes documents whose names begin with its id, so they lie side by side in the
database; as the id is a digest of the content, a document never changes once it is written:

    ID|v|PART           50,000 words of the vocabulary and the number of postings of each
    ID|b|BUCKET         postings of all words with few of them whose CRC-32 falls into the bucket
    ID|w|WORD.PART      postings of one word with many
    ID|s|ROWS.PART      slots, ROWS a part (ID|s|PART in indexes of before, with 65,536)
    ID|x|NAME.PART      an extra column
    ID|m|0              a part of the manifest (`std.store.couchdb.parts`); ID is its own digest

CouchDB's costs are per document, a reader's are per byte: about a thousand postings a document
serve both (the measurements: docs/stores.md).

A document's columns are little-endian and byte-transposed (the first bytes of all rows, then the
second ones: like beside like), concatenated, deflated and written in base64, with a SHA-256 over
name, row counts and bytes. Keys and slots are stored as differences.
"""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from std.errors import StoreError, quoted
from std.store.columns import KEY_SHIFT, Column, Int64s, SegmentColumns, Slots

Document = dict[str, Any]
Types = dict[str, str]
Columns = dict[str, npt.NDArray[Any]]

VOCABULARY: Types = {"vocabulary": "|u1", "count": "<i8"}
WORD: Types = {"key": "<u8", "duration_ms": "<u2", "posterior": "<f4", "slot": "<i4"}
BUCKET: Types = {"word": "<i4", "count": "<i4"} | WORD
SLOTS: Types = {"key": "<u8", "epsilon": "<f4", "word": "<i4"}
EXTRA: Types = {"bytes": "|u1"}
DIFFERENCES = frozenset({"key", "slot"})

LEVEL = 1  # of deflate: transposed columns gain 2 % from a higher one, at five times the cost


@dataclass(frozen=True, slots=True)
class Layout:
    """How a segment is cut into documents; recorded in the manifest, so readers follow it.

    The first four are the same for all segments, the others are the segment's own.
    """

    bucket_postings: int = 1024  # mean postings of a bucket; words with more have own documents
    part_rows: int = 65_536  # of long columns; about 0.5 MB of JSON
    part_words: int = 50_000  # of the vocabulary
    slot_rows: int = 4096  # of the slots, of which a phrase needs few; about 30 kB of JSON
    slot_starts: tuple[int, ...] = ()  # first key of each part of the slots
    extra: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)  # dtype, shape

    def of(self, columns: SegmentColumns) -> "Layout":
        """The same for a certain segment."""
        extra = {name: (one.dtype.str, one.shape) for name, one in columns.extra.items()}
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
        """The parts that hold the slots from each first to the last row that goes with it."""
        begin, end = first // self.slot_rows, last // self.slot_rows
        parts: list[int] = np.unique(spans(begin, end - begin + 1)).tolist()
        return parts

    def recorded(self) -> dict[str, Any]:
        """What the manifest keeps."""
        return asdict(self)

    def buckets(self, counts: Int64s) -> int:
        """Number of buckets of a segment with these postings per word."""
        few = int(counts[counts <= self.bucket_postings].sum())
        return max(1, -(-few // self.bucket_postings))

    def document_of(self, segment: str, row: int, word: str, count: int, buckets: int) -> list[str]:
        """Names of the documents that hold a word's postings."""
        if count <= self.bucket_postings:
            return [f"{segment}|b|{bucket(word, buckets)}"]
        return [f"{segment}|w|{row}.{part}" for part in range(parts(count, self.part_rows))]


def layout_of(recorded: Mapping[str, Any], place: str) -> Layout:
    """The inverse of `Layout.recorded`.

    Raises:
        StoreError: this is no layout.
    """
    try:
        sizes = {name: recorded[name] for name in ("bucket_postings", "part_rows", "part_words")}
        sizes["slot_rows"] = recorded.get("slot_rows", recorded["part_rows"])  # as once they were
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


def bucket(word: str, buckets: int) -> int:
    """Where the postings of a word with few of them are."""
    return zlib.crc32(word.encode()) % buckets


def parts(rows: int, per_part: int) -> int:
    """How many documents hold this many rows."""
    return -(-rows // per_part)


def documents(
    segment: str, columns: SegmentColumns, words: list[str], layout: Layout
) -> Iterator[Document]:
    """Every document of a segment, one at a time."""
    counts = np.diff(columns.posting_offsets)
    yield from _vocabulary_documents(segment, words, counts, layout)
    yield from _bucket_documents(segment, columns, words, counts, layout)
    for row in np.flatnonzero(counts > layout.bucket_postings).tolist():
        first, end = columns.posting_offsets[row : row + 2].tolist()
        for part, begin in enumerate(range(first, end, layout.part_rows)):
            rows = slice(begin, min(begin + layout.part_rows, end))
            yield pack(f"{segment}|w|{row}.{part}", WORD, _postings(columns, rows))
    for part, begin in enumerate(range(0, len(columns.slot_key), layout.slot_rows)):
        rows = slice(begin, begin + layout.slot_rows)
        slots = Slots(columns.slot_key[rows], columns.slot_epsilon[rows], columns.slot_word[rows])
        yield pack(slot_name(segment, part, layout), SLOTS, slots._asdict())
    for name, column in columns.extra.items():
        content = np.ascontiguousarray(column).reshape(-1).view(np.uint8)
        for part, begin in enumerate(range(0, len(content), 8 * layout.part_rows)):
            rows = slice(begin, begin + 8 * layout.part_rows)
            yield pack(f"{segment}|x|{name}.{part}", EXTRA, {"bytes": content[rows]})


def document_names(segment: str, words: list[str], counts: Int64s, layout: Layout) -> set[str]:
    """The names of all documents of a segment."""
    buckets = layout.buckets(counts)
    found = set(vocabulary_names(segment, len(words), layout))
    for row, (word, count) in enumerate(zip(words, counts.tolist(), strict=True)):
        if count:
            found.update(layout.document_of(segment, row, word, count, buckets))
    found.update(slot_name(segment, part, layout) for part in range(len(layout.slot_starts)))
    for name in layout.extra:
        found.update(extra_names(segment, name, layout))
    return found


def vocabulary_names(segment: str, words: int, layout: Layout) -> list[str]:
    """Names of the documents that hold the vocabulary."""
    return [f"{segment}|v|{part}" for part in range(parts(words, layout.part_words))]


def slot_name(segment: str, part: int, layout: Layout) -> str:
    """Name of the document that holds a part of the slots.

    Its size is in the name, for the content of a document follows from its name: the same speech
    may have been indexed by a version with other parts.
    """
    if layout.slot_rows == layout.part_rows:
        return f"{segment}|s|{part}"
    return f"{segment}|s|{layout.slot_rows}.{part}"


def extra_names(segment: str, name: str, layout: Layout) -> list[str]:
    """Names of the documents that hold an extra column."""
    dtype, shape = layout.extra[name]
    size = np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64))
    return [f"{segment}|x|{name}.{part}" for part in range(parts(size, 8 * layout.part_rows))]


def _vocabulary_documents(
    segment: str, words: list[str], counts: Int64s, layout: Layout
) -> Iterator[Document]:
    for part, begin in enumerate(range(0, len(words), layout.part_words)):
        rows = slice(begin, begin + layout.part_words)
        text = "".join(f"{word}\n" for word in words[rows]).encode()
        yield pack(
            f"{segment}|v|{part}",
            VOCABULARY,
            {"vocabulary": np.frombuffer(text, np.uint8), "count": counts[rows]},
        )


def _bucket_documents(
    segment: str, columns: SegmentColumns, words: list[str], counts: Int64s, layout: Layout
) -> Iterator[Document]:
    buckets = layout.buckets(counts)
    few = np.flatnonzero((counts > 0) & (counts <= layout.bucket_postings))
    home = np.array([bucket(words[row], buckets) for row in few.tolist()], dtype=np.int64)
    order = np.argsort(home, kind="stable")
    few, home = few[order], home[order]
    ends = np.searchsorted(home, np.arange(buckets), side="right")
    for number, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if begin == end:
            continue
        ids = few[begin:end]
        rows = spans(columns.posting_offsets[ids], counts[ids])
        held = {"word": ids, "count": counts[ids]} | _postings(columns, rows)
        yield pack(f"{segment}|b|{number}", BUCKET, held)


def spans(first: Int64s, count: Int64s) -> Int64s:
    """The rows ``first, first + 1, ...``, as many as counted, of each span.

    >>> spans(np.array([7, 0]), np.array([3, 2])).tolist()
    [7, 8, 9, 0, 1]
    """
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(count.sum())


def _postings(columns: SegmentColumns, rows: slice | Int64s) -> dict[str, Column]:
    return {
        "key": columns.posting_keys(rows),
        "duration_ms": columns.posting_duration_ms[rows],
        "posterior": columns.posting_posterior[rows],
        "slot": columns.posting_slot[rows],
    }


def pack(name: str, types: Types, columns: Mapping[str, Column]) -> Document:
    """One document."""
    stored = []
    for column, dtype in types.items():
        values = np.ascontiguousarray(columns[column]).astype(dtype, copy=False)
        if column in DIFFERENCES:
            values = np.diff(values, prepend=values.dtype.type(0))
        stored.append(values.view(np.uint8).reshape(len(values), values.itemsize).T.tobytes())
    rows = {column: len(columns[column]) for column in types}
    content = b"".join(stored)
    return {
        "_id": name,
        "rows": rows,
        "deflated": base64.b64encode(zlib.compress(content, LEVEL)).decode("ascii"),
        "sha256": _digest(name, rows, content),
    }


def unpack(document: Mapping[str, Any], types: Types, place: str) -> Columns:
    """The columns of one document, read-only.

    Raises:
        StoreError: they are not those that were packed under this name.
    """
    name = document.get("_id")
    try:
        rows = {column: document["rows"][column] for column in types}
        if not all(type(n) is int and n >= 0 for n in rows.values()):
            raise ValueError(f"rows {rows}")
        sizes = {column: np.dtype(dtype).itemsize * rows[column] for column, dtype in types.items()}
        deflated = base64.b64decode(document["deflated"], validate=True)
        content = zlib.decompressobj().decompress(deflated, sum(sizes.values()) + 1)
        if len(content) != sum(sizes.values()):
            raise ValueError(f"{len(content)} bytes for {rows}")
        if document["sha256"] != _digest(str(name), rows, content):
            raise ValueError("a wrong checksum")
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise StoreError(f"{place}: document {name}: expected columns, got {error}") from error
    columns: Columns = {}
    begin = 0
    for column, dtype in types.items():
        stored = np.frombuffer(content, np.uint8, sizes[column], begin)
        begin += sizes[column]
        rows_first = stored.reshape(np.dtype(dtype).itemsize, rows[column]).T
        values = np.ascontiguousarray(rows_first).view(dtype).reshape(-1)
        if column in DIFFERENCES:
            values = np.cumsum(values, dtype=dtype)
        values.flags.writeable = False
        columns[column] = values
    return columns


def _digest(name: str, rows: Mapping[str, int], content: bytes) -> str:
    head = json.dumps([name, rows], ensure_ascii=False).encode()
    return hashlib.sha256(head + b"\n" + content).hexdigest()


SEGMENT_OF = re.compile(r"([0-9a-f]{32})\|[vbwsxm]\|.*", re.DOTALL)


def segment_of(name: str) -> str | None:
    """The segment a document belongs to, by its name; None if it is not one of ours."""
    match = SEGMENT_OF.fullmatch(name)
    return match[1] if match else None
