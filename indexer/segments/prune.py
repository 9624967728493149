"""Leave out what is not worth indexing: unlikely alternatives, very wide slots.

What is left out becomes neither 'no word' nor another word: posteriors are not renormalised,
because they estimate how often the recogniser is right, not how the slot was cut.
"""

from dataclasses import replace

import numpy as np

from std.config import IndexConfig
from std.values import ConfusionNetwork


def prune(network: ConfusionNetwork, config: IndexConfig) -> ConfusionNetwork:
    """Keep the likeliest ``max_alternatives`` of each slot that reach ``min_posterior``."""
    keep = network.posteriors >= config.min_posterior
    if config.max_alternatives:
        slot = np.repeat(np.arange(len(network)), np.diff(network.offsets))
        order = np.lexsort((-network.posteriors, slot))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - network.offsets[slot[order]]
        keep &= rank < config.max_alternatives
    if keep.all():
        return network
    kept_before = np.concatenate([[0], np.cumsum(keep)]).astype(np.int32)
    return replace(
        network,
        offsets=kept_before[network.offsets],
        words=tuple(word for word, kept in zip(network.words, keep.tolist(), strict=True) if kept),
        posteriors=network.posteriors[keep],
        spans_ms=network.spans_ms[keep],
    )
