"""Properties of a recording's audio file that an index keeps as metadata of the recording.

    audio            its path below the folder of all audio, with /
    audio_bytes      its size
    audio_hash       a digest of its size, beginning, middle and end; it tells a file that was moved
    audio_s          its duration in seconds, as the file says it
    audio_channels   how many it has

Duration and channels need PyAV (extra ``audio``); without it they are left out.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from std.audio.frames import opened
from std.errors import ConfigError, InputError
from std.files import unreadable

AUDIO = "audio"
BYTES, HASH, DURATION_S, CHANNELS = "audio_bytes", "audio_hash", "audio_s", "audio_channels"
COLUMNS = (AUDIO, BYTES, HASH, DURATION_S, CHANNELS)
FACTS = (BYTES, HASH, DURATION_S, CHANNELS)  # that nobody writes by hand
PIECE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class AudioFacts:
    """Properties of an audio file."""

    bytes: int
    hash: str
    duration_s: float | None = None
    channels: int | None = None

    def columns(self, audio: str) -> dict[str, str]:
        """The metadata of a recording whose file it is.

        Args:
            audio: its path below the folder of all audio.

        >>> AudioFacts(9, "ab", 1.5).columns("news/a.wav")["audio_s"]
        '1.5'
        """
        return {
            AUDIO: audio,
            BYTES: str(self.bytes),
            HASH: self.hash,
            DURATION_S: "" if self.duration_s is None else f"{self.duration_s:g}",
            CHANNELS: "" if self.channels is None else str(self.channels),
        }


def facts_of(path: Path) -> AudioFacts:
    """Look at an audio file.

    Raises:
        InputError: it cannot be read, or there is no audio in it.
    """
    try:
        n_bytes = path.stat().st_size
        digest = file_digest(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        with opened(path) as (container, stream):
            if stream is None:
                raise InputError(path, 0, "audio", "no audio stream")
            duration_s = round((container.duration or 0) / 1_000_000, 3) or None
            return AudioFacts(n_bytes, digest, duration_s, int(stream.channels or 1))
    except ConfigError:  # PyAV is not installed
        return AudioFacts(n_bytes, digest)


def file_digest(path: Path) -> str:
    """A digest of the size of a file, and of 64 KB at its beginning, in its middle, at its end.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        digest = hashlib.sha256(str(size).encode())
        for at in (0, max(0, size // 2 - PIECE_BYTES // 2), max(0, size - PIECE_BYTES)):
            stream.seek(at)
            digest.update(stream.read(PIECE_BYTES))
    return digest.hexdigest()[:32]
