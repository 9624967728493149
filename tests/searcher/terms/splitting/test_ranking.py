"""Splits: n best against brute force, both rankings, word formation, the five splitters."""

import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searcher.terms.splitting import METHODS, make_splitter
from searcher.terms.splitting.matches import (
    COUNT,
    EDIT,
    PER_PART,
    Matches,
    MatchLimits,
    best_splits,
    formation_cost,
)
from searcher.terms.splitting.nbest import best_paths
from searcher.terms.vocabulary import of_counts


def all_paths(letters, edges):
    """Every sequence of matches over the whole word, the obvious way: (match, ...)."""

    def go_on(at):
        if at == letters:
            yield ()
        for i, (start, end, *_) in enumerate(edges):
            if start == at:
                yield from ((i, *rest) for rest in go_on(end))

    return list(go_on(0))


EDGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 3), st.integers(0, 3), st.integers(0, 40)),
    min_size=1,
    max_size=14,
)


@settings(deadline=None)
@given(EDGES, st.integers(1, 6), st.booleans())
def test_n_best_is_brute_force(drawn, n, mean):
    letters = 6
    edges = sorted({(s, min(s + length, letters), w): c for s, length, w, c in drawn}.items())
    edges = [(s, e, w, c / 8) for (s, e, w), c in edges if e > s]
    columns = [np.array(column) for column in zip(*edges, strict=True)]
    start, end, word = (column.astype(np.int32) for column in columns[:3])
    costs, paths = best_paths(letters, start, end, word, columns[3].astype(float), n, 6, mean)

    cheapest = {}
    for path in all_paths(letters, edges):
        total = sum(edges[i][3] for i in path) / (len(path) if mean else 1)
        words = tuple(edges[i][2] for i in path)
        cheapest[words] = min(total, cheapest.get(words, np.inf))
    assert costs.tolist() == pytest.approx(sorted(cheapest.values())[:n])
    for total, path in zip(costs, paths, strict=True):
        chosen = [edges[i] for i in path if i >= 0]
        assert chosen[0][0] == 0
        assert chosen[-1][1] == letters
        assert all(a[1] == b[0] for a, b in pairwise(chosen))
        words = tuple(edge[2] for edge in chosen)
        assert total == pytest.approx(cheapest.pop(words))  # its cheapest reading, and only once


@pytest.mark.parametrize(
    ("segment", "word", "distance", "expected"),
    [
        ("haus", "haus", 0, 0.0),
        ("sitzungs", "sitzung", 1, 0.3),  # linking s
        ("kinder", "kind", 2, 0.3),  # linking er
        ("schweige", "schweigen", 1, 0.4),  # dropped n
        ("ess", "essen", 2, 0.4),  # dropped en
        ("gänse", "gans", 2, 0.5),  # umlaut and e
        ("wälder", "wald", 3, 0.5),
        ("museen", "museum", 2, 0.5),  # plurals of Latin and Greek words
        ("pharmaka", "pharmakon", 2, 0.5),
        ("prinzipien", "prinzip", 3, 0.5),
        ("haus", "maus", 1, 1.0),  # arbitrary edits
        ("shaus", "haus", 1, 1.0),  # an s before a word is no linking element
    ],
)
def test_word_formation_is_cheaper(segment, word, distance, expected):
    assert formation_cost(segment, word, distance) == pytest.approx(expected)


@given(st.text("aäeinrs", max_size=6), st.text("aäeinrs", max_size=6))
def test_formation_never_costs_more_than_edits(segment, word):
    assert 0 <= formation_cost(segment, word, 3) <= 3


def test_geometric_is_equation_3_1():
    vocabulary = of_counts({"start": 8, "menge": 2, "star": 9, "tmenge": 3, "st": 4, "art": 0})
    splits = make_splitter(vocabulary, "trie", MatchLimits(0), "geometric").splits("startmenge")
    assert [(one.parts, one.quality) for one in splits] == [
        (("star", "tmenge"), pytest.approx(27**0.5)),
        (("start", "menge"), pytest.approx(4.0)),
        (("st", "art", "menge"), 0.0),  # a part that never occurs
    ]


def test_weighted_is_its_formula():
    vocabulary = of_counts({"sitzung": 9, "saal": 0, "satz": 99, "si": 5})
    first, *others = make_splitter(vocabulary, "trie", MatchLimits(2, 0.4)).splits("sitzungssaal")
    assert first.parts == ("sitzung", "saal")
    assert first.segments == ("sitzungs", "saal")
    assert first.distance == 1
    expected = EDIT * 0.3 + 2 * PER_PART - COUNT * np.log(10) - COUNT * np.log(1)
    assert first.quality == pytest.approx(-expected)
    assert all(a.quality >= b.quality for a, b in pairwise([first, *others]))


def test_short_parts_only_from_the_list():
    vocabulary = of_counts(Counter(["straußen", "ei", "xi", "haus", "ab", "abc"]))
    splitter = make_splitter(vocabulary)
    assert [one.parts for one in splitter.splits("straußenei")] == [("straußen", "ei")]
    assert splitter.splits("straußenxi") == []
    assert splitter.splits("abhaus")[0].parts == ("ab", "haus")
    thesis = make_splitter(vocabulary, ranking="geometric")
    assert [one.parts for one in thesis.splits("straußenxi")] == [("straußen", "xi")]


@pytest.mark.parametrize(
    ("method", "word", "expected"),
    [
        ("primitive", "dampfschiff", [("dampf", "schiff")]),
        ("primitive", "dampfschiffs", []),  # only words as they stand
        ("primitive", "schiffahrt", [("schif", "fahrt")]),
        ("primitive", "hausbaumhaus", [("haus", "baum", "haus")]),
        ("primitive", "urwaldhaus", [("urwald", "haus")]),
        ("primitive", "xwaldhaus", []),
        ("primitive", "haus", []),  # never the whole word
        ("rules", "dampfschiffsfahrt", [("dampf", "schiff", "fahrt")]),
        ("rules", "kinderhaus", [("kind", "haus")]),
        ("rules", "hausbaum", [("haus", "baum")]),
        ("rules", "gänsehaus", []),  # no rule for umlauts
        ("trie", "gänsehaus", [("gans", "haus")]),
    ],
)
def test_methods(method, word, expected):
    words = ["baum", "dampf", "fahrt", "gans", "haus", "kind", "schif", "schiff", "ur", "wald"]
    vocabulary = of_counts(Counter([*words, "urwald"]))
    splits = make_splitter(vocabulary, method, MatchLimits(2, 0.4)).splits(word, 1)
    assert [one.parts for one in splits] == expected


def test_primitive_takes_a_shorter_word_where_the_longest_leads_nowhere():
    splitter = make_splitter(
        of_counts(Counter(["abc", "d", "cd", "ab", "bcd"])), "primitive", MatchLimits(0, 0, 1)
    )
    found = splitter.matches("abcd")
    assert list(zip(found.start, found.end, strict=True)) == [(0, 2), (2, 4)]  # not bcd


@pytest.mark.parametrize("method", METHODS)
def test_no_split(method):
    splitter = make_splitter(of_counts(Counter(["haus", "maus"])), method)
    assert splitter.splits("xyzxyz") == []
    assert splitter.splits("x") == []
    assert splitter.splits("") == []
    assert splitter.splits("haushaus", 0) == []


def test_ranking_by_hand():
    """Without a path over the whole word there is no split, whatever matches."""
    ints = [np.array(column, np.int32) for column in ((0, 0), (4, 3), (0, 0), (0, 1))]
    assert best_splits("haus?", Matches(*ints), of_counts(Counter(["haus"]))) == []


@pytest.mark.parametrize("ranking", ["weighted", "geometric"])
def test_hostile_words_take_no_exponential_time(ranking):
    """Every segment of 190 equal letters matches: 1e50 splits."""
    splitter = make_splitter(
        of_counts(Counter(["a" * n for n in range(1, 30)])), "trie", MatchLimits(3, 0.6), ranking
    )
    splitter.warm_up()
    began = time.process_time()
    splits = splitter.splits("a" * 190)
    assert len(splits) == 25
    assert time.process_time() - began < 3


def test_empty_vocabulary_is_refused():
    with pytest.raises(ValueError, match="empty"):
        make_splitter(of_counts({}))


def test_the_bktree_can_be_kept(tmp_path):
    vocabulary = of_counts(Counter(["haus", "baum"]))
    splitter = make_splitter(vocabulary, "bktree", saved_bktree=tmp_path / "tree")
    assert (tmp_path / "tree/bktree.json").exists()
    assert splitter.splits("baumhaus")[0].parts == ("baum", "haus")


@pytest.mark.parametrize("ranking", ["weighted", "geometric"])
def test_parts_of_one_letter_if_they_are_asked_for(ranking):
    """The thesis's ndimensional."""
    vocabulary = of_counts({"n": 9, "a": 5, "dimensional": 4, "sional": 2})
    for least, found in ((1, True), (2, False)):
        splitter = make_splitter(vocabulary, "trie", MatchLimits(2, 0.2, least), ranking)
        parts = [split.parts for split in splitter.splits("ndimensional")]
        assert (("n", "dimensional") in parts) == found
    weighted = make_splitter(vocabulary, "trie", MatchLimits(2, 0.2, 1)).splits("ndimensional")
    assert all(one.distance == 0 or "n" not in one.parts for one in weighted)
