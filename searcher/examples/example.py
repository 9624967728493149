"""Examples of a term as the user gives them: stretches of recordings, or files of frames.

    interview@12.3-13.1      a stretch of a recording of the index, in seconds (channel 1)
    interview/2@12.3-13.1    a stretch of channel 2
    query.sound              a whole file of std-recognise --sound-only
    query.sound@0.2-0.9      a stretch of this file

archive_of   segments of an index -> SoundArchive: segments with sound, their searched recordings
read_example a text -> Example: its signs, and the stretch that they come from
each_once    examples -> the same without repeated ones
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from searcher.index.stores import RecordingTable, recording_table
from searcher.results.candidates import Spans
from std.audio.files import ENDS
from std.errors import InputError, StdError, cut, meant, quoted
from std.nist.ecf import speech_s
from std.numbers import counted
from std.sound.columns import FRAME_MS, WORDS, Encoder, SegmentSound, frames, segment_sound, signs
from std.sound.files import LONGEST_S, SHORTEST_S, SUFFIX, read_sound
from std.sound.usual import SAMPLE
from std.store import Segment
from std.store.columns import live_recordings
from std.values import Bools, Excerpt, Int64s, Recording, UInt64s

STRETCHES, STRETCH = 20, 6000  # number and frames of those (two minutes) that a sample is from


class ArchivePart(NamedTuple):
    """The sound of a segment; pickled as its address, because another process reads it itself."""

    segment: Segment
    sound: SegmentSound
    rows: Int64s  # (r,) of its recordings that are searched
    recordings: Int64s  # (r,) the same in the table of the index's recordings

    def at(self, rows: Int64s, frames: Int64s) -> Spans:
        """(n,) the times of frames, as places without length.

        Args:
            rows: (n,) the recordings of the frames, each one of `rows`.
            frames: (n,) frames of the segment.
        """
        at_ms = self.sound.start_ms[rows] + (frames - self.sound.offsets[rows]) * FRAME_MS
        return Spans(self.recordings[np.searchsorted(self.rows, rows)], at_ms, at_ms)

    def __reduce__(self) -> tuple[Any, ...]:
        return _part_of, (self.segment, self.rows, self.recordings)


def _part_of(segment: Segment, rows: Int64s, recordings: Int64s) -> ArchivePart:
    sound = segment_sound(segment)
    if sound is None:
        raise StdError("the sound of a segment was removed during the search")
    return ArchivePart(segment, sound, rows, recordings)


@dataclass(frozen=True, slots=True, eq=False)
class SoundArchive:
    """All searched frames; they come from one encoder."""

    recordings: tuple[Recording, ...]  # of the index; parts point into it
    parts: tuple[ArchivePart, ...]

    @property
    def encoder(self) -> Encoder:
        """The encoder of the frames."""
        return self.parts[0].sound.encoder

    @property
    def seconds(self) -> float:
        """The duration of the searched sound in seconds."""
        frames = sum(
            int((part.sound.offsets[part.rows + 1] - part.sound.offsets[part.rows]).sum())
            for part in self.parts
        )
        return frames * FRAME_MS / 1000

    def bounds_ms(self) -> Int64s:
        """(recordings, 2) start and end of the sound of each recording; 0, 0 without sound."""
        bounds = np.zeros((len(self.recordings), 2), np.int64)
        for part in self.parts:
            begin = part.sound.start_ms[part.rows]
            length = np.diff(part.sound.offsets)[part.rows] * FRAME_MS
            bounds[part.recordings] = np.stack([begin, begin + length], axis=1)
        return bounds

    def seconds_inside(self, excerpts: Sequence[Excerpt] | None) -> float:
        """The seconds of sound inside the excerpts, in all channels."""
        if excerpts is None:
            return self.seconds
        bounds_s = dict(zip(self.recordings, (self.bounds_ms() / 1000).tolist(), strict=True))
        cut = defaultdict[Recording, list[Excerpt]](list)
        for one in excerpts:
            first_s, last_s = bounds_s.get(one.recording, (0.0, 0.0))
            start_s = max(one.start_s, first_s)
            length_s = max(0.0, min(one.end_s, last_s) - start_s)
            cut[one.recording].append(Excerpt(one.recording, start_s, length_s))
        return sum(map(speech_s, cut.values()))

    def seconds_where(self, inside: Callable[[Spans], Bools]) -> float:
        """The seconds of sound in searched places, accurate to a second of each recording."""
        begin_ms, end_ms = self.bounds_ms().T
        seconds = (end_ms - begin_ms) // 1000
        recording = np.repeat(np.arange(len(seconds)), seconds)
        of_recording = np.arange(len(recording)) - np.repeat(np.cumsum(seconds) - seconds, seconds)
        at_ms = begin_ms[recording] + 1000 * of_recording + 500
        return float(np.count_nonzero(inside(Spans(recording, at_ms, at_ms))))

    def sample(self) -> UInt64s:
        """(<= 1000, 4) frames from the whole archive, for `std.sound.usual.usual_distances`.

        They are taken in the order of the recordings, so the division into segments does not
        matter. In many hours of sound, they are taken from `STRETCHES` stretches, because a store
        may have to fetch them.
        """
        bounds = [
            np.stack([part.sound.offsets[part.rows], part.sound.offsets[part.rows + 1]])
            for part in self.parts
        ]
        order = np.argsort(np.concatenate([part.recordings for part in self.parts]))
        first, end = np.concatenate(bounds, axis=1)[:, order]
        of_part = np.repeat(np.arange(len(self.parts)), [len(part.rows) for part in self.parts])
        ends = np.cumsum(end - first)
        n = int(ends[-1]) if len(ends) else 0
        numbers = np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.int64)
        if n > STRETCHES * STRETCH:
            begins = np.linspace(0, n - STRETCH, STRETCHES).astype(np.int64)
            within = np.arange(0, STRETCH, STRETCH * STRETCHES // SAMPLE)
            numbers = (begins[:, None] + within).reshape(-1)
        row = np.searchsorted(ends, numbers, "right")
        frame, number = end[row] - (ends[row] - numbers), of_part[order][row]
        chosen = np.empty((len(numbers), WORDS), np.uint64)
        for one, part in enumerate(self.parts):
            chosen[number == one] = part.sound.signs[frame[number == one]]
        return chosen

    def frames(self, recording: Recording, begin_ms: float, end_ms: float) -> UInt64s:
        """(m, 4) the frames of a stretch of a recording; none without sound."""
        for part in self.parts:
            for row, number in zip(part.rows.tolist(), part.recordings.tolist(), strict=True):
                if self.recordings[number] == recording:
                    first, end = part.sound.offsets[row : row + 2].tolist()
                    start_ms = int(part.sound.start_ms[row])
                    a = first + max(0, int((begin_ms - start_ms) // FRAME_MS))
                    b = first + max(0, int(-(-(end_ms - start_ms) // FRAME_MS)))
                    return np.array(part.sound.signs[a : min(b, end)])
        return np.empty((0, 4), np.uint64)


def archive_of(
    segments: Sequence[Segment],
    wanted: Callable[[Recording], bool] = lambda recording: True,
    table: RecordingTable | None = None,
    *,
    whole: bool = True,
) -> SoundArchive:
    """The sound of an index.

    Args:
        table: the recordings that places point into; None: the recordings of these segments.
        whole: read all frames; otherwise only the compared ones (`std.sound.columns.StoredSigns`).

    Raises:
        StdError: the index has no sound, or sound of two encoders.
    """
    table = table or recording_table(segments)
    parts = []
    for segment in segments:
        sound = segment_sound(segment, whole=whole)
        if sound is None:
            continue
        rows = [
            row
            for row, one in live_recordings(segment)
            if sound.offsets[row + 1] > sound.offsets[row] and wanted(one.recording)
        ]
        numbers = table.rows[segment][rows]
        columns = np.array(rows, np.int64), numbers.astype(np.int64)
        parts.append(ArchivePart(segment, sound, *columns))
    if not parts:
        raise StdError(
            "the index has no sound: std-recognise --sound or --sound-only writes it, std-index "
            "takes it in"
        )
    if len({part.sound.encoder for part in parts}) > 1:
        raise StdError("the shards of the index have sound of two encoders, which do not compare")
    return SoundArchive(table.recordings, tuple(parts))


SHORTEST_MS, LONGEST_MS = 1000 * SHORTEST_S, 1000 * LONGEST_S
_TIME = r"\d{1,9}(?:\.\d+)?"  # seconds
_STRETCH = re.compile(rf"(?P<place>.+)@(?P<begin>{_TIME})-(?P<end>{_TIME})")
_CHANNEL = re.compile(r"(?P<file>.+)/(?P<channel>\d{1,9})")


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
    span: ExampleSpan | None = None  # its place in the index, which is no hit


def read_example(text: str, archive: SoundArchive, name: str = "") -> Example:
    """Find the frames of an example.

    Args:
        archive: the sound of the whole index.
        name: the name of the example in messages; empty: the text.

    Raises:
        InputError: a file is not a file of frames, or comes from another encoder.
        StdError: the stretch has no sound, or is too short or too long.
    """
    match = _STRETCH.fullmatch(text)
    place = match["place"] if match else text
    begin_ms, end_ms = (1000 * float(match["begin"]), 1000 * float(match["end"])) if match else (
        0.0, np.inf,
    )  # fmt: skip
    if end_ms <= begin_ms:
        raise StdError(f"{text}: expected an end behind the beginning")
    channel = _CHANNEL.fullmatch(place)
    recording = (
        Recording(channel["file"], int(channel["channel"])) if channel else Recording(place, 1)
    )
    if place.endswith(SUFFIX) and recording not in archive.recordings:
        found = _of_file(Path(place), begin_ms, end_ms, archive, name)
        example = Example(text, found)
    elif match:
        if recording not in archive.recordings:
            known = counted(len(archive.recordings), "recording")
            near = meant(place, (one.file for one in archive.recordings))
            expected = f"expected the name of one of {known}, got {quoted(place)}{near}"
            raise StdError(f"{cut(text)}: {expected}{_or_audio(place)}")
        span = ExampleSpan(recording, begin_ms, end_ms)
        example = Example(text, archive.frames(*span), span)
    else:
        raise StdError(
            f"{text}: expected RECORDING@BEGIN-END in seconds, as interview@12.3-13.1, or a file "
            f"of frames (NAME{SUFFIX}){_or_audio(place)}"
        )
    length_ms = len(example.signs) * FRAME_MS
    if not SHORTEST_MS <= length_ms <= LONGEST_MS:
        raise StdError(
            f"{name or text}: expected {SHORTEST_MS / 1000:g} to {LONGEST_MS / 1000:g} s of sound, "
            f"got {length_ms / 1000:g} s"
            + ("" if length_ms or place.endswith(SUFFIX) else f": no sound of {place} there")
            + ("" if length_ms else _or_audio(place))
        )
    if match and length_ms < (end_ms - begin_ms) / 2:
        raise StdError(
            f"{name or text}: expected sound in most of it, got {length_ms / 1000:g} s of "
            f"{(end_ms - begin_ms) / 1000:g} s"
        )
    return example


def _or_audio(place: str) -> str:
    """Advice, if the user gave a file in place of the name of a recording."""
    return "; --query-audio takes files of audio" if place.lower().endswith(ENDS) else ""


def each_once(examples: Sequence[Example]) -> list[Example]:
    """Examples without repeated ones, which would count as evidence twice."""
    kept: list[Example] = []
    for one in examples:
        if not any(_is_same(one, other) for other in kept):
            kept.append(one)
    return kept


def _is_same(one: Example, other: Example) -> bool:
    """Whether examples overlap by more than half of the longer one, or are equal if in files."""
    if not one.span or not other.span:
        return np.array_equal(one.signs, other.signs)
    (own, begin_ms, end_ms), (its, first_ms, last_ms) = one.span, other.span
    if own != its:
        return False
    shared_ms = min(end_ms, last_ms) - max(begin_ms, first_ms)
    return shared_ms > max(end_ms - begin_ms, last_ms - first_ms) / 2


def _of_file(
    path: Path, begin_ms: float, end_ms: float, archive: SoundArchive, name: str
) -> UInt64s:
    sound = read_sound(path)
    if sound.encoder != archive.encoder:
        raise InputError(
            name or path,
            1,
            f"the encoder of the index ({' '.join(archive.encoder)})",
            " ".join(sound.encoder),
        )
    stored = signs(frames(sound)) if sound.exact else np.ascontiguousarray(sound.stored)
    first = max(0, int((begin_ms - sound.start_ms) // FRAME_MS))
    last = min(len(stored), -(-(min(end_ms, sound.end_ms) - sound.start_ms) // FRAME_MS))
    return stored.view("<u8")[first : int(last)]
