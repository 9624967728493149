"""Tokens that are several words ("dollar—maybe") become words in consecutive slots.

A term is split at dashes (`std.text`), so what the recogniser wrote has to be as well, or the two
would never meet. A slot with such a token becomes as many slots as its longest alternative has
words; where an alternative has fewer, its posterior is that of "no word".
"""

from dataclasses import replace
from itertools import accumulate, compress, pairwise

import numpy as np

from indexer.networks.utterances import Utterances, stacked
from std.text import Normalisation
from std.values import Alternative, ConfusionNetwork, Slot


def separated(utterances: Utterances, normalisation: Normalisation) -> Utterances:
    """The utterances with one word per alternative; nearly always they are so already."""
    used = list(compress(utterances.vocabulary, utterances.used.tolist()))
    if not used or not normalisation.several_words(used):
        return utterances
    return stacked(_separated(network, normalisation) for network in utterances)


def _separated(network: ConfusionNetwork, normalisation: Normalisation) -> ConfusionNetwork:
    """A network likewise."""
    if not normalisation.several_words(network.words):
        return network
    parts = [_parts(slot, normalisation) for slot in network]
    slots = [part for slot_parts in parts for part in slot_parts]
    errors = network.slot_errors_ms
    arcs = [arc for slot in slots for arc in slot.alternatives]
    return replace(
        network,
        slot_spans_ms=np.array([slot[:2] for slot in slots], np.int32).reshape(-1, 2),
        epsilons=np.array([slot.epsilon for slot in slots], np.float32),
        offsets=np.cumsum([0, *(len(slot.alternatives) for slot in slots)], dtype=np.int32),
        slot_errors_ms=None if errors is None else np.repeat(errors, list(map(len, parts))),
        words=tuple(arc.word for arc in arcs),
        posteriors=np.array([arc.posterior for arc in arcs], np.float32),
        spans_ms=np.array([arc[2:] for arc in arcs], np.int32).reshape(-1, 2),
    )


def _parts(slot: Slot, normalisation: Normalisation) -> list[Slot]:
    """A slot as one slot for each word of its longest alternative."""
    words = [normalisation.parts(one.word) for one in slot.alternatives]
    longest = max(words, key=len, default=[])
    if len(longest) < 2:
        return [slot]
    spans = _shares(longest, slot.start_ms, slot.end_ms)
    parts = [Slot(start, end, slot.epsilon, []) for start, end in spans]
    for one, tokens in zip(slot.alternatives, words, strict=True):
        for i, (start, end) in enumerate(_shares(tokens, one.start_ms, one.end_ms)):
            parts[i].alternatives.append(Alternative(tokens[i], one.posterior, start, end))
        for i in range(len(tokens), len(parts)):
            parts[i] = parts[i]._replace(epsilon=min(1.0, parts[i].epsilon + one.posterior))
    return parts


def _shares(words: list[str], start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Start and end of each word, which share a span by their letters."""
    ends = list(accumulate(map(len, words), initial=0))
    times = [start_ms + (end_ms - start_ms) * end // max(1, ends[-1]) for end in ends]
    return list(pairwise(times))
