"""Words spelt alike: eq. 2.3 and 2.4 against the formulas written out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from searcher.terms.expansion import LEFT_OUT, arranged, build_dice, build_levenshtein, build_sounds
from searcher.terms.vocabulary import of_counts
from std.config import Config, PronunciationConfig
from std.phonetics.confusion import empty, probabilities
from std.phonetics.lexicon import Lexicon, made

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
    vocabulary = of_counts(Counter(words))
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
    vocabulary = of_counts(Counter([other]))
    assert build_levenshtein(vocabulary).similar([one])[0] == [(other, pytest.approx(by_edits))]
    assert build_dice(vocabulary).similar([one])[0] == [(other, pytest.approx(by_pairs))]


def test_long_words():
    words = ["a" * 70, "a" * 69 + "b", "ab" * 40, "c" * 90]
    query = "a" * 71
    assert build_levenshtein(of_counts(Counter(words))).similar([query])[0] == top(
        by_levenshtein(query, words), query, 50
    )
    assert build_levenshtein(of_counts(Counter(words))).similar(["a" * 5000]) == [[]]


def test_no_pairs():
    with pytest.raises(ValueError, match="two letters"):
        build_dice(of_counts(Counter(["a", "b"])))
    assert build_dice(of_counts(Counter(["ab"]))).similar(["a", ""]) == [[], []]


SOUNDS = st.text("abdtk", min_size=1, max_size=5)


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word.replace("-", "")) for word in words]


def table(words):
    vocabulary, lexicon = of_counts(Counter(words)), Lexicon(Letters())
    return arranged(vocabulary, lexicon, made(vocabulary.words, lexicon))


def distance(said, heard, inventory):
    """The textbook recursion."""
    both = sorted({*said, *inventory})
    row = {phone: i for i, phone in enumerate(both)}
    observed, deleted = probabilities(empty(both))

    def cost(a, b):
        return max(0.0, np.log(observed[row[a], row[a]] / observed[row[a], row[b]]))

    left_out = -np.log(LEFT_OUT)
    cells = {(0, 0): 0.0}
    for i in range(len(said) + 1):
        for j in range(len(heard) + 1):
            ways = [cells[i, j]] if (i, j) == (0, 0) else []
            if i:
                a = row[said[i - 1]]
                gone = max(np.log(observed[a, a] / deleted[a]), left_out)
                ways.append(cells[i - 1, j] + gone)
            if j:
                ways.append(cells[i, j - 1] + left_out)
            if i and j:
                ways.append(cells[i - 1, j - 1] + cost(said[i - 1], heard[j - 1]))
            cells[i, j] = min(ways)
    return cells[len(said), len(heard)]


@settings(max_examples=50)
@given(st.lists(SOUNDS, min_size=1, max_size=8, unique=True), SOUNDS, st.integers(0, 9))
def test_the_closest_words_against_the_textbook(words, query, n):
    inventory = {letter for word in words for letter in word}
    expected = sorted(
        (
            (word, np.exp(-distance(query, word, inventory) / len(query)))
            for word in words
            if word != query
        ),
        key=lambda one: -one[1],
    )[:n]
    (found,) = table(words).similar([query], n)
    assert [one[1] for one in found] == pytest.approx([one[1] for one in expected], rel=1e-4)
    assert query not in [one[0] for one in found]


def test_many_words_of_one_length_go_through_several_blocks():
    words = [a + b + c for a in "abdtk" * 1 for b in "abdtkmnlr" for c in "abdtkmnlr"]
    (found,) = table(words).similar(["dab"], 50)
    assert {"tab", "dad"} <= {one[0] for one in found[:4]}  # voice or place alone differs
    assert len(found) == 50
    assert [one[1] for one in found] == sorted((one[1] for one in found), reverse=True)


def test_words_without_sound_are_similar_to_nothing():
    some = table(["-", "ab"])
    assert some.similar(["-", "ad"], 5) == [
        [],
        [("ab", pytest.approx(some.similar(["ad"])[0][0][1]))],
    ]
    assert table(["-"]).similar(["ab"], 5) == [[]]


def test_english_words_that_sound_the_same():
    vocabulary = of_counts(Counter(["knight", "the", "of", "and", "night", "kite"]))
    english = Config(pronunciation=PronunciationConfig(language="en"))
    (found,) = build_sounds(vocabulary, english).similar(["nite"], 2)
    assert {one[0] for one in found} == {"knight", "night"}
    assert found[0][1] == 1.0
