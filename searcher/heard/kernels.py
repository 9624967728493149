"""Compiled kernels that align a query with slots and find its seeds; imported at their first use.

align_windows     the best score of an alignment that ends in each slot of some windows
kinds_of_slots    the two likeliest phones of each slot, and whether seeds may skip it
find_seeds        slots with several consecutive phones of a query

A *window* is a run of slots of one recording; alignments stay inside it. The costs of an alignment
and the definition of seeds were chosen on German and Dutch, by the places that are found by phones
heard alone (`benchmarks.heard`).
"""

import numpy as np

from std.execution.compiled import compiled
from std.values import Float32s, Float64s, Int64s, UInt8s, UInt16s, UInt32s

INSERTION = 0.1  # probability of a slot without a phone of the query
DELETION = 2e-3  # of a phone that no slot holds
SAME_PHONE = float(np.exp(-1.0))  # of a slot that continues the previous phone
FLOOR = 3e-4  # of the probability of a phone in a slot
CERTAIN = 1e308
LOG_CERTAIN = float(np.log(CERTAIN))
NEVER = -1e30  # nats
MOST_COST = 37  # of a phone in seeds, at most: p from .1 up
SKIPPED = 26  # largest cost at which a seed may skip a slot: p from .2 up
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

    Probabilities are multiplied, because their logarithms would take longer than all other steps.
    They begin at `CERTAIN`, near the largest float. So only a probability of less than -1,450 nats
    is below the least float, which a query of up to 200 phones cannot have; its score is `NEVER`.

    Args:
        match: (tokens, Q) see `searcher.heard.places.match_of`, transposed.
        windows: (w, 2) first slot of each and one past the last.
        probability: (256,) of each cost.
        empty, offsets, token, cost: see `HeardIndex`.
    """
    q, n = match.shape[1], 0
    for window in range(len(windows)):
        n += windows[window, 1] - windows[window, 0]
    score, begin = np.full(n, NEVER), np.empty(n, np.int64)
    fit = np.empty(q)
    # of the phones up to k behind two places: before the query, its first phone missing or not
    best, new = np.zeros(q + 2), np.zeros(q + 2)
    start, origin = np.zeros(q + 2, np.int64), np.zeros(q + 2, np.int64)
    row = 0
    for window in range(len(windows)):
        best[:] = 0.0
        start[:] = 0
        for slot in range(windows[window, 0], windows[window, 1]):
            is_empty = probability[empty[slot]]
            skip = is_empty + INSERTION * (1 - is_empty)
            fit[:] = FLOOR
            for i in range(offsets[slot], offsets[slot + 1]):
                of_phones, p = match[token[i]], probability[cost[i]]
                for k in range(q):
                    fit[k] += of_phones[k] * p
            best[1] = new[1] = CERTAIN
            start[1] = slot
            for k in range(q):
                value, since = best[k + 2] * SAME_PHONE, start[k + 2]
                if best[k + 1] > value:
                    value, since = best[k + 1], start[k + 1]
                if best[k] * DELETION > value:
                    value, since = best[k] * DELETION, start[k]
                value *= fit[k]
                if k < q - 1 and best[k + 2] * skip > value:
                    value, since = best[k + 2] * skip, start[k + 2]
                new[k + 2], origin[k + 2] = value, since
            best, new = new, best
            start, origin = origin, start
            value, since = best[q + 1], start[q + 1]
            if q > 1 and best[q] * DELETION > value:
                value, since = best[q] * DELETION, start[q]
            if value > 0:
                score[row] = np.log(value) - LOG_CERTAIN
            begin[row] = since
            row += 1
    return score, begin


@compiled
def kinds_of_slots(
    tokens: int, offsets: Int64s, token: UInt8s, cost: UInt8s, empty: UInt8s
) -> UInt32s:
    """(s,) the kind of each slot, as one number.

    It consists of the slot's two likeliest phones with a probability of at least .1 (`tokens` if
    there is none), and of whether seeds may skip the slot.

    Args:
        tokens: the number of tokens.
        offsets, token, cost, empty: see `HeardIndex`; a slot's alternatives have falling
            probabilities.
    """
    kinds = np.empty(len(empty), np.uint32)
    for slot in range(len(empty)):
        found, likeliest = 0, 0
        for i in range(offsets[slot], offsets[slot + 1]):
            if found == 2 or cost[i] > MOST_COST:
                break
            if token[i] != 0:
                likeliest = likeliest * (tokens + 1) + token[i]
                found += 1
        for _ in range(2 - found):
            likeliest = likeliest * (tokens + 1) + tokens
        kinds[slot] = 2 * likeliest + (empty[slot] <= SKIPPED)
    return kinds


@compiled
def find_seeds(
    places: Int64s, phones: int, seed: int, kinds: UInt16s | UInt32s, bounds: Int64s
) -> tuple[Int64s, Int64s]:
    """Stretches around consecutive phones of a query, long enough for the complete query.

    Args:
        places: for each kind of slot, the bits of the places in the query that it may match.
        phones: the phones of the query.
        seed: the number of consecutive phones of a seed, 3 or 4.
        kinds: (s,) the kinds of slots, see `kinds_of_slots`; any integer type.
        bounds: see `HeardIndex`.

    Returns:
        (n,) first slot of each stretch; (n,) one past its last slot.
    """
    longest = 0
    for recording in range(len(bounds)):
        longest = max(longest, bounds[recording, 1] - bounds[recording, 0])
    ends, ended = np.empty(longest, np.int64), np.empty(longest, np.int64)
    n = 0
    first, end = np.empty(1024, np.int64), np.empty(1024, np.int64)
    for recording in range(len(bounds)):
        low, high = bounds[recording, 0], bounds[recording, 1]
        found = _ends_of_seeds(places, seed, kinds[low:high], ends, ended)
        if n + found > len(first):
            more = np.empty(n + found, np.int64)
            first, end = np.append(first, more), np.append(end, more)
        for i in range(found):
            least, most = 64, 0
            for k in range(min(phones, MOST_PLACES)):
                if (ended[i] >> k) & 1:
                    least, most = min(least, k), k
            slot = low + ends[i]
            first[n] = max(low, slot - int(ROOM * (most + 1)) - ROOM_SLOTS)
            end[n] = min(high, slot + 1 + int(ROOM * (phones - 1 - least)) + ROOM_SLOTS)
            n += 1
    return first[:n], end[:n]


@compiled
def _ends_of_seeds(
    places: Int64s, seed: int, kinds: UInt16s | UInt32s, ends: Int64s, ended: Int64s
) -> int:
    """The slots of a recording in which seeds end, and the bits of the places that end there.

    Bit-parallel (shift-and, Baeza-Yates and Gonnet 1992): a bit for each place in the query. A slot
    may continue the previous phone or be skipped. This loop does nothing else, because a search
    spends half of its time here.
    """
    n = 0
    one = two = three = np.int64(0)
    for slot in range(len(kinds)):
        kind = kinds[slot]
        here = places[kind]
        held = here | -np.int64(kind & 1)
        found = (three if seed == FOUR else two) << 1 & here
        three = (two << 1 & here) | (three & held)
        two = (one << 1 & here) | (two & held)
        one = here | (one & held)
        if found:
            ends[n], ended[n] = slot, found
            n += 1
    return n
