"""Places against a slow twin that takes candidates one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searcher.fusion.fused_candidates import same_places
from searcher.results.candidates import NO_CANDIDATES, Candidates

ROW = st.tuples(
    st.integers(0, 1), st.integers(0, 1), st.integers(0, 40), st.integers(0, 8),
    st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.integers(0, 2),
)  # fmt: skip


def columns(rows) -> tuple[Candidates, np.ndarray]:
    """Rows of term, recording, start and length in 100 ms, probability, recogniser."""
    if not rows:
        return NO_CANDIDATES, np.empty(0, np.int64)
    term, recording, start, length, score, recogniser = map(np.array, zip(*rows, strict=True))
    zeros = np.zeros(len(rows), np.int64)
    return (
        Candidates(
            term, zeros, recording, 100 * start, 100 * (start + length), score, zeros, zeros, zeros
        ),
        recogniser,
    )


def one_by_one(rows) -> set[frozenset[int]]:
    """The best candidate left takes the nearest of each other recogniser, and so on."""
    left = sorted(
        range(len(rows)),
        key=lambda i: (-rows[i][4], rows[i][2], rows[i][2] + rows[i][3], rows[i][5], i),
    )
    rank = {i: n for n, i in enumerate(left)}
    places = set()
    while left:
        best = left[0]

        def distance(i, best=best):
            return abs(2 * rows[i][2] + rows[i][3] - 2 * rows[best][2] - rows[best][3])

        place = {best}
        for recogniser in {0, 1, 2} - {rows[best][5]}:
            near = [
                i
                for i in left
                if rows[i][:2] == rows[best][:2] and rows[i][5] == recogniser and distance(i) < 10
            ]
            if near:
                place.add(min(near, key=lambda i: (distance(i), rank[i])))
        places.add(frozenset(place))
        left = [i for i in left if i not in place]
    return places


@given(st.lists(ROW, max_size=30))
def test_the_best_takes_its_nearest_partners_first(rows):
    place = same_places(*columns(rows))
    found = {frozenset(np.flatnonzero(place == number).tolist()) for number in set(place.tolist())}
    assert found == one_by_one(rows)


@given(st.lists(ROW, max_size=30))
def test_places_are_numbered_by_term_recording_and_start(rows):
    candidates, recogniser = columns(rows)
    place = same_places(candidates, recogniser)
    firsts = []
    for number in range(int(place.max(initial=-1)) + 1):
        rows_of_place = np.flatnonzero(place == number)
        best = rows_of_place[np.argmax(candidates.probability[rows_of_place])]
        firsts.append((candidates.term[best], candidates.recording[best]))
    assert firsts == sorted(firsts)


def test_half_a_second_between_the_middles_is_too_far():
    def places(start):
        return same_places(*columns([(0, 0, 10, 4, 0.9, 0), (0, 0, start, 4, 0.5, 1)])).tolist()

    assert places(14) == [0, 0]
    assert places(15) == [0, 1]
    assert places(5) == [1, 0]


def test_one_recognisers_two_hits_stay_two():
    rows = [(0, 0, 10, 2, 0.9, 0), (0, 0, 12, 2, 0.8, 0), (0, 0, 11, 2, 0.7, 1)]
    assert same_places(*columns(rows)).tolist() == [0, 1, 0]
