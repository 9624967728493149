"""The phone of each frame of a recording, by its words; or silence, or unknown.

targets    words -> Targets: the states that each frame may have
aligned    how well each frame fits each phone, Targets -> the phone of each frame (Viterbi)

A recording is a row of states: silence, the phones of the first word, silence, and so on. Each
state holds one frame or more between its bounds, silence may be left out. Words may begin and end
`SLACK_MS` earlier or later than the recogniser says. A word that is not used to learn (no phones,
more phones than frames, estimated times) is one state with exactly its frames.
"""

from dataclasses import dataclass

import numpy as np

from indexer.phone_layer.sources import PronouncedWords
from std.execution.compiled import compiled
from std.store.columns import Int64s
from std.values import Float32s, freeze

NEVER = -1e30  # nats; below any alignment

SLACK_MS = 60
SILENCE, ANYTHING = 0, -1  # phones are 1, 2, ...


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """States of a recording in order; the evenly spread frames are one way through them."""

    states: Int64s  # (s,) SILENCE, ANYTHING, or a phone's row of the inventory, from 1
    first: Int64s  # (s,) the first frame that a state may hold
    end: Int64s  # (s,) one past the last
    spread: Int64s  # (n,) the state of each frame, if phones share a word's time evenly

    def __post_init__(self) -> None:
        freeze(self)


def targets(words: PronouncedWords, n_frames: int, start_ms: int, frame_ms: int) -> Targets:
    """The states of a recording's frames.

    Args:
        words: the words of the recording.
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
    free = 0  # the first frame after the words so far
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


def aligned(fits: Float32s, targets: Targets) -> Int64s:
    """(n,) the phone, SILENCE or ANYTHING that each frame is.

    Args:
        fits: (n, k) nats, how well each frame fits silence and each phone; at most 0.
        targets: the targets of the frames.
    """
    if not len(fits):
        return np.empty(0, np.int64)
    states = targets.states
    return states[_path(fits, states, targets.first, targets.end)]


@compiled
def _path(fits: Float32s, states: Int64s, first: Int64s, end: Int64s) -> Int64s:
    """(n,) the state of each frame on the best path; a step skips at most one silence."""
    n, s = len(fits), len(states)
    low, high = np.full(n, s), np.full(n, -1)  # the states that each frame may be in
    for state in range(s):
        for frame in range(first[state], end[state]):
            low[frame] = min(low[frame], state)
            high[frame] = state
    begins = np.zeros(n + 1, np.int64)  # of each frame's steps
    for frame in range(n):
        begins[frame + 1] = begins[frame] + high[frame] - low[frame] + 1
    steps = np.zeros(begins[n], np.int8)
    before, now = np.full(s, NEVER), np.full(s, NEVER)
    for frame in range(n):
        for state in range(low[frame], high[frame] + 1):
            now[state] = NEVER
            if frame < first[state] or frame >= end[state]:
                continue
            step, best = 0, before[state]
            if frame == 0:
                step, best = (
                    state,
                    (0.0 if state == 0 or (state == 1 and states[0] == SILENCE) else NEVER),
                )
            else:
                if state >= 1 and before[state - 1] > best:
                    step, best = 1, before[state - 1]
                if state >= 2 and states[state - 1] == SILENCE and before[state - 2] > best:
                    step, best = 2, before[state - 2]
            fit = 0.0 if states[state] == ANYTHING else fits[frame, states[state]]
            now[state] = best + fit
            steps[begins[frame] + state - low[frame]] = step
        if frame > 0:
            before[low[frame - 1] : high[frame - 1] + 1] = NEVER
        before, now = now, before
    state = s - 1
    if s > 1 and states[s - 1] == SILENCE and before[s - 2] > before[s - 1]:
        state = s - 2
    path = np.empty(n, np.int64)
    for frame in range(n - 1, -1, -1):
        path[frame] = state
        if frame:
            state -= steps[begins[frame] + state - low[frame]]
    return path
