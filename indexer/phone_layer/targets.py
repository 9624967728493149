"""What each frame of a recording may be: the phones of its words, silence, or nobody knows.

targets    words -> Targets

A recording is a row of states: silence, the phones of the first word, silence, and so on. Each
state holds one frame or more between its bounds, silence may be left out. Words may begin and end
`SLACK_MS` earlier or later than the recogniser says. A word that teaches nothing (no phones, more
phones than frames, times that are estimates) is a state of its own with exactly its frames.
"""

from dataclasses import dataclass

import numpy as np

from indexer.phone_layer.words import SpokenWords
from std.store.columns import Int64s
from std.values import freeze

SLACK_MS = 60
SILENCE, ANYTHING = 0, -1  # beside the phones, which are 1, 2, ...


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """States of a recording in order; the evenly spread frames are one way through them."""

    states: Int64s  # (s,) SILENCE, ANYTHING, or a phone's row of the inventory, from 1
    first: Int64s  # (s,) the first frame that a state may hold
    end: Int64s  # (s,) behind the last
    spread: Int64s  # (n,) what each frame is, if phones share a word's time evenly

    def __post_init__(self) -> None:
        freeze(self)


def targets(words: SpokenWords, n_frames: int, start_ms: int, frame_ms: int) -> Targets:
    """The states of a recording's frames.

    Args:
        words: of the recording.
        n_frames: how many frames it has.
        start_ms: when the first one begins.
        frame_ms: how long each is.
    """
    slack = round(SLACK_MS / frame_ms)
    begins, ends = (
        np.clip(np.rint((times_ms - start_ms) / frame_ms).astype(np.int64), 0, n_frames)
        for times_ms in (words.begin_ms, words.end_ms)
    )
    states, first, end = [SILENCE], [0], [n_frames]
    spread = np.full(n_frames, SILENCE)
    free = 0  # the first frame behind the words so far
    for word in np.argsort(begins, kind="stable").tolist():
        begin, last = max(int(begins[word]), free), int(ends[word])
        if last <= begin:
            continue
        phones = words.phones[words.offsets[word] : words.offsets[word + 1]].astype(np.int64) + 1
        teaches = words.timed[word] and 0 < len(phones) <= last - begin
        room = slack if teaches else 0
        if not teaches:
            phones = np.array([ANYTHING])
        end[-1] = min(begin + room, n_frames)
        bounds = begin + np.arange(len(phones) + 1) * (last - begin) // len(phones)
        spread[begin:last] = np.repeat(phones, np.diff(bounds))
        states += [*phones.tolist(), SILENCE]
        first += [max(begin - room, 0)] * len(phones) + [max(last - room, 0)]
        end += [min(last + room, n_frames)] * len(phones) + [n_frames]
        free = last
    return Targets(np.array(states), np.array(first), np.array(end), spread)
