import numpy as np
import pytest

from scoring.matching.characters import characters, split_lexemes, split_terms
from std.matching.occurrences import find
from std.values import Lexemes, Recording, Term, TermList

SPLIT = [
    ("中国", False, False, ["中", "国"]),
    ("ab", False, False, ["a", "b"]),
    ("中TV国", True, False, ["中", "TV", "国"]),
    ("x-ray", True, True, ["x", "ray"]),
    ("x-ray", False, True, ["x", "r", "a", "y"]),
    ("x-ray", True, False, ["x-ray"]),
    ("-", True, True, []),
]


@pytest.mark.parametrize(("word", "keep", "delete", "expected"), SPLIT)
def test_characters(word, keep, delete, expected):
    assert characters(word, keep_ascii=keep, delete_hyphens=delete) == expected


def transcript(*words):
    n = len(words)
    return Lexemes(
        (Recording("f", 1),), ("s",), np.zeros(n, np.int32), np.zeros(n, np.int32),
        np.arange(n) * 1.0, np.full(n, 0.9), words, ("lex",) * n,
    )  # fmt: skip


def test_a_word_becomes_equal_parts_rounded_to_a_millisecond():
    parts = split_lexemes(transcript("中国人民大学习"), keep_ascii=False, delete_hyphens=False)
    # 0.9 s / 7 = 0.128571..., which the reference program rounds to 0.129.
    assert parts.duration_s.tolist() == [0.129] * 7
    assert parts.start_s == pytest.approx(np.arange(7) * 0.129)
    assert parts.words == tuple("中国人民大学习")


def test_terms_are_found_across_the_words_of_a_transcript():
    terms = TermList((Term("1", "国人"), Term("2", "-")))
    lexemes = transcript("中国", "人民", "-")
    options = {"keep_ascii": True, "delete_hyphens": True}
    found = find(split_terms(terms, **options), split_lexemes(lexemes, **options))
    assert found.term.tolist() == [0, 1]
    assert found.start_s[0] == pytest.approx(0.45)
