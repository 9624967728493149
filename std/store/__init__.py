"""Stores: where an index lives between the indexer and the searcher.

A store holds immutable segments and one manifest that lists the segments of the index. A commit
replaces the manifest in one step, so a reader sees the index before the commit or after it, never
in between. There are three kinds of store:

    FOLDER                 memory-mapped columns in a folder (the default)
    memory:[NAME]          this process only
    couchdb://HOST/DB      Apache CouchDB (couchdbs:// with TLS; http:// and https:// work, too)

The modules, from the top down:

    folder       the store in a folder
    couchdb/     the store in a CouchDB database
    column_files a segment in a folder: its files, mapped, written, removed
    resident     a `Segment` whose columns are in memory or memory-mapped; the store of this process
    reconcile    combine two versions of an index, as replication leaves them behind
    versions     the versions of the audio files in an index, and of deleted ones
    manifest     the segments of the index, and what a commit changes
    protocol     `Store` and `Segment`: what every kind of store offers, and how it is verified
    columns      the columns of a segment
    speakers     the speaker of each slot
    heard        phones heard in the sound of recordings
    address      the kind of store that a URL means, and what is there if it has no index

`indexer.segments.invert` makes the columns of recordings, `indexer.segments.merge` merges segments,
and `searcher` reads postings.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from std.errors import StoreError
from std.store.address import kind_of
from std.store.protocol import CommittedSegment, Gaps, Segment, Store, vocabulary_counts

__all__ = [
    "CommittedSegment",
    "Gaps",
    "Segment",
    "Store",
    "absolute_url",
    "open_store",
    "require_different",
    "vocabulary_counts",
]


def open_store(url: str, *, create: bool = False) -> Store:
    """Open a store by its URL; with ``create``, make it if there is none.

    Raises:
        StoreError: there is no such store, it is damaged, or its kind is unknown.
    """
    kind = kind_of(url)
    if kind == "memory":
        from std.store.resident import open_memory

        return open_memory(url)
    if kind == "couchdb":
        from std.store.couchdb.store import open_couchdb

        return open_couchdb(url, create=create)
    from std.store.folder import open_folder

    return open_folder(url, create=create)


def require_different(urls: Sequence[str]) -> None:
    """Refuse two URLs of one index, which cannot be two shards.

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
    """A text that is equal for two URLs of one index, as far as one can tell without opening it."""
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
