"""Samples of an audio file, or of a stretch of it: mono, at the rate that is asked for."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from std.audio.frames import frames, opened
from std.errors import InputError
from std.extras import required
from std.values import Float32s

SEEK_BEFORE_S = 0.5  # decoders need some samples before those that count
GO_ON: Callable[[], None] = lambda: None  # noqa: E731  # a name for "never stopped"


def samples(
    path: Path,
    rate: int,
    *,
    channel: int = 1,
    from_s: float = 0.0,
    to_s: float = float("inf"),
    check: Callable[[], None] = GO_ON,
) -> Iterator[Float32s]:
    """Yield the samples between two times in blocks, from -1 to 1.

    Args:
        path: of the audio file.
        rate: samples per second that are wanted.
        channel: from 1; a file that has only one is that one for every channel.
        from_s, to_s: the stretch; what lies outside the file is left out.
        check: called between blocks; it may raise to stop.

    Raises:
        InputError: the file cannot be decoded.
        ConfigError: PyAV is not installed.
    """
    av = required("av", "audio")
    with opened(path) as (container, stream):
        if stream is None:
            raise InputError(path, 0, "audio", "no audio stream")
        begin_s = max(0.0, from_s - SEEK_BEFORE_S)
        if begin_s > 0:
            container.seek(int(begin_s * av.time_base), backward=True)
        resampler = av.AudioResampler(format="fltp", rate=rate)
        place: int | None = None  # of the next sample
        for frame in frames(container, stream):
            check()
            if place is None:
                place = round((frame.time or 0.0) * rate) if frame else 0
            for resampled in resampler.resample(frame):
                block = _channel(resampled.to_ndarray(), channel)
                yield from _between(block, place, from_s * rate, to_s * rate)
                place += len(block)
            if place >= to_s * rate:
                return


def _channel(planes: np.ndarray, channel: int) -> Float32s:
    plane: Float32s = planes[min(channel, len(planes)) - 1]
    return plane


def _between(block: Float32s, place: int, first: float, end: float) -> Iterator[Float32s]:
    inside = block[max(0, int(np.ceil(first)) - place) : max(0, int(min(end, 1e15)) - place)]
    if len(inside):
        yield inside
