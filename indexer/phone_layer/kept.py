"""Layers and slots as the columns of a segment keep them (`std.store.heard`), and back.

name_of          a recording that taught, as a layer notes it
kept_layer       PhoneLayer and what taught it -> HeardBy
layer_kept       HeardBy -> PhoneLayer
heard_of         slots of one recording -> HeardSlots
"""

from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import PhoneLayer
from indexer.phone_layer.slots import Slots
from std.sound.value import Encoder
from std.store.columns import UInt8s
from std.store.heard import COST, NOBODY, SILENCE, HeardBy, HeardSlots
from std.values import Float64s, Recording

MOST_ALTERNATIVES = 8
LEAST = 2e-4  # probability of an alternative
HIGHEST_COST = 255


class Teaching(NamedTuple):
    """What a layer was learned from, and how well it hears."""

    pronouncer: str
    frames: int  # of words and pauses
    recordings: tuple[str, ...]  # names of those that taught (`name_of`)
    right: float  # share of the held-out frames of words


def name_of(recording: Recording) -> str:
    """How a layer notes a recording that taught it."""
    return f"{recording.file}/{recording.channel}"


def kept_layer(layer: PhoneLayer, teaching: Teaching) -> HeardBy:
    """A layer as bytes: weights as float16, bias and shares as float32."""
    fields = {
        **teaching._asdict(),
        "right": round(teaching.right, 4),
        "encoder": layer.encoder._asdict(),
        "phones": list(layer.phones),
        "inputs": len(layer.weights),
    }
    weights = layer.weights.astype("<f2").tobytes()
    rest = b"".join(row.astype("<f4").tobytes() for row in (layer.bias, layer.shares))
    return HeardBy(fields, weights + rest)


def layer_kept(by: HeardBy) -> tuple[PhoneLayer, Teaching]:
    """The inverse of `kept_layer`, to the precision of float16.

    Raises:
        ValueError: it is no layer.
    """
    fields: dict[str, object] = dict(by.fields)
    try:
        phones = tuple(map(str, fields["phones"]))  # type: ignore[call-overload]  # may raise
        inputs, k = int(fields["inputs"]), len(phones) + 1  # type: ignore[call-overload]  # too
        encoder = Encoder(**fields["encoder"])  # type: ignore[arg-type]  # too
        values = fields | {"recordings": tuple(fields["recordings"])}  # type: ignore[arg-type]  # too
        teaching = Teaching(*(values[name] for name in Teaching._fields))  # type: ignore[arg-type]
    except (KeyError, TypeError) as error:
        raise ValueError(f"a phone layer without {error}") from error
    weights = np.frombuffer(by.weights[: 2 * inputs * k], "<f2").reshape(inputs, k)
    bias, shares = np.frombuffer(by.weights[2 * inputs * k :], "<f4").reshape(2, k)
    return PhoneLayer(encoder, phones, weights.astype(np.float32), bias, shares), teaching


def heard_of(
    slots: Slots, by: HeardBy, phones: tuple[str, ...], clock: tuple[int, int]
) -> HeardSlots:
    """The slots of a recording, as a segment with one recording has them.

    Args:
        slots: of the recording.
        by: the layer that heard them.
        phones: of the layer.
        clock: when the first frame begins, and how long each is, in ms.
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
    costs: UInt8s = np.minimum(np.rint(nats * COST), HIGHEST_COST).astype(np.uint8)
    return costs
