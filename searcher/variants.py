"""What a term is looked up as: itself, and word sequences of the index that may stand for it.

    words of a term --splitting.phrase--> sequences of parts and joined words
    unknown words   --expansion--> similar single words, in the term's place for them

Needs only the vocabulary and its counts. Phonetic search is not here: it does not go through
words that are written down (`searcher.phonetic.alignment`).
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Protocol

from searcher.expansion import dice, levenshtein, pronunciation
from searcher.splitting import Splitter, bktree, make_splitter
from searcher.splitting.matches import MAX_LETTERS, Limits
from searcher.splitting.phrase import phrase_variants
from searcher.variant import Variant
from searcher.vocabulary import Vocabulary
from std.config import Config, WordSelection


class Expander(Protocol):
    """Similar words of a vocabulary."""

    def similar(self, queries: Sequence[str], n: int = 50) -> list[list[tuple[str, float]]]:
        """The n most similar other words of each query with their similarity, best first."""


Builder = Callable[[Vocabulary, Config], Expander]

EXPANDERS: Mapping[str, Builder] = {
    "levenshtein": lambda vocabulary, config: levenshtein.build(vocabulary),
    "dice": lambda vocabulary, config: dice.build(vocabulary),
    "pronunciation": pronunciation.build,
}


def variants(
    terms: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    config: Config,
    index_folder: Path | None = None,
    known: Collection[str] = (),
) -> list[list[Variant]]:
    """What to look up for each term; the term itself always comes first.

    Args:
        terms: the normalised words of each term.
        index_folder: where the index lies, if in a folder: its BK-tree is kept there.
        known: words that the vocabulary has in another spelling.
    """
    if not len(vocabulary):
        return [[Variant(tuple(words))] for words in terms]
    split, expand = config.splitting, config.expansion
    limits = Limits(split.max_edits, split.max_ratio, split.min_part_letters)
    if split.method == "bktree" and index_folder:
        tree = bktree.kept_with(index_folder, vocabulary)
        splitter = Splitter(vocabulary, tree, limits, split.ranking)
    else:
        splitter = make_splitter(vocabulary, split.method, limits, split.ranking)
    wanted = dict.fromkeys(
        word for words in terms for word in _wanted(words, vocabulary, known, expand.words)
    )
    similar = expansions(list(wanted), vocabulary, config)
    found = []
    for words in terms:
        exact = Variant(tuple(words))
        others: list[Variant] = []
        if _wanted(words, vocabulary, known, split.words):
            others += phrase_variants(words, splitter, split.nbest)
        others += replaced(words, similar, expand.candidates)
        found.append(list({one.words: one for one in (*reversed(others), exact)}.values())[::-1])
    return found


def expansions(
    words: Sequence[str], vocabulary: Vocabulary, config: Config
) -> dict[str, list[Variant]]:
    """Each word's similar words by all configured methods; the best similarity of a word counts.

    Args:
        words: normalised.
        vocabulary: that similar words are taken from.
        config: the methods, and the least similarity of each.
    """
    expand = config.expansion
    found: dict[str, dict[str, Variant]] = {word: {} for word in words}
    for method in expand.methods if words else ():
        results = EXPANDERS[method](vocabulary, config).similar(words, expand.candidates)
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


def replaced(
    words: Sequence[str], similar: Mapping[str, Sequence[Variant]], n: int
) -> list[Variant]:
    """The term with its expanded words replaced by similar ones, the n most similar first.

    Where several words are expanded, as many of the best of each are combined as give n in all.
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


def _wanted(
    words: Sequence[str], vocabulary: Vocabulary, known: Collection[str], which: WordSelection
) -> list[str]:
    """Those words of a term that are split or expanded; none if one is too long for anything."""
    if which == "none" or any(len(word) > MAX_LETTERS for word in words):
        return []
    return [
        word for word in words if which == "all" or (word not in vocabulary and word not in known)
    ]
