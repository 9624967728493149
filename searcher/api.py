"""The Python interface of search: open an index, search it, look into it.

    open_index  one store or several shards --> Index
    Index       search        terms as text --> hits, the most probable first
                find_units    a query (`std.query`) --> the recordings or turns where it holds
                search_queries  spoken queries and an ECF --> the same
                find_examples  stretches of audio --> the same
                discover      no terms --> classes of recurring speech
                search_terms  a term list and an ECF --> all results of the list
                find_terms, decide  the same of a long list in parts, for progress
                hits          what a search returned --> hits, in the order of the hit list
                hit_columns   the same as columns, for programs that write many
                remarks       notes for people about a search
                query         explains a term without searching
                recordings    the indexed recordings with metadata, selected by conditions
                words         the recogniser's words of a recording
                renewed       the index with later commits

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

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from searcher.calibration.model import Model
from searcher.calibration.weights import SPOKEN, WRITTEN
from searcher.evidence import model_file
from searcher.evidence.pairing import candidates_of, with_examples
from searcher.found_terms import find_terms
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import open_stores, urls_of
from searcher.index_snapshot import IndexSnapshot
from searcher.open_snapshot import HowToSearch, a_result
from searcher.output.context import contexts, first_speakers
from searcher.output.explain import explained, within_words
from searcher.output.notices import phonetic_warnings, remarks
from searcher.results.candidates import FoundTerms, heard_there, with_slots
from searcher.results.hits import FusedVariant, HitColumns
from searcher.results.search_result import SearchResult, TermCandidates
from searcher.search import decide, judge
from std.config import Config, load_config
from std.errors import ConfigError, require_kind
from std.execution.workers import IN_PROCESS, Executor
from std.metadata.table import NO_METADATA, Metadata
from std.spoken_queries import SpokenQueries
from std.values import ECF, SearchMode, Term, TermList

if TYPE_CHECKING:
    from searcher.discovery.found import By, Discovered
    from searcher.examples.find import ExampleTerm


def open_index(
    *stores: str | PathLike[str],
    config: Config | str | Path | None = None,
    model: Model | str | Path | None = None,
    metadata: Metadata = NO_METADATA,
) -> "Index":
    """Open an index.

    Args:
        stores: a folder, ``memory:`` or ``couchdb://[user@]host[:port]/database``; several are
            the shards of one index.
        config: a configuration or its TOML file; None = the default.
        model: a model of `std-tune` or its JSON file; None = the shipped weights.
        metadata: the metadata of recordings (`std.metadata.read`); they override those of the
            index.

    Raises:
        StdError: a store, the configuration or the model cannot be read, or they do not fit.
    """
    if not stores:
        raise ValueError("open_index: expected at least one store, got none")
    if not isinstance(config, Config):
        config = load_config(Path(config) if config else None)
    learned = model_file.load(Path(model)) if isinstance(model, str | Path) else model
    urls = urls_of(stores)
    return Index(urls, open_stores(urls), config, learned, metadata)


class Index(IndexSnapshot):
    """A snapshot of one index, without recordings added later. A context manager closes it.

    `open_index` makes it. `IndexSnapshot` has the data that do not depend on terms.
    """

    def search_queries(
        self,
        spoken: SpokenQueries,
        ecf: ECF | None = None,
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
        advance: Callable[[float], None] = lambda share: None,
    ) -> SearchResult:
        """Search spoken queries by words and phones, as `search_terms` searches terms.

        Args:
            spoken: the queries that `std-index --queries-to` wrote.
            ecf, where, recordings, workers, advance: see `search_terms`.

        Raises:
            StdError: the configuration turns phonetic search off.
        """
        require_kind("spoken", spoken, SpokenQueries, "spoken queries (std.SpokenQueries)")
        speech = self.searched_speech(ecf, where, recordings)
        found = self._query_candidates(spoken, speech, workers=workers, advance=advance)
        return decide(found, self.config)

    def _query_candidates(
        self, spoken: SpokenQueries, speech: SearchedSpeech, **how: Unpack[HowToSearch]
    ) -> TermCandidates:
        """The candidates of spoken queries."""
        if self.config.phonetic_search.words == "none":
            raise ConfigError(
                "phonetic_search.words: expected unknown or all for spoken queries, got 'none'"
            )
        found = find_terms((), self._prepared, speech, spoken=spoken.queries, **how)
        return judge([found], self._prepared, how.get("mode", "list"))[0]

    def find_examples(
        self,
        terms: "Sequence[ExampleTerm]",
        ecf: ECF | None = None,
        *,
        words: SpokenQueries | TermList | Sequence[Term] | None = None,
        where: str | None = None,
        recordings: Sequence[str] = (),
        mode: SearchMode = "list",
        workers: Executor = IN_PROCESS,
        advance: Callable[[float], None] = lambda share: None,
    ) -> SearchResult:
        """Query by example: find other places that sound like a stretch of audio, in any language.

        Args:
            terms: terms with one or more examples: ``RECORDING@BEGIN-END`` in seconds, or a file of
                `std-recognise --sound-only`.
            words: terms that are searched by their words, too, those of the same id by both; None:
                by sound alone.
            ecf, where, recordings: see `search_terms`.
            mode: see `find_terms`.
            workers: compare the examples with the segments; in this process, threads on all cores.
            advance: called with each share of the work that is done.

        Raises:
            StdError: the index has no sound (`std-recognise --sound`), or an example is invalid.
            ValueError: a term has an id that none of ``words`` has.
        """
        # It loads compiled kernels.
        from searcher.examples.find import find_by_examples, places_by_examples

        speech = self.searched_speech(ecf, where, recordings)
        judged: SearchMode = mode if self.config.calibration.list == "whole" else "adhoc"
        if words is None:
            found = find_by_examples(
                terms, self.segments, speech, mode=judged, workers=workers, advance=advance
            )
            return decide(found, self.config, mode=mode)
        how = HowToSearch(mode=mode, workers=workers, advance=lambda share: advance(share / 2))
        if isinstance(words, SpokenQueries):
            by_words, weights = self._query_candidates(words, speech, **how), SPOKEN
        else:
            written = words.terms if isinstance(words, TermList) else words
            by_words, weights = self.candidates(written, speech, **how), WRITTEN
        by_words = by_words.under_each_name()
        beside = candidates_of([one.term for one in terms], by_words)
        _, by_examples = places_by_examples(
            terms, self.segments, speech, beside, workers=workers, advance=how["advance"]
        )
        return decide(with_examples(by_words, by_examples, weights, judged), self.config, mode=mode)

    def discover(
        self,
        *,
        by: "By" = "sound",
        unexplained: bool = False,
        least_score: int | None = None,
        least_s: float = 0.3,
        most_chance: float | None = None,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
        advance: Callable[[float], None] = lambda share: None,
    ) -> "Discovered":
        """Term discovery: find recurring speech without terms.

        Args:
            by: compare the ``sound``, or the ``phones`` heard in it.
            unexplained: find only speech that the recogniser wrote as different words or not at
                all, with a spelling proposed from the phones heard, if the index has them.
            least_score: the lowest score of two stretches: the number of signs by which their
                frames together are nearer than usual; None: 300, for phones 1000.
            least_s: the shortest length of a stretch, in seconds.
            most_chance: share of the pairs that chance may explain; None: 0.01, for phones 0.25.
            where, recordings: compare some recordings only, see `recordings`.
            workers: the executor of the comparisons, see `std.execution.processes.executor`.
            advance: called with each share of the work that is done.

        Raises:
            StdError: the index has no sound (`std-recognise --sound`).
            ValueError: an argument is out of its range.

        For example::

            for one in index.discover(unexplained=True).classes[:20]:
                print([(part.recording.file, part.start_s, part.written) for part in one.fragments])
        """
        from searcher.discovery.found import discover, options_of  # loads compiled kernels
        from searcher.discovery.spelling import with_spellings

        self.require_open()
        options = options_of(by, least_score, least_s, most_chance, unexplained=unexplained)
        chosen = self.recordings(where=where, recordings=recordings)
        wanted = {one.recording for one in chosen if one.recording not in self.copies}
        found = discover(
            self.segments, options, workers, wanted=wanted.__contains__, advance=advance
        )
        return with_spellings(found, self.segments, self.config) if unexplained else found

    def find_terms(
        self, terms: Sequence[Term], *, mode: SearchMode = "list", workers: Executor = IN_PROCESS
    ) -> FoundTerms:
        """Find some terms of a list in all speech, as a step of a long search: see `decide`.

        Args:
            terms: part of a list.
            mode: ``adhoc`` as in `search`, or ``list`` as in `search_terms`.
            workers: see `search_terms`.
        """
        return find_terms(terms, self._prepared, self.all_speech, mode=mode, workers=workers)

    def decide(self, parts: Sequence[FoundTerms]) -> list[SearchResult]:
        """Decide on a list that was found in parts, as `search_terms` does at once.

        Args:
            parts: all parts of the list; the number of its terms that occur is judged for all
                together.

        For example::

            parts = [index.find_terms(terms[i : i + 100]) for i in range(0, len(terms), 100)]
            results = index.decide(parts)
        """
        require_kind("parts", parts, Sequence, "a list of what index.find_terms returns")
        for part in parts:
            require_kind("parts", part, FoundTerms, "a list of what index.find_terms returns")
        return [decide(found, self.config) for found in judge(parts, self._prepared)]

    def candidates(
        self, terms: Sequence[Term], speech: SearchedSpeech, **how: Unpack[HowToSearch]
    ) -> TermCandidates:
        """See `OpenSnapshot.candidates`."""
        found = find_terms(terms, self._prepared, speech, **how)
        return judge([found], self._prepared, how.get("mode", "list"))[0]

    def decided(self, found: TermCandidates, mode: SearchMode = "adhoc") -> SearchResult:
        """See `OpenSnapshot.decided`."""
        return decide(found, self.config, mode)

    def hit_columns(self, result: SearchResult, *, decided: bool = True) -> HitColumns:
        """See `OpenSnapshot.hit_columns`."""
        result = a_result(result)
        candidates = with_slots(result.candidates, result.recordings, self.segments)
        places = candidates, result.recordings, self.segments, self.copies
        heard = None if self.config.phonetic_search.phones == "words" else heard_there(*places)
        around = contexts(*places)
        if candidates is not result.candidates:
            result = replace(result, candidates=candidates)
        within = within_words(result, around, self.segments, self.related_forms, self.copies)
        variants = (result.variants[i] for i in candidates.variant.tolist())
        found_by = [one.found_by if isinstance(one, FusedVariant) else () for one in variants]
        return explained(
            result, around, decided=decided, metadata=self.metadata, found_by=found_by,
            heard=heard, within=within,
        )  # fmt: skip

    def first_speakers(self, result: SearchResult) -> list[str] | None:
        """(n,) the speaker at the start of each detection; None if the index names no speakers."""
        candidates = with_slots(result.candidates, result.recordings, self.segments)
        return first_speakers(candidates, result.recordings, self.segments, self.copies)

    def remarks(self, result: SearchResult) -> list[str]:
        """Notes about a search: unknown words, wildcards, missing phones."""
        return [*remarks(a_result(result)), *phonetic_warnings(result)]
