"""The variants of a term: the term itself, and word sequences of the index that may stand for it.

VariantGenerator      for one vocabulary and any number of terms
as_terms              the probability that a spoken query is each of the recogniser's alternatives

It needs only the vocabulary and its counts. Phonetic search does not use variants
(`searcher.phonetic.alignment`).

A recogniser's posteriors are those of running speech, in which a frequent word has a high prior. A
query is a term, and people do not search frequent words more often. So the weight of each
alternative is divided by the frequency of its words in the searched speech:

    posterior of speech = likelihood * frequency   -->   posterior of a term ~ likelihood

Without this, a query that is recognised as a short, frequent word has twenty confident false
alarms. The query may also be a rare word that is none of the alternatives; this is more probable if
the recogniser is less sure of the searched speech. So a query that was recognised as a frequent
word is mostly something else. A recogniser's posteriors are too confident: their logs count half,
like the log odds of those in the index. Source: a classifier's posteriors under another prior
(Saerens, Latinne, Decaestecker 2002).
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Protocol

from searcher.terms.expansion import build_dice, build_levenshtein, build_sounds
from searcher.terms.request import SpokenWords, Variant
from searcher.terms.splitting import Splitter, bktree, make_splitter
from searcher.terms.splitting.matches import MAX_LETTERS, MatchLimits
from searcher.terms.splitting.phrase import phrase_variants
from searcher.terms.vocabulary import Vocabulary
from std.config import Config, WordSelection
from std.execution.stop import check_stop

RAREST = 3e-4  # of all postings: least frequency, also used for rarer words
CONFIDENCE = 0.5  # power of the recogniser's posteriors of queries
UNLISTED = 0.15  # share of the doubtful words that no alternative has, in running speech
LEAST_LIKELY = 0.01  # of an alternative that is searched


class Expander(Protocol):
    """Similar words of a vocabulary."""

    def similar(self, queries: Sequence[str], n: int = 50) -> list[list[tuple[str, float]]]:
        """The n most similar other words of each query with their similarity, best first."""


Builder = Callable[[Vocabulary, Config], Expander]

EXPANDERS: Mapping[str, Builder] = {
    "levenshtein": lambda vocabulary, config: build_levenshtein(vocabulary),
    "dice": lambda vocabulary, config: build_dice(vocabulary),
    "pronunciation": build_sounds,
}


@dataclass(frozen=True, eq=False)
class VariantGenerator:
    """Splits and expands words into a vocabulary; its indexes are built at the first use."""

    vocabulary: Vocabulary
    config: Config  # the words to split and expand, and the methods
    index_folder: Path | None = None  # the folder of the index, if it has one, for a stored BK-tree
    splits_with: Splitter | None = None  # an existing one of the same vocabulary

    @cached_property
    def splitter(self) -> Splitter:
        """The splitter; the vocabulary is not empty."""
        if self.splits_with:
            return self.splits_with
        split = self.config.splitting
        limits = MatchLimits(split.max_edits, split.max_ratio, split.min_part_letters)
        if split.method == "bktree" and self.index_folder:
            tree = bktree.kept_with(self.index_folder, self.vocabulary)
            return Splitter(self.vocabulary, tree, limits, split.ranking)
        return make_splitter(self.vocabulary, split.method, limits, split.ranking)

    @cached_property
    def expanders(self) -> Mapping[str, Expander]:
        """The configured expansions."""
        methods = self.config.expansion.methods
        return {name: EXPANDERS[name](self.vocabulary, self.config) for name in methods}

    def variants(
        self, terms: Sequence[Sequence[str]], known: Collection[str] = ()
    ) -> list[list[Variant]]:
        """The variants of each term; the term itself always comes first.

        Args:
            known: words that the vocabulary has in another spelling.
        """
        if not len(self.vocabulary):
            return [[Variant(tuple(words))] for words in terms]
        split, expand = self.config.splitting, self.config.expansion
        expanded = [self._selected(words, known, expand.words) for words in terms]
        similar = self.expansions(list(dict.fromkeys(word for words in expanded for word in words)))
        found = []
        for words in terms:
            check_stop()
            exact = Variant(tuple(words))
            others: list[Variant] = []
            if self._selected(words, known, split.words):
                others += phrase_variants(words, self.splitter, split.nbest)
            others += replaced(words, similar, expand.candidates)
            by_words = {one.words: one for one in (*reversed(others), exact)}
            found.append(list(by_words.values())[::-1])
        return found

    def expansions(self, words: Sequence[str]) -> dict[str, list[Variant]]:
        """Each word's similar words by all configured methods; a word's best similarity counts."""
        expand = self.config.expansion
        found: dict[str, dict[str, Variant]] = {word: {} for word in words}
        for method, expander in self.expanders.items() if words else ():
            results = expander.similar(words, expand.candidates)
            for word, similar in zip(words, results, strict=True):
                for other, value in similar:
                    weight = value**expand.exponent
                    if other not in found[word] or found[word][other].similarity < weight:
                        how = f"{word} → {other}"
                        found[word][other] = Variant((other,), weight, method, how)
        return {
            word: sorted(others.values(), key=lambda one: (-one.similarity, one.words))
            for word, others in found.items()
        }

    def _selected(
        self, words: Sequence[str], known: Collection[str], which: WordSelection
    ) -> list[str]:
        """Words of a term to split or expand; none if a word is too long."""
        if which == "none" or any(len(word) > MAX_LETTERS for word in words):
            return []
        return [
            word
            for word in words
            if which == "all" or (word not in self.vocabulary and word not in known)
        ]


def replaced(
    words: Sequence[str], similar: Mapping[str, Sequence[Variant]], n: int
) -> list[Variant]:
    """The term with its expanded words replaced by similar ones, the n most similar first.

    If several words are expanded, the best of each are combined to n in total.
    """
    expanded = [word for word in words if similar.get(word)]
    if not expanded:
        return []
    each = max(1, math.floor(n ** (1 / len(expanded)) + 1e-9))
    ways = [similar[word][:each] if similar.get(word) else [Variant((word,))] for word in words]
    made = [
        Variant(
            tuple(one.words[0] for one in chosen),
            math.prod(one.similarity for one in chosen),
            next(one.method for one in chosen if one.how),
            ", ".join(one.how for one in chosen if one.how),
        )
        for chosen in product(*ways)
    ]
    return sorted(made, key=lambda one: (-one.similarity, one.words))


def as_terms(
    queries: Sequence[Sequence[SpokenWords]], counts: Mapping[str, int], doubt: float
) -> tuple[tuple[SpokenWords, ...], ...]:
    """The probability that each query is each of its alternatives, the likeliest first.

    Args:
        queries: with the weights that the recogniser gave.
        counts: the number of postings of each word in the searched speech.
        doubt: one minus the mean posterior of the one-best words there.

    Returns:
        alternatives of at least `LEAST_LIKELY`. One minus the sum of their weights is the
        probability that a query is something else.
    """
    total = max(sum(counts.values()), 1)
    return tuple(_as_term(query, counts, total, doubt) for query in queries)


def _as_term(
    alternatives: Sequence[SpokenWords], counts: Mapping[str, int], total: int, doubt: float
) -> tuple[SpokenWords, ...]:
    posterior: dict[tuple[str, ...], float] = {}
    for words, weight in alternatives:
        posterior[words] = posterior.get(words, 0.0) + weight

    def likelihood(words: tuple[str, ...], weight: float) -> float:
        rarest = min((counts.get(word, 0) for word in words), default=0)
        return float(weight**CONFIDENCE) / (rarest / total + RAREST)

    likelihoods = {words: likelihood(words, weight) for words, weight in posterior.items()}
    unlisted = UNLISTED * doubt / RAREST
    least = LEAST_LIKELY * (sum(likelihoods.values()) + unlisted)
    likely = {words: one for words, one in likelihoods.items() if one >= least}
    every = sum(likely.values()) + unlisted
    weighted = [SpokenWords(words, one / every) for words, one in likely.items()]
    return tuple(sorted(weighted, key=lambda one: -one.weight))
