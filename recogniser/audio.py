"""Audio files as streams of samples: any format that PyAV's FFmpeg reads, 16 kHz, one channel.

    channels    how many an audio file has; 0 without an audio stream
    estimated_s how long it says it is
    decode      blocks of samples, never the whole file

Damaged packets are skipped and counted, as players do; a file
that cannot be opened at all is an InputError.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recogniser.protocol import SAMPLES_PER_S
from std.errors import InputError
from std.extras import required
from std.values import Float32s

FULL_SCALE = 32768.0  # of 16 bits


@dataclass(slots=True)
class Damage:
    """Packets that could not be decoded."""

    packets: int = 0


def channels(path: Path) -> int:
    """How many channels the audio has; 0 = there is no audio stream.

    Raises:
        InputError: not readable.
    """
    with _opened(path) as (_, stream):
        return int(stream.channels or 1) if stream else 0


def estimated_s(path: Path) -> float:
    """Seconds of audio as the file says; 0 where it says nothing or cannot be read."""
    try:
        with _opened(path) as (container, _):
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
    with _opened(path) as (container, stream):
        if stream is None:
            return
        layout = "mono" if channel is None else stream.layout.name
        resampler = av.AudioResampler(format="s16p", layout=layout, rate=SAMPLES_PER_S)
        row = 0 if channel is None else channel - 1
        for frame in _frames(av, container, stream, damage):
            for resampled in resampler.resample(frame):
                yield resampled.to_ndarray()[row].astype(np.float32) / FULL_SCALE


def _frames(av: Any, container: Any, stream: Any, damage: Damage) -> Iterator[Any]:
    """Decoded frames, then None, which flushes a resampler."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            frames = packet.decode()
        except StopIteration:
            break
        except av.error.EOFError:
            break
        except av.error.FFmpegError:
            damage.packets += 1
            if damage.packets > MAX_DAMAGED:
                break
            continue
        for frame in frames:
            frame.pts = None  # what is decoded counts, not what the container says
            yield frame
    yield None


MAX_DAMAGED = 100_000  # a stream that never ends and never decodes


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    av = required("av", "whisper")
    try:
        if not path.stat().st_size:
            raise InputError(path, 0, "audio", "an empty file")
        container = av.open(str(path), metadata_errors="ignore")
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(path, 0, "audio", error.strerror or str(error)) from error
    with container:
        yield container, next(iter(container.streams.audio), None)
