"""A file of JSON lines that one process appends to: each line is on the disk when `append` returns.

    AppendedFile       the open file
    rename_in_lines    renames a recording in all lines, in one step

An incomplete line of a killed process is removed when the file is opened again; no caller was told
that it was stored.
"""

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from unicodedata import normalize

from std.errors import NOT_THERE, InputError, Unquoted
from std.outputs import open_output, unwritable
from std.system import PLAIN, lock

TAIL_BYTES = 1 << 17  # longer than any line


class AppendedFile:
    """An open file, locked against other processes."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            InputError: it cannot be written, or another process writes to it.
        """
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | PLAIN, 0o644)
            lock(self._handle)
            if not os.path.samestat(os.fstat(self._handle), path.stat()):
                raise BlockingIOError  # `rename_in_lines` replaced it meanwhile
            self._remove_unfinished_line()
        except BlockingIOError as error:
            got = Unquoted("one that another std-serve or std-search writes to")
            raise InputError(path, 0, "a file of this process alone", got) from error
        except OSError as error:
            raise unwritable(path, "a file that can be written", error) from error

    def _remove_unfinished_line(self) -> None:
        size = os.fstat(self._handle).st_size
        os.lseek(self._handle, max(0, size - TAIL_BYTES), os.SEEK_SET)
        tail = os.read(self._handle, TAIL_BYTES)
        if unfinished := len(tail) - (tail.rfind(b"\n") + 1):
            os.ftruncate(self._handle, size - unfinished)

    def append(self, lines: bytes) -> None:
        """Write complete lines, all or none.

        Raises:
            InputError: they cannot be written.
        """
        size = os.fstat(self._handle).st_size
        try:
            if os.write(self._handle, lines) < len(lines):
                raise OSError(None, "the disk is full")
            os.fsync(self._handle)
        except OSError as error:
            os.ftruncate(self._handle, size)  # a part of a line would spoil the next
            raise unwritable(self.path, "a file that takes all of the output", error) from error

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def told_path(terms: Path) -> Path:
    """The file of the reported hits of a list of terms, beside the list.

    >>> told_path(Path("names.xlsx")).name
    'names.xlsx.hits.jsonl'
    """
    return terms.with_name(f"{terms.name}.hits.jsonl")


def rename_in_lines(files: Mapping[Path, str], old: str, new: str) -> None:
    """Rename a recording in all lines of files, each of which is replaced in one step.

    All files are read and locked before the first is written.

    Args:
        files: the key that names the recording in the object of each line, by path; lines that are
            blank or unfinished stay as they are.
        old: its name, with composed letters or not.
        new: its name from now on.

    Raises:
        InputError: a file cannot be read or written, another process writes to it, or a line is not
            a JSON object.
    """
    with ExitStack() as locks:
        renamed: dict[Path, list[bytes]] = {}
        for path, key in files.items():
            if not path.is_file():
                raise InputError(path, 0, "a file of JSON lines", NOT_THERE)
            locks.enter_context(closing(AppendedFile(path)))
            lines = path.read_bytes().split(b"\n")
            renamed[path] = [
                _renamed(line, (path, number), key, old, new)
                for number, line in enumerate(lines, 1)
            ]
            if renamed[path] == lines:
                del renamed[path]
        for path, lines in renamed.items():
            with open_output(path) as sink:
                sink.write(b"\n".join(lines))


def _renamed(line: bytes, place: tuple[Path, int], key: str, old: str, new: str) -> bytes:
    """A line, with the new name if it has the renamed recording."""
    if not line.strip():
        return line
    try:
        document = json.loads(line)
        if not isinstance(document, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError) as error:
        got = line.decode(errors="replace")
        raise InputError(*place, "a JSON object", got) from error
    if normalize("NFC", str(document.get(key))) != normalize("NFC", old):
        return line
    return json.dumps({**document, key: new}, ensure_ascii=False).encode()
