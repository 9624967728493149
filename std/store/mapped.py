"""A segment in a folder: its columns, memory-mapped."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from std.errors import StoreError
from std.own_folder import OwnFolder
from std.store.column_files import difference, error_reason, map_column
from std.store.columns import from_arrays
from std.store.manifest import SegmentEntry
from std.store.resident import ResidentSegment

COLUMN_NAME = re.compile("[a-z0-9_]+")


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
    with opened(root, "segments", entry.id) as own:
        arrays = {name: map_column(own, name, recorded) for name, recorded in names.items()}
    try:
        columns = from_arrays(entry.recordings, arrays)
    except ValueError as error:
        raise StoreError(f"{folder}: expected columns that fit, got: {error}") from error
    return MappedSegment(columns, entry.deleted, id=entry.id, root=root, entry=entry)


def column_names(folder: Path, entry: SegmentEntry) -> Mapping[str, Mapping[str, Any]]:
    """What the manifest records of each column of a segment.

    Raises:
        StoreError: it records no columns, or one that no segment has.
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
