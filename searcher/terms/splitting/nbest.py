"""The n best splits of a word, as paths over its matches. Compiled; imported on first use.

Partial splits are kept by (position, number of parts), the n best of each. So the work grows with
positions x parts x matches x n, and not with the number of splits: the thesis's backtracking
(figure 4.2) meets 1e14 candidates a word at K=3, R=0.6. Costs add up along a split, and a mean over
the parts (eq. 3.1) is a sum again once their number is fixed, so the result is exact.
"""

import numpy as np
import numpy.typing as npt

from std.execution.compiled import compiled
from std.values import Float64s, Int32s

PRIME = np.uint64(0x9E3779B97F4A7C15)


@compiled
def best_paths(
    letters: int,
    start: Int32s,
    end: Int32s,
    word: Int32s,
    cost: Float64s,
    n: int,
    max_parts: int,
    mean: bool,
) -> tuple[Float64s, npt.NDArray[np.int32]]:  # pragma: no cover
    """Find the n cheapest sequences of matches that cover 0..letters.

    Two sequences of the same words count as one, the cheaper. Ties go to fewer parts, then to
    the order of the matches.

    Args:
        letters: length of the word.
        start, end, word, cost: (m,) matches, ascending by start.
        max_parts: longest sequence.
        mean: the cost of a sequence is the mean, not the sum, of its matches' costs.

    Returns:
        (found,) costs ascending, and (found, max_parts) matches of each, filled up with -1.
    """
    matches = len(start)
    first = np.zeros(letters + 2, np.int64)  # matches that end at e: order[first[e]:first[e + 1]]
    for i in range(matches):
        first[end[i] + 1] += 1
    for e in range(letters + 1):
        first[e + 1] += first[e]
    order = np.empty(matches, np.int64)
    free = first.copy()
    for i in range(matches):
        order[free[end[i]]] = i
        free[end[i]] += 1

    size = np.zeros((letters + 1, max_parts + 1), np.int64)
    total = np.empty((letters + 1, max_parts + 1, n), np.float64)
    spelt = np.empty((letters + 1, max_parts + 1, n), np.uint64)  # hash of the words
    last = np.empty((letters + 1, max_parts + 1, n), np.int32)  # match that ends here
    link = np.empty((letters + 1, max_parts + 1, n), np.int32)  # its predecessor's place
    size[0, 0] = 1
    total[0, 0, 0] = 0.0
    spelt[0, 0, 0] = np.uint64(0)

    for e in range(1, letters + 1):
        for at in range(first[e], first[e + 1]):
            i = order[at]
            s = start[i]
            for k in range(max_parts):
                for j in range(size[s, k]):
                    here = total[s, k, j] + cost[i]
                    held = size[e, k + 1]
                    if held == n and here >= total[e, k + 1, n - 1]:
                        break
                    hashed = (spelt[s, k, j] + np.uint64(word[i] + 1)) * PRIME
                    hashed ^= hashed >> np.uint64(29)
                    place = held if held < n else n - 1  # of the one that leaves
                    known = False
                    for other in range(held):
                        if spelt[e, k + 1, other] == hashed:
                            known = True
                            place = other
                            break
                    if known and total[e, k + 1, place] <= here:
                        continue
                    if not known and held < n:
                        size[e, k + 1] = held + 1
                    while place > 0 and total[e, k + 1, place - 1] > here:
                        total[e, k + 1, place] = total[e, k + 1, place - 1]
                        spelt[e, k + 1, place] = spelt[e, k + 1, place - 1]
                        last[e, k + 1, place] = last[e, k + 1, place - 1]
                        link[e, k + 1, place] = link[e, k + 1, place - 1]
                        place -= 1
                    total[e, k + 1, place] = here
                    spelt[e, k + 1, place] = hashed
                    last[e, k + 1, place] = i
                    link[e, k + 1, place] = j

    found = 0
    for k in range(1, max_parts + 1):
        found += size[letters, k]
    kept = min(n, found)
    costs = np.empty(kept, np.float64)
    paths = np.empty((kept, max_parts), np.int32)
    taken = np.zeros(max_parts + 1, np.int64)  # of the paths of so many parts, cheapest first
    for r in range(kept):
        parts = 0
        cheapest = 0.0
        for k in range(1, max_parts + 1):  # merges lists that are in order: no sort to compile
            if taken[k] < size[letters, k]:
                here = total[letters, k, taken[k]]
                here = here / k if mean else here
                if parts == 0 or here < cheapest:
                    parts = k
                    cheapest = here
        costs[r] = cheapest
        for k in range(max_parts):
            paths[r, k] = -1
        k = parts
        j = taken[parts]
        taken[parts] += 1
        e = letters
        while k > 0:
            i = last[e, k, j]
            paths[r, k - 1] = i
            j = link[e, k, j]
            e = int(start[i])
            k -= 1
    return costs, paths
