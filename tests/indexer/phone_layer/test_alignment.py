"""How probably each frame is each phone, against every way to give the frames states."""

from itertools import product

import numpy as np
import pytest

from indexer.phone_layer.learning import (
    ANYTHING,
    JUDGED_MS,
    SILENCE,
    SLACK_MS,
    occupancies,
    targets,
)
from indexer.phone_layer.sources import PronouncedWords


def slow_occupancies(fits, targets):
    """Every way to give each frame a state."""
    n, s = len(fits), len(targets.states)
    found = np.zeros(fits.shape)
    for path in product(range(s), repeat=n):
        missed = set(range(s)) - set(path)
        if list(path) != sorted(path) or any(targets.states[m] != SILENCE for m in missed):
            continue
        if any(not targets.first[p] <= i < targets.end[p] for i, p in enumerate(path)):
            continue
        classes = targets.states[list(path)]
        told = np.flatnonzero(classes != ANYTHING)
        weight = np.exp(fits[told, classes[told]].sum())
        found[told, classes[told]] += weight
    used = targets.spread != ANYTHING
    return np.where(used[:, None], found / found.sum(axis=1, keepdims=True).max(), 0.0)


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
def test_every_way_counts_by_how_well_its_frames_fit(seed):
    rng = np.random.default_rng(seed)
    words = spoken((20, 80, (0, 1)), (90, 120, (2,)), timed=[True, seed % 4 != 0])
    which = targets(words, 6, 0, 20)
    fits = -rng.exponential(2, (6, 4)).astype(np.float32)
    np.testing.assert_allclose(occupancies(fits, which), slow_occupancies(fits, which), atol=1e-5)


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
        sure = np.flatnonzero(which.spread >= 0)
        expected = np.zeros((n, 4), np.float32)
        expected[sure, which.spread[sure]] = 1
        fits = np.where(expected > 0, 0, np.float32(-99))
        np.testing.assert_allclose(occupancies(fits, which), expected, atol=1e-6)


def test_long_speech_with_one_way_only_has_it():
    """Sums of thousands of frames that fit badly are still told apart."""
    n = 3000
    words = spoken(*((60 * w, 60 * w + 60, (w % 3,)) for w in range(n // 3)))
    which = targets(words, n, 0, 20, slack_ms=0)
    found = occupancies(np.full((n, 4), -10.0, np.float32), which)
    assert (found.argmax(axis=1) == which.spread).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(("slack_ms", "held"), [(JUDGED_MS, (12, 23)), (SLACK_MS, (0, 35))])
def test_words_move_as_far_as_they_may(slack_ms, held):
    which = targets(spoken((300, 400, (0,))), 40, 0, 20, slack_ms)
    fits = np.full((40, 2), -5.0, np.float32)
    fits[:, 1] = 0  # the phone fits everywhere
    assert np.flatnonzero(occupancies(fits, which)[:, 1]).tolist() == list(range(*held))


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
    found = occupancies(np.zeros((12, 3), np.float32), which)
    assert found[:, SILENCE].tolist() == [1] * 2 + [0] * 8 + [1] * 2
    assert not found[:, 1:].any()


def test_a_word_that_is_used_takes_no_frame_of_one_that_is_not():
    which = targets(spoken((0, 100, (0,)), (100, 200, ()), (200, 300, (1,))), 15, 0, 20)
    fits = np.full((15, 3), -1.0, np.float32)
    fits[:, 1:] = 0
    found = occupancies(fits, which)
    np.testing.assert_array_equal(found.sum(axis=1) > 0.5, [True] * 5 + [False] * 5 + [True] * 5)


def test_no_frames_have_no_states():
    which = targets(spoken((0, 100, (0,))), 0, 0, 20)
    assert occupancies(np.empty((0, 2), np.float32), which).shape == (0, 2)


def test_a_clock_that_begins_later_moves_the_words():
    which = targets(spoken((1040, 1100, (0, 1))), 10, 1000, 20)
    assert which.spread.tolist() == [0, 0, 1, 2, 2, 0, 0, 0, 0, 0]
