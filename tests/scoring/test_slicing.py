import numpy as np
import pytest

from scoring.slicing import Scope, in_recordings, slices
from std.errors import StdError
from std.values import Excerpt, Recording, Term, TermList, TermSearch

TERMS = TermList(
    (
        Term("T-1", "a", {"Order": "1", "Kind": "name"}),
        Term("T-2", "a b", {"Order": "10", "Kind": "name"}),
        Term("T-3", "c", {"Order": "2"}),
        Term("X-4", "d e f", {"Order": "1", "Kind": "verb"}),
    )
)
EXCERPTS = (
    Excerpt(Recording("f", 1), 0.0, 9.0, "bnews"),
    Excerpt(Recording("f", 2), 0.0, 9.0, "cts"),
    Excerpt(Recording("g", 1), 0.0, 9.0, "cts"),
)
SCOPE = Scope(
    EXCERPTS,
    TERMS,
    np.array([True, True, True, True]),
    (TermSearch(0, 0), TermSearch(0, 2), TermSearch(0, None), None),
    np.array([0, 1, 5, 21]),
)

BY_TERM = [
    # specification, expected name -> term numbers
    ("attribute:Order", {"Order-1": [0, 3], "Order-2": [2], "Order-10": [1]}),
    ("attribute:Order=1.*", {"Order-1": [0, 3], "Order-10": [1]}),
    ("attribute:Order=0", {"Order-10": [1]}),
    ("attribute:Order=^1$", {"Order-1": [0, 3]}),
    (
        "attribute:Kind && Order",
        {"Kind-name && Order-1": [0], "Kind-name && Order-10": [1], "Kind-verb && Order-1": [3]},
    ),
    ("terms:Ts=t-[12]", {"Ts": [0, 1]}),
    ("terms:T-3,X-4", {"T-3,X-4": [2, 3]}),
    ("oov", {"IV": [0, 2, 3], "OOV": [1]}),
    ("has-references", {"HasTargets": [1, 2, 3], "NoTargets": [0]}),
    ("length", {"1 word": [0, 2], "2 words": [1], "3 words": [3]}),
    ("frequency", {"1 reference": [1], "2-5": [2], "21+": [3]}),
]
BY_SPEECH = [
    ("source-type", {"bnews": [0], "cts": [1, 2]}),
    ("source-type:Both=bnews,cts", {"Both": [0, 1, 2]}),
    ("source-type:cts", {"cts": [1, 2]}),
    ("recording", {"f/1": [0], "f/2": [1], "g/1": [2]}),
    ("recording:F=F/.*", {"F": [0, 1]}),
    ("recording:F=F", {"F": [0, 1]}),
    ("recording:/1", {"/1": [0, 2]}),
]


@pytest.mark.parametrize(("specification", "expected"), BY_TERM)
def test_slices_of_terms(specification, expected):
    found = list(slices(specification, SCOPE))
    assert {one.name: np.flatnonzero(one.terms).tolist() for one in found} == expected
    assert [one.name for one in found] == list(expected)
    assert all(one.excerpts == EXCERPTS for one in found)


@pytest.mark.parametrize(("specification", "expected"), BY_SPEECH)
def test_slices_of_speech(specification, expected):
    found = list(slices(specification, SCOPE))
    assert {one.name: [EXCERPTS.index(e) for e in one.excerpts] for one in found} == expected
    assert all(one.terms.all() for one in found)


IN_TWO = (
    Excerpt(Recording("f", 1), 0.0, 9.0, "bnews", "english"),
    Excerpt(Recording("f", 2), 0.0, 9.0, "bnews", "German"),
    Excerpt(Recording("g", 1), 0.0, 9.0, "bnews", "English"),
)
OF_TERMS = TermList(
    (
        Term("T-1", "a", {"Language": "german"}),
        Term("T-2", "a b"),
        Term("T-3", "c", {"Language": "english"}),
        Term("X-4", "d e f", {"Language": "Dutch"}),
    )
)
CODED = TermList(
    (
        Term("T-1", "a", {"Language": "de"}),
        Term("T-2", "a b"),
        Term("T-3", "c", {"Language": "en"}),
        Term("X-4", "d e f", {"Language": "de-AT"}),  # another language than German
    )
)
LANGUAGES = [
    # excerpts, terms, language of the whole, specification -> rows of excerpts and of terms
    (IN_TWO, TERMS, "", "language",
     {"english": ([0, 2], [0, 1, 2, 3]), "German": ([1], [0, 1, 2, 3])}),
    (EXCERPTS, OF_TERMS, "", "language",
     {"german": ([0, 1, 2], [0, 1]), "english": ([0, 1, 2], [1, 2]), "Dutch": ([0, 1, 2], [1, 3])}),
    (IN_TWO, OF_TERMS, "x", "language", {"english": ([0, 2], [1, 2]), "German": ([1], [0, 1])}),
    (EXCERPTS, TERMS, "english", "language", {"english": ([0, 1, 2], [0, 1, 2, 3])}),
    (IN_TWO, TERMS, "", "language:Both=german,english", {"Both": ([0, 1, 2], [0, 1, 2, 3])}),
    (IN_TWO, TERMS, "", "language:german", {"german": ([1], [0, 1, 2, 3])}),
    (IN_TWO, TERMS, "", "language:deu", {"deu": ([1], [0, 1, 2, 3])}),
    (IN_TWO, CODED, "", "language", {"english": ([0, 2], [1, 2]), "German": ([1], [0, 1])}),
]  # fmt: skip


@pytest.mark.parametrize(("excerpts", "terms", "whole", "specification", "expected"), LANGUAGES)
def test_slices_by_language(excerpts, terms, whole, specification, expected):
    scope = Scope(excerpts, terms, SCOPE.chosen, SCOPE.searches, SCOPE.targets, whole)
    found = {
        one.name: ([excerpts.index(e) for e in one.excerpts], np.flatnonzero(one.terms).tolist())
        for one in slices(specification, scope)
    }
    assert found == expected


REFUSED = [
    ("language", "expected a language of excerpts of the ECF, or of terms"),
    ("language:dutch", "expected a language of excerpts of the ECF, or of terms"),
    ("colour", "expected one of attribute, terms"),
    ("attribute", "expected attribute:NAME"),
    ("attribute:Colour", r"an attribute of the terms \(Kind, Order\), got 'Colour'"),
    ("attribute:Order=[", "a regular expression"),
    ("attribute:Order=9", "something that matches"),
    ("terms:", "expected terms:NAME=ID"),
    ("terms:Q", "something that matches"),
    ("source-type:N=moon", "something that matches"),
    ("recording:N=h/1", r"found in file/channel of a recording of the ECF \(f/1, f/2, g/1\)"),
]


@pytest.mark.parametrize(("specification", "message"), REFUSED)
def test_refused(specification, message):
    with pytest.raises(StdError, match=message):
        list(slices(specification, SCOPE))


def test_recordings_are_found_anywhere_and_in_either_case():
    assert in_recordings(EXCERPTS, ["F/1", "g"], "--recordings") == (EXCERPTS[0], EXCERPTS[2])
    assert in_recordings(EXCERPTS, ["f"], "--recordings") == EXCERPTS[:2]
    assert in_recordings(EXCERPTS, ["1$"], "--recordings") == EXCERPTS[::2]


def test_a_pattern_that_is_found_nowhere_is_named():
    message = r"--recordings: .* of the ECF \(f/1, f/2, g/1\), got '\^1'"
    with pytest.raises(StdError, match=message):
        in_recordings(EXCERPTS, ["f", "^1"], "--recordings")


def test_names_with_numbers_of_any_length_have_an_order():
    from scoring.slicing import _natural

    names = ["t10", "t9", "t009x", "t" + "9" * 5000, "a"]
    assert sorted(names, key=_natural) == ["a", "t9", "t009x", "t10", "t" + "9" * 5000]
