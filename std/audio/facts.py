"""Properties of a recording's audio file that an index keeps as metadata of the recording.

    audio            its path below the folder of all audio, with /
    audio_bytes      its size
    audio_hash       a digest of its size, beginning, middle and end; it finds a file that was moved
    audio_s          its duration in seconds, as the file states it
    audio_channels   the number of its channels
    audio_hz         its sampling rate

Duration, channels and samples need PyAV (extra ``audio``); without it they are left out.

    facts_of         properties of a file
    file_digest      the digest
    is_same_audio    whether a file has the stored properties
    read_notes       the properties that std-recognise writes beside its networks
    write_notes      write them
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from std.audio.samples import opened
from std.errors import ConfigError, InputError, Unquoted
from std.files import unreadable
from std.json_fields import read_json
from std.metadata.table import AUDIO, AUDIO_FACTS
from std.outputs import open_output

FACTS = AUDIO_FACTS  # columns that nobody writes by hand
SIZE, HASH, DURATION_S, CHANNELS, SAMPLES_PER_S = FACTS
NOTES = "audio.json"  # of std-recognise, beside its networks
FACTS_FORMAT = "std audio 1"
PIECE_BYTES = 1 << 16
SAME_S = 1.0  # versions of a recording, as a WAV and its MP3, differ less in duration


@dataclass(frozen=True, slots=True)
class AudioFacts:
    """Properties of an audio file."""

    bytes: int
    hash: str
    duration_s: float | None = None
    channels: int | None = None
    samples_per_s: int | None = None

    def columns(self, audio: str) -> dict[str, str]:
        """The properties as metadata of a recording.

        Args:
            audio: its path below the folder of all audio.

        >>> AudioFacts(9, "ab", 1.5).columns("news/a.wav")["audio_s"]
        '1.5'
        """
        return {
            AUDIO: audio,
            SIZE: str(self.bytes),
            HASH: self.hash,
            DURATION_S: "" if self.duration_s is None else f"{self.duration_s:g}",
            CHANNELS: "" if self.channels is None else str(self.channels),
            SAMPLES_PER_S: "" if self.samples_per_s is None else str(self.samples_per_s),
        }


def facts_of(path: Path) -> AudioFacts:
    """Read the properties of an audio file.

    Raises:
        InputError: the file cannot be read, or has no audio.
    """
    try:
        n_bytes = path.stat().st_size
        digest = file_digest(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        with opened(path) as (container, stream):
            if stream is None:
                raise InputError(path, 0, "audio", Unquoted("no audio stream"))
            duration_s = round((container.duration or 0) / 1_000_000, 3) or None
            samples_per_s = int(stream.rate or 0) or None
            return AudioFacts(n_bytes, digest, duration_s, int(stream.channels or 1), samples_per_s)
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


def is_same_audio(path: Path, kept: Mapping[str, str]) -> bool:
    """Whether a file may be a recording's audio, by the properties that an index stores.

    It is the audio if its digest is the same, or if its duration is (as that of an MP3 made from a
    WAV). Without stored properties, or if the duration is unknown, it may be the audio.
    """
    digest, said_s = kept.get(HASH, ""), kept.get(DURATION_S, "")
    if not digest:
        return True
    try:
        if _digest_of(path, path.stat().st_mtime_ns) == digest:
            return True
        found_s = facts_of(path).duration_s if said_s else None
        return found_s is None or abs(found_s - float(said_s)) <= SAME_S
    except (OSError, InputError, ValueError):
        return False


@lru_cache(maxsize=1 << 16)
def _digest_of(path: Path, modified_ns: int) -> str:
    return file_digest(path)


def read_notes(path: Path) -> dict[str, dict[str, str]]:
    """The metadata of recordings that `write_notes` wrote, by their names; none without a file.

    Raises:
        InputError: the file cannot be read, or has other content.
    """
    if not path.exists():
        return {}
    read = read_json(path).value
    kept = read.get("recordings") if isinstance(read, dict) else None
    if not isinstance(kept, dict) or read.get("format") != FACTS_FORMAT:
        raise InputError(
            path, 0, f'{{"format": "{FACTS_FORMAT}", "recordings": ...', Unquoted("something else")
        )
    for name, columns in kept.items():
        if not isinstance(columns, dict) or any(type(one) is not str for one in columns.values()):
            raise InputError(path, 0, f"texts about {name}", json.dumps(columns))
    return {name: {key: columns[key] for key in (AUDIO, *FACTS) if key in columns}
            for name, columns in kept.items()}  # fmt: skip


def write_notes(path: Path, notes: Mapping[str, Mapping[str, str]]) -> None:
    """Write the metadata of recordings in one step.

    Args:
        notes: the notes of each recording, by its name (`AudioFacts.columns`).
    """
    document = {"format": FACTS_FORMAT, "recordings": dict(sorted(notes.items()))}
    with open_output(path) as sink:
        sink.write(json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
