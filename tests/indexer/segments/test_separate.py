"""Tokens that are several words, split into slots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.networks.utterances import stacked
from indexer.segments.invert import invert
from indexer.segments.separate import _separated, separated
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
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
    segment = ResidentSegment(None, invert(separated(stacked([said]), FOLD), FOLD))
    texts = ["dollar maybe", "dollar—maybe", "Dollar – maybe", "foto's", "foto’s", "maybe foto`s"]
    terms = [Term(str(i), text) for i, text in enumerate(texts)]
    found = search(terms, prepare([segment], Config()), SearchedSpeech(None, 10.0))
    assert sorted(found.candidates.term.tolist()) == [0, 1, 2, 3, 4, 5]


WRITTEN = st.sampled_from(
    ["天气", "今天的天气", "haus", "dollar—maybe", "用Python写", "a—b—c", "好，", "—", "น้ำเย็น"]
)


@given(st.lists(st.lists(WRITTEN, min_size=1, max_size=4), min_size=1, max_size=4))
def test_one_best_text_is_cut_as_network_by_network(network, texts):
    said = stacked(
        network(*([(word, 0.7)] for word in words), file=f"f{number}")
        for number, words in enumerate(texts)
    )
    fast = separated(said, FOLD)
    slow = stacked(_separated(one, FOLD) for one in said)
    assert fast.names == slow.names
    assert [fast.vocabulary[i] for i in fast.words] == [slow.vocabulary[i] for i in slow.words]
    for column in ("bounds", "offsets", "slot_spans_ms", "slot_errors_ms", "epsilons"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(slow, column))
    for column in ("posteriors", "word_spans_ms", "spans_ms", "times_estimated"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(slow, column))


def test_a_slot_without_a_word_stays(network):
    said = network([("天气", 0.5)], [], [("好", 1.0)])
    (cut,) = separated(stacked([said]), FOLD)
    assert cut.words == ("天", "气", "好")
    assert np.diff(cut.offsets).tolist() == [1, 1, 0, 1]


def test_punctuation_beside_a_character_goes(network):
    (cut,) = separated(stacked([network([("天，", 0.5), ("甜", 0.4)])]), FOLD)
    assert cut.words == ("天", "甜")
