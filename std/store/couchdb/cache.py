"""Documents that were read and unpacked, the last ones, so that a reader fetches few twice.

Nothing in here gets old: a document's name says what it holds, for ever.
"""

import threading
from collections.abc import Iterable

from std.store.couchdb.documents import Columns

KEPT_BYTES = 128_000_000  # of the columns of one segment: about 7 million postings


class Kept:
    """The columns of documents by name; beyond ``limit_bytes`` those unused for longest go."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._columns: dict[str, Columns] = {}  # last used last
        self._lock = threading.Lock()

    def of(self, names: Iterable[str]) -> dict[str, Columns]:
        """Those of the documents that are kept."""
        with self._lock:
            found = {name: self._columns.pop(name) for name in names if name in self._columns}
            self._columns |= found
        return found

    def keep(self, name: str, columns: Columns) -> None:
        """Keep a document, at the expense of others."""
        size = _bytes(columns)
        if size > self._limit_bytes:
            return
        with self._lock:
            if name in self._columns:
                return
            self._columns[name] = columns
            self._bytes += size
            while self._bytes > self._limit_bytes:
                oldest = next(iter(self._columns))
                self._bytes -= _bytes(self._columns.pop(oldest))


def _bytes(columns: Columns) -> int:
    return sum(column.nbytes for column in columns.values())
