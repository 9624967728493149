"""The compiled alignment against one that is written down plainly."""

import numpy as np
import pytest

from searcher.examples.kernels import alignment, scan
from searcher.examples.places import FAR

RANDOM = np.random.default_rng(5)


def random_signs(n):
    return RANDOM.integers(0, 2**64, (n, 4), dtype=np.uint64)


def differing(one, other):
    return int(np.unpackbits((one ^ other).view(np.uint8)).sum())


def slow(query, signs):
    """Cost of the cheapest path that ends at each frame, and all beginnings that it may have."""
    rows = [{t: (differing(query[0], signs[t]), {t}) for t in range(len(signs))}]
    for frame in query[1:]:
        row = {}
        for t in range(len(signs)):
            before = [rows[-1][t - step] for step in (0, 1, 2) if t - step >= 0]
            least = min(cost for cost, _ in before)
            begins = set().union(*(some for cost, some in before if cost == least))
            row[t] = (least + differing(frame, signs[t]), begins)
        rows.append(row)
    return rows[-1]


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 7), (5, 3), (6, 40), (12, 60)])
def test_alignment_is_the_slow_one(m, n):
    query, signs = random_signs(m), random_signs(n)
    costs, begins = np.empty(n, np.int32), np.empty(n, np.int64)
    alignment(query, signs, costs, begins)
    for t, (cost, possible) in slow(query, signs).items():
        assert costs[t] == cost
        assert begins[t] in possible


def test_a_stretch_of_the_archive_costs_nothing_in_its_place():
    signs = random_signs(50)
    costs, begins = np.empty(50, np.int32), np.empty(50, np.int64)
    alignment(signs[20:30].copy(), signs, costs, begins)
    assert costs.argmin() == 29
    assert (costs[29], begins[29]) == (0, 20)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("length", [7, 16, 64])
def test_scan_finds_what_alignment_finds_whatever_the_pieces(stride, length):
    """Two recordings of 45 and 20 frames, cut into pieces: no path crosses the border."""
    query, signs, cell = random_signs(5), random_signs(65), 3
    pieces, cells, expected = [], 0, []
    for first, stop in ((0, 45), (45, 65)):
        costs = slow(query, signs[first:stop:stride])
        step = length * stride
        for begin in range(first, stop, step):
            end = min(stop, begin + step)
            pieces.append((first, begin, end, cells))
            looked = range(begin, end, stride)
            for at in range(0, len(looked), cell):
                some = looked[at : at + cell]
                best = min(some, key=lambda t: (costs[(t - first) // stride][0], t))
                expected.append((costs[(best - first) // stride][0], best))
            cells += -(-len(looked) // cell)
    costs, ends = np.full(cells, FAR, np.int32), np.zeros(cells, np.int64)
    scan(query, signs, np.array(pieces, np.int64), stride, cell, costs, ends)
    assert [*zip(costs.tolist(), ends.tolist(), strict=True)] == expected
