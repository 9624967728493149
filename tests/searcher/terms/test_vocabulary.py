"""Vocabulary values and files."""

import gzip
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.terms.vocabulary import Vocabulary, letters, of_counts, parse, read
from std.errors import InputError
from std.text import Normalisation


def as_dict(vocabulary):
    return dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("haus\t3\nwald\n", {"haus": 3, "wald": 1}),
        ("\ufeffhaus", {"haus": 1}),  # invisible characters go
        ("Haus\t3\r\n\r\nhaus\t4\r\n", {"haus": 7}),
        ("  haus \t 0 \n\n", {"haus": 0}),
        ("STRASSE\nStraße\n", {"strasse": 1, "straße": 1}),
        ("a\u0308\nä\n", {"ä": 2}),  # decomposed and composed
        ("b\na\nb-c\n", {"a": 1, "b": 1, "b-c": 1}),
    ],
)
def test_lines(text, expected):
    assert as_dict(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("haus\t3\nwald\t-1\n", 2, "a whole number >= 0"),
        ("haus\t1.5\n", 1, "a whole number >= 0"),
        ("haus\t\n", 1, "a whole number >= 0"),
        ("haus\t٣\n", 1, "a whole number >= 0"),  # digits of another script
        ("haus\t1e3\n", 1, "a whole number >= 0"),
        ("haus\t9999999999999999\n", 1, "a whole number >= 0"),  # would not fit
        ("haus\t1\t2\n", 1, "word[<TAB>count]"),
        ("haus 1\n", 1, "word[<TAB>count]"),
        ("\t3\n", 1, "word[<TAB>count]"),
    ],
)
def test_bad_lines_are_named(text, line, expected):
    with pytest.raises(InputError, match="expected") as caught:
        parse(text, "v.tsv")
    assert caught.value.line == line
    assert caught.value.expected.startswith(expected)


def test_empty_file_is_refused():
    with pytest.raises(InputError, match="at least one word"):
        parse("\n \n", "v.tsv")


def test_read_unpacks_decodes_and_normalises(tmp_path):
    packed = tmp_path / "v.tsv.gz"
    packed.write_bytes(gzip.compress("\ufeffMaß\t2\n".encode()))
    assert as_dict(read(packed)) == {"maß": 2}
    assert as_dict(read(packed, Normalisation(case="keep", sharp_s="ss"))) == {"Mass": 2}


def test_read_names_the_line_that_is_not_utf8(tmp_path):
    path = tmp_path / "v.tsv"
    path.write_bytes("haus\nmaß\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"v\.tsv:2: expected utf-8"):
        read(path)


@given(st.dictionaries(st.text(min_size=1), st.integers(0, 10**12)), st.text())
def test_look_up_agrees_with_a_dict(counts, word):
    vocabulary = of_counts(counts)
    for one in (*counts, word):
        assert (one in vocabulary) == (one in counts)
        assert vocabulary.count(one) == counts.get(one, 0)
    assert [vocabulary.find(one) for one in sorted(counts)] == list(range(len(counts)))


@given(st.lists(st.text()))
def test_letters_are_the_code_points(words):
    codes, offsets = letters(words)
    again = ["".join(map(chr, codes[a:b])) for a, b in pairwise(offsets)]
    assert again == words


def test_values_are_checked_and_frozen():
    with pytest.raises(ValueError, match="ascend"):
        Vocabulary(("b", "a"), np.ones(2, np.int64))
    with pytest.raises(ValueError, match="ascend"):
        Vocabulary(("a", "a"), np.ones(2, np.int64))
    with pytest.raises(ValueError, match="2 words"):
        Vocabulary(("a", "b"), np.ones(3, np.int64))
    with pytest.raises(ValueError, match="read-only"):
        of_counts(Counter(["a"])).counts[0] = 2


def test_digest_tells_vocabularies_apart():
    assert of_counts(Counter(["a", "b"])).digest() == of_counts({"b": 5, "a": 1}).digest()
    assert of_counts(Counter(["a", "b"])).digest() != of_counts(Counter(["ab"])).digest()
    assert 3 not in of_counts(Counter(["a"]))
