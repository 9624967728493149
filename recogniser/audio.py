"""Audio as a stream of samples, cut into the windows that a recogniser takes.

    channels             the number of channels; 0 without an audio stream
    tracks               the number of audio streams, of which the first is read
    estimated_s          the duration that the file states
    stated_s             the same of its sound, to tell whether a file is complete
    decode               blocks of samples, never the whole file: 16 kHz, one channel, of any
                         format that PyAV's FFmpeg reads
    cut                  samples -> windows, as a stream: about a minute is in memory
    next_cut             where one window ends: the rule, over frames
    loudness_activity    voice activity by loudness alone, for recognisers without a detector

Damaged packets are skipped and counted, as players do; a file that cannot be opened at all is an
InputError. Voice activity only determines the cuts. Silence stays in the windows, so times need no
conversion. A stretch of more than 10 s without voice activity becomes a silent window. A pause is
a run of frames below a low threshold, because at the usual threshold a detector rejects speech in
noise. Without a pause, the cut is at the quietest frame, and the audio of both windows extends half
a second beyond it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recogniser.protocol import FRAME, FRAME_MS, SAMPLES_PER_S, Window
from std.audio.samples import Damage, opened, resampled, without_gaps
from std.errors import InputError
from std.imports import required
from std.values import Bools, Float32s

FULL_SCALE = 32768.0  # of 16 bits

FLOOR_PERCENTILE = 10  # share of the frames, the quietest, that are background
HALF_DB = 9.0  # above the background: speech with probability .5
SLOPE_DB = 3.0
QUIETEST_DB = -70.0  # below it is silence, whatever the background level
SHORTEST_SHARE = 0.75  # share of the longest window; earlier pauses are not used
THRESHOLD = 0.2  # speech above it
LONG_SILENCE_S = 10.0
MARGIN_S = 0.512  # around silence that is cut away, and around cuts in speech
SHORTEST_PAUSE_S = 0.128
CHUNK_S = 32.0  # voice activity is computed in blocks of this length, from fixed positions
WARM_UP_S = 1.024  # of audio before it
_MARGIN = int(MARGIN_S * SAMPLES_PER_S) // FRAME
_LONG_SILENCE = int(LONG_SILENCE_S * SAMPLES_PER_S) // FRAME
SpeechProbabilities = Callable[[Float32s], Float32s]


def channels(path: Path) -> int:
    """The number of audio channels; 0 = there is no audio stream.

    Raises:
        InputError: the file cannot be read.
    """
    with opened(path, "whisper") as (_, stream):
        return int(stream.channels or 1) if stream else 0


def tracks(path: Path) -> int:
    """The number of audio streams, as a film has one for each language.

    Raises:
        InputError: the file cannot be read.
    """
    with opened(path, "whisper") as (container, _):
        return len(container.streams.audio)


def estimated_s(path: Path) -> float:
    """The duration in seconds that the file states; 0 if it states none or cannot be read."""
    try:
        with opened(path, "whisper") as (container, _):
            return max(0.0, (container.duration or 0) / 1_000_000)
    except InputError:
        return 0.0


def stated_s(path: Path) -> float:
    """The duration in seconds that the file states for its sound; 0 if it states none.

    Raises:
        InputError: the file cannot be read.
    """
    with opened(path, "whisper") as (container, stream):
        if stream is None:
            return 0.0
        if stream.duration:
            return float(stream.duration * stream.time_base)
        has_picture = bool(container.streams.video)  # whose duration may be longer
        return 0.0 if has_picture else (container.duration or 0) / 1_000_000


def decode(
    path: Path, channel: int | None = None, damage: Damage | None = None
) -> Iterator[Float32s]:
    """Yield an audio file's samples in order, at 16 kHz, on the clock of players (`std.audio`).

    Args:
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

        def resampler() -> Any:
            return av.AudioResampler("s16p", layout, SAMPLES_PER_S, frame_size=SAMPLES_PER_S)

        row = 0 if channel is None else channel - 1
        found = resampled(container, stream, resampler, SAMPLES_PER_S, damage)
        blocks = ((place, planes[row].astype(np.float32) / FULL_SCALE) for place, planes in found)
        for _, block in without_gaps(blocks, 0, SAMPLES_PER_S):
            yield block


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of a window, in frames from its beginning."""

    frame: int
    silent: bool = False  # the window is silence
    in_speech: bool = False  # nobody paused


def cut(
    blocks: Iterable[Float32s], activity: SpeechProbabilities, longest_s: float
) -> Iterator[Window]:
    """Cut a stream of samples into windows.

    Args:
        blocks: (n,) samples each, 16 kHz.
        activity: gives the probability of speech for each frame of 512 samples.
        longest_s: the longest window.

    Yields:
        Windows in order; their spans cover all samples. A rest shorter than a frame belongs to the
        last window.
    """
    longest = int(longest_s * SAMPLES_PER_S) // FRAME
    needed = longest + _LONG_SILENCE + _MARGIN
    source = _chunks(blocks, activity)
    samples, speech = np.zeros(0, np.float32), np.zeros(0, np.float32)
    offset = 0  # frames of the recording before `samples`
    begin = before = 0  # of the window, and of the earlier audio that belongs to it: in frames
    ended = False
    while True:
        while not ended and len(speech) - begin < needed:
            chunk = next(source, None)
            ended = chunk is None
            if chunk is not None:
                samples = np.concatenate([samples, chunk[0]])
                speech = np.concatenate([speech, chunk[1]])
        if begin >= len(speech):
            return
        found = next_cut(speech[begin:], _rms(samples, begin, len(speech)), longest - before)
        end = begin + found.frame
        last = ended and end >= len(speech)
        first_frame, last_frame = begin - before, end + (_MARGIN if found.in_speech else 0)
        audio = samples[first_frame * FRAME : None if last else last_frame * FRAME]
        end_ms = (offset + end) * FRAME_MS
        if last:
            end_ms = round(1000 * (offset * FRAME + len(samples)) / SAMPLES_PER_S)
        yield Window(
            start_ms=(offset + begin) * FRAME_MS,
            end_ms=end_ms,
            audio_start_ms=(offset + first_frame) * FRAME_MS,
            samples=audio,
            speech=speech[first_frame:last_frame],
            silent=found.silent,
        )
        before = _MARGIN if found.in_speech else 0
        gone = max(0, end - before)
        samples, speech, offset = samples[gone * FRAME :], speech[gone:], offset + gone
        begin = end - gone


def next_cut(speech: Float32s, rms: Float32s, longest: int) -> Cut:
    """The end of the window that begins with the first frame.

    Args:
        speech: (n,) probabilities of speech, up to the recording's end or far enough beyond
            ``longest`` to show a long silence.
        rms: (n,) loudness of each frame.
        longest: frames of the longest window.
    """
    pauses = _runs(speech < THRESHOLD)
    long = [(a, b) for a, b in pauses if b - a > _LONG_SILENCE]
    if long and long[0][0] <= _MARGIN:  # it begins with silence; speech may begin before it ends
        end = long[0][1]
        return Cut(min(longest, end if end == len(speech) else end - _MARGIN), silent=True)
    limit = min(longest, len(speech))
    if long and long[0][0] + _MARGIN <= limit:
        return Cut(long[0][0] + _MARGIN)
    if len(speech) <= longest:
        return Cut(len(speech))
    earliest = int(limit * SHORTEST_SHARE)
    shortest = int(SHORTEST_PAUSE_S * SAMPLES_PER_S) // FRAME
    candidates = [
        (min(b, limit) - a, (a + min(b, limit)) // 2)
        for a, b in pauses
        if min(b, limit) - a >= shortest and earliest <= (a + min(b, limit)) // 2 < limit
    ]
    if candidates:
        return Cut(max(candidates)[1])
    smooth = np.convolve(rms[:limit], np.ones(5) / 5, mode="same")
    quietest = earliest + int(np.argmin(smooth[earliest : limit - _MARGIN]))
    return Cut(quietest, in_speech=True)


def _chunks(
    blocks: Iterable[Float32s], activity: SpeechProbabilities
) -> Iterator[tuple[Float32s, Float32s]]:
    """Samples in equal chunks, each with the probabilities of its frames.

    A chunk's probabilities depend only on the chunk and the second before it, never on where the
    stream began. A short last frame is padded with silence for the detector.
    """
    size, warm_up = int(CHUNK_S * SAMPLES_PER_S), int(WARM_UP_S * SAMPLES_PER_S)
    before = np.zeros(0, np.float32)
    for chunk in _equal(blocks, size):
        filled = np.pad(chunk, (0, -len(chunk) % FRAME))
        speech = activity(np.concatenate([before, filled]))[len(before) // FRAME :]
        yield chunk, speech
        before = chunk[-warm_up:]


def _equal(blocks: Iterable[Float32s], size: int) -> Iterator[Float32s]:
    waiting: list[Float32s] = []
    n = 0
    for block in blocks:
        waiting.append(block)
        n += len(block)
        while n >= size:
            joined = np.concatenate(waiting)
            yield joined[:size]
            waiting, n = [joined[size:]], n - size
    if n:
        yield np.concatenate(waiting)


def _rms(samples: Float32s, begin: int, end: int) -> Float32s:
    """(end - begin,) root mean square of frames."""
    part = samples[begin * FRAME : end * FRAME]
    filled = np.pad(part, (0, (end - begin) * FRAME - len(part)))
    squares = np.square(filled).reshape(-1, FRAME).mean(axis=1)
    loudness: Float32s = np.sqrt(squares).astype(np.float32)
    return loudness


def _runs(flags: Bools) -> list[tuple[int, int]]:
    """First and last + 1 of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def loudness_activity(samples: Float32s) -> Float32s:
    """(n // 512,) how much louder each frame is than the background, as a probability."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    if not len(frames):
        return np.zeros(0, np.float32)
    decibels = 10 * np.log10(np.square(frames, dtype=np.float64).mean(axis=1) + 1e-12)
    floor = max(QUIETEST_DB, float(np.percentile(decibels, FLOOR_PERCENTILE)))
    odds = (decibels - floor - HALF_DB) / SLOPE_DB
    probability: Float32s = (1 / (1 + np.exp(-odds))).astype(np.float32)
    return probability
