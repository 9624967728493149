"""A file of JSON lines that one process appends to: each line is on the disk when `append` returns.

A line that a killed process did not finish is cut off when the file is opened again; nobody was
told that it is kept.
"""

import fcntl
import os
from pathlib import Path

from std.errors import InputError
from std.outputs import unwritable

TAIL_BYTES = 1 << 17  # longer than any line


class AppendedFile:
    """An open file, locked against other processes."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            InputError: it cannot be written, or another process writes to it.
        """
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._remove_unfinished_line()
        except BlockingIOError as error:
            got = "one that another std-serve or std-search writes to"
            raise InputError(path, 0, "a file of this process alone", got) from error
        except OSError as error:
            raise unwritable(path, "a file that can be written", error) from error

    def _remove_unfinished_line(self) -> None:
        size = os.fstat(self._handle).st_size
        tail = os.pread(self._handle, min(size, TAIL_BYTES), max(0, size - TAIL_BYTES))
        if unfinished := len(tail) - (tail.rfind(b"\n") + 1):
            os.ftruncate(self._handle, size - unfinished)

    def append(self, lines: bytes) -> None:
        """Write whole lines; all of them or none.

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
        """Let another process write to the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
