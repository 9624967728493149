"""A linear layer from an encoder's frames to phones, learned by linear discriminant analysis.

PhoneLayer    frames -> log posteriors of silence and each phone
FrameReader   reads some of a recording's frames; a long recording is read in blocks
blocks        the layer's inputs: each frame of a recording with one on either side
shrunk        a layer between itself and an earlier one
fits_of       log posteriors -> how well each frame fits each phone, whatever their frequency
ClassSums    how many frames each class has, their sums and products; those of several
             recordings add up
class_sums   inputs and their classes -> ClassSums
layer_of     ClassSums -> weights and bias

Frames of each class are assumed to be normally distributed, with one covariance for all classes.
Then log posteriors are linear in the frame: the weights follow from sums, without gradient descent.
Fisher, "The use of multiple measurements in taxonomic problems" (1936); Hastie, Tibshirani and
Friedman, "The Elements of Statistical Learning" (2009), section 4.3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from std.sound.columns import Encoder
from std.store.columns import Int64s
from std.values import Float32s, Float64s, freeze

SHARE_POWER = 0.5  # of a phone's share: its posteriors are divided by this power
WORST_FIT = -10.0  # nats
BLOCK = 15_000  # frames: 5 minutes
CONTEXT = 1  # frames on either side of a frame, part of its input

RIDGE = 0.05  # of each input's variance, added to the variance within classes


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
        said = np.empty((reader.n_frames, len(self.bias)), np.float32)
        for here, inputs in blocks(reader):
            said[here] = log_softmax(inputs @ self.weights + self.bias)
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


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """Sums over some frames."""

    counts: Float64s  # (k,) frames of each class
    sums: Float64s  # (k, d) of their inputs
    products: Float64s  # (d, d) of inputs with each other, over all classes

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(
            self.counts + other.counts, self.sums + other.sums, self.products + other.products
        )

    def __sub__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(
            self.counts - other.counts, self.sums - other.sums, self.products - other.products
        )


def no_sums(classes: int, inputs: int) -> ClassSums:
    """The sums over no frames."""
    return ClassSums(np.zeros(classes), np.zeros((classes, inputs)), np.zeros((inputs, inputs)))


def class_sums(inputs: Float32s, classes: Int64s, n_classes: int) -> ClassSums:
    """The sums over some frames.

    Args:
        inputs: (n, d) frames.
        classes: (n,) of each; frames of a class below 0 are left out.
        n_classes: how many there are.
    """
    if not (classes >= 0).all():
        inputs, classes = inputs[classes >= 0], classes[classes >= 0]
    n, d = inputs.shape
    sums, products = np.zeros((n_classes, d)), (inputs.T @ inputs).astype(np.float64)
    order = np.argsort(classes, kind="stable")
    there, begins = np.unique(classes[order], return_index=True)
    if n:
        sums[there] = np.add.reduceat(inputs[order].astype(np.float64), begins, axis=0)
    return ClassSums(np.bincount(classes, minlength=n_classes).astype(np.float64), sums, products)


def layer_of(sums: ClassSums) -> tuple[Float64s, Float64s]:
    """(d, k) weights and (k,) bias: inputs @ weights + bias are log posteriors, up to a constant.

    A class without frames gets the mean of all frames, and the share of a single frame.

    Args:
        sums: over frames; without frames all classes are equally likely.
    """
    total, k = np.maximum(sums.counts.sum(), 1.0), len(sums.counts)
    mean = sums.sums.sum(axis=0) / total
    held = sums.counts > 0
    means = np.where(held[:, None], sums.sums / np.maximum(sums.counts, 1)[:, None], mean[None])
    within = (sums.products - sums.sums.T @ means) / total
    variance = np.diag(sums.products) / total - mean**2
    within[np.diag_indices_from(within)] += RIDGE * np.maximum(variance, 1e-6)
    weights = np.linalg.solve(within, means.T)
    bias = np.log((sums.counts + 1) / (total + k)) - 0.5 * (means.T * weights).sum(axis=0)
    return weights, bias
