"""Two blocks of an archive -> pairs of similar stretches, and the number of chance pairs.

Work         two blocks, or one with itself: an item for a worker
pairs_in     the function of a worker
distinct     the best alignment of nearly equal ones
ChancePairs  scores of pairs with reversed speech -> expected numbers, and shares, of chance pairs
"""

from typing import NamedTuple

import numpy as np

from searcher.discovery.alignment import Alignments, extend
from searcher.discovery.blocks import Block, backwards
from searcher.discovery.seeds import find_seeds
from std.store.columns import Int64s
from std.values import Float64s

SAME_ALIGNMENT = 16  # frames: alignments with nearer middles are one


class Work(NamedTuple):
    """Two blocks to compare."""

    first: Block
    second: Block | None  # None: within the first
    least_score: int
    least_frames: int
    is_chance: bool = False  # the second one runs backwards


def pairs_in(work: Work) -> Alignments:
    """The pairs of stretches of two blocks; those within one block do not overlap."""
    first, second = work.first, work.second
    if work.is_chance:
        second = backwards(first if second is None else second)
    found = extend(find_seeds(first, second), first, first if second is None else second)
    shorter = np.minimum(found.first_end - found.first_begin, found.second_end - found.second_begin)
    wanted = (found.score >= work.least_score) & (shorter >= work.least_frames)
    if second is None:
        wanted &= found.first_end <= found.second_begin
    return distinct(found.rows(np.flatnonzero(wanted)))


def distinct(found: Alignments) -> Alignments:
    """Each pair of stretches once, the best first."""
    found = found.rows(np.argsort(-found.score, kind="stable"))
    for shift in (0, SAME_ALIGNMENT // 2):
        one, other = (_middle(*ends) + shift for ends in (found[:2], found[2:4]))
        _, kept = np.unique(
            (one // SAME_ALIGNMENT << 32) + other // SAME_ALIGNMENT, return_index=True
        )
        found = found.rows(np.sort(kept))
    return found


def _middle(begin: Int64s, end: Int64s) -> Int64s:
    return (begin + end) // 2


class ChancePairs(NamedTuple):
    """The pairs of some work with its second block reversed."""

    scores: Int64s  # (c,) descending
    scale: float  # ratio of all comparisons to those that measured chance

    def expected(self, scores: Int64s) -> Float64s:
        """(n,) E-values: the expected number of chance pairs with at least each score.

        Args:
            scores: (n,) of pairs.
        """
        return self.scale * np.searchsorted(-self.scores, -scores, side="right").astype(np.float64)

    def shares(self, scores: Int64s) -> Float64s:
        """(n,) the share of chance pairs among those at least as good as each.

        Args:
            scores: (n,) of all pairs, descending.
        """
        rank = np.searchsorted(-scores, -scores, side="right")
        shares = np.minimum(1.0, self.expected(scores) / np.maximum(rank, 1))
        return np.minimum.accumulate(shares[::-1])[::-1]  # a better pair is no likelier by chance
