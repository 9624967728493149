"""A store in a folder: immutable segments, memory-mapped, with one writer at a time.

    INDEX/
        manifest.json             the commit point: replaced whole by a rename
        lock                      flock of the one writer; the kernel frees it with the process
        segments/ID/COLUMN.npy    columns; ID is the digest of their content
        metadata/ID.json          titles, dates, ... of recordings, if there are any
        bktree/                   a tree of the words, which the searcher builds on demand

A segment is written under a temporary name, its files and folders are synchronised to disk, and
it is renamed; after that the manifest is replaced. The next writer removes the folders that a
killed writer left and no manifest names. A reader maps all columns of a snapshot when it opens
it, so columns that a writer removes later stay readable.
"""

import dataclasses
import fcntl
import re
import shutil
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from std.errors import InputError, StoreBusyError, StoreError, StoreWarning
from std.metadata.table import NO_METADATA, Metadata
from std.outputs import open_output
from std.store.column_files import (
    difference,
    error_reason,
    intact,
    map_column,
    sync_folder,
    write_column,
)
from std.store.columns import SegmentColumns, from_arrays
from std.store.manifest import (
    SEGMENT_ID,
    Manifest,
    SegmentEntry,
    manifest_after_commit,
    manifest_from_json,
    manifest_to_json,
    metadata_after_commit,
    metadata_from_text,
    segment_entry,
)
from std.store.missing_index import found_instead
from std.store.resident import ResidentSegment
from std.store.verify import faults
from std.text import Normalisation

SEGMENT_FOLDER = re.compile(rf"{SEGMENT_ID.pattern}(\.tmp)?")  # names of segments' folders
METADATA_FILE = re.compile(rf"\.?{SEGMENT_ID.pattern}\.json(\..*)?")  # and its temporary file
SNAPSHOT_TRIES = 5  # a merge may remove a segment between reading the manifest and mapping it


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedSegment(ResidentSegment):
    """A segment in a folder. Pickling keeps its path only; unpickling maps it again."""

    id: str
    root: Path
    entry: SegmentEntry

    def __reduce__(self) -> tuple[Any, ...]:
        entry = dataclasses.replace(self.entry, deleted=self.deleted)
        return map_segment, (self.root.absolute(), entry)


def map_segment(root: Path, entry: SegmentEntry) -> MappedSegment:
    """Map all columns of a segment of the index in a folder.

    Raises:
        FileNotFoundError: a column is gone (a merge may have replaced the segment).
        StoreError: the columns are not those that were committed.
    """
    folder = root / "segments" / entry.id
    arrays = {
        name: map_column(path, recorded) for name, path, recorded in column_files(root, entry)
    }
    try:
        columns = from_arrays(entry.recordings, arrays)
    except ValueError as error:
        raise StoreError(f"{folder}: expected columns that fit, got: {error}") from error
    return MappedSegment(columns, entry.deleted, id=entry.id, root=root, entry=entry)


def column_files(root: Path, entry: SegmentEntry) -> list[tuple[str, Path, Mapping[str, Any]]]:
    """Name, path and what the manifest records of each column of a segment.

    Raises:
        StoreError: it records no columns, or one outside the segment's folder.
    """
    folder = root / "segments" / entry.id
    if not isinstance(entry.files, Mapping) or any(Path(name).name != name for name in entry.files):
        raise StoreError(f"{folder}: expected a record of its columns, got {entry.files!r:.80}")
    return [(name, folder / f"{name}.npy", recorded) for name, recorded in entry.files.items()]


class FolderStore:
    """`std.store.Store` in a folder."""

    round_trips = 0

    def __init__(self, url: str) -> None:
        self.url = url
        self._root = Path(url)
        self._manifest_path = self._root / "manifest.json"
        self._known_metadata = NO_METADATA  # as they were read or written last

    def _manifest(self) -> Manifest:
        try:
            return manifest_from_json(self._manifest_path.read_bytes(), str(self._manifest_path))
        except FileNotFoundError:
            return Manifest()
        except OSError as error:
            raise StoreError(f"{self._manifest_path}: {error_reason(error)}") from error

    def normalisation(self) -> Normalisation | None:
        return self._manifest().normalisation

    def revision(self) -> str:
        try:
            status = self._manifest_path.stat()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StoreError(f"{self._manifest_path}: {error_reason(error)}") from error
        return f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"

    def segments(self) -> tuple[MappedSegment, ...]:
        for attempt in range(SNAPSHOT_TRIES):
            manifest = self._manifest()
            try:
                return tuple(map_segment(self._root, entry) for entry in manifest.segments)
            except FileNotFoundError as error:  # a column; its segment may have been replaced
                newer = self._manifest() != manifest
                if not newer or attempt == SNAPSHOT_TRIES - 1:
                    raise StoreError(
                        f"{error.filename}: expected a column of this index, got no file"
                    ) from error
        raise AssertionError("unreachable")

    def metadata(self) -> Metadata:
        for attempt in range(SNAPSHOT_TRIES):
            manifest = self._manifest()
            if manifest.metadata == self._known_metadata.id:
                return self._known_metadata
            path = self._metadata_path(manifest.metadata)
            try:
                content = path.read_bytes() if manifest.metadata else b""
            except FileNotFoundError as error:  # a commit may have replaced them
                newer = self._manifest() != manifest
                if not newer or attempt == SNAPSHOT_TRIES - 1:
                    raise StoreError(
                        f"{path}: expected metadata of this index, got no file"
                    ) from error
                continue
            except OSError as error:
                raise StoreError(f"{path}: {error_reason(error)}") from error
            if not manifest.metadata:
                self._known_metadata = NO_METADATA
            else:
                self._known_metadata = metadata_from_text(content, manifest, str(path))
            return self._known_metadata
        raise AssertionError("unreachable")

    def _metadata_path(self, metadata_id: str) -> Path:
        return self._root / "metadata" / f"{metadata_id}.json"

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self._lock():
            self._remove_unreferenced()
            yield

    def _lock(self) -> IO[bytes]:
        """The open file whose lock is the right to write."""
        try:
            lock = (self._root / "lock").open("ab")
        except OSError as error:
            raise StoreError(f"{self.url}: cannot write: {error_reason(error)}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise StoreBusyError(f"{self.url}: somebody else is writing to this store") from error
        except OSError as error:  # some network file systems
            lock.close()
            raise StoreError(
                f"{self.url}: cannot lock this folder: {error_reason(error)}"
            ) from error
        return lock

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
        metadata: Metadata = NO_METADATA,
    ) -> None:
        manifest = self._manifest()
        manifest_after_commit(
            manifest, (), normalisation, place=self.url
        )  # refuse before anything is written
        try:
            entries = [self._write(columns, manifest) for columns in add]
            manifest = manifest_after_commit(
                manifest, entries, normalisation, replace, delete_files, place=self.url
            )
            table = metadata_after_commit(self._metadata_to_change(metadata), metadata, manifest)
            self._write_metadata(table)
            manifest = dataclasses.replace(manifest, metadata=table.id)
            with open_output(self._manifest_path) as stream:
                stream.write(manifest_to_json(manifest).encode())
            sync_folder(self._root)
            self._known_metadata = table
        except (OSError, InputError) as error:
            self._remove_unreferenced()  # a full disk needs the room
            raise StoreError(f"{self.url}: cannot write: {error_reason(error)}") from error
        self._remove_unreferenced()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's folder in place; no manifest names it yet."""
        entry = segment_entry(columns)
        final = self._root / "segments" / entry.id
        for live in manifest.segments:
            if live.id == entry.id and intact(final, live.files or {}):
                return dataclasses.replace(entry, files=live.files)  # indexed before
        files = {}
        temporary = final.with_name(f"{entry.id}.tmp")
        temporary.mkdir(parents=True)
        for name, column in columns.arrays().items():
            files[name] = write_column(temporary / f"{name}.npy", column)
        sync_folder(temporary)
        if final.exists():  # the same speech, but damaged
            shutil.rmtree(final)
        temporary.rename(final)
        sync_folder(final.parent)
        return dataclasses.replace(entry, files=files)

    def _metadata_to_change(self, given: Metadata) -> Metadata:
        """The metadata before a commit; none if they are damaged and others are given."""
        try:
            return self.metadata()
        except StoreError as error:
            if not given:
                raise
            message = f"{error}; only the metadata given now are kept"
            warnings.warn(message, StoreWarning, stacklevel=3)
            return NO_METADATA

    def _write_metadata(self, table: Metadata) -> None:
        """Put the metadata in place; no manifest names them yet."""
        if not table or table is self._known_metadata:
            return
        path = self._metadata_path(table.id)
        path.parent.mkdir(exist_ok=True)
        with open_output(path) as stream:
            stream.write(table.text.encode())
        sync_folder(path.parent)

    def _remove_unreferenced(self) -> None:
        """Remove what the manifest does not name: replaced, or left by a killed writer."""
        manifest = self._manifest()
        live = {entry.id for entry in manifest.segments}
        with suppress(OSError):  # what cannot be removed now is removed next time
            folder = self._root / "segments"
            for path in folder.iterdir() if folder.is_dir() else ():
                if SEGMENT_FOLDER.fullmatch(path.name) and path.name not in live:
                    shutil.rmtree(path, ignore_errors=True)
            for path in self._root.glob(".manifest.json.*"):
                path.unlink(missing_ok=True)
            for path in self._root.glob("metadata/*"):
                if path.name != f"{manifest.metadata}.json":
                    path.unlink(missing_ok=True)
            if not manifest.metadata and (self._root / "metadata").is_dir():
                (self._root / "metadata").rmdir()

    def clean_up(self) -> int:
        with self.writing():
            return 0  # a commit removes what it replaces; maps keep it readable

    def damage(self) -> Iterator[str]:
        self._known_metadata = NO_METADATA  # read them again
        try:
            self.metadata()
        except StoreError as error:
            yield str(error)
        for entry in self._manifest().segments:
            damaged = [
                f"{path}: expected the file that was committed, got {wrong}"
                for _, path, recorded in column_files(self._root, entry)
                if (wrong := difference(path, recorded))
            ]
            try:
                yield from damaged or faults(entry, map_segment(self._root, entry).columns())
            except (FileNotFoundError, StoreError) as error:
                yield str(error)

    def close(self) -> None:
        """Nothing to close: the maps are released with the segments."""


def open_folder(url: str, *, create: bool) -> FolderStore:
    """Open the index in a folder; with ``create``, make the folder.

    Raises:
        StoreError: no index there, or the folder holds something else.
    """
    root = Path(url)
    if create:
        try:
            if not root.exists():
                root.mkdir(parents=True)
                sync_folder(root.parent)
            foreign = [path.name for path in root.iterdir() if not _belongs_to_index(path)]
        except OSError as error:
            raise StoreError(
                f"{url}: expected a folder for the index, got: {error_reason(error)}"
            ) from error
        if foreign and not (root / "manifest.json").exists():
            raise StoreError(f"{url}: expected an empty folder or an index, got {foreign[0]!r}")
    elif not (root / "manifest.json").is_file():
        raise StoreError(f"{url}: expected an index (made by std-index), got {found_instead(root)}")
    store = FolderStore(url)
    store.normalisation()  # a damaged manifest is refused now, not later
    return store


def _belongs_to_index(path: Path) -> bool:
    if path.name == "segments":
        return path.is_dir() and all(
            SEGMENT_FOLDER.fullmatch(segment.name) for segment in path.iterdir()
        )
    if path.name == "metadata":
        return path.is_dir() and all(METADATA_FILE.fullmatch(one.name) for one in path.iterdir())
    return path.name in ("manifest.json", "lock", "bktree") or path.name.startswith(
        ".manifest.json."
    )
