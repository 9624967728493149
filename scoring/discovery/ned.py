"""Normalised edit distance, averaged over the pairs of fragments that share a class.

    NED = sum over (x, y) in P_disc of  Levenshtein(T_x, T_y) / max(|T_x|, |T_y|)  / |P_disc|

The distance depends on the two transcriptions only, so it is computed once per pair of *types* in
a class and weighted by how many pairs of fragments have them. Sums are kept as integer counts by
(distance, length): exact, and scopes can be subtracted from each other.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from scoring.discovery.pairs import Pairs
from std.values import Integers

MAX_LOOP_TYPES = 8  # types in a class below which a plain loop beats a distance matrix
MATRIX = 500_000  # distances held at a time

Distances = Counter[tuple[int, int]]  # pairs by (edit distance, length of the longer)


def distances(pairs: Pairs, type_of: Integers, texts: Sequence[str]) -> Distances:
    """Count the pairs by edit distance and length.

    Args:
        type_of: (f,) type of each fragment; ``texts[t]`` is its transcription, one character per
            phone. Two empty transcriptions count as (0, 0).
    """
    total: Distances = Counter()
    types = type_of[pairs.member]
    key, count = np.unique(pairs.group * max(len(texts), 1) + types, return_counts=True)
    group, kind = key // max(len(texts), 1), key % max(len(texts), 1)
    same = np.bincount(kind, count * (count - 1) // 2, minlength=len(texts))
    for index, pairs_of_type in enumerate(same.astype(np.int64).tolist()):
        if pairs_of_type:
            total[0, len(texts[index])] += pairs_of_type
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    kinds, counts = kind.tolist(), count.tolist()
    bounds = [*starts.tolist(), len(group)]
    for lo, hi in itertools.pairwise(bounds):
        if hi - lo > 1:
            _between(total, [texts[k] for k in kinds[lo:hi]], counts[lo:hi])
    for (a, b), times in _type_pairs(pairs, type_of):
        total[_distance(texts[a], texts[b])] -= times
    return total


def mean(counts: Distances) -> float:
    """The NED of counted pairs; NaN without a pair.

    An empty transcription differs wholly from every other: the distance of two empty ones is 1,
    as in the 2017 toolkit (the 2015 one divides by zero).

    >>> mean(Counter({(0, 4): 1, (2, 4): 1}))
    0.25
    """
    pairs = counts.total()
    if not pairs:
        return math.nan
    different = math.fsum(
        n * distance / length if length else n for (distance, length), n in counts.items()
    )
    return different / pairs


def _distance(first: str, second: str) -> tuple[int, int]:
    return Levenshtein.distance(first, second), max(len(first), len(second))


def _between(total: Distances, texts: Sequence[str], counts: Sequence[int]) -> None:
    """Add the pairs of different types of one class."""
    if len(texts) <= MAX_LOOP_TYPES:
        for i, first in enumerate(texts):
            for j in range(i):
                total[_distance(first, texts[j])] += counts[i] * counts[j]
        return

    weight = np.array(counts, dtype=np.int64)
    length = np.fromiter(map(len, texts), np.int64, len(texts))
    rows = max(1, MATRIX // len(texts))
    for start in range(0, len(texts), rows):
        part = slice(start, start + rows)
        matrix = cdist(texts[part], texts, scorer=Levenshtein.distance, dtype=np.int32)
        above = np.arange(len(texts)) > np.arange(start, start + len(matrix))[:, None]
        longer = np.maximum(length[part, None], length)[above]
        base = int(longer.max(initial=0)) + 1
        sums = np.bincount(
            matrix[above] * base + longer, np.outer(weight[part], weight)[above]
        ).astype(np.int64)
        for code in np.flatnonzero(sums).tolist():
            total[code // base, code % base] += int(sums[code])


def _type_pairs(pairs: Pairs, type_of: Integers) -> Iterator[tuple[tuple[int, int], int]]:
    """The withdrawn pairs counted by their types."""
    base = int(type_of.max(initial=0)) + 1
    a, b = type_of[pairs.less_a], type_of[pairs.less_b]
    keys, counts = np.unique(np.minimum(a, b) * base + np.maximum(a, b), return_counts=True)
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        yield (key // base, key % base), count
