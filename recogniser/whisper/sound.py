"""Whisper's encoder as a `recogniser.sound.encoder.SoundEncoder`: of any size, for any language."""

from typing import Any

import numpy as np

from recogniser.protocol import SAMPLES_PER_S
from recogniser.whisper.engine import Engine
from std.values import Float32s

FRAMES_PER_S = 50


class WhisperSound:
    """The last layer of the encoder, one frame for each 20 ms."""

    name = "whisper"
    longest_window_s = 28.0  # Whisper sees 30 s

    def __init__(self, engine: Engine, model_hash: str, activity: Any) -> None:
        """Take the encoder of a loaded model.

        Args:
            engine: the model.
            model_hash: SHA-256 of it.
            activity: samples -> probability of speech, which decides where windows end.
        """
        self._engine, self.model_hash = engine, model_hash
        self.speech_probabilities = activity

    def encode(self, samples: Float32s) -> Float32s:
        return frames_of(self._engine.encode(samples), len(samples))


def frames_of(encoded: Any, samples: int) -> Float32s:
    """(m, d) the frames of an encoded window; those of the silence that fills it up are left out.

    Args:
        encoded: handle of a window, as the engine gives it.
        samples: of the window.
    """
    frames: Float32s = np.asarray(encoded)[0].astype(np.float32, copy=False)
    return frames[: max(1, -(-samples * FRAMES_PER_S // SAMPLES_PER_S))]
