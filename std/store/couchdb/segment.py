"""A segment in CouchDB: as the searcher reads it, as a whole to merge it, and verified.

RemoteColumns    the columns that a query needs: one request per query, and a cache of documents
CouchDBSegment   `std.store.Segment` over them
read_columns     all columns
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from std.cache import Cache
from std.errors import StoreError
from std.store.columns import (
    KEY_SHIFT,
    TIME_MASK,
    IndexedRecording,
    Postings,
    SegmentColumns,
    Slots,
    first_slots,
    from_arrays,
    pack_vocabulary,
    row_ranges,
    unpack_vocabulary,
)
from std.store.couchdb.bulk import ExtraColumns, read_documents
from std.store.couchdb.codec import (
    BUCKET,
    SLOTS,
    VOCABULARY,
    WORD,
    Document,
    DocumentColumns,
    decode_document,
)
from std.store.couchdb.database import Database
from std.store.couchdb.layout import document_names, recorded_layout, slot_name, vocabulary_names
from std.store.manifest import SegmentEntry
from std.store.protocol import Gaps
from std.store.resident import (
    checked_postings,
    checked_rows,
    checked_slots,
    deleted_rows,
    without_recordings,
)
from std.values import Bools, Column, Int64s

CACHE_BYTES = 128_000_000  # per segment: about 7 million postings
COLUMN_NAMES = [column for column in WORD if column != "key"]  # of a posting, beside its start


class RemoteColumns:
    """The columns of one segment; reads the documents that a query needs.

    Attributes:
        entry: the manifest's entry of the segment.
        database: where its documents are.
        layout: how it is cut into documents.
        place: its name in error messages.
        extra: its extra columns.
    """

    def __init__(self, database: Database, entry: SegmentEntry) -> None:
        self.entry = entry
        self.database = database
        self.place = f"{database.url}: segment {entry.id}"
        self.layout = recorded_layout(entry.files or {}, self.place)
        self._cache = Cache(CACHE_BYTES)
        self.extra = ExtraColumns(database, entry.id, self.layout, self.place)

    @cached_property
    def vocabulary(self) -> tuple[list[str], Int64s]:
        """(V,) words, ascending, and (V,) the number of postings of each."""
        words: list[str] = []
        counts = [np.empty(0, np.int64)]
        names = vocabulary_names(self.entry.id, self.entry.words, self.layout)
        for _, document in read_documents(
            self.database, dict.fromkeys(names, self.layout.part_words)
        ):
            part = decode_document(document, VOCABULARY, self.place)
            words += unpack_vocabulary(part["vocabulary"], self.place)
            counts.append(part["count"])
        total = np.concatenate(counts)
        if not len(words) == len(total) == self.entry.words or total.sum() != self.entry.postings:
            raise StoreError(f"{self.place}: expected a vocabulary that fits, got another")
        return words, total

    @cached_property
    def _buckets(self) -> int:
        return self.layout.buckets(self.vocabulary[1])

    def postings(self, words: Collection[str]) -> Iterator[tuple[str, Postings]]:
        """Postings of the words that occur, with those in deleted recordings."""
        vocabulary, counts = self.vocabulary
        rows_of: dict[str, int] = {}
        documents_of: dict[int, list[str]] = {}
        for word in words:
            row = bisect_left(vocabulary, word)
            if row < len(vocabulary) and vocabulary[row] == word and counts[row]:
                count = int(counts[row])
                names = self.layout.document_of(self.entry.id, row, word, count, self._buckets)
                documents_of[row] = names
                rows_of |= dict.fromkeys(names, min(count, self.layout.part_rows))
        columns_of = self._cached(rows_of)
        missing = {name: rows for name, rows in rows_of.items() if name not in columns_of}
        for name, document in read_documents(self.database, missing):
            types = BUCKET if name.startswith(f"{self.entry.id}|b|") else WORD
            columns_of[name] = decode_document(document, types, self.place)
            self._keep(name, columns_of[name])
        for row, names in documents_of.items():
            parts = [self._postings_in(name, columns_of[name], row) for name in names]
            postings = parts[0] if len(parts) == 1 else _concatenated(parts)
            if len(postings.key) != counts[row]:
                raise StoreError(
                    f"{self.place}: {vocabulary[row]!r} has another number of postings"
                )
            limits = len(self.entry.recordings), self.entry.slots
            yield vocabulary[row], checked_postings(postings, *limits, self.place)

    def _postings_in(self, name: str, columns: DocumentColumns, row: int) -> Postings:
        """The postings of the word with this row, in one document."""
        postings = Postings(*(columns[column] for column in WORD))
        if "word" not in columns:
            return postings
        position = int(np.searchsorted(columns["word"], row))
        if position == len(columns["word"]) or columns["word"][position] != row:
            raise StoreError(f"{self.place}: document {name} lacks a word")
        end = int(columns["count"][: position + 1].sum(dtype=np.int64))
        return postings.rows(slice(end - int(columns["count"][position]), end))

    def slots(self, recordings: Collection[int]) -> Slots:
        """The parts of the slots that hold these recordings."""
        return self.slot_parts(self.layout.slot_parts(recordings))

    def slots_between(self, first: Int64s, last: Int64s) -> Slots:
        """The parts of the slots that hold these rows.

        Raises:
            StoreError: there are no such rows.
        """
        checked_rows(np.concatenate([first, last]), self.entry.slots, self.place)
        return self.slot_parts(self.layout.slot_parts_between(first, last))

    def slot_parts(self, numbers: Sequence[int]) -> Slots:
        """Parts of the slots; reads those that are not in the cache."""
        names = {slot_name(self.entry.id, part, self.layout): part for part in numbers}
        columns_of = self._cached(names)
        per_part, limits = self.layout.slot_rows, (len(self.entry.recordings), self.entry.words)
        missing = {name: per_part for name in names if name not in columns_of}
        for name, document in read_documents(self.database, missing):
            columns = decode_document(document, SLOTS, self.place)
            checked_slots(Slots(**columns), *limits, self.place)
            if len(columns["key"]) != min(per_part, self.entry.slots - names[name] * per_part):
                raise StoreError(f"{self.place}: document {name}: expected other slots")
            columns_of[name] = columns
            self._keep(name, columns)
        parts = [columns_of[name] for name in names]
        joined = {
            column: np.concatenate([np.empty(0, dtype), *(part[column] for part in parts)])
            for column, dtype in SLOTS.items()
        }
        rows = [
            number * per_part + np.arange(len(part["key"]))
            for number, part in zip(numbers, parts, strict=True)
        ]
        return Slots(**joined, row=np.concatenate([np.empty(0, np.int64), *rows]))

    def _cached(self, names: Iterable[str]) -> dict[str, DocumentColumns]:
        """Those of the documents that are in the cache."""
        found = ((name, self._cache.get(name)) for name in names)
        return {name: columns for name, columns in found if columns is not None}

    def _keep(self, name: str, columns: DocumentColumns) -> None:
        self._cache.put(name, columns, sum(column.nbytes for column in columns.values()))


def _concatenated(parts: list[Postings]) -> Postings:
    return Postings(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


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
        extra = remote.extra.whole(name)
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
        return self._remote.extra.whole(name)

    def extra_rows(self, name: str, rows: Int64s) -> Column | None:
        return self._remote.extra.rows(name, rows)

    def columns(self) -> SegmentColumns:
        return read_columns(self._remote)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickling keeps only the URL and the entry; unpickling opens a separate connection."""
        return connect_segment, (
            self._remote.database.url,
            replace(self._remote.entry, deleted=self.deleted),
        )


def connect_segment(url: str, entry: SegmentEntry) -> CouchDBSegment:
    """A segment of the index in a database, with a separate connection."""
    return CouchDBSegment(entry.id, RemoteColumns(Database(url), entry), entry.deleted)
