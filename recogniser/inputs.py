"""What the user gave: audio files and folders -> audio files, each with its recording's name.

audio_files    the files, by the names of recordings
common_root    the folder that all of it is in: paths of audio files are kept below it
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from std.errors import InputError
from std.nist.audio_names import AUDIO_EXTENSION, recording_name


def audio_files(given: Sequence[Path], name_by: str = "stem") -> dict[str, Path]:
    """The files named, and the audio files in the folders named, by the names of recordings.

    Args:
        given: files and folders.
        name_by: what names a recording: its file's stem, or its path as the user wrote it.

    Raises:
        InputError: nothing of that name; a folder without audio; two recordings of one name.
    """
    files: dict[str, Path] = {}
    for one in given:
        if one.is_dir():
            found = sorted(_audio_in(one))
            if not found:
                raise InputError(one, 0, "a folder with audio files", "a folder without any")
        elif one.exists():
            found = [one]
        else:
            raise InputError(one, 0, "an audio file or a folder", "nothing of that name")
        for path in found:
            name = _name(path, name_by)
            other = files.setdefault(name, path)
            if os.path.realpath(other) != os.path.realpath(path):
                raise InputError(
                    path, 0, "recordings of different names", f"{name}, as {other}",
                    "--name-by path names them by their folders, too",
                )  # fmt: skip
    return files


def common_root(given: Sequence[Path]) -> Path:
    """The deepest folder that has all files and folders that were given."""
    folders = [str((one if one.is_dir() else one.parent).absolute()) for one in given]
    return Path(os.path.normpath(os.path.commonpath(folders)))


def _name(path: Path, name_by: str) -> str:
    if name_by == "stem":
        return recording_name(path.name)
    folders = [part for part in path.parent.parts if part not in ("..", path.anchor)]
    return "_".join([*folders, recording_name(path.name)])


def _audio_in(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> NoReturn:
        raise InputError(error.filename, 0, "a readable folder", str(error.strerror)) from error

    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if AUDIO_EXTENSION.search(name) and not name.startswith("."):
                yield Path(place, name)
