"""A segment in CouchDB: as the searcher reads it, as a whole to merge it, and verified."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from std.errors import StoreError
from std.store.columns import (
    KEY_SHIFT,
    TIME_MASK,
    Column,
    IndexedRecording,
    Int64s,
    Postings,
    SegmentColumns,
    Slots,
    first_slots,
    from_arrays,
    pack_vocabulary,
)
from std.store.couchdb.bulk import find_documents, read_documents
from std.store.couchdb.codec import (
    BUCKET,
    EXTRA,
    SLOTS,
    VOCABULARY,
    WORD,
    Document,
    DocumentColumns,
    decode_document,
)
from std.store.couchdb.database import Database
from std.store.couchdb.layout import document_names, row_ranges
from std.store.couchdb.remote_columns import RemoteColumns
from std.store.manifest import SegmentEntry
from std.store.protocol import Gaps
from std.store.resident import checked_rows, deleted_rows, without_recordings
from std.values import Bools

COLUMN_NAMES = [column for column in WORD if column != "key"]  # of a posting, beside its start


def read_columns(remote: RemoteColumns) -> SegmentColumns:
    """All columns of a segment, as they were committed.

    Raises:
        StoreError: a document is missing or damaged.
    """
    words, counts = remote.vocabulary
    offsets = np.concatenate([[0], np.cumsum(counts)])
    slots = remote.slot_parts(range(len(remote.layout.slot_starts)))
    if len(slots.key) != remote.entry.slots:
        raise StoreError(f"{remote.place}: expected {remote.entry.slots} slots")
    arrays: DocumentColumns = {
        "vocabulary": pack_vocabulary(words),
        "posting_offsets": offsets,
        "slot_key": slots.key,
        "slot_epsilon": slots.epsilon,
        "slot_word": slots.word,
    }
    arrays["slot_offsets"] = first_slots(slots.key, len(remote.entry.recordings))
    arrays |= _read_postings(remote, offsets)
    for name in remote.layout.extra:
        extra = remote.extra(name)
        assert extra is not None
        arrays[name] = extra
    try:
        return from_arrays(remote.entry.recordings, arrays)
    except ValueError as error:
        raise StoreError(f"{remote.place}: {error}") from error


def _read_postings(remote: RemoteColumns, offsets: Int64s) -> DocumentColumns:
    """The posting columns, filled document by document.

    `RemoteColumns.postings` would give the same word by word, which is slower.
    """
    names = document_names(remote.entry.id, *remote.vocabulary, remote.layout)
    sizes = {"b": remote.layout.bucket_postings, "w": remote.layout.part_rows}
    kinds = {name: name.split("|")[1] for name in sorted(names)}
    rows_of = {name: sizes[kind] for name, kind in kinds.items() if kind in sizes}
    types = {"start_ms": np.dtype("<u4")} | {name: np.dtype(WORD[name]) for name in COLUMN_NAMES}
    arrays: DocumentColumns = {name: np.empty(offsets[-1], dtype) for name, dtype in types.items()}
    filled = np.zeros(offsets[-1], np.bool_)
    for name, document in read_documents(remote.database, rows_of):
        columns, rows = _rows_of_document(remote, name, document, offsets)
        key = columns["key"]
        if len(key) and int(key.max() >> KEY_SHIFT) >= len(remote.entry.recordings):
            raise StoreError(f"{remote.place}: a posting names a recording that does not exist")
        arrays["start_ms"][rows] = key & TIME_MASK
        for column in COLUMN_NAMES:
            arrays[column][rows] = columns[column]
        filled[rows] = True
    if not filled.all():
        raise StoreError(f"{remote.place}: expected the postings of all words")
    checked_rows(arrays["slot"], remote.entry.slots, remote.place)
    return {f"posting_{name}": column for name, column in arrays.items()}


def _rows_of_document(
    remote: RemoteColumns, name: str, document: Document, offsets: Int64s
) -> tuple[DocumentColumns, slice | Int64s]:
    """The columns of a posting document, and which rows of the posting columns they fill."""
    rows: slice | Int64s = slice(0)
    if name.startswith(f"{remote.entry.id}|b|"):
        columns = decode_document(document, BUCKET, remote.place)
        word, count = columns["word"], columns["count"].astype(np.int64)
        fits = len(word) == 0 or 0 <= int(word.min()) <= int(word.max()) < len(offsets) - 1
        fits = fits and np.array_equal(count, offsets[word + 1] - offsets[word])
        fits = fits and int(count.sum()) == len(columns["key"])
        if fits:
            rows = row_ranges(offsets[word], count)
    else:
        columns = decode_document(document, WORD, remote.place)
        number, part = (int(digits) for digits in name.rpartition("|")[2].split("."))
        begin = int(offsets[number]) + part * remote.layout.part_rows
        end = min(begin + remote.layout.part_rows, int(offsets[number + 1]))
        fits = end - begin == len(columns["key"])
        rows = slice(begin, end)
    if not fits:
        raise StoreError(f"{remote.place}: document {name}: expected other words")
    return columns, rows


def damaged_documents(remote: RemoteColumns) -> Iterator[str]:
    """Name, one line each, the documents of a segment that are missing or damaged.

    Raises:
        StoreError: the vocabulary is damaged, without which the other names are unknown.
    """
    words, counts = remote.vocabulary
    names = document_names(remote.entry.id, words, counts, remote.layout)
    types = {"v": VOCABULARY, "b": BUCKET, "w": WORD, "s": SLOTS, "x": EXTRA}
    for name, document in find_documents(remote.database, sorted(names)):
        if document is None:
            yield f"{remote.place}: document {name}: expected columns, got nothing"
            continue
        try:
            decode_document(document, types[name.split("|")[1]], remote.place)
        except StoreError as error:
            yield str(error)


@dataclass(frozen=True, eq=False)
class CouchDBSegment:
    """`std.store.Segment` over `RemoteColumns`."""

    id: str
    _remote: RemoteColumns
    deleted: frozenset[int]

    @cached_property
    def _is_deleted(self) -> Bools | None:
        return deleted_rows(self.deleted, len(self.recordings))

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        return self._remote.entry.recordings

    def without(self, rows: Collection[int]) -> Self:
        return replace(self, deleted=self.deleted | {*rows})

    def words(self) -> list[str]:
        return self._remote.vocabulary[0]

    def counts(self) -> Int64s:
        return self._remote.vocabulary[1]

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        postings_of = {
            word: without_recordings(postings, self._is_deleted)
            for word, postings in self._remote.postings(words)
        }
        return {word: postings for word, postings in postings_of.items() if len(postings.key)}

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._remote.slots(recordings)

    def slots_between(self, gaps: Gaps) -> Slots:
        return self._remote.slots_between(*gaps())

    def extra(self, name: str) -> Column | None:
        return self._remote.extra(name)

    def columns(self) -> SegmentColumns:
        return read_columns(self._remote)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickling keeps only the URL and the entry; unpickling opens a connection of its own."""
        return connect_segment, (
            self._remote.database.url,
            replace(self._remote.entry, deleted=self.deleted),
        )


def connect_segment(url: str, entry: SegmentEntry) -> CouchDBSegment:
    """A segment of the index in a database, with a connection of its own."""
    return CouchDBSegment(entry.id, RemoteColumns(Database(url), entry), entry.deleted)
