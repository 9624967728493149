"""Writing to a CouchDB database: the right to, the manifest document, and what goes with it.

The right is a lease in the manifest document (`std.store.couchdb.lease`). CouchDB refuses a
document that has changed since it was read, but only where it looks: two nodes of a cluster may
each take one of two writers' documents, and a split cluster takes both. So whoever took the right
looks again, and other versions of the index are brought into ours before anything is removed.
"""

import threading
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace as changed
from typing import Any

from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couchdb.bulk import absent, remove, stored_segments
from std.store.couchdb.documents import document_names, layout_of, vocabulary_names
from std.store.couchdb.errors import Conflict
from std.store.couchdb.http import Database
from std.store.couchdb.lease import LEASE_S, RENEW_S, is_dead, new_owner
from std.store.couchdb.manifest import MANIFEST, Head, body_of, hidden, packed, shown
from std.store.couchdb.parts import write_parts
from std.store.couchdb.segment import RemoteColumns
from std.store.manifest import SegmentEntry
from std.store.reconcile import IndexState, Reconciled, live_files, reconcile

RETIRED_S = 600.0  # how long a replaced segment stays readable
TAKE_TRIES = 5  # of writers that start at the same moment
NAMED = 10  # recordings in a message, at most


class Writer:
    """Holds the right to write; ``head`` is the manifest document as we left it."""

    def __init__(self, database: Database, head: Head) -> None:
        self.head = head
        self._database = database
        self._lock = threading.Lock()  # the renewal and the commit both replace the document

    @contextmanager
    def renewing(self) -> Iterator[None]:
        """Keep the right for as long as this lasts, and give it back."""
        stop = threading.Event()
        renewal = threading.Thread(target=self._renew, args=(stop,), daemon=True)
        renewal.start()
        try:
            yield
        finally:
            stop.set()
            renewal.join()
            with suppress(StoreError):  # then the lease runs out, or is seen to be dead
                self.replace(self._database.patience.brief, lease=None)

    def replace(self, pauses_s: tuple[float, ...] | None = None, **changes: Any) -> None:
        """Replace the manifest document; renews the lease along the way.

        Raises:
            StoreBusyError: another writer has taken over.
        """
        with self._lock:
            if self.head.lease is not None and "lease" not in changes:
                changes["lease"] = _lease(self._database, self.head.lease["owner"])
            try:
                self.head = _put(self._database, changed(self.head, **changes), pauses_s)
            except Conflict as error:
                raise StoreBusyError(
                    f"{self._database.url}: lost the right to write (no contact for too long); "
                    "another process has taken over; nothing of this commit counts"
                ) from error

    def change(
        self,
        index: IndexState,
        gone: Iterable[str] = (),
        retired: Mapping[str, float] | None = None,
    ) -> None:
        """Replace the index in the manifest document: a commit.

        Args:
            index: the new one; the documents of its segments are there.
            gone: segments and parts that no manifest names any more, beside our own.
            retired: those of another version that await removal, and since when.

        Raises:
            StoreBusyError: another writer has taken over.
        """
        body, parts = body_of(*index)
        before = _named(self.head)
        write_parts(
            self._database, [one for one in parts if one["_id"].partition("|")[0] not in before]
        )
        live = {one.id for one in index.manifest.segments} | body.parts
        now = self._database.server_time_s()
        since = dict.fromkeys([*before, *gone], now) | dict(retired or {}) | self.head.retired
        self.replace(
            manifest=index.manifest,
            versions=index.versions,
            body=body,
            retired={one: when for one, when in sorted(since.items()) if one not in live},
        )

    def settle(self) -> bool:
        """Bring other versions of the index into ours; False while one is being written to.

        Raises:
            StoreError: one of them cannot be read, or is about differently normalised words.
        """
        with self._lock:  # no renewal in between
            versions = _versions(self._database, self.head)
            mine = self.head.revision
        if mine not in [one.revision for one in versions]:
            return False  # what we see is older than we are
        if len(versions) <= len(versions[0].others):
            return False  # one is on its way to the node we ask
        others = [one for one in versions if one.revision != mine]
        if not all(_is_free(self._database, one) for one in others):
            return False
        for other in others:
            self._absorb(other)
        return True

    def sweep(self) -> None:
        """Remove documents that no reader can be looking at any more, and no version names.

        Those that no version ever named were left by a killed writer, or replication brings them
        before the manifest that names them: they stay as long as replaced ones.
        """
        if not self.settle():
            return
        live_ids = _named(self.head)
        now = self._database.server_time_s()
        dead = stored_segments(self._database) - live_ids
        retired = dict.fromkeys(sorted(dead), now) | self.head.retired
        kept = {one: since for one, since in retired.items() if since > now - RETIRED_S}
        for segment in sorted(dead - kept.keys()):
            self.replace()  # fails if another writer has taken over: these may be its documents
            remove(self._database, segment)
        self.replace(retired=kept)

    def _renew(self, stop: threading.Event) -> None:
        """Renew the lease until told to stop; runs in a thread of its own."""
        while not stop.wait(RENEW_S):
            with suppress(StoreError):  # the next attempt comes before the lease ends
                self.replace(())

    def _absorb(self, other: Head) -> None:
        """Bring a version into ours, then remove it. A run that is killed here is run again."""
        ours, theirs = self.head.manifest, other.manifest
        before = [*ours.segments, *theirs.segments]
        named = Counter(one.id for one in before)
        sound = {one.id for one in before if named[one.id] == 2 or self._is_complete(one)}
        both = reconcile(_only(self.head, sound), _only(other, sound), self._database.url)
        self.change(both.result, _named(other), other.retired)
        with suppress(Conflict):  # somebody has removed it already
            self._database.put(MANIFEST, body={"_rev": other.revision, "_deleted": True})
        lost = live_files(before) - live_files(both.result.manifest.segments) - both.deleted
        if outcome := _outcome(both, lost):
            warnings.warn(
                f"{self._database.url}: this index had another version, left behind by a split "
                f"cluster or by replication; the two are one now: {outcome}",
                StoreWarning,
                stacklevel=2,
            )

    def _is_complete(self, segment: SegmentEntry) -> bool:
        """Whether all documents are there; those of a node that was away may be on their way.

        The side that does not name a segment may have removed it long ago.
        """
        layout = layout_of(segment.files or {}, self._database.url)
        if absent(self._database, vocabulary_names(segment.id, segment.words, layout)):
            return False
        words, counts = RemoteColumns(self._database, segment).vocabulary
        return not absent(self._database, document_names(segment.id, words, counts, layout))


def take(database: Database, current: Callable[[], Head]) -> Writer:
    """Take the right to write.

    Args:
        database: where.
        current: reads the version of the manifest document that CouchDB shows.

    Raises:
        StoreBusyError: somebody else has it.
    """
    owner = new_owner()
    for _ in range(TAKE_TRIES):
        head = current()
        for one in (head, *hidden(database, head)):
            if one.lease is not None and not _is_free(database, one):
                holder = one.lease["owner"]
                raise StoreBusyError(
                    f"{database.url}: somebody else is writing to this store: process "
                    f"{holder['pid']} on {holder['host']}"
                )
        with suppress(Conflict):
            mine = _put(database, changed(head, lease=_lease(database, owner)))
            if _stands(database, mine):
                return Writer(database, mine)
    raise StoreBusyError(f"{database.url}: many others want to write to this store")


def _named(head: Head) -> set[str]:
    """Segments and parts that a version of the manifest document names."""
    segments = {one.id for one in head.manifest.segments}
    return segments | head.body.parts if head.body else segments


def _stands(database: Database, mine: Head) -> bool:
    """Whether the right is ours: nobody took it at another node, or CouchDB prefers us.

    If not, nothing is left of our attempt.
    """
    for _ in database.attempts(database.patience.brief):
        versions = _versions(database, mine)
        if mine.revision in [one.revision for one in versions]:
            others = (one for one in versions if one.revision != mine.revision)
            if versions[0].revision == mine.revision or all(
                _is_free(database, one) for one in others
            ):
                return True
            database.put(MANIFEST, body={"_rev": mine.revision, "_deleted": True})
            return False
    _put(database, changed(mine, lease=None))  # who does not see us may only be behind
    return False


def _versions(database: Database, known: Head) -> list[Head]:
    """All versions of the manifest document, first the one that CouchDB shows."""
    head = shown(database, known)
    return [head, *hidden(database, head)]


def _is_free(database: Database, head: Head) -> bool:
    """Whether nobody is writing this version."""
    if head.lease is None or head.lease["until"] < database.server_time_s():
        return True
    return is_dead(head.lease["owner"])


def _lease(database: Database, owner: dict[str, Any]) -> dict[str, Any]:
    return {"owner": owner, "until": database.server_time_s() + LEASE_S}


def _put(database: Database, head: Head, pauses_s: tuple[float, ...] | None = None) -> Head:
    """Write the manifest document.

    Raises:
        Conflict: it has changed since ``head`` was read.
    """
    if head.body is None:  # there was no document
        body, parts = body_of(*head.index)
        write_parts(database, parts)
        head = changed(head, body=body)
    document = packed(head) | {"write": uuid.uuid4().hex}
    try:
        answer = database.put(MANIFEST, body=document, pauses_s=pauses_s)
    except Conflict:
        # Perhaps with ourselves: a lost answer made us send it twice.
        stored = database.get(MANIFEST) or {}
        if stored.get("write") != document["write"]:
            raise
        answer = {"rev": stored["_rev"]}
    if answer is None:
        raise StoreError(f"{database.url}: there is no such database any more")
    return changed(head, revision=answer["rev"], others=())


def _only(head: Head, sound: Collection[str]) -> IndexState:
    segments = tuple(one for one in head.manifest.segments if one.id in sound)
    return IndexState(changed(head.manifest, segments=segments), head.versions)


def _outcome(both: Reconciled, lost: frozenset[str]) -> str:
    """What became of the recordings, in one line; nothing if nothing happened to them."""
    parts = [
        (both.added, "taken from the other"),
        (both.updated, "indexed again in the other, whose version stays"),
        (both.indexed_twice, "indexed in both, kept as here"),
        (both.restored, "deleted in one, indexed again in the other, kept"),
        (both.deleted, "deleted in one, gone"),
        (lost, "lost, for the documents are not there (index them again)"),
    ]
    return "; ".join(f"{what}: {some_of(files)}" for files, what in parts if files)


def some_of(files: Collection[str]) -> str:
    """How many recordings, and their names as far as there is room for them.

    >>> some_of(["b", "a"])
    '2 recordings (a, b)'
    """
    names = sorted(files)
    more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    number = f"{len(names)} recording{'' if len(names) == 1 else 's'}"
    return number + (f" ({', '.join([*names[:NAMED], *more])})" if names else "")
