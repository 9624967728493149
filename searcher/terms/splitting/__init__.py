"""Splitters: write a word that the recogniser does not know as words that it knows.

    Vocabulary --build--> index --matches--> Matches --ranking--> [Split], best first

Five indexes find the vocabulary words that may stand for segments of a word (`matches` has the
definition), and two rankings order the resulting splits:

    primitive   scan from the end, longest known word first
    rules       Algorithm I: known words and six linking elements, by look-up
    linear      Algorithm II: Levenshtein limits K and R, every word of a fitting length
    bktree      Algorithm III: the same matches from a BK-tree, which can be kept on disk
    trie        the same matches from one descent per start position; the default

`make_splitter` is the entry point; `matches` has the usual changes in compounds, `nbest` avoids
exponential time, and `phrase` splits the unknown words of a phrase and joins known ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from searcher.terms.splitting import bktree, indexes
from searcher.terms.splitting.matches import Matches, MatchLimits, Ranking, Split, best_splits
from searcher.terms.vocabulary import Vocabulary

Method = Literal["primitive", "rules", "linear", "bktree", "trie"]


class VocabularyIndex(Protocol):
    """An index of a vocabulary for the parts of words."""

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find the matches of all segments of a word.

        Raises:
            WordTooLongError: the word has more than `matches.MAX_LETTERS` letters.
        """


METHODS: Mapping[Method, Callable[[Vocabulary], VocabularyIndex]] = {
    "trie": indexes.build_trie,
    "bktree": bktree.build,
    "linear": indexes.build_linear,
    "rules": indexes.build_rules,
    "primitive": indexes.build_primitive,
}


@dataclass(frozen=True, slots=True, eq=False)
class Splitter:
    """An index with limits and a ranking."""

    vocabulary: Vocabulary
    index: VocabularyIndex
    limits: MatchLimits = field(default_factory=MatchLimits)
    ranking: Ranking = "weighted"

    def matches(self, word: str) -> Matches:
        """Find all matches of a (normalised) word; `WordTooLongError` if it is too long."""
        return self.index.matches(word, self.limits)

    def warm_up(self) -> None:
        """Compile the kernels, or read them from the cache, before the first word."""
        known = next((word for word in self.vocabulary.words if 3 <= len(word) <= 30), "ab")
        self.splits(known + known, 1)

    def splits(self, word: str, n: int = 25) -> list[Split]:
        """Find the n best splits of a (normalised) word; `WordTooLongError` if it is too long."""
        return best_splits(word, self.matches(word), self.vocabulary, n, self.ranking)


def make_splitter(
    vocabulary: Vocabulary,
    method: Method = "trie",
    limits: MatchLimits | None = None,
    ranking: Ranking = "weighted",
    saved_bktree: Path | None = None,
) -> Splitter:
    """Build a splitter for a vocabulary.

    Args:
        saved_bktree: folder in which method ``bktree`` keeps its tree; made if it is not there.

    Raises:
        ValueError: the vocabulary is empty.
        InputError: the saved tree is damaged or of other words, or the folder cannot be made.
    """
    if not len(vocabulary):
        raise ValueError("cannot split with an empty vocabulary")
    index = (
        bktree.load_or_build(saved_bktree, vocabulary)
        if saved_bktree and method == "bktree"
        else METHODS[method](vocabulary)
    )
    return Splitter(vocabulary, index, limits or MatchLimits(), ranking)
