import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.invert import invert
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.context import contexts
from searcher.output.explain import explained
from searcher.output.notices import remarks
from searcher.search import search
from searcher.terms.wildcards import Expansion, described, expand, fits, union
from std.config import Config, DecisionConfig, SearchConfig
from std.errors import StdError
from std.execution.processes import executor
from std.store.resident import ResidentSegment
from std.values import Term

GLOBAL = DecisionConfig(rule="global", threshold=0.5)


@given(st.text("ab*", max_size=6), st.text("ab*\n", max_size=8))
def test_fits_as_the_regular_expression_says(letters, word):
    pattern = f"{letters}*"
    expected = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), word, re.DOTALL)
    assert fits(pattern, word) == bool(expected)


def test_hostile_patterns_take_no_longer_than_others():
    assert not fits("*a" * 1000 + "*b", "a" * 60_000)


@given(st.sets(st.text("abä*", min_size=1, max_size=4)), st.text("abä*", min_size=1, max_size=3))
def test_a_wildcard_stands_for_every_word_that_fits(words, letters):
    counts = {word: len(word) for word in sorted(words)}
    for pattern in (f"{letters}*", f"*{letters}", f"{letters[0]}*{letters}"):
        expansion = expand([pattern], counts, 1000)[pattern]
        assert set(expansion.words) == {word for word in words if fits(pattern, word)}
        assert (expansion.fitting, expansion.limited) == (len(expansion.words), False)


def test_of_too_many_words_the_most_frequent_are_searched_and_that_is_said():
    counts = {"a": 9, "aa": 1, "ab": 5, "ac": 5, "b": 7}
    expansion = expand(["a*"], counts, 2)["a*"]
    assert expansion == Expansion(("a", "ab"), 4, limited=True)
    assert described(expansion) == (
        "4 words of the index, of which the 2 most frequent are searched "
        "([search] wildcard_words): a, ab"
    )
    assert described(expand(["z*"], counts, 2)["z*"]) == "no word of the index fits"


def test_alternatives_of_a_slot_are_summed(network):
    columns = invert([network([("robot", 0.4, 0, 90), ("robots", 0.5), ("rob", 0.1)])])
    made = union(ResidentSegment(None, columns).postings(["robot", "robots"]))
    assert made.postings.posterior.tolist() == pytest.approx([0.9])
    assert (made.postings.start_ms[0], made.postings.end_ms[0]) == (0, 100)
    assert [made.words[i] for i in made.likeliest.tolist()] == ["robots"]


def found_by(term, segments, **more):
    config = Config(decision=GLOBAL, search=SearchConfig(**more))
    found = search(
        [Term("T", term)], prepare(segments, config), SearchedSpeech(None, 9), mode="adhoc"
    )
    return found, [
        (one.file, one.start_s, one.searched, one.how, round(one.probability, 3))
        for one in explained(found, contexts(found.candidates, found.recordings, segments))
    ]


@pytest.fixture
def robots(network):
    return [
        network([("the", 1.0)], [("robot", 0.4), ("robots", 0.5)], [("arm", 0.6), ("army", 0.3)]),
        network([("robotic", 1.0)], [("arm", 1.0)], file="talk"),
        network([("strobe", 1.0)], file="zoo"),
    ]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_words_and_phrases_with_wildcards_however_speech_is_cut(robots, cut):
    segments = [ResidentSegment(str(i), invert(robots[i::cut])) for i in range(cut)]
    _, hits = found_by("robo*", segments)
    assert hits == [
        ("news", 0.1, "robots", "robo* as robots", 0.9),
        ("talk", 0.0, "robotic", "robo* as robotic", 1.0),
    ]
    found, hits = found_by("Robo* a*m*", segments)
    assert hits == [
        (
            "news",
            0.1,
            "robots arm",
            "robo* as robots, a*m* as arm",
            0.854,
        ),  # sqrt(.9 * .9) * sqrt(.9)
        ("talk", 0.0, "robotic arm", "robo* as robotic, a*m* as arm", 1.0),
    ]
    assert set(found.wildcards["robo*"].words) == {"robot", "robots", "robotic"}
    _, hits = found_by("the * arm".replace("* ", "*b*s "), segments)
    assert [one[2] for one in hits] == ["the robots arm"]
    assert [one[2] for one in found_by("*rob*", segments)[1]] == ["robots", "robotic", "strobe"]


def test_workers_find_the_same(robots):
    segments = [ResidentSegment("0", invert(robots))]
    terms = [Term(str(i), text) for i, text in enumerate(["*o*", "the robo*", "arm", "robo* arm*"])]
    config = Config(decision=GLOBAL)
    rows = []
    for jobs in (1, 2):
        with executor(jobs, None) as workers:
            found = search(
                terms,
                prepare(segments, config),
                SearchedSpeech(None, 9),
                workers=workers,
                mode="adhoc",
            )
        rows.append(
            [
                (found.variants[v].words, t, s, round(p, 6))
                for v, t, s, p in zip(
                    found.candidates.variant.tolist(),
                    found.candidates.term.tolist(),
                    found.candidates.start_ms.tolist(),
                    found.probability.tolist(),
                    strict=True,
                )
            ]
        )
    assert rows[0] == rows[1]
    assert len(rows[0]) == 8


@given(st.data())
def test_equals_looking_every_word_up(network, data):
    """The slow twin: a wildcard finds the places of the words that fit, and no others."""
    vocabulary = ["aa", "ab", "ba", "bb", "b"]
    posterior = st.sampled_from([0.2, 0.3, 0.4])
    slot = st.lists(st.tuples(st.sampled_from(vocabulary), posterior), max_size=2,
                    unique_by=lambda one: one[0])  # fmt: skip
    slots = data.draw(st.lists(slot, max_size=6))
    spans = [(1000 * i, 1000 * i + 900) for i in range(len(slots))]
    segment = ResidentSegment(None, invert([network(*slots, spans_ms=spans)]))
    pattern = data.draw(st.sampled_from(["a*", "*b", "b*", "*a*", "a*a"]))
    expected = [
        (i * 1.0, round(sum(p for word, p in slot if fits(pattern, word)), 3))
        for i, slot in enumerate(slots)
        if any(fits(pattern, word) for word, _ in slot)
    ]
    assert [(one[1], one[4]) for one in found_by(pattern, [segment])[1]] == expected


def test_what_is_literal_without_wildcards(network):
    segments = [ResidentSegment(None, invert([network([("f***", 1.0)], [("fool", 1.0)])]))]
    config = Config(decision=GLOBAL)
    found = search([Term("T", "f***")], prepare(segments, config), SearchedSpeech(None, 9))
    assert [found.variants[i].words for i in found.candidates.variant.tolist()] == [("f***",)]
    assert [one[2] for one in found_by("F***", segments)[1]] == ["f***", "fool"]


def test_words_that_only_deleted_recordings_have_are_not_named(robots):
    columns = invert(robots)
    row = [one.recording.file for one in columns.recordings].index("talk")
    found, hits = found_by("robo*", [ResidentSegment(None, columns, frozenset([row]))])
    assert found.wildcards["robo*"] == Expansion(("robot", "robots"), 2)
    assert len(hits) == 1


def test_a_limit_keeps_the_most_frequent(robots):
    found, hits = found_by("*r*", [ResidentSegment(None, invert(robots))], wildcard_words=1)
    assert found.wildcards["*r*"] == Expansion(("arm",), 6, limited=True)
    assert [one[2] for one in hits] == ["arm", "arm"]


def test_two_wildcards_of_many_words_are_joined_once(network):
    slots = [[(f"{head}{i}", 0.01) for i in range(60)] for head in "ab"]
    segment = ResidentSegment(None, invert([network(*slots)]))
    _, hits = found_by("a* b*", [segment])
    assert [one[1] for one in hits] == [0.0]
    assert all(one[4] == pytest.approx(0.36**0.5 * 0.6**0.5, abs=0.01) for one in hits)
    pairs = product(range(60), repeat=2)
    assert hits[0][2] in {f"a{i} b{j}" for i, j in pairs}
    assert np.isfinite([one[4] for one in hits]).all()


def test_of_too_many_places_the_likeliest_are_searched_and_it_is_said(network):
    rng = np.random.default_rng(1)
    likely = rng.random(3000) * 0.9 + 0.05
    slots = [[(f"b{i % 7}a{i % 3}", p)] for i, p in enumerate(likely.tolist())]
    segments = [ResidentSegment("0", invert([network(*slots)]))]
    for term, most in (("b*", 1000), ("b* b* b*", 1000)):
        everything, _ = found_by(term, segments)
        assert not everything.cut
        found, hits = found_by(term, segments, max_places=most)
        assert found.cut == {0}
        assert 0 < len(hits) <= most
        assert any("only the likeliest are searched" in line for line in remarks(found))
    found, _ = found_by("b*", segments, max_places=1000)
    best = np.sort(likely)[-1000:]
    assert np.allclose(np.sort(found.decision_score), best)


def test_a_search_with_too_many_candidates_is_refused(network):
    slots = [[("word", 1.0)]] * 1500
    segments = [ResidentSegment(str(i), invert([network(*slots, file=f"f{i}")])) for i in range(2)]
    found_by("word", segments)
    with pytest.raises(StdError, match=r"at most 400 places .* \[search\] max_candidates"):
        found_by("word", segments, max_candidates=400)


def test_a_search_that_takes_too_long_is_stopped(network):
    segments = [ResidentSegment("0", invert([network([("word", 1.0)])]))]
    with pytest.raises(StdError, match=r"more than 1e-06 s \(\[search\] max_seconds\)"):
        found_by("wor*", segments, max_seconds=1e-6)
