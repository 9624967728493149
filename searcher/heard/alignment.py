"""A query's phones aligned with the slots of a segment: the score of its best end in each slot.

align    query, HeardIndex -> scores, nats, and where each alignment begins

A slot may hold a phone of the query; be skipped within it, as it is no phone of its own, or a wrong
one; or hold the same phone on. A phone of the query may be missing. The score is the log
probability of the best alignment (Viterbi), each slot's own probabilities summing to 1.
"""

import numpy as np

from searcher.heard.index import HeardIndex
from std.execution.compiled import compiled
from std.phonetics.phones import Pronunciation, distance
from std.store.columns import Int64s, UInt8s
from std.values import Float32s, Float64s

INSERTED = 0.05  # probability of a slot that is none of the query's phones
DELETED = float(np.log(5e-4))  # of a phone that no slot holds
SAME = -1.0  # nats, of a slot that holds the phone before on
FLOOR = 1e-3  # of the probability of a phone in a slot
CONFUSED = 0.1  # share of phones that are heard as others, those articulated alike
NEVER = -1e30


def align(phones: Pronunciation, index: HeardIndex) -> tuple[Float64s, Int64s]:
    """(s,) the score of the best alignment that ends in each slot; (s,) the slot it begins in."""
    return _align(
        match_of(phones, index.tokens),
        index.is_first,
        index.empty,
        index.offsets,
        index.token,
        index.probability,
    )


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


@compiled
def _align(
    match: Float32s,
    is_first: UInt8s,
    empty: Float32s,
    offsets: Int64s,
    token: UInt8s,
    probability: Float32s,
) -> tuple[Float64s, Int64s]:
    n, q = len(empty), len(match)
    score, begin = np.empty(n), np.empty(n, np.int64)
    best, start = np.full(q, NEVER), np.zeros(q, np.int64)
    for slot in range(n):
        if is_first[slot]:
            best[:] = NEVER
        skip = np.log(empty[slot] + INSERTED * (1 - empty[slot]))
        for k in range(q - 1, -1, -1):
            fit = FLOOR
            for i in range(offsets[slot], offsets[slot + 1]):
                fit += match[k, token[i]] * probability[i]
            log_fit = np.log(fit)
            value, origin = best[k] + SAME + log_fit, start[k]
            if k == 0:
                if log_fit > value:
                    value, origin = log_fit, slot
            else:
                if best[k - 1] + log_fit > value:
                    value, origin = best[k - 1] + log_fit, start[k - 1]
                if k > 1 and best[k - 2] + DELETED + log_fit > value:
                    value, origin = best[k - 2] + DELETED + log_fit, start[k - 2]
                if k == 1 and DELETED + log_fit > value:
                    value, origin = DELETED + log_fit, slot
            if k < q - 1 and best[k] + skip > value:
                value, origin = best[k] + skip, start[k]
            best[k], start[k] = value, origin
        score[slot], begin[slot] = best[q - 1], start[q - 1]
        if q > 1 and best[q - 2] + DELETED > score[slot]:
            score[slot], begin[slot] = best[q - 2] + DELETED, start[q - 2]
    return score, begin
