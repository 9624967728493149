"""Scores of alignments with slots, against all alignments written out."""

from functools import cache

import numpy as np
import pytest

from searcher.heard.kernels import DELETION, FLOOR, INSERTION, ROOM, ROOM_SLOTS, SAME_PHONE
from searcher.heard.places import PROBABILITY, HeardIndex, aligned, match_of, merged, seeds

TOKENS = ("_", "a", "b", "t")


def costs(probabilities):
    """In 1/16 nat, as they are kept."""
    with np.errstate(divide="ignore"):
        return np.minimum(np.rint(-16 * np.log(np.array(probabilities))), 255).astype(np.uint8)


def index_of(slots, first=(0,)):
    """Slots as (probability that it is empty, {token: probability}), 100 ms each."""
    n = len(slots)
    held = [sorted(one.items(), key=lambda item: -item[1]) for _, one in slots]
    return HeardIndex(
        TOKENS,
        np.arange(len(first)),
        np.stack([first, [*first[1:], n]], axis=1),
        (np.arange(n) * 100).astype(np.int32),
        (np.arange(1, n + 1) * 100).astype(np.int32),
        costs([empty for empty, _ in slots]),
        np.cumsum([0, *map(len, held)]),
        np.array([TOKENS.index(t) for one in held for t, _ in one], np.uint8),
        costs([p for one in held for _, p in one]),
    )


def drawn(seed, n, first=(0,)):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.4] * 5, n)
    return index_of([(s[0], dict(zip(TOKENS, s[1:], strict=True))) for s in shares], first)


def align(phones, index):
    """Scores and begins in all slots."""
    found = aligned(phones, index, index.bounds)
    assert found.slot.tolist() == list(range(len(index.empty)))
    return found.score, found.begin


def slowly(phones, index):
    """Of each slot the best score of an alignment that ends there, by recursion over them all."""
    match, q = match_of(phones, index.tokens), len(phones)
    is_first, deleted = {*index.bounds[:, 0].tolist()}, float(np.log(DELETION))

    def fit(slot, k):
        held = range(index.offsets[slot], index.offsets[slot + 1])
        total = sum(match[k, index.token[i]] * PROBABILITY[index.cost[i]] for i in held)
        return float(np.log(FLOOR + total))

    def skip(slot):
        empty = PROBABILITY[index.empty[slot]]
        return float(np.log(empty + INSERTION * (1 - empty)))

    @cache
    def best(slot, k):
        """Phones up to k are said up to this slot."""
        ways = [0.0] if k == 0 else [deleted] if k == 1 else []
        if slot not in is_first:
            for back, cost in ((1, 0.0), (2, deleted)):
                if k >= back:
                    ways.append(best(slot - 1, k - back) + cost)
            ways.append(best(slot - 1, k) + float(np.log(SAME_PHONE)))
        ways = [way + fit(slot, k) for way in ways]
        if k < q - 1 and slot not in is_first:
            ways.append(best(slot - 1, k) + skip(slot))
        return max(ways, default=-np.inf)

    n = len(index.empty)
    ends = [best(slot, q - 1) for slot in range(n)]
    without_last = [best(slot, q - 2) + deleted for slot in range(n)] if q > 1 else ends
    return np.maximum(ends, without_last)


@pytest.mark.parametrize("phones", [("a",), ("a", "b"), ("t", "a", "t"), ("b", "a", "a", "t")])
@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_best_alignment(phones, seed):
    index = drawn(seed, 12, first=(0, 7))
    scores, _ = align(phones, index)
    expected = slowly(phones, index)
    np.testing.assert_allclose(scores, np.maximum(expected, scores.min()), rtol=1e-4)


def test_a_query_of_two_hundred_phones_that_nothing_fits_has_a_score():
    said = [(0.0, {"b": 1.0})] * 210
    scores, begin = align(("a",) * 200, index_of(said))
    assert -1450 < scores[-1] < -700
    assert begin[-1] == 110  # every other phone is missing, which costs less than to fit nothing


def test_a_term_in_its_own_slots_is_found_with_its_span():
    said = [(0.0, {token: 1.0}) for token in ("_", "t", "a", "b", "_")]
    scores, begin = align(("t", "a", "b"), index_of(said))
    assert scores.argmax() == 3
    assert begin[3] == 1
    assert scores[3] > -0.5


def test_a_slot_that_is_no_phone_of_its_own_costs_little():
    said = [(0.0, {"t": 1.0}), (0.9, {"b": 0.1}), (0.0, {"a": 1.0})]
    other = [(0.0, {"t": 1.0}), (0.0, {"b": 1.0}), (0.0, {"a": 1.0})]
    assert align(("t", "a"), index_of(said))[0][2] > align(("t", "a"), index_of(other))[0][2] + 2


def test_no_alignment_goes_on_in_another_recording():
    said = [(0.0, {"t": 1.0}), (0.0, {"a": 1.0})]
    together, apart = (align(("t", "a"), index_of(said, first))[0][1] for first in ((0,), (0, 1)))
    assert apart < together - 5


def test_a_phone_is_heard_as_itself_or_one_that_is_articulated_alike():
    match = match_of(("t", "x"), ("_", "a", "t", "d"))
    np.testing.assert_allclose(match.sum(axis=1), [1.0, 0.1], atol=1e-6)
    assert match[0].argmax() == 2
    assert match[0, 3] > match[0, 1]
    assert (match[:, 0] == 0).all()


def seeds_slowly(phones, index, length):
    """Windows by trying all runs of slots: each holds the next phone, holds on, or is passed."""
    found = []
    for low, high in index.bounds.tolist():
        reached = [set() for _ in range(length)]  # places of the query, after so many phones
        for slot in range(low, high):
            held = range(index.offsets[slot], index.offsets[slot + 1])
            likely = [i for i in held if index.cost[i] <= 37 and index.token[i]][:2]
            here = {k for i in likely for k, p in enumerate(phones) if p == TOKENS[index.token[i]]}
            ends = {k + 1 for k in reached[length - 2] if k + 1 in here}
            for n in range(length - 2, 0, -1):
                kept = reached[n] if index.empty[slot] <= 26 else reached[n] & here
                reached[n] = kept | {k + 1 for k in reached[n - 1] if k + 1 in here}
            reached[0] = here | (reached[0] if index.empty[slot] <= 26 else set())
            if ends:
                before = int(ROOM * (max(ends) + 1)) + ROOM_SLOTS
                behind = int(ROOM * (len(phones) - 1 - min(ends))) + ROOM_SLOTS
                found.append([max(low, slot - before), min(high, slot + 1 + behind)])
    return found


@pytest.mark.parametrize("length", [3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_seeds_are_phones_of_the_query_in_a_row(seed, length):
    index, phones = drawn(seed, 400, first=(0, 150)), ("b", "a", "t", "a", "b", "b")
    found = seeds(phones, index, length)
    assert found.tolist() == seeds_slowly(phones, index, length)
    assert 0 < len(found) < 400


def test_a_query_longer_than_a_word_of_bits_has_seeds_at_its_beginning():
    said = [(0.0, {token: 1.0}) for token in "tab" * 30]
    windows = merged(seeds(("t", "a", "b") * 30, index_of(said), 3))
    assert windows.tolist() == [[0, 90]]


def test_merged_windows_cover_the_same_slots_once():
    rng = np.random.default_rng(1)
    begin = rng.integers(0, 500, 40)
    windows = np.stack([begin, begin + rng.integers(0, 20, 40)], axis=1)
    covered = {slot for low, high in windows.tolist() for slot in range(low, high)}
    found = [slot for low, high in merged(windows).tolist() for slot in range(low, high)]
    assert found == sorted(covered)
    assert merged(np.empty((0, 2), np.int64)).shape == (0, 2)
