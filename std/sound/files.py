"""The file ``NAME.sound``: a line of JSON, then frames, whose number follows from its length.

    {"format": "std sound 1", "file": "interview", "channel": 1, "kind": "signs",
     "dimensions": 256, "frame_ms": 20, "start_ms": 0,
     "encoder": {"name": "whisper", "hash": "..."}}

Frames follow the line without anything between them: ``signs`` are 32 bytes each, the first sign
the highest bit of the first byte; ``float16`` are little-endian numbers. So a file is written as
a stream, and an incomplete one is continued after its last whole frame.

sound_name   of a recording's file; `sounding` is its inverse
sounds_of    stretches of recordings -> examples among the files of a folder
header       the line
appended     a file to append frames to, with its frames so far
read_sound   a file -> Sound; its frames stay on the disk until they are used
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson

from std.errors import ForeignFileError, InputError, Unquoted
from std.files import unreadable
from std.outputs import unwritable
from std.sound.columns import SIGNS, Encoder, Sound
from std.system import lock
from std.values import Recording

SOUND_FORMAT = "std sound 1"
SUFFIX = ".sound"
LONGEST_HEADER = 1 << 16
MOST_DIMENSIONS = 1 << 14
MOST = 1 << 53  # of any number in it
SHORTEST_S, LONGEST_S = 0.2, 10.0  # of an example of a term


def sound_name(recording: Recording) -> str:
    """The name of a recording's file; each channel after the first has a separate file."""
    channel = "" if recording.channel == 1 else f".ch{recording.channel}"
    return f"{recording.file}{channel}{SUFFIX}"


def sounds_of(stretches: Iterable[tuple[str, float, float]], folder: Path) -> tuple[str, ...]:
    """Stretches of recordings in a folder of sound, as `searcher.ExampleTerm` takes them.

    Stretches without sound, and stretches that are too long for an example, are left out.

    Args:
        stretches: recording, start and end in seconds, as `SpokenQuery.stretches`.
        folder: the output folder of ``std-recognise --sound``.
    """
    found = []
    for recording, start_s, end_s in stretches:
        path = folder / sound_name(Recording(recording, 1))
        more_s = max(0.0, SHORTEST_S - (end_s - start_s)) / 2
        first_s = max(0.0, start_s - more_s)
        last_s = max(end_s + more_s, first_s + SHORTEST_S)
        if last_s - first_s <= LONGEST_S and path.is_file():
            found.append(f"{path}@{first_s:.3f}-{last_s:.3f}")
    return tuple(found)


def sounding(path: str) -> str:
    """The name of the audio file of a file of sound.

    >>> [sounding(name) for name in ("in/a.b.sound", "a.ch2.sound")]
    ['a.b', 'a']
    """
    return re.sub(r"(\.ch\d+)?\.sound$", "", path.rpartition("/")[2])


def is_beside(path: str, words: str) -> bool:
    """Whether a file is sound that is read with a file of words, because it lies beside it."""
    is_pair = path.endswith(SUFFIX) and not words.endswith(SUFFIX)
    return is_pair and Path(path).parent == Path(words).parent


def header(sound: Sound) -> bytes:
    """The first line of a file of such frames."""
    fields = {
        "format": SOUND_FORMAT,
        "file": sound.recording.file,
        "channel": sound.recording.channel,
        "kind": "float16" if sound.exact else "signs",
        "dimensions": sound.stored.shape[1] if sound.exact else SIGNS,
        "frame_ms": sound.frame_ms,
        "start_ms": sound.start_ms,
        "encoder": sound.encoder._asdict(),
    }
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


@contextmanager
def appended(path: Path, empty: Sound) -> Iterator[tuple[BinaryIO, int]]:
    """A file to append frames to, and the number of complete frames that it already has.

    Args:
        empty: a Sound without frames, which describes the frames of the file.

    Raises:
        InputError: it cannot be written, or was begun with another header.
    """
    line, size = header(empty), _frame_bytes(empty.stored)
    try:
        with path.open("ab+") as stream:
            lock(stream.fileno(), wait=True)  # a process whose command was killed may still end
            stream.seek(0)
            begun = stream.read(len(line))
            if not line.startswith(begun):
                raise InputError(path, 1, line.decode().strip(), begun.decode(errors="replace"))
            if len(begun) < len(line):
                stream.truncate(0)
                stream.write(line)
                stream.flush()
            there = (os.fstat(stream.fileno()).st_size - len(line)) // size
            stream.truncate(len(line) + there * size)
            stream.seek(0, os.SEEK_END)
            yield stream, there
    except OSError as error:
        raise unwritable(path, "a file that can be written", error) from error


def read_sound(path: Path) -> Sound:
    """Read a file of frames; they are mapped, not loaded.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    try:
        with path.open("rb") as stream:
            line = stream.readline(LONGEST_HEADER)
            size = os.fstat(stream.fileno()).st_size
        empty = _parsed(path, line)
        number = _frame_bytes(empty.stored)
        count, rest = divmod(size - len(line), number)
        if rest:
            raise InputError(
                path,
                0,
                f"whole frames of {number} bytes",
                Unquoted(f"{rest} bytes behind frame {count}"),
            )
        shape = (count, empty.stored.shape[1])
        stored = np.memmap(path, empty.stored.dtype, "r", len(line), shape) if count else None
    except OSError as error:
        raise unreadable(path, error) from error
    kept = empty.stored if stored is None else np.asarray(stored)
    return Sound(empty.recording, empty.encoder, kept, empty.start_ms, empty.frame_ms)


def _parsed(path: Path, line: bytes) -> Sound:
    """The first line of a file, as a Sound without frames."""
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.get("format") != SOUND_FORMAT:
        raise ForeignFileError(
            path, 1, f'{{"format": "{SOUND_FORMAT}", ...', line.decode(errors="replace")
        )
    try:
        numbers = {key: fields[key] for key in ("channel", "dimensions", "frame_ms", "start_ms")}
        if any(type(value) is not int or abs(value) > MOST for value in numbers.values()):
            raise ValueError(f"whole numbers, not {numbers}")
        dimensions = numbers["dimensions"]
        width = {"signs": dimensions // 8, "float16": dimensions}[fields["kind"]]
        if min(numbers["channel"], numbers["frame_ms"], dimensions) < 1 or width > MOST_DIMENSIONS:
            raise ValueError(f"numbers above 0, not {numbers}")
        kind = np.dtype(np.uint8 if fields["kind"] == "signs" else "<f2")
        return Sound(
            Recording(str(fields["file"]), numbers["channel"]),
            Encoder(str(fields["encoder"]["name"]), str(fields["encoder"]["hash"])),
            np.zeros((0, width), kind),
            numbers["start_ms"],
            numbers["frame_ms"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            path,
            1,
            "file, channel, kind, dimensions, frame_ms, start_ms, encoder",
            Unquoted(str(error)),
        ) from error


def _frame_bytes(stored: np.ndarray) -> int:
    return int(stored.dtype.itemsize * stored.shape[1])
