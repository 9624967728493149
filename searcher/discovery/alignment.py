"""Seeds, extended as far as two stretches resemble each other.

extend    seeds -> Alignments

A path extends from its seed in both directions, frame by frame; its score is the best so far, and
it ends where the score has fallen by `DROP` (Smith and Waterman 1981; the drop: Altschul and others
1990). A pair of frames scores the difference between their usual distance and their distance, which
is negative by chance. A step may advance one stretch by one frame and the other by two, so one may
be said up to twice as fast as the other.
`tests/searcher/discovery/test_alignment.py` has the slow equivalent.
"""

from typing import NamedTuple

import numpy as np

from searcher.discovery.seeds import SeedFrames
from searcher.discovery.sources import Block
from std.execution.compiled import compiled_released, compiled_within
from std.sound.usual import differing
from std.store.columns import Int64s, UInt64s
from std.values import Bools, Int32s

LONGEST = 150  # frames from a seed to either end of a path: 3 s
BAND = 10  # frames, largest difference in length of the two stretches
DROP = 60  # signs
WARPED = 10  # signs, cost of a step by two frames in one stretch
SILENCE = -40  # signs, of a frame of silence: paths end at pauses
NO_PATH = -(1 << 30)


class Alignments(NamedTuple):
    """Pairs of stretches that resemble each other; frames of two blocks, or of one."""

    first_begin: Int64s  # (a,)
    first_end: Int64s
    second_begin: Int64s
    second_end: Int64s
    score: Int64s  # signs: usual distance minus distance

    def rows(self, which: Int64s) -> "Alignments":
        """Some of them."""
        return Alignments._make(column[which] for column in self)


def extend(seeds: SeedFrames, first: Block, second: Block) -> Alignments:
    """(s,) the best alignment through each seed.

    Args:
        seeds: the seeds of two blocks, or of one block, which is then given twice.
        first, second: the blocks.
    """
    found = np.empty((len(seeds.first), 5), np.int64)
    bounds = [
        block.offsets[np.searchsorted(block.offsets, places, "right")[:, None] + [-1, 0]]
        for block, places in ((first, seeds.first), (second, seeds.second))
    ]
    _extended(
        np.ascontiguousarray(np.stack([seeds.first, seeds.second], axis=1)),
        np.concatenate(bounds, axis=1) if len(found) else np.empty((0, 4), np.int64),
        *(first.signs, first.usual, first.silent),
        *(second.signs, second.usual, second.silent),
        found,
    )
    return Alignments._make(np.ascontiguousarray(column) for column in found.T)


@compiled_within
def _nearer(
    i: int,
    j: int,
    signs: UInt64s,
    usual: Int32s,
    silent: Bools,
    other_signs: UInt64s,
    other_usual: Int32s,
    other_silent: Bools,
) -> int:
    """The usual distance of two frames minus their distance, in signs."""
    if silent[i] or other_silent[j]:
        return SILENCE
    return int((usual[i] + other_usual[j]) // 2 - differing(signs[i], other_signs[j]))


@compiled_released
def _extended(
    seeds: Int64s,
    bounds: Int64s,
    signs: UInt64s,
    usual: Int32s,
    silent: Bools,
    other_signs: UInt64s,
    other_usual: Int32s,
    other_silent: Bools,
    found: Int64s,
) -> None:
    width = 2 * BAND + 1
    paths = np.empty((LONGEST + 1, width), np.int64)  # row a, column b - a + BAND
    for s in range(len(seeds)):
        i0, j0 = seeds[s]
        score = _nearer(i0, j0, signs, usual, silent, other_signs, other_usual, other_silent)
        for direction in (-1, 1):
            best, best_a, best_b = 0, 0, 0
            paths[0, :] = NO_PATH
            paths[0, BAND] = 0
            lost = 0
            for a in range(1, LONGEST + 1):
                i = i0 + direction * a
                if i < bounds[s, 0] or i >= bounds[s, 1]:
                    break
                alive = False
                for column in range(width):
                    paths[a, column] = NO_PATH
                    b = a + column - BAND
                    j = j0 + direction * b
                    if b < 1 or j < bounds[s, 2] or j >= bounds[s, 3]:
                        continue
                    straight = paths[a - 1, column]
                    warped = NO_PATH
                    if column > 0:
                        warped = paths[a - 1, column - 1]
                    if a > 1 and column + 1 < width:
                        warped = max(warped, paths[a - 2, column + 1])
                    if straight == NO_PATH and warped == NO_PATH:
                        continue
                    near = _nearer(
                        i, j, signs, usual, silent, other_signs, other_usual, other_silent
                    )
                    value = max(straight + near, warped + 3 * near // 2 - WARPED)
                    if value < best - DROP:
                        continue
                    alive = True
                    paths[a, column] = value
                    if value > best:
                        best, best_a, best_b = value, a, b
                lost = 0 if alive else lost + 1
                if lost == 2:  # a step may skip one frame
                    break
            score += best
            if direction < 0:
                found[s, 0], found[s, 2] = i0 - best_a, j0 - best_b
            else:
                found[s, 1], found[s, 3] = i0 + best_a + 1, j0 + best_b + 1
        found[s, 4] = score
