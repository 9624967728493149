"""The likeliest state of each frame: Viterbi alignment of a recording with its own words.

aligned    how well each frame fits each phone, Targets -> what each frame is
"""

import numpy as np

from indexer.phone_layer.targets import ANYTHING, SILENCE, Targets
from std.execution.compiled import compiled
from std.store.columns import Int64s
from std.values import Float32s

NEVER = -1e30  # nats; below any alignment


def aligned(fits: Float32s, targets: Targets) -> Int64s:
    """(n,) the phone, SILENCE or ANYTHING that each frame is.

    Args:
        fits: (n, k) nats, how well each frame fits silence and each phone; at most 0.
        targets: of the frames.
    """
    if not len(fits):
        return np.empty(0, np.int64)
    states = targets.states
    return states[_path(fits, states, targets.first, targets.end)]


@compiled
def _path(fits: Float32s, states: Int64s, first: Int64s, end: Int64s) -> Int64s:
    """(n,) the state of each frame on the best path; a step is at most over one silence."""
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
