"""Compiled kernel of pronunciation expansion. Imported on first use: numba is heavy."""

import numpy as np

from std.execution.compiled import compiled
from std.store.columns import Int64s, UInt8s
from std.values import Float32s

LANES = 128  # words aligned side by side: the innermost loop, one vector instruction for several


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
