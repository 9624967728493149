"""The words that a recogniser writes, with counts, for splitting and expansion.

Every neighbour index (`searcher.terms.splitting`, `searcher.terms.expansion`) is built from a
`Vocabulary`; the position of a word in it is its id. It is made of counts (`of_counts`) or read
from a file of ``word[<TAB>count]`` lines (`read`). Kernels read letters as small numbers of an
`Alphabet`, and words one after the other (`FlatWords`).
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.errors import NONE, InputError
from std.files import read_text
from std.text import Normalisation
from std.values import Int32s, Int64s, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Distinct words, ascending by code points, with counts.

    Raises:
        ValueError: the words are not ascending, or there are more or fewer counts than words.
    """

    words: tuple[str, ...]  # (V,)
    counts: Int64s  # (V,)

    def __post_init__(self) -> None:
        if self.counts.shape != (len(self.words),):
            raise ValueError(f"{len(self.words)} words, counts of shape {self.counts.shape}")
        if any(a >= b for a, b in zip(self.words, self.words[1:], strict=False)):
            raise ValueError("the words of a vocabulary must ascend and differ")
        freeze(self)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def find(self, word: str) -> int | None:
        """Id of a word, or None."""
        return row_of(word, self.words)

    def count(self, word: str) -> int:
        """The count of a word; 0 if it is unknown."""
        at = self.find(word)
        return 0 if at is None else int(self.counts[at])

    def digest(self) -> str:
        """SHA-256 of the words: an index built from other words has another digest."""
        return hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass")).hexdigest()


def row_of(word: str, words: Sequence[str]) -> int | None:
    """The row of a word among ascending ones, or None.

    >>> row_of("wald", ["blatt", "wald"]), row_of("baum", ["blatt", "wald"])
    (1, None)
    """
    row = bisect_left(words, word)
    return row if row < len(words) and words[row] == word else None


def of_counts(counts: Mapping[str, int]) -> Vocabulary:
    """Vocabulary of a word -> count table, in any order.

    >>> of_counts({"wald": 2, "blatt": 3}).words
    ('blatt', 'wald')
    """
    words = sorted(counts)
    return Vocabulary(tuple(words), np.array([counts[word] for word in words], np.int64))


def parse(
    text: str, path: Path | str = "<string>", normalisation: Normalisation | None = None
) -> Vocabulary:
    r"""Read ``word[<TAB>count]`` lines; blank lines are skipped, a count left out is 1.

    Words are normalised; the counts of words that become equal are added.

    Args:
        normalisation: the normalisation of the words; None = the default.

    >>> vocabulary = parse("Wald\t2\nBlatt\nwald\n")
    >>> dict(zip(vocabulary.words, vocabulary.counts.tolist()))
    {'blatt': 1, 'wald': 3}

    Raises:
        InputError: a line is not one word and a whole number >= 0, or there is no word at all.
    """
    rule = normalisation or Normalisation()
    counts: dict[str, int] = {}
    for word, count in _entries(text, path):
        word = rule.word(word)
        counts[word] = counts.get(word, 0) + count
    if not counts:
        raise InputError(path, 0, "at least one word", NONE)
    return of_counts(counts)


def read(path: Path, normalisation: Normalisation | None = None) -> Vocabulary:
    """Read a vocabulary file (UTF-8, gzip or not), see `parse`.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or `parse` refuses it.
    """
    return parse(read_text(path), path, normalisation)


def _entries(text: str, path: Path | str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fields = line.strip(" \r").split("\t")
        word = fields[0].strip()
        if len(fields) > 2 or len(word.split()) != 1:
            raise InputError(path, number, "word[<TAB>count]", line.rstrip("\r"))
        if len(fields) == 1:
            yield word, 1
            continue
        count = fields[1].strip()
        if not (count.isascii() and count.isdecimal()) or len(count) > 15:
            raise InputError(path, number, "a whole number >= 0 as count", count)
        yield word, int(count)


def letters(words: Sequence[str]) -> tuple[npt.NDArray[np.uint32], Int64s]:
    """Store words in flat arrays for kernels.

    Returns:
        (total,) code points of all words one after the other, and (len(words) + 1,) offsets.
    """
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=offsets[1:])
    return codes, offsets


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
    letter = np.zeros(int(codes.max(initial=0)) + 1, np.int32)  # by code point
    letter[codes] = 1
    alphabet = np.flatnonzero(letter).astype(np.uint32)
    letter[alphabet] = np.arange(1, len(alphabet) + 1)
    ids: LetterIds = letter.astype(np.uint8)[codes] if len(alphabet) < 256 else letter[codes]
    return Alphabet(alphabet), ids, offsets


def select(all_letters: LetterIds, offsets: Int64s, ids: Int32s) -> FlatWords:
    """Lay out some of the words, in the order of their ids."""
    lengths = np.diff(offsets)[ids]
    bounds = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    at = np.repeat(offsets[:-1][ids] - bounds[:-1], lengths) + np.arange(bounds[-1])
    return FlatWords(all_letters[at], bounds, ids.astype(np.int32))
