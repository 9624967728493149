"""The units in which a query holds, recordings or turns of speakers, and conditions on them.

Units                      units of the searched recordings
recordings_as_units, turns make them
Conditions                 the places and the units that fit a condition
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from searcher.index.copies import Copies
from searcher.index.searched_speech import SpokenBy
from searcher.index.stores import recording_table
from searcher.results.candidates import Candidates, with_slots
from searcher.results.search_result import TermCandidates
from std.errors import QueryError, meant
from std.metadata.table import SPEAKER, Metadata
from std.metadata.where import Condition
from std.query.expression import Expression, Position, leaves
from std.recordings import IndexRecording, fitting_rows, is_said_by, said_share
from std.store import Segment
from std.store.columns import KEY_SHIFT, TIME_MASK, live_recordings
from std.store.speakers import Speakers
from std.values import Bools, Int64s, Recording


@dataclass(frozen=True, eq=False)
class Units:
    """Recordings or turns, ordered by recording and time."""

    recordings: Sequence[IndexRecording]  # that are searched
    recording: Int64s  # (units,) row of each unit's recording among them
    start_ms: Int64s  # (units,) of a turn its first word's middle; of a recording 0
    end_ms: Int64s  # (units,) of a turn its last word's middle; of a recording that of its last
    speaker: tuple[str, ...] | None = None  # (units,) of turns: who speaks; empty: nobody is named

    @cached_property
    def row_of(self) -> dict[Recording, int]:
        """The row of each recording."""
        return {one.recording: row for row, one in enumerate(self.recordings)}

    def of_places(self, candidates: Candidates, names: Sequence[Recording]) -> Int64s:
        """(n,) the unit that contains the middle of each place; -1 outside all units.

        Args:
            candidates: (n,) places.
            names: the recordings that the places point into.
        """
        if not len(self.recording):
            return np.full(len(candidates.recording), -1)
        row = np.array([self.row_of.get(name, -1) for name in names], np.int64)
        here = row[candidates.recording]
        if self.speaker is None:
            return here
        first = np.searchsorted(self.recording, here)
        middle = (candidates.start_ms + candidates.end_ms + 1) // 2
        key = (self.recording << 32) | self.start_ms
        unit = np.searchsorted(key, (here << 32) | middle, side="right") - 1
        unit = np.maximum(unit, first)
        known = unit < len(self.recording)
        known[known] &= self.recording[unit[known]] == here[known]
        return np.where(known & (here >= 0), unit, -1)


def recordings_as_units(recordings: Sequence[IndexRecording], segments: Sequence[Segment]) -> Units:
    """A unit for each recording."""
    ends = _ends_ms(segments)
    end_ms = np.array([ends.get(one.recording, 0) for one in recordings], np.int64)
    return Units(recordings, np.arange(len(recordings)), np.zeros_like(end_ms), end_ms)


def turns(recordings: Sequence[IndexRecording], segments: Sequence[Segment]) -> Units:
    """A unit for each turn of a speaker.

    Raises:
        QueryError: the index names no speaker.
    """
    row_of = {one.recording: row for row, one in enumerate(recordings)}
    found: list[tuple[int, int, int, str]] = []
    for segment in segments:
        speakers = Speakers.of(segment)
        if not any(speakers.names):
            continue
        live = [row for row, _ in live_recordings(segment)]
        slots = segment.slots(range(len(segment.recordings)))
        own = (slots.key >> KEY_SHIFT).astype(np.int64)
        middle = (slots.key & TIME_MASK).astype(np.int64)
        offsets = np.searchsorted(own, np.arange(len(segment.recordings) + 1))
        begin = np.union1d(speakers.begin, offsets[:-1])
        begin = begin[begin < len(own)]
        end = np.append(begin[1:], len(own)) - 1
        names = speakers.at(begin)
        for i, who in enumerate(names.tolist()):
            row = int(own[begin[i]])
            place = row_of.get(segment.recordings[row].recording) if row in live else None
            if place is not None:
                start, last = int(middle[begin[i]]), int(middle[end[i]])
                found.append((place, start, max(start, last), speakers.names[who]))
    if not found:
        raise QueryError(
            "--unit turn: expected an index that names speakers, got one without names"
        )
    found.sort()
    recording, start_ms, last_ms, speaker = zip(*found, strict=True)
    times = np.array([start_ms, last_ms], np.int64)
    return Units(recordings, np.array(recording, np.int64), times[0], times[1], tuple(speaker))


def unfitting(
    expression: Expression, recordings: Sequence[IndexRecording], metadata: Metadata
) -> Iterator[str]:
    """The conditions of an expression that no recording fits, with suggestions."""
    for one in leaves(expression):
        if not isinstance(one, Condition) or one.operator == "!=":
            continue
        known = {value for of in recordings if (value := of.metadata.get(one.column))}
        if one.column == SPEAKER:
            known |= {name for of in recordings for name in of.speakers}
            is_known = any(map(one.holds, known))
        else:
            is_known = bool(fitting_rows(one, recordings, metadata).any())
        if is_known:
            continue
        near = "" if one.value[:1].isdigit() else meant(one.value, sorted(known))
        sign = f"{one.operator} " if one.operator in ("<", "<=", ">", ">=") else ""
        yield f"no recording has {one.column} {sign}{one.value}{near}"


def _ends_ms(segments: Sequence[Segment]) -> dict[Recording, int]:
    """The middle of the last word's slot of each recording."""
    found: dict[Recording, int] = {}
    for segment in segments:
        slots = segment.slots(range(len(segment.recordings)))
        own = (slots.key >> KEY_SHIFT).astype(np.int64)
        last = np.searchsorted(own, np.arange(len(segment.recordings)), side="right") - 1
        for row, one in live_recordings(segment):
            if last[row] >= 0 and own[last[row]] == row:
                end_ms = int(slots.key[last[row]] & TIME_MASK)
                found[one.recording] = max(found.get(one.recording, 0), end_ms)
    return found


class Conditions:
    """The places and the units that fit a condition."""

    def __init__(
        self,
        units: Units,
        metadata: Metadata,
        found: TermCandidates,
        row: Int64s,
        unit: Int64s,
        segments: Sequence[Segment],
        copies: Copies,
    ) -> None:
        """Store the data that conditions refer to.

        Args:
            found: candidates of originals.
            row: (n,) the candidate of each place.
            unit: (n,) the unit of each place.
            segments: the segments that name speakers; they may lack recordings.
        """
        self.units, self.metadata, self.found = units, metadata, found
        self.row, self.unit, self.segments, self.copies = row, unit, segments, copies

    def __call__(self, condition: Condition | Position) -> tuple[Bools, Bools]:
        """(n,) which places fit a condition, and (units,) which units may fit it."""
        units = self.units
        if isinstance(condition, Position):
            return self._positions(condition)
        if condition.column == SPEAKER and any(any(one.speakers) for one in units.recordings):
            return self._speakers(condition)
        fits = fitting_rows(condition, units.recordings, self.metadata)[units.recording]
        return fits[self.unit], fits

    def _positions(self, position: Position) -> tuple[Bools, Bools]:
        candidates, units = self.found.candidates, self.units
        ms = 1000 * position.seconds
        of_turns = units.start_ms
        if position.end == "first":
            return candidates.start_ms[self.row] < ms, of_turns < ms
        ends = np.zeros(len(units.recordings), np.int64)
        np.maximum.at(ends, units.recording, units.end_ms)
        begin = ends[units.recording] - ms
        return candidates.end_ms[self.row] > begin[self.unit], units.end_ms >= begin

    def _speakers(self, condition: Condition) -> tuple[Bools, Bools]:
        units, asked = self.units, (condition,)
        spoken_by = SpokenBy.of(asked, units.recordings, self.copies)
        assert spoken_by is not None
        table, names = recording_table(self.segments), self.found.recordings
        rows = np.array([table.row_of.get(name, -1) for name in names], np.int64)
        here = np.flatnonzero(rows[self.found.candidates.recording] >= 0)
        candidates = with_slots(self.found.candidates.rows(here), names, self.segments)
        places = candidates.first_slot, candidates.last_slot
        is_theirs = np.zeros(len(self.found.candidates.recording), bool)
        is_theirs[here] = spoken_by.fits_in(
            table, rows[candidates.recording], *(np.maximum(0, one) for one in places)
        )
        if units.speaker is None:
            shares = [said_share(one, asked) > 0 for one in units.recordings]
            return is_theirs[self.row], np.array(shares, bool)
        given = [one.metadata.get(SPEAKER, "") for one in units.recordings]
        whose = zip(units.speaker, units.recording.tolist(), strict=True)
        fits = [is_said_by(name or given[row], asked) for name, row in whose]
        return is_theirs[self.row], np.array(fits, bool)
