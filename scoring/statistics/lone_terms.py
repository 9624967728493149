"""Correct P_fa over other speech for terms that occur in one part of the speech only.

When the weight of that part falls, the weight of such a term falls, with all its false alarms.
Without a correction this effect on P_fa is too large, for two reasons:

* with other speech, the term may be said somewhere else. If terms are said lambda times on average
  (Poisson), the variance of whether one is said is (1 - exp(-lambda)) / lambda of the share of
  terms that are said once; lambda is twice the terms of two parts over those of one;
* terms differ in their false alarms by chance, and chance is in the parts already. In one system
  that is little beside what makes one term worse than another; in the difference of two systems,
  which have mostly the same bad terms, it may be all. It is the spread of a term's rates over
  parts says, and is taken off.

Simulated: docs/scoring.md.
"""

from typing import NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.statistics.sample import Sample
from scoring.statistics.weighed import alarm_rates
from std.values import Float64s


class LoneTerms(NamedTuple):
    """The terms of one part, and P_fa."""

    moved: Float64s  # (parts,) P_fa as each part's terms count for less, over the step
    said_again: float  # (1 - exp(-lambda)) / lambda
    rates: Float64s  # (terms, parts) what each part adds to a term's P_fa
    is_difference: bool = False

    def minus(self, other: "LoneTerms") -> "LoneTerms":
        """Of the difference of two systems, of the same terms and parts."""
        return LoneTerms(
            self.moved - other.moved,
            self.said_again,
            self.rates - other.rates,
            is_difference=True,
        )

    def counted(self, p_fa: float) -> Float64s:
        """(parts,) ``moved`` as much as it counts, given P_fa of all terms."""
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
    """Of one system.

    Args:
        sample: the sample of the system.
        part: (F,) of each file.
        moved, without: (parts,) how P_fa moves, with and without the weights of terms.
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
