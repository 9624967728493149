"""The slots of words at places that were found without words, so that hits show them.

with_slots    candidates without slots -> with those of the words there, where there are any
"""

from collections.abc import Sequence

import numpy as np

from searcher.index.recording_table import recording_table
from searcher.results.candidates import Candidates
from std.store import Segment
from std.store.columns import KEY_SHIFT
from std.values import Recording


def with_slots(
    candidates: Candidates, recordings: Sequence[Recording], segments: Sequence[Segment]
) -> Candidates:
    """The same candidates; those without slots have the slots whose middle lies in them.

    Args:
        candidates: places.
        recordings: what they point into.
        segments: of the index.
    """
    without = np.flatnonzero(candidates.first_slot < 0)
    if not len(without):
        return candidates
    table = recording_table(segments)
    rows = np.array([table.row_of[recordings[i]] for i in candidates.recording[without].tolist()])
    first, last = candidates.first_slot.copy(), candidates.last_slot.copy()
    for number in np.unique(table.segment[rows]).tolist():
        here = np.flatnonzero(table.segment[rows] == number)
        places = without[here]
        own = table.row_in_segment[rows[here]]
        slots = segments[number].slots({*own.tolist()})
        keys = own.astype(np.uint64) << KEY_SHIFT
        begin = np.searchsorted(slots.key, keys + candidates.start_ms[places].astype(np.uint64))
        end = np.searchsorted(slots.key, keys + candidates.end_ms[places].astype(np.uint64))
        some = end > begin
        as_rows = np.arange(len(slots.key)) if slots.row is None else slots.row
        first[places[some]] = as_rows[begin[some]]
        last[places[some]] = as_rows[end[some] - 1]
    return candidates._replace(first_slot=first, last_slot=last)
