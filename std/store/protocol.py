"""What every kind of store offers: `Store`, and the protocol `Segment`.

The indexer writes through `Store`, the searcher reads through `Segment`; neither sees whether the
index is in a folder, in memory or in CouchDB. tests/std/store/test_contract.py holds all kinds to
this contract.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, Self

from std.metadata.table import NO_METADATA, Metadata
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
    """A segment, as the searcher reads it. Deleted recordings have no postings."""

    @property
    def id(self) -> str | None:
        """Digest of its content; None if it is not committed yet."""

    @property
    def recordings(self) -> tuple[IndexedRecording, ...]:
        """The recordings; keys and postings refer to their rows."""

    @property
    def deleted(self) -> frozenset[int]:
        """Rows of `recordings` that are deleted."""

    def without(self, rows: Collection[int]) -> Self:
        """The same segment with some of `recordings` deleted, beside those that are."""

    def words(self) -> list[str]:
        """The vocabulary, ascending; the position of a word is its id."""

    def counts(self) -> Int64s:
        """(V,) number of postings of each word (deleted recordings included)."""

    def postings(self, words: Collection[str]) -> dict[str, Postings]:
        """Postings of the words that occur; one request for all of them."""

    def slots(self, recordings: Collection[int]) -> Slots:
        """Slots of at least these recordings."""

    def slots_between(self, gaps: Gaps) -> Slots:
        """At least the slots from the first to the last row of each gap.

        Args:
            gaps: returns (n,) first and (n,) last rows of the slot columns. Only a store that
                has to fetch slots calls it.
        """

    def extra(self, name: str) -> Column | None:
        """A further column, or None if this segment has no such column."""

    def columns(self) -> SegmentColumns:
        """All columns, to merge them."""


class CommittedSegment(Segment, Protocol):
    """A live segment of a store."""

    @property
    def id(self) -> str:
        """Digest of its content: the same recordings give the same id."""


class Commit(NamedTuple):
    """What changes in one step; `Store.commit` describes the fields."""

    normalisation: Normalisation
    add: Sequence[SegmentColumns] = ()
    replace: Collection[str] = ()
    delete_files: Collection[str] = ()
    metadata: Metadata = NO_METADATA


class Store(ABC):
    """An index. Reading needs no lock; writing requires ``with store.writing():``."""

    url: str  # that the user gave; it never contains a password

    @property
    def round_trips(self) -> int:
        """Requests that this process has sent over a network so far."""
        return 0

    @abstractmethod
    def normalisation(self) -> Normalisation | None:
        """How its words were normalised; None if it is empty."""

    @abstractmethod
    def revision(self) -> str:
        """Another text after each commit; one request at most.

        Raises:
            StoreError: the store cannot be read.
        """

    @abstractmethod
    def segments(self) -> tuple[CommittedSegment, ...]:
        """A consistent snapshot of the live segments, in the order they were committed."""

    @abstractmethod
    def metadata(self) -> Metadata:
        """What is known of the recordings beside their words: title, date, speaker, ...

        As it was when `segments` was called last, or when the store was opened; or newer.
        """

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Hold the right to write, at most until the process ends.

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
        metadata: Metadata = NO_METADATA,
    ) -> None:
        """In one step: drop segments, mark files of the others as deleted, add segments.

        A recording keeps its metadata when it is indexed again; deleting it deletes them.

        Args:
            add: segments that join the index.
            normalisation: of their words; must be the store's own unless it is empty.
            replace: ids of segments that leave the index; ``add`` holds their recordings.
            delete_files: audio files whose recordings are deleted from all segments but the added
                ones.
            metadata: of recordings that are in the index after the commit; the row of each replaces
                the one it had.

        Raises:
            StoreError: another normalisation, or the store cannot be written.
        """
        self._commit(Commit(normalisation, add, replace, delete_files, metadata))

    @abstractmethod
    def _commit(self, commit: Commit) -> None:
        """What `commit` does in this kind of store."""

    def clean_up(self) -> int:
        """Remove replaced segments now, even if a reader still uses them.

        Returns:
            how many were removed.

        Raises:
            StoreBusyError: somebody else is writing.
        """
        with self.writing():
            return 0  # a commit removes what it replaces

    @abstractmethod
    def damage(self) -> Iterator[str]:
        """Verify the whole index; one line for each thing that is not what was committed.

        Raises:
            StoreError: the store cannot be read at all.
        """

    def close(self) -> None:  # noqa: B027  # a store in memory has nothing to close
        """Close connections; remove a folder that was made for an index which never came."""


def vocabulary_counts(segments: Sequence[Segment]) -> Mapping[str, int]:
    """Every word of the index with its number of postings, ascending by word."""
    if len(segments) == 1:
        return dict(zip(segments[0].words(), segments[0].counts().tolist(), strict=True))
    total: dict[str, int] = {}
    for segment in segments:
        for word, count in zip(segment.words(), segment.counts().tolist(), strict=True):
            total[word] = total.get(word, 0) + count
    return dict(sorted(total.items()))
