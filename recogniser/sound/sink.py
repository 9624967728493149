"""Windows of a recording in order -> its file of frames.

    Kept          how frames are kept
    SoundWriter    an encoder with its scale: opens files
    SoundSink     takes windows; frames that the file already has stay
    as_kept       frames in the form of the file

Frame i begins at i * 20 ms of the recording. A window may begin between two frames, so its frames
may be up to 10 ms off.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

from recogniser.folder import settle
from recogniser.protocol import Window
from recogniser.sound.encoder import Scale, SoundEncoder, identity_of, scale_of
from std.sound.files import SUFFIX, appended, read_sound, sound_name
from std.sound.value import FRAME_MS, SIGN_BYTES, Float16s, Sound, UInt8s, signs
from std.values import Excerpt, Float32s, Recording

Kept = Literal["signs", "exact"]
UNFINISHED = f"{SUFFIX}.part"


@dataclass(slots=True)
class SoundWriter:
    """Writes files of frames, all on one scale."""

    encoder: SoundEncoder
    kept: Kept = "signs"
    scale: Scale = field(init=False)

    def __post_init__(self) -> None:
        self.scale = scale_of(self.encoder)

    def settings(self) -> dict[str, object]:
        """What determines the files, as JSON."""
        return {"kept": self.kept, "encoder": identity_of(self.encoder)._asdict()}

    @contextmanager
    def sink(self, folder: Path, recording: Recording) -> Iterator["SoundSink"]:
        """Open the file of a recording; it gets its final name when all windows are written.

        Raises:
            InputError: the file cannot be written, or was begun with another encoder.
        """
        path = sound_file(folder, recording)
        part = path.with_name(path.name.removesuffix(SUFFIX) + UNFINISHED)
        empty = Sound(recording, identity_of(self.encoder), self.stored(_none(self.scale)))
        with appended(part, empty) as (stream, there):
            yield SoundSink(self, stream, there)
            stream.flush()
            os.fsync(stream.fileno())
            settle(part, path)

    def stored(self, frames: Float32s) -> UInt8s | Float16s:
        """Frames of the encoder in the form of the file."""
        return as_kept(self.scale.of(frames), self.kept)


@dataclass(slots=True)
class SoundSink:
    """An open file of frames."""

    writer: SoundWriter
    stream: BinaryIO
    there: int  # frames that it has already

    def add(self, window: Window, frames: Float32s | None = None) -> bool:
        """Append the new frames of a window; return whether there were any.

        Args:
            window: the next window.
            frames: (m, d) its frames, if they are already computed.
        """
        first, end = -(-window.start_ms // FRAME_MS), -(-window.end_ms // FRAME_MS)
        first = max(first, self.there)
        if first >= end:
            return False
        if frames is None:
            frames = self.writer.encoder.encode(window.samples)
        at = np.arange(first, end) - round(window.audio_start_ms / FRAME_MS)
        self.stream.write(self.writer.stored(frames[at.clip(0, len(frames) - 1)]).tobytes())
        self.stream.flush()
        self.there = end
        return True


def as_kept(scaled: Float32s, kept: Kept) -> UInt8s | Float16s:
    """(n, d) scaled frames in the form of the file."""
    if kept == "exact":
        return scaled.astype("<f2")
    return signs(scaled) if len(scaled) else np.zeros((0, SIGN_BYTES), np.uint8)


def sound_file(folder: Path, recording: Recording) -> Path:
    """The file of a recording's frames."""
    return folder / sound_name(recording)


def excerpts_of(folder: Path, file: str = "*") -> dict[str, list[Excerpt]]:
    """The finished recordings of a folder, by audio file, with the duration of each channel.

    Args:
        folder: with files of frames.
        file: the file of one recording; None = all.

    Raises:
        InputError: a file does not contain frames.
    """
    name = file if file == "*" else escape(file)
    found: dict[str, list[Excerpt]] = {}
    for path in sorted({*folder.glob(f"{name}{SUFFIX}"), *folder.glob(f"{name}.ch*{SUFFIX}")}):
        sound = read_sound(path)
        excerpt = Excerpt(sound.recording, 0.0, sound.end_ms / 1000)
        found.setdefault(sound.recording.file, []).append(excerpt)
    return found


def _none(scale: Scale) -> Float32s:
    return np.zeros((0, len(scale.mean)), np.float32)
