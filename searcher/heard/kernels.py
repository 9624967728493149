"""Compiled kernels that align a query with slots and find its seeds; imported at their first use.

align_windows     the best score of an alignment that ends in each slot of some windows
two_likeliest     the two likeliest phones of each slot
find_seeds        slots with several consecutive phones of a query

A *window* is a run of slots of one recording; alignments stay inside it. The costs of an alignment
and the definition of seeds were chosen on German and Dutch, by the places that are found by phones
heard alone (`benchmarks.heard`).
"""

import numpy as np

from std.execution.compiled import compiled
from std.store.columns import Int64s, UInt8s
from std.values import Float32s, Float64s

INSERTED = 0.05  # probability of a slot without a phone of the query
DELETED = float(np.log(5e-4))  # of a phone that no slot holds
SAME_PHONE = -1.0  # nats, of a slot that continues the previous phone
FLOOR = 1e-3  # of the probability of a phone in a slot
NEVER = -1e30
MOST_COST = 37  # of a phone in seeds, at most: p from .1 up
SKIPPED = 26  # largest cost at which a seed may skip a slot: p from .2 up
NO_TOKEN = 255
FOUR = 4  # phones of a longer seed
MOST_PLACES = 62  # of a query, at which seeds are searched
ROOM, ROOM_SLOTS = 1.5, 3  # slots of a stretch around a seed: for each phone of the query, and more


@compiled
def align_windows(
    match: Float32s,
    windows: Int64s,
    probability: Float32s,
    empty: UInt8s,
    offsets: Int64s,
    token: UInt8s,
    cost: UInt8s,
) -> tuple[Float64s, Int64s]:
    """Scores of a query, window by window, and the slot in which each alignment begins.

    Args:
        match: (Q, tokens) see `searcher.heard.places.match_of`.
        windows: (w, 2) first slot of each and one past the last.
        probability: (256,) of each cost.
        empty, offsets, token, cost: see `HeardIndex`.
    """
    q, n = len(match), 0
    for window in range(len(windows)):
        n += windows[window, 1] - windows[window, 0]
    score, begin = np.empty(n), np.empty(n, np.int64)
    best, start = np.empty(q), np.empty(q, np.int64)
    row = 0
    for window in range(len(windows)):
        best[:] = NEVER
        start[:] = 0
        for slot in range(windows[window, 0], windows[window, 1]):
            is_empty = probability[empty[slot]]
            skip = np.log(is_empty + INSERTED * (1 - is_empty))
            for k in range(q - 1, -1, -1):
                fit = FLOOR
                for i in range(offsets[slot], offsets[slot + 1]):
                    fit += match[k, token[i]] * probability[cost[i]]
                log_fit = np.log(fit)
                value, origin = best[k] + SAME_PHONE + log_fit, start[k]
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
            score[row], begin[row] = best[q - 1], start[q - 1]
            if q > 1 and best[q - 2] + DELETED > score[row]:
                score[row], begin[row] = best[q - 2] + DELETED, start[q - 2]
            row += 1
    return score, begin


@compiled
def two_likeliest(offsets: Int64s, token: UInt8s, cost: UInt8s) -> UInt8s:
    """(s, 2) the likeliest phones of each slot from p = .1 up; `NO_TOKEN` where there is none.

    Args:
        offsets, token, cost: see `HeardIndex`; a slot's alternatives fall in probability.
    """
    likeliest = np.full((len(offsets) - 1, 2), NO_TOKEN, np.uint8)
    for slot in range(len(offsets) - 1):
        found = 0
        for i in range(offsets[slot], offsets[slot + 1]):
            if found == 2 or cost[i] > MOST_COST:
                break
            if token[i] != 0:
                likeliest[slot, found] = token[i]
                found += 1
    return likeliest


@compiled
def find_seeds(
    places: Int64s, phones: int, seed: int, likeliest: UInt8s, empty: UInt8s, bounds: Int64s
) -> tuple[Int64s, Int64s]:
    """Stretches around consecutive phones of a query, long enough for the complete query.

    Bit-parallel (shift-and, Baeza-Yates and Gonnet 1992): a bit for each place in the query. A slot
    may continue the previous phone or be skipped.

    Args:
        places: (256,) of each token the bits of its places in the query.
        phones: the phones of the query.
        seed: how many of them in a row, 3 or 4.
        likeliest, empty, bounds: see `HeardIndex`.

    Returns:
        (n,) first slot of each stretch; (n,) one past its last slot.
    """
    n = 0
    first, end = np.empty(1024, np.int64), np.empty(1024, np.int64)
    for recording in range(len(bounds)):
        low, high = bounds[recording, 0], bounds[recording, 1]
        one = two = three = 0
        for slot in range(low, high):
            here = places[likeliest[slot, 0]] | places[likeliest[slot, 1]]
            held = here if empty[slot] > SKIPPED else -1
            found = (three if seed == FOUR else two) << 1 & here
            three = (two << 1 & here) | (three & held)
            two = (one << 1 & here) | (two & held)
            one = here | (one & held)
            if found == 0:
                continue
            least, most = 64, 0
            for k in range(min(phones, MOST_PLACES)):
                if (found >> k) & 1:
                    least, most = min(least, k), k
            if n == len(first):
                more = np.empty(n, np.int64)
                first, end = np.append(first, more), np.append(end, more)
            first[n] = max(low, slot - int(ROOM * (most + 1)) - ROOM_SLOTS)
            end[n] = min(high, slot + 1 + int(ROOM * (phones - 1 - least)) + ROOM_SLOTS)
            n += 1
    return first[:n], end[:n]
