"""Write to a CouchDB database: take the lease, commit, resolve conflicts, remove old segments.

A server cannot know that a client died, so the right to write is a lease in the manifest document.
It names its owner and ends by the server's clock unless the owner renews it. Another process may
take it over when it has ended, or when the owner is known to be dead, which a process on the same
machine can find out. Taking over the lease changes the revision of the document, so CouchDB refuses
the former owner's commit.

CouchDB refuses a document that has changed since it was read, but each node checks only its own
copy. Two nodes of a cluster may each accept a writer, and both halves of a split cluster may, too.
So a writer reads the document again after taking the lease, and it resolves conflicting revisions
before it removes any segment.
"""

import os
import socket
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couchdb.bulk import remove_segment, stored_segment_ids, write_parts
from std.store.couchdb.conflicts import reconcile_conflict
from std.store.couchdb.database import Database
from std.store.couchdb.errors import ConflictError
from std.store.couchdb.manifest import (
    ManifestDocument,
    delete_revision,
    read_conflicts,
    read_winner,
    stored_index,
    write_manifest,
)
from std.store.reconcile import IndexState

LEASE_S = 60.0
RENEWAL_S = LEASE_S / 3
RETENTION_S = 600.0  # how long a replaced segment stays readable
MAX_ACQUIRE_ATTEMPTS = 5  # of writers that start at the same moment


def new_owner() -> dict[str, Any]:
    """Describes this process, so that others on this machine can find out whether it runs."""
    pid = os.getpid()
    return {
        "token": uuid.uuid4().hex,
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": pid,
        "started": _started(pid),
    }


def owner_is_dead(owner: Mapping[str, Any]) -> bool:
    """Whether the owner is a process of this machine that has ended; False if unknown."""
    machine = _machine()
    if machine is None or owner.get("machine") != machine:
        return False
    return _started(owner.get("pid")) != owner.get("started")


def _machine() -> str | None:
    """This boot of this machine and this process namespace, in which process ids are unique."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # not Linux
        return None


def _started(pid: object) -> str | None:
    """Start time of a process in clock ticks, because ids are reused; None if it does not run."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return None
    fields = after_name.split()
    return None if fields[0] in ("Z", "X") else fields[19]


class Writer:
    """Holds the lease; ``document`` is the manifest document as this writer wrote it last."""

    def __init__(self, database: Database, document: ManifestDocument) -> None:
        self.document = document
        self._database = database
        self._lock = threading.Lock()  # the renewal and the commit both replace the document

    @contextmanager
    def renewing_lease(self) -> Iterator[None]:
        """Renew the lease in a thread while the block runs, and release it at its end."""
        stop = threading.Event()
        renewal = threading.Thread(target=self._renew_until, args=(stop,), daemon=True)
        renewal.start()
        try:
            yield
        finally:
            stop.set()
            renewal.join()
            with suppress(StoreError):  # the lease expires, or others see that its owner is dead
                self.replace_document(self._database.retry_policy.short_pauses_s, lease=None)

    def replace_document(self, pauses_s: tuple[float, ...] | None = None, **changes: Any) -> None:
        """Replace the manifest document and renew the lease.

        Args:
            pauses_s: between attempts, instead of the database's own.
            changes: new values of fields of `ManifestDocument`.

        Raises:
            StoreBusyError: another writer has taken over.
        """
        with self._lock:
            if self.document.lease is not None and "lease" not in changes:
                changes["lease"] = _lease(self._database, self.document.lease["owner"])
            try:
                self.document = write_manifest(
                    self._database, changed(self.document, **changes), pauses_s
                )
            except ConflictError as error:
                raise StoreBusyError(
                    f"{self._database.url}: lost the right to write (no contact for too long); "
                    "another process has taken over; this commit has no effect"
                ) from error

    def commit(
        self,
        state: IndexState,
        unreferenced: Iterable[str] = (),
        retired: Mapping[str, float] | None = None,
    ) -> None:
        """Commit: replace the index in the manifest document.

        Args:
            state: the new index; the documents of its segments are written already.
            unreferenced: ids of segments and parts of a conflicting revision, which may no longer
                be named by any revision.
            retired: segments of a conflicting revision that await removal, and since when.

        Raises:
            StoreBusyError: another writer has taken over.
        """
        stored, parts = stored_index(*state)
        before = self.document.referenced_ids
        write_parts(
            self._database, [part for part in parts if part["_id"].partition("|")[0] not in before]
        )
        live = {entry.id for entry in state.manifest.segments} | stored.parts
        now_s = self._database.server_time_s()
        since_s = (
            dict.fromkeys([*before, *unreferenced], now_s)
            | dict(retired or {})
            | self.document.retired
        )
        self.replace_document(
            manifest=state.manifest,
            versions=state.versions,
            metadata=state.metadata,
            stored=stored,
            retired={id_: since for id_, since in sorted(since_s.items()) if id_ not in live},
        )

    def resolve_conflicts(self) -> bool:
        """Reconcile conflicting revisions with ours; False while one of them is being written.

        Raises:
            StoreError: one cannot be read, or its words are normalised differently.
        """
        with self._lock:  # no renewal in between
            revisions = _read_revisions(self._database, self.document)
            ours = self.document.revision
        if ours not in [document.revision for document in revisions]:
            return False  # this node does not have our revision yet
        if len(revisions) <= len(revisions[0].conflicts):
            return False  # this node does not have all revisions yet
        conflicts = [document for document in revisions if document.revision != ours]
        if not all(_is_unleased(self._database, conflict) for conflict in conflicts):
            return False
        for conflict in conflicts:
            self._resolve_conflict(conflict)
        return True

    def remove_retired(self) -> None:
        """Remove the documents of segments that no revision names and no reader still reads.

        Segments that no revision ever named were left by a killed writer, or replication brought
        them before the manifest that names them. They are kept as long as replaced segments.
        """
        if not self.resolve_conflicts():
            return
        live = self.document.referenced_ids
        now_s = self._database.server_time_s()
        unreferenced = stored_segment_ids(self._database) - live
        retired = dict.fromkeys(sorted(unreferenced), now_s) | self.document.retired
        kept = {id_: since for id_, since in retired.items() if since > now_s - RETENTION_S}
        for segment in sorted(unreferenced - kept.keys()):
            # Fails if another writer has taken over: it may be writing these documents.
            self.replace_document()
            remove_segment(self._database, segment)
        self.replace_document(retired=kept)

    def _renew_until(self, stop: threading.Event) -> None:
        """Renew the lease until told to stop; runs in a separate thread."""
        while not stop.wait(RENEWAL_S):
            with suppress(StoreError):  # the next attempt comes before the lease ends
                self.replace_document(())

    def _resolve_conflict(self, conflict: ManifestDocument) -> None:
        """Commit the reconciled index, then delete the conflicting revision.

        A process that is killed in between leaves the conflict, and the next writer resolves it.
        """
        reconciled, changes = reconcile_conflict(self._database, self.document, conflict)
        self.commit(reconciled.result, conflict.referenced_ids, conflict.retired)
        with suppress(ConflictError):  # it is deleted already
            delete_revision(self._database, conflict.revision)
        if changes:
            warnings.warn(
                f"{self._database.url}: this index had another version, left behind by a split "
                f"cluster or by replication; the two are one now: {changes}",
                StoreWarning,
                stacklevel=2,
            )


def acquire_lease(database: Database, read_document: Callable[[], ManifestDocument]) -> Writer:
    """Take the lease: the right to write.

    Args:
        read_document: reads the winning revision of the manifest document.

    Raises:
        StoreBusyError: somebody else holds the lease.
    """
    owner = new_owner()
    for _ in range(MAX_ACQUIRE_ATTEMPTS):
        winner = read_document()
        for document in (winner, *read_conflicts(database, winner)):
            if document.lease is not None and not _is_unleased(database, document):
                holder = document.lease["owner"]
                raise StoreBusyError(
                    f"{database.url}: somebody else is writing to this store: process "
                    f"{holder['pid']} on {holder['host']}"
                )
        with suppress(ConflictError):
            ours = write_manifest(database, changed(winner, lease=_lease(database, owner)))
            if _holds_lease(database, ours):
                return Writer(database, ours)
    raise StoreBusyError(f"{database.url}: several other processes want to write to this store")


def _holds_lease(database: Database, ours: ManifestDocument) -> bool:
    """Whether no other node gave the lease to another writer, or our revision is the winner.

    If the result is False, our revision is deleted.
    """
    for _ in database.attempts(database.retry_policy.short_pauses_s):
        revisions = _read_revisions(database, ours)
        if ours.revision in [document.revision for document in revisions]:
            others = (document for document in revisions if document.revision != ours.revision)
            if revisions[0].revision == ours.revision or all(
                _is_unleased(database, document) for document in others
            ):
                return True
            delete_revision(database, ours.revision)
            return False
    # A node that does not have our revision may only be late.
    write_manifest(database, changed(ours, lease=None))
    return False


def _read_revisions(database: Database, known: ManifestDocument) -> list[ManifestDocument]:
    """All revisions of the manifest document that are not deleted; the winner is the first."""
    winner = read_winner(database, known)
    return [winner, *read_conflicts(database, winner)]


def _is_unleased(database: Database, document: ManifestDocument) -> bool:
    """Whether nobody holds the lease of this revision."""
    if document.lease is None or document.lease["until"] < database.server_time_s():
        return True
    return owner_is_dead(document.lease["owner"])


def _lease(database: Database, owner: dict[str, Any]) -> dict[str, Any]:
    return {"owner": owner, "until": database.server_time_s() + LEASE_S}
