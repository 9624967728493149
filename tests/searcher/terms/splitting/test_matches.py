"""All matches: three indexes against a slow twin written from the contract."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from searcher.terms.splitting import bktree, indexes
from searcher.terms.splitting.matches import MAX_LETTERS, Matches, MatchLimits, WordTooLongError
from searcher.terms.vocabulary import lay_out, of_counts
from std.errors import InputError

COMPOUNDS = Path(__file__).parents[3] / "data/compounds/thesis-65.tsv"
BUILDERS = [indexes.build_linear, bktree.build, indexes.build_trie]


def twin(word, words, limits):
    """The contract of std-query --all-matches, sentence by sentence."""
    n = len(word)
    splitable = {0}
    found = []
    for start in range(n):
        if start not in splitable:
            continue  # no split of the letters before it exists
        for end in range(start + limits.min_part_letters, n + 1):
            if (start, end) == (0, n):
                continue  # never the whole word
            length = end - start
            limit = min(limits.max_edits, int(limits.max_ratio * length + 1e-9))
            for other in words:
                distance = Levenshtein.distance(word[start:end], other)  # rapidfuzz: the oracle
                if distance <= limit:
                    found.append((start, end, other, distance))
                    splitable.add(end)
    return sorted(found)


def rows(index, vocabulary, word, limits):
    found = index.matches(word, limits)
    columns = (found.start, found.end, [vocabulary.words[i] for i in found.id], found.distance)
    return [(int(s), int(e), w, int(d)) for s, e, w, d in zip(*columns, strict=True)]


LIMITS = st.builds(
    MatchLimits,
    st.integers(0, 4),
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.34, 0.6, 1.0, 2.0]),
    st.integers(1, 4),
)


@settings(max_examples=150, deadline=None)
@pytest.mark.slow
@given(
    st.lists(st.text("aäbß-", min_size=1, max_size=8), min_size=1, max_size=15),
    st.text("aäbßx-", min_size=1, max_size=16),
    LIMITS,
)
def test_indexes_agree_with_the_contract(words, word, limits):
    vocabulary = of_counts(Counter(words))
    expected = twin(word, vocabulary.words, limits)
    for build in BUILDERS:
        assert rows(build(vocabulary), vocabulary, word, limits) == expected, build.__name__


@pytest.mark.parametrize("letters", [61, 62, 63, 64, 65, 100, MAX_LETTERS])
@pytest.mark.parametrize("build", BUILDERS)
def test_words_longer_than_a_machine_word(build, letters):
    half = "abcdefghij" * 20
    words = ["ab", half[:62], half[:63] + "x", half[1:65], half[: letters - 3], half[:letters]]
    vocabulary = of_counts(Counter([*words, "q" * 300]))
    word, limits = half[:letters], MatchLimits(2, 0.1)
    assert rows(build(vocabulary), vocabulary, word, limits) == twin(word, vocabulary.words, limits)


@pytest.mark.parametrize("build", BUILDERS)
def test_alphabet_of_more_than_255_letters(build):
    words = [chr(0x4E00 + i) + chr(0x4E01 + i) for i in range(400)]
    vocabulary, word = of_counts(Counter(words)), words[3] + words[399] + "😀"
    assert rows(build(vocabulary), vocabulary, word, MatchLimits(1, 0.5)) == twin(
        word, vocabulary.words, MatchLimits(1, 0.5)
    )


def test_the_thesis_compounds():
    """With their own lemmas as vocabulary, under the thesis's limits."""
    with COMPOUNDS.open(encoding="utf-8") as file:
        table = [row for row in csv.reader(file, delimiter="\t") if not row[0].startswith("#")]
    lemmas = {lemma.lower() for row in table for lemma in row[2].replace(";", "+").split("+")}
    vocabulary = of_counts(Counter({part for lemma in lemmas for part in lemma.split("/")}))
    indexes = [build(vocabulary) for build in BUILDERS]
    assert len(table) == 65
    for word, *_ in table:
        for limits in (MatchLimits(), MatchLimits(3, 0.6)):
            first, *others = (rows(index, vocabulary, word.lower(), limits) for index in indexes)
            assert all(other == first for other in others)
    for word, *_ in table[::13]:  # the slow twin on some
        assert rows(indexes[2], vocabulary, word.lower(), MatchLimits()) == twin(
            word.lower(), vocabulary.words, MatchLimits()
        )


@pytest.mark.parametrize("build", BUILDERS)
def test_too_long_a_word_is_refused(build):
    index = build(of_counts(Counter(["ab"])))
    with pytest.raises(WordTooLongError, match="at most 192 letters, got 5000 letters"):
        index.matches("a" * 5000, MatchLimits())


@pytest.mark.parametrize(
    ("limits", "letters", "expected"),
    [
        (MatchLimits(2, 0.2), [1, 4, 5, 9, 10, 15, 100], [0, 0, 1, 1, 2, 2, 2]),
        (MatchLimits(9, 0.1), [9, 10, 29, 30], [0, 1, 2, 3]),  # 0.1 * 30 < 3 in floats without care
        (MatchLimits(3, 0.6), [1, 2, 3, 5], [0, 1, 1, 3]),
        (MatchLimits(2, 1e300), [1], [2]),
    ],
)
def test_limits_by_length(limits, letters, expected):
    assert [limits.edits(n) for n in letters] == expected
    assert limits.table(100)[1] == (-1 if limits.min_part_letters > 1 else expected[0])


@pytest.mark.parametrize(
    "bad", [(-1, 0.2, 2), (16, 0.2, 2), (2, -0.1, 2), (2, float("nan"), 2), (2, 0.2, 0)]
)
def test_limits_out_of_range(bad):
    with pytest.raises(ValueError, match="expected"):
        MatchLimits(*bad)


def test_columns_must_fit():
    one, two = np.zeros(1, np.int32), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="columns"):
        Matches(one, one, one, two)


def test_no_words_no_index():
    with pytest.raises(ValueError, match="without words"):
        lay_out([])


# BK-tree on disk


def test_saved_tree_is_mapped_and_gives_the_same(tmp_path):
    vocabulary = of_counts(
        Counter([a + b for a in "abcdeäß" for b in ("xyz", "yz", "zäx", "q" * 70)])
    )
    built = bktree.load_or_build(tmp_path / "tree", vocabulary)
    again = bktree.load_or_build(tmp_path / "tree", vocabulary)
    assert isinstance(again.words.letters, np.memmap)
    word, limits = "axyzbyzczäx", MatchLimits(2, 0.4)
    assert rows(built, vocabulary, word, limits) == rows(again, vocabulary, word, limits)
    assert rows(again, vocabulary, word, limits) == twin(word, vocabulary.words, limits)


def test_tree_obeys_the_triangle(tmp_path):
    vocabulary = of_counts(
        Counter([a + b + c for a in "abc" for b in "xyz" for c in ("", "p", "pq")])
    )
    tree = bktree.build(vocabulary)
    first = tree.first_child
    assert sorted(tree.words.ids.tolist()) == list(range(len(vocabulary)))  # all of them, once
    for node in range(len(vocabulary)):
        parent = vocabulary.words[tree.words.ids[node]]
        edges = tree.edge[first[node] : first[node + 1]].tolist()
        children = [vocabulary.words[i] for i in tree.words.ids[first[node] : first[node + 1]]]
        assert edges == [Levenshtein.distance(parent, child) for child in children]
        assert edges == sorted(set(edges))


def spoil_header(folder):
    (folder / "bktree.json").write_text("{", "utf-8")


def spoil_array(folder):
    np.save(folder / "root.npy", np.array([99999], np.int32))


def cut_array(folder):
    (folder / "ids.npy").write_bytes((folder / "ids.npy").read_bytes()[:20])


def remove_array(folder):
    (folder / "edge.npy").unlink()


def forge(name, change):
    def spoil(folder):
        values = np.load(folder / f"{name}.npy")
        np.save(folder / f"{name}.npy", change(values))

    return spoil


def wrapped(offsets):
    """Differences that are positive only because they wrap."""
    steps = np.arange(len(offsets), dtype=np.uint64) * np.uint64(2**64 // (len(offsets) - 1))
    return np.concatenate([[0], steps[1:-1].view(np.int64), offsets[-1:]])


FORGED = [
    forge("letters", lambda values: values.astype(np.int32) - 10**9),
    forge("letters", lambda values: values.astype(np.int64)),
    forge("letters", lambda values: values.astype(np.float32)),
    forge("offsets", wrapped),
    forge("edge", lambda values: values.astype(np.float64)),
]


@pytest.mark.parametrize("spoil", [spoil_header, spoil_array, cut_array, remove_array, *FORGED])
def test_damaged_tree_is_refused(tmp_path, spoil):
    vocabulary = of_counts(Counter(["abc", "abd", "xyz"]))
    bktree.save(bktree.build(vocabulary), tmp_path / "tree", vocabulary)
    spoil(tmp_path / "tree")
    with pytest.raises(InputError, match="BK-tree"):
        bktree.load(tmp_path / "tree", vocabulary)


def test_tree_of_other_words_is_refused(tmp_path):
    vocabulary = of_counts(Counter(["abc", "abd"]))
    bktree.save(bktree.build(vocabulary), tmp_path / "tree", vocabulary)
    with pytest.raises(InputError, match="of this vocabulary"):
        bktree.load(tmp_path / "tree", of_counts({"abc": 1}))
    with pytest.raises(InputError, match="new folder"):  # never over another one
        bktree.save(bktree.build(vocabulary), tmp_path / "tree", vocabulary)
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]
