"""The distance from each frame to other frames by chance, estimated from a sample of the archive.

usual_distances    signs -> the distance within which few frames of the archive lie
silent             which frames are silence, or another sound that lasts long
differing          the number of signs in which two frames differ, in four instructions

A frame of a vowel resembles more other frames than a frame of the change from one consonant to the
next. So a distance is compared with the distances that are usual for its two frames.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from std.execution.compiled import compiled, compiled_within
from std.sound.columns import SIGNS
from std.values import Bools, Int32s, UInt64s

SAMPLE = 1000  # frames, from all over the archive
NEAREST = 5  # of them are nearer than is usual
SILENT = 0.85  # of the median usual distance; frames below it resemble many others


def _count_ones(context: Any, word: Any) -> Any:
    """The number of set bits of a 64-bit word: one instruction."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


ones: Any = intrinsic(_count_ones)


@compiled_within
def differing(one: UInt64s, other: UInt64s) -> int:
    """The number of their 256 signs in which two frames differ.

    Args:
        one, other: (4,) the signs of each.
    """
    count = ones(one[0] ^ other[0]) + ones(one[1] ^ other[1])
    count += ones(one[2] ^ other[2]) + ones(one[3] ^ other[3])
    return int(count)


def sample_of(signs: UInt64s) -> UInt64s:
    """(<= 1000, 4) frames from all over an archive.

    Args:
        signs: (n, 4) of its frames.
    """
    return signs[np.linspace(0, len(signs) - 1, min(SAMPLE, len(signs))).astype(np.int64)]


def usual_distances(signs: UInt64s, sample: UInt64s) -> Int32s:
    """(n,) the distance of each frame to the nearest ones of a sample.

    Args:
        signs: (n, 4) of frames.
        sample: (m, 4) of the archive.
    """
    rank = max(1, NEAREST * len(sample) // SAMPLE)
    return _ranked(np.ascontiguousarray(signs), np.ascontiguousarray(sample), rank)


def silent(usual: Int32s, median: float) -> Bools:
    """(n,) frames that resemble many others, as most around them do.

    Args:
        usual: (n,) `usual_distances` of frames in a row.
        median: the median of the archive.
    """
    common = usual < SILENT * median
    around = np.convolve(common, np.ones(3, np.int64))[1:-1]  # "same" gives two frames a third
    is_silent: Bools = around >= 2
    return is_silent


@compiled
def _ranked(signs: UInt64s, sample: UInt64s, rank: int) -> Int32s:
    usual = np.empty(len(signs), np.int32)
    counts = np.empty(SIGNS + 1, np.int64)
    for frame in range(len(signs)):
        counts[:] = 0
        for other in range(len(sample)):
            counts[differing(signs[frame], sample[other])] += 1
        below, distance = 0, 0
        while below <= rank and distance < SIGNS:
            below += counts[distance]
            distance += 1
        usual[frame] = distance - 1
    return usual
