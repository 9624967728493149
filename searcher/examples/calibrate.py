"""Costs of an example's places -> probabilities that the same is said there.

    standing       how far places stand out from the many where something else is said
    probabilities  of places

An example's best places are ranked. Those of rank 6 to 60 are mostly wrong, and nearly as good as
wrong places get, so a place is measured by how far it is from them. The weights are a logistic
regression over the places of 2,408 words and pairs of words, most of which are said once only
(docs/sound.md, "Probabilities").
"""

import numpy as np

from std.values import Float64s

FIRST_RANK, LAST_RANK = 5, 60  # of the places that are mostly wrong
FEWEST = 20  # places that tell what wrong ones cost; of fewer, the usual figures count
USUAL_COST, USUAL_DEVIATION = 0.33, 0.008
SMALLEST_DEVIATION = 0.002
MISSED = 0.3  # expected occurrences of a term that no place stands for, by decisions
OF_FURTHER_EXAMPLES = 3.0
INTERCEPT, OF_STANDING, OF_COST = 11.05, 0.199, -49.45


def standing(costs: Float64s, ranked: Float64s) -> Float64s:
    """(n,) how many deviations places are better than those that are mostly wrong.

    Args:
        costs: (n,) of places.
        ranked: (m,) of the example's best places, ascending.
    """
    others = ranked[FIRST_RANK:LAST_RANK]
    if len(others) < FEWEST:
        return (USUAL_COST - costs) / USUAL_DEVIATION
    deviation = max(float(others.std()), SMALLEST_DEVIATION)
    return np.asarray((float(others.mean()) - costs) / deviation, np.float64)


def probabilities(stands: Float64s, costs: Float64s, examples: int = 1) -> Float64s:
    """(n,) that the term is said in places.

    Args:
        stands: (n,) `standing` of each; of several examples the mean.
        costs: (n,) share of signs that differ; of several examples the mean.
        examples: how many there are: a place that several of them fit equally well is likelier.
    """
    log_odds = INTERCEPT + OF_STANDING * stands + OF_COST * costs
    log_odds += OF_FURTHER_EXAMPLES * (1 - 1 / examples)
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float64)
