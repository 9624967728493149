"""Frames of each phone -> a linear layer: linear discriminant analysis.

ClassSums    how many frames each class has, their sums and products; those of several
             recordings add up
class_sums   inputs and what they are -> ClassSums
layer_of     ClassSums -> weights and bias

Frames of a class are taken as normal, all classes with one covariance. Then log posteriors are
linear in the frame: the weights follow from sums, without steps of descent. Fisher, "The use of
multiple measurements in taxonomic problems" (1936); Hastie, Tibshirani and Friedman, "The
Elements of Statistical Learning" (2009), section 4.3.
"""

from dataclasses import dataclass

import numpy as np

from std.store.columns import Int64s
from std.values import Float32s, Float64s

RIDGE = 0.05  # of each input's variance, added to that within classes


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


def no_sums(classes: int, inputs: int) -> ClassSums:
    """The sums over no frames."""
    return ClassSums(np.zeros(classes), np.zeros((classes, inputs)), np.zeros((inputs, inputs)))


def class_sums(inputs: Float32s, classes: Int64s, n_classes: int) -> ClassSums:
    """The sums over some frames.

    Args:
        inputs: (n, d) frames.
        classes: (n,) of each, at least 0.
        n_classes: how many there are.
    """
    n, d = inputs.shape
    sums, products = np.zeros((n_classes, d)), (inputs.T @ inputs).astype(np.float64)
    order = np.argsort(classes, kind="stable")
    there, begins = np.unique(classes[order], return_index=True)
    if n:
        sums[there] = np.add.reduceat(inputs[order].astype(np.float64), begins, axis=0)
    return ClassSums(np.bincount(classes, minlength=n_classes).astype(np.float64), sums, products)


def layer_of(sums: ClassSums) -> tuple[Float64s, Float64s]:
    """(d, k) weights and (k,) bias: inputs @ weights + bias are log posteriors, up to a constant.

    A class without frames has those of all frames together, and the share of a single frame.

    Args:
        sums: over frames; of none, all classes are equally likely.
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
