"""Slot times from what the recogniser wrote: exact where it did, interpolated where it did not.

The steps, in order; each takes and returns times in float milliseconds, NaN = unknown:

    weighted_spans   slot = posterior-weighted mean of its words' times
    times_from_one_best   times of a one-best transcript's words, for slots that have none
    filled           `indexer.networks.estimated_times`: slots without times share their gap
    untangled        overlapping neighbours meet halfway; boundaries never run backwards

Slots of many utterances stand one after the other; ``bounds`` says where each utterance begins.

Source: overlap and weighted mean as in Xu, Povey, Mangu, Zhu, "Minimum Bayes Risk decoding and
system combination based on a recursion for edit distance" (2011).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from std.n_best import TimedWord
from std.values import Float64s

Int64s = npt.NDArray[np.int64]
SKIP_COST = 0.6  # two skips cost more than the worst match: a slot takes a word where it can
MAX_MS = 2.0**40  # farther apart than any two times in one recording


def weighted_spans(slot_of: Int64s, slots: int, weights: Float64s, spans: Float64s) -> Float64s:
    """Return each slot's weighted mean start and end over its words that have times.

    Args:
        slot_of: (m,) slot of each word.
        slots: number of slots n.
        weights: (m,) posteriors.
        spans: (m, 2) start, end; NaN = unknown.

    Returns:
        (n, 2); NaN for a slot none of whose words has times.
    """
    timed = ~np.isnan(spans[:, 0]) & (weights > 0)
    if not timed.all():
        slot_of, weights, spans = slot_of[timed], weights[timed], spans[timed]
    mass = np.bincount(slot_of, weights, slots).astype(np.float64)  # int where there is nothing
    mass[mass == 0] = np.nan
    means = [np.bincount(slot_of, weights * column, slots) / mass for column in spans.T]
    return np.stack(means, axis=1)


def untangled(spans: Float64s, bounds: Int64s) -> Float64s:
    """Let overlapping neighbours of one utterance meet halfway and no boundary run backwards.

    Args:
        spans: (n, 2), none unknown.
        bounds: (u + 1,) first slot of each utterance.
    """
    spans = spans.copy()
    same = np.ones(max(len(spans) - 1, 0), dtype=bool)
    inner = bounds[(bounds > 0) & (bounds < len(spans))]
    same[inner - 1] = False
    left = np.flatnonzero(same & (spans[:-1, 1] > spans[1:, 0]))
    spans[left, 1] = spans[left + 1, 0] = (spans[left, 1] + spans[left + 1, 0]) / 2
    if (spans[:, 0] <= spans[:, 1]).all():  # and every end <= the next start by now
        return spans
    shift = np.repeat(np.arange(len(bounds) - 1) * MAX_MS, np.diff(bounds))[:, None]
    return np.maximum.accumulate((spans + shift).ravel()).reshape(-1, 2) - shift


def times_from_one_best(
    slots: Sequence[Sequence[str]], best_words: Sequence[TimedWord]
) -> Float64s:
    """Take slots' times from a one-best transcript of the same utterance.

    Slots and words are aligned by least cost: 0 where the word is in the slot, else 1 minus the
    likeness of its letters to those of the slot's first word.

    Args:
        slots: (n,) words of each slot, the best first.
        best_words: the transcript's words with their times.

    Returns:
        (n, 2) in the transcript's unit; NaN for slots that no word falls to.
    """
    n, m = len(slots), len(best_words)
    costs = np.zeros((n + 1, m + 1))
    costs[:, 0], costs[0, :] = SKIP_COST * np.arange(n + 1), SKIP_COST * np.arange(m + 1)
    match = np.array([[_unlike(slot, word.token) for word in best_words] for slot in slots])
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            skipped = min(costs[i - 1, j], costs[i, j - 1]) + SKIP_COST
            costs[i, j] = min(costs[i - 1, j - 1] + match[i - 1, j - 1], skipped)
    spans = np.full((n, 2), np.nan)
    i, j = n, m
    while i and j:
        if costs[i, j] == costs[i - 1, j - 1] + match[i - 1, j - 1]:
            i, j = i - 1, j - 1
            spans[i] = best_words[j].start_s, best_words[j].end_s
        elif costs[i, j] == costs[i - 1, j] + SKIP_COST:
            i -= 1
        else:
            j -= 1
    return spans


def _unlike(slot: Sequence[str], word: str) -> float:
    from rapidfuzz.distance import Levenshtein

    if word in slot:
        return 0.0
    return 1 - Levenshtein.normalized_similarity(slot[0], word) if slot else 1.0
