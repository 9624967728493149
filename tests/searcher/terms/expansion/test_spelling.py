"""Words spelt alike: eq. 2.3 and 2.4 against the formulas written out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from searcher.terms.expansion.spelling import build_dice, build_levenshtein
from searcher.terms.vocabulary import of_words

WORDS = st.lists(st.text("aäbcß", min_size=1, max_size=7), min_size=1, max_size=20)


def by_levenshtein(query, words):
    """Eq. 2.3, distances by rapidfuzz."""
    both = {word: len(query) + len(word) for word in words}
    return {w: (both[w] - 2 * Levenshtein.distance(query, w)) / both[w] for w in words}


def by_dice(query, words):
    """Eq. 2.4 with Python's sets."""
    pairs = {word: {word[i : i + 2] for i in range(len(word) - 1)} for word in (query, *words)}
    return {
        word: 2 * len(pairs[query] & pairs[word]) / (len(pairs[query]) + len(pairs[word]))
        for word in words
        if pairs[query] | pairs[word]
    }


def top(similarity, query, n):
    ranked = sorted((-s, word) for word, s in similarity.items() if s > 0 and word != query)
    return [(word, -s) for s, word in ranked[:n]]


@settings(deadline=None)
@given(WORDS, st.text("aäbcx", min_size=1, max_size=9), st.integers(0, 6))
def test_similar_words_are_the_formulas(words, query, n):
    vocabulary = of_words(words)
    found = build_levenshtein(vocabulary).similar([query, words[0]], n)
    for one, similar in zip((query, words[0]), found, strict=True):
        assert similar == top(by_levenshtein(one, vocabulary.words), one, n)
    if any(len(word) > 1 for word in words):
        found = build_dice(vocabulary).similar([query, words[0]], n)
        for one, similar in zip((query, words[0]), found, strict=True):
            assert similar == top(by_dice(one, vocabulary.words), one, n)


@pytest.mark.parametrize(
    ("one", "other", "by_edits", "by_pairs"),
    [
        ("kopf", "kopie", (9 - 4) / 9, 4 / 7),  # the distance 2 is the thesis's, chapter 4.3.2
        ("krafte", "kräfte", (12 - 2) / 12, 6 / 10),  # its figure 4.4; pairs ft te kr
        ("aaaa", "aaa", 6 / 7 - 1 / 7, 1.0),  # a set: "aa" counts once
    ],
)
def test_by_hand(one, other, by_edits, by_pairs):
    vocabulary = of_words([other])
    assert build_levenshtein(vocabulary).similar([one])[0] == [(other, pytest.approx(by_edits))]
    assert build_dice(vocabulary).similar([one])[0] == [(other, pytest.approx(by_pairs))]


def test_long_words():
    words = ["a" * 70, "a" * 69 + "b", "ab" * 40, "c" * 90]
    query = "a" * 71
    assert build_levenshtein(of_words(words)).similar([query])[0] == top(
        by_levenshtein(query, words), query, 50
    )
    assert build_levenshtein(of_words(words)).similar(["a" * 5000]) == [[]]


def test_no_pairs():
    with pytest.raises(ValueError, match="two letters"):
        build_dice(of_words(["a", "b"]))
    assert build_dice(of_words(["ab"])).similar(["a", ""]) == [[], []]
