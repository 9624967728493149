"""Read, write, list and remove many CouchDB documents per request; read texts and columns."""

import base64
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from std.cache import Cache
from std.errors import StoreError
from std.store.couchdb.codec import (
    EXTRA,
    Document,
    StoredText,
    decode_document,
    part_id,
    part_ids,
    part_name,
)
from std.store.couchdb.database import BATCH_BYTES, Database
from std.store.couchdb.errors import TooLargeError
from std.store.couchdb.layout import Layout, extra_names, segment_of
from std.store.resident import require_rows
from std.values import Column, Int64s, UInt8s

if TYPE_CHECKING:
    from couchdb.client import Row

BATCH_ROWS = 1_000_000  # of the columns read in one request: about 10 MB
BATCH_DOCUMENTS = 500
PARTS_BYTES = 64_000_000  # per segment: the documents of columns that are not read as a whole
NOT_RETRIED = frozenset({"forbidden", "unauthorized"})  # the same document is refused again
PURGE_DOCUMENTS = 100  # CouchDB's limit for one request

Item = TypeVar("Item")


class MissingPartError(Exception):
    """A part does not exist, or not yet."""


def read_documents(
    database: Database, rows_of: Mapping[str, int]
) -> Iterator[tuple[str, Document]]:
    """Documents with their names, in order; one request per `BATCH_ROWS` rows.

    Missing documents are requested again for a short time: a node may not have them yet.

    Args:
        rows_of: about how many rows each document holds, by name.

    Raises:
        StoreError: one does not exist.
    """
    for batch in _batches(rows_of.items(), lambda item: item[1], BATCH_ROWS):
        names = [name for name, _ in batch]
        existing: dict[str, Document] = {}
        for _ in database.attempts(database.retry_policy.short_pauses_s):
            existing |= _existing_documents(
                database, [name for name in names if name not in existing]
            )
            if len(existing) == len(names):
                break
        for name in names:
            if name not in existing:
                raise StoreError(
                    f"{database.url}: expected document {name}, got none: its segment was "
                    "replaced some time ago (search again) or the index is damaged"
                )
            yield name, existing[name]


def find_documents(
    database: Database, names: Sequence[str]
) -> Iterator[tuple[str, Document | None]]:
    """Documents with their names, None for those that do not exist; a few per request."""
    for batch in _batches(names, lambda _: BATCH_ROWS // 16, BATCH_ROWS):
        existing = _existing_documents(database, batch)
        for name in batch:
            yield name, existing.get(name)


def missing_documents(database: Database, names: Collection[str]) -> set[str]:
    """The names of documents that do not exist, even after waiting for replication."""
    missing = set(names)
    for _ in database.attempts():
        for batch in _batches(sorted(missing), lambda _: 1, BATCH_ROWS):
            rows = database.rows("_all_docs", keys=batch)
            missing -= {row.id for row in rows if row.id and "deleted" not in row.value}
        if not missing:
            break
    return missing


def write_documents(database: Database, segment: str, documents: Iterable[Document]) -> None:
    """Write all documents of a segment, except those that exist already.

    If a batch is too large for the server or a proxy, it is halved, and so are later ones.

    Args:
        segment: id of the segment; the names of its documents begin with it.

    Raises:
        StoreError: the server refuses one.
    """
    is_new = not list_documents(database, f"{segment}|", limit=1)
    sized = ((document, len(document["deflated"]) + 200) for document in documents)
    for batch in _batches(sized, lambda pair: pair[1], BATCH_BYTES):
        pieces = [batch]
        while pieces:
            piece = pieces.pop()
            size = sum(size for _, size in piece)
            if size <= database.batch_bytes or len(piece) == 1:
                try:
                    by_name = {document["_id"]: document for document, _ in piece}
                    _write_batch(database, by_name, is_new=is_new)
                    continue
                except TooLargeError as error:
                    if len(piece) == 1:
                        name = piece[0][0]["_id"]
                        raise TooLargeError(f"{error}; document {name} does not fit") from error
                    database.batch_bytes = size // 2
            half = len(piece) // 2
            pieces += [piece[half:], piece[:half]]


def _write_batch(database: Database, documents: Mapping[str, Document], *, is_new: bool) -> None:
    """Write the documents that do not exist; a conflict means an earlier attempt succeeded.

    Args:
        documents: by name.
        is_new: none of them exists yet, so nothing is read first.
    """
    missing = list(documents.values()) if is_new else _missing_or_damaged(database, documents)
    refused: list[dict[str, Any]] = []
    for _ in database.attempts() if missing else ():
        rows = database.post("_bulk_docs", {"docs": missing})
        refused = [row for row in rows if "error" in row]
        missing = _missing_or_damaged(database, documents) if refused else []
        if not missing or any(row["error"] in NOT_RETRIED for row in refused):
            break
    if missing:
        reasons = ", ".join(f"{refused[0].get(field)}" for field in ("error", "reason"))
        raise StoreError(f"{database.url}: the server refuses {missing[0]['_id']}: {reasons}")


def _missing_or_damaged(database: Database, documents: Mapping[str, Document]) -> list[Document]:
    """The documents to write; damaged ones get the revision that they replace."""
    existing = _existing_documents(database, list(documents))
    return [
        document | ({"_rev": existing[name]["_rev"]} if name in existing else {})
        for name, document in documents.items()
        if {k: v for k, v in existing.get(name, {}).items() if k != "_rev"} != document
    ]


def _existing_documents(database: Database, names: list[str]) -> dict[str, Document]:
    rows = database.rows("_all_docs", keys=names, include_docs=True)
    return {row.id: dict(row.doc) for row in rows if row.doc}


def write_parts(database: Database, parts: Sequence[Document]) -> None:
    """Write parts, before the manifest document that names them."""
    if parts:
        write_documents(database, parts[0]["_id"].partition("|")[0], parts)


def read_texts(database: Database, stored_texts: Iterable[StoredText]) -> list[bytes]:
    """Decode stored texts; reads their parts.

    Raises:
        MissingPartError: a part does not exist.
        StoreError: a part is damaged.
        TypeError, ValueError, zlib.error: a value is no stored text.
    """
    stored_texts = list(stored_texts)
    names = {part_name(part): part for part in sorted(part_ids(*stored_texts))}
    parts: dict[str, bytes] = {}
    for name, document in find_documents(database, list(names)) if names else ():
        if document is None:
            raise MissingPartError(name)
        content = decode_document(document, EXTRA, database.url)["bytes"].tobytes()
        if part_id(content) != names[name]:
            raise StoreError(f"{database.url}: document {name}: expected other content")
        parts[names[name]] = content
    return [
        zlib.decompress(base64.b64decode(stored, validate=True))
        if isinstance(stored, str)
        else b"".join(parts[part] for part in stored)
        for stored in stored_texts
    ]


class ExtraColumns:
    """The extra columns of one segment."""

    def __init__(self, database: Database, segment: str, layout: Layout, place: str) -> None:
        self._database, self._segment = database, segment
        self._layout, self._place = layout, place
        self._whole: dict[str, Column] = {}
        self._documents = Cache(PARTS_BYTES)

    def whole(self, name: str) -> Column | None:
        """A column; None if there is none of this name."""
        if name not in self._layout.extra:
            return None
        if name not in self._whole:
            parts = range(len(extra_names(self._segment, name, self._layout)))
            content = b"".join(part.tobytes() for _, part in self._read(name, parts))
            dtype, shape = self._layout.extra[name]
            try:
                self._whole[name] = np.frombuffer(content, dtype).reshape(shape)
            except ValueError as error:
                raise StoreError(f"{self._place}: column {name}: {error}") from error
        return self._whole[name]

    def rows(self, name: str, rows: Int64s) -> Column | None:
        """Some rows of a column; None if there is none of this name.

        Raises:
            StoreError: there are no such rows.
        """
        if name not in self._layout.extra:
            return None
        dtype, shape = self._layout.extra[name]
        require_rows(rows, shape[0], f"{self._place}: column {name}")
        if name in self._whole:
            return self._whole[name][rows]
        width = np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64))
        at = (rows[:, None] * width + np.arange(width)).reshape(-1)
        part, within = np.divmod(at, self._layout.part_bytes)
        content = np.empty(len(at), np.uint8)
        for number, document in self._kept(name, np.unique(part).tolist()):
            here = part == number
            if int(within[here].max()) >= len(document):
                raise StoreError(f"{self._place}: column {name}: part {number} is too short")
            content[here] = document[within[here]]
        return content.view(dtype).reshape(-1, *shape[1:])

    def _kept(self, name: str, parts: Collection[int]) -> Iterator[tuple[int, UInt8s]]:
        """Parts of a column; reads those that are not in the cache."""
        missing = []
        for part in parts:
            kept = self._documents.get((name, part))
            if kept is None:
                missing.append(part)
            else:
                yield part, kept
        for part, content in self._read(name, missing):
            self._documents.put((name, part), content, content.nbytes)
            yield part, content

    def _read(self, name: str, parts: Collection[int]) -> Iterator[tuple[int, UInt8s]]:
        names = extra_names(self._segment, name, self._layout)
        wanted = {names[part]: part for part in parts}
        rows_of = dict.fromkeys(wanted, self._layout.part_rows)
        for document_name, document in read_documents(self._database, rows_of):
            yield wanted[document_name], decode_document(document, EXTRA, self._place)["bytes"]


def stored_segment_ids(database: Database) -> set[str]:
    """Ids of all segments and parts with documents, in the index or not: one request for each."""
    ids = set()
    start = "0"
    while rows := list_documents(database, start, limit=1, until="g"):
        segment = segment_of(rows[0].id)
        if segment is not None:
            ids.add(segment)
        start = f"{rows[0].id.partition('|')[0]}}}"  # "}" is what follows "|"
    return ids


def list_documents(
    database: Database, start: str, *, limit: int, until: str | None = None
) -> "list[Row]":
    """Rows of ``_all_docs`` (names and revisions), in order of their names.

    Args:
        start: the first name, or without ``until`` what all names begin with.
        limit: how many rows at most.
        until: the last name.

    Raises:
        StoreError: the database does not exist.
    """
    end = until or f"{start}\ufff0"
    return database.rows("_all_docs", startkey=start, endkey=end, limit=limit)


def remove_segment(database: Database, segment: str) -> None:
    """Remove all documents of a segment: purge them, or delete them if purging is refused.

    CouchDB keeps a stub of every deleted document for ever; purging leaves nothing.
    """
    purge, before = True, None
    while rows := list_documents(database, f"{segment}|", limit=BATCH_DOCUMENTS):
        revisions = {row.id: row.value["rev"] for row in rows}
        if revisions == before:  # nothing was removed
            if not purge:
                return  # perhaps the listing of a late node: the next writer tries again
            purge = False
        before = revisions
        purge = purge and _purge(database, revisions)
        if not purge:
            deletions = [
                {"_id": name, "_rev": rev, "_deleted": True} for name, rev in revisions.items()
            ]
            database.post("_bulk_docs", {"docs": deletions})


def _purge(database: Database, revisions: Mapping[str, str]) -> bool:
    """Purge documents; False if the server refuses."""
    waiting = iter(revisions.items())
    while batch := dict(islice(waiting, PURGE_DOCUMENTS)):
        try:
            database.post("_purge", {name: [rev] for name, rev in batch.items()})
        except StoreError:
            return False
    return True


def _batches(
    items: Iterable[Item], size: Callable[[Item], int], limit: int
) -> Iterator[list[Item]]:
    """Cut a sequence into batches of at most `BATCH_DOCUMENTS` items and ``limit`` total size."""
    batch: list[Item] = []
    total = 0
    for item in items:
        if batch and (total + size(item) > limit or len(batch) == BATCH_DOCUMENTS):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch
