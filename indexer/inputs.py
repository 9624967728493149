"""What the user gave: files and folders -> input files, each with the name of its recording."""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from indexer.formats.shared.reader_options import is_sidecar
from indexer.formats.shared.recordings import recording_of
from std.errors import STANDARD_STREAM, InputError
from std.files import is_nameless
from std.sound.files import SUFFIX

NameBy = Literal["stem", "path", "content"]


@dataclass(frozen=True, slots=True)
class Input:
    """A file to index."""

    path: Path
    name: str | None = None  # of its recording, where it is not called as the file's stem
    in_folder: bool = False  # found in a folder that the user named: it may be something else

    @property
    def origin(self) -> str:
        """The absolute path, as an index records it; ``-`` for what has none."""
        if is_nameless(self.path):
            return str(STANDARD_STREAM)
        return os.fsencode(os.path.normpath(self.path.absolute())).decode(errors="backslashreplace")

    @property
    def own_name(self) -> str:
        """What its recording is called where the content does not say."""
        return recording_of(self.path, self.name).file


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files to index, in order, and hidden files of folders, which are not looked into."""

    files: tuple[Input, ...]
    hidden: tuple[Path, ...] = ()
    sounds: tuple[Input, ...] = ()  # files of frames


def input_files(
    given: Sequence[Path], name_by: NameBy | None = None, stores: Sequence[str] = ()
) -> Inputs:
    """The files named, and all files in the folders named, each once.

    Files that lie beside Kaldi's output (``words.txt``, ...) are no inputs of their own, and an
    index that lies in such a folder is none.

    Args:
        given: files and folders; ``-`` is standard input.
        name_by: what names the recordings.
        stores: the indexes that are written to.

    Raises:
        InputError: there is no such file or folder, a folder has no files or cannot be read.
    """
    indexes = {os.path.realpath(url) for url in stores}
    files: dict[str, Input] = {}
    hidden: list[Path] = []
    for one in given:
        if one == STANDARD_STREAM:
            files[str(one)] = Input(one)
        elif one.is_dir():
            inside = sorted(path for path in _files_in(one, indexes) if path.is_file())
            seen = [path for path in inside if not _is_hidden(path.relative_to(one))]
            hidden += [path for path in inside if _is_hidden(path.relative_to(one))]
            found = [path for path in seen if not is_sidecar(path)]
            if not found:
                raise InputError(one, 0, "a folder with recogniser output", "an empty folder")
            for path in found:
                entry = Input(path, _name(path, name_by), in_folder=True)
                files.setdefault(entry.origin, entry)
        elif one.exists():
            entry = Input(one, _name(one, name_by))
            files[entry.origin] = entry
        else:
            raise InputError(one, 0, "a file or a folder", "nothing of that name")
    words = tuple(one for one in files.values() if one.path.suffix != SUFFIX)
    sounds = tuple(one for one in files.values() if one.path.suffix == SUFFIX)
    return Inputs(words, tuple(hidden), sounds)


def _files_in(folder: Path, left_out: Collection[str]) -> Iterator[Path]:
    """All files in a folder and in those below, except some folders."""

    def refuse(error: OSError) -> NoReturn:
        raise InputError(error.filename, 0, "a readable folder", str(error.strerror)) from error

    for name, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [one for one in folders if os.path.realpath(Path(name, one)) not in left_out]
        yield from (Path(name, one) for one in files)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _name(path: Path, name_by: NameBy | None) -> str | None:
    """The recording's name by its path as the user wrote it.

    Names hold no slashes: tools that pass them on take what stands before one for a folder.
    """
    if name_by != "path":
        return None
    folders = [part for part in path.parent.parts if part not in ("..", path.anchor)]
    return "_".join([*folders, recording_of(path).file])
