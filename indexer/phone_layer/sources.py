"""The recordings of an index that have sound, and their words with phones and times.

has_unheard     whether an index has sound whose phones are not recognised yet
sources_of      segments -> Sources, those of one pronouncer and encoder together
spoken_words    columns of a segment with phone columns -> PronouncedWords of each recording
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import FrameReader
from std.sound.columns import OFFSETS, SIGN_BYTES, Encoder, SegmentSound, Sound, frames
from std.store import Segment
from std.store.columns import KEY_SHIFT, SLOT_ERROR, SegmentColumns, row_ranges, unpack_vocabulary
from std.store.heard import NOBODY, HeardBy, HeardSlots
from std.values import Bools, Float32s, Int64s, Recording, UInt8s, freeze

SURE_MS = 100  # how far the times of a word to learn from may be off


@dataclass(frozen=True, slots=True, eq=False)
class PronouncedWords:
    """The likeliest words of a recording in order of time."""

    begin_ms: Int64s  # (w,)
    end_ms: Int64s  # (w,)
    offsets: Int64s  # (w + 1,) into phones
    phones: UInt8s  # rows of the segment's inventory of phones
    timed: Bools  # (w,) whether the recogniser wrote the times

    def __post_init__(self) -> None:
        freeze(self)


def spoken_words(columns: SegmentColumns) -> list[PronouncedWords]:
    """The likeliest word of each slot, for each recording of a segment.

    Args:
        columns: with phone columns (`indexer.segments.phone_columns`).
    """
    offsets = columns.extra["word_phone_offsets"].astype(np.int64)
    phones = columns.extra["word_phones"].astype(np.uint8)
    rows, words = likeliest(columns)
    slots = columns.posting_slot[rows]
    begin_ms = columns.posting_start_ms[rows].astype(np.int64)
    end_ms = begin_ms + columns.posting_duration_ms[rows]
    errors_ms = np.zeros(len(columns.slot_key), np.uint32)
    if SLOT_ERROR in columns.extra:
        errors_ms = columns.extra[SLOT_ERROR].astype(np.uint32)
    timed = errors_ms[slots] <= SURE_MS
    recording = (columns.slot_key[slots] >> KEY_SHIFT).astype(np.int64)
    order = np.lexsort((begin_ms, recording))
    bounds = np.searchsorted(recording[order], np.arange(len(columns.recordings) + 1))
    spoken = []
    for row in range(len(columns.recordings)):
        here = order[bounds[row] : bounds[row + 1]]
        lengths = np.diff(offsets)[words[here]]
        of_words = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = row_ranges(offsets[words[here]], lengths)
        spoken.append(
            PronouncedWords(begin_ms[here], end_ms[here], of_words, phones[at], timed[here])
        )
    return spoken


def likeliest(columns: SegmentColumns) -> tuple[Int64s, Int64s]:
    """The postings of each slot's likeliest word, and the words; the best where it has several."""
    words = np.repeat(np.arange(len(columns.posting_offsets) - 1), np.diff(columns.posting_offsets))
    rows = np.flatnonzero(columns.slot_word[columns.posting_slot] == words)
    posterior: Float32s = columns.posting_posterior[rows]
    order = np.lexsort((-posterior, columns.posting_slot[rows]))
    slots = columns.posting_slot[rows][order]
    best = rows[order][np.concatenate([[True], slots[1:] != slots[:-1]])[: len(slots)]]
    return best, words[best]


class Source(NamedTuple):
    """A recording with sound."""

    recording: Recording
    sound: Sound
    words: PronouncedWords
    phones: tuple[str, ...]  # those of the words are rows of these
    by: HeardBy | None  # the layer of its phones, if recognised

    @property
    def reader(self) -> FrameReader:
        return FrameReader(len(self.sound), partial(_read, self.sound))


class Sources(NamedTuple):
    """Recordings that one layer can be applied to."""

    pronouncer: str
    encoder: Encoder
    recordings: tuple[Source, ...]  # by name


def has_unheard(segments: Iterable[Segment]) -> bool:
    """Whether a live recording of segments with phones has sound without recognised phones."""
    for segment in segments:
        offsets = segment.extra(OFFSETS)
        if offsets is None or segment.extra("phone_maker") is None:
            continue
        layer = segment.extra("heard_layer")
        unheard = np.diff(offsets.astype(np.int64)) > 0
        if layer is not None:
            unheard &= layer.astype(np.uint8) == NOBODY
        if set(np.flatnonzero(unheard).tolist()) - segment.deleted:
            return True
    return False


def sources_of(segments: Iterable[Segment]) -> list[Sources]:
    """The recordings with sound of segments; segments without phone columns are skipped."""
    found: dict[tuple[str, Encoder], list[Source]] = {}
    for segment in segments:
        if segment.extra(OFFSETS) is None or segment.extra("phone_maker") is None:
            continue
        columns = segment.columns()
        sound, heard = SegmentSound.read(columns.extra), HeardSlots.read(columns.extra)
        assert sound is not None
        pronouncer = columns.extra["phone_maker"].tobytes().decode()
        phones = tuple(unpack_vocabulary(columns.extra["phone_inventory"].astype("u1")))
        spoken = spoken_words(columns)
        bounds = sound.offsets.tolist()
        stored = np.ascontiguousarray(sound.signs).view(np.uint8).reshape(-1, SIGN_BYTES)
        for row, one in enumerate(columns.recordings):
            first, end = bounds[row : row + 2]
            if row in segment.deleted or first == end:
                continue
            by = heard.by[heard.layer[row]] if heard and heard.is_heard[row] else None
            start_ms = int(sound.start_ms[row])
            own = Sound(one.recording, sound.encoder, stored[first:end], start_ms)
            source = Source(one.recording, own, spoken[row], phones, by)
            found.setdefault((pronouncer, sound.encoder), []).append(source)
    return [
        Sources(*key, tuple(sorted(found[key], key=lambda one: one.recording)))
        for key in sorted(found)
    ]


def _read(sound: Sound, first: int, end: int) -> Float32s:
    """Some frames of a recording."""
    return frames(replace(sound, stored=sound.stored[first:end]))
