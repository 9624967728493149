"""Confidence intervals of the measures: each term, or recording, in turn gets a lower weight.

The spread over terms estimates the spread over other term lists, the spread over recordings
estimates that over other speech of the same length. An audio file has one weight for all its
channels, hits, references and trials, so dependence within a file is kept.

If one of k values has the weight ``1 - h``, their mean moves by ``h (mean - value) / (k - h)``. The
squares sum to h^2 times the variance of the mean if ``h = k - sqrt(k^2 - k)``: .586 for two values,
.5 for many. `STEP` is the value for two, because most terms have few occurrences; with it, the
variance of a mean of ten is 2 % too large. A delete-one jackknife (h = 1) gives twice the variance
of a mean of two.

A term that is said in one file only has the weight of that file, because without the file it would
not be scored. (A bootstrap leaves out such terms in a third of its draws, and so compares means
over more frequent terms with the mean over all.) If the weight of a file is lower, the weight of
such a term is lower with all its false alarms. This changes P_fa too much, for two reasons, and
`LoneTerms` corrects it:

* In other speech, the term may be said in another file. If terms are said lambda times on average
  (Poisson), the variance of whether one is said is (1 - exp(-lambda)) / lambda of the share of
  terms that are said once. lambda is twice the number of terms of two parts, divided by that of
  terms of one part.
* Terms differ in their false alarms by chance, too, and the spread over parts already contains this
  chance. In one system it is small compared with real differences of terms. In the difference of
  two systems, which have mostly the same bad terms, it may be the whole spread. It is estimated by
  the spread of a term's rates over parts, and subtracted.

An interval is that of Student's t about the measure itself, or on a `Scale` on which it is
symmetric. A measure near its best, or worst, value varies less towards this value than away from
it; an interval that is symmetric about the measure would miss the true value on one side too often.

    odds    of a share, between 0 and 1: P_miss, P_fa, STWV, MAP (false alarms come in clusters)
    root    of the loss, 1 minus a value: misses and false alarms are counts

Sources: Tukey, Annals of Mathematical Statistics 29 (1958); Efron and Stein, Annals of Statistics
9 (1981); Student's t: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), equations
26.7.3, 26.7.4; the root: Bartlett, Biometrics 3 (1947); the odds: Agresti, Categorical Data
Analysis (2013), 3.1.6. What the intervals cover was simulated: docs/scoring.md,
`benchmarks.coverage`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.measures import WEIGHED, Measure, Scale
from scoring.statistics.sample import Sample
from scoring.statistics.weighed import UnitWeights, alarm_rates, weighed
from std.values import Float64s


class LoneTerms(NamedTuple):
    """The terms of one part, and P_fa."""

    moved: Float64s  # (parts,) P_fa as each part's terms count for less, over the step
    said_again: float  # (1 - exp(-lambda)) / lambda
    rates: Float64s  # (terms, parts) what each part adds to a term's P_fa
    is_difference: bool = False

    def minus(self, other: "LoneTerms") -> "LoneTerms":
        """The value for the difference of two systems with the same terms and parts."""
        return LoneTerms(
            self.moved - other.moved, self.said_again, self.rates - other.rates, is_difference=True
        )

    def counted(self, p_fa: float) -> Float64s:
        """(parts,) the corrected ``moved``, given P_fa of all terms."""
        weight = self.said_again
        if self.is_difference:
            parts = self.rates.shape[1]
            spread = ((self.rates.sum(axis=1) - p_fa) ** 2).sum()
            chance = ((self.rates - self.rates.mean(axis=1, keepdims=True)) ** 2).sum()
            chance *= parts / max(parts - 1, 1)
            weight *= max(0.0, 1 - chance / spread) if spread else 0.0
        counted: Float64s = np.sqrt(weight) * self.moved
        return counted


def lone_terms(sample: Sample, part: Counts, moved: Float64s, without: Float64s) -> LoneTerms:
    """The terms of one part, and P_fa, of one system.

    Args:
        part: (F,) the part of each file.
        moved, without: (parts,) the changes of P_fa, with and without the weights of terms.
    """
    said = np.unique(np.stack([sample.targets.term, part[sample.targets.file]]), axis=1)[0]
    in_parts = np.bincount(said, minlength=len(sample.counted)) * sample.counted
    lone = np.flatnonzero(in_parts == 1)
    twice = 2 * int((in_parts == 2).sum()) / max(len(lone), 1)
    each = np.zeros((len(sample.counted), len(moved)))
    wrong = sample.hits.yes & ~sample.hits.paired
    np.add.at(each, (sample.hits.term[wrong], part[sample.hits.file[wrong]]), 1.0)
    rates = alarm_rates(sample, np.ones((1, len(sample.files))))[0][0]
    of_one = np.divide(rates, each.sum(axis=1), out=np.zeros(len(rates)), where=rates > 0)
    return LoneTerms(
        moved - without,
        float(-np.expm1(-twice) / twice) if twice else 1.0,
        (each * of_one[:, None])[lone],
    )


GRID = 1000  # places between two that a quantile is between
ROUNDS = 5  # of narrowing by the grid, to the precision of a double


def two_sided(t: Float64s, freedom: int) -> Float64s:
    """Probability of a value at least as far from 0.

    Args:
        t: any shape; NaN stays NaN.
        freedom: degrees of freedom, at least 1.

    >>> float(two_sided(np.array(1.0), 1).round(12))
    0.5
    """
    angle = np.arctan(np.abs(t) / np.sqrt(freedom))
    square = np.cos(angle) ** 2
    odd = freedom % 2
    term = np.sin(angle) * (np.cos(angle) if odd else 1.0)
    within = np.zeros_like(angle)
    for k in range(freedom // 2):
        within = within + term
        term = term * square * (2 * k + 1 + odd) / (2 * k + 2 + odd)
    if odd:
        within = 2 / np.pi * (angle + within)
    outside: Float64s = np.clip(1 - within, 0, 1)
    return outside


@cache
def quantile(confidence: float, freedom: int) -> float:
    """The distance from 0 that a value does not exceed with this probability.

    >>> round(quantile(0.95, 4), 4)
    2.7764
    """
    low, high = 0.0, np.pi / 2  # of arctan(t)
    for _ in range(ROUNDS):
        angle = np.linspace(low, high, GRID + 1)
        beyond = two_sided(np.tan(angle[1:-1]), freedom) > 1 - confidence
        at = int(beyond.sum())  # it falls with the angle
        low, high = float(angle[at]), float(angle[at + 1])
    return float(np.tan((low + high) / 2))


LONGEST = 700.0  # logarithm of a ratio that floating point has


def ends(value: float, width: float, scale: Scale | None) -> tuple[float, float]:
    """The two ends of an interval.

    Args:
        width: the distance from the measure to each end.
        scale: None is the measure's own scale, which is also used for values outside a scale.

    >>> [round(end, 3) for end in ends(0.1, 0.1, "odds")]
    [0.035, 0.252]
    >>> [round(end, 3) for end in ends(0.9, 0.1, "root")]
    [0.775, 0.975]
    """
    if scale == "odds" and 0 < value < 1:
        ratio = float(np.exp(min(width / (value * (1 - value)), LONGEST)))
        return value / (value + (1 - value) * ratio), value / (value + (1 - value) / ratio)
    if scale == "root" and value < 1:
        root = float(np.sqrt(1 - value))
        less = max(root - width / (2 * root), 0.0)
        return 1 - (root + width / (2 * root)) ** 2, 1 - less**2
    return value - width, value + width


Unit = Literal["terms", "recordings"]
UNITS: tuple[Unit, ...] = ("terms", "recordings")
STEP = 2 - 2**0.5
CELLS_AT_ONCE = 1 << 21  # weighings times rows held in memory
ROUNDED = 12  # decimals that sums in another order leave alone
P_FA = [*WEIGHED].index("P_fa")


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Deviations(NamedTuple):
    """The changes of the measures."""

    values: Float64s  # (measures,) of everything
    moved: Float64s  # (parts, measures) as each part counts for less, over `STEP`
    lone: LoneTerms | None = None  # over recordings: terms of one part, which moved has not in P_fa

    def minus(self, other: "Deviations") -> "Deviations":
        """The changes of the difference of two systems with the same terms and files."""
        lone = self.lone.minus(other.lone) if self.lone and other.lone else None
        return Deviations(self.values - other.values, self.moved - other.moved, lone)


def deviations(sample: Sample, unit: Unit, parts: int, seed: int) -> Deviations:
    """The changes of the measures if each part of the terms or files in turn gets a lower weight.

    Args:
        unit: whether terms or files get lower weights.
        parts: if there are more units, they are put into this number of parts at random.
    """
    part = _parts(int(sample.counted.sum()) if unit == "terms" else len(sample.files), parts, seed)
    number = int(part.max(initial=-1)) + 1
    rows = max(len(sample.counted), len(sample.hits.term), len(sample.targets.term), 1)
    block = max(1, CELLS_AT_ONCE // rows)
    values = weighed(sample, _weights(sample, unit, part, np.array([-1])))[0]
    changed, p_fa = [np.zeros((0, len(values)))], [np.zeros(0)]
    for begin in range(0, number, block):
        weights = _weights(sample, unit, part, np.arange(begin, min(begin + block, number)))
        changed.append(weighed(sample, weights))
        if unit == "recordings":  # P_fa of all terms alike
            rates, shares = alarm_rates(sample, weights.file)
            p_fa.append((rates * shares).sum(axis=1))
    moved = _over_step(np.concatenate(changed) - values)
    if unit == "terms":
        return Deviations(values, moved)
    alike = _over_step(np.concatenate(p_fa) - values[P_FA])
    lone = lone_terms(sample, part, moved[:, P_FA], alike)
    moved[:, P_FA] = alike
    return Deviations(values, moved, lone)


def _over_step(moved: Float64s) -> Float64s:
    rounded: Float64s = np.round(moved / STEP, ROUNDED)
    return rounded


def _parts(units: int, parts: int, seed: int) -> Counts:
    """(units,) the part of each unit; parts differ by one unit at most."""
    if units <= parts:
        return np.arange(units)
    return np.random.default_rng(seed).permutation(units) % parts


def _weights(sample: Sample, unit: Unit, part: Counts, chosen: Counts) -> UnitWeights:
    """Weights if the chosen parts in turn have lower weights; -1 is no part."""
    term = np.ones((len(chosen), len(sample.counted)))
    file = np.ones((len(chosen), len(sample.files)))
    less = STEP * (part == chosen[:, None])
    if unit == "terms":
        term[:, sample.counted] -= less
        return UnitWeights(term, file)
    file -= less
    first, last = np.full(len(sample.counted), len(part)), np.full(len(sample.counted), -1)
    np.minimum.at(first, sample.targets.term, part[sample.targets.file])
    np.maximum.at(last, sample.targets.term, part[sample.targets.file])
    term -= STEP * ((first == last) & (first == chosen[:, None]))
    return UnitWeights(term, file)


def standard_errors(found: Deviations) -> Float64s:
    """(measures,) standard errors; NaN if a measure is undefined, or for fewer than two parts."""
    n, moved = len(found.moved), found.moved
    if n < 2:
        return np.full(len(found.values), np.nan)
    if found.lone:
        moved = moved.copy()
        moved[:, P_FA] += found.lone.counted(float(found.values[P_FA]))
    squares = ((moved - moved.mean(axis=0)) ** 2).sum(axis=0)
    errors: Float64s = np.sqrt(squares * n / (n - 1))
    return errors


def intervals(
    found: Deviations, confidence: float, measures: Mapping[str, Measure] = WEIGHED
) -> dict[str, Interval]:
    """The interval of each measure that has one, on its scale and within its limits.

    Args:
        found: the changes of the measures.
        confidence: between 0 and 1.
        measures: (measures,) with their scales and limits.
    """
    errors, result = standard_errors(found), {}
    if np.isnan(errors).all():
        return {}
    width = quantile(confidence, len(found.moved) - 1)
    rows = zip(measures.items(), found.values.tolist(), errors.tolist(), strict=True)
    for (name, measure), value, error in rows:
        lowest, highest = measure.limits or (-np.inf, np.inf)
        if np.isfinite([value, error]).all():
            low, high = ends(value, width * error, measure.scale)
            result[name] = Interval(max(low, min(lowest, value)), min(high, max(highest, value)))
    return result


def p_values(found: Deviations) -> dict[str, float]:
    """Two-sided p-values of 0; an interval contains 0 if the p-value is above 1 - confidence."""
    errors, result = standard_errors(found), {}
    for name, value, error in zip(WEIGHED, found.values.round(ROUNDED), errors, strict=True):
        if np.isfinite([value, error]).all():
            t = np.array(abs(value) / error if error else np.inf if value else 0.0)
            result[name] = round(float(two_sided(t, len(found.moved) - 1)), ROUNDED)
    return result
