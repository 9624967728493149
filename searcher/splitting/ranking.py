"""Which splits are best: two rankings over the same matches.

geometric   the thesis's eq. 3.1: the geometric mean of the counts of the parts, nothing else
weighted    edits that are no word formation, many parts and rare words cost; the default.
            cost = sum over parts of  EDIT * formation cost + PART - COUNT * log(count + 1).
            Parts of less than three letters only exactly, and only those of SHORT_WORDS.

docs/splitting.md has the measurement behind the default and the weights.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from searcher.splitting.formation import formation_cost
from searcher.splitting.matches import Matches
from std.values import Bools, Int32s
from std.vocabulary import Vocabulary

Ranking = Literal["geometric", "weighted"]
RANKINGS: Sequence[Ranking] = ("weighted", "geometric")

EDIT, PART, COUNT = 2.0, 3.0, 0.15
MIN_LETTERS = 3
SHORT_WORDS = frozenset({"ab", "an", "ei", "öl", "um", "zu"})
NEVER_SEEN = -50.0  # log count of a word that does not occur: below every other, but ordered
TIE = 1e-6  # of equal geometric means the one with fewer edits goes first


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

    Never more than positions x parts x matches x n steps, see `searcher.splitting.nbest`.
    ``quality`` is the geometric mean of counts, or minus the cost of the weighted ranking.
    """
    chosen = _on_a_path(len(word), matches, np.ones(len(matches), np.bool_))
    if ranking == "weighted":
        long_enough = [
            len(vocabulary.words[i]) >= MIN_LETTERS
            or (d == 0 and vocabulary.words[i] in SHORT_WORDS)
            for i, d in zip(
                matches.id[chosen].tolist(), matches.distance[chosen].tolist(), strict=True
            )
        ]
        keep = np.zeros(len(matches), np.bool_)
        keep[chosen] = long_enough
        chosen = _on_a_path(len(word), matches, keep)
    if n < 1 or not len(chosen):
        return []
    start, end = matches.start[chosen].tolist(), matches.end[chosen].tolist()
    ids, distance = matches.id[chosen], matches.distance[chosen].tolist()
    parts = [vocabulary.words[i] for i in ids]
    segments = [word[s:e] for s, e in zip(start, end, strict=True)]
    counts = vocabulary.counts[ids]
    if ranking == "weighted":
        edits = [formation_cost(*one) for one in zip(segments, parts, distance, strict=True)]
        cost = EDIT * np.array(edits) + PART - COUNT * np.log(counts + 1.0)
    else:
        logs = np.log(np.maximum(counts, 1), dtype=np.float64)
        cost = TIE * matches.distance[chosen] - np.where(counts > 0, logs, NEVER_SEEN)

    from searcher.splitting.nbest import best_paths

    shortest = min(e - s for s, e in zip(start, end, strict=True))
    costs, paths = best_paths(
        len(word),
        matches.start[chosen],
        matches.end[chosen],
        ids,
        cost,
        n,
        len(word) // shortest,
        ranking == "geometric",
    )
    splits = []
    for total, path in zip(costs.tolist(), paths.tolist(), strict=True):
        steps = [i for i in path if i >= 0]
        if ranking == "weighted":
            quality = -total
        else:
            numbers = [int(counts[i]) for i in steps]
            logarithms = [math.log(number) for number in numbers if number]
            quality = 0.0 if 0 in numbers else math.exp(sum(logarithms) / len(numbers))
        splits.append(
            Split(
                tuple(parts[i] for i in steps),
                tuple(segments[i] for i in steps),
                sum(distance[i] for i in steps),
                quality,
            )
        )
    return splits


def _on_a_path(letters: int, matches: Matches, keep: Bools) -> Int32s:
    """Rows of the kept matches that lie on some way from the begin of the word to its end."""
    if not keep.any():
        return np.empty(0, np.int32)
    rows = np.flatnonzero(keep)
    start, end = matches.start[rows].tolist(), matches.end[rows].tolist()
    forward, backward = [False] * (letters + 1), [False] * (letters + 1)
    forward[0] = backward[letters] = True
    edges = sorted(set(zip(start, end, strict=True)))
    for s, e in edges:  # ascending by start: all that leads to s came before
        forward[e] |= forward[s]
    for s, e in sorted(edges, key=lambda edge: -edge[1]):
        backward[s] |= backward[e]
    return rows[[forward[s] and backward[e] for s, e in zip(start, end, strict=True)]].astype(
        np.int32
    )
