"""The Python interface of search: open an index, search it, look into it.

    open_index  one store or several shards --> Index
    Index       search        terms as text --> hits, the most probable first
                search_queries  spoken queries and an ECF --> the same
                search_terms  a term list and an ECF --> everything std-search knows of a batch
                find_terms, decide  the same of a long list in parts, for progress
                hits          what a search returned --> hits, in the order of the hit list
                hit_columns   the same as columns, for programs that write many
                remarks       what a person should know about a search
                query         what a term becomes, without searching
                recordings    what is indexed, with metadata; some by conditions
                words         what the recogniser wrote in a recording
                renewed       the index with what was committed since

An example on real speech (the commands do the same: `std-index`, `std-search`):

    >>> import tempfile
    >>> from indexer import index_files
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = f"{folder.name}/index"
    >>> index_files(["examples/german/mesh/KERSTIN_00.mesh"], store).utterances
    20
    >>> from searcher import open_index
    >>> index = open_index(store)
    >>> [(hit.term, hit.file, round(hit.start_s, 1)) for hit in index.search("dem spreewald")]
    [('dem spreewald', 'KERSTIN_00', 4.9)]
    >>> [one.recording.file for one in index.recordings()]
    ['KERSTIN_00']
    >>> [word.word for word in index.words("KERSTIN_00", 4.5, 6.0)]
    ['nahe', 'dem', 'spreewald', 'und']
    >>> index.close()
    >>> folder.cleanup()
"""

from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from searcher.calibration import model as models
from searcher.calibration.model import Model
from searcher.copies import Copies
from searcher.found_terms import FoundTerms, find_terms, judge
from searcher.hit import HitColumns
from searcher.output.context import contexts
from searcher.output.explain import explained
from searcher.output.notices import phonetic_warnings, remarks
from searcher.prepared import PreparedIndex, prepare
from searcher.query import Describe, counts_by_language, describer
from searcher.recording_words import Word, words_of_recording
from searcher.search import decide, find_candidates, search
from searcher.search_result import SearchResult, TermCandidates
from searcher.searchable_index import SearchableIndex
from searcher.snapshot import (
    adapted,
    index_folder,
    open_stores,
    revisions,
    snapshot,
    speech_ms,
)
from searcher.vocabulary import Vocabulary, of_counts
from std.config import Config, load_config
from std.errors import ConfigError, InputError
from std.execution.workers import IN_PROCESS, Executor
from std.metadata.table import NO_METADATA, Metadata, updated
from std.recordings import IndexRecording, chosen, index_recordings
from std.spoken_queries import SpokenQueries
from std.store import Segment, Store, vocabulary_counts
from std.values import ECF, Excerpt, Recording, Term, TermList


def open_index(
    *stores: str | PathLike[str],
    config: Config | str | Path | None = None,
    model: Model | str | Path | None = None,
) -> "Index":
    """Open an index.

    Args:
        stores: a folder, ``memory:`` or ``couchdb://[user@]host[:port]/database``; several are
            the shards of one index.
        config: a configuration or its TOML file; None = the default.
        model: what `std-tune` learned, or its JSON file; None = the shipped weights.

    Raises:
        StdError: a store, the configuration or the model cannot be read, or they do not fit.
    """
    if not stores:
        raise ValueError("open_index: expected at least one store, got none")
    if not isinstance(config, Config):
        config = load_config(Path(config) if config else None)
    learned = models.load(Path(model)) if isinstance(model, str | Path) else model
    urls = [fspath(store) for store in stores]
    return Index(urls, open_stores(urls), config, learned)


class Index(SearchableIndex):
    """A snapshot of one index: recordings added later are not in it. Closes as a context manager.

    Made by `open_index`.
    """

    def __init__(
        self, urls: Sequence[str], stores: Sequence[Store], config: Config, model: Model | None
    ) -> None:
        """Take a snapshot of open stores.

        Args:
            urls: of the stores.
            stores: that together are one index; the index closes them.
            config: a store that keeps punctuation changes its text rules.
            model: what `std-tune` learned.

        Raises:
            InputError: a store is empty, or two hold the same recording.
            StoreError: a store's words are normalised in another way than ``config`` says.
        """
        self._urls, self._stores, self._model = tuple(urls), stores, model
        self._given, self._folder = config, index_folder(urls)
        self._revisions: tuple[str, ...] = ()  # of the stores, once `renewed` was asked
        self.config = adapted(config, stores)
        self.segments: tuple[Segment, ...] = snapshot(stores, self.config)
        self._describers: dict[tuple[bool, bool], Describe] = {}

    def close(self) -> None:
        """Close the stores."""
        for store in self._stores:
            store.close()

    def renewed(self) -> "Index":
        """The index with what was committed since; itself if nothing was.

        It shares this one's stores, so only one of them is closed. Segments that both have are
        the same objects: what was read of them is not read again. One request per store at most
        if nothing was committed.

        Raises:
            StdError: as `open_index`; this index stays usable.
        """
        now = revisions(self._stores)  # before the snapshot: a later commit is noticed next time
        if now == self._revisions:
            return self
        index = Index(self._urls, self._stores, self._given, self._model)
        known = {(segment.id, segment.deleted): segment for segment in self.segments}
        index.segments = tuple(
            known.get((segment.id, segment.deleted), segment) for segment in index.segments
        )
        same = index.segments == self.segments and index.metadata == self.metadata
        if same:  # a writer came and went, or it is asked for the first time
            index = self
        index._revisions = now
        return index

    @property
    def has_model(self) -> bool:
        """Whether it is searched with a model of `std-tune`."""
        return self._model is not None

    @property
    def round_trips(self) -> int:
        """Requests made so far, of all stores."""
        return sum(store.round_trips for store in self._stores)

    @cached_property
    def _prepared(self) -> PreparedIndex:
        """What searches need of it."""
        return prepare(self.segments, self.config, self._model, self._folder)

    @cached_property
    def speech_s(self) -> float:
        """How much speech there is, in seconds."""
        return sum(speech_ms(self.segments).values()) / 1000

    @cached_property
    def distinct_speech_s(self) -> float:
        """How much speech there is, that of copies counted once, in seconds."""
        every, copies = speech_ms(self.segments), self.copies
        return sum(ms for recording, ms in every.items() if recording not in copies) / 1000

    @property
    def copies(self) -> Copies:
        """The recordings that hold the same speech as others (`searcher.copies`)."""
        return self._prepared.copies

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that the recogniser wrote, with their counts."""
        return of_counts(vocabulary_counts(self.segments))

    @cached_property
    def metadata(self) -> Metadata:
        """What is known of the recordings beside their words, of all shards."""
        metadata = NO_METADATA
        for store in self._stores:
            metadata = updated(metadata, store.metadata())
        return metadata

    def find(
        self,
        *terms: str,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """See `SearchableIndex.find`."""
        wanted = self.single_terms(terms)
        speech = self.searched_speech(None, where, recordings)
        return search(
            wanted,
            self._prepared,
            speech_s=speech.seconds,
            excerpts=speech.excerpts,
            workers=workers,
            single_terms=True,
        )

    def search_terms(
        self,
        terms: TermList | Sequence[Term],
        ecf: ECF | None = None,
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search a term list as an evaluation does: every hit has a decision, ``*`` is a letter.

        Args:
            terms: what to search for.
            ecf: the speech that is searched; hits outside are left out. None = all of it.
            where, recordings: search some recordings of it only, see `recordings`.
            workers: who searches the segments, see `std.execution.processes.executor`.
        """
        speech = self.searched_speech(ecf, where, recordings)
        return search(
            terms.terms if isinstance(terms, TermList) else terms,
            self._prepared,
            speech_s=speech.seconds,
            excerpts=speech.excerpts,
            workers=workers,
        )

    def search_queries(
        self,
        spoken: SpokenQueries,
        ecf: ECF | None = None,
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search spoken queries by words and phones, as `search_terms` does terms.

        Args:
            spoken: the queries, as `std-index --queries-to` wrote them.
            ecf, where, recordings, workers: see `search_terms`.

        Raises:
            StdError: the configuration turns phonetic search off.
        """
        if self.config.phonetic_search.words == "none":
            raise ConfigError(
                "phonetic_search.words: expected unknown or all for spoken queries, got 'none'"
            )
        speech = self.searched_speech(ecf, where, recordings)
        return search(
            (),
            self._prepared,
            speech_s=speech.seconds,
            excerpts=speech.excerpts,
            workers=workers,
            spoken=spoken.queries,
        )

    def find_terms(
        self, terms: Sequence[Term], *, workers: Executor = IN_PROCESS, wildcards: bool = False
    ) -> FoundTerms:
        """Find some terms of a list in all speech, as a step of a long search: see `decide`.

        Args:
            terms: part of a list.
            workers: see `search_terms`.
            wildcards: ``*`` stands for any letters of a word, as in `search`.
        """
        return find_terms(terms, self._prepared, workers=workers, wildcards=wildcards)

    def decide(self, parts: Sequence[FoundTerms]) -> list[SearchResult]:
        """Decide on a list that was found in parts, as `search_terms` does at once.

        Args:
            parts: all of the list; how many of its terms occur is judged for all of them together.

        For example::

            parts = [index.find_terms(terms[i : i + 100]) for i in range(0, len(terms), 100)]
            results = index.decide(parts)
        """
        judged = judge(parts, self._prepared, single_terms=False)
        return [decide(found, self.config, self.distinct_speech_s) for found in judged]

    def find_candidates(
        self,
        terms: Sequence[Term],
        excerpts: Sequence[Excerpt] | None,
        *,
        workers: Executor,
        wildcards: bool,
    ) -> TermCandidates:
        """The candidates of terms with their probabilities: see `searcher.search.find_candidates`.

        Args:
            terms: what to search for.
            excerpts: candidates outside them are left out; None = everything counts.
            workers: who searches the segments.
            wildcards: whether a person asks for the terms, one by one: ``*`` stands for any letters
                of a word.
        """
        return find_candidates(
            terms, self._prepared, excerpts=excerpts, workers=workers, single_terms=wildcards
        )

    def hit_columns(self, result: SearchResult, *, decided: bool = True) -> HitColumns:
        """See `SearchableIndex.hit_columns`."""
        around = contexts(result.candidates, result.recordings, self.segments, self.copies)
        return explained(result, around, decided=decided, metadata=self.metadata)

    def remarks(self, result: SearchResult) -> list[str]:
        """What a person should know about a search: unknown words, wildcards, missing phones."""
        return [*remarks(result), *phonetic_warnings(result)]

    def query(
        self, term: str, *, all_words: bool = False, all_matches: bool = False
    ) -> dict[str, Any]:
        """What a term becomes, without searching: see `searcher.query.query`.

        Args:
            term: a word or a phrase.
            all_words: split and expand in-vocabulary words as well.
            all_matches: report every match of every word.

        Raises:
            InputError: the term has no letter and no digit.
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

    def recordings(
        self, *, where: str | None = None, recordings: Sequence[str] = ()
    ) -> list[IndexRecording]:
        """See `SearchableIndex.recordings`."""
        everything = index_recordings(self.segments, self.metadata)
        return chosen(everything, self.metadata, where, recordings)

    def words(
        self,
        recording: Recording | str,
        from_s: float = 0.0,
        to_s: float = float("inf"),
        *,
        alternatives: bool = False,
    ) -> list[Word]:
        """The one-best words of a recording, in time order.

        Slots where no word is likelier than every word are left out.

        Args:
            recording: or the name of its file, then of channel 1.
            from_s: words whose slot has its middle before are left out.
            to_s: likewise after.
            alternatives: with the competing words of each slot; reads all postings of the
                recording's segment.

        Raises:
            InputError: the recording is not in the index.
        """
        wanted = Recording(recording, 1) if isinstance(recording, str) else recording
        words = words_of_recording(self.segments, wanted, from_s, to_s, alternatives=alternatives)
        if words is None:
            name = f"{wanted.file}, channel {wanted.channel}"
            raise InputError(self._stores[0].url, 0, "a recording of the index", name)
        return words
