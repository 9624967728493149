"""A store in the memory of this process: for tests and notebooks, and as the simplest store."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from std.errors import StoreBusyError
from std.metadata.table import NO_METADATA, Metadata
from std.store.columns import SegmentColumns
from std.store.manifest import (
    Manifest,
    manifest_after_commit,
    metadata_after_commit,
    segment_entry,
)
from std.store.protocol import Commit, Store, faults
from std.store.resident import ResidentSegment
from std.text import Normalisation


@dataclass(frozen=True, eq=False)
class MemorySegment(ResidentSegment):
    """A live segment of a `MemoryStore`."""

    id: str


class MemoryStore(Store):
    """`std.store.Store` in a dictionary."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._manifest = Manifest()
        self._columns: dict[str, SegmentColumns] = {}
        self._metadata = NO_METADATA
        self._writing = False
        self._commits = 0

    def normalisation(self) -> Normalisation | None:
        return self._manifest.normalisation

    def revision(self) -> str:
        return str(self._commits)

    def segments(self) -> tuple[MemorySegment, ...]:
        return tuple(
            MemorySegment(entry.id, self._columns[entry.id], entry.deleted)
            for entry in self._manifest.segments
        )

    def metadata(self) -> Metadata:
        return self._metadata

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._writing:
            raise StoreBusyError(f"{self.url}: somebody else is writing to this store")
        self._writing = True
        try:
            yield
        finally:
            self._writing = False

    def _commit(self, commit: Commit) -> None:
        entries = [segment_entry(columns) for columns in commit.add]
        manifest = manifest_after_commit(
            self._manifest,
            entries,
            commit.normalisation,
            commit.replace,
            commit.delete_files,
            place=self.url,
        )
        columns = self._columns | {
            entry.id: added for entry, added in zip(entries, commit.add, strict=True)
        }
        self._metadata = metadata_after_commit(self._metadata, commit.metadata, manifest)
        self._manifest = manifest
        self._commits += 1
        self._columns = {entry.id: columns[entry.id] for entry in manifest.segments}

    def damage(self) -> Iterator[str]:
        for entry in self._manifest.segments:
            yield from faults(entry, self._columns[entry.id])


_named: dict[str, MemoryStore] = {}


def open_memory(url: str) -> MemoryStore:
    """``memory:`` is a new store each time; ``memory:NAME`` is one store for the process."""
    name = url.partition(":")[2]
    return _named.setdefault(name, MemoryStore(url)) if name else MemoryStore(url)
