"""Compiled kernels of the trie: building it, and descending it with bit-parallel rows.

Rows as in Wu and Manber (1992). See `searcher.terms.splitting.kernels` for the frame that all
indexes share, and `searcher.terms.splitting.matches` for the question they answer.
"""
# Coverage does not see compiled code; tests compare every kernel with a slow twin in Python.

import numpy as np
import numpy.typing as npt

from searcher.terms.splitting.kernels import NONE, ONE, ZERO, Rows, append, by_rows
from searcher.terms.vocabulary import LetterIds
from std.execution.compiled import compiled
from std.values import Int32s, Int64s, UInt64s

WINDOW = 63  # longest segment of a trie descent: one bit per length 0..63


@compiled
def trie_nodes(
    letters: LetterIds, offsets: Int64s
) -> tuple[
    LetterIds, npt.NDArray[np.uint8], npt.NDArray[np.uint8], Int32s, Int32s
]:  # pragma: no cover
    """Trie of ascending words in preorder: a node's first child follows it.

    Returns:
        label, depth, deepest depth below, node after the subtree, row of the word or -1.
    """
    words = len(offsets) - 1
    room = offsets[words]
    label = np.empty(room, letters.dtype)
    depth = np.empty(room, np.uint8)
    deepest = np.empty(room, np.uint8)
    skip = np.empty(room, np.int32)
    row = np.empty(room, np.int32)
    row[:] = -1
    path = np.empty(256, np.int32)  # node at each depth of the current word
    count = 0
    height = 0
    for w in range(words):
        lo, hi = offsets[w], offsets[w + 1]
        shared = 0
        while shared < height and shared < hi - lo and label[path[shared]] == letters[lo + shared]:
            shared += 1
        for d in range(height - 1, shared - 1, -1):  # these nodes' subtrees are complete
            skip[path[d]] = count
            if d and deepest[path[d]] > deepest[path[d - 1]]:
                deepest[path[d - 1]] = deepest[path[d]]
        for d in range(shared, hi - lo):
            label[count] = letters[lo + d]
            depth[count] = d + 1
            deepest[count] = d + 1
            path[d] = count
            count += 1
        height = hi - lo
        row[path[height - 1]] = w
    for d in range(height - 1, -1, -1):
        skip[path[d]] = count
        if d and deepest[path[d]] > deepest[path[d - 1]]:
            deepest[path[d - 1]] = deepest[path[d]]
    return (
        label[:count].copy(),
        depth[:count].copy(),
        deepest[:count].copy(),
        skip[:count].copy(),
        row[:count].copy(),
    )


@compiled
def open_field(
    word: Int32s,
    limits: Int32s,
    start: int,
    window: int,
    shift: int,
    equal: UInt64s,
    permitted: UInt64s,
    useful: UInt64s,
    state: UInt64s,
) -> None:  # pragma: no cover
    """Set the bits of one start's field, from ``shift`` on, before a descent of `trie_matches`."""
    depths, levels = state.shape
    inside = ZERO
    for m in range(window + 1):
        inside |= ONE << np.uint64(shift + m)
    for e in range(levels):
        state[0, e] |= ((ONE << np.uint64(e + 1)) - ONE) << np.uint64(shift) & inside
    for m in range(1, window + 1):
        bit = ONE << np.uint64(shift + m)
        equal[word[start + m - 1]] |= bit
        if m < len(word):
            for e in range(limits[m] + 1):
                permitted[e] |= bit
    for d in range(1, depths):
        top = -1
        for m in range(1, min(window, d + levels - 1) + 1):
            if m - d <= limits[m] and limits[m] > top:
                top = limits[m]
        for e in range(top + 1):
            useful[d, e] |= inside


@compiled
def trie_matches(
    word: Int32s,
    limits: Int32s,
    levels: tuple[int, ...],
    letter_count: int,
    label: LetterIds,
    depth: npt.NDArray[np.uint8],
    deepest: npt.NDArray[np.uint8],
    skip: Int32s,
    row: Int32s,
    ids: Int32s,
    long_letters: LetterIds,
    long_offsets: Int64s,
    long_ids: Int32s,
) -> Rows:  # pragma: no cover
    """One descent finds the matches of several starts and all their ends at once.

    A word of 64 bits is divided into fields, one for each start that is known to be reachable and
    not done yet, as many as fit. Bit m of a start's field in ``state[d, e]``: the d letters on
    the path are within e edits of the m letters ``word[start:start + m]``. An unused bit between
    fields takes what a shift carries over. A node is left when no bit survives at an error level
    that some segment length within reach of its subtree permits.

    ``levels`` is (0, 1, ..., K). A tuple, because its length is part of its type: the loop over
    error levels is unrolled and its values stay in registers, which is worth a factor of two.

    Segments of more than WINDOW letters can match only the few words nearly as long: these
    (``long_...``) are compared one by one.
    """
    n = len(word)
    max_edits = len(levels) - 1
    rows = np.empty((1024, 4), np.int32)
    found = int(NONE)
    split = np.zeros(n + 1, np.bool_)
    split[0] = True
    done = np.zeros(n, np.bool_)
    starts = np.empty(64, np.int64)  # of the fields of this descent
    shifts = np.empty(64, np.int64)  # where each field begins
    height = int(NONE)
    for node in range(len(deepest)):
        height = max(height, deepest[node])
    equal = np.empty(letter_count, np.uint64)
    useful = np.empty((height + 1, len(levels)), np.uint64)  # by deepest depth: bits that can pay
    permitted = np.empty(len(levels), np.uint64)  # bits where a segment may have so many edits
    state = np.empty((height + 1, len(levels)), np.uint64)
    nodes = np.uint32(len(label))
    while True:
        equal[:] = ZERO
        permitted[:] = ZERO
        useful[:] = ZERO
        state[0] = ZERO
        fields = 0
        shift = int(NONE)
        for start in range(n):
            window = min(n - start, WINDOW)
            if done[start] or not split[start] or shift + window > WINDOW:
                continue
            done[start] = True
            starts[fields] = start
            shifts[fields] = shift
            fields += 1
            open_field(word, limits, start, window, shift, equal, permitted, useful, state)
            shift += window + 2
        if fields == 0:
            break
        equal[0] = ZERO
        u = np.uint32(0)
        while u < nodes:
            d, below = depth[u], deepest[u]
            above = d - np.uint8(1)
            here = equal[label[u]]
            old = state[above, 0]
            new = (old << ONE) & here & useful[below, 0]
            state[d, 0] = new
            alive = new
            hits = new & permitted[0]
            for e in range(1, len(levels)):
                keep = state[above, e]
                new = ((keep << ONE) & here | old | (old | new) << ONE) & useful[below, e]
                state[d, e] = new
                old = keep
                alive |= new
                hits |= new & permitted[e]
            if alive == ZERO:
                u = np.uint32(skip[u])
                continue
            if row[u] >= 0 and hits != ZERO:
                for f in range(fields):
                    start = starts[f]
                    window = min(n - start, WINDOW)
                    for m in range(max(1, d - max_edits), min(window, d + max_edits) + 1):
                        bit = ONE << np.uint64(shifts[f] + m)
                        if hits & bit:
                            e = 0
                            while not state[d, e] & permitted[e] & bit:
                                e += 1
                            rows = append(rows, found, start, start + m, ids[row[u]], e)
                            found += 1
                            split[start + m] = True
            u += np.uint32(1)
        for f in range(fields):
            start = starts[f]
            for end in range(start + WINDOW + 1, n + 1):
                m = end - start
                limit = limits[m]
                if limit < 0 or m == n:
                    continue
                for k in range(len(long_ids)):
                    lo, hi = long_offsets[k], long_offsets[k + 1]
                    if abs(hi - lo - m) > limit:
                        continue
                    e = by_rows(word, start, end, long_letters, lo, hi)
                    if e <= limit:
                        rows = append(rows, found, start, end, long_ids[k], e)
                        found += 1
                        split[end] = True
    return rows[:found]
