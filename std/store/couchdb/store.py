"""Apache CouchDB as a store: immutable documents, and one manifest document as commit point.

    manifest           the index (`std.store.manifest`), who may write, what awaits removal
    SEGMENT|...        the documents of a segment (`std.store.couchdb.documents`)

This module is the store: reading, and what a commit writes. `std.store.couchdb.writer` holds the
right to write, replaces the manifest document, unites what a split cluster wrote and cleans up.

A commit first writes the documents of new segments, which no reader looks at yet, and then
replaces the manifest document: CouchDB refuses it if anybody has changed it since (409). What a
killed writer leaves behind is found again by name when it is run again, so nothing is written
twice; what is no longer wanted is removed at the end of a writer's work.

A reader needs one request for the manifest, one for the vocabulary of each segment (kept), and
for a batch of words one per segment. It may hold a snapshot for `couch_writer.RETIRED_S` after
its segments were replaced; only then their documents are removed.

No views and no document per alternative: the measurements in docs/stores.md say why.
"""

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace as changed

from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.columns import SegmentColumns, unpack_vocabulary
from std.store.couchdb.bulk import listed, write
from std.store.couchdb.documents import Layout, documents, layout_of, segment_of
from std.store.couchdb.http import Database
from std.store.couchdb.manifest import MANIFEST, Head, hidden, shown
from std.store.couchdb.segment import CouchSegment, RemoteColumns
from std.store.couchdb.retry import Patience
from std.store.couchdb.writer import Writer, some_of, take
from std.store.manifest import Manifest, SegmentEntry, manifest_after_commit, segment_entry
from std.store.reconcile import IndexState, Reconciled, reconcile
from std.store.verify import faults
from std.store.versions import versions_after
from std.text import Normalisation


class CouchStore:
    """`std.store.Store` in a CouchDB database."""

    def __init__(self, database: Database, url: str, layout: Layout) -> None:
        self.url = url
        self._database = database
        self._layout = layout
        self._remote: dict[str, RemoteColumns] = {}
        self._known = Head()  # the manifest document as it was read last
        self._told: tuple[str, ...] = ()  # other versions of it that the user knows of
        self._gone: frozenset[str] = frozenset()  # audio files that one of them has deleted
        self._writer: Writer | None = None  # while we may write

    @property
    def round_trips(self) -> int:
        """Requests sent so far."""
        return self._database.requests

    def normalisation(self) -> Normalisation | None:
        known = self._known.manifest.normalisation  # once there is one, it never changes
        return self._head().manifest.normalisation if known is None else known

    def segments(self) -> tuple[CouchSegment, ...]:
        head = self._head()
        if head.others != self._told:
            self._told = head.others
            self._gone = frozenset()
            for both, line in self._of_others(head):
                self._gone |= both.deleted if both else frozenset()
                if both is None or any(both[1:]):
                    warnings.warn(line, StoreWarning, stacklevel=2)
        manifest = head.manifest
        self._remote = {
            one.id: self._remote.get(one.id) or RemoteColumns(self._database, one)
            for one in manifest.segments
        }
        return tuple(
            CouchSegment(one.id, self._remote[one.id], one.deleted | one.rows_of(self._gone))
            for one in manifest.segments
        )

    def require(self, *, create: bool) -> None:
        """See that there is an index, or with ``create`` a database that may hold one.

        Raises:
            StoreError: there is not, or a damaged one.
        """
        if not self._database.exists():
            if not create:
                raise StoreError(f"{self.url}: expected a database with an index, got no database")
            self._create()
        head = self._head()
        if head.manifest.normalisation is None and not create:
            raise StoreError(
                f"{self.url}: expected an index (made by std-index), got a database without"
            )
        if head.revision is None:
            _refuse_foreign(self._database)

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
        self._writer = take(self._database, self._head)
        try:
            with self._writer.renewing():
                self._writer.settle()
                yield
                with suppress(StoreError):  # the index is committed; the next writer sweeps again
                    self._writer.sweep()
        finally:
            self._writer = None

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
    ) -> None:
        if self._writer is None:
            raise RuntimeError("a commit belongs inside `with store.writing():`")
        before = self._writer.head.manifest
        manifest_after_commit(
            before, (), normalisation, place=self.url
        )  # refuse before anything is written
        entries = [self._write(columns, before) for columns in add]
        manifest = manifest_after_commit(
            before, entries, normalisation, replace, delete_files, place=self.url
        )
        versions = versions_after(
            self._writer.head.versions, before, manifest, entries, replace, delete_files
        )
        self._writer.change(IndexState(manifest, versions))

    def clean_up(self) -> int:
        with self.writing():
            assert self._writer is not None
            waiting = self._writer.head.retired
            # As if it had been replaced long ago: the sweep at the end of writing takes it.
            self._writer.replace(retired=dict.fromkeys(waiting, 0.0))
        left = waiting.keys() & self._head().retired.keys()
        removed = len(waiting) - len(left)
        if left:
            warnings.warn(
                f"{self.url}: {len(left)} replaced segments could not be removed now (another "
                "version of this index is being written, or the server is in trouble): the next "
                "std-index tries again",
                StoreWarning,
                stacklevel=2,
            )
        if removed:
            with suppress(StoreError):  # only administrators may; CouchDB compacts by itself, later
                self._database.post("_compact", {})
        return removed

    def damage(self) -> Iterator[str]:
        self._known = changed(self._known, body=None)  # nothing that was read before
        head = self._head()
        yield from (line for _, line in self._of_others(head))
        for one in head.manifest.segments:
            remote = RemoteColumns(self._database, one)
            try:
                yield from list(remote.damage()) or faults(one, remote.columns())
            except StoreError as error:
                yield str(error)

    def close(self) -> None:
        self._database.close()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's documents in place; no manifest names them yet."""
        bare = segment_entry(columns)
        layout = self._layout.of(columns)
        for one in manifest.segments:
            if one.id == bare.id:  # the same speech: what readers read keeps its layout
                layout = layout_of(one.files or {}, self.url)
        words = unpack_vocabulary(columns.vocabulary)
        write(self._database, bare.id, documents(bare.id, columns, words, layout))
        return changed(bare, files=layout.recorded())

    def _head(self) -> Head:
        """The manifest document as it is now.

        Raises:
            StoreError: it is damaged, or gone.
        """
        head = shown(self._database, self._known)
        if head.revision is None and self._known.revision is not None:
            raise StoreError(f"{self.url}: somebody removed this index")
        self._known = head
        return head

    def _of_others(self, head: Head) -> Iterator[tuple[Reconciled | None, str]]:
        """For each version that CouchDB does not show: both in one, and a line about it.

        None where it cannot be read, or not be united with ours.
        """
        try:
            all_united = [
                reconcile(head.index, other.index, self.url)
                for other in hidden(self._database, head)
            ]
        except StoreError as error:
            yield None, f"another version of this index, left behind by a split cluster: {error}"
            return
        for both in all_united:
            changes = [
                (both.added, "only there"),
                (both.updated | both.indexed_twice, "indexed again there"),
                (both.restored, "deleted in one, indexed again in the other"),
                (both.deleted, "deleted in one, hidden here"),
            ]
            said = "; ".join(f"{what}: {some_of(files)}" for files, what in changes if files)
            yield (
                both,
                f"{self.url}: there is another version of this index, left behind by a split "
                f"cluster or by replication: {said or 'with the same recordings'}; the next "
                "std-index unites them",
            )


def open_couch(
    url: str,
    *,
    create: bool,
    patience: Patience | None = None,
    layout: Layout | None = None,
) -> CouchStore:
    """Open the index in a database; with ``create``, make the database.

    Args:
        url: ``couchdb://[user@]host[:port]/database``, or ``couchdbs://`` for TLS. The password
            comes from STD_COUCHDB_PASSWORD or ~/.netrc.
        patience: how long to wait for the server.
        layout: how new segments are cut into documents.

    Raises:
        StoreError: no such database, no index in it, or no answer.
    """
    database = Database(url, patience)
    store = CouchStore(database, url, layout or Layout())
    try:
        store.require(create=create)
    except BaseException:
        store.close()
        raise
    return store


def _refuse_foreign(database: Database) -> None:
    """Do not mix an index with somebody's documents.

    A manifest document that is there by now is of somebody who started when we did. (If it is
    foreign, whoever reads it says so.)
    """
    for row in listed(database, "", limit=20):
        ours = row["id"] == MANIFEST or segment_of(row["id"]) is not None
        if not ours and not row["id"].startswith("_design/"):
            raise StoreError(
                f"{database.url}: expected an empty database or an index, got document "
                f"{row['id']!r}"
            )
