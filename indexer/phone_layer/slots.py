"""Log posteriors of frames -> slots: short stretches of speech, each about a phone long.

slots_of         (n, k) log posteriors -> PhoneSlots
heard_of         slots of one recording -> HeardSlots, as a segment's columns keep them
kept_layer       PhoneLayer and the speech it was learned from -> HeardBy (`std.store.heard`)
layer_kept       HeardBy -> PhoneLayer
name_of          the name under which a layer notes a recording it was learned from
digest_of        the same of its sound: a recording may get another name

The likeliest row of phones, in which a change costs `CHANGE` nats, cuts the frames into runs; each
run is a slot. The probabilities of its phones are the mean posteriors of its frames. The
probability that it is no separate phone, but part of its neighbours, is the geometric mean of the
probabilities that its frames belong to the phones of the neighbours.
"""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import PhoneLayer, fits_of
from std.execution.compiled import compiled
from std.sound.columns import FRAME_MS, Encoder, Sound
from std.store.heard import COST_A_NAT, NOBODY, SILENCE, HeardBy, HeardSlots
from std.values import Float32s, Float64s, Int64s, Recording, UInt8s

CHANGE = 1.5  # nats
LONGEST_SLOT = 255  # frames: their number is a byte
DIGESTED = 60 * 1000 // FRAME_MS  # frames
LEAST_MEAN = 1e-6  # of a probability in a geometric mean

MOST_ALTERNATIVES = 7
LEAST = 2e-4  # probability of an alternative
HIGHEST_COST = 255


class PhoneSlots(NamedTuple):
    """Slots of a recording, without gaps from its first frame to its last."""

    frames: Int64s  # (s,) of each slot
    probability: Float64s  # (s, k) of silence and each phone
    empty: Float64s  # (s,) that it is not a separate phone; with `probability` it sums to 1


def slots_of(log_posteriors: Float32s, shares: Float32s) -> PhoneSlots:
    """The slots of a recording.

    Args:
        log_posteriors: (n, k) of silence and each phone.
        shares: (k,) of them in the speech that the layer was learned from.
    """
    n, k = log_posteriors.shape
    if not n:
        return PhoneSlots(np.empty(0, np.int64), np.empty((0, k)), np.empty(0))
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
    empty = np.exp(np.add.reduceat(np.log(np.maximum(theirs, LEAST_MEAN)), begins) / frames)
    total = 1 + empty
    return PhoneSlots(frames, probability / total[:, None], empty / total)


def _begins(likeliest: Int64s) -> Int64s:
    """The first frame of each run of one phone, at most `LONGEST_SLOT` frames of it."""
    changes = np.flatnonzero(np.diff(likeliest, prepend=-1))
    ends = np.append(changes[1:], len(likeliest))
    if (ends - changes).max() <= LONGEST_SLOT:
        return changes
    pieces = [np.arange(begin, end, LONGEST_SLOT) for begin, end in zip(changes, ends, strict=True)]
    return np.concatenate(pieces)


@compiled
def _likeliest_row(fits: Float32s, change: float) -> Int64s:
    """(n,) the class of each frame on the path with the best sum of fits less changes."""
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


class LearnedFrom(NamedTuple):
    """What a layer was learned from, and how accurate it is."""

    pronouncer: str
    frames: int  # of words and pauses
    recordings: tuple[str, ...]  # names of recordings learned from (`name_of`)
    right: float  # share of the held-out frames of words
    sounds: tuple[str, ...] = ()  # of the same recordings (`digest_of`), whatever they are called


def digest_of(sound: Sound) -> str:
    """A digest of the first minute of a recording's frames."""
    return blake2b(sound.stored[:DIGESTED].tobytes(), digest_size=8).hexdigest()


def name_of(recording: Recording) -> str:
    """The name under which a layer notes a recording it was learned from."""
    return f"{recording.file}/{recording.channel}"


def kept_layer(layer: PhoneLayer, learned_from: LearnedFrom) -> HeardBy:
    """A layer as bytes: weights as float16, bias and shares as float32."""
    fields = {
        **learned_from._asdict(),
        "right": round(learned_from.right, 4),
        "encoder": layer.encoder._asdict(),
        "phones": list(layer.phones),
        "inputs": len(layer.weights),
    }
    weights = layer.weights.astype("<f2").tobytes()
    rest = b"".join(row.astype("<f4").tobytes() for row in (layer.bias, layer.shares))
    return HeardBy(fields, weights + rest)


def layer_kept(by: HeardBy) -> tuple[PhoneLayer, LearnedFrom]:
    """The inverse of `kept_layer`, to the precision of float16.

    Raises:
        ValueError: the bytes are not a layer.
    """
    fields: dict[str, object] = dict(by.fields)
    try:
        phones = tuple(map(str, fields["phones"]))  # type: ignore[call-overload]  # may raise
        inputs, k = int(fields["inputs"]), len(phones) + 1  # type: ignore[call-overload]  # too
        encoder = Encoder(**fields["encoder"])  # type: ignore[arg-type]  # too
        values = {"sounds": (), **fields}  # older layers have no digests
        values |= {name: tuple(values[name]) for name in ("recordings", "sounds")}  # type: ignore[arg-type]  # too
        learned_from = LearnedFrom(*(values[name] for name in LearnedFrom._fields))  # type: ignore[arg-type]
    except (KeyError, TypeError) as error:
        raise ValueError(f"a phone layer without {error}") from error
    weights = np.frombuffer(by.weights[: 2 * inputs * k], "<f2").reshape(inputs, k)
    bias, shares = np.frombuffer(by.weights[2 * inputs * k :], "<f4").reshape(2, k)
    return PhoneLayer(encoder, phones, weights.astype(np.float32), bias, shares), learned_from


def heard_of(
    slots: PhoneSlots, by: HeardBy, phones: tuple[str, ...], clock: tuple[int, int]
) -> HeardSlots:
    """The slots of a recording, as a segment with one recording has them.

    Args:
        slots: the slots of the recording.
        by: the layer that they come from.
        phones: the phones of the layer.
        clock: the start of the first frame, and the length of a frame, in ms.
    """
    n, k = slots.probability.shape
    most = min(MOST_ALTERNATIVES, k)
    order = np.argsort(-slots.probability, axis=1, kind="stable")[:, :most]
    probability = np.take_along_axis(slots.probability, order, axis=1)
    kept = probability >= LEAST
    return HeardSlots(
        (by,),
        (SILENCE, *phones),
        np.array([0 if n else NOBODY], np.uint8),
        np.array([clock[0]], np.int32),
        np.array([clock[1]], np.uint16),
        np.array([0, n], np.int64),
        slots.frames.astype(np.uint8),
        _costs(slots.empty),
        kept.sum(axis=1).astype(np.uint8),
        order[kept].astype(np.uint8),
        _costs(probability[kept]),
    )


def _costs(probability: Float64s) -> UInt8s:
    """Costs of probabilities in 1/16 nat."""
    nats = -np.log(np.maximum(probability, 1e-9))
    costs: UInt8s = np.minimum(np.rint(nats * COST_A_NAT), HIGHEST_COST).astype(np.uint8)
    return costs
