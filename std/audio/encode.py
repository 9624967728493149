"""Samples as a file of their own: Ogg Opus, or WAV."""

import io
import wave
from pathlib import Path
from typing import Literal

import numpy as np

from std.values import Float32s

Format = Literal["ogg", "wav"]

RATES = {"ogg": 48_000, "wav": 16_000}
BIT_RATE = 32_000  # of Opus: transparent for speech
FRAME = 960


def sound_file(sound: Float32s, kind: Format) -> bytes:
    """The bytes of a file.

    Args:
        sound: (n,) mono samples from -1 to 1, `RATES` of them in a second.
        kind: of the file.
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
