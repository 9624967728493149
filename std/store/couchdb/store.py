"""Apache CouchDB as a store: immutable documents, and one manifest document as commit point.

    manifest           the index (`std.store.manifest`), who may write, what awaits removal
    SEGMENT|...        the documents of a segment (`std.store.couchdb.layout`)

A commit (`CouchDBStore.commit`) first writes the documents of new segments, which no reader reads
yet, and then replaces the manifest document: this one request is the commit
(`std.store.couchdb.manifest.write_manifest`). CouchDB refuses it with status 409 if the document
has changed since it was read. Documents are named after their content, so the next writer finds
those that a killed writer left and does not write them twice. Replaced segments are removed at
the end of a writer's work.

A reader needs one request for the manifest, one for the vocabulary of each segment (which is
cached), and for a batch of words one per segment. It may use a snapshot for
`std.store.couchdb.writer.RETENTION_S` after its segments were replaced; then their documents are
removed.

There are no views, and no documents for single alternatives of a slot; docs/stores.md has the
measurements behind this.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace as changed
from typing import Self

from std.errors import NoIndexError, StoreBusyError, StoreError, StoreWarning, quoted
from std.metadata.table import Metadata
from std.numbers import counted
from std.store.columns import SegmentColumns, unpack_vocabulary
from std.store.couchdb.bulk import find_documents, list_documents, write_documents
from std.store.couchdb.codec import BUCKET, EXTRA, SLOTS, VOCABULARY, WORD, decode_document
from std.store.couchdb.conflicts import describe_conflicts
from std.store.couchdb.database import Database
from std.store.couchdb.layout import (
    Layout,
    document_names,
    recorded_layout,
    segment_documents,
    segment_of,
)
from std.store.couchdb.manifest import MANIFEST_ID, ManifestDocument, read_winner
from std.store.couchdb.segment import CouchDBSegment, RemoteColumns, read_columns
from std.store.couchdb.writer import Writer, acquire_lease
from std.store.manifest import (
    Manifest,
    SegmentEntry,
    manifest_after_commit,
    metadata_after_commit,
    segment_entry,
)
from std.store.protocol import Commit, Store, faults
from std.store.reconcile import IndexState
from std.store.versions import versions_after
from std.text import Normalisation


class CouchDBStore(Store):
    """`std.store.Store` in a CouchDB database."""

    def __init__(self, database: Database, layout: Layout | None = None) -> None:
        self.url = database.url
        self._database = database
        self._layout = layout or Layout()  # of new segments
        self._remote: dict[str, RemoteColumns] = {}
        self._known = ManifestDocument()  # the manifest document as it was read last
        self._reported_conflicts: tuple[str, ...] = ()  # revisions that the user was warned of
        self._deleted_in_conflicts: frozenset[str] = frozenset()  # audio files
        self._writer: Writer | None = None  # while this process holds the lease

    @property
    def round_trips(self) -> int:
        """Requests sent so far."""
        return self._database.requests

    def normalisation(self) -> Normalisation | None:
        known = self._known.manifest.normalisation  # once there is one, it never changes
        return self._read_manifest().manifest.normalisation if known is None else known

    def revision(self) -> str:
        document = self._read_manifest()
        return " ".join((document.revision or "", *document.conflicts))

    def segments(self) -> tuple[CouchDBSegment, ...]:
        document = self._read_manifest()
        if document.conflicts != self._reported_conflicts:
            self._reported_conflicts = document.conflicts
            self._deleted_in_conflicts = frozenset()
            for reconciled, line in describe_conflicts(self._database, document):
                if reconciled is not None:
                    self._deleted_in_conflicts |= reconciled.deleted
                if reconciled is None or any(reconciled[1:]):
                    warnings.warn(line, StoreWarning, stacklevel=2)
        entries = document.manifest.segments
        self._remote = {
            entry.id: self._remote.get(entry.id) or RemoteColumns(self._database, entry)
            for entry in entries
        }
        return tuple(
            CouchDBSegment(
                entry.id,
                self._remote[entry.id],
                entry.deleted | entry.rows_of(self._deleted_in_conflicts),
            )
            for entry in entries
        )

    def metadata(self) -> Metadata:
        document = self._known if self._writer is None else self._writer.document
        return document.metadata

    def require(self, *, create: bool) -> Self:
        """This store, if it holds an index, or with ``create`` may hold one; else it is closed.

        Raises:
            StoreError: there is no index, or it is damaged.
        """
        try:
            self._require(create=create)
        except BaseException:
            self.close()
            raise
        return self

    def _require(self, *, create: bool) -> None:
        if not self._database.exists():
            if not create:
                raise NoIndexError(
                    f"{self.url}: expected a database with an index, got no database"
                )
            self._create()
        document = self._read_manifest()
        if document.revision is None:
            _require_no_foreign_documents(self._database)
        if document.manifest.normalisation is None and not create:
            raise NoIndexError(
                f"{self.url}: expected an index (made by std-index), got a database without"
            )

    def _create(self) -> None:
        """Make the database.

        Raises:
            StoreError: this user may not.
        """
        try:
            self._database.create()
        except StoreError as error:
            raise StoreError(
                f"{self.url}: there is no such database, and it cannot be made: "
                f"{str(error).removeprefix(f'{self._database.url}: ')}"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._writer is not None:
            raise StoreBusyError(f"{self.url}: this process is writing to this store already")
        self._writer = acquire_lease(self._database, self._read_manifest)
        try:
            with self._writer.renewing_lease():
                self._writer.resolve_conflicts()
                yield
                with suppress(StoreError):  # the index is committed; the next writer tries again
                    self._writer.remove_retired()
        finally:
            self._writer = None

    def _commit(self, commit: Commit) -> None:
        if self._writer is None:
            raise RuntimeError("a commit belongs inside `with store.writing():`")
        before = self._writer.document.manifest
        gone = commit.replace, commit.delete_files
        # Refuse before anything is written.
        manifest_after_commit(before, (), commit.normalisation, place=self.url)
        entries = [self._write(columns, before) for columns in commit.add]
        manifest = manifest_after_commit(
            before, entries, commit.normalisation, *gone, place=self.url
        )
        versions = versions_after(self._writer.document.versions, before, manifest, entries, *gone)
        table = metadata_after_commit(self._writer.document.metadata, commit.metadata, manifest)
        manifest = changed(manifest, metadata=table.id)
        self._writer.commit(IndexState(manifest, versions, table))

    def clean_up(self) -> int:
        with self.writing():
            assert self._writer is not None
            waiting = self._writer.document.retired
            # As if they had been replaced long ago: `remove_retired` then removes them.
            self._writer.replace_document(retired=dict.fromkeys(waiting, 0.0))
        left = waiting.keys() & self._read_manifest().retired.keys()
        removed = len(waiting) - len(left)
        if left:
            warnings.warn(
                f"{self.url}: {counted(len(left), 'replaced segment')} could not be removed now "
                "(another version of this index is being written, or the server is in trouble): "
                "the next std-index tries again",
                StoreWarning,
                stacklevel=2,
            )
        if removed:
            with suppress(StoreError):  # only administrators may; CouchDB compacts later by itself
                self._database.post("_compact", {})
        return removed

    def damage(self) -> Iterator[str]:
        self._known = changed(self._known, stored=None)  # read everything again
        document = self._read_manifest()
        yield from (line for _, line in describe_conflicts(self._database, document))
        for entry in document.manifest.segments:
            remote = RemoteColumns(self._database, entry)
            try:
                yield from list(_damaged_documents(remote)) or faults(entry, read_columns(remote))
            except StoreError as error:
                yield str(error)

    def close(self) -> None:
        self._database.close()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's documents in place; no manifest names them yet."""
        entry = segment_entry(columns)
        layout = self._layout.for_segment(columns)
        for live in manifest.segments:
            if live.id == entry.id:  # the same segment: its documents must not change
                layout = recorded_layout(live.files or {}, self.url)
        words = unpack_vocabulary(columns.vocabulary)
        write_documents(
            self._database, entry.id, segment_documents(entry.id, columns, words, layout)
        )
        return changed(entry, files=layout.recorded())

    def _read_manifest(self) -> ManifestDocument:
        """The manifest document as it is now.

        Raises:
            StoreError: it is damaged, or gone.
        """
        document = read_winner(self._database, self._known)
        if document.revision is None and self._known.revision is not None:
            raise StoreError(f"{self.url}: somebody removed this index")
        self._known = document
        return document


def open_couchdb(url: str, *, create: bool) -> CouchDBStore:
    """Open the index in a database; with ``create``, make the database.

    Args:
        url: ``couchdb://[user@]host[:port]/database``, or ``couchdbs://`` for TLS. The password
            comes from STD_COUCHDB_PASSWORD or ~/.netrc.
        create: whether the database is made if it is not there.

    Raises:
        StoreError: no such database, no index in it, or no answer.
    """
    return CouchDBStore(Database(url)).require(create=create)


def _require_no_foreign_documents(database: Database) -> None:
    """Refuse a database that holds other documents than those of an index.

    A manifest document may have been written meanwhile by another process that started at the
    same moment; reading it finds out whether it is one of ours.
    """
    for row in list_documents(database, "", limit=20):
        is_ours = row.id == MANIFEST_ID or segment_of(row.id) is not None
        if not is_ours and not row.id.startswith("_design/"):
            raise StoreError(
                f"{database.url}: expected an empty database or an index, got document "
                f"{quoted(row['id'])}"
            )


def _damaged_documents(remote: RemoteColumns) -> Iterator[str]:
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
