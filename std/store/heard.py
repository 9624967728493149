"""Phones heard in the sound of recordings: extra columns of a segment, small enough to keep.

A *slot* is a short stretch of speech with alternative phones; slots of a recording follow each
other without gaps from its first frame to its last.

    heard_by            a JSON object for each layer that heard phones, as UTF-8 lines
    heard_layers        (b,) of u1: the weights of all layers, one after the other; ``bytes`` of
                        each object is their size
    heard_tokens        the tokens of slots, as UTF-8 lines: ``_`` is silence, others are phones
    heard_layer         (R,) of u1: the layer of a recording, a row of heard_by; 255: none
    heard_start_ms      (R,) of <i4: when the first frame begins
    heard_frame_ms      (R,) of <u2: how long a frame is
    heard_offsets       (R + 1,) of <i8: slots of recording r are offsets[r]:offsets[r + 1]
    heard_frames        (n,) of u1: length of each slot
    heard_empty         (n,) of u1: cost that the slot contains no separate phone
    heard_alternatives  (n,) of u1: number of its alternative tokens
    heard_token         (m,) of u1: slot by slot, a row of heard_tokens, the likeliest first
    heard_cost          (m,) of u1: their costs

A cost is -log of a probability in 1/16 nat. A segment without phones heard has none of these.

    HeardSlots       the columns, read
    gathered    those of some recordings of several segments
    quality     the share of held-out frames that the layer of each recording gets right
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from std.store.speakers import HasColumns, are_there, read_columns
from std.values import Bools, Column, Int32s, Int64s, UInt8s, UInt16s, freeze

SILENCE = "_"
NOBODY = 255
COST_A_NAT = 16
DTYPES: Mapping[str, str] = {
    "heard_by": "u1",
    "heard_layers": "u1",
    "heard_tokens": "u1",
    "heard_layer": "u1",
    "heard_start_ms": "<i4",
    "heard_frame_ms": "<u2",
    "heard_offsets": "<i8",
    "heard_frames": "u1",
    "heard_empty": "u1",
    "heard_alternatives": "u1",
    "heard_token": "u1",
    "heard_cost": "u1",
}


@dataclass(frozen=True, slots=True)
class HeardBy:
    """A layer that heard phones."""

    fields: Mapping[str, object]  # what it was learned from, and how well it hears
    weights: bytes


@dataclass(frozen=True, slots=True, eq=False)
class HeardSlots:
    """The slots of the recordings of a segment.

    Raises:
        ValueError: the columns do not fit each other.
    """

    by: tuple[HeardBy, ...]
    tokens: tuple[str, ...]
    layer: UInt8s  # (R,) row of `by`, or `NOBODY`
    start_ms: Int32s  # (R,)
    frame_ms: UInt16s  # (R,)
    offsets: Int64s  # (R + 1,)
    frames: UInt8s  # (n,)
    empty: UInt8s  # (n,) cost
    alternatives: UInt8s  # (n,)
    token: UInt8s  # (m,)
    cost: UInt8s  # (m,)

    def __post_init__(self) -> None:
        r, n = len(self.layer), len(self.frames)
        if {len(self.start_ms), len(self.frame_ms), len(self.offsets) - 1} != {r}:
            raise ValueError(f"phones heard in other than {r} recordings")
        ascend = not (self.offsets[1:] < self.offsets[:-1]).any()
        if not ascend or (self.offsets[0], self.offsets[-1]) != (0, n):
            raise ValueError(f"slots of phones heard that do not ascend from 0 to {n}")
        if {len(self.empty), len(self.alternatives)} != {n} or (self.frames == 0).any():
            raise ValueError(f"other than {n} slots of phones heard, or one without frames")
        m = int(self.alternatives.sum(dtype=np.int64))
        if {len(self.token), len(self.cost)} != {m}:
            raise ValueError(f"other than {m} alternatives of phones heard")
        if m and int(self.token.max()) >= len(self.tokens):
            raise ValueError(f"a phone heard that is none of {len(self.tokens)}")
        if ((self.layer >= len(self.by)) & (self.layer != NOBODY)).any():
            raise ValueError(f"phones heard by none of {len(self.by)} layers")
        freeze(self)

    @property
    def is_heard(self) -> Bools:
        """(R,) which recordings have slots."""
        is_heard: Bools = self.layer != NOBODY
        return is_heard

    @classmethod
    def of(cls, segment: HasColumns) -> "HeardSlots | None":
        """The phones heard in a segment; None if there are none.

        Raises:
            StoreError: the columns are damaged.
        """
        return read_columns(segment, DTYPES, cls.read, "phones heard")

    @classmethod
    def read(cls, extra: Mapping[str, Column]) -> "HeardSlots | None":
        """The phones heard among the extra columns of a segment; None if there are none.

        Raises:
            ValueError: the columns do not fit each other.
        """
        if not are_there(extra, DTYPES):
            return None
        by, weights, begin = [], extra["heard_layers"].tobytes(), 0
        for line in extra["heard_by"].tobytes().splitlines():
            fields = json.loads(line)
            size = fields.pop("bytes")
            by.append(HeardBy(fields, weights[begin : begin + size]))
            begin += size
        if begin != len(weights):
            raise ValueError(f"{len(weights)} bytes of layers, not {begin}")
        tokens = tuple(extra["heard_tokens"].tobytes().decode().split("\n")[:-1])
        rows = (extra[name] for name in list(DTYPES)[3:])
        return cls(tuple(by), tokens, *rows)  # type: ignore[arg-type]  # types were checked

    def likeliest(self, row: int, start_ms: int, end_ms: int) -> list[str]:
        """The likeliest phones in a stretch of a recording, without silence.

        Args:
            row: the row of the recording.
            start_ms, end_ms: slots count whose middle lies in between.
        """
        first, end = self.offsets[row : row + 2].tolist()
        frames = np.cumsum(self.frames[first:end], dtype=np.int64)
        middle_ms = self.start_ms[row] + (frames - self.frames[first:end] / 2) * self.frame_ms[row]
        is_there = (middle_ms >= start_ms) & (middle_ms < end_ms)
        # Likelier a phone of its own than not.
        is_there &= self.empty[first:end] > COST_A_NAT * np.log(2)
        held = self.alternatives[first:end]
        before = int(self.alternatives[:first].sum(dtype=np.int64))
        best = self.token[before + np.cumsum(held, dtype=np.int64) - held][is_there]
        changes = np.flatnonzero(np.diff(best, prepend=NOBODY))
        return [
            self.tokens[token] for token in best[changes].tolist() if self.tokens[token] != SILENCE
        ]

    def columns(self) -> dict[str, Column]:
        """The extra columns; none if no recording has phones heard."""
        if not self.by:
            return {}
        lines = [json.dumps({**one.fields, "bytes": len(one.weights)}) for one in self.by]
        texts = (
            "".join(f"{line}\n" for line in lines).encode(),
            b"".join(one.weights for one in self.by),
            "".join(f"{token}\n" for token in self.tokens).encode(),
        )
        rows = (
            self.layer, self.start_ms, self.frame_ms, self.offsets, self.frames, self.empty,
            self.alternatives, self.token, self.cost,
        )  # fmt: skip
        columns: list[npt.NDArray[Any]] = [
            *(np.frombuffer(text, np.uint8) for text in texts),
            *rows,
        ]
        return {
            name: column.astype(dtype, copy=False)
            for (name, dtype), column in zip(DTYPES.items(), columns, strict=True)
        }


def gathered(parts: Sequence[HeardSlots], rows: Sequence[tuple[int, int] | None]) -> HeardSlots:
    """The slots of some recordings.

    Args:
        parts: where they are.
        rows: the part of each recording, and its row there; None: no phones were heard in it.
    """
    tokens = sorted({token for part in parts for token in part.tokens} - {SILENCE})
    tokens = [SILENCE, *tokens]
    number = {token: i for i, token in enumerate(tokens)}
    renamed = [np.array([number[one] for one in part.tokens] or [0], np.uint8) for part in parts]
    begins = [np.concatenate([[0], np.cumsum(part.alternatives, dtype=np.int64)]) for part in parts]
    by: list[HeardBy] = []
    layer = np.full(len(rows), NOBODY, np.uint8)
    start_ms, frame_ms = np.zeros(len(rows), np.int32), np.ones(len(rows), np.uint16)
    lengths = np.zeros(len(rows), np.int64)
    slots: list[tuple[UInt8s, UInt8s, UInt8s]] = []
    held: list[tuple[UInt8s, UInt8s]] = []
    for row, place in enumerate(rows):
        if place is None or parts[place[0]].layer[place[1]] == NOBODY:
            continue
        part, old = parts[place[0]], place[1]
        who = part.by[part.layer[old]]
        if who not in by:
            by.append(who)
        layer[row] = by.index(who)
        start_ms[row], frame_ms[row] = part.start_ms[old], part.frame_ms[old]
        first, end = part.offsets[old : old + 2].tolist()
        lengths[row] = end - first
        slots.append((part.frames[first:end], part.empty[first:end], part.alternatives[first:end]))
        inside = slice(int(begins[place[0]][first]), int(begins[place[0]][end]))
        held.append((renamed[place[0]][part.token[inside]], part.cost[inside]))
    none = np.empty(0, np.uint8)
    frames, empty, alternatives = (
        np.concatenate([none, *(one[i] for one in slots)]) for i in range(3)
    )
    token, cost = (np.concatenate([none, *(one[i] for one in held)]) for i in range(2))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return HeardSlots(
        tuple(by), tuple(tokens), layer, start_ms, frame_ms, offsets, frames, empty, alternatives,
        token, cost,
    )  # fmt: skip


def quality(by: Column, layer: Column) -> list[float | None]:
    """The share of held-out frames that the layer of each recording gets right, None without one.

    Args:
        by: the column ``heard_by`` of a segment.
        layer: its column ``heard_layer``.
    """
    right = [json.loads(line).get("right") for line in by.tobytes().splitlines()]
    return [None if row == NOBODY else right[row] for row in layer.tolist()]
