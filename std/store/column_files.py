"""A segment in a folder: its columns as memory-mapped files, and the names that belong to an index.

    write_column, map_column, difference    the file of one column: write, map, verify
    map_segment, differences                the files of a segment
    remove_unreferenced, belongs_to_index   names in the folder of an index

Only files with names of the index are ever removed; files of other programs beside them stay.
"""

import dataclasses
import hashlib
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

from std.errors import StoreError, quoted
from std.own_folder import OwnFolder, temporary_of
from std.store.columns import from_arrays
from std.store.manifest import SEGMENT_ID, Manifest, SegmentEntry
from std.store.resident import ResidentSegment
from std.system import allow_open_files
from std.values import Column

COLUMN_NAME = re.compile("[a-z0-9_]+")
SEGMENT_FOLDER = re.compile(rf"{SEGMENT_ID.pattern}(\.tmp)?")
COLUMN_FILE = re.compile(rf"{COLUMN_NAME.pattern}\.npy")
METADATA_FILE = re.compile(rf"{SEGMENT_ID.pattern}\.json")
# What a writer of version 1 left when it was killed. It stays: other programs name files alike.
OLD_TEMPORARY = re.compile(rf"\.({SEGMENT_ID.pattern}|manifest)\.json\.[a-z0-9_]{{8}}")
FILES = ("manifest.json", "lock", "null-distribution.json")


def write_column(folder: OwnFolder, name: str, column: Column) -> dict[str, Any]:
    """Write one column and synchronise it to disk; return its record for the manifest."""
    file = f"{name}.npy"
    with folder.writing(file) as stream:
        # Given a file, numpy hides the error of a full disk; given a mere `write`, it does not.
        np.save(SimpleNamespace(write=stream.write), column, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
        size = os.fstat(stream.fileno()).st_size
    with folder.reading(file) as stream:
        digest = _digest(stream)
    return {"bytes": size, "sha256": digest, "dtype": column.dtype.str, "shape": column.shape}


def map_column(folder: OwnFolder, name: str, recorded: Mapping[str, Any]) -> Column:
    """Map one column, read-only.

    Type and shape come from the manifest, which has a digest; the file's own header is for other
    readers of .npy files.

    Args:
        recorded: what `write_column` returned.

    Raises:
        FileNotFoundError: it is gone (a merge may have replaced its segment).
        StoreError: it is not the file that was committed.
    """
    path = folder.path / f"{name}.npy"
    try:
        dtype, shape = np.dtype(recorded["dtype"]), tuple(recorded["shape"])
        if dtype.hasobject or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{dtype} {shape}")
        with folder.reading(path.name) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size != recorded["bytes"]:
                raise StoreError(f"{path}: expected {quoted(recorded['bytes'])} bytes, got {size}")
            start = size - dtype.itemsize * math.prod(shape)
            mapped: Column = np.memmap(stream, dtype, "r", start, shape).view(np.ndarray)
    except FileNotFoundError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(
            f"{path}: expected a column as in the manifest, got {quoted(error)}"
        ) from error
    except OSError as error:
        raise StoreError(f"{path}: {error_reason(error)}") from error
    return mapped


def difference(folder: OwnFolder, name: str, recorded: Mapping[str, Any]) -> str | None:
    """How a column's file differs from its record in the manifest; None if it does not.

    Args:
        recorded: what `write_column` returned.
    """
    try:
        with folder.reading(f"{name}.npy") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size != recorded["bytes"]:
                return f"{size} bytes instead of {recorded['bytes']}"
            return None if _digest(stream) == recorded["sha256"] else "another checksum"
    except OSError as error:
        return error_reason(error)
    except (KeyError, TypeError) as error:
        return f"a record without {error}"


def _digest(stream: BinaryIO) -> str:
    """SHA-256 of a file."""
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # a file


def error_reason(error: OSError) -> str:
    """The message of an error, without its number."""
    return error.strerror or str(error)


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
    names = column_names(folder, entry)
    allow_open_files()
    with opened(root, "segments", entry.id) as own:
        arrays = {name: map_column(own, name, recorded) for name, recorded in names.items()}
    try:
        columns = from_arrays(entry.recordings, arrays)
    except ValueError as error:
        raise StoreError(f"{folder}: expected columns that fit, got: {error}") from error
    return MappedSegment(columns, entry.deleted, id=entry.id, root=root, entry=entry)


def column_names(folder: Path, entry: SegmentEntry) -> Mapping[str, Mapping[str, Any]]:
    """The names of a segment's columns in the manifest, with the record of each.

    Raises:
        StoreError: the manifest records no columns, or one that no segment has.
    """
    if not isinstance(entry.files, Mapping) or not all(
        COLUMN_NAME.fullmatch(name) for name in entry.files
    ):
        raise StoreError(f"{folder}: expected a record of its columns, got {entry.files!r:.80}")
    return entry.files


def differences(root: Path, entry: SegmentEntry) -> Iterator[str]:
    """What is wrong with the files of a segment, one line each.

    Raises:
        StoreError: the manifest records no columns of it.
    """
    folder = root / "segments" / entry.id
    for name, recorded in column_names(folder, entry).items():
        try:
            with opened(root, "segments", entry.id) as own:
                wrong = difference(own, name, recorded)
        except (FileNotFoundError, StoreError) as error:
            wrong = error.strerror if isinstance(error, OSError) else str(error)
        if wrong:
            path = folder / f"{name}.npy"
            yield f"{path}: expected the file that was committed, got {wrong}"


@contextmanager
def opened(root: Path, *names: str) -> Iterator[OwnFolder]:
    """A folder of the index, open.

    Raises:
        FileNotFoundError: it is not there.
        StoreError: something else is there, or it cannot be opened.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(OwnFolder(root))
            for name in names:
                folder = stack.enter_context(folder.folder(name))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreError(f"{root.joinpath(*names)}: {error_reason(error)}") from error
        yield folder


def remove_unreferenced(root: OwnFolder, manifest: Manifest) -> None:
    """Remove files that the manifest does not name: replaced ones, or those of a killed writer.

    Files that cannot be removed now are removed next time.
    """
    for name in root.names():
        if temporary_of(name) == "manifest.json":
            with suppress(OSError):
                root.remove(name)
    live = {entry.id for entry in manifest.segments}
    with suppress(OSError), root.folder("segments") as segments:
        for name in segments.names():
            if SEGMENT_FOLDER.fullmatch(name) and name not in live:
                with suppress(OSError):
                    segments.remove_folder(name, COLUMN_FILE.fullmatch)
    with suppress(OSError):
        if manifest.metadata:
            with root.folder("metadata") as metadata:
                for name in filter(_is_metadata, metadata.names()):
                    if name != f"{manifest.metadata}.json":
                        metadata.remove(name)
        else:
            root.remove_folder("metadata", _is_metadata)


def _is_metadata(name: str) -> bool:
    return bool(METADATA_FILE.fullmatch(temporary_of(name) or name))


def has_segments(root: Path) -> bool:
    """Whether a folder has segments that are complete."""
    folder = root / "segments"
    return folder.is_dir() and any(SEGMENT_ID.fullmatch(one.name) for one in folder.iterdir())


def belongs_to_index(path: Path) -> bool:
    """Whether a name in a folder may belong to an index whose first commit never came."""
    name = path.name
    if name == "segments":
        return _holds_only(path, lambda one: bool(SEGMENT_FOLDER.fullmatch(one)))
    if name == "metadata":
        return _holds_only(
            path, lambda one: _is_metadata(one) or bool(OLD_TEMPORARY.fullmatch(one))
        )
    is_temporary = temporary_of(name) in FILES or OLD_TEMPORARY.fullmatch(name)
    return name in (*FILES, "bktree") or bool(is_temporary)


def _holds_only(folder: Path, is_ours: Callable[[str], bool]) -> bool:
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and all(is_ours(one.name) for one in folder.iterdir())
    )
