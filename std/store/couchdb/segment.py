"""A segment in CouchDB, as the searcher and the merger read it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from std.store.columns import Column, IndexedRecording, Int64s, Postings, SegmentColumns, Slots
from std.store.couchdb.all_columns import read_columns
from std.store.couchdb.http import Database
from std.store.couchdb.remote_columns import RemoteColumns
from std.store.manifest import SegmentEntry
from std.store.protocol import Gaps
from std.store.resident import deleted_rows, without_recordings
from std.values import Bools


@dataclass(frozen=True, eq=False)
class CouchDBSegment:
    """`std.store.Segment` over `RemoteColumns`."""

    id: str
    _remote: RemoteColumns
    deleted: frozenset[int]

    @cached_property
    def _is_deleted(self) -> Bools | None:
        return deleted_rows(self.deleted, len(self.recordings))

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        return self._remote.entry.recordings

    def without(self, rows: Collection[int]) -> Self:
        return replace(self, deleted=self.deleted | {*rows})

    def words(self) -> list[str]:
        return self._remote.vocabulary[0]

    def counts(self) -> Int64s:
        return self._remote.vocabulary[1]

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        postings_of = {
            word: without_recordings(postings, self._is_deleted)
            for word, postings in self._remote.postings(words)
        }
        return {word: postings for word, postings in postings_of.items() if len(postings.key)}

    def slots(self, recordings: Collection[int]) -> Slots:
        return self._remote.slots(recordings)

    def slots_between(self, gaps: Gaps) -> Slots:
        return self._remote.slots_between(*gaps())

    def extra(self, name: str) -> Column | None:
        return self._remote.extra(name)

    def columns(self) -> SegmentColumns:
        return read_columns(self._remote)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickling keeps only the URL and the entry; unpickling opens a connection of its own."""
        return connect_segment, (
            self._remote.database.url,
            replace(self._remote.entry, deleted=self.deleted),
        )


def connect_segment(url: str, entry: SegmentEntry) -> CouchDBSegment:
    """A segment of the index in a database, with a connection of its own."""
    return CouchDBSegment(entry.id, RemoteColumns(Database(url), entry), entry.deleted)
