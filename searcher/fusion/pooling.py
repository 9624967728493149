"""The probabilities that several recognisers give a place -> one, by their doubts.

    measured    doubts of recordings (`searcher.index.searched_speech.doubt`), by transcripts
    weights     doubts -> weights of the recognisers
    pool        probabilities, weights -> one probability

    p = (sum of w_k p_k^2)^(1/2),  w_k proportional to doubt_k^-s,  sum of w_k = 1

summed over the recognisers whose index has the recording; one without a candidate there has
p_k = 0; s is 2 for doubts from the index alone, and 4 for doubts measured by transcripts.
So a recogniser that found nothing lowers the probability of a place by its weight, and one that
lacks the recording does not. Recognisers that agree count like one, because they make the same
errors on the same audio. (Of places that two German recognisers both give .5 to .7, 4 of 13 are
right; with independent recognisers nearly all would be.) A linear pool, the mean of the p_k, is too
low if they disagree, because the recogniser with the higher probability is mostly right; the square
gives it more weight.

The doubt of a recording needs no transcript, and it does not depend on the division of the index
into segments. But a recogniser that writes the posterior 1 for every word has no doubt. If
`std-tune` learned a model of every recogniser from a transcript, the doubts are measured. The
doubts of a recogniser are then multiplied by a factor, so that their mean is one minus the mean
posterior of the spoken words.

Source: linear opinion pools and their generalisations (Genest and Zidek 1986, Statistical Science
1:114); a linear pool of calibrated forecasts is underconfident (Ranjan and Gneiting 2010, JRSS B
72:71). Both exponents are measured: docs/benchmarks.md.
"""

import math
from collections.abc import Mapping

import numpy as np

from searcher.index.searched_speech import MIN_DOUBT
from std.values import Float64s, Recording

# Powers of one over the doubt; 0 weighs all alike. A recogniser that writes 1 for every word would
# have nearly all of the weight if doubts that are not measured counted as much as measured ones.
SURENESS, MEASURED_SURENESS = 2.0, 4.0


def weights(doubt: Float64s, sureness: float = SURENESS) -> Float64s:
    """(n, recognisers) weights; each row adds up to 1.

    Args:
        doubt: (n, recognisers) doubts of a recording; infinity if an index lacks it. Each row has a
            finite doubt.
        sureness: `SURENESS` or `MEASURED_SURENESS`.
    """
    relative = (doubt.min(axis=1, keepdims=True) / doubt) ** sureness
    shares: Float64s = relative / relative.sum(axis=1, keepdims=True)
    return shares


def pool(probability: Float64s, weight: Float64s) -> Float64s:
    """(n,) one probability of each place.

    Args:
        probability: (n, recognisers) 0 for a recogniser without a candidate.
        weight: (n, recognisers) see `weights`.
    """
    pooled: Float64s = np.minimum(np.sqrt((weight * np.square(probability)).sum(axis=1)), 1.0)
    return pooled


def measured(said: Mapping[Recording, float], spoken: float) -> dict[Recording, float]:
    """The doubt of each recording, multiplied so that the mean is the measured one; at most 1.

    Args:
        said: the doubts (`doubt`) of all recordings of an index.
        spoken: one minus the mean posterior of the words that were spoken in some speech of this
            recogniser (`Model.spoken_doubt`).
    """
    total = math.fsum(said.values())  # in any order: it is that of the segments
    ratio = max(spoken, MIN_DOUBT) * len(said) / max(total, MIN_DOUBT)
    return {recording: min(ratio * one, 1.0) for recording, one in said.items()}
