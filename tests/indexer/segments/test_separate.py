"""Tokens that are several words, split into slots."""

import pytest

from indexer.networks.utterances import stacked
from indexer.segments.invert import invert
from indexer.segments.separate import separated
from searcher.search import search
from std.config import Config
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Term

FOLD = Normalisation()


def test_a_token_with_a_dash_is_words_in_consecutive_slots(network):
    said = network(
        [("dollar—maybe", 0.6, 0, 880), ("dollarama", 0.3, 10, 900)],
        [("yes", 1.0)],
        spans_ms=[(0, 900), (900, 1000)],
    )
    ((first, second, third),) = separated(stacked([said]), FOLD)
    assert [(w.word, w.start_ms, w.end_ms) for w in first.alternatives] == [
        ("dollar", 0, 480),
        ("dollarama", 10, 900),
    ]
    assert [(w.word, w.start_ms, w.end_ms) for w in second.alternatives] == [("maybe", 480, 880)]
    assert second.epsilon == pytest.approx(0.4)  # where it was dollarama there is no second word
    assert (first.start_ms, first.end_ms, second.end_ms) == (0, 490, 900)
    assert third.alternatives[0].word == "yes"


def test_what_is_one_word_each_is_not_touched(network):
    said = stacked([network([("e-mail", 0.5), ("Rhein‐Main", 0.5)])])
    assert separated(said, FOLD) is said
    dashed = stacked([network([("a—b", 1.0)])])
    assert separated(dashed, Normalisation(punctuation="keep")) is dashed
    (alone,) = separated(stacked([network([("—", 1.0)])]), FOLD)
    assert alone.words == ("—",)


def test_every_way_of_writing_finds_it(network):
    said = network([("dollar—maybe", 0.6)], [("foto’s", 0.9)])
    segment = ResidentSegment("", invert(separated(stacked([said]), FOLD), FOLD))
    texts = ["dollar maybe", "dollar—maybe", "Dollar – maybe", "foto's", "foto’s", "maybe foto`s"]
    terms = [Term(str(i), text) for i, text in enumerate(texts)]
    found = search(terms, [segment], Config(), speech_s=10.0)
    assert sorted(found.candidates.term.tolist()) == [0, 1, 2, 3, 4, 5]
