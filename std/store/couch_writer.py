"""Writing to a CouchDB database: the right to, the manifest document, and what goes with it.

The right is a lease in the manifest document (`std.store.couch_lease`). CouchDB refuses a document
that has changed since it was read, but only where it looks: two nodes of a cluster may each take
one of two writers' documents, and a split cluster takes both. So whoever took the right looks
again, and other versions of the index are brought into ours before anything is removed.
"""

import threading
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace as changed
from typing import Any

from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couch_bulk import absent, remove, stored_segments
from std.store.couch_documents import document_names, layout_of, vocabulary_names
from std.store.couch_errors import Conflict
from std.store.couch_http import Database
from std.store.couch_lease import LEASE_S, RENEW_S, is_dead, new_owner
from std.store.couch_manifest import MANIFEST, Head, hidden, packed, shown
from std.store.couch_segment import RemoteColumns
from std.store.manifest import Manifest, SegmentEntry
from std.store.unite import United, live, united
from std.values import Recording

RETIRED_S = 600.0  # how long a replaced segment stays readable
TAKE_TRIES = 5  # of writers that start at the same moment


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

    def settle(self) -> bool:
        """Bring other versions of the index into ours; False while one is being written to.

        Raises:
            StoreError: one of them cannot be read, or is about differently normalised words.
        """
        with self._lock:  # no renewal in between
            versions = _versions(self._database)
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
        """Remove documents that no reader can be looking at any more, and no version names."""
        if not self.settle():
            return
        live_ids = {one.id for one in self.head.manifest.segments}
        old = self._database.server_time_s() - RETIRED_S
        kept = {segment: since for segment, since in self.head.retired.items() if since > old}
        for segment in sorted(stored_segments(self._database) - live_ids - kept.keys()):
            self.replace()  # fails if another writer has taken over: these may be its documents
            remove(self._database, segment)
        self.replace(retired=kept)

    def retired(
        self,
        segments: Collection[SegmentEntry],
        kept: Collection[SegmentEntry],
        elsewhere: Mapping[str, float],
    ) -> dict[str, float]:
        """What awaits removal, and since when, once only some of these segments are kept."""
        now, live_ids = self._database.server_time_s(), {one.id for one in kept}
        gone = {one.id: now for one in segments} | dict(elsewhere) | self.head.retired
        return {segment: since for segment, since in gone.items() if segment not in live_ids}

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
        both = united(_only(ours, sound), _only(theirs, sound), self._database.url)
        segments = both.manifest.segments
        retired = self.retired(before, segments, other.retired)
        self.replace(manifest=both.manifest, retired=retired)
        with suppress(Conflict):  # somebody has removed it already
            self._database.put(MANIFEST, body={"_rev": other.revision, "_deleted": True})
        if outcome := _outcome(both, live(before) - live(segments) - both.gone):
            warnings.warn(
                f"{self._database.url}: this index had another version, left behind by a split "
                f"cluster; the two are one now: {outcome}",
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


def _stands(database: Database, mine: Head) -> bool:
    """Whether the right is ours: nobody took it at another node, or CouchDB prefers us.

    If not, nothing is left of our attempt.
    """
    for _ in database.attempts(database.patience.brief):
        versions = _versions(database)
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


def _versions(database: Database) -> list[Head]:
    """All versions of the manifest document, first the one that CouchDB shows."""
    head = shown(database)
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


def _only(manifest: Manifest, sound: Collection[str]) -> Manifest:
    segments = tuple(one for one in manifest.segments if one.id in sound)
    return changed(manifest, segments=segments)


def _outcome(both: United, lost: frozenset[Recording]) -> str:
    """What became of the recordings, in one line; nothing if nothing happened to them."""
    parts = [
        (both.taken, "came from the other"),
        (both.doubled, "are in both, in different segments, and stay as they are here"),
        (both.gone, "had been deleted in one and are gone"),
        (lost, "are lost, for the documents are not there: index them again"),
    ]
    return "; ".join(f"{some_of(recordings)} {what}" for recordings, what in parts if recordings)


def some_of(recordings: frozenset[Recording]) -> str:
    """How many recordings, and the first of them."""
    first = min(recordings, default=None)
    return f"{len(recordings)} recordings" + (f" ({first.file} ...)" if first else "")
