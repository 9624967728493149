"""The folder of the added recordings, with all data about them.

audio/         sound as sent
words/         captions as sent; networks by std-recognise
metadata.csv   title, date, ...
.incoming/     files being received
.deleted/      deleted recordings, kept for `KEPT_S`, with their metadata and corrections
.restored/     corrections of restored recordings, until the index has them
"""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from service.problems import ProblemError
from service.settings import Limits
from service.uploads.checks import Kind, Name, metadata_file, require_free
from std.errors import InputError, StoreError, Unquoted
from std.files import read
from std.metadata.read import parse
from std.metadata.table import NO_METADATA, Metadata, Values
from std.outputs import make_folder, open_output, unwritable
from std.system import locked_folder

KEPT_S = 30 * 86_400.0  # of a deleted recording
SETTLE_S = 1.0  # a file that has not changed for this long is complete
OWN_FILES = frozenset({"ecf.xml", "recognise.json", "sound.json", "audio.json"})  # of std-recognise
CORRECTIONS = "corrections.json"  # beside the files of a deleted recording
DESCRIPTION = "metadata.json"  # beside them, too
NO_WORDS = (".part", ".sound")  # ends of its files beside the words


class Files(NamedTuple):
    """The files of a recording."""

    audio: Path | None
    words: Path | None

    @property
    def bytes(self) -> int:
        """Their size in bytes; a file that disappears meanwhile counts 0."""
        size = 0
        for path in filter(None, self):
            with suppress(OSError):
                size += path.stat().st_size
        return size


class UploadFolder:
    """The folder, locked by one service."""

    def __init__(self, root: Path, limits: Limits) -> None:
        """Open and lock the folder.

        Args:
            root: the folder, created if it does not exist.

        Raises:
            InputError: the folder cannot be written, or another service uses it.
        """
        self.root, self._limits = root, limits
        self.audio, self.words = root / "audio", root / "words"
        self.table = root / "metadata.csv"
        self._incoming, self._deleted = root / ".incoming", root / ".deleted"
        self.restored = root / ".restored"
        for folder in (self.audio, self.words, self._incoming, self._deleted, self.restored):
            make_folder(folder)
        self._handle = _locked(root)
        for path in self._incoming.iterdir():  # left by a killed service
            path.unlink()
        self._lock = threading.RLock()
        self._arriving: dict[Name, int] = {}  # files being received, and their sizes

    def files(self) -> dict[str, Files]:
        """The files of each recording, by its name."""
        audio, words = _by_name(self.audio), _by_name(self.words)
        return {name: Files(audio.get(name), words.get(name)) for name in sorted({*audio, *words})}

    def require(self, name: str) -> Files:
        """The files of one recording.

        Raises:
            ProblemError: there is no such added recording.
        """
        files = self.files().get(name)
        if files is None:
            raise ProblemError(404, f"no recording of the name {name[:80]!r} was added here")
        return files

    def metadata(self) -> Metadata:
        """The metadata of the recordings.

        Raises:
            StoreError: the table has other content, which another program has written.
        """
        try:
            return read(parse, self.table) if self.table.exists() else NO_METADATA
        except InputError as error:
            raise StoreError(str(error)) from error

    # --- receiving a file

    def begin(self, name: Name, size: int, is_taken: Callable[[str], bool]) -> "Arriving":
        """Reserve a name and space for a file.

        Args:
            size: the size that the sender states, in bytes; 0 = unknown.
            is_taken: whether the index has another recording with a name.

        Raises:
            ProblemError: the name is taken, or there is not enough space.
        """
        with self._lock:
            arriving = {(one.stem, one.kind) for one in self._arriving}
            require_free(name, self._known() | arriving, is_taken)
            coming = sum(self._arriving.values())
            free = shutil.disk_usage(self.root).free - self._limits.free_bytes
            if size + coming > free:
                raise ProblemError(507, "the disk of the service has no room for this file")
            used = sum(one.bytes for one in self.files().values()) + coming
            if size + used > self._limits.uploads_bytes:
                gb = f"{self._limits.uploads_bytes / 1e9:g} GB"
                raise ProblemError(507, f"people may add {gb} in all; this file would be more")
            self._arriving[name] = size
        target = (self.audio if name.kind == "sound" else self.words) / name.file
        return Arriving(self, name, self._incoming / name.file, target)

    def _known(self) -> set[tuple[str, Kind]]:
        """The names of recordings, with the kinds of their files."""
        of_each = self.files().items()
        return {(stem, "sound") for stem, files in of_each if files.audio} | {
            (stem, "captions") for stem, files in of_each if files.words
        }

    def take(self, arriving: "Arriving", described: Mapping[str, str]) -> None:
        """Move a checked file to its place.

        Raises:
            ProblemError: the recording has such a file meanwhile, restored or recognised.
            InputError: the disk is full, or a value is not valid as metadata.
        """
        with self._lock:
            require_free(arriving.name, self._known())
            if described:
                self._describe(arriving.name.stem, described)
            os.utime(arriving.path)
            arriving.path.replace(arriving.target)

    def forget(self, arriving: "Arriving") -> None:
        """Release a reserved name."""
        with self._lock:
            self._arriving.pop(arriving.name, None)
        arriving.path.unlink(missing_ok=True)

    # --- changes

    def describe(self, name: str, values: Mapping[str, str]) -> None:
        """Change the metadata of a recording; an empty value removes one.

        Raises:
            ProblemError: nobody added such a recording.
            InputError: the disk is full, or a value is not valid as metadata.
        """
        with self._lock:
            self.require(name)
            self._describe(name, values)

    def _describe(self, name: str, values: Mapping[str, str]) -> None:
        rows = self._rows()
        self._write(rows | {name: {**rows.get(name, {}), **values}})

    def _rows(self) -> dict[str, Values]:
        before = self.metadata()
        return {file: before.values(file) for file in before.files}

    def _write(self, rows: Mapping[str, Values]) -> None:
        if not rows:  # a table without a row is none
            self.table.unlink(missing_ok=True)
            return
        content = metadata_file(rows)
        with open_output(self.table) as stream:
            stream.write(content)

    def delete(self, name: str, corrections: str = "") -> None:
        """Delete a recording: move its files to ``.deleted``.

        Args:
            corrections: the corrections of its words, which `restore` writes again.

        Raises:
            ProblemError: nobody added such a recording.
            InputError: the disk is full.
        """
        with self._lock:
            files = self.require(name)
            kept = self._deleted / f"{time.time_ns()}"
            make_folder(kept)
            if corrections:
                (kept / CORRECTIONS).write_text(corrections, "utf-8")
            rows = self._rows()
            if values := rows.pop(name, None):
                (kept / DESCRIPTION).write_text(json.dumps(dict(values)), "utf-8")
                self._write(rows)  # another of its name has its own
            for path in filter(None, files):
                make_folder(kept / path.parent.name)
                path.replace(kept / path.parent.name / path.name)
            (self.words / f"{name}.jsonl.part").unlink(missing_ok=True)  # still being written

    def deleted(self) -> list[str]:
        """The names of recordings that can be restored, the last deleted first."""
        return [*dict.fromkeys(name for kept in self._kept() for name in _names_in(kept))]

    def restore(self, name: str) -> None:
        """Restore a deleted recording.

        Raises:
            ProblemError: no recording with this name was deleted, or another one has the name now.
        """
        with self._lock:
            kept = next((one for one in self._kept() if name in _names_in(one)), None)
            if kept is None:
                raise ProblemError(404, f"no recording of the name {name[:80]!r} was deleted")
            if name.casefold() in map(str.casefold, self.files()):
                raise ProblemError(409, f"there is another recording of the name {name!r} now")
            if (kept / DESCRIPTION).exists():
                self._describe(name, json.loads((kept / DESCRIPTION).read_bytes()))
            for folder in (self.audio, self.words):
                for path in (kept / folder.name).glob("*"):
                    os.utime(path)
                    path.replace(folder / path.name)
            if (kept / CORRECTIONS).exists():
                (kept / CORRECTIONS).replace(self.restored / f"{name}.json")
            shutil.rmtree(kept, ignore_errors=True)

    def purge(self) -> None:
        """Remove recordings that were deleted long ago."""
        for kept in self._kept():
            if kept.name.isdecimal() and time.time() - int(kept.name) / 1e9 > KEPT_S:
                shutil.rmtree(kept, ignore_errors=True)

    def _kept(self) -> list[Path]:
        return sorted(self._deleted.iterdir(), key=lambda path: path.name, reverse=True)

    def close(self) -> None:
        """Let another service use it."""
        os.close(self._handle)


class Arriving:
    """A file being received; it is removed unless `UploadFolder.take` moves it."""

    def __init__(self, folder: UploadFolder, name: Name, path: Path, target: Path) -> None:
        self._folder, self.name, self.path, self.target = folder, name, path, target
        self._stream: BinaryIO | None = None

    def __enter__(self) -> "Arriving":
        self._stream = self.path.open("xb")
        return self

    def write(self, content: bytes) -> None:
        """Write a part.

        Raises:
            ProblemError: the disk is full.
        """
        assert self._stream is not None
        try:
            self._stream.write(content)
        except OSError as error:
            raise _full(error) from error

    def complete(self) -> None:
        """Flush the file to disk.

        Raises:
            ProblemError: the disk is full.
        """
        assert self._stream is not None
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise _full(error) from error
        self._stream.close()

    def __exit__(self, *reason: object) -> None:
        with suppress(OSError):
            if self._stream is not None:
                self._stream.close()
        self._folder.forget(self)


def _full(error: OSError) -> ProblemError:
    return ProblemError(507, f"the file is not kept: {error.strerror or error}")


def _locked(root: Path) -> int:
    """Lock a folder against other services.

    Raises:
        InputError: another service uses it.
    """
    try:
        return locked_folder(root)
    except BlockingIOError as error:
        got = Unquoted("one that another std-serve uses")
        raise InputError(root, 0, "a folder of this process alone", got) from error
    except OSError as error:
        raise unwritable(root, "a folder that can be written", error) from error


def _by_name(folder: Path) -> dict[str, Path]:
    """The files in a folder by the names of their recordings."""
    return {
        path.stem: path
        for path in sorted(folder.iterdir())
        if not (path.name.startswith(".") or path.name in OWN_FILES or path.is_symlink())
        and not path.name.endswith(NO_WORDS)
        and path.is_file()
    }


def _names_in(kept: Path) -> list[str]:
    return sorted({path.stem for path in kept.glob("*/*")})


def is_settled(path: Path) -> bool:
    """Whether a file is complete: it has not changed for some time."""
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > SETTLE_S
    return False
