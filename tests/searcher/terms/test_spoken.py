"""What a spoken query may be, weighed as a term and not as running speech."""

import pytest

from searcher.terms.request import SpokenWords
from searcher.terms.variants import RAREST, as_terms

COUNTS = {"aus": 899, "haus": 99, "hauses": 2}  # of 1,000 postings


def weights(*alternatives, counts=COUNTS):
    query = [SpokenWords(tuple(words.split()), weight) for words, weight in alternatives]
    (weighed,) = as_terms([query], counts)
    return {" ".join(one.words): one.weight for one in weighed}


def test_weights_are_divided_by_the_frequency_of_words():
    # .6 / .8991 = .66733 and .3 / .0991 = 3.02725, which share .9 as before
    found = weights(("aus", 0.6), ("haus", 0.3))
    assert found == pytest.approx(
        {"haus": 0.9 * 3.02725 / 3.69458, "aus": 0.9 * 0.66733 / 3.69458}, rel=1e-5
    )
    assert list(found) == ["haus", "aus"]  # the likeliest first


def test_a_sequence_is_as_frequent_as_its_rarest_word():
    assert weights(("aus hauses", 0.5), ("hauses", 0.5)) == pytest.approx(
        {"aus hauses": 0.5, "hauses": 0.5}
    )


def test_words_that_are_not_there_are_as_frequent_as_the_rarest():
    found = weights(("hauses", 0.5), ("klaus", 0.5))
    assert found["klaus"] / found["hauses"] == pytest.approx((0.002 + RAREST) / RAREST)
    assert weights(("aus", 0.7), ("haus", 0.2), counts={}) == pytest.approx(
        {"aus": 0.7, "haus": 0.2}
    )


def test_a_query_in_which_no_word_was_heard_has_none():
    assert weights() == {}
