from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.segments.invert import invert
from indexer.segments.merge import merged
from searcher.lexical.join import join, single_word, skip_costs
from std.config import SearchConfig
from std.store.resident import ResidentSegment


def places(networks, phrase, **config):
    """Where a phrase may be, as (start_ms, end_ms, posterior), sorted."""
    segment = ResidentSegment(None, invert(networks))
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


def test_the_example_of_the_explanation(network):
    said = network(
        [("polizei", 0.9), ("politik", 0.1)], [("eine", 0.3)], [("gewalt", 0.6), ("gestalt", 0.4)]
    )
    (place,) = places([said], ["polizei", "gewalt"])
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "joins.md").read_text()
    assert f" .7 = {place[2]:.3f}.".replace(" 0.", " .") in page


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


def test_a_word_that_takes_no_time_follows_and_is_followed(network):
    """Google and others write words whose start is their end."""
    said = [
        network(
            [("a", 1.0)], [("b", 1.0)], [("c", 1.0)], spans_ms=[(0, 300), (300, 300), (300, 800)]
        )
    ]
    assert places(said, ["a", "b"]) == [(0, 300, 1.0)]
    assert places(said, ["b", "c"]) == [(300, 800, 1.0)]
    assert places(said, ["a", "b", "c"]) == [(0, 800, 1.0)]
    assert places(said, ["c", "b"]) == places(said, ["b", "a"]) == []
    assert places(said, ["a", "c"], epsilon_floor=0.01) == [(0, 800, 0.01)]  # skips b


def test_words_at_one_moment_follow_each_other_in_the_order_of_their_slots(network):
    slots = [[(word, 1.0)] for word in "abcd"]
    for spans in (
        [(500, 500)] * 4,
        [(500, 500)] * 3 + [(500, 900)],
        [(500, 900)] + [(600, 600)] * 3,
    ):
        said = [network(*slots, spans_ms=spans)]
        for first, second in product("abcd", repeat=2):
            follows = ord(second) - ord(first) > 0
            assert len(places(said, [first, second], max_overlap_ms=300)) == follows
        assert [p for *_, p in places(said, [*"abcd"], max_overlap_ms=300)] == [1.0]


def test_the_order_of_slots_decides_where_their_middles_do_not_ascend(network):
    said = [network([("a", 1.0)], [("b", 1.0)], spans_ms=[(1000, 1500), (1100, 1310)])]
    assert places(said, ["a", "b"], max_overlap_ms=400) == [(1000, 1500, 1.0)]
    assert places(said, ["b", "a"], max_overlap_ms=400) == []


def test_alternatives_of_no_length_in_one_slot_never_follow_each_other(network):
    said = [network([("a", 0.5, 100, 100), ("b", 0.5, 100, 100)])]
    assert places(said, ["a", "b"]) == places(said, ["b", "a"]) == []


def test_words_of_no_length_follow_each_other_across_utterances_in_any_order_of_files(network):
    ends = network([("a", 1.0)], [("b", 1.0)], utterance="u2", spans_ms=[(0, 500), (500, 500)])
    begins = network([("c", 1.0)], [("d", 1.0)], utterance="u1", spans_ms=[(500, 500), (500, 900)])
    begins = replace(begins, start_ms=500)
    both = [ResidentSegment(None, invert([one])) for one in (ends, begins)]
    for parts in (both, both[::-1]):
        columns = merged(parts)
        assert columns.digest() == invert([begins, ends]).digest()
        segment = ResidentSegment(None, columns)
        postings = segment.postings("abcd")
        cost = skip_costs(segment.slots([0]), 0.01)
        for pair, n in (("bc", 1), ("cb", 0), ("ad", 1), ("cd", 1)):
            assert len(join([postings[w] for w in pair], cost, SearchConfig()).posterior) == n


def test_which_word_is_rarest_changes_nothing(network):
    """The join begins at the rarest word; a long first word reaches over a short second one."""
    slots = [[("a", 1.0, 0, 250)], [("b", 1.0, 100, 120)], [("c", 1.0, 610, 700)]]
    for more in "abc":
        elsewhere = [network(*[[(w, 1.0)]] * 3, file="z") for w in "abc" if w != more]
        elsewhere = [replace(one, utterance=f"u{i}") for i, one in enumerate(elsewhere)]
        assert places([network(*slots), *elsewhere], ["a", "b", "c"]) == [(0, 700, 1.0)]
        assert places([network(*slots), *elsewhere], ["a", "b", "c"], max_gap_ms=489) == []


word = st.sampled_from("abc")
times = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=6)
slots = st.lists(
    st.lists(st.tuples(word, st.sampled_from([0.25, 0.5])), max_size=3, unique_by=lambda w: w[0]),
    max_size=7,
)


@settings(max_examples=150)
@given(slots, st.lists(word, min_size=1, max_size=4), st.sampled_from([0.0, 0.5, 1.0]))
def test_equals_trying_every_combination(network, made, phrase, r):
    """The slow twin: every choice of one posting per word, checked against the rule's text."""
    said = network(*made)
    segment = ResidentSegment(None, invert([said]))
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


@settings(max_examples=300)
@given(times, st.lists(word, min_size=2, max_size=3), st.data())
def test_equals_trying_every_combination_at_any_times(network, spans, phrase, data):
    """The slow twin again: words that take no time, overlap, or begin together."""
    spans = [(100 * start, 100 * (start + length)) for start, length in sorted(spans)]
    words = [data.draw(word) for _ in spans]
    said = network(*[[(one, 0.5)] for one in words], spans_ms=spans)
    middles, reached = [], 0
    for start, end in spans:  # a slot's place on the clock is never before that of the slot before
        reached = max(reached, (start + end) // 2)
        middles.append(reached)
    expected = []
    for path in combinations(range(len(spans)), len(phrase)):
        follow = (
            all(-200 <= spans[b][0] - spans[a][1] <= 150 for a, b in pairwise(path))
            and [words[i] for i in path] == phrase
        )
        if follow:
            skipped = [
                0.5
                for a, b in pairwise(path)
                for i in range(a + 1, b)
                if spans[a][1] <= middles[i] <= spans[b][0]
            ]
            start, end = min(spans[i][0] for i in path), max(spans[i][1] for i in path)
            expected.append((start, end, round(0.5 ** (0.5 * len(path) + 0.5 + len(skipped)), 5)))
    found = places([said], phrase, max_gap_ms=150)
    assert found == [pytest.approx(one, abs=2e-5) for one in sorted(expected)]


def test_a_phrase_of_one_word_is_its_postings(network):
    segment = ResidentSegment(None, invert([network([("a", 0.5)])]))
    found = single_word(segment.postings(["a"])["a"])
    assert (found.start_ms.tolist(), found.end_ms.tolist(), found.posterior.tolist()) == (
        [0],
        [100],
        [0.5],
    )


def test_posteriors_do_not_depend_on_which_word_is_rare(network):
    """Another word is the rarest in each segment, and sums of floats depend on their order."""
    rng, words = np.random.default_rng(4), ["a", "b", "c", "d", "e"]
    for _ in range(20):
        posteriors = rng.uniform(0.1, 0.9, 5)
        said = network(*[[(word, p)] for word, p in zip(words, posteriors, strict=True)])
        found = []
        for rare in words:
            others = [
                network(*[[(word, 0.5)] for word in words if word != rare], file=f"other{i}")
                for i in range(3)
            ]
            segment = ResidentSegment(None, invert([said, *others]))
            postings = segment.postings(words)
            cost = skip_costs(segment.slots(range(4)), 0.05)
            found.append(join([postings[word] for word in words], cost, SearchConfig()).posterior)
        assert all(len(one) == 1 and one.tolist() == found[0].tolist() for one in found)


@pytest.mark.parametrize("most", [1, 7, 40, 1000])
def test_of_too_many_paths_the_likeliest_are_continued(network, most):
    """A beam: at no step more than so many pairs, and nothing that the whole join lacks."""
    rng = np.random.default_rng(most)
    words = [[("a", p), ("b", q)] for p, q in rng.uniform(0.05, 0.45, (60, 2)).tolist()]
    segment = ResidentSegment(None, invert([network(*words)]))
    postings, cost = segment.postings("ab"), skip_costs(segment.slots([0]), 0.05)
    for phrase in ("ab", "aba", "abbaab"):
        of_words = [postings[word] for word in phrase]
        every = join(of_words, cost, SearchConfig())
        found = join(of_words, cost, SearchConfig(max_places=most))
        rows = set(map(tuple, every.slots.tolist()))
        assert len(found.posterior) <= most
        assert found.is_cut or len(found.posterior) == len(every.posterior)
        assert rows.issuperset(map(tuple, found.slots.tolist()))
    likeliest = every.likeliest(most)
    slow = sorted(enumerate(every.posterior.tolist()), key=lambda one: (-one[1], one[0]))[:most]
    assert likeliest.posterior.tolist() == every.posterior[sorted(i for i, _ in slow)].tolist()
