"""Matches: the vocabulary words that may stand for a segment of a word, and the limits on them.

The contract that the linear, BK-tree and trie indexes share, letter by letter:

* ``word`` has n letters (code points), a segment is ``word[start:end]``.
* ``split[0]`` is true; ``split[end]`` is true if some segment that ends there starts at a
  ``start`` with ``split[start]``, has at least ``min_part_letters`` letters, is not the whole
  word, and has a match. Segments of every permitted length count, whatever ranking prefers.
* A match is a vocabulary word whose Levenshtein distance to such a segment is at most
  ``MatchLimits.edits(end - start)``. The vocabulary word itself may have any length.

So a segment is looked at exactly when the letters before it can be split; whether the letters
after it can, is the business of `searcher.terms.splitting.nbest`.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from std.errors import StdError
from std.values import Int32s, freeze

MAX_LETTERS = 192  # longest word that is split; a recogniser's longest words have about 80
MAX_EDITS = 15


class WordTooLongError(StdError):
    """A word beyond MAX_LETTERS: refused, because the work grows with the square of its length."""

    def __init__(self, word: str) -> None:
        super().__init__(
            f"expected a word of at most {MAX_LETTERS} letters, "
            f"got {len(word)} letters: {word[:20] + '…'!r}"
        )


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """How far a vocabulary word may be from the segment it stands for (thesis 4.4.1).

    Raises:
        ValueError: a limit is out of range.
    """

    max_edits: int = 2  # K
    max_ratio: float = 0.2  # R, of edits to letters of the segment
    min_part_letters: int = 2  # letters of a segment

    def __post_init__(self) -> None:
        if not 0 <= self.max_edits <= MAX_EDITS:
            raise ValueError(f"expected 0 to {MAX_EDITS} as K, got {self.max_edits}")
        if not (math.isfinite(self.max_ratio) and self.max_ratio >= 0):
            raise ValueError(f"expected a number >= 0 as R, got {self.max_ratio}")
        if self.min_part_letters < 1:
            raise ValueError(f"expected at least 1 letter per part, got {self.min_part_letters}")

    def edits(self, letters: int) -> int:
        """Most edits in a segment of so many letters; 0.2 of 5 is 1, whatever floats say.

        >>> [MatchLimits().edits(n) for n in (4, 5, 9, 10, 30)]
        [0, 1, 1, 2, 2]
        """
        return math.floor(min(self.max_edits, self.max_ratio * letters + 1e-9))

    def table(self, letters: int) -> Int32s:
        """(letters + 1,) most edits by segment length; -1 where a segment is too short."""
        return np.array(
            [-1 if n < self.min_part_letters else self.edits(n) for n in range(letters + 1)],
            np.int32,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Matches of one word as columns, ascending by (start, end, id); ids are the vocabulary's."""

    start: Int32s  # (m,)
    end: Int32s  # (m,) exclusive
    id: Int32s  # (m,)
    distance: Int32s  # (m,)

    def __post_init__(self) -> None:
        if not len(self.start) == len(self.end) == len(self.id) == len(self.distance):
            raise ValueError("the columns of matches differ in length")
        freeze(self)

    def __len__(self) -> int:
        return len(self.start)


def sort(rows: npt.NDArray[np.int32]) -> Matches:
    """Matches in the order of (start, end, id), from (m, 4) rows start, end, id, distance."""
    start, end, ids, distance = rows.T
    key = (start.astype(np.int64) << 40) | (end.astype(np.int64) << 32) | ids
    order = np.argsort(key)
    return Matches(start[order], end[order], ids[order], distance[order])


def check_length(word: str) -> None:
    """Refuse a word that is too long to split.

    Raises:
        WordTooLongError: it has more than MAX_LETTERS letters.
    """
    if len(word) > MAX_LETTERS:
        raise WordTooLongError(word)
