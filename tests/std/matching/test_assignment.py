import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from std.matching.assignment import ALONE, best_assignment

SIDE = 7
gains = st.dictionaries(
    st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1)), st.integers(1, 9), max_size=25
)


def edges_of(gains, rows):
    edges = [[] for _ in range(rows)]
    for (row, column), gain in gains.items():
        edges[row].append((column, gain))
    return edges


def total(partners, gains):
    """The sum of gains, once nobody is taken twice and every pair may be taken."""
    pairs = [(row, column) for row, column in enumerate(partners) if column != ALONE]
    assert len({column for _, column in pairs}) == len(pairs)
    return sum(gains[pair] for pair in pairs)


@settings(max_examples=300)
@given(gains)
def test_as_good_as_scipy_on_a_table(gains):
    table = np.zeros((SIDE, SIDE))
    for pair, gain in gains.items():
        table[pair] = gain
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    assert total(best_assignment(edges_of(gains, SIDE), SIDE), gains) == best


@pytest.mark.parametrize(("rows", "columns"), [(600, 200), (200, 600), (400, 400)])
def test_as_good_as_scipy_on_a_chain_of_occurrences(rows, columns):
    random = np.random.default_rng(rows)
    places, starts = random.uniform(0, 40, rows), np.sort(random.uniform(0, 40, columns))
    near = np.abs(places[:, None] - starts) < 0.6  # of some ten each: all hang together
    worth = 3 + 1e-6 * random.random(rows)[:, None] + 1e-8 * random.random((rows, columns))
    gains = {(row, column): worth[row, column] for row, column in np.argwhere(near).tolist()}
    alone = np.arange(rows)  # scipy pairs every row: each has a column of its own for that
    cost = np.concatenate([4 - worth[near], np.full(rows, 4.0)])
    row, column = np.nonzero(near)
    graph = csr_array(
        (cost, (np.concatenate([row, alone]), np.concatenate([column, columns + alone])))
    )
    least = graph[min_weight_full_bipartite_matching(graph)].sum()
    found = total(best_assignment(edges_of(gains, rows), columns), gains)
    assert 4 * rows - found == pytest.approx(least, abs=1e-9)


def test_one_more_pair_outweighs_a_better_pair():
    assert best_assignment([[(0, 3.9), (1, 3.0)], [(0, 3.0)]], 2) == [1, 0]


def test_who_has_no_candidate_stays_alone():
    assert best_assignment([[], [(0, 1.0)], [(0, 2.0)]], 1) == [ALONE, ALONE, 0]
    assert best_assignment([], 0) == []
