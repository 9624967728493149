import numpy as np
import pytest

from searcher.tuning.reference import occurrences, right_ones, transcript
from std.text import Normalisation
from std.values import Lexemes, Recording

A, B = Recording("a", 1), Recording("b", 1)


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
    return transcript(lexemes, [A, B], Normalisation())


def test_a_transcript_keeps_spoken_words_of_known_recordings(said):
    assert said.words == ("die", "polizei", "sagt", "die", "polizei")
    assert said.within([1]).words == ("die", "polizei")
    assert occurrences(said.within([1]), ["die"]).tolist() == [[1, 3000, 3500]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["polizei"], [[0, 500, 1000], [1, 4200, 4700]]),
        (["die", "polizei"], [[0, 0, 1000]]),  # .7 s lie between the words in b
        (["polizei", "sagt"], [[0, 500, 1700]]),
        (["sagt", "die"], []),  # another recording
        (["polizei", "polizei"], []),
        (["nie"], []),
    ],
)
def test_occurrences_of_a_phrase(said, words, expected):
    assert occurrences(said, words).tolist() == expected


def test_each_occurrence_makes_its_best_hit_right(said):
    reference = occurrences(said, ["polizei"])
    recording = np.array([0, 0, 1, 1, 0])
    start = np.array([500, 520, 2000, 4600, 1600])
    end = start + 400
    score = np.array([0.2, 0.9, 0.8, 0.1, 0.95])
    right = right_ones(recording, start, end, score, reference)
    # .95 has its middle .8 s after the occurrence; .9 takes it before .2; .8 lies elsewhere
    assert right.tolist() == [False, True, False, True, False]
    assert not right_ones(recording, start, end, score, reference[:0]).any()
