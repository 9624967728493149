"""A snapshot of one index: the data that do not depend on terms.

IndexSnapshot    opened stores, their segments and settings; data for searches, prepared once;
recordings, words and vocabulary; the snapshot after later commits
"""

from collections.abc import Sequence
from functools import cached_property
from numbers import Real
from typing import Any, Self

from searcher.calibration.model import Model
from searcher.found_terms import PreparedIndex, prepare
from searcher.index.copies import Copies
from searcher.index.stores import (
    Word,
    adapted,
    index_folder,
    revisions,
    snapshot,
    speech_ms,
    words_of_recording,
)
from searcher.searchable_index import SearchableIndex
from searcher.terms.query import Describe, counts_by_language, describer
from std.config import Config
from std.errors import InputError, require_kind
from std.metadata.table import NO_METADATA, Metadata, of_rows, updated
from std.numbers import counted
from std.recordings import IndexRecording, index_recordings
from std.store import Segment, Store
from std.store.speakers import Speakers
from std.values import Recording


class IndexSnapshot(SearchableIndex):
    """A snapshot of one index: recordings added later are not in it."""

    def __init__(
        self,
        urls: Sequence[str],
        stores: Sequence[Store],
        config: Config,
        model: Model | None,
        metadata: Metadata = NO_METADATA,
    ) -> None:
        """Take a snapshot of open stores.

        Args:
            stores: the stores that together are one index; the index closes them.
            config: a store that keeps punctuation changes its text rules.
            metadata: the metadata of recordings; they override those of the stores.

        Raises:
            InputError: a store is empty, or two hold the same recording.
            StoreError: a store's words are normalised in another way than ``config`` says.
        """
        self._urls, self._stores, self._model = tuple(urls), stores, model
        self._given, self._folder = config, index_folder(urls)
        self._given_metadata = metadata
        self._is_closed = False
        self._revisions: tuple[str, ...] = ()  # of the stores, after the first call of `renewed`
        self.config = adapted(config, stores)
        self.segments: tuple[Segment, ...] = snapshot(stores, self.config)
        self._describers: dict[tuple[bool, bool], Describe] = {}

    def __repr__(self) -> str:
        """Its stores and their amount of data."""
        stores = ", ".join(self._urls)
        if self.is_closed:
            return f"<Index {stores}, closed>"
        recordings = counted(len(speech_ms(self.segments)), "recording")
        return f"<Index {stores}: {recordings}, {self.speech_s / 60:.1f} min of speech>"

    def close(self) -> None:
        """Close the stores."""
        self._is_closed = True
        for store in self._stores:
            store.close()

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""
        return self._is_closed

    def renewed(self) -> Self:
        """The index with later commits; the same object if there are none.

        Both share their stores, so only one of them is closed. Common segments are the same
        objects, so their data are not read again. Without commits it needs at most one request per
        store.

        Raises:
            StdError: as `open_index`; this index stays usable.
        """
        now = revisions(self._stores)  # read first: a later commit is noticed next time
        if now == self._revisions:
            return self
        index = type(self)(self._urls, self._stores, self._given, self._model, self._given_metadata)
        known = {(segment.id, segment.deleted): segment for segment in self.segments}
        index.segments = tuple(
            known.get((segment.id, segment.deleted), segment) for segment in index.segments
        )
        same = index.segments == self.segments and index.metadata == self.metadata
        if same:  # a writer has changed nothing, or this is the first call
            index = self
        index._revisions = now
        return index

    def described_by(self, metadata: Metadata) -> Self:
        """The same index with metadata that override its own (see `open_index`).

        It shares this one's stores and segments, so only one of them is closed.
        """
        index = type(self)(self._urls, self._stores, self._given, self._model, metadata)
        index.segments, index._revisions = self.segments, self._revisions
        return index

    @property
    def model(self) -> Model | None:
        """The model of `std-tune`, if one is used."""
        return self._model

    @property
    def has_model(self) -> bool:
        """Whether a model of `std-tune` is used."""
        return self._model is not None

    @property
    def round_trips(self) -> int:
        """Requests made so far, of all stores."""
        return sum(store.round_trips for store in self._stores)

    @cached_property
    def _prepared(self) -> PreparedIndex:
        """The prepared index."""
        return prepare(self.segments, self.config, self._model, self._folder, self.metadata)

    @cached_property
    def speech_s(self) -> float:
        """The amount of speech, in seconds."""
        return sum(speech_ms(self.segments).values()) / 1000

    @cached_property
    def distinct_speech_s(self) -> float:
        """The amount of speech in seconds, with that of copies counted once."""
        every, copies = speech_ms(self.segments), self.copies
        return sum(ms for recording, ms in every.items() if recording not in copies) / 1000

    @property
    def copies(self) -> Copies:
        """The recordings that hold the same speech as others (`searcher.index.copies`)."""
        return self._prepared.copies

    @property
    def speaker_segments(self) -> Sequence[Segment]:
        """The segments with the names of speakers."""
        return self.segments

    @cached_property
    def speakers(self) -> frozenset[str]:
        """The names of the speakers in the index."""
        return frozenset(n for one in self.segments for n in Speakers.of(one).names) - {""}

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata of the recordings of all shards."""
        metadata = NO_METADATA
        for store in self._stores:
            metadata = updated(metadata, store.metadata())
        return _overridden(metadata, self._given_metadata)

    def query(
        self, term: str, *, all_words: bool = False, all_matches: bool = False
    ) -> dict[str, Any]:
        """Explain a term without searching: see `searcher.terms.description.query`.

        Args:
            all_words: split and expand in-vocabulary words as well.
            all_matches: report every match of every word.

        Raises:
            InputError: the term has no letter and no digit, or the index no words.
            WordTooLongError: a word is too long to split.
        """
        flags = all_words, all_matches
        if flags not in self._describers:
            self._describers[flags] = describer(
                self.vocabulary,
                self.config,
                counts=counts_by_language(self.segments),
                all_words=all_words,
                all_matches=all_matches,
            )
        return self._describers[flags](term)

    def all_recordings(self, *, with_speakers: bool) -> list[IndexRecording]:
        """The indexed recordings, on request with their speakers."""
        return index_recordings(self.segments, self.metadata, with_speakers=with_speakers)

    def words(
        self,
        recording: Recording | IndexRecording | str,
        from_s: float = 0.0,
        to_s: float = float("inf"),
        *,
        alternatives: bool = False,
    ) -> list[Word]:
        """The one-best words of a recording, in time order.

        Slots where no word is likelier than every word are left out.

        Args:
            recording: a recording of `recordings`, or the name of a file for its channel 1.
            from_s, to_s: seconds; words whose slot has its middle outside are left out.
            alternatives: with the competing words of each slot; reads all postings of the
                recording's segment.

        Raises:
            InputError: the recording is not in the index.
            TypeError: it is no recording, or a time is no number.
            ValueError: the index is closed.
        """
        self.require_open()
        if isinstance(recording, IndexRecording):
            wanted = recording.recording
        else:
            wanted = Recording(recording, 1) if isinstance(recording, str) else recording
        require_kind("recording", wanted, Recording, "a recording, or the name of its file")
        for name, time_s in (("from_s", from_s), ("to_s", to_s)):
            require_kind(name, time_s, Real, "seconds")
        words = words_of_recording(self.segments, wanted, from_s, to_s, alternatives=alternatives)
        if words is None:
            name = f"{wanted.file}, channel {wanted.channel}"
            raise InputError(self._stores[0].url, 0, "a recording of the index", name)
        return words


def _overridden(before: Metadata, given: Metadata) -> Metadata:
    """A table with some values replaced by those of another.

    Args:
        given: values that override; a file may be in only one of the tables.
    """
    if not len(given):
        return before
    files = {*before.files, *given.files}
    return of_rows({file: {**before.values(file), **given.values(file)} for file in files})
