"""Add the sound of recordings to their words: files of frames -> columns of a segment.

with_sound               segment columns with the frames of the files beside an input
recordings_with_sound    the recordings of a segment that have frames
channels_without_words   the files of frames of their other channels
alone                    a segment of a recording with sound only
merged_sound             the columns of a merged segment
sound_size               how much space it takes

`std.sound.columns` describes the columns. Exact frames are reduced to signs here.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from indexer.networks.utterances import stacked
from indexer.segments.invert import invert
from std.errors import InputError, StoreError, Unquoted
from std.sound.columns import FRAME_MS, OFFSETS, SegmentSound, Sound, frames, signs
from std.sound.files import read_sound, sound_name
from std.store import Segment
from std.store.columns import IndexedRecording, SegmentColumns, first_slots
from std.values import Bools, Column, Int64s, Recording

LATEST_START_MS = 2**31 - 1
FRAMES_PER_POSTING = 10  # a posting's bytes are about a third of ten frames'


def with_sound(columns: SegmentColumns, folders: Sequence[Path]) -> SegmentColumns:
    """The same columns with the sound of the recordings that have a file of frames.

    Args:
        folders: where their files may be; the first one found counts.

    Raises:
        InputError: a file is not a file of frames, or frames of two encoders are mixed.
    """
    paths = [_file_of(one.recording, folders) for one in columns.recordings]
    sounds = [
        _as_signs(path, one.recording) if path else None
        for path, one in zip(paths, columns.recordings, strict=True)
    ]
    found = _joined(sounds, paths)
    return replace(columns, extra={**columns.extra, **found.columns()}) if found else columns


def recordings_with_sound(columns: SegmentColumns) -> list[Recording]:
    """The recordings that have frames."""
    sound = SegmentSound.read(columns.extra)
    n_frames = np.zeros(len(columns.recordings)) if sound is None else np.diff(sound.offsets)
    return [
        one.recording for one, n in zip(columns.recordings, n_frames.tolist(), strict=True) if n
    ]


def channels_without_words(
    columns: SegmentColumns, folders: Sequence[Path]
) -> Iterator[tuple[Recording, Path]]:
    """Other channels of the columns' audio files, and their files of frames.

    An index replaces an audio file as a whole, so they must be read with its words.
    """
    held = {one.recording for one in columns.recordings}
    for file in sorted({one.file for one in held}):
        for channel in count(1):
            recording = Recording(file, channel)
            path = _file_of(recording, folders)
            if path and recording not in held:
                yield recording, path
            if channel > 1 and not path and recording not in held:
                break


def alone(path: Path, origin: str, recording: Recording | None = None) -> SegmentColumns:
    """A segment of a recording without words: a channel of an audio file, with its sound.

    Args:
        origin: the input that the index stores.
        recording: the recording that the file must have; None: any.

    Raises:
        InputError: it is not a file of frames, or that of another recording.
    """
    sound = _as_signs(path, recording)
    joined = SegmentSound.of([sound])
    empty = invert(stacked([]))
    return replace(
        empty,
        recordings=(IndexedRecording(sound.recording, 0, 0, inputs=(origin,)),),
        slot_offsets=first_slots(empty.slot_key, 1),
        extra=joined.columns() if joined else {},
    )


def merged_sound(
    parts: Sequence[SegmentColumns], lives: Sequence[Bools], rows: Sequence[Int64s], recordings: int
) -> dict[str, Column]:
    """The columns of a merged segment; a recording's sound is that of the first part with some.

    Args:
        parts: the segments.
        lives: (r,) for each, which of its recordings are live.
        rows: (r,) for each, the new rows of its recordings.
        recordings: the number of recordings of the merged segment.

    Raises:
        StoreError: the parts' frames are of different encoders.
    """
    found = [SegmentSound.read(part.extra) for part in parts]
    some = [one for one in found if one is not None]
    if not some:
        return {}
    if len({one.encoder for one in some}) > 1:
        raise StoreError("expected sound of one encoder, got that of two, which cannot be compared")
    source: dict[int, tuple[SegmentSound, int]] = {}
    for sound, live, new in zip(found, lives, rows, strict=True):
        if sound is not None:
            for row in np.flatnonzero(live & (np.diff(sound.offsets) > 0)).tolist():
                source.setdefault(int(new[row]), (sound, row))
    lengths = np.zeros(recordings, np.int64)
    starts = np.zeros(recordings, np.int32)
    pieces = [some[0].signs[:0]]
    for row, (sound, old) in sorted(source.items()):
        piece = sound.signs[sound.offsets[old] : sound.offsets[old + 1]]
        lengths[row], starts[row] = len(piece), sound.start_ms[old]
        pieces.append(piece)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return SegmentSound(some[0].encoder, offsets, starts, np.concatenate(pieces)).columns()


def sound_size(segment: Segment) -> int:
    """How many postings take as much space as a segment's frames."""
    offsets = segment.extra(OFFSETS)
    return 0 if offsets is None else int(offsets[-1]) // FRAMES_PER_POSTING


def _file_of(recording: Recording, folders: Sequence[Path]) -> Path | None:
    for folder in folders:
        path = folder / sound_name(recording)
        with suppress(OSError):  # a recording's name may be longer than a file's can be
            if path.is_file():
                return path
    return None


def _as_signs(path: Path, recording: Recording | None) -> Sound:
    """A file's frames as signs.

    Raises:
        InputError: it holds another recording, or frames of another length.
    """
    sound = read_sound(path)
    if recording is not None and sound.recording != recording:
        raise InputError(path, 1, f"the sound of {recording.file}", sound.recording.file)
    if not 0 <= sound.start_ms <= LATEST_START_MS:
        raise InputError(path, 1, f"a start_ms up to {LATEST_START_MS}", str(sound.start_ms))
    if sound.frame_ms != FRAME_MS:
        raise InputError(path, 1, f"frames of {FRAME_MS} ms", Unquoted(f"{sound.frame_ms} ms"))
    return replace(sound, stored=signs(frames(sound))) if sound.exact else sound


def _joined(sounds: Sequence[Sound | None], paths: Sequence[Path | None]) -> SegmentSound | None:
    encoders = {one.encoder: path for one, path in zip(sounds, paths, strict=True) if one}
    if len(encoders) > 1:
        (first, path), (other, place) = [*encoders.items()][:2]
        raise InputError(
            place or Path(), 1, f"frames of the encoder of {path} ({first.hash})", other.hash
        )
    return SegmentSound.of(sounds)
