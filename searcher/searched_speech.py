"""The speech that is searched: all of an index, an ECF, or some recordings of either."""

from collections.abc import Sequence
from typing import NamedTuple

from std.ecf_filter import speech_s
from std.recordings import IndexRecording
from std.store.columns import MAX_TIME_MS
from std.values import Excerpt


class Speech(NamedTuple):
    """The speech that is searched."""

    excerpts: Sequence[Excerpt] | None  # None: all of it
    seconds: float


def restricted(excerpts: Sequence[Excerpt] | None, recordings: Sequence[IndexRecording]) -> Speech:
    """Some recordings, or those of their excerpts that an ECF has."""
    if excerpts is None:
        whole = [Excerpt(recording.recording, 0.0, MAX_TIME_MS / 1000) for recording in recordings]
        return Speech(whole, sum(recording.speech_ms for recording in recordings) / 1000)
    wanted = {recording.recording for recording in recordings}
    inside = [excerpt for excerpt in excerpts if excerpt.recording in wanted]
    return Speech(inside, speech_s(inside))
