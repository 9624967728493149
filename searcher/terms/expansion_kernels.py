"""Compiled kernels of the expansions. Imported on first use: numba is heavy."""
# Coverage does not see compiled code; tests compare all with slow twins in Python.

import numpy as np

from searcher.terms.splitting.kernels import ONE, by_rows, myers
from searcher.terms.vocabulary import LetterIds
from std.execution.compiled import compiled
from std.values import Float32s, Float64s, Int32s, Int64s, UInt8s

LANES = 128  # words aligned side by side: the innermost loop, one vector instruction for several


@compiled
def enter(
    ids: Int32s, best: Float64s, held: int, word: int, similarity: float
) -> int:  # pragma: no cover
    """Put a word in its place of a full or growing list, best first; returns the new length.

    Equal similarities go by id.
    """
    n = len(ids)
    place = held
    if held == n:
        if n == 0 or similarity < best[n - 1] or (similarity == best[n - 1] and word > ids[n - 1]):
            return held
        place = n - 1
    else:
        held += 1
    while place > 0 and (
        best[place - 1] < similarity or (best[place - 1] == similarity and ids[place - 1] > word)
    ):
        best[place] = best[place - 1]
        ids[place] = ids[place - 1]
        place -= 1
    best[place] = similarity
    ids[place] = word
    return held


@compiled
def most_similar_spelling(
    query: Int32s,
    letter_count: int,
    letters: LetterIds,
    offsets: Int64s,
    ids: Int32s,
    bucket: Int64s,
    n: int,
) -> tuple[Int32s, Float64s]:  # pragma: no cover
    """Top n of eq. 2.3 over words in buckets by length, nearest length first."""
    m = len(query)
    longest = len(bucket) - 2
    best_ids = np.empty(n, np.int32)
    best = np.empty(n, np.float64)
    held = 0
    peq = np.zeros(letter_count, np.uint64)
    for i in range(min(m, 64)):
        peq[query[i]] |= ONE << np.uint64(i)
    peq[0] = np.uint64(0)
    for gap in range(max(m, longest) + 1):
        for side in range(2 if gap else 1):
            length = m + gap if side == 0 else m - gap
            if length < 1 or length > longest:
                continue
            both = m + length
            # the distance is at least the difference in length
            if (both - 2 * gap) / both <= 0 or (
                held == n and n > 0 and (both - 2 * gap) / both < best[n - 1]
            ):
                continue
            for row in range(bucket[length], bucket[length + 1]):
                if m <= 64:
                    d = myers(peq, m, letters, offsets[row], offsets[row + 1])
                else:
                    d = by_rows(query, 0, m, letters, offsets[row], offsets[row + 1])
                similarity = (both - 2 * d) / both
                if d and similarity > 0:
                    held = enter(best_ids, best, held, ids[row], similarity)
    return best_ids[:held], best[:held]


@compiled
def most_shared_pairs(
    rows: Int64s, size: int, own: int, offsets: Int64s, ids: Int32s, sizes: Int32s, n: int
) -> tuple[Int32s, Float64s]:  # pragma: no cover
    """Top n of eq. 2.4 for a query of ``size`` pairs, of which ``rows`` are in the index."""
    shared = np.zeros(len(sizes), np.int32)
    for row in rows:
        for at in range(offsets[row], offsets[row + 1]):
            shared[ids[at]] += 1
    best_ids = np.empty(n, np.int32)
    best = np.empty(n, np.float64)
    held = 0
    for word in range(len(sizes)):
        if shared[word] and word != own:
            held = enter(best_ids, best, held, word, 2 * shared[word] / (size + sizes[word]))
    return best_ids[:held], best[:held]


@compiled
def sound_distances(
    substitution: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    lengths: Int64s,
    group_offsets: Int64s,
    phones: UInt8s,
) -> Float32s:
    """Weighted edit distance of a query to every word.

    Args:
        substitution: (Q, P) cost of each phone in place of each of the query's.
        deletion: (Q,) cost of leaving one of the query's out; insertion: (P,) of one too many.
        lengths, group_offsets, phones: as in `SoundTable`.

    Returns:
        (n,) distances, in the order of the groups.
    """
    n_query = len(deletion)
    out = np.empty(group_offsets[-1], np.float32)
    before = np.empty((n_query + 1, LANES), np.float32)
    after = np.empty((n_query + 1, LANES), np.float32)
    begin = 0
    for g in range(len(lengths)):
        size = group_offsets[g + 1] - group_offsets[g]
        for first in range(0, size, LANES):
            lanes = min(LANES, size - first)
            before[0, :] = 0.0
            for k in range(n_query):
                before[k + 1, :] = before[k, 0] + deletion[k]
            for i in range(lengths[g]):
                at = begin + i * size + first
                row = phones[at : at + lanes]
                for lane in range(lanes):
                    after[0, lane] = before[0, lane] + insertion[row[lane]]
                for k in range(n_query):
                    costs = substitution[k]
                    for lane in range(lanes):
                        one = before[k, lane] + costs[row[lane]]
                        two = before[k + 1, lane] + insertion[row[lane]]
                        three = after[k, lane] + deletion[k]
                        after[k + 1, lane] = min(one, min(two, three))
                before, after = after, before
            for lane in range(lanes):
                out[group_offsets[g] + first + lane] = before[n_query, lane]
        begin += size * lengths[g]
    return out
