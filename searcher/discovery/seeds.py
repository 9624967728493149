"""Similar windows of frames: seeds of alignments.

find_seeds    one or two blocks -> pairs of frames whose surroundings are similar

A window is six frames, 40 ms apart. Windows are hashed by some of their signs, drawn at random
(locality-sensitive hashing; Indyk and Motwani, STOC 1998; for speech Jansen and Van Durme, ASRU
2011), once for each of `TABLES` draws; those of one bucket are compared frame by frame. So most
pairs are never compared, and the work is linear in the number of frames for blocks of limited size.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from searcher.discovery.sources import Block
from std.execution.compiled import compiled_released
from std.sound.columns import SIGNS
from std.sound.usual import differing
from std.store.columns import Int64s, UInt64s
from std.values import Int32s

STRIDE = 2  # frames from one compared frame to the next
WINDOW_FRAMES = 6  # compared frames, 40 ms apart: 0.24 s
SPAN = STRIDE * (WINDOW_FRAMES - 1)  # frames from the first compared one to the last
TABLES = 48
BUCKET = 16  # windows of a bucket on average
COMPARED = 64  # windows of its bucket with which a window is compared
LEAST_NEARER = 60  # signs: usual distance minus distance of a window
MOST_SEEDS = 200_000  # seeds of two blocks: the best
ROOM = 4 * MOST_SEEDS  # seeds of one draw
APART = 25  # least frames between two stretches of one recording
NEAR_FRAMES, NEAR_DIAGONAL = (
    12,
    4,
)  # frames: of nearer seeds only the best counts
DRAW_SEED = 1


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


def find_seeds(first: Block, second: Block | None = None) -> SeedFrames:
    """The pairs of windows nearer than usual, at most `MOST_SEEDS`.

    Args:
        first: a block.
        second: another one; None: pairs within the first.
    """
    windows = _windows(first, second)
    draw = np.random.default_rng(DRAW_SEED)
    bits = int(np.clip(np.log2(max(len(windows.begin), 2) / BUCKET), 6, 24))
    found, room = np.empty((0, 3), np.int64), np.empty((ROOM, 3), np.int64)
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


@compiled_released
def _keys(signs: UInt64s, begin: Int64s, places: Int64s) -> npt.NDArray[np.uint32]:
    """(w,) some of the signs of each window."""
    keys = np.zeros(len(begin), np.uint32)
    for w in range(len(begin)):
        for place in places:
            frame, sign = begin[w] + STRIDE * (place // SIGNS), place % SIGNS
            bit = signs[frame, sign >> 6] >> np.uint64(sign & 63) & np.uint64(1)
            keys[w] = keys[w] << np.uint32(1) | np.uint32(bit)
    return keys


@compiled_released
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
