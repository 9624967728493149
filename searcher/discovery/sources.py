"""The compared frames of an index: its sound, or the phones heard in it; in blocks.

by_sound     the frames of each recording
by_phones    each frame's probabilities of phones, as frames like any other
blocks_of    frames of recordings -> blocks; a pair of blocks is an item of work that fits in memory
backwards    a block with time reversed: similar stretches in it are chance pairs

Frames of sound need no language; phones are those of the archive's language (docs/phones-heard.md).
Of phones the square roots of probabilities are compared: the cosine of two such rows is the
Bhattacharyya coefficient of the distributions, and signs of random projections estimate the angle.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from searcher.examples.example import archive_of
from searcher.heard.places import PROBABILITY, HeardIndex, open_heard
from searcher.index.stores import recording_table
from std.errors import StdError
from std.sound.columns import FRAME_MS, signs
from std.sound.usual import sample_of, silent, usual_distances
from std.store import Segment
from std.store.columns import live_recordings
from std.values import Bools, Int32s, Int64s, Recording, UInt64s

LENGTH = 5 * 3600 * 1000 // FRAME_MS  # frames of a block: five hours, or one longer recording


class Frames(NamedTuple):
    """The frames of a recording."""

    recording: int  # row of the archive's recordings
    start_ms: int
    signs: UInt64s  # (n, 4)
    silent: Bools | None = None  # (n,) if known
    usual: int | None = None  # distance of frames to others by chance, if known


class Block(NamedTuple):
    """The frames of some recordings, concatenated."""

    signs: UInt64s  # (n, 4)
    usual: Int32s  # (n,) distance of a frame to others by chance
    silent: Bools  # (n,)
    offsets: Int64s  # (r + 1,) frames of each recording


def blocks_of(recordings: Sequence[Frames], length: int = LENGTH) -> list[Block]:
    """Put recordings into blocks.

    Args:
        length: the largest number of frames in a block, unless a recording has more.
    """
    groups: list[list[Frames]] = [[]]
    size = 0
    for one in recordings:
        if groups[-1] and size + len(one.signs) > length:
            groups.append([])
            size = 0
        groups[-1].append(one)
        size += len(one.signs)
    sample = sample_of(np.concatenate([sample_of(one.signs) for one in recordings]))
    median = float(np.median(usual_distances(sample, sample)))
    return [_block(group, sample, median) for group in groups]


def backwards(block: Block) -> Block:
    """A block with time reversed: its frames are speech, but their order is not."""
    return Block(
        np.ascontiguousarray(block.signs[::-1]),
        np.ascontiguousarray(block.usual[::-1]),
        np.ascontiguousarray(block.silent[::-1]),
        block.offsets[-1] - block.offsets[::-1],
    )


def _block(group: Sequence[Frames], sample: UInt64s, median: float) -> Block:
    usual, pauses = [], []
    for one in group:
        if one.usual is None:
            usual.append(usual_distances(one.signs, sample))
        else:
            usual.append(np.full(len(one.signs), one.usual, np.int32))
        pauses.append(silent(usual[-1], median) if one.silent is None else one.silent)
    lengths = [len(one.signs) for one in group]
    return Block(
        np.concatenate([one.signs for one in group]),
        np.concatenate(usual),
        np.concatenate(pauses),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


OF_PHONES = 80  # usual distance: an angle of 56 degrees


def by_sound(
    segments: Sequence[Segment], wanted: Callable[[Recording], bool] = lambda recording: True
) -> list[Frames]:
    """The frames of the recordings with sound, in the order of the index.

    Raises:
        StdError: the index has no sound.
    """
    found = []
    for part in archive_of(segments, wanted).parts:
        for row, number in zip(part.rows.tolist(), part.recordings.tolist(), strict=True):
            first, end = part.sound.offsets[row : row + 2].tolist()
            start_ms = int(part.sound.start_ms[row])
            found.append(Frames(number, start_ms, part.sound.signs[first:end]))
    return _some(sorted(found, key=lambda one: one.recording), "sound")


def by_phones(
    segments: Sequence[Segment], wanted: Callable[[Recording], bool] = lambda recording: True
) -> list[Frames]:
    """The frames of the phones heard.

    Raises:
        StdError: the index has no phones heard.
    """
    table = recording_table(segments)
    found = []
    for segment in segments:
        columns = segment.columns()
        live = np.zeros(len(segment.recordings), np.bool_)
        live[[row for row, one in live_recordings(segment) if wanted(one.recording)]] = True
        heard = open_heard(columns, live, table.rows[segment])
        if heard is None:
            continue
        places = zip(heard.recording.tolist(), heard.bounds.tolist(), strict=True)
        found += [_frames_of_slots(heard, recording, *slots) for recording, slots in places]
    return _some(sorted(found, key=lambda one: one.recording), "phones heard in its sound")


def _some(found: list[Frames], what: str) -> list[Frames]:
    if not any(len(one.signs) for one in found):
        raise StdError(
            f"the index has no {what}: std-recognise --sound or --sound-only writes sound, "
            "std-index takes it in"
        )
    return [one for one in found if len(one.signs)]


def _frames_of_slots(heard: HeardIndex, recording: int, first: int, end: int) -> Frames:
    slots, offsets = slice(first, end), heard.offsets[first : end + 1]
    roots = np.zeros((end - first, len(heard.tokens)), np.float32)
    places = slice(int(offsets[0]), int(offsets[-1]))
    of_slot = np.repeat(np.arange(end - first), np.diff(offsets))
    roots[of_slot, heard.token[places]] = np.sqrt(PROBABILITY[heard.cost[places]])
    frames = (heard.end_ms[slots] - heard.begin_ms[slots]) // FRAME_MS
    projected = np.ascontiguousarray(signs(roots)).view("<u8")
    return Frames(
        recording,
        int(heard.begin_ms[first]),
        np.repeat(projected, frames, axis=0),
        np.repeat(roots.argmax(axis=1) == 0, frames),
        OF_PHONES,
    )
