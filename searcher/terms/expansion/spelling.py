"""Words spelt like an unknown word, in two ways; equal similarities go by word.

LevenshteinIndex   Levenshtein similarity, eq. 2.3 of the thesis: bit-parallel distances (Myers
                   1999) to the words of a vocabulary, from the most similar length outwards; the
                   scan ends where no word of the remaining lengths can enter the list
DiceIndex          Dice coefficient, eq. 2.4: ``2 |A and B| / (|A| + |B|)`` over the sets of
                   neighbouring letter pairs; a pair counts once however often it stands. A word of
                   one letter has no pairs and is similar to nothing. An inverted index from pairs
                   to words makes a query one pass over the lists of its pairs
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from searcher.terms.vocabulary import (
    Alphabet,
    FlatWords,
    Int64s,
    Vocabulary,
    lay_out,
    letters,
    select,
)
from std.values import Int32s

Similar = list[tuple[str, float]]  # word of the vocabulary, similarity; best first
UInt64s = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class LevenshteinIndex:
    """A vocabulary ordered by length."""

    vocabulary: Vocabulary
    alphabet: Alphabet
    words: FlatWords  # ascending by length, then by word
    bucket: Int64s  # (longest + 2,) words of k letters are rows bucket[k]:bucket[k + 1]

    def similar(self, queries: Sequence[str], n: int = 50) -> list[Similar]:
        """Find the n most similar other words of each query; none with similarity 0.

        Equal similarities go by word. A query's own word is left out.
        """
        from searcher.terms.expansion.kernels import most_similar_spelling

        found = []
        for query in queries:
            ids, similarities = most_similar_spelling(
                self.alphabet.encode(query),
                len(self.alphabet),
                *self.words,
                self.bucket,
                max(n, 0),
            )
            words = map(self.vocabulary.words.__getitem__, ids.tolist())
            found.append(list(zip(words, similarities.tolist(), strict=True)))
        return found


def build_levenshtein(vocabulary: Vocabulary) -> LevenshteinIndex:
    """Order a vocabulary by length.

    Raises:
        ValueError: the vocabulary is empty.
    """
    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable").astype(np.int32)
    bucket = np.concatenate([[0], np.cumsum(np.bincount(lengths))]).astype(np.int64)
    return LevenshteinIndex(vocabulary, alphabet, select(letters, offsets, order), bucket)


@dataclass(frozen=True, slots=True, eq=False)
class DiceIndex:
    """The words of a vocabulary by letter pair."""

    vocabulary: Vocabulary
    pairs: UInt64s  # (P,) ascending: code point << 32 | next code point
    offsets: Int64s  # (P + 1,) words of pair p are ids[offsets[p]:offsets[p + 1]]
    ids: Int32s  # (total,)
    sizes: Int32s  # (V,) different pairs of each word

    def similar(self, queries: Sequence[str], n: int = 50) -> list[Similar]:
        """Find the n most similar other words of each query; none with similarity 0.

        Equal similarities go by word. A query's own word is left out.
        """
        from searcher.terms.expansion.kernels import most_shared_pairs

        found = []
        for query in queries:
            own, _ = _letter_pairs([query])
            known = self.pairs[np.minimum(np.searchsorted(self.pairs, own), len(self.pairs) - 1)]
            rows = np.searchsorted(self.pairs, own[known == own])
            at = self.vocabulary.find(query)
            ids, similarities = most_shared_pairs(
                rows,
                len(own),
                -1 if at is None else at,
                self.offsets,
                self.ids,
                self.sizes,
                max(n, 0),
            )
            words = map(self.vocabulary.words.__getitem__, ids.tolist())
            found.append(list(zip(words, similarities.tolist(), strict=True)))
        return found


def build_dice(vocabulary: Vocabulary) -> DiceIndex:
    """Invert a vocabulary by letter pair.

    Raises:
        ValueError: no word has two letters.
    """
    pairs, word = _letter_pairs(vocabulary.words)
    if not len(pairs):
        raise ValueError("a vocabulary without words of two letters has no letter pairs")
    order = np.argsort(pairs, kind="stable")  # words of a pair stay ascending
    different, first = np.unique(pairs[order], return_index=True)
    return DiceIndex(
        vocabulary,
        different,
        np.append(first, len(pairs)).astype(np.int64),
        word[order],
        np.bincount(word, minlength=len(vocabulary)).astype(np.int32),
    )


def _letter_pairs(words: Sequence[str]) -> tuple[UInt64s, Int32s]:
    """The different letter pairs of each word, and the row of the word each belongs to."""
    codes, offsets = letters(words)
    pairs = (codes[:-1].astype(np.uint64) << np.uint64(32)) | codes[1:]
    row = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(offsets))
    inside = row[:-1] == row[1:]  # not across the border of two words
    pairs, row = pairs[inside], row[:-1][inside]
    order = np.lexsort((pairs, row))
    pairs, row = pairs[order], row[order]
    new = np.ones(len(pairs), np.bool_)
    new[1:] = (pairs[1:] != pairs[:-1]) | (row[1:] != row[:-1])
    return pairs[new], row[new]
