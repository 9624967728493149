from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.matching.occurrences import find
from std.values import Lexemes, Recording, Term, TermList


def transcript(rows):
    """Rows of start, duration, word, subtype, speaker."""
    starts, durations, words, subtypes, speakers = zip(*rows, strict=True) if rows else ((),) * 5
    table = tuple(dict.fromkeys(speakers))
    return Lexemes(
        (Recording("f", 1),),
        table,
        np.zeros(len(words), np.int32),
        np.array([table.index(one) for one in speakers], np.int32),
        np.array(starts, float),
        np.array(durations, float),
        words,
        subtypes,
    )


def words(text, start_s=0.0, speaker="s"):
    return [(start_s + i, 0.75, w, "lex", speaker) for i, w in enumerate(text.split())]


def spans(term, rows, **options):
    normalise = options.pop("compare_normalize", "lowercase")
    terms = TermList((Term("T", term),), compare_normalize=normalise)
    found = find(terms, transcript(rows), **options)
    return sorted(zip(found.start_s.tolist(), found.end_s.tolist(), strict=True))


FOUND = [
    # name, term, rows, spans; the rules are those of the reference program
    ("one word", "b", words("a b a b"), [(1, 1.75), (3, 3.75)]),
    ("phrase", "a b", words("a b a b"), [(0, 1.75), (2, 3.75)]),
    ("every start counts", "a a", words("a a a"), [(0, 1.75), (1, 2.75)]),
    ("case of the first word", "A B", words("a b"), [(0, 1.75)]),
    ("final sigma", "σίσυφοσ", words("ΣΊΣΥΦΟΣ"), [(0, 0.75)]),
    ("sharp s in a first word", "strasse", words("Straße"), []),
    ("sharp s in a later word", "a strasse", words("a Straße"), [(0, 1.75)]),
    ("another speaker between", "a b", [*words("a b"), *words("x", 0.5, "t")], [(0, 1.75)]),
    ("across speakers", "a b", [*words("a"), *words("b", 1.0, "t")], []),
    ("white space in the term", "  a \t b ", words("a b"), [(0, 1.75)]),
    ("no normal form", "ä", words("a\u0308"), []),
]


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case[0])
def test_found(case):
    _, term, rows, expected = case
    assert spans(term, rows) == expected


GAPS = [(0.5, 1), (0.50004, 1), (0.5001, 0), (-0.9, 1)]  # the last: words overlap


@pytest.mark.parametrize(("gap_s", "found"), GAPS)
def test_gap_is_rounded_to_a_tenth_of_a_millisecond(gap_s, found):
    rows = [(10.0, 1.0, "a", "lex", "s"), (11.0 + gap_s, 1.0, "b", "lex", "s")]
    assert len(spans("a b", rows)) == found


@pytest.mark.parametrize("subtype", ["frag", "fp"])
def test_fragments_and_fillers(subtype):
    filler = [(0.0, 0.5, "uh", subtype, "s"), (0.5, 0.5, "a", "lex", "s")]
    assert spans("uh", filler) == []
    assert spans("uh a", filler) == []
    assert spans("a uh", [(0.0, 0.5, "a", "lex", "s"), (0.5, 0.5, "uh", subtype, "s")]) == [
        (0.0, 1.0)
    ]
    between = [*words("a"), (0.75, 0.25, "uh", subtype, "s"), *words("b", 1.0)]
    assert spans("a b", between) == []
    assert spans("uh", [(0.0, 0.5, "uh", subtype.upper(), "s")]) == [(0.0, 0.5)]


def test_case_matters_for_the_first_word_when_the_list_says_so():
    assert spans("A", words("a A"), compare_normalize="") == [(1, 1.75)]
    assert spans("A B", words("A b"), compare_normalize="") == [(0, 1.75)]


def test_a_shuffled_transcript_gives_the_same_occurrences():
    # The reference program links words in file order and misses the phrase.
    assert spans("a b c", words("a b c")[::-1]) == [(0, 2.75)]


def test_no_words_and_no_terms():
    assert spans("a", []) == []
    assert len(find(TermList(()), transcript(words("a")))) == 0


rows_strategy = st.lists(
    st.tuples(
        st.integers(0, 12).map(float), st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from("aBb"),
        st.sampled_from(["lex", "fp"]), st.sampled_from("st"),
    ),
    max_size=12,
)  # fmt: skip


@given(rows_strategy, st.lists(st.sampled_from("ab"), min_size=1, max_size=3))
def test_against_the_obvious_loop(rows, term):
    expected = []
    for speaker in "st":
        chain = sorted((r for r in rows if r[4] == speaker), key=lambda r: r[0])
        for i, first in enumerate(chain):
            said = chain[i : i + len(term)]
            if first[3] == "fp" or [one[2].lower() for one in said] != term:
                continue
            if all(b[0] - (a[0] + a[1]) <= 0.5 for a, b in pairwise(said)):
                expected.append((first[0], said[-1][0] + said[-1][1]))
    assert spans(" ".join(term), rows) == sorted(expected)
