"""Matches: the vocabulary words that may stand for a segment of a word, and the best splits.

The definition that the linear, BK-tree and trie indexes share:

* ``word`` has n letters (code points), a segment is ``word[start:end]``.
* ``split[0]`` is true; ``split[end]`` is true if some segment that ends there starts at a
  ``start`` with ``split[start]``, has at least ``min_part_letters`` letters, is not the whole
  word, and has a match. Segments of every permitted length count, whatever ranking prefers.
* A match is a vocabulary word whose Levenshtein distance to such a segment is at most
  ``MatchLimits.edits(end - start)``. The vocabulary word itself may have any length.

So a segment is matched exactly if the letters before it can be split;
`searcher.terms.splitting.nbest` checks the letters after it.

Two rankings of splits use the same matches:

geometric   the thesis's eq. 3.1: the geometric mean of the counts of the parts
weighted    the default: edits that are no word formation, many parts, and rare words have costs.
            cost = sum over parts of  EDIT * formation cost + PER_PART - COUNT * log(count + 1).
            Parts of two letters only exactly, and only those of SHORT_WORDS; of one letter, if
            they are asked for (``min_part_letters``), only exactly.

`formation_cost` is the cost of a usual change in German compounds (linking elements,
umlauts, endings): "Sitzungs" for Sitzung or "Gänse" for Gans is hardly evidence against a split,
two arbitrary letters are. The costs are on the scale of one arbitrary edit = 1.
docs/splitting.md has the measurement behind the default and the weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from searcher.terms.vocabulary import Vocabulary
from std.errors import StdError
from std.values import Int32s, freeze

MAX_LETTERS = 192  # longest word that is split; a recogniser's longest words have about 80
MAX_EDITS = 15

LINKING_COST = 0.3
DROPPED_COST = 0.4
PLURAL_COST = 0.5
UMLAUT_COST = 0.2
LINKING = ("s", "es", "n", "en", "er", "e", "ns", "ens")  # Sitzung-s, Tag-es, Kind-er
DROPPED = ("e", "en", "n")  # Schul(e), ess(en), schweige(n)
PLURALS = (  # what the word ends in, what the segment ends in instead
    ("us", "en"),  # Aphorismus, Aphorismen
    ("um", "en"),  # Museum, Museen
    ("um", "a"),
    ("on", "en"),  # Stadion, Stadien
    ("on", "a"),  # Pharmakon, Pharmaka
    ("is", "en"),  # Basis, Basen
    ("a", "en"),  # Firma, Firmen
    ("", "ien"),  # Prinzip, Prinzipien
)
ENDINGS = (
    {("", ""): 0.0}
    | {(ending, ""): LINKING_COST for ending in LINKING}
    | {("", ending): DROPPED_COST for ending in DROPPED}
    | {(segment, word): PLURAL_COST for word, segment in PLURALS}
)  # (end of the segment, end of the word) -> cost
PLAIN = str.maketrans("äöü", "aou")
Ranking = Literal["geometric", "weighted"]
EDIT, PER_PART, COUNT = 2.0, 4.0, 0.15
MIN_LETTERS = 3
SHORT_WORDS = frozenset({"ab", "an", "ei", "öl", "um", "zu"})
NEVER_SEEN = -50.0  # log count of a word that does not occur: below every other, but ordered
TIE = 1e-6  # of equal geometric means the one with fewer edits goes first
Row = tuple[int, int, int, int]  # start, end, id, distance


class WordTooLongError(StdError):
    """A word beyond MAX_LETTERS: refused, because the work grows with the square of its length."""

    def __init__(self, word: str) -> None:
        super().__init__(
            f"expected a word of at most {MAX_LETTERS} letters, "
            f"got {len(word)} letters: {word[:20] + '…'!r}"
        )


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """The largest distance of a vocabulary word from the segment it stands for (thesis 4.4.1).

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
        """Most edits in a segment with a number of letters; 0.2 of 5 is 1, despite rounding errors.

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


class Split(NamedTuple):
    """One way to write a word as words of the vocabulary."""

    parts: tuple[str, ...]  # words of the vocabulary
    segments: tuple[str, ...]  # the letters of the word that they stand for
    distance: int  # edits between parts and segments, all together
    quality: float  # of the ranking: higher is better


def best_splits(
    word: str, matches: Matches, vocabulary: Vocabulary, n: int = 25, ranking: Ranking = "weighted"
) -> list[Split]:
    """Find the n best splits of a word into two or more parts, best first.

    Never more than positions x parts x matches x n steps, see `searcher.terms.splitting.nbest`.
    ``quality`` is the geometric mean of counts, or minus the cost of the weighted ranking.

    Args:
        vocabulary: the vocabulary that the matches point into.
        ranking: ``weighted`` or ``geometric``.
    """
    words = vocabulary.words
    columns = (matches.start, matches.end, matches.id, matches.distance)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    if ranking == "weighted":
        rows = [
            (s, e, i, d)
            for s, e, i, d in rows
            if len(words[i]) >= MIN_LETTERS
            or (d == 0 and (len(words[i]) == 1 or words[i] in SHORT_WORDS))
        ]
    rows = _on_a_path(len(word), rows)
    if n < 1 or not rows:
        return []
    parts = [words[i] for _, _, i, _ in rows]
    segments = [word[s:e] for s, e, _, _ in rows]
    start, end, ids, distance = np.ascontiguousarray(np.array(rows, np.int32).T)
    counts = vocabulary.counts[ids]
    if ranking == "weighted":
        edits = map(formation_cost, segments, parts, distance.tolist())
        cost = EDIT * np.array(list(edits)) + PER_PART - COUNT * np.log(counts + 1.0)
    else:
        logs = np.log(np.maximum(counts, 1), dtype=np.float64)
        cost = TIE * distance - np.where(counts > 0, logs, NEVER_SEEN)

    from searcher.terms.splitting.nbest import best_paths

    most_parts = len(word) // int((end - start).min())
    costs, paths = best_paths(
        len(word), start, end, ids, cost, n, most_parts, ranking == "geometric"
    )
    splits = []
    for total, path in zip(costs.tolist(), paths.tolist(), strict=True):
        steps = [i for i in path if i >= 0]
        splits.append(
            Split(
                tuple([parts[i] for i in steps]),
                tuple([segments[i] for i in steps]),
                sum([rows[i][3] for i in steps]),
                -total if ranking == "weighted" else _geometric_mean(counts[steps].tolist()),
            )
        )
    return splits


def _geometric_mean(counts: Sequence[int]) -> float:
    return 0.0 if 0 in counts else math.exp(sum(map(math.log, counts)) / len(counts))


def _on_a_path(letters: int, rows: list[Row]) -> list[Row]:
    """The rows that are on a path from the beginning of the word to its end."""
    forward, backward = [False] * (letters + 1), [False] * (letters + 1)
    forward[0] = backward[letters] = True
    edges = sorted({(s, e) for s, e, _, _ in rows})
    for s, e in edges:  # ascending by start: all that leads to s came before
        forward[e] |= forward[s]
    for s, e in reversed(edges):  # descending by start: all that leads on from e came before
        backward[s] |= backward[e]
    return [row for row in rows if forward[row[0]] and backward[row[1]]]


def formation_cost(segment: str, word: str, distance: int) -> float:
    """Cost of reading a segment as a word: at most their Levenshtein distance.

    >>> formation_cost("sitzungs", "sitzung", 1), formation_cost("blätter", "blatt", 3)
    (0.3, 0.5)
    >>> formation_cost("sitzung", "spitzung", 1)
    1.0
    """
    if not distance:
        return 0.0
    plain, other = segment.translate(PLAIN), word.translate(PLAIN)
    shared = 0
    for a, b in zip(plain, other, strict=False):
        if a != b:
            break
        shared += 1
    ending = ENDINGS.get((segment[shared:], word[shared:]))
    if ending is None:
        return float(distance)
    umlauts = sum(a != b for a, b in zip(segment[:shared], word[:shared], strict=True))
    return min(float(distance), ending + UMLAUT_COST * umlauts)
