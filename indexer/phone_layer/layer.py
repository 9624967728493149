"""A linear layer from an encoder's frames to phones.

PhoneLayer    frames -> log posteriors of silence and each phone
in_context    frames -> what the layer looks at: each frame, and one on either side
fits_of       log posteriors -> how well each frame fits each phone, whatever is frequent
"""

from dataclasses import dataclass

import numpy as np

from std.sound.value import Encoder
from std.values import Float32s, freeze

SHARE_POWER = 0.5  # of a phone's share, by which its posteriors are divided
WORST_FIT = -10.0  # nats
CONTEXT = 1  # frame to either side of a frame that the layer sees, too


def in_context(frames: Float32s) -> Float32s:
    """(n, 3 d) each frame between the frames `CONTEXT` before and behind it.

    At the ends of a recording its first and last frames stand for those that are not there.
    """
    n = len(frames)
    at = np.arange(n)
    sides = [frames[np.clip(at + shift, 0, max(n - 1, 0))] for shift in (-CONTEXT, 0, CONTEXT)]
    return np.concatenate(sides, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class PhoneLayer:
    """What an encoder's frames say of phones."""

    encoder: Encoder
    phones: tuple[str, ...]  # silence is beside them, the first class
    weights: Float32s  # (3 d, phones + 1)
    bias: Float32s  # (phones + 1,)
    shares: Float32s  # (phones + 1,) of the speech that taught it

    def __post_init__(self) -> None:
        freeze(self)

    def log_posteriors(self, frames: Float32s) -> Float32s:
        """(n, phones + 1) natural logs; of silence first.

        Args:
            frames: (n, d) of the layer's encoder.
        """
        return log_softmax(in_context(frames) @ self.weights + self.bias)


def log_softmax(scores: Float32s) -> Float32s:
    """(n, k) scores less the log of the sum of their exponentials, row by row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    normalised: Float32s = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return normalised


def fits_of(log_posteriors: Float32s, shares: Float32s) -> Float32s:
    """(n, k) nats, how well each frame fits each phone, less that of the best (to `WORST_FIT`).

    Args:
        log_posteriors: (n, k) of each frame.
        shares: (k,) of the phones in the speech that taught, or (n, k) of each frame.
    """
    scores = log_posteriors - SHARE_POWER * np.log(shares)
    fits: Float32s = np.maximum(scores - scores.max(axis=1, keepdims=True), np.float32(WORST_FIT))
    return fits
