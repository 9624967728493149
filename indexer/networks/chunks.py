"""Correct the clocks of inputs: parts that each count from 0, words that are late or early.

    parts_of       starts in a file's order -> the part number of each
    goes_back      whether a start belongs to another part than the one before
    Chunks         where the parts of recordings begin
    read_chunks    from a file, or one length for all
    placed         utterances in a file's order -> the same, with times from the recording's start
    Offsets        how late the words of recordings are against their sound
    read_offsets   from a file, or one number for all
    moved_back     utterances -> the same, on the clock of the sound

A part begins where the start of an utterance lies more than `BACK_S` before that of the utterance
before it, in one recording and channel. A part without speech leaves no trace in the input, so a
file of starts lists only parts with speech.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError, Unquoted
from std.fields import number, numbered, shown, text
from std.files import AnyPath, open_input
from std.nist.audio_names import recording_name
from std.ranges import MAX_TIME_S
from std.values import Float64s, Int64s, Recording

BACK_S = 10.0  # least jump back of a clock; people who talk at once are hardly so far apart
BEYOND_S = 1.0  # how far speech of a part may reach into the next one
LONGEST_LINE = 1 << 16


def parts_of(starts_s: Sequence[float] | Float64s) -> Int64s:
    """Number the part of each of (n,) starts, from 0.

    >>> parts_of([0.0, 30.0, 60.0, 1.0, 30.0, 25.0]).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    starts = np.asarray(starts_s, np.float64)
    back = starts[1:] < starts[:-1] - BACK_S
    return np.concatenate([np.zeros(min(1, len(starts)), np.int64), np.cumsum(back)])


def goes_back(before_s: float, start_s: float) -> bool:
    """Whether a start belongs to another part than the one before it.

    >>> goes_back(60.0, 55.0), goes_back(60.0, 1.0)
    (False, True)
    """
    return start_s < before_s - BACK_S


@dataclass(frozen=True, slots=True)
class Chunks:
    """Where the parts of recordings begin, s: as listed, or at multiples of a length."""

    starts_s: Mapping[str, tuple[float, ...]]  # by the recording's name
    length_s: float | None = None  # of each part, if nothing is listed


@dataclass(slots=True)
class _Part:
    """The part of a recording that was read last."""

    number: int = 0
    last_ms: int = 0  # start of the utterance that was read last, in the part
    end_ms: int = 0  # of its speech


def read_chunks(given: AnyPath | float) -> Chunks:
    """Read where parts begin: ``RECORDING START START ...`` in each line, s, or one length.

    Tabulators separate the fields of lines that have one; blanks those of others.

    Raises:
        InputError: a line is something else, or names a recording again.
    """
    if isinstance(given, int | float):
        return Chunks({}, given)
    value = Path(given)
    starts_s: dict[str, tuple[float, ...]] = {}
    expected = "a recording and the starts of its parts in seconds, in order"
    with open_input(value) as stream:
        for line, content in numbered(stream, value, LONGEST_LINE):
            fields = content.rstrip(b"\r\n")
            name, *starts = fields.split(b"\t" if b"\t" in fields else None) or [b""]
            if not name and not starts:
                continue
            own = tuple(number(value, line, one, "a start in seconds") for one in starts)
            rising = all(a < b for a, b in pairwise(own))
            if not own or not rising or own[0] < 0 or own[-1] > MAX_TIME_S:
                raise InputError(value, line, expected, shown(fields))
            recording = recording_name(text(value, line, name))
            if recording in starts_s:
                raise InputError(value, line, "each recording once", recording)
            starts_s[recording] = own
    if not starts_s:
        raise InputError(value, 0, expected, NONE)
    return Chunks(starts_s)


@dataclass(frozen=True, slots=True)
class Offsets:
    """How late the words of recordings are against their sound, s; negative: early."""

    of_file: Mapping[str, float]  # by the recording's name
    otherwise: float = 0.0  # of recordings that are not listed


def read_offsets(given: AnyPath | float) -> Offsets:
    """Read offsets: ``RECORDING S`` in each line, or one number for all recordings.

    A tabulator or the last blank of a line separates the fields.

    Raises:
        InputError: a line is something else, or names a recording again.
    """
    if isinstance(given, int | float):
        return Offsets({}, given)
    value = Path(given)
    offsets: dict[str, float] = {}
    expected = "a recording and how far its words stand behind its sound in seconds"
    with open_input(value) as stream:
        for line, content in numbered(stream, value, LONGEST_LINE):
            fields = content.strip()
            if not fields:
                continue
            name, _, offset = fields.replace(b"\t", b" ").rpartition(b" ")
            recording = recording_name(text(value, line, name.strip()))
            found = number(value, line, offset, "an offset in seconds")
            if not recording or abs(found) > MAX_TIME_S:
                raise InputError(value, line, expected, shown(fields))
            if recording in offsets:
                raise InputError(value, line, "each recording once", recording)
            offsets[recording] = found
    if not offsets:
        raise InputError(value, 0, expected, NONE)
    return Offsets(offsets)


def moved_back(blocks: Iterable[Utterances], offsets: Offsets) -> Iterator[Utterances]:
    """Subtract offsets from the times of utterances; times below 0 become 0."""
    for block in blocks:
        files = [recording.file for recording in block.recordings]
        offsets_s = [offsets.of_file.get(file, offsets.otherwise) for file in files]
        moved = _moved(block, -np.rint(1000 * np.array(offsets_s, np.float64)).astype(np.int64))
        times = {name: getattr(moved, name) for name in _TIMES}
        yield replace(moved, **{name: each.clip(min=0) for name, each in times.items()})


_TIMES = ("spans_ms", "slot_spans_ms", "word_spans_ms")


def placed(blocks: Iterable[Utterances], chunks: Chunks, path: Path) -> Iterator[Utterances]:
    """Move utterances by the starts of their parts in the recordings.

    Args:
        blocks: the blocks of one file, in its order, with times from the start of each part.
        chunks: where parts begin; recordings that are not listed stay as they are.

    Raises:
        InputError: the numbers of parts and starts differ, or speech lasts beyond the end of its
            part.
    """
    parts: dict[Recording, _Part] = {}
    for block in blocks:
        offsets_ms = np.zeros(len(block), np.int64)
        rows_of: dict[Recording, list[int]] = {}
        for row, recording in enumerate(block.recordings):
            rows_of.setdefault(recording, []).append(row)
        for recording, rows in rows_of.items():
            if chunks.length_s is not None or recording.file in chunks.starts_s:
                part = parts.setdefault(recording, _Part())
                offsets_ms[rows] = _offsets_ms(block.spans_ms[rows], part, recording, chunks, path)
        yield _moved(block, offsets_ms)
    for recording, part in parts.items():
        starts_s = chunks.starts_s.get(recording.file)
        if starts_s and part.number + 1 < len(starts_s):
            raise InputError(
                path, 0,
                f"{len(starts_s)} parts of {recording.file}, as --chunks lists starts",
                Unquoted(f"{part.number + 1} parts"),
                "a part without speech has no start in the list",
            )  # fmt: skip


def _offsets_ms(
    spans_ms: Int64s, part: _Part, recording: Recording, chunks: Chunks, path: Path
) -> Int64s:
    """(k,) where the parts of a recording's next (k, 2) utterances begin."""
    starts, ends = spans_ms.T
    before = np.concatenate([[part.last_ms], starts[:-1]])
    number = part.number + np.cumsum(starts < before - round(1000 * BACK_S))
    found = np.arange(part.number, int(number[-1]) + 1)
    latest = np.zeros(len(found), np.int64)
    np.maximum.at(latest, number - part.number, ends)
    latest[0] = max(latest[0], part.end_ms)
    part.number, part.last_ms, part.end_ms = int(number[-1]), int(starts[-1]), int(latest[-1])
    if chunks.length_s is not None:
        begins_s = chunks.length_s * np.arange(part.number + 2)
    else:
        listed = chunks.starts_s[recording.file]
        if part.number >= len(listed):
            got = Unquoted(f"{part.number + 1} parts or more")
            expected = f"{len(listed)} parts of {recording.file}, as --chunks lists starts"
            raise InputError(path, 0, expected, got)
        begins_s = np.array([*listed, MAX_TIME_S])
    lengths_ms = 1000 * np.diff(begins_s)[found]
    beyond = np.flatnonzero(latest > lengths_ms + 1000 * BEYOND_S)
    if len(beyond):
        at = int(beyond[0])
        expected = f"speech of part {found[at] + 1} of {recording.file} up to " + (
            f"{lengths_ms[at] / 1000:g} s, where --chunks begins the next"
        )
        raise InputError(path, 0, expected, f"{latest[at] / 1000:.3f}")
    if begins_s[part.number] + part.end_ms / 1000 > MAX_TIME_S:
        raise InputError(
            path, 0, f"times up to {MAX_TIME_S} s", Unquoted(f"part {part.number + 1} later")
        )
    offsets: Int64s = np.rint(1000 * begins_s).astype(np.int64)[number]
    return offsets


def _moved(block: Utterances, offsets_ms: Int64s) -> Utterances:
    if not offsets_ms.any():
        return block
    of_slots = np.repeat(offsets_ms, np.diff(block.bounds))
    of_words = np.repeat(of_slots, np.diff(block.offsets))
    return replace(
        block,
        spans_ms=block.spans_ms + offsets_ms[:, None],
        slot_spans_ms=(block.slot_spans_ms + of_slots[:, None]).astype(np.int32),
        word_spans_ms=(block.word_spans_ms + of_words[:, None]).astype(np.int32),
    )
