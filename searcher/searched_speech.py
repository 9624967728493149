"""The speech that is searched: all of an index, an ECF, or some recordings of either."""

from collections.abc import Sequence
from typing import NamedTuple

from searcher.copies import Copies
from std.ecf_filter import speech_s
from std.recordings import IndexRecording
from std.store.columns import MAX_TIME_MS
from std.values import Excerpt


class Speech(NamedTuple):
    """The speech that is searched."""

    excerpts: Sequence[Excerpt] | None  # None: all of it
    seconds: float  # of distinct speech: that of copies counts once


def of_excerpts(excerpts: Sequence[Excerpt], copies: Copies) -> Speech:
    """The speech of an ECF.

    Args:
        excerpts: of the ECF.
        copies: of the index.
    """
    return Speech(excerpts, speech_s(copies.searched(excerpts)))


def restricted(
    excerpts: Sequence[Excerpt] | None, recordings: Sequence[IndexRecording], copies: Copies
) -> Speech:
    """Some recordings, or those of their excerpts that an ECF has.

    Args:
        excerpts: of the ECF; None = all of the recordings.
        recordings: that are wanted.
        copies: of the index.
    """
    if excerpts is None:
        whole = [Excerpt(recording.recording, 0.0, MAX_TIME_MS / 1000) for recording in recordings]
        distinct_ms = {copies.original(one.recording): one.speech_ms for one in recordings}
        return Speech(whole, sum(distinct_ms.values()) / 1000)
    wanted = {recording.recording for recording in recordings}
    return of_excerpts([one for one in excerpts if one.recording in wanted], copies)
