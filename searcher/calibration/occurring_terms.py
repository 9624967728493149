"""Which terms of a list occur at all, by what the list as a whole finds.

`searcher.calibration.occurrence_rate` takes it that a term is said, and gives the probability of
each of its places under that condition. Of some lists most terms occur (an evaluation's), of others
few (names of a watch list). If a share s of the terms occur, term t does with probability

    s E_t / (s E_t + 1 - s)

where log E_t is its `RatePosterior.log_evidence`: all its places against all being accidental. The
share is the one that maximises the likelihood of the list, s^WORTH times the product of
s E_t + 1 - s: as if `WORTH` more terms were known to occur, so that of a term that is asked for by
itself it is taken that it does.

Source: the share of non-null cases of the two-groups model (Efron 2008), by maximum likelihood.
"""

import numpy as np

from std.values import Float64s

SHARES: Float64s = np.arange(1, 51) / 50
LOG_SHARES: Float64s = np.log(SHARES)
WORTH = 5.0  # terms


def occurrence_probability(log_evidence: Float64s) -> Float64s:
    """(terms,) the probability that each term of a list occurs.

    Args:
        log_evidence: (terms,) of the terms that have places; see `RatePosterior`.
    """
    share = occurring_share(log_evidence) if len(log_evidence) else 1.0
    if share == 1.0:
        return np.ones(len(log_evidence))
    odds = np.exp(np.minimum(log_evidence, 700.0)) * share / (1 - share)
    probability: Float64s = odds / (1 + odds)
    return probability


def occurring_share(log_evidence: Float64s) -> float:
    """The likeliest share of the terms that occur, one of `SHARES`."""
    evidence = np.exp(np.minimum(log_evidence, 700.0))
    likelihood = np.log(SHARES[:, None] * evidence + (1 - SHARES)[:, None]).sum(axis=1)
    return float(SHARES[int(np.argmax(likelihood + WORTH * LOG_SHARES))])
