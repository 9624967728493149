"""Confidence intervals of the measures: each term, or recording, in turn counts for less.

The spread over terms is that over other term lists, the spread over recordings that over as much
other speech. Audio files are weighed as a whole, with all their channels, hits, references and
trials, so dependence within a file is kept.

If one of k values counts ``1 - h``, their mean moves by ``h (mean - value) / (k - h)``. The squares
sum up to h^2 times the variance of the mean if ``h = k - sqrt(k^2 - k)``: .586 for two values, .5
for many. `STEP` lies between, so that terms with few occurrences and frequent ones are both
served; a delete-one jackknife (h = 1) takes the variance of a mean of two for twice as large.

A term that is said in one file only counts as much as the file: with other speech it would not
be there. A bootstrap leaves out such terms in a third of its draws and so compares means over
more frequent terms with the mean over all.

An interval is that of Student's t about the measure itself, or about its logarithm: false alarms
come in clusters, so that their rate of a few recordings is skewed.

Sources: Tukey, Annals of Mathematical Statistics 29 (1958); Efron and Stein, Annals of Statistics
9 (1981). What the intervals cover was simulated: docs/scoring.md, `benchmarks.coverage`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.statistics import student
from scoring.statistics.sample import Sample
from scoring.statistics.weighed import Weights, weighed
from std.values import Float64s

Unit = Literal["terms", "recordings"]
UNITS: tuple[Unit, ...] = ("terms", "recordings")
STEP = 0.55
CELLS_AT_ONCE = 1 << 21  # weighings times rows held in memory
LONGEST = 700.0  # logarithm of a ratio that floating point has
ROUNDED = 12  # decimals that sums in another order leave alone


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Deviations(NamedTuple):
    """How the measures move."""

    values: Float64s  # (measures,) of everything
    moved: Float64s  # (parts, measures) as each part counts for less, over `STEP`

    def minus(self, other: "Deviations") -> "Deviations":
        """Those of the difference of two systems, of the same terms and files."""
        return Deviations(self.values - other.values, self.moved - other.moved)


def deviations(sample: Sample, unit: Unit, parts: int, seed: int) -> Deviations:
    """Let each part of the terms or files count for less.

    Args:
        sample: of one system.
        unit: what counts for less.
        parts: if there are more units, they are put into so many parts at random.
        seed: of the random numbers.
    """
    part = _parts(int(sample.counted.sum()) if unit == "terms" else len(sample.files), parts, seed)
    number = int(part.max(initial=-1)) + 1
    rows = max(len(sample.counted), len(sample.hits.term), len(sample.targets.term), 1)
    block = max(1, CELLS_AT_ONCE // rows)
    values = weighed(sample, _weights(sample, unit, part, np.array([-1])))[0]
    moved = [np.zeros((0, len(values)))]
    for begin in range(0, number, block):
        chosen = np.arange(begin, min(begin + block, number))
        moved.append(weighed(sample, _weights(sample, unit, part, chosen)) - values)
    return Deviations(values, np.round(np.concatenate(moved) / STEP, ROUNDED))


def _parts(units: int, parts: int, seed: int) -> Counts:
    """(units,) the part of each unit; parts differ by one unit at most."""
    if units <= parts:
        return np.arange(units)
    return np.random.default_rng(seed).permutation(units) % parts


def _weights(sample: Sample, unit: Unit, part: Counts, chosen: Counts) -> Weights:
    """Weights as the chosen parts count for less, one after the other; -1 is no part."""
    term = np.ones((len(chosen), len(sample.counted)))
    file = np.ones((len(chosen), len(sample.files)))
    less = STEP * (part == chosen[:, None])
    if unit == "terms":
        term[:, sample.counted] -= less
        return Weights(term, file)
    file -= less
    first, last = np.full(len(sample.counted), len(part)), np.full(len(sample.counted), -1)
    np.minimum.at(first, sample.targets.term, part[sample.targets.file])
    np.maximum.at(last, sample.targets.term, part[sample.targets.file])
    term -= STEP * ((first == last) & (first == chosen[:, None]))
    return Weights(term, file)


def standard_errors(found: Deviations) -> Float64s:
    """(measures,) of the values; NaN where a measure is undefined, and for less than two parts."""
    n = len(found.moved)
    if n < 2:
        return np.full(len(found.values), np.nan)
    squares = ((found.moved - found.moved.mean(axis=0)) ** 2).sum(axis=0)
    errors: Float64s = np.sqrt(squares * n / (n - 1))
    return errors


def intervals(
    found: Deviations,
    names: Sequence[str],
    confidence: float,
    limits: Mapping[str, Interval] | None = None,
    by_ratio: Collection[str] = (),
) -> dict[str, Interval]:
    """The interval of each measure that has one.

    Args:
        found: how the measures move.
        names: (measures,)
        confidence: between 0 and 1.
        limits: what a measure can be; an interval ends there.
        by_ratio: measures whose interval is that of their logarithm.
    """
    errors, limits, result = standard_errors(found), limits or {}, {}
    if np.isnan(errors).all():
        return {}
    width = student.quantile(confidence, len(found.moved) - 1)
    for name, value, error in zip(names, found.values.tolist(), errors.tolist(), strict=True):
        lowest, highest = limits.get(name, Interval(-np.inf, np.inf))
        if np.isfinite([value, error]).all():
            low, high = value - width * error, value + width * error
            if name in by_ratio and value > 0:
                ratio = float(np.exp(np.minimum(width * error / value, LONGEST)))
                low, high = value / ratio, value * ratio
            result[name] = Interval(max(low, min(lowest, value)), min(high, max(highest, value)))
    return result


def p_values(found: Deviations, names: Sequence[str]) -> dict[str, float]:
    """Two-sided, of values of 0, which an interval has if the p-value is above 1 - confidence."""
    errors, result = standard_errors(found), {}
    for name, value, error in zip(names, found.values.round(ROUNDED), errors, strict=True):
        if np.isfinite([value, error]).all():
            t = np.array(abs(value) / error if error else np.inf if value else 0.0)
            result[name] = round(float(student.two_sided(t, len(found.moved) - 1)), ROUNDED)
    return result
