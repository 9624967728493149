"""The marks of people, right or wrong, kept in a file (`std.marks`).

Each mark is one line, written and synchronised to the disk before its sender is told. Without a
file, marks live as long as the service.
"""

import fcntl
import os
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from std.errors import InputError
from std.files import open_input
from std.marks import Mark, dump, latest, parse
from std.outputs import unwritable
from std.values import Recording

Key = tuple[str, Recording, int, int]


class MarkFile:
    """The marks that count, in memory and in a file that one service writes."""

    def __init__(self, path: Path | None) -> None:
        """Read what is there and continue it.

        Raises:
            InputError: the file holds something else, cannot be written, or another service does.
        """
        self._path, self._lock = path, threading.Lock()
        self._marks: dict[Key, Mark] = {}
        self.version = 0  # another number after each change
        self._handle = -1
        if path is None:
            return
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "another std-serve writes to it"
            raise InputError(path, 0, "a file that can be written", hint) from error
        except OSError as error:
            raise unwritable(path, "a file that can be written", error) from error
        with open_input(path) as stream:
            self._marks = {mark.hit: mark for mark in latest(parse(stream, path))}
        self._remove_unfinished_line()

    def _remove_unfinished_line(self) -> None:
        """Cut off what a killed service left of a line that it had acknowledged to nobody."""
        size = os.fstat(self._handle).st_size
        tail = os.pread(self._handle, min(size, 1 << 17), max(0, size - (1 << 17)))
        if unfinished := len(tail) - (tail.rfind(b"\n") + 1):
            os.ftruncate(self._handle, size - unfinished)

    @property
    def is_kept(self) -> bool:
        """Whether marks outlive the service."""
        return self._path is not None

    def get(self, hit: Key) -> bool | None:
        """What was said of a hit: right, wrong, or nothing."""
        mark = self._marks.get(hit)
        return None if mark is None else mark.right

    def of_terms(self, terms: Iterable[str]) -> list[Mark]:
        """The marks of some terms."""
        wanted = {*terms}
        return [mark for mark in list(self._marks.values()) if mark.term in wanted]

    def all(self) -> list[Mark]:
        """Every mark that counts, the oldest first."""
        return list(self._marks.values())

    def put(
        self, term: str, recording: Recording, start_s: float, end_s: float, right: bool | None
    ) -> Mark:
        """Keep a mark; ``right`` None takes an earlier one back. Returns when it is on the disk.

        Raises:
            InputError: it cannot be written; then it does not count.
        """
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        mark = Mark(term, recording, round(start_s, 3), round(end_s, 3), right, now)
        with self._lock:
            if self._path is not None:
                self._append(dump(mark), self._path)
            self._marks.pop(mark.hit, None)
            if right is not None:
                self._marks[mark.hit] = mark
            self.version += 1
        return mark

    def _append(self, line: bytes, path: Path) -> None:
        size = os.fstat(self._handle).st_size
        try:
            written = os.write(self._handle, line)
            if written < len(line):
                raise OSError(None, "the disk is full")
            os.fsync(self._handle)
        except OSError as error:
            os.ftruncate(self._handle, size)  # a part of a line would spoil the next
            raise unwritable(path, "a file that takes the mark", error) from error

    def close(self) -> None:
        """Let another service write to the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
