"""Which speakers are searched: conditions such as ``speaker = "Anna"``, tested on slots.

SpokenBy     conditions -> which candidates the speakers said who are wanted
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from searcher.index.copies import Copies
from searcher.index.recording_table import RecordingTable
from std.query.expression import Expression
from std.recordings import IndexRecording, is_said_by, is_wholly_said_by, unnamed_is_said_by
from std.store import Segment
from std.store.columns import Int64s
from std.store.speakers import Speakers
from std.values import Bools, Recording


@dataclass(frozen=True, slots=True)
class SpokenBy:
    """The speakers that are searched."""

    conditions: tuple[Expression, ...]  # all of which a speaker's name fits
    whole: frozenset[Recording]  # recordings whose metadata fit: everybody in them counts
    unnamed: frozenset[Recording]  # in which the slots count of which nobody says who spoke

    @classmethod
    def of(
        cls,
        conditions: tuple[Expression, ...],
        recordings: Sequence[IndexRecording],
        copies: Copies,
    ) -> "SpokenBy | None":
        """The speakers of the recordings that are searched; None where no condition is about them.

        Args:
            conditions: about speakers.
            recordings: that are searched.
            copies: of the index; a copy's hits are found in its original.
        """
        if not conditions:
            return None
        whole = (one.recording for one in recordings if is_wholly_said_by(one, conditions))
        unnamed = (one.recording for one in recordings if unnamed_is_said_by(one, conditions))
        originals = (frozenset(map(copies.original, one)) for one in (whole, unnamed))
        return cls(conditions, *originals)

    def fits(
        self, segment: Segment, recording: Int64s, first_slot: Int64s, last_slot: Int64s
    ) -> Bools:
        """(n,) which candidates of a segment begin and end with a speaker who is wanted.

        Args:
            segment: that was searched.
            recording: (n,) rows of its recordings.
            first_slot, last_slot: (n,) rows of its slots.
        """
        speakers = Speakers.of(segment)
        recordings = [one.recording for one in segment.recordings]
        whole = np.array([one in self.whole for one in recordings], bool)[recording]
        unnamed = np.array([one in self.unnamed for one in recordings], bool)[recording]
        is_named = np.array([name != "" for name in speakers.names], bool)
        fits = np.array([is_said_by(name, self.conditions) for name in speakers.names], bool)
        first, last = speakers.at(first_slot), speakers.at(last_slot)
        of_first = np.where(is_named[first], fits[first], unnamed)
        of_last = np.where(is_named[last], fits[last], unnamed)
        return whole | (of_first & of_last)

    def fits_in(
        self, table: RecordingTable, recording: Int64s, first_slot: Int64s, last_slot: Int64s
    ) -> Bools:
        """(n,) the same of candidates of any segment; ``recording`` points into the table."""
        fits = np.zeros(len(recording), bool)
        here = table.segment[recording]
        for number in np.unique(here[here >= 0]).tolist():
            rows, segment = np.flatnonzero(here == number), table.segments[number]()
            assert segment is not None  # it is being searched
            own = table.row_in_segment[recording[rows]]
            fits[rows] = self.fits(segment, own, first_slot[rows], last_slot[rows])
        return fits
