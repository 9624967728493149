"""Apache CouchDB as a store: immutable documents, and one manifest document as commit point.

    manifest           the index (`std.store.manifest`), who may write, what awaits removal
    SEGMENT|...        the documents of a segment (`std.store.couch_documents`)

A commit first writes the documents of new segments, which no reader looks at yet, and then
replaces the manifest document: CouchDB refuses it if anybody has changed it since (409). What a
killed writer leaves behind is found again by name when it is run again, so nothing is written
twice; what is no longer wanted is removed at the end of a writer's work.

A reader needs one request for the manifest, one for the vocabulary of each segment (kept), and
for a batch of words one per segment. It may hold a snapshot for `RETIRED_S` after its segments
were replaced; only then their documents are removed.

No views and no document per alternative: the measurements in docs/stores.md say why.
"""

import base64
import binascii
import threading
import uuid
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

from std.errors import StoreBusyError, StoreError
from std.store.columns import SegmentColumns, unpack_vocabulary
from std.store.couch_bulk import listed, remove, stored_segments, write
from std.store.couch_documents import Layout, documents, layout_of, segment_of
from std.store.couch_http import Conflict, Database, Patience
from std.store.couch_lease import LEASE_S, RENEW_S, is_dead, new_owner
from std.store.couch_segment import CouchSegment, RemoteColumns
from std.store.manifest import Manifest, SegmentEntry, committed, dumps, entry, loads
from std.store.verify import faults
from std.text import Normalisation

MANIFEST = "manifest"
RETIRED_S = 600.0  # how long a replaced segment stays readable
TAKE_TRIES = 5  # of writers that start at the same moment


@dataclass(frozen=True, slots=True)
class Head:
    """The manifest document."""

    revision: str | None = None
    manifest: Manifest = field(default_factory=Manifest)
    lease: dict[str, Any] | None = None  # owner, and until when by the server's clock
    retired: dict[str, float] = field(default_factory=dict)  # replaced segments, and since when


class CouchStore:
    """`std.store.Store` in a CouchDB database."""

    def __init__(self, database: Database, url: str, layout: Layout) -> None:
        self.url = url
        self._database = database
        self._layout = layout
        self._remote: dict[str, RemoteColumns] = {}
        self._seen = False  # whether there was a manifest document
        self._held: Head | None = None  # the manifest document, while we may write
        self._lock = threading.Lock()  # the renewal and the commit both replace it

    @property
    def round_trips(self) -> int:
        """Requests sent so far."""
        return self._database.requests

    def normalisation(self) -> Normalisation | None:
        return self._head().manifest.normalisation

    def segments(self) -> tuple[CouchSegment, ...]:
        manifest = self._head().manifest
        self._remote = {
            one.id: self._remote.get(one.id) or RemoteColumns(self._database, one)
            for one in manifest.segments
        }
        return tuple(
            CouchSegment(one.id, self._remote[one.id], one.deleted) for one in manifest.segments
        )

    def require(self, *, create: bool) -> None:
        """See that there is an index, or with ``create`` a database that may hold one.

        Raises:
            StoreError: there is not, or a damaged one.
        """
        if not self._database.exists():
            if not create:
                raise StoreError(f"{self.url}: expected a database with an index, got no database")
            self._database.create()
        head = self._head()
        if head.manifest.normalisation is None and not create:
            raise StoreError(
                f"{self.url}: expected an index (made by std-index), got a database without"
            )
        if head.revision is None:
            _refuse_foreign(self._database)

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._held is not None:
            raise StoreBusyError(f"{self.url}: this process is writing to this store already")
        self._held = self._taken(new_owner())
        stop = threading.Event()
        renewal = threading.Thread(target=self._renew, args=(stop,), daemon=True)
        renewal.start()
        try:
            yield
            with suppress(StoreError):  # the index is committed; the next writer sweeps again
                self._sweep()
        finally:
            stop.set()
            renewal.join()
            with suppress(StoreError):  # then the lease runs out, or is seen to be dead
                self._replace(self._database.patience.brief, lease=None)
            self._held = None

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
    ) -> None:
        if self._held is None:
            raise RuntimeError("a commit belongs inside `with store.writing():`")
        before = self._held.manifest
        committed(before, (), normalisation, place=self.url)  # refuse before anything is written
        entries = [self._write(columns, before) for columns in add]
        manifest = committed(before, entries, normalisation, replace, delete_files, place=self.url)
        live = {one.id for one in manifest.segments}
        now = self._database.server_time_s()
        gone = {one.id: now for one in before.segments} | self._held.retired
        retired = {segment: since for segment, since in gone.items() if segment not in live}
        self._replace(manifest=manifest, retired=retired)

    def damage(self) -> Iterator[str]:
        for one in self._head().manifest.segments:
            remote = RemoteColumns(self._database, one)  # nothing that was read before
            try:
                yield from list(remote.damage()) or faults(one, remote.columns())
            except StoreError as error:
                yield str(error)

    def close(self) -> None:
        self._database.close()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's documents in place; no manifest names them yet."""
        bare = entry(columns)
        layout = self._layout.of(columns)
        for live in manifest.segments:
            if live.id == bare.id:  # the same speech: what readers read keeps its layout
                layout = layout_of(live.files or {}, self.url)
        words = unpack_vocabulary(columns.vocabulary)
        write(self._database, bare.id, documents(bare.id, columns, words, layout))
        return changed(bare, files=layout.recorded())

    def _sweep(self) -> None:
        """Remove documents that no reader can be looking at any more."""
        assert self._held is not None
        live = {one.id for one in self._held.manifest.segments}
        old = self._database.server_time_s() - RETIRED_S
        kept = {segment: since for segment, since in self._held.retired.items() if since > old}
        for segment in sorted(stored_segments(self._database) - live - kept.keys()):
            self._replace()  # fails if another writer has taken over: these may be its documents
            remove(self._database, segment)
        self._replace(retired=kept)

    def _head(self) -> Head:
        """The manifest document as it is now.

        Raises:
            StoreError: it is damaged, or gone.
        """
        document = self._database.get(MANIFEST)
        if document is None and self._seen:
            raise StoreError(f"{self.url}: somebody removed this index")
        self._seen = document is not None
        return _parsed(document, self.url)

    def _taken(self, owner: dict[str, Any]) -> Head:
        """Take the right to write.

        Raises:
            StoreBusyError: somebody else has it.
        """
        for _ in range(TAKE_TRIES):
            head = self._head()
            if head.lease is not None:
                holder = head.lease["owner"]
                expired = head.lease["until"] < self._database.server_time_s()
                if not expired and not is_dead(holder):
                    raise StoreBusyError(
                        f"{self.url}: somebody else is writing to this store: process "
                        f"{holder['pid']} on {holder['host']}"
                    )
            with suppress(Conflict):
                return self._put(changed(head, lease=self._lease(owner)))
        raise StoreBusyError(f"{self.url}: many others want to write to this store")

    def _lease(self, owner: dict[str, Any]) -> dict[str, Any]:
        return {"owner": owner, "until": self._database.server_time_s() + LEASE_S}

    def _renew(self, stop: threading.Event) -> None:
        """Renew the lease until told to stop; runs in a thread of its own."""
        while not stop.wait(RENEW_S):
            with suppress(StoreError):  # the next attempt comes before the lease ends
                self._replace(())

    def _replace(self, pauses_s: tuple[float, ...] | None = None, **changes: Any) -> None:
        """Replace the manifest document we hold; renews the lease along the way.

        Raises:
            StoreBusyError: another writer has taken over.
        """
        with self._lock:
            assert self._held is not None
            if self._held.lease is not None and "lease" not in changes:
                changes["lease"] = self._lease(self._held.lease["owner"])
            try:
                self._held = self._put(changed(self._held, **changes), pauses_s)
            except Conflict as error:
                raise StoreBusyError(
                    f"{self.url}: lost the right to write (no contact for too long); another "
                    "process has taken over; nothing of this commit counts"
                ) from error

    def _put(self, head: Head, pauses_s: tuple[float, ...] | None = None) -> Head:
        """Write the manifest document.

        Raises:
            Conflict: it has changed since ``head`` was read.
        """
        text = dumps(head.manifest).encode()
        document = {
            "index": base64.b64encode(zlib.compress(text)).decode("ascii"),
            "lease": head.lease,
            "retired": head.retired,
            "write": uuid.uuid4().hex,
        }
        if head.revision is not None:
            document["_rev"] = head.revision
        try:
            answer = self._database.put(MANIFEST, body=document, pauses_s=pauses_s)
        except Conflict:
            # Perhaps with ourselves: a lost answer made us send it twice.
            stored = self._database.get(MANIFEST) or {}
            if stored.get("write") != document["write"]:
                raise
            return changed(head, revision=stored["_rev"])
        if answer is None:
            raise StoreError(f"{self.url}: there is no such database any more")
        return changed(head, revision=answer["rev"])


def _parsed(document: dict[str, Any] | None, url: str) -> Head:
    if document is None:
        return Head()
    try:
        text = zlib.decompress(base64.b64decode(document["index"], validate=True))
        lease = document["lease"]
        if lease is not None:
            lease = {"owner": dict(lease["owner"]), "until": float(lease["until"])}
        retired = {str(segment): float(since) for segment, since in document["retired"].items()}
        revision = document["_rev"]
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error, zlib.error) as error:
        raise StoreError(f"{url}: expected an index, got a manifest with {error!r}") from error
    return Head(revision, loads(text, f"{url}: manifest"), lease, retired)


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
    """Do not mix an index with somebody's documents."""
    for row in listed(database, "", limit=20):
        if segment_of(row["id"]) is None and not row["id"].startswith("_design/"):
            raise StoreError(
                f"{database.url}: expected an empty database or an index, got document "
                f"{row['id']!r}"
            )
