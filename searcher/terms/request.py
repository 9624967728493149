"""What is searched for: the terms of a search, where they may lie, what is looked up for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.index.searched_speech import SpokenBy
from searcher.terms.wildcards import Expansion
from std.config import WordSelection
from std.execution.workers import IN_PROCESS, Executor
from std.values import Bools, Excerpt


@dataclass(frozen=True, slots=True)
class Variant:
    """``words`` are looked up as a phrase; each hit's posterior is weighted by ``similarity``.

    ``method`` says how it was made (exact, split, join, levenshtein, dice, pronunciation, sound);
    ``how`` says to a person what became of the term's words.
    """

    words: tuple[str, ...]
    similarity: float = 1.0
    method: str = "exact"
    how: str = ""


class SpokenWords(NamedTuple):
    """A word sequence that a spoken query may be."""

    words: tuple[str, ...]  # normalised
    weight: float  # probability that the query is this


class Request(NamedTuple):
    """The terms of a search: those that were written, then spoken queries."""

    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    wildcards: Mapping[str, Expansion]  # of the words with *, in all the index
    phonetic_words: WordSelection  # which terms are searched by their phones
    excerpts: Sequence[Excerpt] | None = None  # that are searched; None = everything
    # What the last of the terms were recognised as, the likeliest first.
    spoken: tuple[tuple[SpokenWords, ...], ...] = ()
    workers: Executor = IN_PROCESS  # who searches the segments
    advance: Callable[[float], None] = lambda share: None  # of the phonetic searches, once done

    fold_accents: bool = False  # whether words stand for others with accents
    spoken_by: SpokenBy | None = None  # whose words are searched; None = everybody's

    @property
    def written(self) -> tuple[tuple[str, ...], ...]:
        """The words of the terms that were written."""
        return self.words[: len(self.words) - len(self.spoken)]

    @property
    def is_spoken(self) -> Bools:
        """(terms,) which are spoken queries."""
        return np.arange(len(self.words)) >= len(self.written)

    @property
    def has_wildcard(self) -> Bools:
        """(terms,) which have a wildcard."""
        return np.array([not self.wildcards.keys().isdisjoint(term) for term in self.words], bool)
