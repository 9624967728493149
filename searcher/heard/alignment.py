"""A query's phones aligned with slots: the score of its best end in each slot that is looked at.

aligned     query, HeardIndex, where -> Aligned
match_of    how probable each phone is where another one was said
seeds       where in an index a query may be at all

A slot may hold a phone of the query; be skipped within it, as it is no phone of its own, or a wrong
one; or hold the same phone on. A phone of the query may be missing. The score is the log
probability of the best alignment (Viterbi), each slot's own probabilities summing to 1.
"""

from typing import NamedTuple

import numpy as np

from searcher.heard.index import PROBABILITY, HeardIndex
from std.phonetics.phones import Pronunciation, distance
from std.store.columns import Int64s
from std.values import Float32s, Float64s

CONFUSED = 0.1  # share of phones that are heard as others, those articulated alike


class Aligned(NamedTuple):
    """The slots of some windows, one behind the other."""

    slot: Int64s  # (n,) of the index
    window: Int64s  # (n,) row of the windows, ascending
    score: Float64s  # (n,) nats, of the best alignment that ends there
    begin: Int64s  # (n,) the slot that it begins in


def aligned(phones: Pronunciation, index: HeardIndex, windows: Int64s) -> Aligned:
    """Align a query with some windows of an index.

    Args:
        phones: of the query.
        index: any.
        windows: (w, 2) first slot of each, and one past the last; each of one recording.
    """
    from searcher.heard.kernels import align_windows

    score, begin = align_windows(
        match_of(phones, index.tokens), windows, PROBABILITY, index.empty, index.offsets,
        index.token, index.cost,
    )  # fmt: skip
    lengths = windows[:, 1] - windows[:, 0]
    window = np.repeat(np.arange(len(windows)), lengths)
    shift = windows[:, 0] - (np.cumsum(lengths) - lengths)
    return Aligned(np.arange(len(score)) + shift[window], window, score, begin)


def match_of(phones: Pronunciation, tokens: tuple[str, ...]) -> Float32s:
    """(Q, tokens) the probability that a slot holds each token where a phone was said."""
    alike = np.array(
        [[np.exp(-5 * distance(phone, token)) + 1e-3 for token in tokens] for phone in phones]
    )
    alike[:, 0] = 0.0
    match = CONFUSED * alike / alike.sum(axis=1, keepdims=True)
    for row, phone in enumerate(phones):
        if phone in tokens:
            match[row, tokens.index(phone)] += 1 - CONFUSED
    numbers: Float32s = match.astype(np.float32)
    return numbers


def seeds(phones: Pronunciation, index: HeardIndex, of_phones: int) -> Int64s:
    """(w, 2) windows of an index in which so many neighbouring phones of a query, 3 or 4, stand in
    a row among the two likeliest of each slot."""
    from searcher.heard.kernels import MOST_PLACES, NO_TOKEN, find_seeds

    places = np.zeros(NO_TOKEN + 1, np.int64)
    for place, phone in enumerate(phones[:MOST_PLACES]):
        if phone in index.tokens:
            places[index.tokens.index(phone)] |= 1 << place
    first, end = find_seeds(
        places, len(phones), of_phones, index.likeliest, index.empty, index.bounds
    )
    return np.stack([first, end], axis=1)


def merged(windows: Int64s) -> Int64s:
    """(w, 2) windows without overlaps, ascending; those that only touch stay apart."""
    windows = windows[np.argsort(windows[:, 0], kind="stable")]
    reached = np.maximum.accumulate(windows[:, 1])
    is_first = np.append(True, windows[1:, 0] >= reached[:-1])[: len(windows)]
    last = np.append(np.flatnonzero(is_first)[1:], len(windows)) - 1
    return np.stack([windows[is_first, 0], reached[last[last >= 0]]], axis=1)
