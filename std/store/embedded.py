"""The embedded store: a folder of immutable segments, memory-mapped, one writer at a time.

    INDEX/
        manifest.json             the commit point: replaced whole by a rename
        lock                      flock of the one writer; the kernel frees it with the process
        segments/ID/COLUMN.npy    columns; ID is the digest of their content

A segment is written under a temporary name, its files and folders are synchronised to disk, and
it is renamed; only then the manifest names it. What a killed writer leaves behind is named by no
manifest, and the next writer removes it. A reader maps all columns of a snapshot when it opens
them: what a writer removes later stays readable through the maps.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from std.errors import StoreBusyError, StoreError
from std.formats.files import replace_file
from std.store.columns import Column, SegmentColumns, from_arrays
from std.store.manifest import Manifest, SegmentEntry, committed, dumps, entry, loads
from std.store.resident import ResidentSegment
from std.text import Normalisation

SNAPSHOT_TRIES = 5  # a merge may remove a segment between reading the manifest and mapping it


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedSegment(ResidentSegment):
    """A segment in a folder. It pickles as where it is, and is mapped again where it arrives."""

    root: Path
    entry: SegmentEntry

    def __reduce__(self) -> tuple[Any, ...]:
        return map_segment, (self.root.absolute(), self.entry)


def map_segment(root: Path, one: SegmentEntry) -> MappedSegment:
    """Map all columns of a segment of the index in a folder.

    Raises:
        FileNotFoundError: a column is gone (a merge may have replaced the segment).
        StoreError: the columns are not those that were committed.
    """
    folder = root / "segments" / one.id
    arrays = {
        name: map_column(folder / f"{name}.npy", recorded)
        for name, recorded in (one.files or {}).items()
    }
    try:
        columns = from_arrays(one.recordings, arrays)
    except ValueError as error:
        raise StoreError(f"{folder}: expected columns that fit, got: {error}") from error
    return MappedSegment(one.id, columns, one.deleted, root=root, entry=one)


class EmbeddedStore:
    """`std.store.Store` in a folder."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._root = Path(url)
        self._manifest_path = self._root / "manifest.json"

    def _manifest(self) -> Manifest:
        try:
            return loads(self._manifest_path.read_bytes(), str(self._manifest_path))
        except FileNotFoundError:
            return Manifest()
        except OSError as error:
            raise StoreError(f"{self._manifest_path}: {error.strerror}") from error

    def normalisation(self) -> Normalisation | None:
        return self._manifest().normalisation

    def segments(self) -> tuple[MappedSegment, ...]:
        for attempt in range(SNAPSHOT_TRIES):
            manifest = self._manifest()
            try:
                return tuple(map_segment(self._root, one) for one in manifest.segments)
            except FileNotFoundError as error:
                newer = self._manifest().generation != manifest.generation
                if not newer or attempt == SNAPSHOT_TRIES - 1:
                    raise StoreError(
                        f"{error.filename}: expected a column of this index, got no file"
                    ) from error
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self) -> Iterator[None]:
        with (self._root / "lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StoreBusyError(
                    f"{self.url}: somebody else is writing to this store"
                ) from error
            self._sweep()
            yield

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
    ) -> None:
        manifest = self._manifest()
        committed(manifest, (), normalisation, place=self.url)  # refuse before anything is written
        try:
            entries = [self._write(columns, manifest) for columns in add]
            manifest = committed(
                manifest, entries, normalisation, replace, delete_files, place=self.url
            )
            with replace_file(self._manifest_path) as stream:
                stream.write(dumps(manifest).encode())
            sync_folder(self._root)
        except OSError as error:
            raise StoreError(f"{self.url}: cannot write: {error.strerror}") from error
        self._sweep()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's folder in place; no manifest names it yet."""
        bare = entry(columns)
        final = self._root / "segments" / bare.id
        for live in manifest.segments:
            if live.id == bare.id and intact(final, live.files or {}):
                return entry(columns, live.files)  # the same speech, indexed before
        files = {}
        temporary = final.with_name(f"{bare.id}.tmp")
        temporary.mkdir(parents=True)
        for name, column in columns.arrays().items():
            files[name] = write_column(temporary / f"{name}.npy", column)
        sync_folder(temporary)
        if final.exists():  # the same speech, but damaged
            shutil.rmtree(final)
        temporary.rename(final)
        sync_folder(final.parent)
        return entry(columns, files)

    def _sweep(self) -> None:
        """Remove segments that no manifest names: a killed writer's, or replaced ones."""
        live = {one.id for one in self._manifest().segments}
        folder = self._root / "segments"
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in live:
                shutil.rmtree(path, ignore_errors=True)
        for path in self._root.glob(".manifest.json.*"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing to let go of: maps go with the segments."""


def open_folder(url: str, *, create: bool) -> EmbeddedStore:
    """Open the index in a folder; with ``create``, make the folder.

    Raises:
        StoreError: no index there, or the folder holds something else.
    """
    root = Path(url)
    if create:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{url}: expected a folder for the index, got: {error.strerror}"
            ) from error
        foreign = [p.name for p in root.iterdir() if not _ours(p.name)]
        if foreign and not (root / "manifest.json").exists():
            raise StoreError(f"{url}: expected an empty folder or an index, got {foreign[0]!r}")
    elif not (root / "manifest.json").is_file():
        raise StoreError(f"{url}: expected an index (made by std-index), got no manifest.json")
    store = EmbeddedStore(url)
    store.normalisation()  # a damaged manifest is refused now, not later
    return store


def _ours(name: str) -> bool:
    return name in ("manifest.json", "lock", "segments") or name.startswith(".manifest.json.")


def write_column(path: Path, column: Column) -> dict[str, Any]:
    """Write one column to disk for good; returns what the manifest records of it."""
    with path.open("wb") as stream:
        np.save(stream, column, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    return {"bytes": path.stat().st_size, "sha256": file_digest(path)}


def map_column(path: Path, recorded: Mapping[str, Any]) -> Column:
    """Map one column, read-only.

    Raises:
        FileNotFoundError: it is gone (a merge may have replaced its segment).
        StoreError: it is not the file that was committed.
    """
    size = path.stat().st_size
    if size != recorded["bytes"]:
        raise StoreError(f"{path}: expected {recorded['bytes']} bytes, got {size}")
    try:
        column: Column = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise StoreError(f"{path}: expected a numpy column, got: {error}") from error
    return column


def intact(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a segment's files are byte for byte what the manifest recorded."""
    paths = {name: folder / f"{name}.npy" for name in files}
    return all(
        path.is_file() and file_digest(path) == files[name]["sha256"]
        for name, path in paths.items()
    )


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_folder(path: Path) -> None:
    """Make a rename inside a folder survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
