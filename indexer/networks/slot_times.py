"""Slot times: as the recogniser wrote them, else interpolated.

The steps, in order; each takes and returns times in float milliseconds, NaN = unknown:

    weighted_spans        slot = posterior-weighted mean of its words' times
    times_from_one_best   times of a one-best transcript's words, for slots that have none
    filled                slots without times share their gap in proportion to `letters`
    untangled             overlapping neighbours meet halfway; boundaries never run backwards

The arrays hold the slots of many utterances; ``bounds`` says where each utterance begins.

Words whose times are given only together get time in proportion to their letters. Cut into cues of
up to 14 words, four references with the times of an aligner (Dutch, German, two of English, 77
minutes) have the middles of their words this far, on average in seconds, from where each proportion
puts them:

    letters  .076  .153  .127  .180        letters and half a one per word  .075  .158  .126  .173
    phones   .077  .149  .128  .182        phones and half a one per word   .076  .155  .127  .174
    equal    .138  .293  .196  .192        syllables                        .084  .164  .146  .191

Phones are no better and need the language, so letters are used even if a pronunciation is known.

Sources: ``python -m benchmarks.estimated_times DATA`` (figures); Xu, Povey, Mangu, Zhu, "Minimum
Bayes Risk decoding and system combination based on a recursion for edit distance" (2011; overlap
and weighted mean).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from std.networks import TimedWord
from std.values import Bools, Float64s, Int64s

DIGIT_LETTERS = 4  # of the name of a digit, the mean of English: zero, one, two, ...
_DIGIT = re.compile(r"\d")
SKIP_COST = 0.6  # two skips cost more than the worst match: a slot takes a word where it can
MAX_MS = 2.0**40  # larger than any distance of two times in one recording


class Filled(NamedTuple):
    """Slot times, and where they are estimates."""

    spans: Float64s  # (n, 2) still NaN where a gap has an unknown side
    estimated: Bools  # (u,) whether an utterance has words whose times are
    errors: Float64s  # (n,) how far a slot's start and end may be off; 0 where they were written


def letters(words: Sequence[str]) -> Float64s:
    """Return (v,) letters of each word; a digit counts as `DIGIT_LETTERS`.

    >>> letters(["das", "1998", ""]).tolist()
    [3.0, 16.0, 0.0]
    """
    counts = np.fromiter(map(len, words), np.float64, len(words))
    plain = np.fromiter(map(str.isalpha, words), np.bool_, len(words))
    for row in np.flatnonzero(~plain).tolist():
        counts[row] += (DIGIT_LETTERS - 1) * len(_DIGIT.findall(words[row]))
    return counts


def filled(spans: Float64s, bounds: Int64s, weights: Float64s, utterance_spans: Float64s) -> Filled:
    """Let each run of slots without times share its gap in proportion to weights.

    A gap reaches from the end of the slot before (or the utterance's start) to the start of
    the slot after (or the utterance's end). Slots of weight 0 (no word) get no width; a run of such
    slots only is placed at the gap's beginning. The words of a run were said somewhere in its gap:
    its borders bound the error.

    Args:
        spans: (n, 2); NaN = unknown.
        bounds: (u + 1,) first slot of each utterance.
        weights: (n,) `letters` of the slot's best word, 0 where there is none.
        utterance_spans: (u, 2) start, end of each utterance; NaN = unknown.
    """
    unknown = np.isnan(spans[:, 0])
    utterance_of = np.repeat(np.arange(len(utterance_spans)), np.diff(bounds))
    n = len(spans)
    begins, ends = np.zeros(n + 1, dtype=bool), np.zeros(n + 1, dtype=bool)
    begins[bounds], ends[bounds - 1] = True, True  # the slot n, and n again for -1, is none
    begins[1:n] |= ~unknown[:-1]
    ends[: n - 1] |= ~unknown[1:]
    first, last = np.flatnonzero(begins[:n] & unknown), np.flatnonzero(ends[:n] & unknown)

    left, right = utterance_spans[utterance_of[first], 0], utterance_spans[utterance_of[last], 1]
    after, before = (first > bounds[utterance_of[first]]), last + 1 < bounds[utterance_of[last] + 1]
    left[after], right[before] = spans[first[after] - 1, 1], spans[last[before] + 1, 0]

    run = np.repeat(np.arange(len(first)), last - first + 1)  # of each unknown slot
    weight = weights[unknown]
    reached = np.cumsum(weight)
    run_start = np.concatenate([[0], np.cumsum(last - first + 1)])[:-1].astype(np.int64)
    reached -= (reached[run_start] - weight[run_start])[run]
    total = np.bincount(run, weight, len(first))
    has_words = total > 0

    left[~has_words] = np.where(np.isnan(left), right, left)[~has_words]
    left[~has_words] = np.nan_to_num(left[~has_words])
    right = np.where(has_words, np.maximum(right, left), left)
    end = left[run] + (right - left)[run] * reached / np.where(has_words, total, 1.0)[run]
    start = np.concatenate([[0.0], end])[:-1]
    start[run_start] = left

    spans, errors = spans.copy(), np.zeros(n)
    spans[unknown, 0], spans[unknown, 1] = start, end
    errors[unknown] = np.maximum(right[run] - start, end - left[run])
    estimated = np.zeros(len(utterance_spans), dtype=bool)
    estimated[utterance_of[first[has_words]]] = True
    return Filled(spans, estimated, errors)


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
    """Copy slots' times from a one-best transcript of the same utterance.

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
