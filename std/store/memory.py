"""The store of this process: for tests, for notebooks, and as the simplest reading of the rules."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from std.errors import StoreBusyError
from std.store.columns import SegmentColumns
from std.store.manifest import Manifest, committed, entry
from std.store.resident import ResidentSegment
from std.store.verify import faults
from std.text import Normalisation


class MemoryStore:
    """`std.store.Store` in a dictionary."""

    round_trips = 0

    def __init__(self, url: str) -> None:
        self.url = url
        self._manifest = Manifest()
        self._columns: dict[str, SegmentColumns] = {}
        self._writing = False

    def normalisation(self) -> Normalisation | None:
        return self._manifest.normalisation

    def segments(self) -> tuple[ResidentSegment, ...]:
        return tuple(
            ResidentSegment(one.id, self._columns[one.id], one.deleted)
            for one in self._manifest.segments
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self._writing:
            raise StoreBusyError(f"{self.url}: somebody else is writing to this store")
        self._writing = True
        try:
            yield
        finally:
            self._writing = False

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
    ) -> None:
        entries = [entry(columns) for columns in add]
        manifest = committed(
            self._manifest, entries, normalisation, replace, delete_files, place=self.url
        )
        columns = self._columns | {e.id: c for e, c in zip(entries, add, strict=True)}
        self._manifest = manifest
        self._columns = {one.id: columns[one.id] for one in manifest.segments}

    def clean_up(self) -> int:
        with self.writing():
            return 0  # a commit forgets what it replaces

    def damage(self) -> Iterator[str]:
        for one in self._manifest.segments:
            yield from faults(one, self._columns[one.id])

    def close(self) -> None:
        """Nothing to let go of: the index lives as long as the process."""


_named: dict[str, MemoryStore] = {}


def open_memory(url: str) -> MemoryStore:
    """``memory:`` is a new store each time; ``memory:NAME`` is one store for the process."""
    name = url.partition(":")[2]
    return _named.setdefault(name, MemoryStore(url)) if name else MemoryStore(url)
