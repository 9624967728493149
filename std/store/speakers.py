"""The speakers of the slots of a segment: three extra columns, small because people take turns.

    speakers        the different names, sorted by code point, as UTF-8 lines; the empty name
                    stands for an unknown speaker
    speaker_begin   (k,) of <i4: the first slot of each turn, ascending from 0
    speaker_row     (k,) of <i4: the speaker of each turn, a row of the names

A turn is a run of slots with one speaker. A segment without names, or of an older index, has none
of these columns.

    speaker_columns   a name for each slot -> columns
    turn_columns      a name for each turn -> columns
    Speakers          the columns, read
    read_columns, are_there   for any further columns of a segment
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from std.errors import StoreError
from std.values import Column, Integers

SPEAKER_NAMES, BEGIN, ROW = "speakers", "speaker_begin", "speaker_row"
SPEAKER_TYPES = {SPEAKER_NAMES: "u1", BEGIN: "<i4", ROW: "<i4"}
COLUMNS = tuple(SPEAKER_TYPES)
T = TypeVar("T")


class HasColumns(Protocol):
    """An object with columns: a segment of any store."""

    @property
    def id(self) -> str | None:
        """Name of the segment; None before it is committed."""
        ...

    def extra(self, name: str) -> Column | None:
        """A further column; None if it has none of this name."""
        ...


def read_columns(
    segment: HasColumns, names: Iterable[str], read: Callable[[Mapping[str, Column]], T], what: str
) -> T:
    """The value of some further columns of a segment.

    Args:
        read: makes the value of the existing columns, or raises a `ValueError`.

    Raises:
        StoreError: the columns are damaged.
    """
    extra = {name: column for name in names if (column := segment.extra(name)) is not None}
    try:
        return read(extra)
    except ValueError as error:
        raise StoreError(f"segment {segment.id}: expected {what}, got {error}") from error


def are_there(extra: Mapping[str, Column], types: Mapping[str, str]) -> bool:
    """Whether a segment has all of some further columns, and not none of them.

    Args:
        extra: the further columns of a segment.
        types: the type of each, by its name.

    Raises:
        ValueError: one of them is missing, or has another type or shape.
    """
    if types.keys().isdisjoint(extra):
        return False
    for name, kind in types.items():
        if name not in extra:
            raise ValueError(f"no column {name}")
        if extra[name].dtype != np.dtype(kind) or extra[name].ndim != 1:
            raise ValueError(f"{name} that is no row of {kind}")
    return True


class Speakers(NamedTuple):
    """The speaker of each slot of a segment."""

    names: tuple[str, ...]  # ascending; "" where nobody says who spoke
    begin: Integers  # (k,) first slot of each turn, ascending
    row: Integers  # (k,) of each turn's speaker among the names

    @classmethod
    def of(cls, segment: HasColumns) -> "Speakers":
        """The speakers of a segment; one without names has one turn of the empty name.

        Raises:
            StoreError: the columns are damaged.
        """
        return read_columns(segment, COLUMNS, cls.read, "speakers")

    @classmethod
    def read(cls, extra: Mapping[str, Column]) -> "Speakers":
        """The speakers among the extra columns of a segment.

        Raises:
            ValueError: the columns do not fit each other.
        """
        if not are_there(extra, SPEAKER_TYPES):
            return UNKNOWN_SPEAKERS
        names = tuple(extra[SPEAKER_NAMES].tobytes().decode().split("\n")[:-1])
        begin: npt.NDArray[Any] = extra[BEGIN]
        row: npt.NDArray[Any] = extra[ROW]
        if len(begin) != len(row) or not len(row):
            raise ValueError(f"{len(begin)} turns of {len(row)} speakers")
        if begin[0] != 0 or (begin[1:] <= begin[:-1]).any():
            raise ValueError("turns that do not ascend from slot 0")
        if row.min() < 0 or row.max() >= len(names):
            raise ValueError(f"turns of other speakers than the {len(names)} named")
        return cls(names, begin, row)

    def at(self, slots: Integers) -> Integers:
        """(n,) the speaker of each of n slots, as a row of the names."""
        return self.row[np.searchsorted(self.begin, slots, side="right") - 1]

    def in_all(self, n_slots: int) -> Integers:
        """(n_slots,) the same for every slot of the segment."""
        return np.repeat(self.row, np.diff(np.append(self.begin, n_slots)))

    def of_recordings(self, slot_offsets: Integers) -> list[dict[str, int]]:
        """(R,) the number of slots of each speaker in each recording; "" stands for no name.

        Args:
            slot_offsets: (R + 1,) first slot of each recording, and the end of the last.
        """
        found: list[dict[str, int]] = [{} for _ in slot_offsets[1:]]
        edges = np.union1d(self.begin, slot_offsets[:-1])
        edges = edges[edges < slot_offsets[-1]]
        recording = np.searchsorted(slot_offsets, edges, side="right") - 1
        slots = np.diff(np.append(edges, slot_offsets[-1]))
        pairs, which = np.unique(recording * len(self.names) + self.at(edges), return_inverse=True)
        counts = np.zeros(len(pairs), np.int64)
        np.add.at(counts, which, slots)
        for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True):
            row, who = divmod(pair, len(self.names))
            found[row][self.names[who]] = n
        return found

    def within(self, first: int, end: int) -> set[str]:
        """The names of the speakers in the slots from ``first`` to before ``end``."""
        turn = int(np.searchsorted(self.begin, first, side="right")) - 1
        last = int(np.searchsorted(self.begin, end, side="left"))
        rows = np.unique(self.row[turn:last]) if first < end else self.row[:0]
        return {self.names[row] for row in rows.tolist()} - {""}


UNKNOWN_SPEAKERS = Speakers(("",), np.zeros(1, np.int32), np.zeros(1, np.int32))


def speaker_columns(names: Sequence[str], row: Integers) -> dict[str, Column]:
    """The extra columns of a segment; none if no speaker is known.

    Args:
        names: in any order, perhaps twice or not used.
        row: (n,) the speaker of each slot, a row of the names.
    """
    begin = np.flatnonzero(np.diff(row, prepend=-1))
    return turn_columns(names, begin, row[begin])


def turn_columns(names: Sequence[str], begin: Integers, row: Integers) -> dict[str, Column]:
    """The same from turns; neighbouring turns may have the same speaker.

    Args:
        names: in any order, perhaps twice or not used.
        begin: (k,) first slot of each turn, ascending from 0.
        row: (k,) the speaker of each turn, a row of the names.
    """
    used = sorted({names[i] for i in np.unique(row).tolist()})
    if used in ([], [""]):
        return {}
    number = {name: i for i, name in enumerate(used)}
    new_row = np.array([number.get(name, -1) for name in names], np.int32)[row]
    kept = np.flatnonzero(np.diff(new_row, prepend=-1))
    return {
        SPEAKER_NAMES: np.frombuffer("\n".join([*used, ""]).encode(), np.uint8),
        BEGIN: begin[kept].astype("<i4"),
        ROW: new_row[kept].astype("<i4"),
    }
