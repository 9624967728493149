"""Stores: where an index lives between the indexer and the searcher.

A store holds immutable segments (`std.store.columns`) and one manifest that says which of them
count. A commit replaces the manifest in one step: readers see the index before it or after it,
never between. Three kinds, one `Store` protocol, one contract test suite:

    FOLDER                 embedded: memory-mapped columns in a folder (the default)
    memory:[NAME]          this process only
    couchdb://HOST/DB      Apache CouchDB (couchdbs:// for TLS; http:// and https:// mean it, too)

What is *not* here: how speech becomes columns (`indexer.segments.invert`), when segments are merged
(`indexer.segments.merge`), what postings mean (`searcher`).
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Protocol

from std.errors import StoreError
from std.store.address import kind_of
from std.store.columns import (
    Column,
    IndexedRecording,
    Int64s,
    Postings,
    SegmentColumns,
    Slots,
)
from std.text import Normalisation

Gaps = Callable[[], tuple[Int64s, Int64s]]


class Segment(Protocol):
    """One live segment, as the searcher reads it. Deleted recordings have no postings."""

    @property
    def id(self) -> str:
        """Digest of its content: the same speech gives the same id."""

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        """The table that keys point into."""

    @property
    def deleted(self) -> frozenset[int]:
        """Rows of `recordings` that no longer count."""

    def words(self) -> list[str]:
        """The vocabulary, ascending; the position of a word is its id."""

    def counts(self) -> Int64s:
        """(V,) number of postings of each word (deleted recordings included)."""

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        """Postings of those of the words that occur; one round trip for all of them."""

    def slots(self, recordings: Collection[int]) -> Slots:
        """Slots of at least these recordings."""

    def slots_between(self, gaps: Gaps) -> Slots:
        """At least the slots from the first to the last row of each gap.

        Args:
            gaps: says (n,) first and (n,) last rows of the slot columns; asked only by a store
                that has to fetch them.
        """

    def extra(self, name: str) -> Column | None:
        """A further column, or None if this segment has no such column."""

    def columns(self) -> SegmentColumns:
        """Everything, to merge it."""


class Store(Protocol):
    """An index. Reading needs no lock; all writing happens inside ``with store.writing():``."""

    @property
    def url(self) -> str:
        """What the user called it, without any password."""

    @property
    def round_trips(self) -> int:
        """Requests that this process has sent over a network so far."""

    def normalisation(self) -> Normalisation | None:
        """How its words were normalised; None while it is empty."""

    def segments(self) -> tuple[Segment, ...]:
        """A consistent snapshot of the live segments, in the order they were committed."""

    def writing(self) -> AbstractContextManager[None]:
        """Hold the right to write; it ends with the process at the latest.

        Raises:
            StoreBusyError: somebody else holds it.
        """

    def commit(
        self,
        add: Sequence[SegmentColumns] = (),
        *,
        normalisation: Normalisation,
        replace: Collection[str] = (),
        delete_files: Collection[str] = (),
    ) -> None:
        """In one step: drop segments, mark files of the others as deleted, add segments.

        Args:
            add: segments that join the index.
            normalisation: of their words; must be the store's own unless it is empty.
            replace: ids of segments that leave it (``add`` holds what they held).
            delete_files: audio files whose recordings leave all segments but the added ones.

        Raises:
            StoreError: another normalisation, or the store cannot be written.
        """

    def clean_up(self) -> int:
        """Remove replaced segments at once, though somebody may still be reading them.

        Returns:
            how many were removed.

        Raises:
            StoreBusyError: somebody else is writing.
        """

    def damage(self) -> Iterator[str]:
        """Read everything; name, one line each, what is not as it was committed.

        Raises:
            StoreError: the store cannot be read at all.
        """

    def close(self) -> None:
        """Let go of files and connections."""


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
        from std.store.couchdb.store import open_couch

        return open_couch(url, create=create)
    from std.store.folder import open_folder

    return open_folder(url, create=create)


def require_different(urls: Sequence[str]) -> None:
    """Refuse to take one index for two shards.

    Raises:
        StoreError: two of the URLs are the same folder, database or memory.
    """
    seen: dict[str, str] = {}
    for url in urls:
        place = _place(url)
        if place in seen:
            before = "" if seen[place] == url else f" ({seen[place]} is the same)"
            raise StoreError(f"--store {url}: expected each index once, got it twice{before}")
        seen[place] = url


def _place(url: str) -> str:
    """What is equal for two URLs of one index, as far as it can be told without opening it."""
    kind = kind_of(url)
    if kind == "memory":
        return url
    if kind == "couchdb":
        from std.store.couchdb.address import address

        with suppress(StoreError):  # which opening it says
            return address(url)[0].lower()
        return url
    return os.path.realpath(url)


def from_anywhere(url: str) -> str:
    """The URL as a process in another folder has to write it."""
    return str(Path(url).absolute()) if kind_of(url) == "folder" else url


def vocabulary_counts(segments: Sequence[Segment]) -> Mapping[str, int]:
    """Every word of the index with its number of postings, ascending by word."""
    if len(segments) == 1:
        return dict(zip(segments[0].words(), segments[0].counts().tolist(), strict=True))
    total: dict[str, int] = {}
    for segment in segments:
        for word, count in zip(segment.words(), segment.counts().tolist(), strict=True):
            total[word] = total.get(word, 0) + count
    return dict(sorted(total.items()))
