"""Audio files as streams of samples: any format that PyAV's FFmpeg reads, 16 kHz, one channel.

    channels     the number of channels; 0 without an audio stream
    estimated_s  the duration that the file states
    decode       blocks of samples, never the whole file

Damaged packets are skipped and counted, as players do; a file
that cannot be opened at all is an InputError.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recogniser.protocol import SAMPLES_PER_S
from std.audio.samples import Damage, frames, opened
from std.errors import InputError
from std.imports import required
from std.values import Float32s

FULL_SCALE = 32768.0  # of 16 bits


def channels(path: Path) -> int:
    """The number of audio channels; 0 = there is no audio stream.

    Raises:
        InputError: the file cannot be read.
    """
    with opened(path, "whisper") as (_, stream):
        return int(stream.channels or 1) if stream else 0


def estimated_s(path: Path) -> float:
    """The duration in seconds that the file states; 0 if it states none or cannot be read."""
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
        damage: counts skipped packets.

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
                frame.pts = None  # the decoded samples count, not what the container states
            for resampled in resampler.resample(frame):
                yield resampled.to_ndarray()[row].astype(np.float32) / FULL_SCALE
