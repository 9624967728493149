"""Which names in an index's folder are its own, and the removal of those that no manifest names.

Only these are ever removed; what somebody else put beside them stays.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from std.own_folder import OwnFolder, temporary_of
from std.store.manifest import SEGMENT_ID, Manifest
from std.store.mapped import COLUMN_NAME

SEGMENT_FOLDER = re.compile(rf"{SEGMENT_ID.pattern}(\.tmp)?")
COLUMN_FILE = re.compile(rf"{COLUMN_NAME.pattern}\.npy")
METADATA_FILE = re.compile(rf"{SEGMENT_ID.pattern}\.json")
# What a writer of version 1 left when it was killed. It stays: other programs name files alike.
OLD_TEMPORARY = re.compile(rf"\.({SEGMENT_ID.pattern}|manifest)\.json\.[a-z0-9_]{{8}}")
FILES = ("manifest.json", "lock", "null-distribution.json")


def remove_unreferenced(root: OwnFolder, manifest: Manifest) -> None:
    """Remove what the manifest does not name: replaced, or left by a killed writer.

    What cannot be removed now is removed next time.
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


def belongs_to_index(path: Path) -> bool:
    """Whether something in a folder may be part of an index whose first commit never came."""
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
