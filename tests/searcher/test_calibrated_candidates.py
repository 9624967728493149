"""Probabilities of the places of several terms, and that each term occurs."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.formats.detect import parse_file
from indexer.networks.utterances import networks_in
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from searcher.calibrated_candidates import LogRatios, _probabilities
from searcher.calibration.occurrence_rate import rate_posterior
from searcher.calibration.occurring_terms import occurrence_probability
from searcher.prepared import prepare
from searcher.search import search
from std.config import Config
from std.files import read
from std.nist import term_list
from std.store.resident import ResidentSegment

SAID, SILENT = 6, 60


@pytest.fixture
def lists():
    """A list of names of which one in eleven is said; a place of these beats chance by far."""
    rng = np.random.default_rng(3)
    chance = [np.array([7.0, -5.0]) for _ in range(SAID)]
    chance += [rng.normal(-7, 1, 4) for _ in range(SILENT)]
    return [LogRatios(np.minimum(of_term, 1.0), of_term) for of_term in chance]


def test_a_place_is_judged_against_all_accidents(lists):
    probabilities, _ = _probabilities(lists, np.ones(len(lists), bool), single_terms=False)
    for found, ratios in zip(probabilities, lists, strict=True):
        alone = rate_posterior(ratios.all_accidents, np.zeros(len(found), int), 1)
        assert found == pytest.approx(alone.probability, rel=1e-12)


def test_whether_a_term_occurs_is_judged_against_chance(lists):
    """Words that resemble a name make a place of it doubtful, not that it was spoken of."""
    n = np.array([len(ratios.chance) for ratios in lists])
    evidence = rate_posterior(
        np.concatenate([ratios.chance for ratios in lists]), np.repeat(np.arange(len(n)), n), len(n)
    ).log_evidence
    _, occurs = _probabilities(lists, np.ones(len(lists), bool), single_terms=False)
    assert occurs == pytest.approx(occurrence_probability(evidence))
    assert (occurs[:SAID] > 0.98).all()
    assert (occurs[SAID:] < 0.2).all()


def test_terms_that_a_person_asks_for_do_not_change_each_other(lists):
    _, together = _probabilities(lists, np.ones(len(lists), bool), single_terms=True)
    for ratios, occurs in zip(lists, together.tolist(), strict=True):
        _, alone = _probabilities([ratios], np.ones(1, bool), single_terms=True)
        assert alone[0] == occurs
    _, of_list = _probabilities(lists, np.ones(len(lists), bool), single_terms=False)
    assert (of_list[SAID:] < together[SAID:]).all()  # the list says that few occur


def test_terms_without_evidence_keep_their_posteriors(lists):
    some = [None, lists[0], None]
    probabilities, occurs = _probabilities(some, np.array([False, True, True]), single_terms=False)
    assert probabilities[0] is probabilities[2] is None
    assert len(probabilities[1]) == 2
    assert occurs.tolist() == [1, pytest.approx(1.0, abs=1e-3), 1]


def found(networks, terms):
    """term, recording, start -> probability, of what the index has the words of."""
    columns = invert(networks)
    with_phones = replace(columns, extra=PhoneColumnBuilder(Config())(columns))
    result = search(terms, prepare([ResidentSegment("s", with_phones)], Config()), speech_s=180)
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
