"""The sound of recordings beside their words: which have any, and whether the clocks agree.

EncoderGuard    refuses frames of another encoder than the index has
sounds_alone    the recordings with frames, but no words
clock_offsets   segments -> the recordings whose words are late or early against their sound
clock_doubt     a warning about one of them

A worker adds a file of frames beside an input to its words (`indexer.segments.sound`).

If the audio is cut differently from the recogniser's, written terms are still found, but phones
heard, query by example and clips are silently wrong. Silence should have no words: the offset at
which silence and the lack of words correlate best is that of the clocks. Whisper's times of words
are .1 to .2 s late, so an offset must fit clearly better than none.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from indexer.file_columns import FileColumns, indexed_input, shard_of
from indexer.inputs import Input
from indexer.phone_layer.sources import likeliest
from indexer.segments.sound import alone
from std.errors import InputError
from std.files import size_bytes
from std.sound.columns import FRAME_MS, OFFSETS, Encoder, SegmentSound, segment_sound
from std.sound.files import read_sound
from std.sound.usual import sample_of, silent, usual_distances
from std.store import Segment, Store
from std.store.columns import KEY_SHIFT, SegmentColumns
from std.values import Bools, Recording

LARGEST_S = 5.0  # offset that is found
DOUBTFUL_S = 0.1
LEAST_S = 30.0  # of sound that is enough to decide
LONGEST_S = 300.0  # of a recording that is compared
LEAST_SHARE = 0.03  # of frames that are silent, and that have no word
LEAST_OF_SILENCE = 0.3  # of it has no word: some recognisers let words fill pauses
LEAST_AGREEMENT = 0.25  # correlation at the best offset
LEAST_GAIN = 0.1  # gain over the correlation without an offset
# Words that begin in the pause before them move what is left of it: by .3 to .4 s in Whisper's
# draws, where .36 to .46 of the silence has no word (other recognisers: .95 and more) and the
# correlation without an offset is .65 to .72 of the best one.
FILLED = 0.6  # less of the silence than this has no word: words fill pauses
MOST_OF_BEST = 0.5  # share of the best correlation that is found there without an offset


def clock_offsets(
    segments: Iterable[Segment], wanted: Collection[Recording] | None = None
) -> Iterator[tuple[Recording, float]]:
    """Yield recordings whose words and sound disagree, and how late the words are, in seconds.

    Args:
        segments: the segments of an index; recordings without sound are skipped.
        wanted: recordings to check; None = all.
    """
    for segment in segments:
        if segment.extra(OFFSETS) is None:
            continue
        rows = [
            row
            for row, one in enumerate(segment.recordings)
            if row not in segment.deleted and (wanted is None or one.recording in wanted)
        ]
        yield from _offsets_s(segment.columns(), rows) if rows else ()


def clock_doubt(recording: Recording, found_s: float) -> str:
    """The warning about a recording whose words are late or early against its sound.

    Args:
        recording: with an offset.
        found_s: how late its words are against its sound.
    """
    side = "behind" if found_s > 0 else "before"
    return (
        f"{recording.file}: its words stand about {abs(found_s):.1f} s {side} its sound; "
        f"was other audio recognised? std-index --clock-offset {found_s:.1f} moves them"
    )


def offset_s(silence: Bools, unsaid: Bools) -> float:
    """How late words are against their sound, in seconds; 0 if that is unclear.

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
    most = int(1000 * LARGEST_S) // FRAME_MS
    agreements = np.array([_agreement(silence, unsaid, by) for by in range(-most, most + 1)])
    best = int(agreements.argmax())
    gain = agreements[best] - agreements[most]
    if agreements[best] < LEAST_AGREEMENT or gain < LEAST_GAIN:
        return 0.0
    is_filled = unsaid.mean() < FILLED * silence.mean()
    if is_filled and agreements[most] > MOST_OF_BEST * agreements[best]:
        return 0.0
    return (best - most) * FRAME_MS / 1000


def _agreement(silence: Bools, unsaid: Bools, by: int) -> float:
    """The correlation of silence with the lack of words moved back by some frames."""
    n = len(silence)
    heard, written = silence[max(0, -by) : n - max(0, by)], unsaid[max(0, by) : n - max(0, -by)]
    if heard.all() or written.all() or not (heard.any() and written.any()):
        return 0.0
    return float(np.corrcoef(heard, written)[0, 1])


def _offsets_s(columns: SegmentColumns, rows: Sequence[int]) -> Iterator[tuple[Recording, float]]:
    """Recordings of a segment whose clocks differ, with the offset."""
    sound = SegmentSound.read(columns.extra)
    assert sound is not None
    longest = int(1000 * LONGEST_S) // FRAME_MS
    bounds = sound.offsets.tolist()
    first = {
        row: sound.signs[bounds[row] : min(bounds[row + 1], bounds[row] + longest)]
        for row in rows
        if bounds[row] < bounds[row + 1]
    }
    if not first:
        return
    sample = sample_of(np.concatenate([sample_of(signs) for signs in first.values()]))
    median = float(np.median(usual_distances(sample, sample)))
    postings, _ = likeliest(columns)
    slots = columns.posting_slot[postings]
    recording = (columns.slot_key[slots] >> KEY_SHIFT).astype(np.int64)
    begin_ms = columns.posting_start_ms[postings].astype(np.int64)
    end_ms = begin_ms + columns.posting_duration_ms[postings]
    for row, signs in first.items():
        own = recording == row
        if not own.any():
            continue
        origin_ms = int(sound.start_ms[row])
        begins = (begin_ms[own] - origin_ms) // FRAME_MS
        ends = (end_ms[own] - origin_ms) // FRAME_MS
        changes = np.zeros(len(signs) + 1, np.int64)
        np.add.at(changes, np.clip(begins, 0, len(signs)), 1)
        np.add.at(changes, np.clip(ends, 0, len(signs)), -1)
        unsaid = np.cumsum(changes)[:-1] <= 0
        found = offset_s(silent(usual_distances(signs, sample), median), unsaid)
        if abs(found) >= DOUBTFUL_S:
            yield columns.recordings[row].recording, found


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
        sounds: files of frames.
        with_words: recordings of the other inputs; complete when the first item is asked for.
        shards: number of stores that recordings are distributed to.
    """
    files = {one.file for one in with_words}
    channels: dict[str, list[Input]] = {}
    for source in sounds:
        try:
            file = read_sound(source.path).recording.file
        except InputError as error:
            yield error
            continue
        if file not in files:
            channels.setdefault(file, []).append(source)
    for file, sources in channels.items():
        first = sources[0]
        try:
            columns = alone([one.path for one in sources], first.origin)
        except InputError as error:
            yield error
            continue
        names = {one.recording: () for one in columns.recordings}
        indexed = replace(indexed_input(first.path, names, [columns]), has_words=False)
        size = sum(size_bytes(one.path) for one in sources)
        yield FileColumns(first, size, {shard_of(file, shards): columns}, names, {}, indexed)
