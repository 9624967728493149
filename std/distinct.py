"""Check the files of a command line: no output may be an input or another output.

Two paths can be one file: a relative and an absolute path, symbolic and hard links, names that
differ in case where the file system ignores it, ``-`` and /dev/stdin. So files are compared by
device and inode.
"""

import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from std.errors import STANDARD_STREAM, InputError, StdError, Unquoted, named
from std.files import AnyPath, is_nameless, paths_of
from std.outputs import descriptor_of, output_name, status_of, unwritable

INDEX_FILES = (  # see `std.store.folder`
    *("manifest.json", "lock", "segments", "metadata"),
    *("bktree", "null-distribution.json", "service"),
)
DEEPEST = 4  # folders between an index's deepest file and the index
Given = AnyPath | Sequence[AnyPath] | None


class Place(NamedTuple):
    """What identifies the file at a path: equal for two paths to one file."""

    device: int
    inode: int  # of the file, or of the folder of a new file
    name: str = ""  # in that folder
    mode: int = 0


def require_distinct(
    inputs: Mapping[str, Given], outputs: Mapping[str, Given], stores: Sequence[str] = ()
) -> None:
    """Refuse, before anything is written, outputs that would destroy something.

    Args:
        inputs, outputs: the command line's options and the files that they name.
        stores: the used indexes, which may not exist yet. No input may be inside one, because
            commands remove files there; no output may be a file of an index.

    Raises:
        StdError: an output is an input or another output, an input is inside a used index, an input
            or output is a file of an index, or a pipe is read twice.
        InputError: an output is a folder, its folder does not exist, or it cannot be checked.
    """
    written: list[tuple[str, Path, Place]] = []
    for option, path in _pairs(outputs):
        place = _place_to_write(path)
        for other, other_path, taken in written:
            if _same(place, taken, path) and not _shareable(path, other_path, place):
                raise _refused(option, output_name(path), other)
        if descriptor_of(path) is None:
            _refuse_own_files(option, path, stores)
        written.append((option, path, place))
    read: dict[tuple[int, int], str] = {}
    for option, path in _pairs(inputs):
        _refuse_inside(option, path, stores, "an input outside of the index")
        _refuse_own_files(option, path, stores)
        source = _place(path, 0)
        if source is None:
            continue  # opening it reports the error
        for other, _, taken in written:
            if source[:3] == taken[:3] and not _two_way(source):
                raise _refused(other, named(path), option)
        if _gives_once(path, source):
            if (source.device, source.inode) in read:
                raise _refused(option, named(path), read[source.device, source.inode])
            read[source.device, source.inode] = option


def require_outside(output: Path, stores: Sequence[str]) -> None:
    """Refuse an output inside one of these indexes, after following links.

    Raises:
        StdError: the output is inside an index.
    """
    if descriptor_of(output) is None:
        _refuse_inside(str(output), output, stores, "a file outside of the index")


def _refused(option: str, name: str, other: str) -> StdError:
    whose = "that of another" if option == other else f"that of {other}"
    return StdError(f"{option}: expected a file of its own, got {whose} ({name})")


def _place_to_write(path: Path) -> Place:
    """The place of an output, after checking that it can be written."""
    descriptor = descriptor_of(path)
    if descriptor is not None:
        return _place(path, descriptor) or Place(-1, descriptor)
    if status_of(path) is None:
        target = Path(os.path.realpath(path))
        try:
            folder = target.parent.stat()
        except OSError as error:
            raise unwritable(path, "a writable folder", error) from error
        if not stat.S_ISDIR(folder.st_mode):
            raise InputError(path, 0, "a writable folder", Unquoted("Not a directory"))
        if not os.access(target.parent, os.W_OK):
            raise InputError(path, 0, "a writable folder", Unquoted("Permission denied"))
        return Place(folder.st_dev, folder.st_ino, target.name)
    return _place(path, 1) or Place(-1, -1)


def _place(path: Path, stream: int) -> Place | None:
    """The status of a path; None if it does not exist. ``stream`` is the descriptor of ``-``."""
    try:
        status = os.fstat(stream) if path == STANDARD_STREAM else path.stat()
    except (OSError, ValueError):
        return None
    return Place(status.st_dev, status.st_ino, mode=status.st_mode)


def _same(place: Place, other: Place, path: Path) -> bool:
    if place[:2] != other[:2]:
        return False
    return place.name == other.name or (
        _folded(place.name) == _folded(other.name)
        and _folds_case(Path(os.path.realpath(path)).parent)
    )


def _gives_once(path: Path, place: Place) -> bool:
    """Whether a place can be read only once."""
    if stat.S_ISFIFO(place.mode) or stat.S_ISSOCK(place.mode) or path == STANDARD_STREAM:
        return True
    return stat.S_ISREG(place.mode) and is_nameless(path)  # /dev/stdin, and - may be the same


def _two_way(place: Place) -> bool:
    """Whether reading and writing at a place are independent, as at a terminal."""
    return stat.S_ISCHR(place.mode) or stat.S_ISSOCK(place.mode)


def _shareable(path: Path, other: Path, place: Place) -> bool:
    """Whether two outputs may go to one place: /dev/null and terminals, but not both to ``-``."""
    return stat.S_ISCHR(place.mode) and not path == other == STANDARD_STREAM


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _folds_case(folder: Path) -> bool:
    """Whether a folder ignores case in names, tried with a temporary file."""
    try:
        with tempfile.NamedTemporaryFile(prefix=".case-", dir=folder) as probe:
            return Path(probe.name).with_name(Path(probe.name).name.upper()).exists()
    except OSError:
        return False  # the folder cannot be written; writing reports the error


def _refuse_inside(name: str, path: Path, stores: Sequence[str], expected: str) -> None:
    """Refuse a path that is one of these indexes or inside one, after following links."""
    for store in stores:
        index = Path(os.path.realpath(store))
        if store and index.is_dir() and Path(os.path.realpath(path)).is_relative_to(index):
            raise StdError(f"{name}: expected {expected}, got {path}")


def _refuse_own_files(option: str, path: Path, stores: Sequence[str]) -> None:
    """Refuse a file of one of these indexes or of any other index, after following links."""
    file = Path(os.path.realpath(path))
    around = [one for one in [*file.parents][:DEEPEST] if _is_index(one)]
    for index in (*(Path(os.path.realpath(store)) for store in stores), *around):
        if not index.is_dir() or not file.is_relative_to(index):
            continue
        if file.relative_to(index).parts[:1] in {(name,) for name in INDEX_FILES}:
            raise StdError(f"{option}: expected a file other than the index's own, got {path}")


def _is_index(folder: Path) -> bool:
    manifest = folder / "manifest.json"
    with suppress(OSError):
        if manifest.is_file():
            with manifest.open("rb") as stream:
                return b'"format": "std-index"' in stream.read(200)
    return False


def _pairs(options: Mapping[str, Given]) -> Iterator[tuple[str, Path]]:
    for option, given in options.items():
        for path in paths_of(given or ()):
            yield option, path
