"""Open a store by its URL, whichever kind it is; compare and complete such URLs."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from std.errors import StoreError
from std.store.address import kind_of
from std.store.protocol import Store


def open_store(url: str, *, create: bool = False) -> Store:
    """Open a store by its URL; with ``create``, make it if there is none.

    Raises:
        StoreError: there is no such store, it is damaged, or its kind is unknown.
    """
    kind = kind_of(url)
    if kind == "memory":
        from std.store.memory import open_memory

        return open_memory(url)
    if kind == "couchdb":
        from std.store.couchdb.store import open_couchdb

        return open_couchdb(url, create=create)
    from std.store.folder import open_folder

    return open_folder(url, create=create)


def require_different(urls: Sequence[str]) -> None:
    """Refuse to take one index for two shards.

    Raises:
        StoreError: two of the URLs are the same folder, database or memory.
    """
    urls_of: dict[str, str] = {}
    for url in urls:
        identity = _identity(url)
        if identity in urls_of:
            before = "" if urls_of[identity] == url else f" ({urls_of[identity]} is the same)"
            raise StoreError(f"--store {url}: expected each index once, got it twice{before}")
        urls_of[identity] = url


def _identity(url: str) -> str:
    """Equal for two URLs of one index, as far as one can tell without opening it."""
    kind = kind_of(url)
    if kind == "memory":
        return url
    if kind == "couchdb":
        from std.store.couchdb.connection import parse_address

        with suppress(StoreError):  # opening the store will report it
            return parse_address(url)[0].lower()
        return url
    return os.path.realpath(url)


def absolute_url(url: str) -> str:
    """The URL, valid in any working directory."""
    return str(Path(url).absolute()) if kind_of(url) == "folder" else url
