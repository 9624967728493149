"""A stretch of a recording as a file of its own: Ogg Opus, or WAV."""

import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from service.audio.decode import samples
from service.problems import ProblemError
from service.recordings import RecordingEntry

Format = Literal["ogg", "wav"]

MEDIA_TYPES = {"ogg": "audio/ogg", "wav": "audio/wav"}
RATES = {"ogg": 48_000, "wav": 16_000}
BIT_RATE = 32_000  # of Opus: transparent for speech
FRAME = 960


def clip(
    entry: RecordingEntry, from_s: float, to_s: float, kind: Format, check: Callable[[], None]
) -> bytes:
    """The bytes of a clip.

    Raises:
        ProblemError: there is no sound in the stretch.
    """
    assert entry.audio is not None
    rate = RATES[kind]
    blocks = samples(
        entry.audio, rate, channel=entry.recording.channel, from_s=from_s, to_s=to_s, check=check
    )
    sound = np.concatenate([np.zeros(0, np.float32), *blocks])
    if not len(sound):
        raise ProblemError(404, f"the audio of {entry.title} has no sound from {from_s:g} s on")
    pcm = np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2")
    target = io.BytesIO()
    if kind == "wav":
        with wave.open(target, "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(rate)
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
        self._container = av.open(place, "w", format="ogg")
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
