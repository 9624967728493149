"""Frames -> the signs of 256 random projections, packed.

signs    (n, d) standardised frames -> (n, 32) bytes

The share of signs in which two frames differ is their angle / pi. Source: Charikar, "Similarity
estimation techniques from rounding algorithms" (STOC 2002), section 3.
"""

import hashlib
from functools import cache

import numpy as np

from std.sound.value import SIGNS, UInt8s
from std.values import Float32s

SEED = b"std sound 1"


def signs(frames: Float32s) -> UInt8s:
    """(n, 32) the signs of frames.

    Args:
        frames: (n, d), each dimension of mean 0 and deviation 1 over much speech; otherwise a
            few dimensions decide all signs.
    """
    return np.packbits(frames @ _projection(frames.shape[1]) > 0, axis=1)


@cache
def _projection(dimensions: int) -> Float32s:
    """(d, 256) of 1 and -1; from a hash, so that every version of numpy draws the same."""
    drawn = hashlib.shake_256(SEED).digest(dimensions * SIGNS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimensions, SIGNS)
    return bits.astype(np.float32) * 2 - 1
