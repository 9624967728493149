"""What the user gives as examples of a term: stretches of recordings, or files of frames.

    interview@12.3-13.1      a stretch of a recording of the index, in seconds (channel 1)
    interview/2@12.3-13.1    of its channel 2
    query.sound              a file that std-recognise --sound-only wrote, whole
    query.sound@0.2-0.9      a stretch of it

Example      its signs, and where they are from
read_example a text -> Example
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searcher.examples.archive import SoundArchive
from std.errors import InputError, StdError
from std.sound.files import SUFFIX, read_sound
from std.sound.value import FRAME_MS, frames, signs
from std.store.columns import UInt64s
from std.values import Recording

SHORTEST_MS, LONGEST_MS = 200, 10_000
_STRETCH = re.compile(r"(?P<place>.+)@(?P<begin>\d+(?:\.\d+)?)-(?P<end>\d+(?:\.\d+)?)")
_CHANNEL = re.compile(r"(?P<file>.+)/(?P<channel>\d+)")


class ExampleSpan(NamedTuple):
    """A stretch of a recording."""

    recording: Recording
    begin_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """An example of a term."""

    text: str  # as the user gave it
    signs: UInt64s  # (m, 4)
    span: ExampleSpan | None = None  # where it is in the index: found there, it is no news


def read_example(text: str, archive: SoundArchive) -> Example:
    """Find the frames of an example.

    Args:
        text: as above.
        archive: the sound of the whole index.

    Raises:
        InputError: a file is no file of frames, or of another encoder.
        StdError: it names no stretch of sound, or one that is too short or too long.
    """
    match = _STRETCH.fullmatch(text)
    place = match["place"] if match else text
    begin_ms, end_ms = (1000 * float(match["begin"]), 1000 * float(match["end"])) if match else (
        0.0, np.inf,
    )  # fmt: skip
    if end_ms <= begin_ms:
        raise StdError(f"{text}: expected an end behind the beginning")
    if place.endswith(SUFFIX):
        found = _of_file(Path(place), begin_ms, end_ms, archive)
        example = Example(text, found)
    elif match:
        channel = _CHANNEL.fullmatch(place)
        recording = (
            Recording(channel["file"], int(channel["channel"])) if channel else Recording(place, 1)
        )
        span = ExampleSpan(recording, begin_ms, end_ms)
        example = Example(text, archive.frames(*span), span)
    else:
        raise StdError(
            f"{text}: expected RECORDING@BEGIN-END in seconds, as interview@12.3-13.1, or a file "
            f"of frames (NAME{SUFFIX})"
        )
    length_ms = len(example.signs) * FRAME_MS
    if not SHORTEST_MS <= length_ms <= LONGEST_MS:
        raise StdError(
            f"{text}: expected {SHORTEST_MS / 1000:g} to {LONGEST_MS / 1000:g} s of sound, got "
            f"{length_ms / 1000:g} s"
            + ("" if length_ms or place.endswith(SUFFIX) else f": no sound of {place} there")
        )
    return example


def _of_file(path: Path, begin_ms: float, end_ms: float, archive: SoundArchive) -> UInt64s:
    sound = read_sound(path)
    if sound.encoder != archive.encoder:
        raise InputError(
            path,
            1,
            f"the encoder of the index ({' '.join(archive.encoder)})",
            " ".join(sound.encoder),
        )
    stored = signs(frames(sound)) if sound.exact else np.ascontiguousarray(sound.stored)
    first = max(0, int((begin_ms - sound.start_ms) // FRAME_MS))
    last = min(len(stored), -(-(min(end_ms, sound.end_ms) - sound.start_ms) // FRAME_MS))
    return stored.view("<u8")[first : int(last)]
