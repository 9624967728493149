"""A store in a folder: immutable segments, memory-mapped, with one writer at a time.

    INDEX/
        manifest.json             the commit point: replaced whole by a rename
        lock                      flock of the one writer; the kernel frees it with the process
        segments/ID/COLUMN.npy    columns; ID is the digest of their content
        metadata/ID.json          titles, dates, ... of recordings, if there are any
        bktree/                   a tree of the words, which the searcher builds on demand

A segment is written under a temporary name, its files and folders are synchronised to disk, and
it is renamed; after that the manifest is replaced. The next writer removes what a killed writer
left and no manifest names, but only files with names as above. A writer that commits nothing to a
new index leaves nothing: neither the lock nor the folder that was made for it. A reader maps all
columns of a snapshot when it opens it, so columns that a writer removes later stay readable. No
link inside the folder is followed (`std.own_folder`).
"""

import dataclasses
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from std import system
from std.errors import NOT_THERE, NoIndexError, StoreBusyError, StoreError, StoreWarning, quoted
from std.metadata.table import NO_METADATA, Metadata
from std.own_folder import OwnFolder
from std.store.address import found_instead
from std.store.column_files import (
    COLUMN_FILE,
    MappedSegment,
    belongs_to_index,
    differences,
    error_reason,
    has_segments,
    map_segment,
    opened,
    remove_unreferenced,
    write_column,
)
from std.store.columns import SegmentColumns
from std.store.manifest import (
    Manifest,
    SegmentEntry,
    manifest_after_commit,
    manifest_from_json,
    manifest_to_json,
    metadata_after_commit,
    metadata_from_text,
    segment_entry,
)
from std.store.protocol import Commit, Store, faults
from std.text import Normalisation

LOCK_TRIES = 5
FIRST = b"first commit\n"  # in the lock while there is no manifest
SNAPSHOT_TRIES = 5  # a merge may remove a segment between reading the manifest and mapping it


class FolderStore(Store):
    """`std.store.Store` in a folder."""

    def __init__(self, url: str, made: Sequence[Path] = ()) -> None:
        self.url = url
        self._made = made  # folders that were made for it, each in the next; they go if none comes
        self._root = Path(url)
        self._manifest_path = self._root / "manifest.json"
        self._known_metadata = NO_METADATA  # as they were read or written last
        self._read: tuple[bytes | None, Manifest] = (None, Manifest())  # read last

    def _manifest(self) -> Manifest:
        try:
            content = self._content("manifest.json")
        except FileNotFoundError:
            return Manifest()
        except OSError as error:
            raise StoreError(f"{self._manifest_path}: {error_reason(error)}") from error
        if content != self._read[0]:  # to read that of 100,000 recordings takes a second
            self._read = content, manifest_from_json(content, str(self._manifest_path))
        return self._read[1]

    def _content(self, *names: str) -> bytes:
        """The content of a file, which is in folders of the index."""
        with opened(self._root, *names[:-1]) as folder, folder.reading(names[-1]) as stream:
            return stream.read()

    def normalisation(self) -> Normalisation | None:
        return self._manifest().normalisation

    def revision(self) -> str:
        try:
            status = self._manifest_path.lstat()
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
                content = self._content("metadata", path.name) if manifest.metadata else b""
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
        with self._lock() as lock:
            self._begin(lock)
            self._remove_unreferenced()
            try:
                yield
            finally:
                if self._manifest_path.exists():
                    lock.truncate(0)
                else:
                    self._leave_nothing()

    def _begin(self, lock: IO[bytes]) -> None:
        """Note in the lock that there is no commit yet, so segments are leftovers.

        Raises:
            StoreError: there are segments, but their manifest is lost.
        """
        if self._manifest_path.exists():
            return
        if not os.fstat(lock.fileno()).st_size and has_segments(self._root):
            raise StoreError(
                f"{self._manifest_path}: expected the manifest of the segments there, got "
                f"{NOT_THERE}; restore it from a copy, or begin a new index in another folder"
            )
        try:
            lock.write(FIRST)
            lock.flush()
            os.fsync(lock.fileno())
        except OSError as error:
            raise StoreError(f"{self.url}: cannot write: {error_reason(error)}") from error

    def _leave_nothing(self) -> None:
        """Remove the lock and the folders of a new index to which nothing was committed."""
        with suppress(OSError), OwnFolder(self._root) as root:
            remove_unreferenced(root, Manifest())
            if root.status("segments"):
                root.remove_folder("segments", lambda name: False)
            root.remove("lock")

    def _lock(self) -> IO[bytes]:
        """The open file whose lock is the right to write."""
        for _ in range(LOCK_TRIES):
            lock = self._locked()
            with OwnFolder(self._root) as folder:
                status = folder.status("lock")
            if status and os.path.samestat(status, os.fstat(lock.fileno())):
                return lock
            lock.close()  # a writer that committed nothing has removed it meanwhile
        raise StoreBusyError(f"{self.url}: several other processes want to write to this store")

    def _locked(self) -> IO[bytes]:
        """The lock's file, open and locked.

        Raises:
            StoreBusyError: somebody else holds the lock.
            StoreError: the folder cannot be written or locked.
        """
        try:
            with OwnFolder(self._root) as folder:
                lock = folder.appending("lock")
        except OSError as error:
            raise StoreError(f"{self.url}: cannot write: {error_reason(error)}") from error
        try:
            system.lock(lock.fileno())
        except BlockingIOError as error:
            lock.close()
            raise StoreBusyError(f"{self.url}: somebody else is writing to this store") from error
        except OSError as error:  # some network file systems
            lock.close()
            raise StoreError(
                f"{self.url}: cannot lock this folder: {error_reason(error)}"
            ) from error
        return lock

    def _commit(self, commit: Commit) -> None:
        manifest = self._manifest()
        given = commit.metadata
        # Refuse before anything is written.
        manifest_after_commit(manifest, (), commit.normalisation, place=self.url)
        try:
            entries = [self._write(columns, manifest) for columns in commit.add]
            manifest = manifest_after_commit(
                manifest,
                entries,
                commit.normalisation,
                commit.replace,
                commit.delete_files,
                place=self.url,
            )
            table = metadata_after_commit(self._metadata_to_change(given), given, manifest)
            self._write_metadata(table)
            manifest = dataclasses.replace(manifest, metadata=table.id)
            with OwnFolder(self._root) as root:
                with root.replacing("manifest.json") as stream:
                    stream.write(manifest_to_json(manifest).encode())
                root.sync()
            self._known_metadata = table
        except OSError as error:
            self._remove_unreferenced()  # a full disk needs the room
            raise StoreError(f"{self.url}: cannot write: {error_reason(error)}") from error
        self._remove_unreferenced()

    def close(self) -> None:
        for folder in self._made:
            with suppress(OSError):  # an index came into it
                folder.rmdir()

    def _write(self, columns: SegmentColumns, manifest: Manifest) -> SegmentEntry:
        """Put a segment's folder in place; no manifest names it yet."""
        entry = segment_entry(columns)
        for live in manifest.segments:
            if live.id == entry.id and not any(differences(self._root, live)):
                return dataclasses.replace(entry, files=live.files)  # indexed before
        temporary = f"{entry.id}.tmp"
        with OwnFolder(self._root) as root, root.folder("segments", create=True) as segments:
            segments.make_folder(temporary)
            with segments.folder(temporary) as folder:
                files = {
                    name: write_column(folder, name, column)
                    for name, column in columns.arrays().items()
                }
                folder.sync()
            if segments.status(entry.id):  # the same speech, but damaged
                segments.remove_folder(entry.id, COLUMN_FILE.fullmatch)
            segments.rename(temporary, entry.id)
            segments.sync()
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
        with OwnFolder(self._root) as root, root.folder("metadata", create=True) as folder:
            with folder.replacing(f"{table.id}.json") as stream:
                stream.write(table.text.encode())
            folder.sync()

    def _remove_unreferenced(self) -> None:
        with OwnFolder(self._root) as root:
            remove_unreferenced(root, self._manifest())

    def damage(self) -> Iterator[str]:
        self._known_metadata = NO_METADATA  # read them again
        try:
            self.metadata()
        except StoreError as error:
            yield str(error)
        for entry in self._manifest().segments:
            try:
                damaged = [*differences(self._root, entry)]
                yield from damaged or faults(entry, map_segment(self._root, entry).columns())
            except (FileNotFoundError, StoreError) as error:
                yield str(error)


def _is_free(root: Path) -> bool:
    """Whether an index can be made here: there is nothing, or a folder without other files."""
    try:
        return not root.exists() or (root.is_dir() and all(map(belongs_to_index, root.iterdir())))
    except OSError:
        return False


def open_folder(url: str, *, create: bool) -> FolderStore:
    """Open the index in a folder; with ``create``, make the folder.

    Raises:
        StoreError: no index there, or the folder holds something else.
    """
    root = Path(url)
    made: list[Path] = []
    if create:
        try:
            if not root.exists():
                made = [one for one in (root, *root.parents) if not one.exists()]
                root.mkdir(parents=True)
                system.sync_folder(root.parent)
            foreign = [path.name for path in root.iterdir() if not belongs_to_index(path)]
        except OSError as error:
            raise StoreError(
                f"{url}: expected a folder for the index, got: {error_reason(error)}"
            ) from error
        if foreign and not (root / "manifest.json").exists():
            raise StoreError(
                f"{url}: expected an empty folder or an index, got {quoted(foreign[0])}"
            )
    elif not (root / "manifest.json").is_file():
        kind = NoIndexError if _is_free(root) else StoreError
        raise kind(f"{url}: expected an index (made by std-index), got {found_instead(root)}")
    store = FolderStore(url, [one.absolute() for one in made])
    store.normalisation()  # a damaged manifest is refused now, not later
    return store
