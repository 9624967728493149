"""Words spelt like an unknown word: Levenshtein similarity, eq. 2.3 of the thesis.

Bit-parallel distances (Myers 1999) to the words of a vocabulary, from the most similar length
outwards; the scan ends where no word of the remaining lengths can enter the list.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from searcher.terms.splitting.alphabet import Alphabet, FlatWords, lay_out, select
from searcher.terms.vocabulary import Int64s, Vocabulary

Similar = list[tuple[str, float]]  # word of the vocabulary, similarity; best first


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


def build(vocabulary: Vocabulary) -> LevenshteinIndex:
    """Order a vocabulary by length.

    Raises:
        ValueError: the vocabulary is empty.
    """
    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable").astype(np.int32)
    bucket = np.concatenate([[0], np.cumsum(np.bincount(lengths))]).astype(np.int64)
    return LevenshteinIndex(vocabulary, alphabet, select(letters, offsets, order), bucket)
