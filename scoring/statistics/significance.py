"""Significance of the difference between two systems: paired resampling, a permutation test.

Both systems are resampled with the same draws of terms or recordings, so what is hard for both
cancels out. The permutation test counts how often a difference as large arises if the results of
the two systems are swapped at random, term by term.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 13 and 15.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from scoring.evaluate import Evaluation
from scoring.statistics import bootstrap
from scoring.statistics.bootstrap import MEASURES, UNITS, Interval, Unit, sample
from std.values import Float64s

PERMUTED_AT_ONCE = 1 << 22  # signs held in memory


class Difference(NamedTuple):
    """A minus B in one measure."""

    value: float
    intervals: Mapping[Unit, Interval]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same terms and speech."""

    first: int  # index of A
    second: int  # index of B
    differences: Mapping[str, Difference]
    p_value: float  # two-sided, of the difference in ATWV, by permuting terms
    terms: int  # that the permutation test had


@dataclass(frozen=True, slots=True)
class Statistics:
    """Intervals of every system, and every pair compared."""

    replicates: int
    seed: int
    confidence: float
    systems: tuple[Mapping[Unit, Mapping[str, Interval]], ...]
    comparisons: tuple[Comparison, ...]


def compare_systems(
    evaluations: Sequence[Evaluation],
    *,
    replicates: int = 1000,
    seed: int = 1,
    confidence: float = 0.95,
    advance: Callable[[float], None] = lambda replicates: None,
) -> Statistics:
    """Intervals and comparisons; the same seed gives the same numbers.

    Args:
        evaluations: one per system, all of the same terms and speech.
        replicates: how often terms, and how often recordings, are resampled.
        seed: of the random numbers.
        confidence: of the intervals, between 0 and 1.
        advance: called with 1 after every replicate, for a progress bar.

    Raises:
        StdError: scoring without means over terms, or systems that were not scored on the same
            terms and recordings.
    """
    samples = [
        sample(evaluation.groups[0], evaluation.options, evaluation.scores)
        for evaluation in evaluations
    ]
    twv = [evaluation.groups[0].twv for evaluation in evaluations]
    drawn: dict[Unit, Float64s] = {}  # (B, systems, measures)
    for unit in UNITS:
        rows = []
        for row in bootstrap.draws(samples, unit, replicates, seed):
            rows.append(row)
            advance(1)
        drawn[unit] = np.array(rows)
    whole = [
        bootstrap.weighed(sample, np.ones(len(sample.occurs)), np.ones(len(sample.files)))
        for sample in samples
    ]
    systems = tuple(
        {unit: bootstrap.intervals(drawn[unit][:, i], confidence) for unit in UNITS}
        for i in range(len(samples))
    )
    comparisons = []
    for a, b in combinations(range(len(samples)), 2):
        paired = {
            unit: bootstrap.intervals(drawn[unit][:, a] - drawn[unit][:, b], confidence)
            for unit in UNITS
        }
        differences = {
            name: Difference(
                float(whole[a][i] - whole[b][i]),
                {unit: paired[unit][name] for unit in UNITS if name in paired[unit]},
            )
            for i, name in enumerate(MEASURES)
        }
        counted = samples[a].occurs
        difference = twv[a][counted] - twv[b][counted]
        p_value = permutation_p_value(difference, replicates=replicates, seed=seed)
        comparisons.append(Comparison(a, b, differences, p_value, int(counted.sum())))
    return Statistics(replicates, seed, confidence, systems, tuple(comparisons))


def permutation_p_value(differences: Float64s, *, replicates: int = 1000, seed: int = 1) -> float:
    """Two-sided p-value of a mean of paired differences under random changes of sign.

    The observed signs count as one of the permutations, so the value is never 0.

    Args:
        differences: (n,) one per term that both systems have.
        replicates: random changes of sign.
        seed: of the random numbers.

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
