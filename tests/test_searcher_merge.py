import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.candidates import Candidates
from searcher.merge import SAME_PLACE_MS, merge


def made(*rows):
    """Candidates from (term, variant, recording, start_ms, end_ms, score) rows."""
    *columns, score = np.array(rows, dtype=float).reshape(-1, 6).T
    term, variant, *place = (column.astype(np.int64) for column in columns)
    slots = np.zeros(len(term), np.int64)
    return Candidates(term, variant, *place, score, variant, slots, slots)


def listed(found):
    return [
        tuple(round(x, 4) for x in row)
        for row in zip(*(column.tolist() for column in found[:6]), strict=True)
    ]


def test_pieces_of_a_word_in_overlapping_slots_are_summed():
    found = merge(made((0, 0, 0, 0, 300, 0.4), (0, 0, 0, 250, 500, 0.5)))
    assert listed(found) == [(0, 0, 0, 250, 500, 0.9)]
    found = merge(made((0, 0, 0, 0, 300, 0.7), (0, 0, 0, 250, 500, 0.6)))
    assert listed(found)[0][5] == 1.0


def test_other_variants_of_the_same_place_do_not_add_up():
    found = merge(made((0, 0, 0, 0, 300, 0.4), (0, 1, 0, 0, 300, 0.5)))
    assert listed(found) == [(0, 1, 0, 0, 300, 0.5)]


def test_a_word_said_twice_in_a_row_is_two_detections():
    twice = made((0, 0, 0, 0, 300, 0.9), (0, 0, 0, 300, 600, 0.8))
    assert listed(merge(twice)) == listed(twice)


def test_a_long_word_said_twice_may_overlap_itself_but_no_other_variant():
    """Slots of words that straddle overlap by a little."""
    twice = made((0, 0, 0, 0, 600, 0.9), (0, 0, 0, 580, 1200, 0.8))
    assert listed(merge(twice)) == listed(twice)
    other = merge(made((0, 0, 0, 0, 2260, 0.9), (0, 1, 0, 0, 3376, 0.001)))
    assert listed(other) == [(0, 0, 0, 0, 2260, 0.9)]


def test_words_that_take_no_time():
    moments = made((0, 0, 0, 300, 300, 0.4), (0, 0, 0, 300, 300, 0.5))
    assert listed(merge(moments)) == [(0, 0, 0, 300, 300, 0.9)]
    inside = made((0, 1, 0, 200, 400, 0.4), (0, 0, 0, 300, 300, 0.5))
    assert listed(merge(inside)) == [(0, 0, 0, 300, 300, 0.5)]
    twice = made((0, 0, 0, 0, 300, 0.9), (0, 0, 0, 300, 300, 0.5), (0, 0, 0, 300, 800, 0.8))
    assert listed(merge(twice)) == listed(twice)


def test_a_chain_of_overlaps_is_not_one_place():
    """A middle one overlaps both neighbours; the neighbours do not overlap each other."""
    found = merge(made((0, 0, 0, 0, 300, 0.5), (0, 1, 0, 250, 500, 0.4), (0, 0, 0, 450, 700, 0.5)))
    assert [row[3] for row in listed(found)] == [0, 450]


def test_terms_and_recordings_do_not_compete():
    rows = made((0, 0, 0, 0, 300, 0.5), (0, 0, 1, 0, 300, 0.5), (1, 1, 0, 0, 300, 0.5))
    assert len(merge(rows).term) == 3
    assert len(merge(made()).term) == 0


row = st.tuples(
    st.integers(0, 1),
    st.integers(0, 1),
    st.integers(0, 1),
    st.one_of(st.integers(0, 1500), st.sampled_from([0, 300, 600])),
    st.integers(0, 1400),
    st.floats(0.01, 1),
)


@given(st.lists(row, max_size=12))
def test_what_is_kept_never_competes_and_everything_dropped_did(rows):
    given_ = made(*((t, v, r, s, s + d, p) for t, v, r, s, d, p in rows))
    found = merge(given_)
    kept = list(zip(*(c.tolist() for c in found[:6]), strict=True))
    for i, a in enumerate(kept):
        for b in kept[i + 1 :]:
            assert not competes(a, b)
    for one in zip(*(c.tolist() for c in given_[:6]), strict=True):
        assert any(competes(one, other) or one[:5] == other[:5] for other in kept)


@given(st.lists(row, max_size=12))
def test_equals_going_through_them_best_first(rows):
    """The slow twin: one after the other, as the module's docstring says it."""
    given_ = made(*((t, v, r, s, s + d, p) for t, v, r, s, d, p in rows))
    found = merge(given_)
    free = sorted(zip(*(c.tolist() for c in given_[:6]), strict=True), key=best_first)
    expected = []
    while free:
        best = free[0]
        near = [one for one in free[1:] if competes(best, one)]
        total = best[5] + sum(one[5] for one in near if one[1] == best[1])
        expected.append((*best[:5], min(1.0, total)))
        free = [one for one in free[1:] if one not in near]
    got = sorted(zip(*(c.tolist() for c in found[:6]), strict=True))
    assert got == [pytest.approx(one) for one in sorted(expected)]


def best_first(one):
    term, _, recording, start_ms, _, score = one
    return term, recording, -score, start_ms


def competes(a, b):
    same = a[0] == b[0] and a[2] == b[2]
    share = (a[3] < b[4] and b[3] < a[4]) or a[3:5] == b[3:5]
    twice = a[1] == b[1] and abs(a[3] + a[4] - b[3] - b[4]) >= 2 * SAME_PLACE_MS
    return same and share and not twice
