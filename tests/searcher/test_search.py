import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import index_files
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from searcher import open_index
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.context import contexts
from searcher.output.explain import explained, summary
from searcher.phonetic.ratios import MAX_HITS, pronounced
from searcher.results.candidates import NO_CANDIDATES, Candidates, TermPlaces
from searcher.search import search
from searcher.terms.request import Variant
from std.config import CalibrationConfig, Config, DecisionConfig, SearchConfig
from std.store.resident import ResidentSegment
from std.values import Excerpt, Recording, Term

AS_RECOGNISED = CalibrationConfig(words="none")
GLOBAL = Config(calibration=AS_RECOGNISED, decision=DecisionConfig(rule="global", threshold=0.5))


def segment(*networks):
    return ResidentSegment("s", invert(networks))


@pytest.fixture
def two_segments(network):
    return [
        segment(
            network([("die", 1.0)], [("Polizei", 0.9)], [("gewalt", 0.8), ("gehalt", 0.2)]),
            network([("gewalt", 0.3)], file="talk"),
        ),
        segment(network([("polizei", 0.6)], [("ruft", 1.0)], file="late", start_ms=4000)),
    ]


def hits(found):
    return [
        (one.term, one.file, one.start_s, round(one.score, 3), one.decision)
        for one in explained(found, contexts(found.candidates, found.recordings, []))
    ]


def test_terms_are_found_in_all_segments(two_segments):
    terms = [Term("T1", "POLIZEI"), Term("T2", "Polizei Gewalt"), Term("T3", "burganlagen")]
    found = search(terms, prepare(two_segments, GLOBAL), SearchedSpeech(None, 100))
    assert hits(found) == [
        ("POLIZEI", "late", 4.0, 0.6, "YES"),
        ("POLIZEI", "news", 0.1, 0.9, "YES"),
        ("Polizei Gewalt", "news", 0.1, 0.759, "YES"),  # sqrt(.72) * sqrt(.8)
    ]
    assert found.oov_words == ((), (), ("burganlagen",))
    assert summary(found) == {
        "terms": 3,
        "detections": 3,
        "yes": 3,
        "oov_terms": 1,
        "outside_ecf": 0,
        "copies": 0,
        "cut_terms": [],
        "doubted_terms": {},
        "expected": {  # .6 + .9 + sqrt(.72) * sqrt(.8)
            "from": 0.5,
            "hits": 3,
            "right": pytest.approx(2.2589, abs=1e-4),
            "right_below": 0.0,
        },
        # .03 of what is expected, in 3 times 100 s less 3 hits; the global rule leaves it there
        "default_score": pytest.approx(0.03 * 2.2589 / 297, rel=1e-4),
        "default_probability": pytest.approx(0.03 * 2.2589 / 297, rel=1e-4),
    }


def test_the_decision_counts_the_scores_of_all_segments(two_segments):
    config = Config(calibration=AS_RECOGNISED, decision=DecisionConfig(rule="term-specific"))
    found = search(
        [Term("T1", "polizei")], prepare(two_segments, config), SearchedSpeech(None, 3600)
    )
    assert found.n_true[0] == pytest.approx(1.5)
    theta = 999.9 * 1.5 / (3600 + 998.9 * 1.5)
    assert found.yes.tolist() == (found.probability >= theta).tolist()


def test_only_speech_inside_the_ecf_counts(two_segments):
    excerpts = [Excerpt(Recording("late", 1), 0.0, 10.0)]
    found = search(
        [Term("T1", "polizei")], prepare(two_segments, GLOBAL), SearchedSpeech(excerpts, 10)
    )
    assert [one[1] for one in hits(found)] == ["late"]
    assert found.outside_ecf == 1


def test_places_of_less_than_the_least_posterior_or_probability_are_left_out(two_segments):
    def found(**least):
        index = prepare(two_segments, Config(search=SearchConfig(**least)))
        return search([Term("T1", "gewalt")], index, SearchedSpeech(None, 100))

    every = found()
    assert [one[1] for one in hits(every)] == ["news", "talk"]
    assert [one[1] for one in hits(found(min_posterior=0.5))] == ["news"]
    likely, other = sorted(every.probability.tolist(), reverse=True)
    assert found(min_probability=(likely + other) / 2).probability.tolist() == [likely]


def test_a_term_without_words_is_nowhere(two_segments):
    terms = [Term("T1", ""), Term("T2", "polizei")]
    found = search(terms, prepare(two_segments, GLOBAL), SearchedSpeech(None, 9))
    alone = search(terms[1:], prepare(two_segments, GLOBAL), SearchedSpeech(None, 9))
    assert set(found.candidates.term.tolist()) == {1}
    assert len(found.candidates.term) == len(alone.candidates.term)


def test_context_shows_the_likeliest_words(two_segments):
    found = search(
        [Term("T1", "polizei"), Term("T2", "gehalt")],
        prepare(two_segments, GLOBAL),
        SearchedSpeech(None, 9),
    )
    shown = contexts(found.candidates, found.recordings, two_segments)
    assert [tuple(one) for one in shown] == [
        ("", "polizei", "ruft", (0, 1), 0, ""),
        ("die", "polizei", "gewalt", (1, 2), 0, ""),
        ("die polizei", "gewalt", "", (2, 3), 0, ""),
    ]


def words_around(found, segments):
    """Context as it is shown, and what is likelier in the hit's own slots."""
    rows = explained(found, contexts(found.candidates, found.recordings, segments))
    return [(*one.context, one.likeliest) for one in rows]


def test_a_hit_that_silence_beats_stands_in_its_own_context(network):
    heard = network(
        [("the", 1.0)],
        [("great", 0.9, 100, 260)],
        [("dane", 0.3, 160, 300)],
        [("heard", 0.8), ("herd", 0.2)],
    )
    segments = [segment(heard)]
    found = search(
        [Term("T", "dane"), Term("U", "great dane")],
        prepare(segments, GLOBAL),
        SearchedSpeech(None, 9),
    )
    assert words_around(found, segments) == [
        ("the great", "dane", "heard", ""),
        ("the", "great dane", "heard", "great"),
    ]


def test_context_of_words_that_take_no_time(network):
    spans = [(0, 300), (300, 300), (300, 300), (300, 800)]
    heard = network(
        [("a", 1.0)], [("b", 0.4)], [("c", 0.9), ("e", 0.1)], [("d", 1.0)], spans_ms=spans
    )
    segments = [segment(network([("z", 1.0)], file="early")), segment(heard)]
    terms = [Term("1", "b"), Term("2", "c"), Term("3", "b c"), Term("4", "z")]
    found = search(terms, prepare(segments, GLOBAL), SearchedSpeech(None, 9))
    assert words_around(found, segments) == [
        ("a", "b", "c d", ""),
        ("a", "c", "d", "c"),
        ("a", "b c", "d", "c"),
        ("", "z", "", "z"),
    ]


def test_deleted_recordings_are_not_found(network):
    columns = invert([network([("a", 1.0)]), network([("a", 1.0)], file="talk")])
    found = search(
        [Term("T", "a")],
        prepare([ResidentSegment("s", columns, frozenset([0]))], GLOBAL),
        SearchedSpeech(None, 9),
    )
    assert [one[1] for one in hits(found)] == ["talk"]


spoken = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.sampled_from([0, 0, 1, 3])), max_size=6
)


@settings(max_examples=60)
@given(st.lists(spoken, min_size=1, max_size=4), st.randoms())
def test_cut_and_merged_in_any_way_the_same_is_found(network, files, random):
    """Words that take no time, or begin together, in several utterances of several recordings."""
    networks = []
    for i, words in enumerate(files):
        words = sorted(words, key=lambda one: one[1])
        spans = [(100 * start, 100 * (start + length)) for _, start, length in words]
        slots = [[(word, 0.5 + 0.01 * n)] for n, (word, *_) in enumerate(words)]
        networks.append(network(*slots, spans_ms=spans, file=f"f{i}"))
    terms = [Term(text, text) for text in ("a", "a b", "b a", "a b c", "c*", "a* b*")]
    whole = [segment(*networks)]
    parts = [ResidentSegment(None, invert([one])) for one in networks]
    random.shuffle(parts)
    again = [ResidentSegment(None, merged(parts))]
    expected, *others = (
        sorted(hits(search(terms, prepare(one, GLOBAL), SearchedSpeech(None, 9), mode="adhoc")))
        for one in (whole, parts, again)
    )
    assert others == [expected, expected]


def test_an_empty_index_finds_nothing():
    found = search([Term("T", "a b")], prepare([segment()], Config()), SearchedSpeech(None, 9))
    assert hits(found) == []
    assert found.oov_words == (("a", "b"),)


SAID = ("hahnen federn", "hahn federn", "hahnen feder", "hahn feder")
UTTERANCES, WORDS, EACH = 600, 8, 6


@pytest.fixture(scope="module")
def index(german, tmp_path_factory):
    """Speech of words of the German example, in which a name becomes one of `SAID`."""
    folder = tmp_path_factory.mktemp("often")
    index_files(sorted((german / "mesh").glob("*.mesh"))[:5], folder / "words")
    with open_index(folder / "words") as words_of:
        words = [word for word in words_of.vocabulary.words if len(word) > 3 and word.isalpha()]
    rng = np.random.default_rng(3)
    with (folder / "networks.jsonl").open("w", encoding="utf-8") as sink:
        for i in range(UTTERANCES):
            said = rng.choice(words, WORDS).tolist()
            if i % EACH == 0:
                said[4:5] = SAID[i // EACH % len(SAID)].split()
            ends = np.cumsum([0.065 * len(word) for word in said]).round(3).tolist()
            slots = [
                {"s": start, "e": end, "eps": 0.02, "w": [[word, 0.7], [other, 0.2]]}
                for start, end, word, other in zip(
                    [0.0, *ends], ends, said, rng.choice(words, len(said)).tolist(), strict=False
                )
            ]
            utterance = {
                "utt": f"u{i}",
                "file": f"r{i}",
                "channel": 1,
                "start": 0.0,
                "end": ends[-1],
            }
            sink.write(json.dumps(utterance | {"slots": slots}) + "\n")
    index_files([folder / "networks.jsonl"], folder / "index", language="de")
    with open_index(folder / "index") as opened:
        yield opened


def places(index, *terms):
    """Of each term the probabilities of its places, by the words that stand there."""
    found = index.find(*terms)
    of_terms = [{} for _ in terms]
    candidates = found.candidates
    for term, variant, p in zip(
        candidates.term.tolist(), candidates.variant.tolist(), found.probability.tolist(),
        strict=True,
    ):  # fmt: skip
        words = " ".join(found.variants[variant].words)
        of_terms[term].setdefault(words, []).append(p)
    return of_terms


@pytest.mark.parametrize("is_large", [False, True])
def test_all_places_are_found_and_equal_ones_are_equally_probable(index, monkeypatch, is_large):
    monkeypatch.setattr("searcher.phonetic.search.FULL_SCAN_ARCS", 0 if is_large else 10**9)
    (of_words,) = places(index, "hahnenfedern")
    for words in SAID[:3]:
        found = [p for p in of_words[words] if p > 0.5]
        assert len(found) == UTTERANCES // EACH // len(SAID)
    assert max(of_words["hahn federn"]) - min(of_words["hahn federn"]) < 1e-9
    good = [p for found in of_words.values() for p in found if p > 0.1]
    assert len(good) > UTTERANCES // EACH * 0.9 > MAX_HITS


def test_a_term_that_sounds_the_same_changes_nothing(index):
    lexicon = index._prepared.languages[0].phonetic[0].lexicon
    (sounds,), (same,) = (
        pronounced([(word,)], lexicon) for word in ("hahnenfedern", "hahnenphedern")
    )
    assert sounds == same
    both = places(index, "hahnenfedern", "hahnenphedern")
    assert both[0] == places(index, "hahnenfedern")[0]
    assert both[1] == places(index, "hahnenphedern")[0]
    assert sum(map(len, both[1].values())) < sum(map(len, both[0].values()))  # it has no split


def test_places_are_counted_where_words_are_split_or_joined():
    """Similar words are no reason to expect that a term is said often."""
    methods = ("split", "levenshtein", "join", "exact")
    variants = tuple(Variant((method,), 1.0, method, "") for method in methods)
    term, variant, start_ms = np.array(
        [(0, 0, 5), (0, 2, 5), (0, 0, 9), (0, 1, 20), (2, 2, 5), (2, 3, 7)]
    ).T
    zeros, score = np.zeros(6, np.int64), np.ones(6)
    candidates = Candidates(
        term, variant, zeros, start_ms, start_ms + 1, score, variant, zeros, zeros
    )
    lexical = TermPlaces(candidates, variants, set(), 0)
    assert lexical.places_of_parts(4).tolist() == [2, 0, 1, 0]
    assert TermPlaces(NO_CANDIDATES, (), set(), 0).places_of_parts(2).tolist() == [0, 0]
