"""A linear layer from an encoder's frames to phones, learned by linear discriminant analysis.

PhoneLayer    frames -> log posteriors of silence and each phone
FrameReader   reads some of a recording's frames; a long recording is read in blocks
blocks        the layer's inputs: each frame of a recording with one on either side
shrunk        a weighted mean of a layer and an earlier one
fits_of       log posteriors -> the fit of each frame to each phone, whatever the phones' frequency
by_folds      log posteriors of frames, each by the layer of its fold
layer_of      counts of classes, sums and products of their inputs -> weights and bias

Frames of each class are assumed to be normally distributed, with one covariance for all classes.
Then log posteriors are linear in the frame: the weights follow from sums, without gradient descent.
Fisher, "The use of multiple measurements in taxonomic problems" (1936); Hastie, Tibshirani and
Friedman, "The Elements of Statistical Learning" (2009), section 4.3.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from std.sound.columns import Encoder
from std.values import Float32s, Float64s, Int64s, freeze

SHARE_POWER = 0.5  # of a phone's share: its posteriors are divided by this power
WORST_FIT = -10.0  # nats
BLOCK = 15_000  # frames: 5 minutes
CONTEXT = 1  # frames on either side of a frame, part of its input

RIDGE = 0.05  # of each input's variance, added to the variance within classes
LEAST_COUNT = 1e-9  # of a class that has a part of a frame


class FrameReader(NamedTuple):
    """Reads a recording's frames, some at a time."""

    n_frames: int
    read: Callable[[int, int], Float32s]  # first and behind the last -> (n, d)


def blocks(reader: FrameReader) -> Iterator[tuple[slice, Float32s]]:
    """Each block's place, and (n, 3 d) its frames, each with the `CONTEXT` frames around it.

    The first and last frames of a recording are repeated at its ends.
    """
    for begin in range(0, reader.n_frames, BLOCK):
        end = min(begin + BLOCK, reader.n_frames)
        low, high = max(begin - CONTEXT, 0), min(end + CONTEXT, reader.n_frames)
        frames = reader.read(low, high)
        at = np.arange(begin, end)
        sides = (-CONTEXT, 0, CONTEXT)
        rows = [np.clip(at + side, 0, reader.n_frames - 1) - low for side in sides]
        yield slice(begin, end), np.concatenate([frames[row] for row in rows], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class PhoneLayer:
    """A linear layer from an encoder's frames to phones."""

    encoder: Encoder
    phones: tuple[str, ...]  # without silence, which is the first class
    weights: Float32s  # (3 d, phones + 1)
    bias: Float32s  # (phones + 1,)
    shares: Float32s  # (phones + 1,) in the speech it was learned from

    def __post_init__(self) -> None:
        freeze(self)

    def log_posteriors(self, reader: FrameReader) -> Float32s:
        """(n, phones + 1) natural logs; silence is first.

        Args:
            reader: the reader of frames of the layer's encoder.
        """
        return by_folds([self], np.zeros(reader.n_frames, np.int64), reader)


def by_folds(layers: Sequence[PhoneLayer], folds: Int64s, reader: FrameReader) -> Float32s:
    """(n, phones + 1) natural logs, each frame's by the layer of its fold.

    Args:
        layers: of the folds from 0 on, with the same phones.
        folds: (n,) of the frames.
        reader: the reader of frames of the layers' encoder.
    """
    said = np.empty((reader.n_frames, len(layers[0].bias)), np.float32)
    for here, inputs in blocks(reader):
        for fold in np.unique(folds[here]).tolist():
            mine, layer = folds[here] == fold, layers[fold]
            said[here][mine] = log_softmax(inputs[mine] @ layer.weights + layer.bias)
    return said


def log_softmax(scores: Float32s) -> Float32s:
    """(n, k) scores less the log of the sum of their exponentials, row by row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    normalised: Float32s = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return normalised


def shrunk(layer: PhoneLayer, earlier: PhoneLayer, weight: float) -> PhoneLayer:
    """A layer shrunk towards an earlier one: a weighted mean of their log posteriors.

    Args:
        layer: phones that the earlier one lacks are unchanged.
        earlier: a layer of the same encoder.
        weight: the weight of the earlier one, from 0 to 1.
    """
    row_of = {phone: row for row, phone in enumerate(("", *earlier.phones))}
    rows = np.array([row_of.get(phone, -1) for phone in ("", *layer.phones)])
    both = rows >= 0
    mixed = []
    for ours, theirs in ((layer.weights, earlier.weights), (layer.bias, earlier.bias)):
        # What all classes have in common changes no posterior; without it the two are comparable.
        new = ours - ours[..., both].mean(axis=-1, keepdims=True)
        old = theirs - theirs[..., rows[both]].mean(axis=-1, keepdims=True)
        new[..., both] += weight * (old[..., rows[both]] - new[..., both])
        mixed.append(new)
    shares = layer.shares.copy()
    shares[both] += weight * (earlier.shares[rows[both]] - shares[both])
    return PhoneLayer(layer.encoder, layer.phones, mixed[0], mixed[1], shares / shares.sum())


def fits_of(log_posteriors: Float32s, shares: Float32s) -> Float32s:
    """(n, k) nats, how well each frame fits each phone, less that of the best (to `WORST_FIT`).

    Args:
        log_posteriors: (n, k) of each frame.
        shares: (k,) of the phones in the speech learned from, or (n, k) of each frame.
    """
    scores = log_posteriors - SHARE_POWER * np.log(shares)
    fits: Float32s = np.maximum(scores - scores.max(axis=1, keepdims=True), np.float32(WORST_FIT))
    return fits


def layer_of(counts: Float64s, sums: Float64s, products: Float64s) -> tuple[Float64s, Float64s]:
    """(d, k) weights and (k,) bias: inputs @ weights + bias are log posteriors, up to a constant.

    A class without frames gets the mean of all frames, and the share of a single frame. Without
    frames all classes are equally likely.

    Args:
        counts: (k,) frames of each class; a frame may be divided between classes.
        sums: (k, d) of their inputs.
        products: (d, d) sum of the inputs' products with each other, over all classes.
    """
    total, k = np.maximum(counts.sum(), 1.0), len(counts)
    mean = sums.sum(axis=0) / total
    means = np.where(counts[:, None] > 0, sums / np.maximum(counts, LEAST_COUNT)[:, None], mean)
    within = (products - sums.T @ means) / total
    variance = np.diag(products) / total - mean**2
    within[np.diag_indices_from(within)] += RIDGE * np.maximum(variance, 1e-6)
    weights = np.linalg.solve(within, means.T)
    bias = np.log((counts + 1) / (total + k)) - 0.5 * (means.T * weights).sum(axis=0)
    return weights, bias
