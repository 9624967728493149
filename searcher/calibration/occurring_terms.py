"""Which terms occur, estimated from the places of each term and of the whole list.

    term_occurrence              of any terms: those of a list, or each by itself
        occurrence_probability   of the terms of a list that have places
        occurs_by_itself         of terms that are searched one by one (``adhoc``)
    said_again_evidence          of a term with examples, by the probabilities of its places

`searcher.calibration.occurrence_rate` gives the probability of each place of a term if the term is
said. In some lists most terms occur (an evaluation's), in others few (names of a watch list). If a
share s of the terms occur, term t occurs with probability

    s E_t / (s E_t + 1 - s)

where log E_t is its `RatePosterior.log_evidence`, against all its places being false alarms. The
share is unknown. Its prior is a beta distribution with the mean `SAID`, s^PRIOR, its posterior
follows from all terms of the list, and the probability of a term is the mean over it. So a long
list determines its own share. For a list of one term this is the probability for s = `SAID`; terms
of an ``adhoc`` search are judged like this, one by one. A term without a place is evidence of the
share, too.

Source: the share of non-null cases of the two-groups model (Efron 2008), with a prior.
"""

import numpy as np

from searcher.calibration.occurrence_rate import log_evidence as log_evidence_of_places
from std.values import Bools, Float64s, SearchMode

# Log evidence of terms that are not judged: without a place, and with the recogniser's posteriors.
FOUND_NOWHERE, TAKEN_TO_OCCUR = -np.inf, np.inf
NOT_SEARCHED = np.nan  # of terms that could not have a place
# Log evidence of a term without a place: if nothing is known of it, and if it is expected.
NO_PLACES = log_evidence_of_places(
    np.empty(0), np.empty(0, np.int64), 2, is_expected=np.array([False, True])
)
SAID = 0.75  # prior probability that a term is said where it can be found
PRIOR = SAID / (1 - SAID) - 1  # of a share s: in proportion to s to this power
# Shares from one term in 1,000,000 to all but one, evenly in log odds: few or nearly all names of a
# long list may occur.
LOG_ODDS: Float64s = np.linspace(-1, 1, 401) * np.log(1e6)
LOG_SHARES, LOG_OTHERS = -np.logaddexp(0, -LOG_ODDS), -np.logaddexp(0, LOG_ODDS)
TERMS_AT_ONCE = 4096  # of a table of terms and shares
SURE = 1 - 1e-9
EXPECTED = 1.5  # occurrences of a term that is said again


def term_occurrence(log_evidence: Float64s, is_oov: Bools, mode: SearchMode) -> Float64s:
    """(terms,) the probability that each term occurs.

    Args:
        log_evidence: (terms,) `RatePosterior.log_evidence`, against chance; `FOUND_NOWHERE` of
            terms without places, `TAKEN_TO_OCCUR` of terms that keep the recogniser's posteriors,
            `NOT_SEARCHED` of terms that could not be found.
        is_oov: (terms,) the index lacks a word of it: such terms have a share of their own.
        mode: for ``list``, the share of terms that occur is estimated.
    """
    is_judged = np.isfinite(log_evidence)
    probability = np.where(log_evidence == TAKEN_TO_OCCUR, 1.0, 0.0)
    if mode == "adhoc":
        probability[is_judged] = occurs_by_itself(log_evidence[is_judged])
        return probability
    for is_kind, no_places in zip((is_oov, ~is_oov), NO_PLACES.tolist(), strict=True):
        judged = is_kind & is_judged
        nowhere = int(np.count_nonzero(is_kind & (log_evidence == FOUND_NOWHERE)))
        probability[judged] = occurrence_probability(log_evidence[judged], nowhere, no_places)
    return probability


def occurrence_probability(
    log_evidence: Float64s, nowhere: int = 0, no_places: float = float(NO_PLACES[0])
) -> Float64s:
    """(terms,) the probability that each term of a list occurs.

    Args:
        log_evidence: (terms,) of the terms that have places; see `RatePosterior`.
        nowhere: number of further terms of the list, that have none.
        no_places: log evidence of each of these.
    """
    of_share = share_posterior(log_evidence, nowhere, no_places)
    probability = np.empty(len(log_evidence))
    for first in range(0, len(log_evidence), TERMS_AT_ONCE):
        terms = slice(first, first + TERMS_AT_ONCE)
        of_both = of_share / (1 + np.exp(-(log_evidence[terms, None] + LOG_ODDS)))
        probability[terms] = np.minimum(of_both.sum(axis=1), 1.0)  # rounding
    return probability


def occurs_by_itself(log_evidence: Float64s) -> Float64s:
    """(terms,) the probability that each term occurs, whatever the others are.

    Args:
        log_evidence: see `occurrence_probability`.
    """
    probability: Float64s = 1 / (1 + np.exp(-log_evidence) * (1 - SAID) / SAID)
    return probability


def share_posterior(
    log_evidence: Float64s, nowhere: int = 0, no_places: float = float(NO_PLACES[0])
) -> Float64s:
    """(shares,) the probability of each share of terms that occur, on the grid of `LOG_ODDS`.

    Args:
        log_evidence: see `occurrence_probability`; in any order, as it is sorted first.
        nowhere, no_places: see there.
    """
    ordered = np.sort(log_evidence)[:, None]
    log_likelihood = nowhere * np.logaddexp(no_places + LOG_SHARES, LOG_OTHERS)
    for first in range(0, len(ordered), TERMS_AT_ONCE):
        terms = ordered[first : first + TERMS_AT_ONCE]
        log_likelihood += np.logaddexp(terms + LOG_SHARES, LOG_OTHERS).sum(axis=0)
    log_density = PRIOR * LOG_SHARES + LOG_SHARES + LOG_OTHERS  # s (1 - s): from s to its log odds
    log_weight = log_likelihood + log_density
    weight = np.exp(log_weight - log_weight.max())
    posterior: Float64s = weight / weight.sum()
    return posterior


def said_again_evidence(probability: Float64s) -> float:
    """Log evidence that a term is said again, against all its places being false alarms.

    If a place of a term that is said again is right with prior probability s and posterior
    probability p, its evidence is (1 - s) / (1 - p) times as likely as if the term were not said
    again. Over all n places, log(1 - s) adds up to the expected occurrences.

    Args:
        probability: (n,) of its places, if it is said again.
    """
    return float(-np.log1p(-np.minimum(probability, SURE)).sum() - EXPECTED)
