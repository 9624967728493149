from dataclasses import replace

import numpy as np
import pytest

from searcher.results.candidates import NO_CANDIDATES
from searcher.tuning.labels import (
    correct_hits,
    find_occurrences,
    make_transcript,
    phrases_said,
    remembered,
)
from searcher.tuning.learning import with_few_absent
from std.text import Normalisation
from std.values import Excerpt, Lexemes, Recording

A, B = Recording("a", 1), Recording("b", 1)


def test_phrases_are_looked_up_once_in_the_same_speech():
    asked = []

    def search(phrases, excerpts):
        asked.append((phrases, excerpts))
        return [NO_CANDIDATES] * len(phrases)

    half = Excerpt(Recording("a", 1), 0.0, 5.0)
    queries = [([("die",), ("polizei",)], [half]), ([("die",)], [half]), ([("die",)], None)]
    once = remembered(search)
    for query in queries * 3:
        assert once(*query) == search(*query)
    assert asked.count(queries[0]) == 1 + 3


@pytest.fixture
def said():
    words = ("Die", "Polizei", "sagt", "äh", "die", "polizei", "anderswo")
    starts = np.array([0.0, 0.5, 1.2, 9.0, 3.0, 4.2, 0.0])
    lexemes = Lexemes(
        (A, Recording("other", 1), B),
        ("s",),
        np.array([0, 0, 0, 0, 2, 2, 1], np.int32),
        np.zeros(7, np.int32),
        starts,
        np.full(7, 0.5),
        words,
        ("lex", "lex", "lex", "fp", "lex", "lex", "lex"),
    )
    return make_transcript(lexemes, [A, B], Normalisation())


def spans_ms(said, words):
    found = find_occurrences(said, [words])
    columns = (found.recording, np.round(1000 * found.start_s), np.round(1000 * found.end_s))
    return list(zip(*(column.astype(int).tolist() for column in columns), strict=True))


def test_words_are_cut_as_the_index_cuts_them():
    """Text without spaces has a word a character; dashes separate words."""
    words = ("天气", "good—morning", "咖啡馆", "ja")
    lexemes = Lexemes(
        (A,), ("s",), np.zeros(4, np.int32), np.zeros(4, np.int32), np.array([3.0, 0.0, 5.0, 9.0]),
        np.array([0.5, 1.1, 0.6, 0.3]), words, ("lex",) * 4,
    )  # fmt: skip
    said = make_transcript(lexemes, [A], Normalisation())
    assert said.words == ("good", "morning", *"天气咖啡馆", "ja")
    assert said.start_ms.tolist() == [0, 400, 3000, 3250, 5000, 5200, 5400, 9000]
    assert said.end_ms.tolist() == [400, 1100, 3250, 3500, 5200, 5400, 5600, 9300]
    assert spans_ms(said, ["天", "气"]) == [(0, 3000, 3500)]
    kept = make_transcript(lexemes, [A], Normalisation(unspaced="keep", punctuation="keep"))
    assert kept.words == ("good—morning", "天气", "咖啡馆", "ja")
    assert make_transcript(lexemes, [B], Normalisation()).words == ()
    empty = make_transcript(replace(lexemes, words=("天气", "", "", "ja")), [A], Normalisation())
    assert [word for word in empty.words if word] == ["天", "气", "ja"]
    assert empty.start_ms.min() == 0


def test_a_transcript_keeps_spoken_words_of_known_recordings(said):
    assert said.words == ("die", "polizei", "sagt", "die", "polizei")
    assert said.within([1]).words == ("die", "polizei")
    assert spans_ms(said.within([1]), ["die"]) == [(1, 3000, 3500)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["polizei"], [(0, 500, 1000), (1, 4200, 4700)]),
        (["die", "polizei"], [(0, 0, 1000)]),  # .7 s lie between the words in b
        (["polizei", "sagt"], [(0, 500, 1700)]),
        (["sagt", "die"], []),  # another recording
        (["polizei", "polizei"], []),
        (["nie"], []),
    ],
)
def test_occurrences_of_a_phrase(said, words, expected):
    assert spans_ms(said, words) == expected


def test_phrases_that_occur(said):
    phrases = [("polizei", "sagt"), ("nie",), ("sagt", "die"), ("die",), ("polizei", "sagt")]
    assert phrases_said(said, phrases) == [phrases[0], phrases[3], phrases[4]]
    assert phrases_said(said, []) == []


def test_queries_that_nobody_says_are_no_more_than_those_that_are_said(said):
    absent = [(f"nie{i}",) for i in range(9)]
    asked = [*absent[:4], ("die",), *absent[4:], ("polizei", "sagt")]
    kept = with_few_absent(asked, said, seed=1)
    assert {("die",), ("polizei", "sagt")} < set(kept)
    assert len(kept) == 4
    assert kept == sorted(kept, key=asked.index)
    assert kept == with_few_absent(asked, said, seed=1) != with_few_absent(asked, said, seed=2)
    few = [absent[0], ("die",)]
    assert with_few_absent(few, said, seed=1) == few
    assert with_few_absent(absent, said, seed=1) == []


def test_each_occurrence_is_paired_with_one_hit(said):
    reference = find_occurrences(said, [["die"], ["polizei"]])
    recording = np.array([0, 0, 1, 1, 0])
    start = np.array([500, 520, 2000, 4600, 1600])
    term, end = np.ones(5, int), start + 400
    score = np.array([0.2, 0.9, 0.8, 0.1, 0.95])
    correct = correct_hits(term, recording, start, end, score, reference)
    # .95 has its middle .8 s after the occurrence; .9 takes it before .2; .8 lies elsewhere
    assert correct.tolist() == [False, True, False, True, False]
    none = find_occurrences(said, [["die"], ["nie"]])
    assert not correct_hits(term, recording, start, end, score, none).any()


def test_pairs_are_as_many_as_possible():
    """The best hit fits both occurrences, the other only the first: greedy pairing leaves one."""
    lexemes = Lexemes(
        (A,), ("s",), np.zeros(2, np.int32), np.zeros(2, np.int32), np.array([1.0, 1.6]),
        np.array([0.5, 0.5]), ("ja", "ja"), ("lex", "lex"),
    )  # fmt: skip
    reference = find_occurrences(make_transcript(lexemes, [A], Normalisation()), [["ja"]])
    start, end = np.array([1100, 600]), np.array([1600, 1000])
    correct = correct_hits(
        np.zeros(2, int), np.zeros(2, int), start, end, np.array([0.9, 0.2]), reference
    )
    assert correct.tolist() == [True, True]
