import math
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions, read_segments
from indexer.lattices import minimum_bayes_risk
from indexer.lattices.lattice import Lattice, ordered
from indexer.lattices.to_network import (
    best_path,
    expected_distance,
    link_posteriors,
    mbr_slots,
    pivot_slots,
    pruned,
    to_utterances,
    words_only,
)
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in, networks_of

pytestmark = pytest.mark.slow

ASR = Path(__file__).parents[2] / "data" / "asr"
HERE = Recording("news", 1)


@pytest.fixture(scope="module", autouse=True)
def _interpreted():
    """Small lattices need no machine code; test_indexer_mbr shows that it does the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimum_bayes_risk, "compiled", lambda function: function)
        yield


def to_network(lattice, method="mbr"):
    """The network of the lattice's one utterance."""
    return next(iter(to_utterances(lattice, method)))


@st.composite
def small_lattices(draw, words=("a", "b", "c", None)):
    """Any shape of up to six nodes; parallel links, words that are none."""
    nodes = draw(st.integers(2, 6))
    link = st.tuples(
        st.integers(0, nodes - 2),
        st.integers(1, nodes - 1),
        st.sampled_from(words),
        st.floats(-4, 0),
    )
    links = draw(st.lists(link.filter(lambda one: one[0] < one[1]), min_size=1, max_size=9))
    links.append((0, nodes - 1, "a", -1.0))  # there is always a path
    source, target, said, score = zip(*links, strict=True)
    return ordered(HERE, "u", np.arange(nodes) / 2, source, target, said, score, [0], [nodes - 1])


@st.composite
def hypothesis_lists(draw):
    """Paths that share nothing but their ends: an n-best list."""
    source, target, said, score, nodes = [], [], [], [], 2
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
        inner = list(range(nodes, nodes + len(words) - 1))
        nodes += len(inner)
        for word, (one, other) in zip(words, pairwise([0, *inner, 1]), strict=True):
            source.append(one), target.append(other), said.append(word)
        score += [draw(st.floats(-3, 0)), *[0.0] * (len(words) - 1)]
    times = np.linspace(0, 1, nodes)
    return ordered(HERE, "u", times, source, target, said, score, [0], [1])


def paths(lattice):
    """Every path as (links, probability), by walking all of them."""
    leaving = defaultdict(list)
    for link, source in enumerate(lattice.source.tolist()):
        leaving[source].append(link)
    found, open_paths = [], [[]]
    while open_paths:
        path = open_paths.pop()
        node = int(lattice.target[path[-1]]) if path else 0
        if node == len(lattice.node_s) - 1:
            found.append((path, math.exp(sum(lattice.log_score[path]))))
        open_paths += [[*path, link] for link in leaving[node]]
    total = sum(mass for _, mass in found)
    return [(path, mass / total) for path, mass in found]


def words_of(lattice, path):
    return [lattice.vocabulary[i] for i in lattice.word[path] if i >= 0]


def exact_distance(lattice, words):
    return sum(
        mass * Levenshtein.distance(words_of(lattice, path), words) for path, mass in paths(lattice)
    )


def spread(lattice, words):
    ids = {word: i + 1 for i, word in enumerate(lattice.vocabulary)}
    said = np.zeros(2 * len(words) + 1, dtype=np.int32)
    said[1::2] = [ids[word] for word in words]
    return said


def top(slots):
    return [slots.words[i - 1] for i in slots.mass.argmax(axis=1) if i > 0]


@given(small_lattices())
def test_link_posteriors_are_sums_over_all_paths(lattice):
    expected = np.zeros(len(lattice))
    for path, mass in paths(lattice):
        expected[path] += mass
    np.testing.assert_allclose(link_posteriors(lattice), expected, atol=1e-9)


@given(small_lattices())
def test_the_best_path_is_the_best_of_all(lattice):
    best = max(mass for _, mass in paths(lattice))
    found = {tuple(path): mass for path, mass in paths(lattice)}
    assert found[tuple(best_path(lattice).tolist())] == pytest.approx(best)


@given(small_lattices(), st.floats(0, 1))
def test_pruning_keeps_the_best_path_and_what_is_likely(lattice, limit):
    kept = pruned(lattice, limit)
    assert words_of(kept, best_path(kept)) == words_of(lattice, best_path(lattice))
    likely = link_posteriors(lattice) >= limit
    assert len(kept) <= max(likely.sum(), 0) + len(best_path(lattice))


@given(small_lattices(), st.lists(st.sampled_from("abc"), max_size=4))
def test_expected_distance_is_a_bound(lattice, words):
    assume(set(words) <= set(lattice.vocabulary))
    bound, _ = expected_distance(lattice, spread(lattice, words))
    assert bound >= exact_distance(lattice, words) - 1e-9


@given(hypothesis_lists(), st.lists(st.sampled_from("abc"), max_size=4))
def test_expected_distance_is_exact_where_paths_do_not_meet(lattice, words):
    assume(set(words) <= set(lattice.vocabulary))
    bound, _ = expected_distance(lattice, spread(lattice, words))
    assert bound == pytest.approx(exact_distance(lattice, words), abs=4 * minimum_bayes_risk.DELTA)


@given(small_lattices())
def test_slots_sum_to_one_and_invent_nothing(lattice):
    slots = mbr_slots(lattice)
    np.testing.assert_allclose(slots.mass.sum(axis=1), 1, atol=1e-9)
    posteriors = link_posteriors(lattice)
    for i, word in enumerate(slots.words):
        expected_count = posteriors[lattice.word == lattice.vocabulary.index(word)].sum()
        assert slots.mass[:, i + 1].sum() <= expected_count + 1e-9


@given(small_lattices())
def test_the_networks_best_path_is_no_worse_than_the_lattices(lattice):
    first = words_of(lattice, best_path(lattice))
    chosen = top(mbr_slots(lattice))
    bound, _ = expected_distance(lattice, spread(lattice, chosen))
    assert bound <= expected_distance(lattice, spread(lattice, first))[0] + 1e-3


@given(hypothesis_lists())
def test_the_networks_best_path_is_no_worse_exactly(lattice):
    first = words_of(lattice, best_path(lattice))
    chosen = top(mbr_slots(lattice))
    assert exact_distance(lattice, chosen) <= exact_distance(lattice, first) + 1e-3


@given(small_lattices(), st.sampled_from(["mbr", "pivot"]))
def test_networks_are_in_order_and_within_the_utterance(lattice, method):
    network = to_network(lattice, method)
    flat = network.slot_spans_ms.ravel()
    assert (np.diff(flat) >= 0).all()
    assert ((network.spans_ms >= network.start_ms) & (network.spans_ms <= network.end_ms)).all()
    sums = (
        network.epsilons + np.add.reduceat(network.posteriors, network.offsets[:-1])
        if len(network)
        else []
    )
    assert all(total == pytest.approx(1, abs=1e-4) for total in sums)


def test_three_hypotheses_by_hand():
    # P(ein haus) = .5, P(kein haus) = .3, P(ein) = .2: each slot's posteriors are sums of these
    lattice = ordered(
        HERE, "u", [0.0, 1.0, 1.0, 2.0], [0, 1, 0, 2, 0], [1, 3, 2, 3, 3],
        ["ein", "haus", "kein", "haus", "ein"], np.log([0.5, 1, 0.3, 1, 0.2]), [0], [3],
    )  # fmt: skip
    network = to_network(lattice)
    first, second = network
    assert {(one.word, round(one.posterior, 4)) for one in first.alternatives} == {
        ("ein", 0.7), ("kein", 0.3),
    }  # fmt: skip
    assert [(one.word, round(one.posterior, 4)) for one in second.alternatives] == [("haus", 0.8)]
    assert second.epsilon == pytest.approx(0.2)
    # "ein" ends at 1 s with .5 and at 2 s with .2: (.5 * 1 + .2 * 2) / .7 = 1.286 s
    assert {one.word: one.end_ms for one in first.alternatives} == {"ein": 1286, "kein": 1000}


def test_silence_variants_and_unknown_words():
    lattice = ordered(
        HERE, "u", [0.0, 1.0, 2.0, 3.0], [0, 1, 1, 1, 2], [1, 2, 2, 2, 3],
        ["<sil>", "an(2)", "an", "<unk>", "</s>"], np.log([1, 0.2, 0.5, 0.3, 1]), [0], [3],
    )  # fmt: skip
    (slot,) = to_network(lattice)
    assert [(one.word, round(one.posterior, 4)) for one in slot.alternatives] == [("an", 0.7)]
    assert slot.epsilon == pytest.approx(0)  # somebody said something: <unk> is not silence
    assert words_only(lattice).vocabulary == ("an", "<unk>")


def test_pivot_by_hand():
    # "kosten" (0-1 s) overlaps "kostengünstige" (0-2 s) by half; "oh" lies in the gap after it
    lattice = ordered(
        HERE, "u", [0.0, 1.0, 2.0, 3.0, 4.0], [0, 0, 1, 2, 2, 3], [2, 1, 2, 3, 3, 4],
        ["kostengünstige", "kosten", None, None, "oh", "haus"],
        np.log([0.6, 0.4, 1, 0.9, 0.1, 1]), [0], [4],
    )  # fmt: skip
    slots = pivot_slots(lattice)
    found = [
        {slots.words[i - 1]: round(mass, 3) for i, mass in enumerate(row) if i and mass}
        for row in slots.mass
    ]
    assert found == [{}, {"kostengünstige": 0.6, "kosten": 0.4}, {"oh": 0.1}, {"haus": 1.0}, {}]


def test_a_lattice_without_words():
    lattice = ordered(HERE, "u", [0.0, 1.0], [0], [1], [None], [0.0], [0], [1])
    for method in ("mbr", "pivot"):
        network = to_network(lattice, method)
        assert (len(network), network.start_ms, network.end_ms) == (0, 0, 1000)


@pytest.mark.parametrize("method", ["mbr", "pivot"])
def test_a_lattice_of_hours_is_refused_before_it_fills_the_memory(method):
    count = 12_000
    nodes = np.arange(count + 1)
    words = [f"w{i % 500}" for i in range(count)]
    lattice = ordered(HERE, "u", nodes, nodes[:-1], nodes[1:], words, [0.0] * count, [0], [count])
    with pytest.raises(
        InputError, match=r"lattices of utterances.*got 12,000 words and 12,00. nodes"
    ):
        to_utterances(lattice, method, "x.slf")


CONTEXT = ReaderOptions(segments=read_segments(ASR / "german" / "segments"))


@pytest.mark.parametrize("method", ["mbr", "pivot"])
def test_real_lattice_gives_the_words_of_the_recognisers_network(method):
    """The recogniser's own network was made from the same lattice, by another program."""
    path = ASR / "slf" / "de_rhasspy-2437.slf.gz"
    options = replace(CONTEXT, lattice_method=method, acoustic_scale=0.05)  # p= as it is
    (network,) = networks_of(path, options=options)
    ours = {
        one.utterance: one for one in networks_in(parse_file(ASR / "german" / "networks.jsonl"))
    }
    expected = ours["de_rhasspy-2437"]
    sure = [slot.alternatives[0] for slot in expected if slot.alternatives[0].posterior > 0.9]
    found = {(a.word, a.start_ms // 100): a for slot in network for a in slot.alternatives}
    assert len(sure) >= 5
    for one in sure:
        near = [found.get((one.word, one.start_ms // 100 + shift)) for shift in (-1, 0, 1)]
        best = max((a for a in near if a), key=lambda a: a.posterior)
        assert best.posterior == pytest.approx(one.posterior, abs=0.02)
        assert abs(best.start_ms - one.start_ms) <= 20
        assert abs(best.end_ms - one.end_ms) <= 20


@pytest.mark.parametrize("path", sorted((ASR / "slf").glob("*.slf.gz")), ids=lambda path: path.name)
def test_real_networks_are_no_worse_than_the_best_path(path):
    (lattice,) = networks_in(parse_file(path))
    lattice = pruned(words_only(lattice))
    first = words_of(lattice, best_path(lattice))
    chosen = top(mbr_slots(lattice))
    assert (
        expected_distance(lattice, spread(lattice, chosen))[0]
        <= expected_distance(lattice, spread(lattice, first))[0] + 1e-9
    )


def test_rounding_errors_choose_no_slot():
    """Where a word fits two slots equally well, it takes the same one on every machine."""
    (lattice,) = networks_in(parse_file(ASR / "slf" / "de_rhasspy-0803.slf.gz"))
    noise = np.random.default_rng(1).normal(0, 1e-12, (2, len(lattice)))
    first, second = (
        to_network(replace(lattice, log_score=lattice.log_score + errors)) for errors in noise
    )
    assert first.words == second.words
    np.testing.assert_allclose(first.posteriors, second.posteriors, atol=1e-6)


def test_links_that_run_backwards_are_refused():
    columns = np.array([0.0, 1.0]), np.array([1], np.int32), np.array([0], np.int32)
    with pytest.raises(ValueError, match="runs backwards"):
        Lattice(HERE, "u", *columns, ("a",), np.array([0], np.int32), np.array([0.0]))


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match="circle"):
        ordered(HERE, "u", [0, 0, 0, 0], [0, 1, 2, 1], [1, 2, 1, 3], "abcd", [0] * 4, [0], [3])


def test_no_path_is_refused():
    with pytest.raises(ValueError, match="no path"):
        ordered(HERE, "u", [0, 0, 0, 0], [0, 2], [1, 3], "ab", [0] * 2, [0], [3])


def test_several_starts_and_ends():
    lattice = ordered(
        HERE, "u", [0.0, 0.5, 1.0, 2.0], [0, 1], [2, 3], "ab",
        [math.log(0.25), math.log(0.75)], [0, 1], [2, 3],
    )  # fmt: skip
    assert sorted(mass for _, mass in paths(lattice)) == pytest.approx([0.25, 0.75])
