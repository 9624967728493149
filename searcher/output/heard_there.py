"""The phones heard at hits, as they are shown beside what was written.

heard_there    candidates -> the likeliest phones heard at each, None where nothing was heard at all
"""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from searcher.index.copies import NO_COPIES, Copies
from searcher.index.recording_table import recording_table
from searcher.results.candidates import Candidates
from std.store import Segment
from std.store.heard import HeardSlots
from std.values import Recording


def heard_there(
    candidates: Candidates,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    copies: Copies = NO_COPIES,
) -> list[str] | None:
    """(n,) the phones heard at each place.

    Args:
        candidates: (n,) places.
        recordings: what they point into.
        segments: of the index.
        copies: of their recordings: what was found in the original is read there.
    """
    of_segment = [_heard(segment) for segment in segments]
    if not any(of_segment):
        return None
    table, found = recording_table(segments), []
    rows = [table.row_of[copies.original(one)] for one in recordings]
    columns = candidates.recording, candidates.start_ms, candidates.end_ms
    for recording, start_ms, end_ms in zip(*(one.tolist() for one in columns), strict=True):
        row = rows[recording]
        heard = of_segment[table.segment[row]]
        own = int(table.row_in_segment[row])
        found.append(" ".join(heard.likeliest(own, start_ms, end_ms)) if heard else "")
    return found


_known: WeakKeyDictionary[Segment, HeardSlots | None] = WeakKeyDictionary()


def _heard(segment: Segment) -> HeardSlots | None:
    """The phones heard in a segment; they are looked at once."""
    if segment not in _known:
        _known[segment] = HeardSlots.of(segment)
    return _known[segment]
