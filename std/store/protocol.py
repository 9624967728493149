"""The interface of every kind of store: `Store`, and the protocol `Segment`; checks of an index.

The indexer writes through `Store`, the searcher reads through `Segment`; neither depends on whether
the index is in a folder, in memory or in CouchDB. tests/std/store/contract tests all kinds of
store.

`Store.damage` first verifies the files or documents of its own kind of store. If they are intact,
it verifies the columns with `faults`: their digest, and every property that readers rely on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import NamedTuple, Protocol, Self

import numpy as np

from std.errors import StoreError
from std.metadata.table import NO_METADATA, Metadata
from std.store.columns import (
    KEY_SHIFT,
    MAX_TIME_MS,
    MAX_WORD_MS,
    IndexedRecording,
    Postings,
    SegmentColumns,
    Slots,
    first_slots,
    unpack_vocabulary,
)
from std.store.heard import HeardSlots
from std.store.manifest import SegmentEntry
from std.text import Normalisation
from std.values import Column, Int64s

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
        """The same segment with some more of `recordings` deleted."""

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

    def extra_rows(self, name: str, rows: Int64s) -> Column | None:
        """Some rows of a further column, or None; a remote store fetches few rows beside them.

        Raises:
            StoreError: there are no such rows.
        """

    def columns(self) -> SegmentColumns:
        """All columns, to merge them."""


class CommittedSegment(Segment, Protocol):
    """A segment that the manifest of a store names."""

    @property
    def id(self) -> str:
        """Digest of its content: the same recordings give the same id."""


class Commit(NamedTuple):
    """The changes of one commit; `Store.commit` describes the fields."""

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
        """A consistent snapshot of the index: its segments, in the order they were committed."""

    @abstractmethod
    def metadata(self) -> Metadata:
        """The metadata of the recordings: title, date, speaker, ...

        They are at least as new as the last call of `segments`, or the opening of the store.
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
            normalisation: the normalisation of their words; must be the store's own unless it is
                empty.
            replace: ids of segments that leave the index; ``add`` holds their recordings.
            delete_files: audio files whose recordings are deleted from all segments but the added
                ones.
            metadata: the metadata of recordings that are in the index after the commit; the row of
                each replaces the one it had.

        Raises:
            StoreError: another normalisation, or the store cannot be written.
        """
        self._commit(Commit(normalisation, add, replace, delete_files, metadata))

    @abstractmethod
    def _commit(self, commit: Commit) -> None:
        """Commit in this kind of store."""

    def clean_up(self) -> int:
        """Remove replaced segments now, even if a reader still uses them.

        Returns:
            the number of removed segments.

        Raises:
            StoreBusyError: somebody else is writing.
        """
        with self.writing():
            return 0  # a commit removes what it replaces

    @abstractmethod
    def damage(self) -> Iterator[str]:
        """Verify the whole index; one line for each difference from the committed data.

        Raises:
            StoreError: the store cannot be read at all.
        """

    def close(self) -> None:  # noqa: B027  # a store in memory has nothing to close
        """Close connections; remove the folder of a new index without a commit."""


def vocabulary_counts(segments: Sequence[Segment]) -> Mapping[str, int]:
    """Every word of the index with its number of postings, ascending by word."""
    if len(segments) == 1:
        return dict(zip(segments[0].words(), segments[0].counts().tolist(), strict=True))
    total: dict[str, int] = {}
    for segment in segments:
        for word, count in zip(segment.words(), segment.counts().tolist(), strict=True):
            total[word] = total.get(word, 0) + count
    return dict(sorted(total.items()))


def verified_columns(segment: Segment) -> SegmentColumns:
    """All columns of a segment, verified before they are rewritten with new checksums.

    A segment that is not committed yet has no digest to compare with.

    Raises:
        StoreError: they are not what was committed.
    """
    columns = segment.columns()
    if segment.id is None:
        return columns
    place = f"segment {segment.id}"
    fault = next(_inconsistencies(place, columns), None)
    if fault is None and columns.digest()[: len(segment.id)] != segment.id:
        fault = f"{place}: expected the speech that was committed, got another digest"
    if fault is not None:
        raise StoreError(f"{fault} (std-store verify INDEX names all damage)")
    return columns


def faults(entry: SegmentEntry, columns: SegmentColumns) -> Iterator[str]:
    """What is wrong with the columns of a segment, one line each; nothing if it is valid."""
    place = f"segment {entry.id}"
    sizes = {
        "postings": (entry.postings, len(columns.posting_start_ms)),
        "slots": (entry.slots, len(columns.slot_key)),
        "words": (entry.words, len(columns.posting_offsets) - 1),
    }
    for what, (expected, got) in sizes.items():
        if expected != got:
            yield f"{place}: expected {expected} {what}, got {got}"
    try:
        words = unpack_vocabulary(columns.vocabulary, place)
    except StoreError as error:
        yield str(error)
        words = []
    if len(words) != len(columns.posting_offsets) - 1:
        yield f"{place}: expected {len(columns.posting_offsets) - 1} words, got {len(words)}"
    if any(a >= b for a, b in pairwise(words)):
        yield f"{place}: expected words in ascending order"
    yield from _inconsistencies(place, columns)
    if columns.digest()[:32] != entry.id:
        yield f"{place}: expected the speech that was committed, got another digest"


def _inconsistencies(place: str, columns: SegmentColumns) -> Iterator[str]:
    """Keys that do not ascend, and rows that do not exist."""
    slot, word = columns.posting_slot, columns.slot_word
    if len(slot) and not 0 <= int(slot.min()) <= int(slot.max()) < len(columns.slot_key):
        yield f"{place}: a posting names a slot that does not exist"
    else:
        key = columns.posting_keys(slice(None))
        falls = np.flatnonzero(key[1:] < key[:-1]) + 1
        if not np.isin(falls, columns.posting_offsets[1:-1]).all():
            yield f"{place}: expected the postings of each word in order of time"
    if int(columns.posting_start_ms.max(initial=0)) > MAX_TIME_MS - MAX_WORD_MS:
        yield f"{place}: a posting ends after 2**32 ms"
    posterior = columns.posting_posterior
    if len(posterior) and not 0 <= float(posterior.min()) <= float(posterior.max()) <= 1:
        yield f"{place}: a posterior is not between 0 and 1"
    try:
        heard = HeardSlots.read(columns.extra)
        if heard and len(heard.layer) != len(columns.recordings):
            yield f"{place}: expected phones of each recording, got those of {len(heard.layer)}"
    except (KeyError, TypeError, ValueError) as error:
        yield f"{place}: expected phones heard, got {error}"
    if (columns.slot_key[1:] < columns.slot_key[:-1]).any():
        yield f"{place}: expected slots in order of time"
    if len(columns.slot_key) and int(columns.slot_key.max() >> KEY_SHIFT) >= len(
        columns.recordings
    ):
        yield f"{place}: a slot names a recording that does not exist"
    elif (first_slots(columns.slot_key, len(columns.recordings)) != columns.slot_offsets).any():
        yield f"{place}: expected the slots of each recording together"
    if (
        len(word)
        and not -1 <= int(word.min()) <= int(word.max()) < len(columns.posting_offsets) - 1
    ):
        yield f"{place}: a slot names a word that does not exist"
