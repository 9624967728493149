"""The sound of a segment's recordings: extra columns, for R recordings and n frames.

    sound_encoder    UTF-8: name and hash of the encoder, which all of a segment's frames have
    sound_offsets    (R + 1,) int64: frames of recording r are offsets[r]:offsets[r + 1]
    sound_start_ms   (R,) int32: when the first frame of each begins
    sound_signs      (4 n,) uint64: the 256 signs of each frame

A recording without sound has no frames; a segment where none has any has no such columns. Stores
only keep them.

SegmentSound      the columns
segment_sound     of a segment of an index
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from std.errors import StoreError
from std.sound.value import FRAME_MS, SIGN_BYTES, Encoder, Sound
from std.store import Segment
from std.store.columns import Column, Int64s, UInt64s
from std.values import Int32s

ENCODER, OFFSETS = "sound_encoder", "sound_offsets"
START, SIGNS = "sound_start_ms", "sound_signs"
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
        """The columns to be stored; none where no recording has sound."""
        if not len(self.signs):
            return {}
        return {
            ENCODER: np.frombuffer(" ".join(self.encoder).encode(), np.uint8),
            OFFSETS: self.offsets.astype("<i8"),
            START: self.start_ms.astype("<i4"),
            SIGNS: self.signs.astype("<u8", copy=False).reshape(-1),
        }

    @classmethod
    def read(cls, extra: Mapping[str, Column]) -> "SegmentSound | None":
        """The sound among a segment's extra columns; None if it has none.

        Raises:
            StoreError: the columns do not fit each other.
        """
        if SIGNS not in extra:
            return None
        kinds = {ENCODER: "u1", OFFSETS: "<i8", START: "<i4", SIGNS: "<u8"}
        for name, kind in kinds.items():
            if name not in extra or extra[name].dtype != np.dtype(kind) or extra[name].ndim != 1:
                raise StoreError(f"column {name} is missing, or not a row of {kind}")
        if len(extra[SIGNS]) % WORDS:
            raise StoreError(f"column {SIGNS} has {len(extra[SIGNS])} rows")
        name, _, digest = extra[ENCODER].tobytes().decode(errors="replace").rpartition(" ")
        signs = extra[SIGNS].reshape(-1, WORDS)
        return cls(Encoder(name, digest), extra[OFFSETS], extra[START], signs)  # type: ignore[arg-type]  # checked above

    @classmethod
    def of(cls, sounds: Sequence[Sound | None]) -> "SegmentSound | None":
        """The sound of recordings, None where there is none; all None: None.

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


def segment_sound(segment: Segment) -> SegmentSound | None:
    """The sound of a segment's recordings; None if it has none.

    Raises:
        StoreError: the columns do not fit each other.
    """
    extra = {name: segment.extra(name) for name in (ENCODER, OFFSETS, START, SIGNS)}
    return SegmentSound.read({name: one for name, one in extra.items() if one is not None})
