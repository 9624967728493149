"""Decode an audio file, or a stretch of it, into samples, and write samples to a file.

opened       a file, of any format that PyAV's FFmpeg reads, and its first audio stream
frames       the frames of the stream, in order
resampled    the frames at the requested rate, each with its place
Damage       counts skipped packets, which could not be decoded
samples      an audio file -> mono samples, at the requested rate
sound_file   samples -> Ogg Opus, or WAV

Times are those of players: they count from the beginning that the file states, and a gap in its
time stamps is silence. Interrupted recordings, damaged files, and films whose sound begins after
the picture have such gaps.
"""

import io
import wave
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np

from std.errors import EMPTY_FILE, InputError, Unquoted
from std.imports import required
from std.values import Float32s

NO_OTHER_FILES = {"protocol_whitelist": "none"}  # a playlist must not open other files
MAX_DAMAGED = 100_000  # in a row: a stream that never decodes ends here


@dataclass(slots=True)
class Damage:
    """Packets that could not be decoded."""

    packets: int = 0


@contextmanager
def opened(path: Path, extra: str = "audio") -> Iterator[tuple[Any, Any]]:
    """PyAV's container of an audio file, and its first audio stream; None if it has none.

    Args:
        extra: the extra that a message names if PyAV is not installed.

    Raises:
        InputError: the file cannot be opened or read.
        ConfigError: PyAV is not installed.
    """
    av = required("av", extra)
    try:
        if not path.stat().st_size:
            raise InputError(path, 0, "audio", EMPTY_FILE)
        with (
            path.open("rb") as file,
            av.open(file, metadata_errors="ignore", options=NO_OTHER_FILES) as container,
        ):
            yield container, next(iter(container.streams.audio), None)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(path, 0, "audio", Unquoted(error.strerror or str(error))) from error


def frames(container: Any, stream: Any, damage: Damage) -> Iterator[Any]:
    """Yield PyAV's frames, then None, which flushes a resampler.

    Args:
        damage: counts packets that cannot be decoded, which are skipped, as in players.
    """
    import av

    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            decoded = packet.decode()
        except (StopIteration, av.error.EOFError):
            break
        except av.error.FFmpegError:
            damage.packets += 1
            if damage.packets > MAX_DAMAGED:
                break
            continue
        yield from decoded
    yield None


GAP_S = 0.1  # a longer step of the time stamps is a gap; shorter ones are rounded stamps
LONGEST_GAP_S = 3600.0  # a longer one is a damaged time stamp, as one beyond the stated end


def resampled(
    container: Any,
    stream: Any,
    resampler: Callable[[], Any],
    rate: int,
    damage: Damage,
    *,
    sought: bool = False,
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield resampled blocks, each with the place of its first sample.

    Args:
        rate: the sampling rate of the result, Hz.
        sought: whether the first frame may be any; else it belongs to the beginning.
    """
    import av

    begin_s = (container.start_time or 0) / av.time_base
    end_s = container.duration / av.time_base if container.duration else inf
    place, due_s, current = 0, 0.0, resampler()
    for frame in frames(container, stream, damage):
        ahead_s = 0.0
        if frame is not None and frame.time is not None:
            ahead_s = frame.time - begin_s - due_s
        is_gap = GAP_S < ahead_s < LONGEST_GAP_S and due_s + ahead_s <= end_s
        if sought or is_gap:
            for block in _blocks(current, None) if is_gap and not sought else ():
                yield place, block
                place += block.shape[1]
            current, sought, due_s = resampler(), False, max(0.0, due_s + ahead_s)
            place = max(place, round(due_s * rate))
        if frame is not None:
            frame.pts = None  # between gaps, samples count
            due_s += frame.samples / frame.sample_rate
        for block in _blocks(current, frame):
            yield place, block
            place += block.shape[1]


def _blocks(resampler: Any, frame: Any) -> Iterator[np.ndarray]:
    for one in resampler.resample(frame):
        yield one.to_ndarray()


def without_gaps(
    blocks: Iterable[tuple[int, Float32s]], first: int, longest: int
) -> Iterator[tuple[int, Float32s]]:
    """Blocks of samples with silence in the gaps between them.

    Args:
        blocks: in order, each with the place of its first sample.
        first: where the first block should begin; an earlier one stays.
        longest: samples of a block of silence.
    """
    for place, block in blocks:
        for at in range(first, place, longest):
            yield at, np.zeros(min(longest, place - at), np.float32)
        yield place, block
        first = place + len(block)


SEEK_BEFORE_S = 0.5  # decoders need some earlier samples
GO_ON: Callable[[], None] = lambda: None  # noqa: E731  # a name for "never stopped"

Format = Literal["ogg", "wav"]

RATES = {"ogg": 48_000, "wav": 16_000}
BIT_RATE = 32_000  # of Opus: transparent for speech
FRAME = 960


def samples(
    path: Path,
    rate: int,
    *,
    channel: int = 1,
    from_s: float = 0.0,
    to_s: float = float("inf"),
    check: Callable[[], None] = GO_ON,
) -> Iterator[Float32s]:
    """Yield blocks of the samples between two times, from -1 to 1.

    Args:
        rate: the sampling rate of the result, Hz.
        channel: from 1; a mono file is used for every channel.
        from_s, to_s: the stretch; parts outside the file are left out.
        check: called between blocks; it may raise to stop.

    Raises:
        InputError: the file cannot be decoded.
        ConfigError: PyAV is not installed.
    """
    av = required("av", "audio")
    damage, any_sound = Damage(), False
    with opened(path) as (container, stream):
        if stream is None:
            raise InputError(path, 0, "audio", Unquoted("no audio stream"))
        begin_s = max(0.0, from_s - SEEK_BEFORE_S)
        if begin_s > 0:
            container.seek(int(begin_s * av.time_base) + (container.start_time or 0), backward=True)

        def resampler() -> Any:
            return av.AudioResampler(format="fltp", rate=rate, frame_size=rate)  # blocks of 1 s

        found = resampled(container, stream, resampler, rate, damage, sought=begin_s > 0)
        blocks = ((place, _channel(planes, channel)) for place, planes in found)
        for place, block in without_gaps(blocks, int(begin_s * rate), rate):
            check()
            any_sound = True
            yield from _between(block, place, from_s * rate, to_s * rate)
            if place + len(block) >= to_s * rate:
                return
    if damage.packets and not any_sound and begin_s == 0:
        raise InputError(path, 0, "audio", Unquoted("damaged packets only"))


def _channel(planes: np.ndarray, channel: int) -> Float32s:
    plane: Float32s = planes[min(channel, len(planes)) - 1]
    return plane


def _between(block: Float32s, place: int, first: float, end: float) -> Iterator[Float32s]:
    inside = block[max(0, int(np.ceil(first)) - place) : max(0, int(min(end, 1e15)) - place)]
    if len(inside):
        yield inside


def sound_file(sound: Float32s, kind: Format) -> bytes:
    """The bytes of a file.

    Args:
        sound: (n,) mono samples from -1 to 1, `RATES` of them in a second.
    """
    pcm = np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2")
    target = io.BytesIO()
    if kind == "wav":
        with wave.open(target, "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(RATES[kind])
            writer.writeframes(pcm.tobytes())
    else:
        with OpusWriter(target) as opus:
            opus.write(pcm)
    return target.getvalue()


class OpusWriter:
    """Writes mono samples of 48 kHz as Ogg Opus; a context manager."""

    def __init__(self, target: io.BytesIO | Path) -> None:
        import av

        place = str(target) if isinstance(target, Path) else target
        same = {"fflags": "bitexact"}  # not a random serial number: the same sound, the same bytes
        self._container = av.open(place, "w", format="ogg", options=same)
        self._stream = self._container.add_stream("libopus", rate=RATES["ogg"], layout="mono")
        self._stream.bit_rate = BIT_RATE
        self._rest = np.empty(0, np.int16)
        self._place = 0

    def __enter__(self) -> "OpusWriter":
        return self

    def write(self, pcm: np.ndarray) -> None:
        """Add samples (n,) of 16 bits."""
        joined = np.concatenate([self._rest, pcm])
        whole = len(joined) // FRAME * FRAME
        for start in range(0, whole, FRAME):
            self._encode(joined[start : start + FRAME])
        self._rest = joined[whole:]

    def _encode(self, pcm: np.ndarray) -> None:
        import av

        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(pcm)[None], "s16", "mono")
        frame.sample_rate = RATES["ogg"]
        frame.pts = self._place
        self._place += len(pcm)
        self._container.mux(self._stream.encode(frame))

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            if len(self._rest):
                self._encode(np.pad(self._rest, (0, FRAME - len(self._rest))))
            self._container.mux(self._stream.encode(None))
        self._container.close()
