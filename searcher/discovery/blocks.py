"""The frames of an archive in blocks: pairs of blocks are items of work that fit in memory.

Frames       of a recording
Block        frames of some recordings, ready to be compared
Blocks       all blocks, and the kind of their frames
blocks_of    frames of recordings -> Blocks
backwards    a block with time reversed, to measure chance
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from std.sound.usual import sample_of, silent, usual_distances
from std.sound.value import FRAME_MS
from std.store.columns import Int64s, UInt64s
from std.values import Bools, Int32s

LENGTH = 5 * 3600 * 1000 // FRAME_MS  # frames of a block: five hours, or one longer recording


class Frames(NamedTuple):
    """The frames of a recording."""

    recording: int  # row of the archive's recordings
    start_ms: int
    signs: UInt64s  # (n, 4)
    silent: Bools | None = None  # (n,) if known
    usual: int | None = None  # distance of frames to others by chance, if known


class Block(NamedTuple):
    """The frames of some recordings, concatenated."""

    signs: UInt64s  # (n, 4)
    usual: Int32s  # (n,) distance of a frame to others by chance
    silent: Bools  # (n,)
    offsets: Int64s  # (r + 1,) frames of each recording


class Blocks(NamedTuple):
    """An archive in blocks."""

    blocks: tuple[Block, ...]
    frames: tuple[tuple[Frames, ...], ...]  # the recordings of each block


def blocks_of(recordings: Sequence[Frames], length: int = LENGTH) -> Blocks:
    """Put recordings into blocks.

    Args:
        recordings: at least one recording.
        length: the largest number of frames in a block, unless a recording has more.
    """
    groups: list[list[Frames]] = [[]]
    size = 0
    for one in recordings:
        if groups[-1] and size + len(one.signs) > length:
            groups.append([])
            size = 0
        groups[-1].append(one)
        size += len(one.signs)
    sample = sample_of(np.concatenate([sample_of(one.signs) for one in recordings]))
    median = float(np.median(usual_distances(sample, sample)))
    blocks = [_block(group, sample, median) for group in groups]
    return Blocks(tuple(blocks), tuple(tuple(group) for group in groups))


def backwards(block: Block) -> Block:
    """A block with time reversed: its frames are speech, but their order is not."""
    return Block(
        np.ascontiguousarray(block.signs[::-1]),
        np.ascontiguousarray(block.usual[::-1]),
        np.ascontiguousarray(block.silent[::-1]),
        block.offsets[-1] - block.offsets[::-1],
    )


def _block(group: Sequence[Frames], sample: UInt64s, median: float) -> Block:
    usual, pauses = [], []
    for one in group:
        if one.usual is None:
            usual.append(usual_distances(one.signs, sample))
        else:
            usual.append(np.full(len(one.signs), one.usual, np.int32))
        pauses.append(silent(usual[-1], median) if one.silent is None else one.silent)
    lengths = [len(one.signs) for one in group]
    return Block(
        np.concatenate([one.signs for one in group]),
        np.concatenate(usual),
        np.concatenate(pauses),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )
