"""Times of words that the recogniser, or whoever wrote a caption, gave only together.

    letters      words -> their share of the time of what they stand in
    filled       slots without times share the gap they stand in, and how far off that may be

Words get time in proportion to their letters. Cut into cues of up to 14 words, four references with
the times of an aligner (Dutch, German, two of English, 77 minutes) have the middles of their words
this far, on average in seconds, from where each proportion puts them:

    letters  .076  .153  .127  .180        letters and half a one per word  .075  .158  .126  .173
    phones   .077  .149  .128  .182        phones and half a one per word   .076  .155  .127  .174
    equal    .138  .293  .196  .192        syllables                        .084  .164  .146  .191

Phones are no better, and to count them one has to know the language. So letters are what is used,
also where a pronunciation would be at hand.

Source of the figures: ``python -m benchmarks.estimated_times DATA``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.values import Bools, Float64s

Int64s = npt.NDArray[np.int64]
DIGIT_LETTERS = 4  # of the name of a digit, the mean of English: zero, one, two, ...
_DIGIT = re.compile(r"\d")


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
    """Let each run of slots without times share the gap it stands in, in proportion to weights.

    A gap reaches from the end of the slot before (or the utterance's start) to the start of
    the slot after (or the utterance's end). Slots of weight 0 (no word) get no width; a run of
    nothing but such slots stands at the gap's beginning. The words of a run were said somewhere in
    its gap: its borders bound the error.

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
