"""The sound of recordings: frames of an encoder, window by window, as a recording's file.

    SoundEncoder   the interface of an encoder: samples in, 50 frames a second out
    HamaSound      phones of the package hama: log probabilities as frames
    Scale          the mean and deviation of each dimension of an encoder's frames
    scale_of       an encoder -> its scale, from the reference recording of this package
    SoundWriter    an encoder with its scale: opens files
    SoundSink      takes windows; frames that the file already has stay
    as_kept        frames in the form of the file

Frame i begins at i * 20 ms of the recording. A window may begin between two frames, so its frames
may be up to 10 ms off.

A few dimensions of an encoder have a hundred times the deviation of the others, and would decide
every comparison. Recordings can be compared only if all archives have the same scale, so it is
measured on 28 s of speech that come with this package, not on the archive. docs/sound.md has the
measurements.
"""

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from glob import escape
from importlib import resources
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol

import numpy as np

from recogniser.audio import decode, loudness_activity
from recogniser.folder import settle
from recogniser.protocol import SAMPLES_PER_S, Window
from std.errors import ConfigError
from std.imports import required
from std.sound.columns import FRAME_MS, SIGN_BYTES, Encoder, Sound, signs
from std.sound.files import SUFFIX, appended, read_sound, sound_name
from std.values import Excerpt, Float16s, Float32s, Recording, UInt8s

REFERENCE = Path(__file__).with_name("reference.ogg")  # three speakers: English, German, Dutch
METHOD = 1  # changes when the meaning of frames changes
SMALLEST_DEVIATION = 1e-6
LEAST_LOG_PROBABILITY = float(np.log(1e-6))  # of a phone


class SoundEncoder(Protocol):
    """Turns audio into frames. One object works for one process.

    The same samples must give the same frames, whatever the encoder encoded before.
    """

    @property
    def name(self) -> str:
        """The kind of encoder, as ``whisper``."""

    @property
    def model_hash(self) -> str:
        """SHA-256 of its model."""

    @property
    def longest_window_s(self) -> float:
        """The longest window that it takes."""

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        """(n // 512,) the probability of speech per frame of 32 ms; windows end in pauses."""

    def encode(self, samples: Float32s) -> Float32s:
        """(m, d) a frame for each 20 ms of a window of 16 kHz."""


class HamaSound:
    """The phones of the package hama (extra ``hama``), whose weights are in the package.

    A frame has the logarithms of the probabilities of 191 tokens: phones of several languages, a
        word's boundary, and the blank. The speech from which its weights were learned is unknown.
    """

    name = "hama"
    longest_window_s = 28.0  # what follows the first 30 s is cut off without a word
    speech_probabilities = staticmethod(loudness_activity)

    def __init__(self) -> None:
        """Load the weights.

        Raises:
            ConfigError: the extra is not installed, or has no engine for this system.
        """
        engine = required("hama._engine", "hama")
        if not engine.available():
            raise ConfigError(f"--encoder hama: it has no engine for {platform.platform()}")
        weights = (resources.files("hama.assets") / "asr_waveform.hama").read_bytes()
        self.model_hash = hashlib.sha256(weights).hexdigest()
        self._session = engine.AsrSession(weights)

    def encode(self, samples: Float32s) -> Float32s:
        n_frames = max(1, -(-len(samples) * 1000 // (FRAME_MS * SAMPLES_PER_S)))
        whole = np.zeros(n_frames * FRAME_MS * SAMPLES_PER_S // 1000, np.float32)
        whole[: len(samples)] = samples  # the engine crashes on less than a frame
        (found,) = self._session.run(["log_probs"], {"waveform": whole})
        log_probabilities: Float32s = found[0][:n_frames]
        return np.maximum(log_probabilities, LEAST_LOG_PROBABILITY)


class Scale(NamedTuple):
    """Mean and deviation of each dimension of an encoder's frames."""

    mean: Float32s  # (d,)
    deviation: Float32s  # (d,)

    def of(self, frames: Float32s) -> Float32s:
        """(n, d) scaled frames."""
        return (frames - self.mean) / self.deviation


def scale_of(encoder: SoundEncoder) -> Scale:
    """The scale of an encoder's frames."""
    frames = encoder.encode(np.concatenate(list(decode(REFERENCE)))).astype(np.float64)
    deviation = np.maximum(frames.std(axis=0), SMALLEST_DEVIATION)
    return Scale(frames.mean(axis=0).astype(np.float32), deviation.astype(np.float32))


def identity_of(encoder: SoundEncoder) -> Encoder:
    """The model, the reference recording and the method; equal ones make frames comparable."""
    parts = f"{encoder.model_hash} {_reference_hash()} {METHOD}"
    return Encoder(encoder.name, hashlib.sha256(parts.encode()).hexdigest())


@cache
def _reference_hash() -> str:
    return hashlib.sha256(REFERENCE.read_bytes()).hexdigest()


Kept = Literal["signs", "exact"]


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
        none = self.stored(np.zeros((0, len(self.scale.mean)), np.float32))
        empty = Sound(recording, identity_of(self.encoder), none)
        with continued(folder, empty) as (stream, there):
            yield SoundSink(self, stream, there)

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


@contextmanager
def continued(folder: Path, empty: Sound) -> Iterator[tuple[BinaryIO, int]]:
    """A recording's file and how many frames it has; it gets its name when it is complete.

    Raises:
        InputError: it cannot be written, or was begun with another encoder.
    """
    path = sound_file(folder, empty.recording)
    part = path.with_name(f"{path.name}.part")
    with appended(part, empty) as (stream, there):
        yield stream, there
        stream.flush()
        os.fsync(stream.fileno())
        settle(part, path)


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
