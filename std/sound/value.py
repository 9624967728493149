"""Frames of a recording.

Encoder    what made them: frames of two encoders have nothing in common
Sound      frames with their clock, as signs or exact
frames     any of them as numbers
signs      numbers -> the signs of 256 random projections, packed

The share of signs in which two frames differ is their angle / pi. Source: Charikar, "Similarity
estimation techniques from rounding algorithms" (STOC 2002), section 3.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.values import Float32s, Recording, freeze

PROJECTION_SEED = b"std sound 1"
UInt8s = npt.NDArray[np.uint8]
Float16s = npt.NDArray[np.float16]

FRAME_MS = 20
SIGNS = 256
SIGN_BYTES = SIGNS // 8


class Encoder(NamedTuple):
    """What made frames; those of different encoders cannot be compared."""

    name: str  # as whisper
    hash: str  # of the model and the settings that frames depend on


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """The frames of a recording: frame i is the sound from ``start_ms + i * frame_ms`` on.

    ``stored`` holds either the signs of random projections (`std.sound.value`), packed, or the
    frames themselves, as the encoder gives them.

    Raises:
        ValueError: ``stored`` is neither.
    """

    recording: Recording
    encoder: Encoder
    stored: UInt8s | Float16s = field(repr=False)  # (n, 32) packed signs, or (n, d) exact
    start_ms: int = 0
    frame_ms: int = FRAME_MS

    def __post_init__(self) -> None:
        kind, shape = self.stored.dtype, self.stored.shape
        signs = kind == np.uint8 and shape[1:] == (SIGN_BYTES,)
        exact = kind == np.float16 and len(shape) == 2
        if not signs and not exact:
            raise ValueError(f"{self.recording.file}: frames of shape {shape} and type {kind}")
        freeze(self)

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def exact(self) -> bool:
        """Whether these are the encoder's own frames, not signs."""
        return self.stored.dtype == np.float16

    @property
    def end_ms(self) -> int:
        """Where the last frame ends."""
        return self.start_ms + len(self) * self.frame_ms


def frames(sound: Sound) -> Float32s:
    """(n, d) frames as numbers; signs are 1 and -1, and d is 256 then."""
    if sound.exact:
        return sound.stored.astype(np.float32)
    bits = np.unpackbits(sound.stored.astype(np.uint8, copy=False), axis=1)
    return bits.astype(np.float32) * 2 - 1


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
    drawn = hashlib.shake_256(PROJECTION_SEED).digest(dimensions * SIGNS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimensions, SIGNS)
    return bits.astype(np.float32) * 2 - 1
