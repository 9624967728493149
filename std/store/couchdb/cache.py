"""A cache of decoded documents, so that a reader seldom fetches a document twice.

Entries never become stale: the content of a document follows from its name.
"""

import threading
from collections.abc import Iterable

from std.store.couchdb.codec import DocumentColumns

CACHE_BYTES = 128_000_000  # per segment: about 7 million postings


class DocumentCache:
    """The columns of documents by name; the least recently used ones beyond the limit are dropped.

    Args:
        limit_bytes: size of all columns together.
    """

    def __init__(self, limit_bytes: int = CACHE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._columns: dict[str, DocumentColumns] = {}  # last used last
        self._lock = threading.Lock()

    def get(self, names: Iterable[str]) -> dict[str, DocumentColumns]:
        """Those of the documents that are in the cache."""
        with self._lock:
            cached = {name: self._columns.pop(name) for name in names if name in self._columns}
            self._columns |= cached
        return cached

    def put(self, name: str, columns: DocumentColumns) -> None:
        """Add a document; older ones may be dropped."""
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


def _bytes(columns: DocumentColumns) -> int:
    return sum(column.nbytes for column in columns.values())
