"""Variants of whole terms."""

from collections import Counter

import pytest

from searcher.terms.splitting import make_splitter
from searcher.terms.splitting.phrase import phrase_variants
from searcher.terms.vocabulary import of_counts

WORDS = """
die von burg anlagen start menge startmenge arbeit zeit arbeitszeit schule zimmer schulzimmer
polizei gewalt blau-grün e-mail ost west
"""
VOCABULARY = of_counts(Counter(WORDS.split()))


@pytest.fixture(scope="module")
def splitter():
    return make_splitter(VOCABULARY)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        # term, [(words, channel, similarity)] of the first variants; similarities by eq. 2.3
        ("die von", [("die von", "exact", 1.0)]),
        ("die burganlagen von", [("die burg anlagen von", "split", 1.0)]),
        ("start menge", [("start menge", "exact", 1.0), ("startmenge", "join", 1.0)]),
        ("startmenge", [("startmenge", "exact", 1.0)]),
        ("arbeit zeit", [("arbeit zeit", "exact", 1), ("arbeitszeit", "join", (21 - 2) / 21)]),
        ("schule zimmer", [("schule zimmer", "exact", 1), ("schulzimmer", "join", (23 - 2) / 23)]),
        ("polizei-gewalt", [("polizei gewalt", "split", 1.0)]),
        ("polizeigewalt", [("polizei gewalt", "split", 1.0)]),
        ("start-menge", [("startmenge", "join", 1.0), ("start menge", "split", 1.0)]),
        ("blau grün", [("blau-grün", "join", 1.0)]),
        ("blaugrün", [("blau-grün", "join", 1.0)]),
        ("e-mail", [("e-mail", "exact", 1.0)]),
        ("email", [("e-mail", "join", 1.0)]),
        ("ost-west-zeit", [("ost west zeit", "split", 1.0)]),
        ("startmenge-anlagen von", [("startmenge anlagen von", "split", 1.0)]),
        ("die xyzxyz", []),  # nothing stands for the unknown word
        ("-", []),
        ("x" * 150 + " " + "y" * 150, []),  # too long to join
        ("", []),
    ],
)
def test_variants(splitter, term, expected):
    found = phrase_variants(term.split(), splitter)
    shown = [(" ".join(one.words), one.method, one.similarity) for one in found]
    assert [row[:2] for row in shown[: len(expected)]] == [tuple(row[:2]) for row in expected]
    assert [row[2] for row in shown[: len(expected)]] == pytest.approx([row[2] for row in expected])
    assert bool(found) == bool(expected)


def test_how_says_what_became_of_the_words(splitter):
    assert phrase_variants(["die", "burganlagen"], splitter)[0].how == (
        "burg|anlagen as burg anlagen"
    )
    assert phrase_variants(["start", "menge"], splitter)[1].how == "start menge as startmenge"
    assert phrase_variants(["ost-west"], splitter)[0].how == "ost-west without hyphen"


def test_n_limits_and_repeats_are_one(splitter):
    assert len(phrase_variants(["start", "menge"], splitter, 1)) == 1
    assert phrase_variants(["start"], splitter, 0) == []
    many = [one.words for one in phrase_variants(["burganlagen", "schulzeit", "start"], splitter)]
    assert len(many) == len(set(many)) <= 25


def test_unknown_words_of_a_long_phrase_do_not_multiply(splitter):
    assert len(phrase_variants(["burganlagen"] * 30, splitter, 25)) <= 25


def test_geometric_ranking_works_on_phrases():
    splitter = make_splitter(VOCABULARY, ranking="geometric")
    found = phrase_variants(["die", "burganlagen"], splitter)
    assert found[0].words == ("die", "burg", "anlagen")
