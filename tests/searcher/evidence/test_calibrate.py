"""Probabilities of the places of several terms, and that each term occurs."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from indexer.formats.detect import parse_file
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from searcher.calibration.occurrence_rate import rate_posterior
from searcher.calibration.occurring_terms import (
    FOUND_NOWHERE,
    NOT_SEARCHED,
    TAKEN_TO_OCCUR,
    term_occurrence,
)
from searcher.calibration.weights import LogRatios
from searcher.evidence.calibrate import (
    UNWRITTEN,
    TermEvidence,
    _probabilities,
    _unlikelier,
)
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.results.candidates import NO_CANDIDATES
from searcher.search import search
from std.config import CalibrationConfig, Config, DecisionConfig, PronunciationConfig
from std.execution.stop import stopped_by
from std.files import read
from std.nist import term_list
from std.store.resident import ResidentSegment
from std.values import Term
from tests.networks import networks_in

pytestmark = pytest.mark.slow

SAID, SILENT = 6, 60
DUTCH = "de kerk staat aan een brede landweg met biosferen"


@pytest.fixture
def lists():
    """A list of names of which one in eleven is said; a place of these beats chance by far."""
    rng = np.random.default_rng(3)
    chance = [np.array([7.0, -5.0]) for _ in range(SAID)]
    chance += [rng.normal(-7, 1, 4) for _ in range(SILENT)]
    return [
        LogRatios(np.minimum(of_term, 1.0), of_term, np.ones(len(of_term))) for of_term in chance
    ]


def evidence(lists, *, is_searched=True):
    return [TermEvidence(NO_CANDIDATES, None, ratios, is_searched) for ratios in lists]


def test_a_place_is_judged_against_all_accidents(lists):
    probabilities, _ = _probabilities(evidence(lists), np.zeros(len(lists), bool))
    for found, ratios in zip(probabilities, lists, strict=True):
        alone = rate_posterior(ratios.all_false_alarms, np.zeros(len(found), int), 1)
        assert found == pytest.approx(alone.probability, rel=1e-12)


def test_whether_a_term_occurs_is_judged_against_chance(lists):
    """Words that resemble a name make a place of it doubtful, not that it was spoken of."""
    _, log_evidence = _probabilities(evidence(lists), np.zeros(len(lists), bool))
    for found, ratios in zip(log_evidence.tolist(), lists, strict=True):
        alone = rate_posterior(ratios.chance, np.zeros(len(ratios.chance), int), 1)
        assert found == pytest.approx(alone.log_evidence[0], rel=1e-12)
    occurs = term_occurrence(log_evidence, np.ones(len(lists), bool), "list")
    assert (occurs[:SAID] > 0.98).all()
    assert (occurs[SAID:] < 0.2).all()


def test_terms_that_keep_their_posteriors_and_terms_without_places(lists):
    nowhere = LogRatios(np.empty(0), np.empty(0), np.empty(0))
    probabilities, log_evidence = _probabilities(
        [*evidence([None, lists[0], nowhere, None]), *evidence([nowhere], is_searched=False)],
        np.zeros(5, bool),
    )
    assert probabilities[0] is probabilities[3] is None
    assert (len(probabilities[1]), len(probabilities[2])) == (2, 0)
    assert log_evidence[[0, 2, 3]].tolist() == [TAKEN_TO_OCCUR, FOUND_NOWHERE, TAKEN_TO_OCCUR]
    assert np.isfinite(log_evidence[1])
    assert np.isnan(NOT_SEARCHED)
    assert np.isnan(log_evidence[4])


def found(networks, terms):
    """term, recording, start -> probability, of what the index has the words of."""
    columns = invert(networks)
    with_phones = replace(columns, extra=PhoneColumnBuilder(Config())(columns))
    result = search(
        terms, prepare([ResidentSegment("s", with_phones)], Config()), SearchedSpeech(None, 180)
    )
    places = zip(*(column.tolist() for column in result.candidates[:4]), strict=True)
    return {
        (term, recording, start_ms): p
        for (term, _, recording, start_ms), p in zip(places, result.probability, strict=True)
        if not result.oov_words[term]
    }


def test_a_recogniser_that_never_writes_more_is_believed_as_much(german):
    """What all of 15 draws have gets half a draw less than all: 15.5 of 16."""
    sure = [one for path in (german / "mesh").iterdir() for one in networks_in(parse_file(path))]
    modest = [replace(one, posteriors=one.posteriors * np.float32(31 / 32)) for one in sure]
    terms = read(term_list.parse, german / "terms.xml").terms
    expected, probability = found(sure, terms), found(modest, terms)
    assert sum(p > 0.5 for p in expected.values()) > 20
    for place, p in expected.items():
        assert probability.get(place, 0.0) == pytest.approx(p, abs=0.02), place


def test_a_known_term_has_the_same_answer_whatever_is_asked_with_it(german):
    sure = [one for path in (german / "mesh").iterdir() for one in networks_in(parse_file(path))]
    modest = [replace(one, posteriors=one.posteriors * np.float32(31 / 32)) for one in sure]
    columns = invert(modest)
    with_phones = replace(columns, extra=PhoneColumnBuilder(Config())(columns))
    index = prepare([ResidentSegment("s", with_phones)], Config())

    def of_first(*texts):
        terms = [Term(text, text) for text in texts]
        result = search(terms, index, SearchedSpeech(None, 180), mode="adhoc")
        return result.probability[result.candidates.term == 0].tolist()

    assert of_first("landschaft") == of_first("landschaft", "xylofonquartett") != []


def test_a_word_that_the_recogniser_knows_and_never_wrote_is_unlikelier(german, tmp_path):
    """In adhoc mode each term is judged alone, so other terms have the same answer."""
    columns = invert(
        [one for path in (german / "mesh").iterdir() for one in networks_in(parse_file(path))]
    )
    segment = ResidentSegment("s", replace(columns, extra=PhoneColumnBuilder(Config())(columns)))
    (tmp_path / "words").write_text("Hahnenfedern\t3\nhand\n", encoding="utf-8")
    known = Config(calibration=CalibrationConfig(vocabulary=str(tmp_path / "words")))
    terms = [Term(word, word) for word in ("hahnenfedern", "biosfären", "hand")]

    def expected(config):
        found = search(terms, prepare([segment], config), SearchedSpeech(None, 180), mode="adhoc")
        return np.bincount(found.candidates.term, found.probability, len(terms))

    before, after = expected(Config()), expected(known)
    assert after[1:].tolist() == before[1:].tolist()
    assert UNWRITTEN * before[0] < after[0] < before[0]


def test_each_place_of_such_a_word_is_unlikelier(lists):
    """Of each place the log ratio falls by as much; of two such words twice."""
    (of_term,) = evidence(lists[:1])
    less = _unlikelier(of_term, 2).ratios
    assert less.chance == pytest.approx(lists[0].chance + 2 * np.log(UNWRITTEN))
    assert less.all_false_alarms == pytest.approx(lists[0].all_false_alarms + 2 * np.log(UNWRITTEN))
    assert less.counted is lists[0].counted
    assert _unlikelier(*evidence([None]), 1).ratios is None


def test_a_term_that_a_list_has_twice_says_once_what_the_list_is_like(german):
    columns = invert(
        [one for path in (german / "mesh").iterdir() for one in networks_in(parse_file(path))]
    )
    with_phones = replace(columns, extra=PhoneColumnBuilder(Config())(columns))
    whole = Config(calibration=CalibrationConfig(list="whole"))
    index = prepare([ResidentSegment("s", with_phones)], whole)
    texts = ["hahnenfedern", "xylofonquartett", "biosfären", "landschaft"]

    def best(*texts):
        terms = [Term(str(i), text) for i, text in enumerate(texts)]
        found = search(terms, index, SearchedSpeech(None, 180))
        return [
            found.probability[found.candidates.term == row].max(initial=0)
            for row in range(len(texts))
        ]

    once = best(*texts)
    assert best(*texts, "Hahnenfedern", "hahnenfedern") == [*once, once[0], once[0]]


@pytest.fixture
def lists_of(german, network):
    """A function from ``[calibration] list`` and terms to what is found of them.

    In German and in Dutch, whose candidates are put together.
    """
    columns = invert(
        [one for path in (german / "mesh").iterdir() for one in networks_in(parse_file(path))]
    )
    with_phones = replace(columns, extra=PhoneColumnBuilder(Config())(columns))
    other = invert([network(*([(word, 0.9)] for word in DUTCH.split()), file="n")])
    extra = PhoneColumnBuilder(Config(pronunciation=PronunciationConfig(language="nl")))(other)
    segments = [
        ResidentSegment("s", with_phones), ResidentSegment("n", replace(other, extra=extra)),
    ]  # fmt: skip

    def found(setting, *texts, **decision):
        config = Config(
            calibration=CalibrationConfig(list=setting), decision=DecisionConfig(**decision)
        )
        terms = [Term(text, text) for text in texts]
        return search(terms, prepare(segments, config), SearchedSpeech(None, 180))

    return found


def hits_of(found, n):
    """Hits of the first n terms: their places, probabilities, scores and decisions."""
    some = found.rows(np.flatnonzero(found.candidates.term < n))
    places = np.stack(some.candidates[:1] + some.candidates[2:5])
    return places.tolist(), some.probability, some.decision_score, some.yes.tolist()


SOME = ["hahnenfedern", "xylofonquartett", "biosfären", "landschaft"]
OTHERS = ["quizmaster", "zebrastreifenmuster", "wolkenkuckucksheim", "yachthafenmeisterei"]


def test_probabilities_do_not_depend_on_the_other_terms_of_a_list(lists_of):
    places, probability, score, yes = hits_of(lists_of("independent", *SOME), len(SOME))
    more = hits_of(lists_of("independent", *SOME, *OTHERS), len(SOME))
    assert (places, yes) == (more[0], more[3])
    np.testing.assert_allclose(more[1], probability, rtol=1e-12)
    np.testing.assert_allclose(more[2], score, rtol=1e-12)
    alone = hits_of(lists_of("independent", SOME[2]), 1)
    assert alone[1].tolist() == pytest.approx(probability[np.array(places[0]) == 2], rel=1e-12)


def test_a_whole_list_changes_what_is_reported_and_no_scores_and_decisions(lists_of):
    by_itself = lists_of("independent", *SOME, *OTHERS)
    in_list = lists_of("whole", *SOME, *OTHERS)
    n = len(SOME) + len(OTHERS)
    places, probability, score, yes = hits_of(by_itself, n)
    listed = hits_of(in_list, n)
    assert (listed[0], listed[3]) == (places, yes)
    assert listed[2].tolist() == score.tolist()
    assert in_list.default_score == by_itself.default_score
    assert np.abs(listed[1] - probability).max() > 0.01


def test_where_terms_may_not_occur_decisions_are_made_on_what_is_reported(lists_of):
    by_itself = lists_of("independent", *SOME, *OTHERS, terms="any")
    in_list = lists_of("whole", *SOME, *OTHERS, terms="any")
    assert (in_list.decision_score < by_itself.decision_score).any()
    for found in (by_itself, in_list):
        order = np.lexsort((found.decision_score, found.candidates.term))
        within = np.diff(found.candidates.term[order]) == 0
        assert (np.diff(found.probability[order])[within] >= 0).all()


def test_a_list_of_one_term_is_judged_as_that_term(lists_of):
    whole, independent = lists_of("whole", SOME[2]), lists_of("independent", SOME[2])
    np.testing.assert_allclose(whole.probability, independent.probability, atol=1e-4)


def test_calibration_asks_between_terms_whether_to_go_on(lists_of):
    """Calls for each term: one while its places are weighed, one while they are put together."""
    asked = []
    with stopped_by(lambda: asked.append(sys._getframe(2).f_code.co_name)):
        lists_of("whole", *SOME)
    assert asked.count("calibrate") == 2 * len(SOME) * 2  # languages
