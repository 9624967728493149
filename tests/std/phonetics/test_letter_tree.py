# ruff: noqa: RUF001  # IPA letters are meant
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from std.phonetics.letter_tree import EDGE, context, grown, load, save

SPELLINGS = {
    "cat": ["k", "æ", "t"],
    "city": ["s", "ɪ", "t", "iː"],
    "cell": ["s", "ɛ", "l", ""],
    "act": ["æ", "k", "t"],
    "ace": ["eɪ", "s", ""],
    "box": ["b", "ɑː", "k s"],
}


def examples(spellings):
    found = {}
    for word, sounds in spellings.items():
        for at, sound in enumerate(sounds):
            place = context(f"{EDGE}{word}{EDGE}", at + 1)
            found.setdefault(word[at], []).append((place, tuple(sound.split())))
    return found


def said(spellings, word):
    return tuple(phone for sound in spellings[word] for phone in sound.split())


def test_a_tree_says_the_words_it_was_grown_from():
    tree = grown(examples(SPELLINGS))
    assert {word: tree.phones(word) for word in SPELLINGS} == {
        word: said(SPELLINGS, word) for word in SPELLINGS
    }
    assert tree.phones("") == tree.phones("zzz") == ()


def test_other_words_are_said_like_them():
    tree = grown(examples(SPELLINGS))
    assert tree.phones("cit") == ("s", "ɪ", "t")  # c before i as in city
    assert tree.phones("bat") == ("b", "æ", "t")


def slow(spellings, word, at):
    """The twin: what the letter mostly is in the words that agree with it farthest."""
    place = context(f"{EDGE}{word}{EDGE}", at + 1)
    known = examples(spellings).get(word[at], [])
    for reach in range(len(place), 0, -1):
        counts = Counter(sound for other, sound in known if other[:reach] == place[:reach])
        if counts:
            return min(counts, key=lambda sound: (-counts[sound], sound))
    return ()


LETTERS = st.text("abc", min_size=1, max_size=6)
WORDS = st.dictionaries(LETTERS, st.integers(0, 3**6 - 1), min_size=1, max_size=12)


@given(drawn=WORDS, asked=LETTERS)
def test_a_tree_equals_a_search_of_all_examples(drawn, asked):
    spellings = {
        word: [("", "x", "y")[code // 3**at % 3] for at in range(len(word))]
        for word, code in drawn.items()
    }
    tree = grown(examples(spellings))
    for word in (asked, *spellings):
        twin = tuple(phone for at in range(len(word)) for phone in slow(spellings, word, at))
        assert tree.phones(word) == twin


def test_a_tree_is_read_as_it_was_written(tmp_path):
    tree = grown(examples(SPELLINGS))
    save(tree, tmp_path / "tree.npz")
    assert dict(load(tmp_path / "tree.npz").nodes) == dict(tree.nodes)
