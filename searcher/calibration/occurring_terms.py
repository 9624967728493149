"""Which terms occur at all, by what each and a list as a whole finds.

    occurrence_probability   of the terms of a list
    occurs_by_itself         of terms that a person asks for one by one

`searcher.calibration.occurrence_rate` takes it that a term is said, and gives the probability of
each of its places under that condition. Of some lists most terms occur (an evaluation's), of others
few (names of a watch list). If a share s of the terms occur, term t does with probability

    s E_t / (s E_t + 1 - s)

where log E_t is its `RatePosterior.log_evidence`: all its places against all being accidental. The
share is not known either. Its prior is a beta distribution with the mean `SAID`, s^PRIOR, its
posterior follows from all terms of the list, and the probability of a term is the mean over it. So
long lists say what their share is. Of a list of one term this is the probability for s = `SAID`,
and so each term is judged that a person asks for, whatever the others are.

Source: the share of non-null cases of the two-groups model (Efron 2008), with a prior.
"""

import numpy as np

from std.values import Float64s

SAID = 0.75  # probability that a term is said where it can be found, before its places are seen
PRIOR = SAID / (1 - SAID) - 1  # of a share s: in proportion to s to this power
SHARES: Float64s = np.arange(0.5, 200) / 200
LOG_SHARES, LOG_OTHERS = np.log(SHARES), np.log1p(-SHARES)
TERMS_AT_ONCE = 4096  # of a table of terms and shares


def occurrence_probability(log_evidence: Float64s) -> Float64s:
    """(terms,) the probability that each term of a list occurs.

    Args:
        log_evidence: (terms,) of the terms that have places; see `RatePosterior`.
    """
    of_share, log_odds = share_posterior(log_evidence), LOG_SHARES - LOG_OTHERS
    probability = np.empty(len(log_evidence))
    for first in range(0, len(log_evidence), TERMS_AT_ONCE):
        terms = slice(first, first + TERMS_AT_ONCE)
        of_both = of_share / (1 + np.exp(-(log_evidence[terms, None] + log_odds)))
        probability[terms] = np.minimum(of_both.sum(axis=1), 1.0)  # rounding
    return probability


def occurs_by_itself(log_evidence: Float64s) -> Float64s:
    """(terms,) the probability that each term occurs, whatever the others are.

    Args:
        log_evidence: see `occurrence_probability`.
    """
    probability: Float64s = 1 / (1 + np.exp(-log_evidence) * (1 - SAID) / SAID)
    return probability


def share_posterior(log_evidence: Float64s) -> Float64s:
    """(shares,) the probability of each of `SHARES`.

    Args:
        log_evidence: see `occurrence_probability`; in any order, as it is sorted first.
    """
    ordered, log_likelihood = np.sort(log_evidence)[:, None], np.zeros(len(SHARES))
    for first in range(0, len(ordered), TERMS_AT_ONCE):
        terms = ordered[first : first + TERMS_AT_ONCE]
        log_likelihood += np.logaddexp(terms + LOG_SHARES, LOG_OTHERS).sum(axis=0)
    log_weight = log_likelihood + PRIOR * LOG_SHARES
    weight = np.exp(log_weight - log_weight.max())
    posterior: Float64s = weight / weight.sum()
    return posterior
