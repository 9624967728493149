"""Read columns of a segment from CouchDB: one request per query, and a cache of documents."""

import threading
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from std.errors import StoreError
from std.store.columns import Column, Int64s, Postings, Slots, unpack_vocabulary
from std.store.couchdb.bulk import read_documents
from std.store.couchdb.codec import (
    BUCKET,
    EXTRA,
    SLOTS,
    VOCABULARY,
    WORD,
    DocumentColumns,
    decode_document,
)
from std.store.couchdb.database import Database
from std.store.couchdb.layout import extra_names, recorded_layout, slot_name, vocabulary_names
from std.store.manifest import SegmentEntry
from std.store.resident import checked_postings, checked_rows, checked_slots

CACHE_BYTES = 128_000_000  # per segment: about 7 million postings


class RemoteColumns:
    """The columns of one segment; reads the documents that a query needs.

    Attributes:
        entry: the manifest's entry of the segment.
        database: where its documents are.
        layout: how it is cut into documents.
        place: its name in error messages.
    """

    def __init__(self, database: Database, entry: SegmentEntry) -> None:
        self.entry = entry
        self.database = database
        self.place = f"{database.url}: segment {entry.id}"
        self.layout = recorded_layout(entry.files or {}, self.place)
        self._cache = DocumentCache()
        self._extra: dict[str, Column] = {}

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
        columns_of = self._cache.get(rows_of)
        missing = {name: rows for name, rows in rows_of.items() if name not in columns_of}
        for name, document in read_documents(self.database, missing):
            types = BUCKET if name.startswith(f"{self.entry.id}|b|") else WORD
            columns_of[name] = decode_document(document, types, self.place)
            self._cache.put(name, columns_of[name])
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
        columns_of = self._cache.get(names)
        per_part, limits = self.layout.slot_rows, (len(self.entry.recordings), self.entry.words)
        missing = {name: per_part for name in names if name not in columns_of}
        for name, document in read_documents(self.database, missing):
            columns = decode_document(document, SLOTS, self.place)
            checked_slots(Slots(**columns), *limits, self.place)
            if len(columns["key"]) != min(per_part, self.entry.slots - names[name] * per_part):
                raise StoreError(f"{self.place}: document {name}: expected other slots")
            columns_of[name] = columns
            self._cache.put(name, columns)
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

    def extra(self, name: str) -> Column | None:
        """An extra column; None if there is none of this name."""
        if name not in self.layout.extra:
            return None
        if name not in self._extra:
            names = extra_names(self.entry.id, name, self.layout)
            content = b"".join(
                decode_document(document, EXTRA, self.place)["bytes"].tobytes()
                for _, document in read_documents(
                    self.database, dict.fromkeys(names, self.layout.part_rows)
                )
            )
            dtype, shape = self.layout.extra[name]
            try:
                self._extra[name] = np.frombuffer(content, dtype).reshape(shape)
            except ValueError as error:
                raise StoreError(f"{self.place}: column {name}: {error}") from error
        return self._extra[name]


def _concatenated(parts: list[Postings]) -> Postings:
    return Postings(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class DocumentCache:
    """The columns of documents by name; the least recently used ones beyond the limit are dropped.

    Args:
        limit_bytes: size of all columns together.
    """

    def __init__(self, limit_bytes: int = CACHE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._columns: dict[str, DocumentColumns] = {}  # last used last
        self._lock = threading.Lock()

    def get(self, names: Iterable[str]) -> dict[str, DocumentColumns]:
        """Those of the documents that are in the cache."""
        with self._lock:
            cached = {name: self._columns.pop(name) for name in names if name in self._columns}
            self._columns |= cached
        return cached

    def put(self, name: str, columns: DocumentColumns) -> None:
        """Add a document; older ones may be dropped."""
        size = _bytes(columns)
        if size > self._limit_bytes:
            return
        with self._lock:
            if name in self._columns:
                return
            self._columns[name] = columns
            self._bytes += size
            while self._bytes > self._limit_bytes:
                oldest = next(iter(self._columns))
                self._bytes -= _bytes(self._columns.pop(oldest))


def _bytes(columns: DocumentColumns) -> int:
    return sum(column.nbytes for column in columns.values())
