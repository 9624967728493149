"""Expansion: words of the vocabulary that the recogniser may have written for an unknown word.

LevenshteinIndex   Levenshtein similarity, eq. 2.3 of the thesis: bit-parallel distances (Myers
                   1999) to the words of a vocabulary, from the most similar length outwards; the
                   scan ends where no word of the remaining lengths can enter the list
DiceIndex          Dice coefficient, eq. 2.4: ``2 |A and B| / (|A| + |B|)`` over the sets of
                   neighbouring letter pairs, each counted once. A word of one letter has no pairs
                   and is similar to nothing. An inverted index from pairs to words makes a query
                   one pass over the lists of its pairs
SoundTable         similar pronunciation: weighted edit distance over phones

Equal similarities go by word. The distance of pronunciations measures how likely the recogniser's
confusions turn the query's phones into the word's. It sums, over an alignment,
log P(a | a) - log P(b | a) for each phone a recognised as b, and the additional costs of deletions
and insertions; the similarity is

    exp(-distance / number of phones of the query)

the geometric mean per phone of the probability ratio of the word to the query itself: 1 for words
that sound the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from searcher.terms.vocabulary import Alphabet, FlatWords, Vocabulary, lay_out, letters, select
from std.config import Config
from std.phonetics.confusion import empty, probabilities
from std.phonetics.lexicon import Lexicon, PhoneTable, cached, lexicon_for
from std.phonetics.phones import Pronunciation
from std.values import Float32s, Int32s, Int64s, UInt8s, UInt64s

Similar = list[tuple[str, float]]  # word of the vocabulary, similarity; best first

MAX_PHONES = 200
LEFT_OUT = 0.02  # probability of an inserted or deleted phone between complete words


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
        from searcher.terms.expansion_kernels import most_similar_spelling

        found = []
        for query in queries:
            ids, similarities = most_similar_spelling(
                self.alphabet.encode(query), len(self.alphabet), *self.words, self.bucket, max(n, 0)
            )
            found.append(_with_words(self.vocabulary, ids, similarities))
        return found


def _with_words(
    vocabulary: Vocabulary, ids: npt.NDArray[np.integer], similarities: npt.NDArray[np.floating]
) -> Similar:
    words = map(vocabulary.words.__getitem__, ids.tolist())
    return list(zip(words, similarities.tolist(), strict=True))


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
        from searcher.terms.expansion_kernels import most_shared_pairs

        found = []
        for query in queries:
            own, _ = _letter_pairs([query])
            known = self.pairs[np.minimum(np.searchsorted(self.pairs, own), len(self.pairs) - 1)]
            rows = np.searchsorted(self.pairs, own[known == own])
            at = self.vocabulary.find(query)
            at = -1 if at is None else at
            ids, similarities = most_shared_pairs(
                rows, len(own), at, self.offsets, self.ids, self.sizes, max(n, 0)
            )
            found.append(_with_words(self.vocabulary, ids, similarities))
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


@dataclass(frozen=True, slots=True, eq=False)
class SoundTable:
    """The words of a vocabulary by number of phones, so that many are compared at once."""

    vocabulary: Vocabulary
    lexicon: Lexicon
    inventory: tuple[str, ...]
    words: Int64s  # (n,) ids of the words with phones, by number of phones
    lengths: Int64s  # (g,) numbers of phones that occur, ascending
    group_offsets: Int64s  # (g + 1,) words of group g are words[offsets[g]:offsets[g + 1]]
    phones: UInt8s  # group by group: phone i of word j at begin + i * size + j

    def similar(self, queries: Sequence[str], n: int = 50) -> list[Similar]:
        """Find the n most similar other words of each query; equal similarities go by word."""
        found = []
        for query, ways in zip(queries, self.lexicon.pronunciations(queries), strict=True):
            best: dict[str, float] = {}
            for phones in ways:
                for word, similarity in self._closest(phones, query, n):
                    best[word] = max(similarity, best.get(word, 0.0))
            ranked = sorted(best.items(), key=lambda one: (-one[1], one[0]))
            found.append(ranked[: max(n, 0)])
        return found

    def _closest(self, phones: Pronunciation, query: str, n: int) -> Similar:
        from searcher.terms.expansion_kernels import sound_distances

        if not 0 < len(phones) <= MAX_PHONES or n < 1 or not len(self.words):
            return []
        substitution, deletion, insertion = self._costs(phones)
        distance = sound_distances(
            substitution, deletion, insertion, self.lengths, self.group_offsets, self.phones
        )
        enough = min(n + 1, len(distance))  # the query itself may be included
        limit = np.partition(distance, enough - 1)[enough - 1]
        rows = np.flatnonzero(distance <= limit)
        order = rows[np.lexsort((self.words[rows], distance[rows]))]
        similarity = np.exp(-np.maximum(distance[order], 0.0) / len(phones))
        pairs = _with_words(self.vocabulary, self.words[order], similarity)
        return [pair for pair in pairs if pair[0] != query][:n]

    def _costs(self, phones: Pronunciation) -> tuple[Float32s, Float32s, Float32s]:
        """substitution (Q, P), deletion (Q,), insertion (P,) for one query."""
        both = sorted({*self.inventory, *phones})
        row = {phone: i for i, phone in enumerate(both)}
        observed, deleted = probabilities(empty(both))
        said = [row[phone] for phone in phones]
        there = [row[phone] for phone in self.inventory]
        same = np.log(np.diag(observed)[said])
        substitution = same[:, None] - np.log(observed[np.ix_(said, there)])
        deletion = np.maximum(same - np.log(deleted[said]), -np.log(LEFT_OUT))
        insertion = np.full(len(there), -np.log(LEFT_OUT))
        return (
            np.ascontiguousarray(np.maximum(substitution, 0.0), np.float32),
            deletion.astype(np.float32),
            insertion.astype(np.float32),
        )


def build_sounds(vocabulary: Vocabulary, config: Config) -> SoundTable:
    """Pronounce a vocabulary.

    Raises:
        ConfigError: the language is not known, or its converter is not installed.
    """
    frequent = partial(zip, vocabulary.words, vocabulary.counts.tolist(), strict=True)
    lexicon = lexicon_for(config.pronunciation, config.text, lambda: dict(frequent()))
    return arranged(vocabulary, lexicon, cached(vocabulary.words, lexicon))


def arranged(vocabulary: Vocabulary, lexicon: Lexicon, table: PhoneTable) -> SoundTable:
    """Arrange pronunciations by length for vector instructions."""
    size = np.diff(table.offsets)
    words = np.argsort(size, kind="stable")
    words = words[np.searchsorted(size[words], 1) :]
    lengths, begins = np.unique(size[words], return_index=True)
    bounds = np.append(begins, len(words))
    pieces = [np.empty(0, np.uint8)]
    for length, first, last in zip(lengths.tolist(), bounds[:-1], bounds[1:], strict=True):
        starts = table.offsets[words[first:last]]
        pieces.append(table.phones[starts[None, :] + np.arange(length)[:, None]].reshape(-1))
    return SoundTable(
        vocabulary,
        lexicon,
        table.inventory,
        words,
        lengths,
        bounds.astype(np.int64),
        np.concatenate(pieces),
    )
