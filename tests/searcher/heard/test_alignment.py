"""Scores of alignments with slots, against all alignments written out."""

from functools import cache

import numpy as np
import pytest

from searcher.heard.alignment import DELETED, FLOOR, INSERTED, SAME, align, match_of
from searcher.heard.index import HeardIndex

TOKENS = ("_", "a", "b", "t")


def index_of(slots, first=(0,)):
    """Slots as (probability that it is empty, {token: probability}), 100 ms each."""
    n = len(slots)
    return HeardIndex(
        TOKENS,
        np.cumsum([i in first for i in range(n)]) - 1,
        np.arange(n) * 100,
        np.arange(1, n + 1) * 100,
        np.array([i in first for i in range(n)], np.uint8),
        np.array([empty for empty, _ in slots], np.float32),
        np.cumsum([0, *(len(held) for _, held in slots)]),
        np.array([TOKENS.index(t) for _, held in slots for t in held], np.uint8),
        np.array([p for _, held in slots for p in held.values()], np.float32),
    )


def drawn(seed, n, first=(0,)):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.4] * 5, n)
    return index_of([(s[0], dict(zip(TOKENS, s[1:], strict=True))) for s in shares], first)


def slowly(phones, index):
    """Of each slot the best score of an alignment that ends there, by recursion over them all."""
    match, q = match_of(phones, index.tokens), len(phones)

    def fit(slot, k):
        held = range(index.offsets[slot], index.offsets[slot + 1])
        total = FLOOR + sum(match[k, index.token[i]] * index.probability[i] for i in held)
        return float(np.log(total))

    def skip(slot):
        return float(np.log(index.empty[slot] + INSERTED * (1 - index.empty[slot])))

    @cache
    def best(slot, k):
        """Phones up to k are said up to this slot."""
        ways = [0.0] if k == 0 else [DELETED] if k == 1 else []
        if not index.is_first[slot]:
            for back, cost in ((1, 0.0), (2, DELETED)):
                if k >= back:
                    ways.append(best(slot - 1, k - back) + cost)
            ways.append(best(slot - 1, k) + SAME)
        ways = [way + fit(slot, k) for way in ways]
        if k < q - 1 and not index.is_first[slot]:
            ways.append(best(slot - 1, k) + skip(slot))
        return max(ways, default=-np.inf)

    n = len(index.empty)
    ends = [best(slot, q - 1) for slot in range(n)]
    without_last = [best(slot, q - 2) + DELETED for slot in range(n)] if q > 1 else ends
    return np.maximum(ends, without_last)


@pytest.mark.parametrize("phones", [("a",), ("a", "b"), ("t", "a", "t"), ("b", "a", "a", "t")])
@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_best_alignment(phones, seed):
    index = drawn(seed, 12, first=(0, 7))
    scores, _ = align(phones, index)
    expected = slowly(phones, index)
    np.testing.assert_allclose(scores, np.maximum(expected, scores.min()), rtol=1e-4)


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
