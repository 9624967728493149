"""The sound of recordings beside their words: which have it, and whether the times agree.

EncoderGuard    refuses frames of another encoder than the index has
sounds_alone    the recordings with frames, but no words
with_frames     the recordings of an index that have frames
clock_offsets   segments -> the recordings whose words are late or early against their sound
clock_doubts    the warnings about them

A worker adds a file of frames beside an input to its words (`indexer.segments.sound`).

If the audio is cut differently from the recogniser's, written terms are still found, but phones
heard, query by example and clips are silently wrong. Silence should have no words: the offset at
which silence and the lack of words correlate best is that of the clocks. Whisper's times of words
are .1 to .2 s late, so an offset must fit clearly better than none. If the audio lacks a part or
runs faster, the offset changes, so it is also measured in parts of half a minute.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from indexer.file_columns import FileColumns, indexed_input, shard_of
from indexer.inputs import Input
from indexer.phone_layer.sources import likeliest
from indexer.segments.sound import alone
from std.errors import InputError
from std.files import size_bytes
from std.numbers import clock
from std.sound.columns import FRAME_MS, OFFSETS, Encoder, SegmentSound, segment_sound
from std.sound.files import read_sound
from std.store import Segment, Store
from std.store.columns import KEY_SHIFT, SegmentColumns, live_recordings
from std.values import Bools, Float64s, Recording, UInt64s

LARGEST_S = 5.0  # offset that is found
MOST_FRAMES = int(1000 * LARGEST_S) // FRAME_MS
DOUBTFUL_S = 0.1
LEAST_S = 30.0  # of sound that is enough to decide
LONGEST_S = 300.0  # of a recording that is compared as a whole
LEAST_SHARE = 0.03  # of frames that are silent, and that have no word
LEAST_OF_SILENCE = 0.3  # of it has no word: some recognisers let words fill pauses
LEAST_AGREEMENT = 0.25  # correlation at the best offset
LEAST_GAIN = 0.1  # gain over the correlation without an offset
# Words that begin in the pause before them move what is left of it: by .3 to .4 s in Whisper's
# draws, where .36 to .46 of the silence has no word (other recognisers: .95 and more) and the
# correlation without an offset is .65 to .72 of the best one.
FILLED = 0.6  # less of the silence than this has no word: words fill pauses
MOST_OF_BEST = 0.5  # share of the best correlation that is found there without an offset
# Offsets of parts: 0 to .4 s, and within .2 s, in the German, Dutch and English sets as they are.
PART_S = 30.0
STEP_S = 15.0  # from one part to the next
PART_FRAMES, STEP_FRAMES = (int(1000 * length_s) // FRAME_MS for length_s in (PART_S, STEP_S))
PART_AGREEMENT = 0.4  # correlation at the best offset
MOST_PLACES = 12  # of a recording at which two parts are compared
CHANGE_S = 0.3  # less is one offset
NAMED = 10  # recordings that a warning names


class ClockDifference(NamedTuple):
    """The delay of the words of a recording after its sound."""

    recording: Recording
    late_s: float  # negative: early
    changes: tuple[tuple[float, float], ...] = ()  # time and offset in s, if it is not one offset


def clock_offsets(
    segments: Iterable[Segment], wanted: Collection[Recording] | None = None
) -> Iterator[ClockDifference]:
    """Yield the recordings whose words and sound disagree.

    Args:
        segments: the segments of an index; recordings without sound are skipped.
        wanted: recordings to check; None = all.
    """
    for segment in segments:
        if segment.extra(OFFSETS) is None:
            continue
        rows = [
            row
            for row, one in live_recordings(segment)
            if wanted is None or one.recording in wanted
        ]
        yield from _differences(segment.columns(), rows) if rows else ()


def clock_doubts(differences: Iterable[ClockDifference]) -> list[str]:
    """Warnings about recordings whose words are late or early; one for all of the same offset."""
    of_offset: dict[float, dict[str, None]] = {}
    lines = []
    for one in differences:
        if one.changes:
            lines.append(_changing(one))
        else:
            of_offset.setdefault(round(one.late_s, 1), {})[one.recording.file] = None
    for late_s, names in of_offset.items():
        files, theirs = [*names], "its" if len(names) == 1 else "their"
        more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
        lines.append(
            f"{', '.join(files[:NAMED])}{more}: {theirs} words stand about {abs(late_s):.1f} s "
            f"{'behind' if late_s > 0 else 'before'} {theirs} sound; was other audio recognised? "
            f"std-index --clock-offset moves them: {late_s:.1f} for all of its inputs, or a file "
            f"with the line {files[0]} {late_s:.1f}{' and so on' if len(files) > 1 else ''}"
        )
    return lines


def _changing(found: ClockDifference) -> str:
    told = [
        f"{abs(by_s):.1f} s {'late' if by_s >= 0 else 'early'} at {clock(at_s)}"
        for at_s, by_s in found.changes
    ]
    where = ", ".join(told) if len(told) <= 3 else f"{told[0]} to {told[-1]}, {len(told)} places"
    return (
        f"{found.recording.file}: its words do not keep to its sound: {where}; was other audio "
        "recognised, or was it cut? Examples and phones heard are wrong there"
    )


def offset_s(silence: Bools, unsaid: Bools) -> float:
    """The delay of words after their sound, in seconds; 0 if it is unclear.

    Args:
        silence: (n,) frames in which nobody speaks.
        unsaid: (n,) frames in which no word is written.
    """
    if len(silence) * FRAME_MS < 1000 * LEAST_S:
        return 0.0
    if min(silence.mean(), unsaid.mean()) < LEAST_SHARE or silence.all() or unsaid.all():
        return 0.0
    if unsaid.mean() < LEAST_OF_SILENCE * silence.mean():
        return 0.0
    agreements, most = _agreements(silence, unsaid), MOST_FRAMES
    best = int(agreements.argmax())
    gain = agreements[best] - agreements[most]
    if agreements[best] < LEAST_AGREEMENT or gain < LEAST_GAIN:
        return 0.0
    is_filled = unsaid.mean() < FILLED * silence.mean()
    if is_filled and agreements[most] > MOST_OF_BEST * agreements[best]:
        return 0.0
    return (best - most) * FRAME_MS / 1000


def _places(n: int) -> list[int]:
    """The frames at which two parts of a recording begin, the second a step later."""
    last = n - PART_FRAMES - STEP_FRAMES
    if last < 0:
        return []
    n_places = min(MOST_PLACES, 1 + last // STEP_FRAMES)
    return [int(at) for at in np.unique(np.linspace(0, last, n_places).astype(int))]


def offset_at_place(silence: Bools, unsaid: Bools) -> float | None:
    """The offset that two parts at a place have in common, s; None: unclear.

    Args:
        silence, unsaid: (PART_FRAMES + STEP_FRAMES,) see `offset_s`.
    """
    first, second = (
        _offset_of_part(silence[begin : begin + PART_FRAMES], unsaid[begin : begin + PART_FRAMES])
        for begin in (0, STEP_FRAMES)
    )
    if first is None or second is None or abs(first - second) > CHANGE_S:
        return None
    return (first + second) / 2


def _offset_of_part(silence: Bools, unsaid: Bools) -> float | None:
    """The offset of a part; None: unclear."""
    agreements = _agreements(silence, unsaid)
    best = int(agreements.argmax())
    if agreements[best] < PART_AGREEMENT:
        return None
    return (best - MOST_FRAMES) * FRAME_MS / 1000


def changes_of(parts: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The first of some offsets, and each that differs from the one before in this list.

    >>> changes_of([(22.0, 0.0), (37.0, 0.02), (67.0, 0.6), (90.0, 0.62)])
    ((22.0, 0.0), (67.0, 0.6))
    >>> changes_of([(22.0, 0.5), (67.0, 0.6)])
    ()
    """
    listed = [*parts[:1]]
    for at_s, by_s in parts:
        if abs(by_s - listed[-1][1]) >= CHANGE_S:
            listed.append((at_s, by_s))
    return tuple(listed) if len(listed) > 1 else ()


def _agreements(silence: Bools, unsaid: Bools) -> Float64s:
    """(2 * MOST_FRAMES + 1,) correlations of silence with the lack of words moved back by frames.

    Args:
        silence, unsaid: see `offset_s`.
    """
    n = len(silence)
    by = np.arange(-MOST_FRAMES, MOST_FRAMES + 1)
    size = n + MOST_FRAMES
    product = np.conj(np.fft.rfft(silence, size)) * np.fft.rfft(unsaid, size)
    both = np.rint(np.fft.irfft(product, size))[by]  # both[by]: in how many frames both hold
    heard, written = (np.concatenate(([0], np.cumsum(one))) for one in (silence, unsaid))
    n_heard = heard[np.minimum(n, n - by)] - heard[np.maximum(0, -by)]
    n_written = written[np.minimum(n, n + by)] - written[np.maximum(0, by)]
    frames = n - np.abs(by)
    spread = n_heard * (frames - n_heard) * (n_written * (frames - n_written)).astype(np.float64)
    agreements: Float64s = np.divide(
        frames * both - n_heard * n_written,
        np.sqrt(spread),
        out=np.zeros(len(by)),
        where=spread > 0,
    )
    return agreements


def _differences(columns: SegmentColumns, rows: Sequence[int]) -> Iterator[ClockDifference]:
    """The recordings of a segment whose clocks differ."""
    from std.sound.usual import sample_of, silent, usual_distances  # loads compiled kernels

    sound = SegmentSound.read(columns.extra)
    assert sound is not None
    bounds = sound.offsets.tolist()
    signs_of = {
        row: sound.signs[bounds[row] : bounds[row + 1]]
        for row in rows
        if bounds[row] < bounds[row + 1]
    }
    if not signs_of:
        return
    sample = sample_of(np.concatenate([sample_of(signs) for signs in signs_of.values()]))
    median = float(np.median(usual_distances(sample, sample)))
    postings, _ = likeliest(columns)
    slots = columns.posting_slot[postings]
    recording = (columns.slot_key[slots] >> KEY_SHIFT).astype(np.int64)
    begin_ms = columns.posting_start_ms[postings].astype(np.int64)
    end_ms = begin_ms + columns.posting_duration_ms[postings]
    for row, signs in signs_of.items():
        own = recording == row
        if not own.any():
            continue
        origin_ms = int(sound.start_ms[row])
        begins = (begin_ms[own] - origin_ms) // FRAME_MS
        ends = (end_ms[own] - origin_ms) // FRAME_MS
        change = np.zeros(len(signs) + 1, np.int64)
        np.add.at(change, np.clip(begins, 0, len(signs)), 1)
        np.add.at(change, np.clip(ends, 0, len(signs)), -1)
        unsaid = np.cumsum(change)[:-1] <= 0

        def silence(stretch: slice, signs: UInt64s = signs) -> Bools:
            return silent(usual_distances(signs[stretch], sample), median)

        parts = []
        for at in _places(len(signs)):
            stretch = slice(at, at + PART_FRAMES + STEP_FRAMES)
            by_s = offset_at_place(silence(stretch), unsaid[stretch])
            if by_s is not None:
                parts.append(((origin_ms + at * FRAME_MS) / 1000 + (PART_S + STEP_S) / 2, by_s))
        whole = slice(int(1000 * LONGEST_S) // FRAME_MS)
        late_s, changes = offset_s(silence(whole), unsaid[whole]), changes_of(parts)
        if changes or abs(late_s) >= DOUBTFUL_S:
            yield ClockDifference(columns.recordings[row].recording, late_s, changes)


@dataclass(slots=True)
class EncoderGuard:
    """Refuses frames of a second encoder, because frames of two encoders cannot be compared."""

    stores: Sequence[Store]
    _encoder: Encoder | None = None

    def refused(self, file: FileColumns) -> InputError | None:
        """The error if the sound of a file is not of the index's encoder."""
        for columns in file.shards.values():
            sound = SegmentSound.read(columns.extra)
            if sound is None:
                continue
            self._encoder = self._encoder or self._of_the_index() or sound.encoder
            if sound.encoder != self._encoder:
                return InputError(
                    file.source.path,
                    0,
                    f"sound of the index's encoder ({' '.join(self._encoder)})",
                    " ".join(sound.encoder),
                    "write it again with that one, or take another index",
                )
        return None

    def _of_the_index(self) -> Encoder | None:
        for store in self.stores:
            for segment in store.segments():
                if len(segment.deleted) < len(segment.recordings) and (
                    sound := segment_sound(segment)
                ):
                    return sound.encoder
        return None


def sounds_alone(
    sounds: Sequence[Input], with_words: Collection[Recording], shards: int
) -> Iterator[FileColumns | InputError]:
    """Yield the recordings without words; none of a file with some.

    Args:
        with_words: recordings of the other inputs; complete when the first item is asked for.
        shards: number of stores that recordings are distributed to.
    """
    files = {one.file for one in with_words}
    for source in sounds:
        try:
            recording = read_sound(source.path).recording
            if recording.file in files:
                continue
            columns = alone(source.path, source.origin)
        except InputError as error:
            yield error
            continue
        names = {recording: ()}
        indexed = replace(indexed_input(source.path, names, [columns]), has_words=False)
        shard = {shard_of(recording.file, shards): columns}
        yield FileColumns(source, size_bytes(source.path), shard, names, {}, indexed)


def with_frames(stores: Iterable[Store]) -> set[Recording]:
    """The recordings of an index that have frames."""
    found = set[Recording]()
    for store in stores:
        for segment in store.segments():
            offsets = segment.extra(OFFSETS)
            if offsets is not None:
                some = {*np.flatnonzero(np.diff(offsets.astype(np.int64))).tolist()}
                found.update(one.recording for row, one in live_recordings(segment) if row in some)
    return found
