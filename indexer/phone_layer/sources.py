"""The recordings of an index that have sound, and their words.

has_unheard    whether an index has sound whose phones nobody heard
sources_of     segments -> Sources, those of one pronouncer and encoder together
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import Reader
from indexer.phone_layer.words import SpokenWords, spoken_words
from std.sound.columns import OFFSETS, SegmentSound
from std.sound.value import SIGN_BYTES, Encoder, Sound, frames
from std.store import Segment
from std.store.columns import unpack_vocabulary
from std.store.heard import NOBODY, HeardBy, HeardSlots
from std.values import Float32s, Recording


class Source(NamedTuple):
    """A recording with sound."""

    recording: Recording
    sound: Sound
    words: SpokenWords
    phones: tuple[str, ...]  # to whose rows those of the words refer
    by: HeardBy | None  # who heard its phones already

    @property
    def reader(self) -> Reader:
        """Reads its frames."""
        return Reader(len(self.sound), partial(_read, self.sound))


class Sources(NamedTuple):
    """Recordings whose phones one layer can tell."""

    pronouncer: str
    encoder: Encoder
    recordings: tuple[Source, ...]  # by name


def has_unheard(segments: Iterable[Segment]) -> bool:
    """Whether a live recording of segments with phones has sound whose phones nobody heard."""
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
    """The recordings with sound of segments; those without phone columns are passed over."""
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
