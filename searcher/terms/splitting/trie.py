"""The default index: one descent of a trie per start position matches every end at once.

A preorder trie in flat arrays (a node's first child follows it; ``skip`` leads past its
subtree), read with the bit-parallel rows of Wu and Manber (1992): bit m of row e says that the
letters on the path are within e edits of the first m letters from the start position. What the
BK-tree asks once per segment is answered for all segments of one start together, and the words'
common beginnings are read once.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from searcher.terms.splitting.matches import (
    MAX_EDITS,
    MAX_LETTERS,
    Matches,
    MatchLimits,
    check_length,
    sort,
)
from searcher.terms.vocabulary import Alphabet, FlatWords, LetterIds, Vocabulary, lay_out, select
from std.values import Int32s


@dataclass(frozen=True, slots=True, eq=False)
class TrieIndex:
    """A vocabulary as a trie, with the very long words beside it."""

    alphabet: Alphabet
    label: LetterIds  # (nodes,) letter on the way into the node
    depth: npt.NDArray[np.uint8]  # (nodes,) letters on the path, from 1
    deepest: npt.NDArray[np.uint8]  # (nodes,) largest depth in the subtree
    skip: Int32s  # (nodes,) next node outside the subtree
    row: Int32s  # (nodes,) which of `ids` ends here, or -1
    ids: Int32s  # (words,) of the vocabulary
    long_words: FlatWords  # too long for the trie's 63-letter window, or nearly so

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find all matches of a word, see `searcher.terms.splitting.matches`."""
        check_length(word)
        from searcher.terms.splitting.trie_kernels import trie_matches

        return sort(
            trie_matches(
                self.alphabet.encode(word),
                limits.table(len(word)),
                tuple(range(limits.max_edits + 1)),
                len(self.alphabet),
                self.label,
                self.depth,
                self.deepest,
                self.skip,
                self.row,
                self.ids,
                *self.long_words,
            )
        )


def build(vocabulary: Vocabulary) -> TrieIndex:
    """Build the trie of a vocabulary.

    Raises:
        ValueError: the vocabulary is empty.
    """
    from searcher.terms.splitting.trie_kernels import WINDOW, trie_nodes

    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    short = np.flatnonzero(lengths <= WINDOW + MAX_EDITS).astype(np.int32)
    words = select(letters, offsets, short)
    near = (lengths > WINDOW - MAX_EDITS) & (lengths <= MAX_LETTERS + MAX_EDITS)
    return TrieIndex(
        alphabet,
        *trie_nodes(words.letters, words.offsets),
        words.ids,
        select(letters, offsets, np.flatnonzero(near).astype(np.int32)),
    )
