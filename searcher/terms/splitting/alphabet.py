"""Letters as small numbers, and the layout of words that the kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from searcher.terms.vocabulary import Int64s, letters
from std.values import Int32s

LetterIds = npt.NDArray[np.uint8] | npt.NDArray[np.int32]  # the narrowest that holds the alphabet


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """The letters of a vocabulary: letter i + 1 is code point ``codes[i]``; 0 is any other."""

    codes: npt.NDArray[np.uint32]  # (A,) ascending

    def __len__(self) -> int:
        """Letters including 0, "any other": the length of a table indexed by letter."""
        return len(self.codes) + 1

    def encode(self, word: str) -> Int32s:
        """(len(word),) letters of a word that need not be in the vocabulary."""
        codes, _ = letters([word])
        at = np.searchsorted(self.codes, codes)
        known = self.codes[np.minimum(at, len(self.codes) - 1)] == codes
        return np.where(known, at + 1, 0).astype(np.int32)


class FlatWords(NamedTuple):
    """Words one after the other: word i owns ``letters[offsets[i]:offsets[i + 1]]``."""

    letters: LetterIds  # (total,)
    offsets: Int64s  # (n + 1,)
    ids: Int32s  # (n,) which words of the vocabulary these are


def lay_out(words: Sequence[str]) -> tuple[Alphabet, LetterIds, Int64s]:
    """Alphabet, letters and offsets of all words of a vocabulary.

    Raises:
        ValueError: there is no word.
    """
    if not words:
        raise ValueError("a vocabulary without words has no neighbours")
    codes, offsets = letters(words)
    alphabet, letter = np.unique(codes, return_inverse=True)
    ids: LetterIds = (letter + 1).astype(np.int32)
    if len(alphabet) < 256:
        ids = ids.astype(np.uint8)
    return Alphabet(alphabet), ids, offsets


def select(all_letters: LetterIds, offsets: Int64s, ids: Int32s) -> FlatWords:
    """Lay out some of the words, in the order of their ids."""
    lengths = np.diff(offsets)[ids]
    bounds = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    at = np.repeat(offsets[:-1][ids] - bounds[:-1], lengths) + np.arange(bounds[-1])
    return FlatWords(all_letters[at], bounds, ids.astype(np.int32))
