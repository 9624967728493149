"""Prepare utterances for indexing: one word per alternative, without unlikely alternatives.

    separated    tokens that are several words ("dollar—maybe", "天气") -> a slot for each word
    prune        leave out unlikely alternatives

A term is split at dashes and into characters (`std.text`), so recogniser output is split alike, or
a term would never match it. A slot with such a token becomes as many slots as its longest
alternative has words; in the slots that a shorter alternative lacks, its posterior is that of "no
word". One-best output is split in columns, all utterances at once: captions of text without spaces
are long tokens of many words.

`prune` does not renormalise posteriors, because they estimate how often the recogniser is right.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, compress, count, pairwise

import numpy as np

from indexer.networks.utterances import Utterances, stacked
from std.config import IndexConfig
from std.store.columns import row_ranges
from std.text import Normalisation
from std.values import Alternative, ConfusionNetwork, Int32s, Int64s, Slot


def separated(utterances: Utterances, normalisation: Normalisation) -> Utterances:
    """The utterances with one word per alternative; most are so already."""
    used = list(compress(utterances.vocabulary, utterances.used.tolist()))
    if not used or not normalisation.several_words(used):
        return utterances
    if (np.diff(utterances.offsets) <= 1).all():
        return one_best_separated(utterances, normalisation)
    return stacked(_separated(network, normalisation) for network in utterances)


def one_best_separated(utterances: Utterances, normalisation: Normalisation) -> Utterances:
    """The same for utterances with at most one word in each slot."""
    parts = [normalisation.parts(word) for word in utterances.vocabulary]
    flat = [part for some in parts for part in some]
    first = np.cumsum([0, *map(len, parts)])  # of each word's parts in ``flat``
    letters = np.cumsum([0, *map(len, flat)])
    n_parts = np.diff(first)[utterances.words]
    row = row_ranges(first[utterances.words], n_parts)  # in ``flat``
    ids = dict(zip(dict.fromkeys(flat), count(), strict=False))
    id_of_row = np.fromiter(map(ids.__getitem__, flat), np.int64, len(flat))
    arc = np.repeat(np.arange(len(n_parts)), n_parts)

    def shares(spans_ms: Int32s, word: Int64s, row: Int64s) -> Int32s:
        """(k, 2) what each part has of (k, 2) the span of its word."""
        begins = letters[first[word]][:, None]
        total = np.maximum(1, letters[first[word + 1]][:, None] - begins)
        within = np.stack([letters[row], letters[row + 1]], axis=1) - begins
        whole = spans_ms.astype(np.int64)
        shared: Int64s = whole[:, :1] + (whole[:, 1:] - whole[:, :1]) * within // total
        return shared.astype(np.int32)

    slot_of = np.flatnonzero(np.diff(utterances.offsets))  # of each word
    copies = np.ones(len(utterances.epsilons), np.int64)
    copies[slot_of] = n_parts
    old = np.repeat(np.arange(len(copies)), copies)
    has_word = np.diff(utterances.offsets)[old] > 0
    word = utterances.words[arc]
    slot_spans_ms = utterances.slot_spans_ms[old]
    slot_spans_ms[has_word] = shares(slot_spans_ms[has_word], word, row)
    return replace(
        utterances,
        bounds=np.concatenate([[0], np.cumsum(copies)])[utterances.bounds],
        slot_spans_ms=slot_spans_ms,
        slot_errors_ms=utterances.slot_errors_ms[old],
        epsilons=utterances.epsilons[old],
        offsets=np.concatenate([[0], np.cumsum(has_word)]),
        vocabulary=list(ids),
        words=id_of_row[row],
        posteriors=utterances.posteriors[arc],
        word_spans_ms=shares(utterances.word_spans_ms[arc], word, row),
    )


def _separated(network: ConfusionNetwork, normalisation: Normalisation) -> ConfusionNetwork:
    """Separate the words of a network that are several words."""
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
    if all(tokens == [one.word] for tokens, one in zip(words, slot.alternatives, strict=True)):
        return [slot]
    spans = shares_of(longest, slot.start_ms, slot.end_ms)
    parts = [Slot(start, end, slot.epsilon, []) for start, end in spans]
    for one, tokens in zip(slot.alternatives, words, strict=True):
        for i, (start, end) in enumerate(shares_of(tokens, one.start_ms, one.end_ms)):
            parts[i].alternatives.append(Alternative(tokens[i], one.posterior, start, end))
        for i in range(len(tokens), len(parts)):
            parts[i] = parts[i]._replace(epsilon=min(1.0, parts[i].epsilon + one.posterior))
    return parts


def shares_of(words: Sequence[str], start_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Start and end of each word; words share a span in proportion to their letters."""
    ends = list(accumulate(map(len, words), initial=0))
    times = [start_ms + (end_ms - start_ms) * end // max(1, ends[-1]) for end in ends]
    return list(pairwise(times))


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
