"""Intervals of every system and group, and whether two systems differ.

Both systems have the same weights, so what is difficult for both cancels out. The p-values of all
measures are those of Student's t, with the intervals. For ATWV, a permutation test counts how often
a difference as large arises if the results of the two systems are swapped at random, term by term.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 11 and 15.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.measures import WEIGHED, Measure
from scoring.statistics.jackknife import (
    UNITS,
    Deviations,
    Interval,
    Unit,
    deviations,
    intervals,
    p_values,
)
from scoring.statistics.sample import Sample, sample
from std.errors import StdError
from std.values import Float64s

PERMUTED_AT_ONCE = 1 << 22  # signs held in memory
DIFFERENCES = dict.fromkeys(WEIGHED, Measure())  # have no scale and no limits


class Difference(NamedTuple):
    """A minus B in one measure; units without a value are left out."""

    value: float
    intervals: Mapping[Unit, Interval]
    p_values: Mapping[Unit, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same terms and speech."""

    first: int  # index of A
    second: int  # index of B
    differences: Mapping[str, Difference]
    p_value: float  # two-sided, of the difference in ATWV, by permuting terms
    terms: int  # that the permutation test had


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """Intervals of every system in one group, and comparisons of pairs with the same terms."""

    name: str
    systems: tuple[Mapping[Unit, Mapping[str, Interval]], ...]  # empty without this group
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Intervals and comparisons, by group."""

    replicates: int
    seed: int
    confidence: float
    groups: tuple[GroupStatistics, ...]  # the first is the whole

    @property
    def systems(self) -> tuple[Mapping[Unit, Mapping[str, Interval]], ...]:
        """Intervals of every system in the whole."""
        return self.groups[0].systems

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Comparisons of all pairs in the whole."""
        return self.groups[0].comparisons


class _Measured(NamedTuple):
    """A group of one system."""

    group: Group
    sample: Sample
    by_unit: Mapping[Unit, Deviations]


def compare_systems(
    evaluations: Sequence[Evaluation],
    *,
    replicates: int = 1000,
    seed: int = 1,
    confidence: float = 0.95,
    advance: Callable[[float], None] = lambda groups: None,
) -> Statistics:
    """Intervals and comparisons; the same seed gives the same numbers.

    Args:
        evaluations: one per system, all of the same terms and speech.
        replicates: the largest number of parts of terms and recordings; and of permutations.
        seed: the seed of the random numbers.
        confidence: the confidence of the intervals, between 0 and 1.
        advance: called with 1 after every group, for a progress bar.

    Raises:
        StdError: scoring without means over terms, or systems that were not scored on the same
            terms and recordings.
    """
    found: list[GroupStatistics] = []
    for name in dict.fromkeys(group.name for one in evaluations for group in one.groups):
        measured = [_measured(one, name, replicates, seed) for one in evaluations]
        if not found and not all(_alike(measured[0], other) for other in measured):
            raise StdError("expected systems scored on the same terms and recordings")
        comparisons = tuple(
            _compare(measured, pair, replicates, seed, confidence)
            for pair in combinations(range(len(measured)), 2)
            if _alike(*(measured[i] for i in pair))
        )
        found.append(GroupStatistics(name, _systems(measured, confidence), comparisons))
        advance(1)
    return Statistics(replicates, seed, confidence, tuple(found))


def _measured(evaluation: Evaluation, name: str, replicates: int, seed: int) -> _Measured | None:
    """A system's group of this name."""
    group = next((group for group in evaluation.groups if group.name == name), None)
    if group is None:
        return None
    one = sample(group, evaluation.options, evaluation.scores)
    moved: dict[Unit, Deviations] = {
        unit: deviations(one, unit, replicates, seed) for unit in UNITS
    }
    return _Measured(group, one, moved)


def _alike(first: _Measured | None, second: _Measured | None) -> bool:
    """Whether both systems have the group, with the same terms and recordings."""
    if first is None or second is None:
        return False
    a, b = first.sample, second.sample
    return a.files == b.files and np.array_equal(a.counted, b.counted)


def _systems(
    measured: Sequence[_Measured | None], confidence: float
) -> tuple[Mapping[Unit, Mapping[str, Interval]], ...]:
    return tuple(
        {unit: intervals(moved, confidence) for unit, moved in one.by_unit.items()}
        if one
        else {unit: {} for unit in UNITS}
        for one in measured
    )


def _compare(
    measured: Sequence[_Measured | None],
    pair: tuple[int, int],
    replicates: int,
    seed: int,
    confidence: float,
) -> Comparison:
    a, b = (one for one in (measured[i] for i in pair) if one)
    moved = {unit: a.by_unit[unit].minus(b.by_unit[unit]) for unit in UNITS}
    paired = {unit: intervals(moved[unit], confidence, DIFFERENCES) for unit in UNITS}
    tested = {unit: p_values(moved[unit]) for unit in UNITS}
    differences = {
        name: Difference(
            a.group.measures[name] - b.group.measures[name],
            {unit: paired[unit][name] for unit in UNITS if name in paired[unit]},
            {unit: tested[unit][name] for unit in UNITS if name in tested[unit]},
        )
        for name in WEIGHED
    }
    twv = (a.group.twv - b.group.twv)[a.sample.counted]
    twv = twv[~np.isnan(twv)]  # of terms with a P_fa
    p_value = permutation_p_value(twv, replicates=replicates, seed=seed)
    return Comparison(*pair, differences, p_value, len(twv))


def permutation_p_value(differences: Float64s, *, replicates: int = 1000, seed: int = 1) -> float:
    """Two-sided p-value of a mean of paired differences under random changes of sign.

    The observed signs count as one of the permutations, so the value is never 0.

    Args:
        differences: (n,) one per term that both systems have.
        replicates: random changes of sign.
        seed: the seed of the random numbers.

    >>> permutation_p_value(np.zeros(5))
    1.0
    """
    random = np.random.default_rng(seed)
    observed = abs(differences.sum())
    as_large, left = 1, replicates
    while left:
        block = min(left, max(1, PERMUTED_AT_ONCE // max(len(differences), 1)))
        signs = random.integers(0, 2, (block, len(differences)), np.int8) * 2 - 1
        # Sums of the same numbers in another order differ by rounding only.
        as_large += int((np.abs(signs @ differences) >= observed * (1 - 1e-12)).sum())
        left -= block
    return as_large / (replicates + 1)
