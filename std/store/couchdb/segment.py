"""Reading a segment out of CouchDB documents; what is fetched for good is kept."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

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
    unpack_vocabulary,
)
from std.store.couchdb.bulk import found, read
from std.store.couchdb.documents import (
    BUCKET,
    EXTRA,
    SLOTS,
    VOCABULARY,
    WORD,
    Columns,
    Document,
    document_names,
    extra_names,
    layout_of,
    slot_name,
    spans,
    unpack,
    vocabulary_names,
)
from std.store.couchdb.http import Database
from std.store.couchdb.cache import Kept
from std.store.manifest import SegmentEntry
from std.store.resident import checked_postings, checked_rows, checked_slots, without_recordings

REST = [column for column in WORD if column != "key"]


@dataclass(frozen=True, eq=False)
class CouchSegment:
    """`std.store.Segment` over `RemoteColumns`."""

    id: str
    _remote: "RemoteColumns"
    deleted: frozenset[int]

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        return self._remote.entry.recordings

    def words(self) -> list[str]:
        return self._remote.vocabulary[0]

    def counts(self) -> Int64s:
        return self._remote.vocabulary[1]

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        found = {
            word: without_recordings(one, self.deleted)
            for word, one in self._remote.postings(words)
        }
        return {word: one for word, one in found.items() if len(one.key)}

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._remote.slots(recordings)

    def slots_between(self, gaps: Callable[[], tuple[Int64s, Int64s]]) -> Slots:
        return self._remote.slots_between(*gaps())

    def extra(self, name: str) -> Column | None:
        return self._remote.extra(name)

    def columns(self) -> SegmentColumns:
        return self._remote.columns()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as where it is; whoever gets it connects by itself."""
        return connected, (self._remote.url, replace(self._remote.entry, deleted=self.deleted))


def connected(url: str, entry: SegmentEntry) -> CouchSegment:
    """A segment of the index in a database, to read over a connection of its own."""
    return CouchSegment(entry.id, RemoteColumns(Database(url), entry), entry.deleted)


class RemoteColumns:
    """The columns of one segment, as far as they were needed."""

    def __init__(self, database: Database, entry: SegmentEntry) -> None:
        self.url = database.url
        self.entry = entry
        self._database = database
        self._place = f"{database.url}: segment {entry.id}"
        self._layout = layout_of(entry.files or {}, self._place)
        self._kept = Kept()
        self._extra: dict[str, Column] = {}

    @cached_property
    def vocabulary(self) -> tuple[list[str], Int64s]:
        """All words, ascending, and the number of postings of each."""
        words: list[str] = []
        counts = [np.empty(0, np.int64)]
        names = vocabulary_names(self.entry.id, self.entry.words, self._layout)
        for _, document in read(self._database, dict.fromkeys(names, self._layout.part_words)):
            part = unpack(document, VOCABULARY, self._place)
            words += unpack_vocabulary(part["vocabulary"], self._place)
            counts.append(part["count"])
        total = np.concatenate(counts)
        if not len(words) == len(total) == self.entry.words or total.sum() != self.entry.postings:
            raise StoreError(f"{self._place}: expected a vocabulary that fits, got another")
        return words, total

    @cached_property
    def _buckets(self) -> int:
        return self._layout.buckets(self.vocabulary[1])

    def postings(self, words: Collection[str]) -> Iterator[tuple[str, Postings]]:
        """Postings of those of the words that occur, deleted recordings included."""
        known, counts = self.vocabulary
        rows_of: dict[str, int] = {}
        documents_of: dict[int, list[str]] = {}
        for word in words:
            row = bisect_left(known, word)
            if row < len(known) and known[row] == word and counts[row]:
                count = int(counts[row])
                names = self._layout.document_of(self.entry.id, row, word, count, self._buckets)
                documents_of[row] = names
                rows_of |= dict.fromkeys(names, min(count, self._layout.part_rows))
        fetched = self._kept.of(rows_of)
        missing = {name: rows for name, rows in rows_of.items() if name not in fetched}
        for name, document in read(self._database, missing):
            types = BUCKET if name.startswith(f"{self.entry.id}|b|") else WORD
            fetched[name] = unpack(document, types, self._place)
            self._kept.keep(name, fetched[name])
        for row, names in documents_of.items():
            parts = [self._of_word(row, fetched[name], name) for name in names]
            whole = parts[0] if len(parts) == 1 else _joined(parts)
            if len(whole.key) != counts[row]:
                raise StoreError(f"{self._place}: {known[row]!r} has another number of postings")
            limits = len(self.entry.recordings), self.entry.slots
            yield known[row], checked_postings(whole, *limits, self._place)

    def _of_word(self, row: int, columns: Columns, name: str) -> Postings:
        """A word's postings in one document."""
        everything = Postings(*(columns[column] for column in WORD))
        if "word" not in columns:
            return everything
        place = int(np.searchsorted(columns["word"], row))
        if place == len(columns["word"]) or columns["word"][place] != row:
            raise StoreError(f"{self._place}: document {name} lacks a word")
        end = int(columns["count"][: place + 1].sum(dtype=np.int64))
        return everything.rows(slice(end - int(columns["count"][place]), end))

    def slots(self, recordings: Collection[int]) -> Slots:
        """The parts with these recordings."""
        return self._slot_parts(self._layout.slot_parts(recordings))

    def slots_between(self, first: Int64s, last: Int64s) -> Slots:
        """The parts with these rows.

        Raises:
            StoreError: there are no such rows.
        """
        checked_rows(np.concatenate([first, last]), self.entry.slots, self._place)
        return self._slot_parts(self._layout.slot_parts_between(first, last))

    def _slot_parts(self, wanted: Sequence[int]) -> Slots:
        """Parts of the slots, fetched as far as they were not kept."""
        names = {slot_name(self.entry.id, part, self._layout): part for part in wanted}
        fetched = self._kept.of(names)
        per_part, limits = self._layout.slot_rows, (len(self.entry.recordings), self.entry.words)
        missing = {name: per_part for name in names if name not in fetched}
        for name, document in read(self._database, missing):
            columns = unpack(document, SLOTS, self._place)
            checked_slots(Slots(**columns), *limits, self._place)
            if len(columns["key"]) != min(per_part, self.entry.slots - names[name] * per_part):
                raise StoreError(f"{self._place}: document {name}: expected other slots")
            fetched[name] = columns
            self._kept.keep(name, columns)
        parts = [fetched[name] for name in names]
        found = {
            column: np.concatenate([np.empty(0, dtype), *(part[column] for part in parts)])
            for column, dtype in SLOTS.items()
        }
        rows = [
            number * per_part + np.arange(len(part["key"]))
            for number, part in zip(wanted, parts, strict=True)
        ]
        return Slots(**found, row=np.concatenate([np.empty(0, np.int64), *rows]))

    def extra(self, name: str) -> Column | None:
        """An extra column; None if there is none of this name."""
        if name not in self._layout.extra:
            return None
        if name not in self._extra:
            names = extra_names(self.entry.id, name, self._layout)
            content = b"".join(
                unpack(document, EXTRA, self._place)["bytes"].tobytes()
                for _, document in read(
                    self._database, dict.fromkeys(names, self._layout.part_rows)
                )
            )
            dtype, shape = self._layout.extra[name]
            try:
                self._extra[name] = np.frombuffer(content, dtype).reshape(shape)
            except ValueError as error:
                raise StoreError(f"{self._place}: column {name}: {error}") from error
        return self._extra[name]

    def damage(self) -> Iterator[str]:
        """Name the documents that are missing or damaged.

        Raises:
            StoreError: the vocabulary is, without which nobody knows the others' names.
        """
        words, counts = self.vocabulary
        wanted = document_names(self.entry.id, words, counts, self._layout)
        types = {"v": VOCABULARY, "b": BUCKET, "w": WORD, "s": SLOTS, "x": EXTRA}
        for name, document in found(self._database, sorted(wanted)):
            if document is None:
                yield f"{self._place}: document {name}: expected columns, got nothing"
                continue
            try:
                unpack(document, types[name.split("|")[1]], self._place)
            except StoreError as error:
                yield str(error)

    def _all_postings(self, offsets: Int64s) -> Columns:
        """The posting columns, filled a document at a time; `postings` goes word by word."""
        names = document_names(self.entry.id, *self.vocabulary, self._layout)
        sizes = {"b": self._layout.bucket_postings, "w": self._layout.part_rows}
        kinds = {name: name.split("|")[1] for name in sorted(names)}
        wanted = {name: sizes[kind] for name, kind in kinds.items() if kind in sizes}
        types = {"start_ms": np.dtype("<u4")} | {name: np.dtype(WORD[name]) for name in REST}
        arrays: Columns = {name: np.empty(offsets[-1], dtype) for name, dtype in types.items()}
        filled = np.zeros(offsets[-1], np.bool_)
        for name, document in read(self._database, wanted):
            columns, rows = self._placed(name, document, offsets)
            key = columns["key"]
            if len(key) and int(key.max() >> KEY_SHIFT) >= len(self.entry.recordings):
                raise StoreError(f"{self._place}: a posting names a recording that does not exist")
            arrays["start_ms"][rows] = key & TIME_MASK
            for column in REST:
                arrays[column][rows] = columns[column]
            filled[rows] = True
        if not filled.all():
            raise StoreError(f"{self._place}: expected the postings of all words")
        checked_rows(arrays["slot"], self.entry.slots, self._place)
        return {f"posting_{name}": column for name, column in arrays.items()}

    def _placed(
        self, name: str, document: Document, offsets: Int64s
    ) -> tuple[Columns, slice | Int64s]:
        """A document's columns, and the rows of the posting columns that they are."""
        rows: slice | Int64s = slice(0)
        if name.startswith(f"{self.entry.id}|b|"):
            columns = unpack(document, BUCKET, self._place)
            word, count = columns["word"], columns["count"].astype(np.int64)
            fits = len(word) == 0 or 0 <= int(word.min()) <= int(word.max()) < len(offsets) - 1
            fits = fits and np.array_equal(count, offsets[word + 1] - offsets[word])
            fits = fits and int(count.sum()) == len(columns["key"])
            if fits:
                rows = spans(offsets[word], count)
        else:
            columns = unpack(document, WORD, self._place)
            number, part = (int(digits) for digits in name.rpartition("|")[2].split("."))
            begin = int(offsets[number]) + part * self._layout.part_rows
            end = min(begin + self._layout.part_rows, int(offsets[number + 1]))
            fits = end - begin == len(columns["key"])
            rows = slice(begin, end)
        if not fits:
            raise StoreError(f"{self._place}: document {name}: expected other words")
        return columns, rows

    def columns(self) -> SegmentColumns:
        """Everything, as it was committed."""
        words, counts = self.vocabulary
        offsets = np.concatenate([[0], np.cumsum(counts)])
        slots = self._slot_parts(range(len(self._layout.slot_starts)))
        if len(slots.key) != self.entry.slots:
            raise StoreError(f"{self._place}: expected {self.entry.slots} slots")
        arrays: Columns = {
            "vocabulary": pack_vocabulary(words),
            "posting_offsets": offsets,
            "slot_key": slots.key,
            "slot_epsilon": slots.epsilon,
            "slot_word": slots.word,
        }
        arrays["slot_offsets"] = first_slots(slots.key, len(self.entry.recordings))
        arrays |= self._all_postings(offsets)
        for name in self._layout.extra:
            extra = self.extra(name)
            assert extra is not None
            arrays[name] = extra
        try:
            return from_arrays(self.entry.recordings, arrays)
        except ValueError as error:
            raise StoreError(f"{self._place}: {error}") from error


def _joined(parts: list[Postings]) -> Postings:
    return Postings(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
