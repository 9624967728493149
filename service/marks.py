"""The marks of people, right or wrong, kept in a file (`std.marks`).

Each mark is one line, written and synchronised to the disk before its sender is told. Without a
file, marks live as long as the service.
"""

import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from std.appended import AppendedFile
from std.files import open_input
from std.marks import Mark, dump, latest, parse
from std.values import Recording

Key = tuple[str, Recording, int, int]


class Marks:
    """The marks that count, in memory."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._marks: dict[Key, Mark] = {}
        self._of_term: dict[str, dict[Key, Mark]] = {}  # the same
        for mark in marks:
            self._keep(mark)

    def _keep(self, mark: Mark) -> None:
        self._drop(mark.hit)
        self._marks[mark.hit] = mark
        self._of_term.setdefault(mark.term, {})[mark.hit] = mark

    def _drop(self, hit: Key) -> None:
        if mark := self._marks.pop(hit, None):
            del self._of_term[mark.term][hit]

    def get(self, hit: Key) -> bool | None:
        """The mark of a hit: right, wrong, or none."""
        mark = self._marks.get(hit)
        return None if mark is None else mark.right

    def of_terms(self, terms: Iterable[str]) -> list[Mark]:
        """The marks of some terms."""
        found = (self._of_term.get(term, {}) for term in dict.fromkeys(terms))
        return [mark for of_term in found for mark in list(of_term.values())]

    def all(self) -> list[Mark]:
        """Every mark that counts, the oldest first."""
        return list(self._marks.values())


class MarkFile(Marks):
    """The marks that count, in memory and in a file that one service writes."""

    def __init__(self, path: Path | None) -> None:
        """Read the file and continue it.

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
                for mark in latest(parse(stream, path)):
                    self._keep(mark)

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
            self._drop(mark.hit)
            if right is not None:
                self._keep(mark)
            self.version += 1
        return mark

    def close(self) -> None:
        """Let another service write to the file."""
        if self._file is not None:
            self._file.close()
