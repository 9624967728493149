"""Frames of a recording, and the frames of a segment's recordings in an index.

Encoder           the encoder of frames; frames of two encoders cannot be compared
Sound             frames with their times, as signs or exact
frames            signs or exact frames -> numbers
signs             numbers -> the signs of 256 random projections, packed
SegmentSound      extra columns of a segment, for R recordings and n frames
segment_sound     the extra columns of a segment of an index
StoredSigns       the signs of a segment, if few frames are needed

    sound_encoder    UTF-8: name and hash of the encoder, which all of a segment's frames have
    sound_offsets    (R + 1,) int64: frames of recording r are offsets[r]:offsets[r + 1]
    sound_start_ms   (R,) int32: when the first frame of each begins
    sound_signs      (4 n,) uint64: the 256 signs of each frame

The share of signs in which two frames differ is their angle / pi. Source: Charikar, "Similarity
estimation techniques from rounding algorithms" (STOC 2002), section 3.

A recording without sound has no frames. A segment without frames has none of these columns. Stores
do not interpret them.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, cast

import numpy as np

from std.errors import StoreError
from std.store import Segment
from std.values import (
    Column,
    Float16s,
    Float32s,
    Int32s,
    Int64s,
    Recording,
    UInt8s,
    UInt64s,
    freeze,
)

PROJECTION_SEED = b"std sound 1"

FRAME_MS = 20
SIGNS = 256
SIGN_BYTES = SIGNS // 8


class Encoder(NamedTuple):
    """The encoder of frames; frames of different encoders cannot be compared."""

    name: str  # as whisper
    hash: str  # of the model and the settings that frames depend on


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """The frames of a recording: frame i is the sound from ``start_ms + i * frame_ms`` on.

    ``stored`` holds either the signs of random projections (`std.sound.columns`), packed, or the
    frames themselves, as the encoder gives them.

    Raises:
        ValueError: ``stored`` is neither.
    """

    recording: Recording
    encoder: Encoder
    stored: UInt8s | Float16s = field(repr=False)  # (n, 32) packed signs, or (n, d) exact
    start_ms: int = 0
    frame_ms: int = FRAME_MS

    def __post_init__(self) -> None:
        kind, shape = self.stored.dtype, self.stored.shape
        signs = kind == np.uint8 and shape[1:] == (SIGN_BYTES,)
        exact = kind == np.float16 and len(shape) == 2
        if not signs and not exact:
            raise ValueError(f"{self.recording.file}: frames of shape {shape} and type {kind}")
        freeze(self)

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def exact(self) -> bool:
        """Whether these are the encoder's own frames, not signs."""
        return self.stored.dtype == np.float16

    @property
    def end_ms(self) -> int:
        """The end of the last frame."""
        return self.start_ms + len(self) * self.frame_ms


def frames(sound: Sound) -> Float32s:
    """(n, d) frames as numbers; signs are 1 and -1, and d is 256 then."""
    if sound.exact:
        return sound.stored.astype(np.float32)
    bits = np.unpackbits(sound.stored.astype(np.uint8, copy=False), axis=1)
    return bits.astype(np.float32) * 2 - 1


def signs(frames: Float32s) -> UInt8s:
    """(n, 32) the signs of frames.

    Args:
        frames: (n, d), each dimension of mean 0 and deviation 1 over much speech; otherwise a
            few dimensions decide all signs.
    """
    return np.packbits(frames @ _projection(frames.shape[1]) > 0, axis=1)


@cache
def _projection(dimensions: int) -> Float32s:
    """(d, 256) of 1 and -1; from a hash, so that every version of numpy draws the same."""
    drawn = hashlib.shake_256(PROJECTION_SEED).digest(dimensions * SIGNS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimensions, SIGNS)
    return bits.astype(np.float32) * 2 - 1


ENCODER, OFFSETS = "sound_encoder", "sound_offsets"
START_MS, SIGN_COLUMN = "sound_start_ms", "sound_signs"
WORDS = SIGN_BYTES // 8  # of 64 signs, of a frame


@dataclass(frozen=True, slots=True, eq=False)
class SegmentSound:
    """The frames of a segment's recordings.

    Raises:
        StoreError: the columns do not fit each other.
    """

    encoder: Encoder
    offsets: Int64s  # (R + 1,)
    start_ms: Int32s  # (R,)
    signs: UInt64s  # (n, 4)

    def __post_init__(self) -> None:
        ends = len(self.offsets) and (self.offsets[0], self.offsets[-1])
        if ends != (0, len(self.signs)) or (np.diff(self.offsets) < 0).any():
            raise StoreError(f"offsets of sound do not ascend from 0 to {len(self.signs)}")
        if len(self.start_ms) != len(self.offsets) - 1:
            raise StoreError(
                f"sound begins {len(self.start_ms)} times, not {len(self.offsets) - 1}"
            )

    def columns(self) -> dict[str, Column]:
        """The columns to be stored; none if no recording has sound."""
        if not len(self.signs):
            return {}
        return {
            ENCODER: np.frombuffer(" ".join(self.encoder).encode(), np.uint8),
            OFFSETS: self.offsets.astype("<i8"),
            START_MS: self.start_ms.astype("<i4"),
            SIGN_COLUMN: self.signs.astype("<u8", copy=False).reshape(-1),
        }

    @classmethod
    def read(
        cls, extra: Mapping[str, Column], signs: UInt64s | None = None
    ) -> "SegmentSound | None":
        """The sound among a segment's extra columns; None if it has none.

        Args:
            extra: the columns.
            signs: (n, 4) instead of those among the columns.

        Raises:
            StoreError: the columns do not fit each other.
        """
        kinds = {ENCODER: "u1", OFFSETS: "<i8", START_MS: "<i4"}
        if signs is None:
            if SIGN_COLUMN not in extra:
                return None
            kinds[SIGN_COLUMN] = "<u8"
        for name, kind in kinds.items():
            if name not in extra or extra[name].dtype != np.dtype(kind) or extra[name].ndim != 1:
                raise StoreError(f"column {name} is missing, or not a row of {kind}")
        if signs is None:
            if len(extra[SIGN_COLUMN]) % WORDS:
                raise StoreError(f"column {SIGN_COLUMN} has {len(extra[SIGN_COLUMN])} rows")
            signs = extra[SIGN_COLUMN].reshape(-1, WORDS).astype(np.uint64, copy=False)
        name, _, digest = extra[ENCODER].tobytes().decode(errors="replace").rpartition(" ")
        return cls(Encoder(name, digest), extra[OFFSETS], extra[START_MS], signs)  # type: ignore[arg-type]  # checked above

    @classmethod
    def of(cls, sounds: Sequence[Sound | None]) -> "SegmentSound | None":
        """The columns for sounds of recordings (None: without sound); None if all are None.

        Raises:
            ValueError: sounds of two encoders, exact frames, or another clock.
        """
        some = [one for one in sounds if one is not None and len(one)]
        if not some:
            return None
        if len({one.encoder for one in some}) > 1:
            raise ValueError("sounds of two encoders")
        if any(one.exact or one.frame_ms != FRAME_MS for one in some):
            raise ValueError(f"frames other than signs, every {FRAME_MS} ms")
        lengths = [0 if one is None else len(one) for one in sounds]
        starts = [0 if one is None else one.start_ms for one in sounds]
        joined = np.concatenate([np.ascontiguousarray(one.stored) for one in some])
        return cls(
            some[0].encoder,
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.array(starts, np.int32),
            joined.view("<u8"),
        )


class StoredSigns:
    """(n, 4) the signs of a segment of an index; frames are read when they are taken.

    Args:
        segment: with sound.
        n: how many frames it has.
    """

    def __init__(self, segment: Segment, n: int) -> None:
        self._segment, self._n = segment, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, frames: slice | Int64s) -> UInt64s:
        if isinstance(frames, slice):
            frames = np.arange(*frames.indices(self._n))
        rows = (frames[:, None] * WORDS + np.arange(WORDS)).reshape(-1)
        column = self._segment.extra_rows(SIGN_COLUMN, rows)
        if column is None or column.dtype != np.dtype("<u8"):
            raise StoreError(f"column {SIGN_COLUMN} is missing, or not a row of <u8")
        return column.reshape(-1, WORDS).astype(np.uint64, copy=False)


def segment_sound(segment: Segment, *, whole: bool = True) -> SegmentSound | None:
    """The sound of a segment's recordings; None if they have no sound.

    Args:
        segment: of an index.
        whole: read all frames; otherwise its signs are `StoredSigns`, to be sliced or indexed.

    Raises:
        StoreError: the columns do not fit each other.
    """
    names = (ENCODER, OFFSETS, START_MS, SIGN_COLUMN) if whole else (ENCODER, OFFSETS, START_MS)
    extra = {name: one for name in names if (one := segment.extra(name)) is not None}
    if not whole and OFFSETS in extra:
        signs = StoredSigns(segment, int(extra[OFFSETS][-1]))
        return SegmentSound.read(extra, cast(UInt64s, signs))
    return SegmentSound.read(extra)
