"""Conflicting revisions of the manifest document: describe them, and reconcile them.

`std.store.couchdb.manifest` reads the revisions, `std.store.reconcile` reconciles two indexes, and
`std.store.couchdb.writer` commits the result. A reader only warns about conflicts.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace as changed

from std.errors import StoreError
from std.numbers import counted
from std.store.couchdb.bulk import missing_documents
from std.store.couchdb.database import Database
from std.store.couchdb.layout import document_names, recorded_layout, vocabulary_names
from std.store.couchdb.manifest import ManifestDocument, read_conflicts
from std.store.couchdb.segment import RemoteColumns
from std.store.manifest import SegmentEntry
from std.store.reconcile import IndexState, Reconciled, live_files, reconcile

MAX_NAMED_RECORDINGS = 10  # in a message


def describe_conflicts(
    database: Database, document: ManifestDocument
) -> Iterator[tuple[Reconciled | None, str]]:
    """For each conflicting revision: what reconciling will do, and a line for the user.

    The first is None if the revision cannot be read, or cannot be reconciled with the winner.
    """
    try:
        all_reconciled = [
            reconcile(document.state, conflict.state, database.url)
            for conflict in read_conflicts(database, document)
        ]
    except StoreError as error:
        yield None, f"another version of this index, left behind by a split cluster: {error}"
        return
    for reconciled in all_reconciled:
        changes = [
            (reconciled.added, "only there"),
            (reconciled.updated | reconciled.indexed_twice, "indexed again there"),
            (reconciled.restored, "deleted in one, indexed again in the other"),
            (reconciled.deleted, "deleted in one, hidden here"),
        ]
        differences = _listed(changes) or "with the same recordings"
        yield (
            reconciled,
            f"{database.url}: there is another version of this index, left behind by a split "
            f"cluster or by replication: {differences}; the next std-index reconciles them",
        )


def reconcile_conflict(
    database: Database, ours: ManifestDocument, conflict: ManifestDocument
) -> tuple[Reconciled, str]:
    """Reconcile a conflicting revision with ours, without segments whose documents are missing.

    Args:
        database: where the segments' documents are looked for.
        ours: the current revision.
        conflict: the other one.

    Returns:
        the reconciled index, and what became of the recordings in one line ("" if nothing).

    Raises:
        StoreError: their words are normalised differently.
    """
    entries = [*ours.manifest.segments, *conflict.manifest.segments]
    occurrences = Counter(entry.id for entry in entries)
    # A segment that only one side names may have been removed by the other side long ago.
    complete = {
        entry.id for entry in entries if occurrences[entry.id] == 2 or _is_complete(database, entry)
    }
    reconciled = reconcile(_only(ours, complete), _only(conflict, complete), database.url)
    lost = live_files(entries) - live_files(reconciled.result.manifest.segments)
    changes = [
        (reconciled.added, "taken from the other"),
        (reconciled.updated, "indexed again in the other, whose version stays"),
        (reconciled.indexed_twice, "indexed in both, kept as here"),
        (reconciled.restored, "deleted in one, indexed again in the other, kept"),
        (reconciled.deleted, "deleted in one, gone"),
        (lost - reconciled.deleted, "lost, for the documents are not there (index them again)"),
    ]
    return reconciled, _listed(changes)


def _is_complete(database: Database, entry: SegmentEntry) -> bool:
    """Whether all documents of a segment exist; waits for those that may be replicating."""
    layout = recorded_layout(entry.files or {}, database.url)
    if missing_documents(database, vocabulary_names(entry.id, entry.words, layout)):
        return False
    words, counts = RemoteColumns(database, entry).vocabulary
    return not missing_documents(database, document_names(entry.id, words, counts, layout))


def _only(document: ManifestDocument, segment_ids: Collection[str]) -> IndexState:
    segments = tuple(entry for entry in document.manifest.segments if entry.id in segment_ids)
    manifest = changed(document.manifest, segments=segments)
    return document.state._replace(manifest=manifest)


def _listed(changes: list[tuple[frozenset[str], str]]) -> str:
    """Groups of audio files in one line; empty groups are left out."""
    return "; ".join(f"{change}: {list_recordings(files)}" for files, change in changes if files)


def list_recordings(files: Collection[str]) -> str:
    """The number of recordings, and the names of the first ones.

    >>> list_recordings(["b", "a"])
    '2 recordings (a, b)'
    """
    names = sorted(files)
    shown = names[:MAX_NAMED_RECORDINGS]
    if len(names) > len(shown):
        shown.append(f"and {len(names) - len(shown)} more")
    return counted(len(names), "recording") + (f" ({', '.join(shown)})" if names else "")
