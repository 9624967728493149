"""Cut the columns of a segment into CouchDB documents.

`std.store.couchdb.layout` names the documents, `std.store.couchdb.codec` encodes each of them.
This module needs no server.
"""

from collections.abc import Iterator

import numpy as np

from std.store.columns import Column, Int64s, SegmentColumns, Slots
from std.store.couchdb.codec import (
    BUCKET,
    EXTRA,
    SLOTS,
    VOCABULARY,
    WORD,
    Document,
    encode_document,
)
from std.store.couchdb.layout import Layout, bucket_of, row_ranges, slot_name


def segment_documents(
    segment: str, columns: SegmentColumns, words: list[str], layout: Layout
) -> Iterator[Document]:
    """Every document of a segment, one at a time.

    Args:
        segment: its id.
        columns: its columns.
        words: (V,) its vocabulary, as strings.
        layout: how it is cut into documents.
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
        for part, begin in enumerate(range(0, len(content), 8 * layout.part_rows)):
            rows = slice(begin, begin + 8 * layout.part_rows)
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
