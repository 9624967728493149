"""Two blocks of an archive -> pairs of stretches that resemble each other.

Work         two blocks, or one with itself: an item for a worker
pairs_in     what a worker does with it
distinct     of alignments of nearly the same stretches, the best
"""

from typing import NamedTuple

import numpy as np

from searcher.discovery.alignment import Alignments, extend
from searcher.discovery.blocks import Block, backwards
from searcher.discovery.seeds import find_seeds
from std.store.columns import Int64s

SAME_ALIGNMENT = 16  # frames: alignments of middles as near as that are one


class Work(NamedTuple):
    """Two blocks whose pairs are looked for."""

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
