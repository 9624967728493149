"""Audio files as streams of samples: any format that PyAV's FFmpeg reads, 16 kHz, one channel.

    channels    how many an audio file has; 0 without an audio stream
    estimated_s how long it says it is
    decode      blocks of samples, never the whole file

Damaged packets are skipped and counted, as players do; a file
that cannot be opened at all is an InputError.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recogniser.protocol import SAMPLES_PER_S
from std.audio.frames import Damage, frames, opened
from std.errors import InputError
from std.extras import required
from std.values import Float32s

FULL_SCALE = 32768.0  # of 16 bits


def channels(path: Path) -> int:
    """How many channels the audio has; 0 = there is no audio stream.

    Raises:
        InputError: not readable.
    """
    with opened(path, "whisper") as (_, stream):
        return int(stream.channels or 1) if stream else 0


def estimated_s(path: Path) -> float:
    """Seconds of audio as the file says; 0 where it says nothing or cannot be read."""
    try:
        with opened(path, "whisper") as (container, _):
            return max(0.0, (container.duration or 0) / 1_000_000)
    except InputError:
        return 0.0


def decode(
    path: Path, channel: int | None = None, damage: Damage | None = None
) -> Iterator[Float32s]:
    """Yield an audio file's samples in order, at 16 kHz.

    Args:
        path: the file.
        channel: 1-based; None = the mean of all.
        damage: counts what had to be skipped.

    Yields:
        (n,) samples in [-1, 1].

    Raises:
        InputError: not readable.
    """
    av = required("av", "whisper")
    damage = damage or Damage()
    with opened(path, "whisper") as (container, stream):
        if stream is None:
            return
        layout = "mono" if channel is None else stream.layout.name
        resampler = av.AudioResampler(format="s16p", layout=layout, rate=SAMPLES_PER_S)
        row = 0 if channel is None else channel - 1
        for frame in frames(container, stream, damage):
            if frame is not None:
                frame.pts = None  # what is decoded counts, not what the container says
            for resampled in resampler.resample(frame):
                yield resampled.to_ndarray()[row].astype(np.float32) / FULL_SCALE
