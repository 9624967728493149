"""Similar stretches of two blocks: seeds, extended as far as the stretches resemble each other.

find_seeds    one or two blocks -> pairs of frames whose surroundings are similar
extend        seeds -> Alignments

A window is six frames, 40 ms apart. Windows are hashed by some of their signs, drawn at random
(locality-sensitive hashing; Indyk and Motwani, STOC 1998; for speech Jansen and Van Durme, ASRU
2011), once for each of `TABLES` draws. Windows of one bucket are compared frame by frame. So most
pairs are never compared, and the work is linear in the number of frames for blocks of limited size.

A path extends from its seed in both directions, frame by frame. Its score is the highest on the
way, and it ends where the score has fallen by `DROP` from there (Smith and Waterman 1981; the drop:
Altschul and others 1990). A pair of frames scores the difference between their usual distance and
their distance, which is negative by chance. A step may advance one stretch by one frame and the
other by two, so one may be said up to twice as fast as the other.
`tests/searcher/discovery/test_parts.py` has the slow equivalent.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from searcher.discovery.sources import Block
from std.execution.compiled import compiled, compiled_within
from std.sound.columns import SIGNS
from std.sound.usual import differing
from std.values import Bools, Int32s, Int64s, UInt64s

STRIDE = 2  # frames from one compared frame to the next
WINDOW_FRAMES = 6  # compared frames, 40 ms apart: 0.24 s
SPAN = STRIDE * (WINDOW_FRAMES - 1)  # frames from the first compared one to the last
TABLES = 48
BUCKET = 16  # windows of a bucket on average
COMPARED = 64  # windows of its bucket with which a window is compared
LEAST_NEARER = 60  # signs: usual distance minus distance of a window
MOST_SEEDS = 200_000  # seeds of two blocks: the best
MOST_DRAWN = 4 * MOST_SEEDS  # seeds of one draw
APART = 25  # least frames between two stretches of one recording
NEAR_FRAMES, NEAR_DIAGONAL = 12, 4  # frames: of nearer seeds only the best counts
DRAW_SEED = 1

LONGEST = 150  # frames from a seed to either end of a path: 3 s
BAND = 10  # frames, largest difference in length of the two stretches
DROP = 60  # signs
WARPED = 10  # signs, cost of a step by two frames in one stretch
SILENCE = -40  # signs, of a frame of silence: paths end at pauses
NO_PATH = -(1 << 30)


class SeedFrames(NamedTuple):
    """Pairs of frames, of one block or of two."""

    first: Int64s  # (s,) frames of the first block
    second: Int64s  # (s,) frames of the second, or later ones of the same


class _Windows(NamedTuple):
    """The windows of one block, or of two blocks concatenated."""

    signs: UInt64s  # (n, 4)
    usual: Int32s  # (n,)
    begin: Int64s  # (w,) the first frame of each
    border: int  # first frame of the second block; 0: there is only one block


def find_seeds(first: Block, second: Block | None) -> SeedFrames:
    """The pairs of windows nearer than usual, at most `MOST_SEEDS`.

    Args:
        second: another one; None: pairs within the first.
    """
    windows = _windows(first, second)
    draw = np.random.default_rng(DRAW_SEED)
    bits = int(np.clip(np.log2(max(len(windows.begin), 2) / BUCKET), 6, 24))
    found, room = np.empty((0, 3), np.int64), np.empty((MOST_DRAWN, 3), np.int64)
    least = LEAST_NEARER
    for _ in range(TABLES):
        places = draw.integers(0, WINDOW_FRAMES * SIGNS, 32)
        keys = _keys(windows.signs, windows.begin, places)
        order = np.argsort(keys, kind="stable")
        while True:
            n = _compared(*windows[:2], windows.begin[order], keys[order] >> np.uint32(32 - bits),
                          windows.border, least, room)  # fmt: skip
            if n <= len(room):
                break
            least += 20
        found = _best(np.concatenate([found[found[:, 2] >= least], room[:n]]))
        if len(found) == MOST_SEEDS:
            least = max(least, int(found[:, 2].min()))
    middle = SPAN // 2
    return SeedFrames(found[:, 0] + middle, found[:, 1] + middle - windows.border)


def _windows(first: Block, second: Block | None) -> _Windows:
    blocks = [first] if second is None else [first, second]
    begins, before = [], 0
    for block in blocks:
        bounds = block.offsets.tolist()
        starts = [np.arange(a, b - SPAN, STRIDE) for a, b in pairwise(bounds)]
        some = np.concatenate(starts) if starts else np.empty(0, np.int64)
        loud = [~block.silent[some + STRIDE * k] for k in range(WINDOW_FRAMES)]
        begins.append(some[np.sum(loud, axis=0) == WINDOW_FRAMES] + before)
        before += len(block.signs)
    return _Windows(
        np.concatenate([block.signs for block in blocks]),
        np.concatenate([block.usual for block in blocks]),
        np.concatenate(begins).astype(np.int64),
        0 if second is None else len(first.signs),
    )


@compiled
def _keys(signs: UInt64s, begin: Int64s, places: Int64s) -> npt.NDArray[np.uint32]:
    """(w,) some of the signs of each window."""
    keys = np.zeros(len(begin), np.uint32)
    for w in range(len(begin)):
        for place in places:
            frame, sign = begin[w] + STRIDE * (place // SIGNS), place % SIGNS
            bit = signs[frame, sign >> 6] >> np.uint64(sign & 63) & np.uint64(1)
            keys[w] = keys[w] << np.uint32(1) | np.uint32(bit)
    return keys


@compiled
def _compared(
    signs: UInt64s,
    usual: Int32s,
    begin: Int64s,
    bucket: npt.NDArray[np.uint32],
    border: int,
    least: int,
    room: Int64s,
) -> int:
    """Compare the windows of each bucket; return the number of near pairs, stored or not."""
    found = 0
    for w in range(len(begin)):
        a = begin[w]
        for v in range(w + 1, min(w + 1 + COMPARED, len(begin))):
            if bucket[v] != bucket[w]:
                break
            b = begin[v]
            one, other = min(a, b), max(a, b)
            if border > 0:
                if one >= border or other < border:
                    continue
            elif other - one < APART:
                continue
            near = 0
            for k in range(WINDOW_FRAMES):
                i, j = one + STRIDE * k, other + STRIDE * k
                near += (usual[i] + usual[j]) // 2 - differing(signs[i], signs[j])
                if k == 1 and near < 0:
                    break
            if near >= least:
                if found < len(room):
                    room[found, 0], room[found, 1], room[found, 2] = one, other, near
                found += 1
    return found


def _best(found: Int64s) -> Int64s:
    """The best of seeds near each other; of these the best `MOST_SEEDS`, sorted by time."""
    diagonal = found[:, 1] - found[:, 0]
    order = np.lexsort((diagonal, found[:, 0], -found[:, 2]))
    found, diagonal = found[order], diagonal[order]
    cells = (found[:, 0] // NEAR_FRAMES << 32) + diagonal // NEAR_DIAGONAL
    _, kept = np.unique(cells, return_index=True)
    best = found[np.sort(kept)[:MOST_SEEDS]]
    return best[np.lexsort((best[:, 1], best[:, 0]))]


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


@compiled
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
