"""The request of a search: its terms, its speech, and the variants to look up."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.index.searched_speech import SpokenBy
from searcher.terms.wildcards import Expansion
from std.config import WordSelection
from std.errors import quoted, require_kind
from std.execution.workers import IN_PROCESS, Executor
from std.values import Bools, Excerpt, Term


@dataclass(frozen=True, slots=True)
class Variant:
    """``words`` are looked up as a phrase; each hit's posterior is weighted by ``similarity``.

    ``method`` says how it was made (exact, split, join, levenshtein, dice, pronunciation, sound);
    ``how`` describes the changes of the term's words for a person.
    """

    words: tuple[str, ...]
    similarity: float = 1.0
    method: str = "exact"
    how: str = ""


class SpokenWords(NamedTuple):
    """A possible word sequence of a spoken query."""

    words: tuple[str, ...]  # normalised
    weight: float  # its probability


class Request(NamedTuple):
    """The terms of a search: written terms, alternatives of spoken queries, then the queries."""

    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    wildcards: Mapping[str, Expansion]  # of the words with *, in all the index
    phonetic_words: WordSelection  # which terms are searched phonetically
    excerpts: Sequence[Excerpt] | None = None  # searched excerpts; None = everything
    # The alternatives of the spoken queries, which are the last terms; the likeliest first.
    spoken: tuple[tuple[SpokenWords, ...], ...] = ()
    workers: Executor = IN_PROCESS  # the executor of the segments
    advance: Callable[[float], None] = lambda share: None  # of the phonetic searches, once done

    is_typed: bool = False  # by a person, who means l'homme by homme; not the terms of a list
    fold_accents: bool = False  # whether words without accents stand for accented ones
    spoken_by: SpokenBy | None = None  # searched speakers; None = all
    alternatives: tuple[tuple[str, ...], ...] = ()  # of spoken queries: the terms before these

    @property
    def written(self) -> tuple[tuple[str, ...], ...]:
        """The words of the written terms, alternatives of spoken queries among them."""
        return self.words[: len(self.words) - len(self.spoken)]

    @property
    def is_spoken(self) -> Bools:
        """(terms,) which are spoken queries."""
        return np.arange(len(self.words)) >= len(self.written)

    @property
    def of_queries(self) -> Bools:
        """(terms,) which are spoken queries, or alternatives of them."""
        return np.arange(len(self.words)) >= len(self.written) - len(self.alternatives)

    def with_alternatives(self, spoken: Sequence[Sequence[SpokenWords]]) -> "Request":
        """The request with the alternatives of its spoken queries as terms.

        Args:
            spoken: of each query, with its probabilities.
        """
        others = tuple(dict.fromkeys(one.words for query in spoken for one in query))
        words = *self.written, *others, *self.words[len(self.written) :]
        return self._replace(words=words, spoken=tuple(map(tuple, spoken)), alternatives=others)

    @property
    def has_wildcard(self) -> Bools:
        """(terms,) which have a wildcard."""
        return np.array([not self.wildcards.keys().isdisjoint(term) for term in self.words], bool)


def require_terms(terms: Sequence[Term]) -> Sequence[Term]:
    """The terms, after checking their types and ids.

    Raises:
        TypeError: an item is not a term.
        ValueError: two terms have the same id.
    """
    example = "std.Term('T1', 'haus')"
    for term in require_kind("terms", terms, Iterable, f"a list of terms, [{example}]"):
        if not isinstance(term, Term):
            raise TypeError(f"expected terms as {example}, got {quoted(term)}")
    (name, n), *_ = Counter(term.term_id for term in terms).most_common(1) or [("", 0)]
    if n > 1:
        raise ValueError(f"expected every term id once, got {quoted(name)}")
    return terms
