"""The marks of people, right or wrong, kept in a file (`std.marks`).

Each mark is one line, written and synchronised to the disk before its sender is told. Without a
file, marks live as long as the service.
"""

import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from service.appended import AppendedFile
from std.files import open_input
from std.marks import Mark, dump, latest, parse
from std.values import Recording

Key = tuple[str, Recording, int, int]


class Marks:
    """The marks that count, in memory."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._marks: dict[Key, Mark] = {mark.hit: mark for mark in marks}

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


class MarkFile(Marks):
    """The marks that count, in memory and in a file that one service writes."""

    def __init__(self, path: Path | None) -> None:
        """Read what is there and continue it.

        Raises:
            InputError: the file holds something else, cannot be written, or another service does.
        """
        super().__init__()
        self._lock = threading.Lock()
        self.version = 0  # another number after each change
        self._file: AppendedFile | None = None
        if path is not None:
            self._file = AppendedFile(path)
            with open_input(path) as stream:
                self._marks = {mark.hit: mark for mark in latest(parse(stream, path))}

    @property
    def is_kept(self) -> bool:
        """Whether marks outlive the service."""
        return self._file is not None

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
            if self._file is not None:
                self._file.append(dump(mark))
            self._marks.pop(mark.hit, None)
            if right is not None:
                self._marks[mark.hit] = mark
            self.version += 1
        return mark

    def close(self) -> None:
        """Let another service write to the file."""
        if self._file is not None:
            self._file.close()
