import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searcher.lexical import deduplicate as blocks
from searcher.lexical.deduplicate import SAME_EVENT_MS, deduplicate
from searcher.results.candidates import Candidates


def made(*rows):
    """Candidates from (term, variant, recording, start_ms, end_ms, score) rows.

    Further columns are family, first slot and last slot; without them variants are families and
    every candidate has a separate slot.
    """
    plain = [
        (*row, row[1], 10 * i, 10 * i)[:9] if len(row) == 6 else row for i, row in enumerate(rows)
    ]
    columns = list(np.array(plain, dtype=float).reshape(-1, 9).T)
    return Candidates(*(c if i == 5 else c.astype(np.int64) for i, c in enumerate(columns)))


def listed(found):
    return [
        tuple(round(x, 4) for x in row)
        for row in zip(*(column.tolist() for column in found[:6]), strict=True)
    ]


def test_pieces_of_a_word_in_overlapping_slots_are_summed():
    found = deduplicate(made((0, 0, 0, 0, 300, 0.4), (0, 0, 0, 250, 500, 0.5)))
    assert listed(found) == [(0, 0, 0, 250, 500, 0.9)]
    found = deduplicate(made((0, 0, 0, 0, 300, 0.7), (0, 0, 0, 250, 500, 0.6)))
    assert listed(found)[0][5] == 1.0


def test_other_variants_of_the_same_place_do_not_add_up():
    found = deduplicate(made((0, 0, 0, 0, 300, 0.4), (0, 1, 0, 0, 300, 0.5)))
    assert listed(found) == [(0, 1, 0, 0, 300, 0.5)]


def test_a_word_said_twice_in_a_row_is_two_detections():
    twice = made((0, 0, 0, 0, 300, 0.9), (0, 0, 0, 300, 600, 0.8))
    assert listed(deduplicate(twice)) == listed(twice)


def test_a_long_word_said_twice_may_overlap_itself_but_no_other_variant():
    """Slots of words that straddle overlap by a little."""
    twice = made((0, 0, 0, 0, 600, 0.9), (0, 0, 0, 580, 1200, 0.8))
    assert listed(deduplicate(twice)) == listed(twice)
    other = deduplicate(made((0, 0, 0, 0, 2260, 0.9), (0, 1, 0, 0, 3376, 0.001)))
    assert listed(other) == [(0, 0, 0, 0, 2260, 0.9)]


def test_words_that_take_no_time():
    moments = made((0, 0, 0, 300, 300, 0.4), (0, 0, 0, 300, 300, 0.5))
    assert listed(deduplicate(moments)) == [(0, 0, 0, 300, 300, 0.9)]
    inside = made((0, 1, 0, 200, 400, 0.4), (0, 0, 0, 300, 300, 0.5))
    assert listed(deduplicate(inside)) == [(0, 0, 0, 300, 300, 0.5)]
    twice = made((0, 0, 0, 0, 300, 0.9), (0, 0, 0, 300, 300, 0.5), (0, 0, 0, 300, 800, 0.8))
    assert listed(deduplicate(twice)) == listed(twice)


def test_neighbouring_words_that_fit_a_wildcard_are_two_and_its_alternatives_one():
    one, other = (0, 1, 0, 0, 300, 0.9, 0, 4, 4), (0, 2, 0, 250, 600, 0.8, 0, 5, 5)
    assert len(deduplicate(made(one, other)).term) == 2
    assert (
        len(
            deduplicate(
                made(one, (0, 2, 0, 300, 300, 0.8, 0, 5, 5), (0, 3, 0, 300, 300, 0.7, 0, 6, 6))
            ).term
        )
        == 3
    )
    pieces = deduplicate(made(one, (0, 2, 0, 100, 350, 0.08, 0, 5, 5)))
    assert listed(pieces) == [(0, 1, 0, 0, 300, 0.98)]


def test_paths_through_a_common_slot_are_one_place():
    """'it' takes no time; 'again' follows at once, or later."""
    paths = made((0, 0, 0, 100, 100, 0.4, 0, 4, 5), (0, 0, 0, 100, 1300, 0.1, 0, 4, 7))
    assert listed(deduplicate(paths)) == [(0, 0, 0, 100, 100, 0.5)]


def test_a_chain_of_overlaps_is_not_one_place():
    """A middle one overlaps both neighbours; the neighbours do not overlap each other."""
    found = deduplicate(
        made((0, 0, 0, 0, 300, 0.5), (0, 1, 0, 250, 500, 0.4), (0, 0, 0, 450, 700, 0.5))
    )
    assert [row[3] for row in listed(found)] == [0, 450]


def test_terms_and_recordings_do_not_compete():
    rows = made((0, 0, 0, 0, 300, 0.5), (0, 0, 1, 0, 300, 0.5), (1, 1, 0, 0, 300, 0.5))
    assert len(deduplicate(rows).term) == 3
    assert len(deduplicate(made()).term) == 0


@st.composite
def row(draw):
    """A candidate; variants 0 and 1 are one family, slots lie roughly in order of time."""
    start = draw(st.one_of(st.integers(0, 1500), st.sampled_from([0, 300, 600])))
    term, variant, recording = draw(
        st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1))
    )
    slot = start // 200
    return (
        *(term, variant, recording, start, start + draw(st.integers(0, 1400))),
        *(draw(st.floats(0.01, 1)), variant // 2, slot, slot + draw(st.integers(0, 2))),
    )


@given(st.lists(row(), max_size=12))
def test_what_is_kept_never_competes_and_everything_dropped_did(rows):
    given_ = made(*rows)
    found = deduplicate(given_)
    kept = list(zip(*(c.tolist() for c in found), strict=True))
    for i, a in enumerate(kept):
        for b in kept[i + 1 :]:
            assert not competes(a, b)
    for one in rows:
        assert any(competes(one, other) or one[:5] == other[:5] for other in kept)


@given(st.lists(row(), max_size=12))
def test_equals_going_through_them_best_first(rows):
    got = sorted(zip(*(c.tolist() for c in deduplicate(made(*rows))), strict=True))
    assert got == [pytest.approx(one) for one in in_turn(rows)]


def best_first(one):
    term, _, recording, start_ms, _, score, *_ = one
    return term, recording, -score, start_ms


def competes(a, b):
    if a[0] != b[0] or a[2] != b[2]:
        return False
    shared_ms = min(a[4], b[4]) - max(a[3], b[3])
    slots_meet = a[7] <= b[8] and b[7] <= a[8]
    in_time = (a[3] < b[4] and b[3] < a[4]) or a[3:5] == b[3:5]
    if not (in_time or (slots_meet and shared_ms >= 0)):
        return False
    if a[1] == b[1]:
        twice = abs(a[3] + a[4] - b[3] - b[4]) >= 2 * SAME_EVENT_MS
        return not twice or a[7] == b[7] or a[8] == b[8]
    if a[6] == b[6]:
        return slots_meet or 2 * shared_ms > min(a[4] - a[3], b[4] - b[3])
    return True


def in_turn(rows):
    """The slow twin: one after the other, as the module's docstring says it."""
    free = sorted(sorted(rows, key=lambda one: (one[0], one[2], one[3])), key=best_first)
    expected = []
    while free:
        best = free[0]
        near = [one for one in free[1:] if competes(best, one)]
        total = best[5] + sum(one[5] for one in near if one[6] == best[6])
        expected.append((*best[:5], min(1.0, total), *best[6:]))
        free = [one for one in free[1:] if not competes(best, one)]
    return sorted(expected)


@given(st.integers(0, 10**6), st.integers(1, 400), st.sampled_from([500, 5000, 60_000]))
@settings(max_examples=60, deadline=None)
def test_dense_groups_equal_going_through_them_best_first(seed, n, within_ms):
    """Many candidates of any length at one place, in blocks as small as they can be."""
    rng = np.random.default_rng(seed)
    start = rng.integers(0, within_ms, n)
    length = (rng.exponential(1, n) ** 3 * rng.choice([0, 100, 1000], n)).astype(int)
    slot = start // rng.choice([50, 300]) + rng.integers(0, 2, n)
    ties = rng.choice([1, 10, 1000])
    columns = (
        *(rng.integers(0, 2, n), rng.integers(0, 6, n), rng.integers(0, 2, n), start),
        *(start + length, (1 + rng.integers(0, ties, n)) / ties),
        *(rng.integers(0, 3, n), slot, slot + rng.integers(0, 3, n)),
    )
    rows = list(dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "LEAST_AT_ONCE", int(rng.choice([1, 7, 64])))
        patch.setattr(blocks, "ALL_AT_ONCE", int(rng.choice([1, 30, 1024])))
        patch.setattr(blocks, "MOST_PAIRS", int(rng.choice([1, 50, 10**6])))
        patch.setattr(blocks, "PAIRS_EACH", int(rng.choice([1, 16])))
        found = deduplicate(made(*rows))
    got = sorted(zip(*(c.tolist() for c in found), strict=True))
    assert got == [pytest.approx(one) for one in in_turn(rows)]


CROWDS = {
    "one-best words without a pause": lambda i, n: (i * 300, 300, 1 + 0 * i, i % 50, i, 0),
    "a word said again and again": lambda i, n: (i * 300, 600, 1 + 0 * i, 0 * i, i, 1),
    "likelier and likelier": lambda i, n: (i * 300, 600, (1 + i) / n, 0 * i, i, 1),
    "all at one place": lambda i, n: (0 * i, 300, (1 + i) / n, i, 0 * i, 0),
    "all in one minute": lambda i, n: (i * 60_000 // n, 400, 1 + 0 * i, i % 7, i, 0),
    "one inside the other": lambda i, n: (i, 2 * (n - i), (1 + i) / n, i, 3 * i, 0),
}


@pytest.mark.parametrize("crowd", CROWDS)
def test_crowds_take_time_almost_linear_in_their_number(crowd):
    """Two hundred thousand, whose square is more than a minute's work however fast a pair is."""
    n = 200_000
    i = np.arange(n)
    start, length, score, variant, slot, width = CROWDS[crowd](i, n)
    zeros = np.zeros(n, np.int64)
    candidates = Candidates(
        zeros, variant, zeros, start, start + length, np.asarray(score, float), zeros, slot,
        slot + width,
    )  # fmt: skip
    begin = time.process_time()
    deduplicate(candidates)
    assert time.process_time() - begin < 6
