"""Postings of single words -> spans where a phrase may occur.

Two words follow each other if the second is in a later slot, at most ``max_gap_ms`` are between
them, and they overlap by at most ``max_overlap_ms``, as words that straddle slots do. The order of
the slots decides, not the times, because recognisers write words without duration, and neighbours
that begin together. Slots in the gap are skipped, each at the cost of its posterior of 'no word'.

The join starts at the rarest word and finds neighbours by binary search in the frequent words'
sorted keys, so the cost of a frequent word is logarithmic. The number of pairs is computed before
they are made; if there are too many (``max_places``), only the likeliest are made.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from std.config import SearchConfig
from std.execution.stop import check_stop
from std.store.columns import KEY_SHIFT, TIME_MASK, Postings, Slots
from std.values import Float64s, Int64s, UInt64s, ranges


class Paths(NamedTuple):
    """Partial phrases, from a first to a last word."""

    start: UInt64s  # (n,) key of the earliest start of a word
    end: UInt64s  # (n,) key of the latest end of a word
    first_start: UInt64s  # (n,) key of the first word
    last_end: UInt64s  # (n,) key of the last word's end
    slots: Int64s  # (n, words) of each word
    log_posterior: Float64s  # (n, words) of each word
    minimum: Float64s  # (n,) smallest posterior
    log_skipped: Float64s  # (n, words - 1) of the slots between two words, product of the epsilons
    is_cut: bool = False  # whether there are more, less likely


class PhraseSpans(NamedTuple):
    """Places of a word or a phrase."""

    recording: Int64s  # (n,)
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    posterior: Float64s  # (n,)
    slots: Int64s  # (n, words) row of each word's slot in the segment's slot columns
    is_cut: bool = False  # whether there are more, less likely

    def likeliest(self, n: int) -> "PhraseSpans":
        """At most the n likeliest, in their order; of equal ones the first."""
        if len(self.posterior) <= n:
            return self
        kept = np.sort(np.argsort(-self.posterior, kind="stable")[:n])
        return PhraseSpans._make((*(column[kept] for column in self[:-1]), True))

    @classmethod
    def nowhere(cls, words: int, *, is_cut: bool) -> "PhraseSpans":
        """No places of a phrase with a given number of words."""
        none = np.empty(0, np.int64)
        return cls(none, none, none, np.empty(0), np.empty((0, words), np.int64), is_cut)


# End of the left word, start of the right one, their slots -> log of the epsilons in between.
SkipCost = Callable[[UInt64s, UInt64s, Int64s, Int64s], Float64s]


def join(words: Sequence[Postings], skip_cost: SkipCost, config: SearchConfig) -> PhraseSpans:
    """Join the postings of a phrase's words, in the order they are said.

    Args:
        skip_cost: the cost of skipping the slots between two words.
        config: longest gap, most slots skipped, ``join_exponent``, ``max_places``.
    """
    rarest = min(range(len(words)), key=lambda i: len(words[i].key))
    paths = _paths_of_word(words[rarest])
    for i in (*range(rarest + 1, len(words)), *range(rarest - 1, -1, -1)):
        extended = _extend(paths, words[i], skip_cost, config, forwards=i > rarest)
        if extended is None:  # most splits of a term occur nowhere together
            return PhraseSpans.nowhere(len(words), is_cut=paths.is_cut)
        paths = extended
    return PhraseSpans(
        (paths.start >> KEY_SHIFT).astype(np.int64),
        (paths.start & TIME_MASK).astype(np.int64),
        (paths.end & TIME_MASK).astype(np.int64),
        phrase_posterior(paths, config.join_exponent),
        paths.slots,
        paths.is_cut,
    )


def phrase_posterior(paths: Paths, join_exponent: float) -> Float64s:
    """(n,) the posterior of each path: product^(1 - r) * minimum^r * product of skipped epsilons.

    It lies between that of independent words (r = 0) and that of fully dependent words (r = 1), and
    is never above the posterior of the least likely word.

    Args:
        paths: (n,) whole phrases.
        join_exponent: r.
    """
    log_product, log_skipped = _total(paths.log_posterior), _total(paths.log_skipped)
    posterior: Float64s = np.exp((1 - join_exponent) * log_product + log_skipped)
    return posterior * paths.minimum**join_exponent


def _total(columns: Float64s) -> Float64s:
    """(n,) sum of (n, k) columns, in the order of the words."""
    total = np.zeros(len(columns))
    for column in columns.T:  # not in the order of the join, which differs between segments
        total += column
    return total


def single_word(word: Postings) -> PhraseSpans:
    """A phrase of one word: its postings."""
    start_ms, posterior = word.start_ms, word.posterior.astype(np.float64)
    slots = word.slot.astype(np.int64).reshape(-1, 1)
    return PhraseSpans(word.recording, start_ms, start_ms + word.duration_ms, posterior, slots)


def skip_costs(slots: Slots, floor: float) -> SkipCost:
    """A function from gaps to the log of the product of the epsilons of the slots inside.

    A slot is in a gap if it is between the two words' slots and its middle is not inside one of the
    words. A 'no word' posterior counts at least ``floor``, because the recogniser's clustering is
    too coarse for one slot to exclude a phrase.
    """

    def cost(
        gap_start: UInt64s, gap_end: UInt64s, left_slot: Int64s, right_slot: Int64s
    ) -> Float64s:
        skipped = np.zeros(len(gap_start))
        gaps = np.flatnonzero((gap_start <= gap_end) & (left_slot + 1 < right_slot))
        first = np.maximum(
            np.searchsorted(slots.key, gap_start[gaps]), slots.positions(left_slot[gaps]) + 1
        )
        last = np.minimum(
            np.searchsorted(slots.key, gap_end[gaps], side="right"),
            slots.positions(right_slot[gaps]),
        )
        gap, row = ranges(first, last)  # few gaps contain a slot: only these are processed
        epsilon = np.maximum(slots.epsilon[row].astype(np.float64), floor)
        skipped[gaps] = np.bincount(gap, weights=np.log(epsilon), minlength=len(gaps))
        return skipped

    return cost


def _paths_of_word(words: Postings) -> Paths:
    posterior = words.posterior.astype(np.float64)
    end = words.key + words.duration_ms
    slots = words.slot.astype(np.int64).reshape(-1, 1)
    log_posterior, no_skips = np.log(posterior).reshape(-1, 1), np.empty((len(posterior), 0))
    return Paths(words.key, end, words.key, end, slots, log_posterior, posterior, no_skips)


def _extend(
    paths: Paths, words: Postings, skip_cost: SkipCost, config: SearchConfig, *, forwards: bool
) -> Paths | None:
    """Add a word after (or before) every path that it can follow (or precede).

    Returns:
        None if there is no such path.
    """
    check_stop()
    gap, overlap = np.uint64(config.max_gap_ms), np.uint64(config.max_overlap_ms)
    if forwards:
        earliest, latest = _back(paths.last_end, overlap), paths.last_end + gap
    else:
        longest = np.uint64(int(words.duration_ms.max(initial=0)))
        earliest, latest = _back(paths.first_start, gap + longest), paths.first_start + overlap
    first = np.searchsorted(words.key, earliest)
    last = np.searchsorted(words.key, latest, side="right")
    if not (first < last).any():
        return None
    kept = _likeliest(paths, last - first, config.max_places)
    path, row = ranges(first[kept], last[kept])
    word, other = words.rows(row), _rows(paths, kept[path])
    start, end, slot = word.key, word.key + word.duration_ms, word.slot.astype(np.int64)
    if forwards:
        left_end, left_slot = other.last_end, other.slots[:, -1]
        right_start, right_slot = start, slot
    else:
        left_end, left_slot = end, slot
        right_start, right_slot = other.first_start, other.slots[:, 0]
    fits = np.flatnonzero(
        (left_slot < right_slot)
        & (right_start <= left_end + gap)
        & (left_end <= right_start + overlap)
    )
    skipped = skip_cost(left_end[fits], right_start[fits], left_slot[fits], right_slot[fits])
    other, start, end, slot = _rows(other, fits), start[fits], end[fits], slot[fits]
    posterior = word.posterior[fits].astype(np.float64)
    outer = {"last_end": end} if forwards else {"first_start": start}

    def with_word(of_path: NDArray[Any], of_word: NDArray[Any]) -> NDArray[Any]:
        return np.column_stack([of_path, of_word] if forwards else [of_word, of_path])

    return other._replace(
        start=np.minimum(start, other.start),
        end=np.maximum(end, other.end),
        slots=with_word(other.slots, slot),
        log_posterior=with_word(other.log_posterior, np.log(posterior)),
        minimum=np.minimum(other.minimum, posterior),
        log_skipped=with_word(other.log_skipped, skipped),
        is_cut=paths.is_cut or len(kept) < len(first),
        **outer,
    )


def _likeliest(paths: Paths, counts: Int64s, most: int) -> Int64s:
    """The likeliest paths with a limited total number of continuations, in their order.

    Args:
        paths: (n,)
        counts: (n,) the number of continuations of each.
        most: the largest total number.
    """
    if int(counts.sum()) <= most:
        return np.arange(len(counts))
    order = np.argsort(-paths.minimum, kind="stable")
    return np.sort(order[np.cumsum(counts[order]) <= most])


def _rows(paths: Paths, which: Int64s) -> Paths:
    return Paths._make((*(column[which] for column in paths[:-1]), paths.is_cut))


def _back(key: UInt64s, by_ms: np.uint64) -> UInt64s:
    """An earlier key, but not before the start of the recording."""
    earlier: UInt64s = key - np.minimum(key & TIME_MASK, by_ms)
    return earlier
