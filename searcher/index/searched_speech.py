"""The speech that is searched: all of an index, an ECF, or some recordings of either."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.index.copies import Copies
from searcher.index.spoken_by import SpokenBy
from std.ecf_filter import inside_one, speech_s
from std.query.expression import Expression
from std.recordings import IndexRecording, said_share
from std.store.columns import MAX_TIME_MS, Int64s
from std.values import Bools, Excerpt, Recording


class SearchedSpeech(NamedTuple):
    """The speech that is searched."""

    excerpts: Sequence[Excerpt] | None  # None: all of it
    seconds: float  # of distinct speech: that of copies counts once
    spoken_by: SpokenBy | None = None  # None: everybody


def of_excerpts(excerpts: Sequence[Excerpt], copies: Copies) -> SearchedSpeech:
    """The speech of an ECF.

    Args:
        excerpts: of the ECF.
        copies: of the index.
    """
    return SearchedSpeech(excerpts, speech_s(copies.searched(excerpts)))


def restricted(
    excerpts: Sequence[Excerpt] | None,
    recordings: Sequence[IndexRecording],
    copies: Copies,
    speakers: tuple[Expression, ...] = (),
) -> SearchedSpeech:
    """Some recordings, or those of their excerpts that an ECF has.

    Args:
        excerpts: of the ECF; None = all of the recordings.
        recordings: that are wanted.
        copies: of the index.
        speakers: conditions that the names of those fit who are searched.
    """
    spoken_by = SpokenBy.of(speakers, recordings, copies)
    said_ms = {one.recording: one.speech_ms * said_share(one, speakers) for one in recordings}
    if excerpts is None:
        whole = [Excerpt(recording.recording, 0.0, MAX_TIME_MS / 1000) for recording in recordings]
        distinct_ms = {copies.original(one): ms for one, ms in said_ms.items()}
        return SearchedSpeech(whole, sum(distinct_ms.values()) / 1000, spoken_by)
    wanted = {recording.recording for recording in recordings}
    speech = of_excerpts([one for one in excerpts if one.recording in wanted], copies)
    if spoken_by is None:
        return speech
    all_ms = sum(one.speech_ms for one in recordings)
    share = sum(said_ms.values()) / all_ms if all_ms else 0.0
    return SearchedSpeech(speech.excerpts, speech.seconds * share, spoken_by)


def inside_ecf(
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    *,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
) -> Bools:
    """The ECF filter: (n,) which spans lie inside the speech that is searched.

    Args:
        recording: (n,) index into ``recordings``.
        start_ms: (n,)
        end_ms: (n,)
        recordings: the table that spans point into.
        excerpts: of the ECF; None = everything is searched.
    """
    if excerpts is None:
        return np.ones(len(recording), dtype=bool)
    return inside_one(excerpts, recordings, recording, start_ms / 1000, end_ms / 1000)
