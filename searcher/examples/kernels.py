"""Compiled kernels that compare the frames of an example with those of an archive.

scan          compares every place roughly: the best cost in each cell of frames
alignment     compares one stretch exactly: costs and beginnings of paths

Every frame of the example is matched with one frame of the archive; from one match to the next the
archive stays, or advances by one or two frames. So all paths have as many steps as the example has
frames, and their costs need no division by a length. A match costs the number of signs that differ.
`tests/searcher/examples/test_kernels.py` has the slow equivalent.
"""

import numpy as np

from std.execution.compiled import compiled, compiled_within
from std.sound.usual import ones


@compiled_within
def _row(query: np.ndarray, planes: np.ndarray, n: int, costs: np.ndarray) -> None:
    """Costs of matching one frame of the example with each of n frames."""
    a, b, c, d = query[0], query[1], query[2], query[3]
    for t in range(n):
        costs[t] = np.int32(
            ones(a ^ planes[0, t])
            + ones(b ^ planes[1, t])
            + ones(c ^ planes[2, t])
            + ones(d ^ planes[3, t])
        )


@compiled_within
def _step(before: np.ndarray, costs: np.ndarray, n: int) -> None:
    """Add the costs of the cheapest paths to the costs of matches."""
    if n > 1:
        costs[1] += min(before[0], before[1])
    for t in range(2, n):
        costs[t] += min(min(before[t], before[t - 1]), before[t - 2])
    costs[0] += before[0]


@compiled
def scan(
    query: np.ndarray,
    signs: np.ndarray,
    pieces: np.ndarray,
    stride: int,
    cell: int,
    costs: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Find the cheapest path that ends in each cell of some pieces of an archive.

    Args:
        query: (m, 4) uint64, the example's signs, every ``stride``-th frame.
        signs: (n, 4) uint64 of the archive.
        pieces: (p, 4) int64: the first frame of the piece's recording, the first and one past the
            last frame of the piece, and the number of its first cell.
        stride: frames from one compared frame to the next.
        cell: compared frames in a cell.
        costs: (cells,) int32, filled: the cost of the cheapest path that ends in each.
        ends: (cells,) int64, filled: the frame where this path ends.
    """
    m = len(query)
    longest = 0
    for p in range(len(pieces)):
        longest = max(longest, (pieces[p, 2] - pieces[p, 1]) // stride + 2 * m + 2)
    planes = np.empty((4, longest), np.uint64)
    before, after = np.empty(longest, np.int32), np.empty(longest, np.int32)
    for p in range(len(pieces)):
        recording, begin, end, first_cell = pieces[p]
        lead = min((begin - recording) // stride, 2 * m)  # paths begin up to so many before
        first = begin - lead * stride
        n = (end - first + stride - 1) // stride
        for t in range(n):
            for k in range(4):
                planes[k, t] = signs[first + t * stride, k]
        _row(query[0], planes, n, before)
        for i in range(1, m):
            _row(query[i], planes, n, after)
            _step(before, after, n)
            before, after = after, before
        for t in range(lead, n):
            c = first_cell + (t - lead) // cell
            if before[t] < costs[c]:
                costs[c] = before[t]
                ends[c] = first + t * stride


@compiled
def alignment(query: np.ndarray, signs: np.ndarray, costs: np.ndarray, begins: np.ndarray) -> None:
    """Align an example with a stretch of an archive.

    Args:
        query: (m, 4) uint64.
        signs: (n, 4) uint64.
        costs: (n,) int32, filled: the cost of the cheapest path that ends at each frame.
        begins: (n,) int64, filled: the frame where this path begins; of equal paths the
            straightest.
    """
    n = len(signs)
    before, froms = np.empty(n, np.int32), np.empty(n, np.int64)
    for i in range(len(query)):
        for t in range(n):
            cost = np.int32(0)
            for k in range(4):
                cost += np.int32(ones(query[i, k] ^ signs[t, k]))
            if i == 0:
                costs[t], begins[t] = cost, t
                continue
            best, begin = before[t], froms[t]
            if t > 0 and before[t - 1] <= best:
                best, begin = before[t - 1], froms[t - 1]
            if t > 1 and before[t - 2] < best:
                best, begin = before[t - 2], froms[t - 2]
            costs[t], begins[t] = best + cost, begin
        before[:], froms[:] = costs, begins
