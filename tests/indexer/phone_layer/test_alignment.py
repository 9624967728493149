"""The aligned states are those of the best of all paths, found by trying them all."""

from itertools import product

import numpy as np
import pytest

from indexer.phone_layer.alignment import ANYTHING, SILENCE, aligned, targets
from indexer.phone_layer.sources import PronouncedWords


def slowly_aligned(fits, targets):
    """Every way to give each frame a state."""
    n, s = len(fits), len(targets.states)
    best, best_path = -np.inf, None
    for path in product(range(s), repeat=n):
        visited = sorted(set(path))
        missed = set(range(s)) - set(visited)
        if list(path) != sorted(path) or any(targets.states[m] != SILENCE for m in missed):
            continue
        if any(not targets.first[p] <= i < targets.end[p] for i, p in enumerate(path)):
            continue
        score = sum(
            0.0 if targets.states[p] == ANYTHING else fits[i, targets.states[p]]
            for i, p in enumerate(path)
        )
        if score > best:
            best, best_path = score, targets.states[list(path)]
    return best, best_path


def spoken(*words, timed=None):
    """Words as (begin_ms, end_ms, rows of phones)."""
    offsets = np.cumsum([0, *(len(phones) for *_, phones in words)])
    return PronouncedWords(
        np.array([begin for begin, *_ in words], np.int64),
        np.array([end for _, end, _ in words], np.int64),
        offsets.astype(np.int64),
        np.array([p for *_, phones in words for p in phones], np.uint8),
        np.array(timed or [True] * len(words), bool),
    )


@pytest.mark.parametrize("seed", range(8))
def test_alignment_is_the_best_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    words = spoken((20, 80, (0, 1)), (90, 120, (2,)), timed=[True, seed % 5 != 0])
    which = targets(words, 6, 0, 20)
    fits = -rng.exponential(2, (6, 4)).astype(np.float32)
    score, classes = slowly_aligned(fits, which)
    found = aligned(fits, which)
    np.testing.assert_array_equal(found, classes)
    assert np.isfinite(score)


def test_evenly_spread_frames_are_a_way_through_the_states():
    """So there always is one, whatever a recogniser writes."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 40))
        begins = np.sort(rng.integers(-100, n * 20 + 100, int(rng.integers(0, 6))))
        words = spoken(
            *((b, b + int(rng.integers(0, 300)), rng.integers(0, 3, rng.integers(0, 5)))
              for b in begins.tolist())
        )  # fmt: skip
        which = targets(words, n, int(rng.integers(-50, 50)), 20)
        fits = np.full((n, 4), -9.0, np.float32)
        sure = np.flatnonzero(which.spread >= 0)
        fits[sure, which.spread[sure]] = 0
        np.testing.assert_array_equal(aligned(fits, which), which.spread)


def test_words_move_by_sixty_milliseconds_at_most():
    which = targets(spoken((200, 300, (0,))), 30, 0, 20)
    fits = np.full((30, 2), -5.0, np.float32)
    fits[:, 1] = 0  # the phone everywhere
    assert np.flatnonzero(aligned(fits, which) == 1).tolist() == list(range(7, 18))


def test_what_teaches_nothing_keeps_its_frames():
    words = spoken(
        (40, 100, ()), (100, 140, (0, 0, 0)), (140, 200, (1,)), timed=[True, True, False]
    )
    which = targets(words, 12, 0, 20)
    assert which.states.tolist() == [
        SILENCE,
        ANYTHING,
        SILENCE,
        ANYTHING,
        SILENCE,
        ANYTHING,
        SILENCE,
    ]
    expected = [SILENCE] * 2 + [ANYTHING] * 8 + [SILENCE] * 2
    assert aligned(np.zeros((12, 3), np.float32), which).tolist() == expected


def test_no_frames_have_no_states():
    which = targets(spoken((0, 100, (0,))), 0, 0, 20)
    assert len(aligned(np.empty((0, 2), np.float32), which)) == 0


def test_a_clock_that_begins_later_moves_the_words():
    which = targets(spoken((1040, 1100, (0, 1))), 10, 1000, 20)
    assert which.spread.tolist() == [0, 0, 1, 2, 2, 0, 0, 0, 0, 0]
