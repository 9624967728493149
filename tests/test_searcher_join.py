from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.invert import invert
from searcher.join import join, single, skip_costs
from std.config import SearchConfig
from std.store.resident import ResidentSegment


def places(networks, phrase, **config):
    """Where a phrase may be, as (start_ms, end_ms, posterior), sorted."""
    segment = ResidentSegment("", invert(networks))
    postings = segment.postings(phrase)
    if len(postings) < len(set(phrase)):
        return []
    search = SearchConfig(**config)
    cost = skip_costs(segment.slots([0]), search.epsilon_floor)
    found = join([postings[word] for word in phrase], cost, search)
    return sorted(
        (start, end, round(p, 5))
        for start, end, p in zip(
            found.start_ms.tolist(), found.end_ms.tolist(), found.posterior.tolist(), strict=True
        )
    )


def test_words_must_come_in_order(network):
    said = [network([("polizei", 0.9)], [("gewalt", 0.4)])]
    # sqrt(0.9 * 0.4) * sqrt(0.4): spec 6(g) with r = 1/2
    assert places(said, ["polizei", "gewalt"]) == [(0, 200, round(0.36**0.5 * 0.4**0.5, 5))]
    assert places(said, ["gewalt", "polizei"]) == []


def test_alternatives_of_one_slot_never_follow_each_other(network):
    said = [network([("a", 0.5, 0, 60), ("b", 0.5, 50, 100)])]
    assert places(said, ["a", "b"]) == []


@pytest.mark.parametrize(("gap_ms", "found"), [(499, 1), (500, 1), (501, 0)])
def test_the_gap_between_words(network, gap_ms, found):
    said = [
        network([("a", 1.0)], utterance="u1"),
        network([("b", 1.0)], utterance="u2", start_ms=100 + gap_ms),
    ]
    assert len(places(said, ["a", "b"])) == found
    assert len(places(said, ["a", "b"], max_gap_ms=100)) == 0


def test_words_of_other_channels_and_files_do_not_follow(network):
    said = [network([("a", 1.0)]), network([("b", 1.0)], channel=2, start_ms=100)]
    assert places(said, ["a", "b"]) == []
    said = [network([("a", 1.0)]), network([("b", 1.0)], file="talk", start_ms=100)]
    assert places(said, ["a", "b"]) == []


def test_a_skipped_slot_costs_its_epsilon(network):
    said = [network([("a", 1.0)], [("x", 0.7)], [("b", 1.0)])]
    assert places(said, ["a", "b"]) == [(0, 300, 0.3)]
    certain = [network([("a", 1.0)], [("x", 1.0)], [("b", 1.0)])]
    assert places(certain, ["a", "b"], epsilon_floor=0.01) == [(0, 300, 0.01)]


def test_a_word_that_straddles_slots_skips_nothing(network):
    said = [network([("a", 1.0, 0, 200)], [("x", 1.0)], [("b", 1.0, 180, 300)])]
    assert places(said, ["a", "b"]) == [(0, 300, 1.0)]
    assert places(said, ["a", "b"], max_overlap_ms=10) == []


def test_a_word_repeated_in_a_phrase(network):
    said = [network([("ha", 1.0)], [("ha", 1.0)], [("ha", 1.0)])]
    assert [(s, e) for s, e, _ in places(said, ["ha", "ha", "ha"])] == [(0, 300)]


word = st.sampled_from("abc")
slots = st.lists(
    st.lists(st.tuples(word, st.sampled_from([0.25, 0.5])), max_size=3, unique_by=lambda w: w[0]),
    max_size=7,
)


@settings(max_examples=150)
@given(slots, st.lists(word, min_size=1, max_size=4), st.sampled_from([0.0, 0.5, 1.0]))
def test_equals_trying_every_combination(network, made, phrase, r):
    """The slow twin: every choice of one posting per word, checked against the rule's text."""
    said = network(*made)
    segment = ResidentSegment("", invert([said]))
    postings = segment.postings(set(phrase))
    expected = []
    if len(postings) == len(set(phrase)):
        rows = [
            list(
                zip(
                    p.start_ms.tolist(),
                    p.end_ms.tolist(),
                    p.slot.tolist(),
                    p.posterior.tolist(),
                    strict=True,
                )
            )
            for p in (postings[w] for w in phrase)
        ]
        for path in product(*rows):
            if all(a[2] < b[2] and b[0] - a[1] <= 150 for a, b in pairwise(path)):
                skipped = [
                    max(slot.epsilon, 0.01)
                    for a, b in pairwise(path)
                    for slot in said
                    if a[1] <= (slot.start_ms + slot.end_ms) // 2 < b[0]
                ]
                p = [one[3] for one in path]
                score = np.prod(p) ** (1 - r) * min(p) ** r * np.prod(skipped)
                expected.append((path[0][0], path[-1][1], round(float(score), 5)))
    found = places([said], phrase, max_gap_ms=150, join_exponent=r)
    assert found == [pytest.approx(one, abs=2e-5) for one in sorted(expected)]  # ties of rounding


def test_a_phrase_of_one_word_is_its_postings(network):
    segment = ResidentSegment("", invert([network([("a", 0.5)])]))
    found = single(segment.postings(["a"])["a"])
    assert (found.start_ms.tolist(), found.end_ms.tolist(), found.posterior.tolist()) == (
        [0],
        [100],
        [0.5],
    )
