"""Log posteriors of frames -> slots: short stretches of speech, each about a phone long.

slots_of    (n, k) log posteriors -> Slots

The likeliest row of phones, in which a change costs `CHANGE` nats, cuts the frames into runs; each
run is a slot. What a slot may hold are the mean posteriors of its frames. It is no phone of its
own, but part of its neighbours, with the geometric mean of the probability that its frames are
theirs.
"""

from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import fits_of
from std.execution.compiled import compiled
from std.store.columns import Int64s
from std.values import Float32s, Float64s

CHANGE = 1.5  # nats
LONGEST = 255  # frames: their number is a byte
LEAST = 1e-6  # of a probability


class Slots(NamedTuple):
    """Slots of a recording, one behind the other from its first frame to its last."""

    frames: Int64s  # (s,) how many each has
    probability: Float64s  # (s, k) of silence and of each phone
    empty: Float64s  # (s,) that it is no phone of its own; with `probability` it sums to 1


def slots_of(log_posteriors: Float32s, shares: Float32s) -> Slots:
    """The slots of a recording.

    Args:
        log_posteriors: (n, k) of silence and each phone.
        shares: (k,) of them in the speech that taught the layer.
    """
    n, k = log_posteriors.shape
    if not n:
        return Slots(np.empty(0, np.int64), np.empty((0, k)), np.empty(0))
    fits = fits_of(log_posteriors, shares)
    likeliest = _likeliest_row(fits, CHANGE)
    begins = _begins(likeliest)
    frames = np.diff(np.append(begins, n))
    of_frames = np.exp(fits.astype(np.float64))
    of_frames /= of_frames.sum(axis=1, keepdims=True)
    probability = np.add.reduceat(of_frames, begins) / frames[:, None]
    phone = likeliest[begins]
    before, behind = np.append(-1, phone[:-1]), np.append(phone[1:], -1)
    slot, at = np.repeat(np.arange(len(begins)), frames), np.arange(n)
    theirs = np.where(before[slot] >= 0, of_frames[at, before[slot]], 0.0)
    other = (behind[slot] >= 0) & (behind[slot] != before[slot])
    theirs += np.where(other, of_frames[at, behind[slot]], 0.0)
    empty = np.exp(np.add.reduceat(np.log(np.maximum(theirs, LEAST)), begins) / frames)
    total = 1 + empty
    return Slots(frames, probability / total[:, None], empty / total)


def _begins(likeliest: Int64s) -> Int64s:
    """The first frame of each run of one phone, at most `LONGEST` frames of it."""
    changes = np.flatnonzero(np.diff(likeliest, prepend=-1))
    ends = np.append(changes[1:], len(likeliest))
    if (ends - changes).max() <= LONGEST:
        return changes
    pieces = [np.arange(begin, end, LONGEST) for begin, end in zip(changes, ends, strict=True)]
    return np.concatenate(pieces)


@compiled
def _likeliest_row(fits: Float32s, change: float) -> Int64s:
    """(n,) the class of each frame on the path of the best sum of fits less changes."""
    n, k = fits.shape
    best = fits[0].astype(np.float64)
    came_from = np.empty((n, k), np.int16)
    for frame in range(1, n):
        top = np.argmax(best)
        changed = best[top] - change
        for phone in range(k):
            came_from[frame, phone] = phone
            if changed > best[phone]:
                best[phone] = changed
                came_from[frame, phone] = top
            best[phone] += fits[frame, phone]
    path = np.empty(n, np.int64)
    phone = int(np.argmax(best))
    for frame in range(n - 1, -1, -1):
        path[frame] = phone
        phone = came_from[frame, phone]
    return path
