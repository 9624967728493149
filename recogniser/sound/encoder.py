"""The interface of an encoder of sound; ``--sound`` works with every implementation of it.

    SoundEncoder   samples in, frames out, 50 a second
    Scale          the mean and deviation of each dimension of an encoder's frames
    scale_of       an encoder -> its scale, from the reference recording of this package

A few dimensions of an encoder have a hundred times the deviation of the others and would dominate
every comparison. Recordings can only be compared if all archives use the same scale, so it is
measured on 28 s of speech in this package, not on the archive. docs/sound.md has the measurements.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from recogniser.audio import decode
from std.sound.value import Encoder
from std.values import Float32s

REFERENCE = Path(__file__).with_name("reference.ogg")  # three speakers: English, German, Dutch
METHOD = 1  # changes when the meaning of frames changes
SMALLEST_DEVIATION = 1e-6


class SoundEncoder(Protocol):
    """Turns audio into frames. One object works for one process.

    The same samples must give the same frames, whatever the encoder encoded before.
    """

    @property
    def name(self) -> str:
        """The kind of encoder, as ``whisper``."""

    @property
    def model_hash(self) -> str:
        """SHA-256 of its model."""

    @property
    def longest_window_s(self) -> float:
        """The longest window that it takes."""

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        """(n // 512,) the probability of speech per frame of 32 ms; windows end in pauses."""

    def encode(self, samples: Float32s) -> Float32s:
        """(m, d) a frame for each 20 ms of a window of 16 kHz."""


class Scale(NamedTuple):
    """Mean and deviation of each dimension of an encoder's frames."""

    mean: Float32s  # (d,)
    deviation: Float32s  # (d,)

    def of(self, frames: Float32s) -> Float32s:
        """(n, d) scaled frames."""
        return (frames - self.mean) / self.deviation


def scale_of(encoder: SoundEncoder) -> Scale:
    """The scale of an encoder's frames."""
    frames = encoder.encode(np.concatenate(list(decode(REFERENCE)))).astype(np.float64)
    deviation = np.maximum(frames.std(axis=0), SMALLEST_DEVIATION)
    return Scale(frames.mean(axis=0).astype(np.float32), deviation.astype(np.float32))


def identity_of(encoder: SoundEncoder) -> Encoder:
    """The model, the reference recording and the method; equal ones make frames comparable."""
    parts = f"{encoder.model_hash} {_reference_hash()} {METHOD}"
    return Encoder(encoder.name, hashlib.sha256(parts.encode()).hexdigest())


@cache
def _reference_hash() -> str:
    return hashlib.sha256(REFERENCE.read_bytes()).hexdigest()
