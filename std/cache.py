"""A cache that is bounded in bytes; the least recently used entries are dropped first."""

import threading
from collections.abc import Hashable
from typing import Any


class Cache:
    """Values by key, each with a size given by the caller.

    >>> cache = Cache(100)
    >>> cache.put("a", 1, 60), cache.put("b", 2, 60)
    (None, None)
    >>> cache.get("a"), cache.get("b"), cache.bytes
    (None, 2, 60)
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.bytes = self.hits = self.misses = 0
        self._entries: dict[Hashable, tuple[Any, int]] = {}  # last used last
        self._lock = threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def get(self, key: Hashable) -> Any:
        """The value of a key; None if the cache does not have it."""
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is None:
                self.misses += 1
                return None
            self.hits += 1
            self._entries[key] = entry
            return entry[0]

    def put(self, key: Hashable, value: Any, size_bytes: int) -> None:
        """Store a value, unless it is larger than the cache."""
        if size_bytes > self.limit_bytes:
            return
        with self._lock:
            before = self._entries.pop(key, None)
            self.bytes += size_bytes - (before[1] if before else 0)
            self._entries[key] = value, size_bytes
            while self.bytes > self.limit_bytes:
                oldest = next(iter(self._entries))
                self.bytes -= self._entries.pop(oldest)[1]

    def clear(self) -> None:
        """Drop all entries, because the index has changed."""
        with self._lock:
            self._entries.clear()
            self.bytes = 0
