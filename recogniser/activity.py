"""Voice activity by loudness alone, for recognisers that bring no detector.

loudness_activity    samples -> probability of speech per frame
"""

import numpy as np

from recogniser.protocol import FRAME
from std.values import Float32s

FLOOR_PERCENTILE = 10  # frames this quiet are background
HALF_DB = 9.0  # above the background: as likely speech as not
SLOPE_DB = 3.0
QUIETEST_DB = -70.0  # below it is silence, whatever the background


def loudness_activity(samples: Float32s) -> Float32s:
    """(n // 512,) how far each frame stands out from the background, as a probability."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    if not len(frames):
        return np.zeros(0, np.float32)
    decibels = 10 * np.log10(np.square(frames, dtype=np.float64).mean(axis=1) + 1e-12)
    floor = max(QUIETEST_DB, float(np.percentile(decibels, FLOOR_PERCENTILE)))
    odds = (decibels - floor - HALF_DB) / SLOPE_DB
    probability: Float32s = (1 / (1 + np.exp(-odds))).astype(np.float32)
    return probability
