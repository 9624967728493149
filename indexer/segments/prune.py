"""Leave out what is not worth indexing: unlikely alternatives, very wide slots.

What is left out becomes neither 'no word' nor another word: posteriors are not renormalised,
because they estimate how often the recogniser is right, not how the slot was cut.
"""

from dataclasses import replace

import numpy as np

from indexer.networks.utterances import Utterances
from std.config import IndexConfig


def prune(utterances: Utterances, config: IndexConfig) -> Utterances:
    """Keep the likeliest ``max_alternatives`` of each slot that reach ``min_posterior``."""
    keep = utterances.posteriors >= config.min_posterior
    if config.max_alternatives:
        slot = np.repeat(np.arange(len(utterances.epsilons)), np.diff(utterances.offsets))
        order = np.lexsort((-utterances.posteriors, slot))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - utterances.offsets[slot[order]]
        keep &= rank < config.max_alternatives
    if keep.all():
        return utterances
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    return replace(
        utterances,
        offsets=kept_before[utterances.offsets],
        words=utterances.words[keep],
        posteriors=utterances.posteriors[keep],
        word_spans_ms=utterances.word_spans_ms[keep],
    )
