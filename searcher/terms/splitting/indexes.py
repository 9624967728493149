"""Indexes of a vocabulary in memory: the default, and those of the thesis that it is compared with.

TrieIndex        the default: one descent of a trie per start position matches every end at once. A
                 preorder trie in flat arrays (a node's first child follows it; ``skip`` leads past
                 its subtree), read with the bit-parallel rows of Wu and Manber (1992): bit m of row
                 e says that the letters on the path are within e edits of the first m letters from
                 the start position. The BK-tree searches each segment; the trie searches all
                 segments of one start together, and reads common beginnings of words once

PrimitiveIndex   scan from the end, take the longest known word, continue before it: exact words,
                 and the first split that covers the word. If the scan cannot continue, it takes the
                 next shorter word. No end is tried twice, so the work is at most the square of the
                 word's length
RulesIndex       algorithm I: a segment is a known word, or one followed by a linking element (s,
                 es, n, en, er, e); an element counts as so many edits as it has letters
LinearIndex      algorithm II: compare a segment with every word whose length permits a match. Words
                 lie in buckets by length (4.4.2), so a segment of m letters with limit k reads the
                 buckets m - k to m + k. The reference for the other indexes
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
from std.values import Int32s, Int64s


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveIndex:
    """Words by look-up."""

    ids: dict[str, int]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find the words of the one split; of the limits only the part length counts."""
        check_length(word)
        starts = {len(word): iter(range(len(word)))}  # of the part that ends there, longest first
        path = [len(word)]
        while path and path[-1] > 0:
            end = path[-1]
            for start in starts[end]:
                whole = start == 0 and end == len(word)
                if end - start < limits.min_part_letters or whole or start in starts:
                    continue
                if word[start:end] in self.ids:
                    starts[start] = iter(range(start))
                    path.append(start)
                    break
            else:
                path.pop()
        bounds = zip(path[1:], path[:-1], strict=True)
        rows = [(start, end, self.ids[word[start:end]], 0) for start, end in bounds]
        return sort(np.array(rows, np.int32).reshape(-1, 4))


def build_primitive(vocabulary: Vocabulary) -> PrimitiveIndex:
    """Make the look-up table."""
    return PrimitiveIndex({word: i for i, word in enumerate(vocabulary.words)})


# Section 4.2 of the thesis; `formation` knows more.
THESIS_LINKING = ("", "s", "es", "n", "en", "er", "e")


@dataclass(frozen=True, slots=True, eq=False)
class RulesIndex:
    """Words by look-up."""

    ids: dict[str, int]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find the words that segments begin with; of the limits only the part length counts."""
        check_length(word)
        split = [True] + len(word) * [False]
        rows = []
        for start in range(len(word)):
            if not split[start]:
                continue
            for end in range(start + limits.min_part_letters, len(word) + (start > 0)):
                for element in THESIS_LINKING:
                    base = word[start : end - len(element)]
                    known = self.ids.get(base) if word.endswith(element, start, end) else None
                    if known is not None and len(base) >= limits.min_part_letters:
                        rows.append((start, end, known, len(element)))
                        split[end] = True
        return sort(np.array(rows, np.int32).reshape(-1, 4))


def build_rules(vocabulary: Vocabulary) -> RulesIndex:
    """Make the look-up table."""
    return RulesIndex({word: i for i, word in enumerate(vocabulary.words)})


@dataclass(frozen=True, slots=True, eq=False)
class LinearIndex:
    """The words of a vocabulary ordered by length."""

    alphabet: Alphabet
    words: FlatWords  # ascending by length; those too long to match anything are left out
    bucket: Int64s  # (longest + 2,) words of k letters are rows bucket[k]:bucket[k + 1]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find all matches of a word, see `searcher.terms.splitting.matches`."""
        check_length(word)
        from searcher.terms.splitting.kernels import linear_matches

        return sort(
            linear_matches(
                self.alphabet.encode(word),
                limits.table(len(word)),
                len(self.alphabet),
                *self.words,
                self.bucket,
            )
        )


def build_linear(vocabulary: Vocabulary) -> LinearIndex:
    """Order a vocabulary by length.

    Raises:
        ValueError: the vocabulary is empty.
    """
    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] <= MAX_LETTERS + MAX_EDITS]
    sizes = np.bincount(lengths[order], minlength=2)
    bucket = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return LinearIndex(alphabet, select(letters, offsets, order.astype(np.int32)), bucket)


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


def build_trie(vocabulary: Vocabulary) -> TrieIndex:
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
