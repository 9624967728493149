"""A snapshot of an index or of several fused ones, for lists and typed terms.

OpenSnapshot    recordings, speech, candidates of terms, hits; `searcher.searchable_index` asks it
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self, TypedDict, Unpack
from warnings import warn

from searcher.index.copies import Copies
from searcher.index.searched_speech import SearchedSpeech, of_excerpts, restricted
from searcher.results.hits import Hit, HitColumns, Hits
from searcher.results.search_result import SearchResult, TermCandidates
from std.config import Config
from std.errors import ClosedIndexError, require_kind
from std.execution.workers import IN_PROCESS, Executor
from std.metadata.table import Metadata
from std.recordings import IndexRecording, Recordings, about_speakers, chosen, mentions_speakers
from std.store import Segment
from std.values import ECF, SearchMode, Term, TermList

HITS_AT_ONCE = 1000  # hits that `each_hit` makes at a time


class HowToSearch(TypedDict, total=False):
    """Settings of `searcher.found_terms.find_terms`."""

    mode: SearchMode
    by_phones: bool
    workers: Executor
    advance: Callable[[float], None]


class OpenSnapshot(ABC):
    """A snapshot of stores; a context manager that closes them."""

    config: Config
    segments: tuple[Segment, ...]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close the stores."""

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""
        return False

    def require_open(self) -> None:
        """Refuse a closed index.

        Raises:
            ClosedIndexError: the index is closed; a ValueError.
        """
        if self.is_closed:
            raise ClosedIndexError("the index is closed: open it again with open_index")

    @property
    @abstractmethod
    def speech_s(self) -> float:
        """The amount of speech, in seconds."""

    @property
    @abstractmethod
    def distinct_speech_s(self) -> float:
        """The amount of speech in seconds, with that of copies counted once."""

    @property
    @abstractmethod
    def copies(self) -> Copies:
        """The recordings that hold the same speech as others (`searcher.index.copies`)."""

    def recordings(self, *, where: str | None = None, recordings: Sequence[str] = ()) -> Recordings:
        """The indexed recordings, ascending, with their metadata and how much speech each has.

        Args:
            where: conditions, as ``date >= 2024-01 and speaker = "Ada"`` (`std.query`);
                None = all recordings. A speaker is one whom the recogniser or the metadata name;
                searches find what these speakers said.
            recordings: patterns of names, with ``*``; with a slash, of paths of inputs and audio.

        Raises:
            StdError: ``where`` is not a condition, a column is unknown, or a pattern fits nothing.
        """
        self.require_open()
        everything = self.all_recordings(with_speakers=mentions_speakers(where))
        return chosen(everything, self.metadata, where, recordings)

    @abstractmethod
    def candidates(
        self, terms: Sequence[Term], speech: SearchedSpeech, **how: Unpack[HowToSearch]
    ) -> TermCandidates:
        """The candidates of terms with their probabilities, not yet decided.

        Args:
            terms, speech, how: see `searcher.found_terms.find_terms`.
        """

    def find_candidates(
        self, terms: Sequence[Term], speech: SearchedSpeech, **how: Unpack[HowToSearch]
    ) -> TermCandidates:
        """`candidates` under its old name, which goes in version 3.0.

        Args:
            terms, speech, how: see `candidates`.
        """
        message = "Index.find_candidates is now Index.candidates"
        warn(message, DeprecationWarning, stacklevel=2)
        return self.candidates(terms, speech, **how)

    @abstractmethod
    def decided(self, found: TermCandidates, mode: SearchMode = "adhoc") -> SearchResult:
        """Candidates, decided as in a search of this ``mode``."""

    def search_terms(
        self,
        terms: TermList | Sequence[Term],
        ecf: ECF | None = None,
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
        advance: Callable[[float], None] = lambda share: None,
    ) -> SearchResult:
        """Search a term list as an evaluation does: every hit has a decision, ``*`` is a letter.

        Args:
            terms: the terms.
            ecf: the searched speech; hits outside are left out. None = all speech.
            where, recordings: search only some recordings, see `recordings`.
            workers: the executor, see `std.execution.processes.executor`.
            advance: called with each finished share of the work, for a progress bar; the shares add
                up to 1 at most.

        Raises:
            ValueError: two terms have one id, by which hit lists name them.
        """
        wanted = terms.terms if isinstance(terms, TermList) else terms
        speech = self.searched_speech(ecf, where, recordings)
        found = self.candidates(wanted, speech, mode="list", workers=workers, advance=advance)
        return self.decided(found, "list")

    @property
    @abstractmethod
    def metadata(self) -> Metadata:
        """The metadata of the recordings."""

    @abstractmethod
    def all_recordings(self, *, with_speakers: bool) -> list[IndexRecording]:
        """The indexed recordings, on request with their speakers."""

    @abstractmethod
    def hit_columns(self, result: SearchResult, *, decided: bool = True) -> HitColumns:
        """As `hits`, as columns."""

    def hits(self, result: SearchResult, *, decided: bool = True) -> Hits:
        """The hits of a search of this index, by term, recording and time.

        Args:
            result: the result of `find` or `search_terms`.
            decided: whether the hits show the decision.

        Raises:
            TypeError: the result is something else, such as a term.
        """
        return Hits(self.hit_columns(result, decided=decided))

    def each_hit(self, result: SearchResult, *, decided: bool = True) -> Iterator[Hit]:
        """Yield the hits of `hits` in their order; a large answer is converted in parts.

        Args:
            result, decided: see `hits`.
        """
        for first in range(0, len(a_result(result).probability), HITS_AT_ONCE):
            some = result.rows(slice(first, first + HITS_AT_ONCE))
            yield from self.hit_columns(some, decided=decided)

    @property
    def all_speech(self) -> SearchedSpeech:
        """All speech, that of copies counted once."""
        return SearchedSpeech(None, self.distinct_speech_s)

    def searched_speech(
        self, ecf: ECF | None, where: str | None, recordings: Sequence[str]
    ) -> SearchedSpeech:
        """The searched speech: the selected recordings in an ECF.

        Args:
            ecf: None = everything.
            where, recordings: see `recordings`.

        Raises:
            ClosedIndexError: the index is closed.
        """
        self.require_open()
        if ecf is not None:
            require_kind("ecf", ecf, ECF, "an ECF (std.nist.ecf.parse)")
        excerpts = ecf.excerpts if ecf is not None else None
        if where is not None or recordings:
            wanted = self.recordings(where=where, recordings=recordings)
            return restricted(excerpts, wanted, self.copies, about_speakers(where))
        if excerpts is None:
            return self.all_speech
        return of_excerpts(excerpts, self.copies)


def a_result(result: SearchResult) -> SearchResult:
    """A result, if it is one.

    Raises:
        TypeError: it is something else, such as a term.
    """
    example = "index.hits(index.find('haus'))"
    return require_kind("result", result, SearchResult, f"the result of a search, {example}")
