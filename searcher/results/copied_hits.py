"""The hits of copies: what was found in a recording is reported under the names of its copies, too.

reported         candidates of originals --> which of them are reported under which recordings
searched_copies  how many of the searched recordings are copies of others that are searched
"""

from collections.abc import Mapping, Sequence

import numpy as np

from searcher.index.copies import Copies
from searcher.index.searched_speech import inside_ecf
from searcher.results.candidates import Candidates, Rows
from std.store.columns import Int64s
from std.values import Excerpt, Recording


def reported(
    candidates: Candidates,
    recordings: Sequence[Recording],
    row_of: Mapping[Recording, int],
    copies: Copies,
    excerpts: Sequence[Excerpt] | None,
) -> tuple[Rows, Int64s]:
    """Under which recordings candidates are reported: an original and its copies.

    Args:
        candidates: (n,) of originals, ordered by term, recording and start.
        recordings: the table that they point into.
        row_of: row of each recording in it.
        copies: of the index.
        excerpts: a recording has those candidates that lie inside its own; None = all.

    Returns:
        m rows of the candidates, and (m,) the recording of each, a row of the table; ordered by
        term, recording and start.
    """
    if not copies:
        return slice(None), candidates.recording
    originals, which = np.unique(candidates.recording, return_inverse=True)
    names = [[row_of[name] for name in copies.names(recordings[i])] for i in originals.tolist()]
    number = np.array([len(one) for one in names], np.int64)
    times = number[which]
    row = np.repeat(np.arange(len(which)), times)
    within = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    first = np.cumsum(number) - number
    flat = np.array([name for one in names for name in one], np.int64)
    recording = flat[first[which[row]] + within]
    start_ms, end_ms = candidates.start_ms[row], candidates.end_ms[row]
    inside = inside_ecf(recording, start_ms, end_ms, recordings=recordings, excerpts=excerpts)
    order = np.lexsort((start_ms, recording, candidates.term[row]))
    order = order[inside[order]]
    return row[order], recording[order]


def searched_copies(copies: Copies, excerpts: Sequence[Excerpt] | None) -> int:
    """How many of the searched recordings hold the same speech as others that are searched.

    Args:
        copies: of the index.
        excerpts: that are searched; None = everything.
    """
    if excerpts is None or not copies:
        return len(copies)
    searched = {excerpt.recording for excerpt in excerpts}
    return len(searched) - len(copies.distinct(searched))
