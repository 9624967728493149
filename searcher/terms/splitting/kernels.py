"""Compiled kernels of the neighbour indexes. Imported on first use: numba is heavy.

All of them answer one question (see `searcher.terms.splitting.matches`) from different layouts, so
they have the same arguments and result. They take a word as letters and ``limits`` by segment
length (-1 = too short), and return rows (start, end, id, distance) in no particular order.

Edit distances are bit-parallel (Myers 1999) for pairs of words of at most 64 letters.
"""
# Coverage does not see compiled code; tests compare every kernel with a slow twin in Python.

import numpy as np
import numpy.typing as npt

from searcher.terms.vocabulary import LetterIds
from std.execution.compiled import compiled
from std.values import Int32s, Int64s, UInt64s

Rows = npt.NDArray[np.int32]  # (m, 4) start, end, id, distance

ZERO, ONE, ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.int64(0)  # found so far: what a plain 0 is passed to, numba compiles twice


@compiled
def myers(peq: UInt64s, m: int, text: LetterIds, lo: int, hi: int) -> int:  # pragma: no cover
    """Distance between text[lo:hi] and the first m <= 64 letters of the pattern behind peq.

    ``peq[c]`` has bit i set where letter i of the pattern is c; higher bits do no harm.
    """
    top = ONE << np.uint64(m - 1)
    plus, minus = ALL, ZERO
    score = m
    for i in range(lo, hi):
        equal = peq[text[i]]
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = minus | ~(horizontal | plus)
        down = plus & horizontal
        if up & top:
            score += 1
        elif down & top:
            score -= 1
        up = (up << ONE) | ONE
        plus = (down << ONE) | ~(vertical | up)
        minus = up & vertical
    return score


@compiled
def by_rows(
    a: LetterIds, a_lo: int, a_hi: int, b: LetterIds, b_lo: int, b_hi: int
) -> int:  # pragma: no cover
    """Distance between a[a_lo:a_hi] and b[b_lo:b_hi], of any length: one row at a time."""
    m = a_hi - a_lo
    row = np.empty(m + 1, np.int64)
    for i in range(m + 1):
        row[i] = i
    for j in range(b_lo, b_hi):
        diagonal = row[0]
        row[0] += 1
        for i in range(1, m + 1):
            above = row[i]
            best = diagonal + (a[a_lo + i - 1] != b[j])
            if above + 1 < best:
                best = above + 1
            if row[i - 1] + 1 < best:
                best = row[i - 1] + 1
            row[i] = best
            diagonal = above
    return int(row[m])


@compiled
def append(rows: Rows, n: int, start: int, end: int, word: int, d: int) -> Rows:  # pragma: no cover
    """Write row n, in a copy twice as long if there is no room."""
    if n == len(rows):
        longer = np.empty((2 * n, 4), np.int32)
        for i in range(n):  # a slice's assignment compiles five times as long, for its message
            for column in range(4):
                longer[i, column] = rows[i, column]
        rows = longer
    rows[n, 0] = start
    rows[n, 1] = end
    rows[n, 2] = word
    rows[n, 3] = d
    return rows


@compiled
def linear_matches(
    word: Int32s,
    limits: Int32s,
    letter_count: int,
    letters: LetterIds,
    offsets: Int64s,
    ids: Int32s,
    bucket: Int64s,
) -> Rows:  # pragma: no cover
    """Algorithm II: compare with every word whose length permits it.

    ``bucket[k]:bucket[k + 1]`` are the rows of the words of k letters.
    """
    n = len(word)
    longest = len(bucket) - 2
    rows = np.empty((256, 4), np.int32)
    found = int(NONE)
    split = np.zeros(n + 1, np.bool_)
    split[0] = True
    peq = np.zeros(letter_count, np.uint64)
    for start in range(n):
        if not split[start]:
            continue
        peq[:] = ZERO
        for i in range(start, min(n, start + 64)):
            peq[word[i]] |= ONE << np.uint64(i - start)
        peq[0] = ZERO
        for end in range(start + 1, n + 1):
            m = end - start
            limit = limits[m]
            if limit < 0 or m == n:
                continue
            for row in range(
                bucket[max(1, min(m - limit, longest + 1))], bucket[min(m + limit, longest) + 1]
            ):
                if m <= 64:
                    d = myers(peq, m, letters, offsets[row], offsets[row + 1])
                else:
                    d = by_rows(word, start, end, letters, offsets[row], offsets[row + 1])
                if d <= limit:
                    rows = append(rows, found, start, end, ids[row], d)
                    found += 1
                    split[end] = True
    return rows[:found]


@compiled
def bktree_matches(
    word: Int32s,
    limits: Int32s,
    letter_count: int,
    letters: LetterIds,
    offsets: Int64s,
    ids: Int32s,
    first_child: Int32s,
    edge: Int32s,
    root: Int32s,
) -> Rows:  # pragma: no cover
    """Algorithm III: descend only into branches that the triangle inequality permits.

    Node i has the children ``first_child[i]:first_child[i + 1]``, ascending by ``edge``;
    ``root[k]`` is the node where the tree of the words of k letters begins, or -1.
    """
    n = len(word)
    longest = len(root) - 1
    rows = np.empty((256, 4), np.int32)
    found = int(NONE)
    split = np.zeros(n + 1, np.bool_)
    split[0] = True
    peq = np.zeros(letter_count, np.uint64)
    stack = np.empty(len(ids), np.int32)
    for start in range(n):
        if not split[start]:
            continue
        peq[:] = ZERO
        for i in range(start, min(n, start + 64)):
            peq[word[i]] |= ONE << np.uint64(i - start)
        peq[0] = ZERO
        for end in range(start + 1, n + 1):
            m = end - start
            limit = limits[m]
            if limit < 0 or m == n:
                continue
            for length in range(max(1, m - limit), min(m + limit, longest) + 1):
                if root[length] < 0:
                    continue
                stack[0] = root[length]
                depth = 1
                while depth:
                    depth -= 1
                    node = stack[depth]
                    if m <= 64:
                        d = myers(peq, m, letters, offsets[node], offsets[node + 1])
                    else:
                        d = by_rows(word, start, end, letters, offsets[node], offsets[node + 1])
                    if d <= limit:
                        rows = append(rows, found, start, end, ids[node], d)
                        found += 1
                        split[end] = True
                    for child in range(first_child[node], first_child[node + 1]):
                        if edge[child] > d + limit:
                            break
                        if edge[child] >= d - limit:
                            stack[depth] = child
                            depth += 1
    return rows[:found]


@compiled
def bktree_link(
    letter_count: int, letters: LetterIds, offsets: Int64s, root: Int32s
) -> tuple[Int32s, Int32s, Int32s]:  # pragma: no cover
    """Insert words in the order given, one tree per length; `root` (longest + 1,) is filled in.

    Returns:
        head: (n,) first child of each word or -1; following: (n,) its next sibling or -1,
        siblings ascending by edge; edge: (n,) distance to the parent, 0 of a root.
    """
    n = len(offsets) - 1
    head = np.full(n, -1, np.int32)
    following = np.full(n, -1, np.int32)
    edge = np.zeros(n, np.int32)
    peq = np.zeros(letter_count, np.uint64)
    for new in range(n):
        lo, hi = offsets[new], offsets[new + 1]
        m = hi - lo
        if root[m] < 0:
            root[m] = new
            continue
        if m <= 64:
            for i in range(m):
                peq[letters[lo + i]] |= ONE << np.uint64(i)
        node = root[m]
        while True:
            if m <= 64:
                d = myers(peq, m, letters, offsets[node], offsets[node + 1])
            else:
                d = by_rows(letters, lo, hi, letters, offsets[node], offsets[node + 1])
            before = -1
            child = head[node]
            while child >= 0 and edge[child] < d:
                before = child
                child = following[child]
            if child >= 0 and edge[child] == d:
                node = child
                continue
            edge[new] = d
            following[new] = child
            if before < 0:
                head[node] = new
            else:
                following[before] = new
            break
        for i in range(lo, hi):
            peq[letters[i]] = ZERO
    return head, following, edge
