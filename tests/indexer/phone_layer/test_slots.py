"""Slots of posteriors that are written by hand."""

from itertools import pairwise, product

import numpy as np

from indexer.phone_layer.layer import fits_of
from indexer.phone_layer.slots import CHANGE, slots_of

EQUAL = np.full(3, 1 / 3, np.float32)


def posteriors(*rows):
    table = np.array(rows, np.float32)
    return np.log(table / table.sum(axis=1, keepdims=True))


def sure(*phones):
    table = np.full((len(phones), 3), 0.01)
    table[np.arange(len(phones)), phones] = 0.98
    return posteriors(*table)


def test_each_run_of_a_phone_is_a_slot():
    slots = slots_of(sure(0, 0, 1, 1, 1, 2, 2, 0), EQUAL)
    assert slots.frames.tolist() == [2, 3, 2, 1]
    assert slots.probability.argmax(axis=1).tolist() == [0, 1, 2, 0]


def test_what_a_slot_may_hold_sums_to_one():
    rng = np.random.default_rng(1)
    slots = slots_of(posteriors(*rng.dirichlet([0.3] * 3, 200)), EQUAL)
    np.testing.assert_allclose(slots.probability.sum(axis=1) + slots.empty, 1)
    assert slots.frames.sum() == 200
    assert (slots.probability >= 0).all()
    assert (slots.empty >= 0).all()


def test_a_doubtful_frame_within_a_phone_makes_no_slot():
    table = np.exp(sure(1, 1, 1, 1, 1))
    table[2] = (0.1, 0.4, 0.5)
    assert slots_of(posteriors(*table), EQUAL).frames.tolist() == [5]


def test_a_slot_like_its_neighbours_may_be_empty():
    table = np.exp(sure(1, 1, 2, 2, 0, 0))
    doubtful = table.copy()
    doubtful[2:4] = (0.02, 0.42, 0.56)
    clear, unclear = (slots_of(posteriors(*rows), EQUAL) for rows in (table, doubtful))
    assert len(clear.frames) == 3
    assert clear.empty[1] < 0.05
    if len(unclear.frames) == 3:
        assert unclear.empty[1] > 0.3
    else:
        assert unclear.probability[0, 2] > 0.2  # the phone is an alternative of its neighbour


def test_a_long_silence_is_several_slots():
    slots = slots_of(sure(*[0] * 600, 1, 1), EQUAL)
    assert slots.frames.tolist() == [255, 255, 90, 2]


def test_no_frames_have_no_slots():
    slots = slots_of(np.empty((0, 3), np.float32), EQUAL)
    assert len(slots.frames) == len(slots.empty) == 0
    assert slots.probability.shape == (0, 3)


def test_slots_are_cut_on_the_best_of_all_rows():
    """By trying all rows of three phones on six frames."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        said = posteriors(*rng.dirichlet([0.5] * 3, 6))
        fits = fits_of(said, EQUAL)
        best = max(
            product(range(3), repeat=6),
            key=lambda row: (
                sum(fits[i, p] for i, p in enumerate(row))
                - CHANGE * sum(a != b for a, b in pairwise(row))
            ),
        )
        changes = [i for i in range(1, 6) if best[i] != best[i - 1]]
        assert np.cumsum(slots_of(said, EQUAL).frames)[:-1].tolist() == changes
