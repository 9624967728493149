import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from std.matching.alignment import ALONE, align, best_assignment
from std.matching.occurrences import Occurrences
from std.values import Detections, Recording

F = Recording("f", 1)
G = Recording("g", 1)


def detections(rows, recordings=(F, G)):
    """Rows of term, recording, start, duration, score, yes."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    kinds = (np.int32, np.int32, float, float, float, bool)
    arrays = [np.array(c, k) for c, k in zip(columns, kinds, strict=True)]
    return Detections(("A", "B"), recordings, *arrays)


def occurrences(rows, recordings=(F, G)):
    """Rows of term, recording, start, end."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    kinds = (np.int32, np.int32, float, float)
    arrays = [np.array(c, k) for c, k in zip(columns, kinds, strict=True)]
    words = np.arange(len(arrays[0]), dtype=np.int32)
    return Occurrences(recordings, *arrays, arrays[3].copy(), words, words.copy())


def near(hit, reference, tolerance_s=0.5):
    middle = hit[2] + hit[3] / 2
    return hit[:2] == reference[:2] and (
        reference[2] - tolerance_s <= middle <= reference[3] + tolerance_s
    )


def worth(hit, reference, hits):
    """Congruence of one pair, as F4DE computes it: 1 plus overlap and score terms."""
    scores = [one[4] for one in hits if one[:2] == hit[:2]]
    overlap = min(hit[2] + hit[3], reference[3]) - max(hit[2], reference[2])
    relative = overlap / max(reference[3] - reference[2], 1e-5)
    standing = (hit[4] - min(scores)) / max(max(scores) - min(scores), 1e-5)
    return 1 + 1e-8 * relative + 1e-6 * standing


def best_by_trying_all(hits, references):
    """Value of the best pairing: number of pairs first, then their worth."""

    def search(r, free):
        if r == len(references):
            return 0.0
        best = search(r + 1, free)
        for h in free:
            if near(hits[h], references[r]):
                value = 2 + worth(hits[h], references[r], hits) + search(r + 1, free - {h})
                best = max(best, value)
        return best

    return search(0, frozenset(range(len(hits))))


tenths = st.integers(0, 40).map(lambda n: n / 10)
hit_rows = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 1), tenths, st.integers(0, 12).map(lambda n: n / 10),
        st.integers(0, 9).map(lambda n: n / 10), st.booleans(),
    ),
    max_size=6,
)  # fmt: skip
reference_rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), tenths, st.integers(0, 12)).map(
        lambda row: (*row[:3], row[2] + row[3] / 10)
    ),
    max_size=5,
)


@settings(max_examples=150)
@given(hit_rows, reference_rows)
def test_against_trying_every_pairing(hits, references):
    found = align(detections(hits), occurrences(references))
    pairs = [(h, r) for r, h in enumerate(found.hit_of.tolist()) if h >= 0]
    assert all(found.occurrence_of[h] == r for h, r in pairs)
    assert (found.occurrence_of >= 0).sum() == len(pairs)
    assert all(near(hits[h], references[r]) for h, r in pairs)
    value = sum(2 + worth(hits[h], references[r], hits) for h, r in pairs)
    assert value == pytest.approx(best_by_trying_all(hits, references), abs=1e-10)


def test_a_word_said_all_the_time_is_paired_in_time():
    # 3,000 occurrences and hits, each in reach of some ten others: one component.
    random = np.random.default_rng(1)
    references = [(0, 0, float(x), float(x) + 0.3) for x in np.sort(random.uniform(0, 300, 3000))]
    hits = [(0, 0, float(x), 0.3, 0.5, True) for x in random.uniform(0, 300, 3000)]
    found = align(detections(hits), occurrences(references))
    assert (found.hit_of >= 0).sum() > 2700


@given(hit_rows, reference_rows, st.randoms())
def test_counts_do_not_depend_on_the_order_of_hits_with_distinct_scores(hits, references, random):
    hits = [(*hit[:4], i / 100, hit[5]) for i, hit in enumerate(hits)]
    shuffled = hits[:]
    random.shuffle(shuffled)
    expected = occurrences(references)
    first, second = (
        pair_counts(hits, expected, align(hits, expected))
        for hits in (detections(hits), detections(shuffled))
    )
    # Which of two equally good occurrences a hit takes is open; how many it takes is not.
    assert first == second


def pair_counts(hits, expected, alignment):
    """Unpaired occurrences by term; YES and NO hits, paired and unpaired."""
    paired = alignment.occurrence_of >= 0
    unpaired_occurrences = np.bincount(expected.term[alignment.hit_of < 0], minlength=2)
    decisions = [
        int((is_paired & is_yes).sum())
        for is_paired in (paired, ~paired)
        for is_yes in (hits.yes, ~hits.yes)
    ]
    return unpaired_occurrences.tolist(), decisions


EDGES = [
    # name, hit start, duration, paired with an occurrence from 1.0 to 2.0?
    ("middle inside", 1.2, 0.4, True),
    ("middle at the lower limit", 0.25, 0.5, True),
    ("middle below", 0.2, 0.5, False),
    ("middle at the upper limit", 2.25, 0.5, True),
    ("middle above", 2.3, 0.5, False),
]


@pytest.mark.parametrize("case", EDGES, ids=lambda case: case[0])
def test_limits_are_included(case):
    _, start_s, duration_s, paired = case
    found = align(
        detections([(0, 0, start_s, duration_s, 0.5, True)]), occurrences([(0, 0, 1.0, 2.0)])
    )
    assert (found.hit_of[0] == 0) == paired


def test_recordings_are_matched_by_name_not_by_place_in_the_table():
    hits = detections([(0, 0, 1.0, 0.5, 0.5, True)], recordings=(F, G))
    found = align(hits, occurrences([(0, 1, 1.0, 1.5)], recordings=(G, F)))
    assert found.hit_of.tolist() == [0]


def test_infinite_scores_stand_at_the_ends_of_the_range():
    rows = [(0, 0, 1.0, 0.5, score, True) for score in (-np.inf, 0.3, np.inf, 0.9)]
    for chosen in itertools.permutations(range(4)):
        hits = detections([rows[i] for i in chosen])
        best = align(hits, occurrences([(0, 0, 1.0, 1.5)])).hit_of[0]
        assert rows[chosen[best]][4] >= 0.9
    only = detections([(0, 0, 1.0, 0.5, np.inf, True)])
    assert align(only, occurrences([(0, 0, 1.0, 1.5)])).hit_of.tolist() == [0]


def test_a_declared_score_range_is_used():
    # Both hits score above the declared range: the overlap decides.
    hits = detections([(0, 0, 1.0, 0.5, 7.0, True), (0, 0, 1.2, 0.5, 9.0, True)])
    reference = occurrences([(0, 0, 1.0, 1.5)])
    assert align(hits, reference).hit_of.tolist() == [1]
    assert align(hits, reference, score_range=(0.0, 1.0)).hit_of.tolist() == [0]


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
    alone = np.arange(rows)  # scipy pairs every row: each has a separate column for that
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
