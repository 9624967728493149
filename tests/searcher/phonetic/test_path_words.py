from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.phonetic.path_words import (
    MOST_TOLD,
    PHRASE,
    SAME,
    SAME_SIBLING,
    RecognisedWords,
    explained,
    path_words,
    spelling,
    together,
)

WORDS = RecognisedWords(
    (("das", "haus"), ("das", "hand", "haus")), {"das": 8, "haus": 3, "hand": 1}
)


def common_by_table(one, other):
    """Length of the longest common subsequence, as textbooks have it."""
    table = np.zeros((len(one) + 1, len(other) + 1), int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            best = max(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else best
    return int(table[-1, -1])


@given(st.text("abcß", max_size=80), st.text("abcßd", max_size=80))
def test_letters_in_common_are_those_of_the_table(one, other):
    expected = 2 * common_by_table(one, other) / max(len(one) + len(other), 1)
    assert spelling([one], [(other,)]).tolist() == [expected]


def test_spelling_by_hand():
    paths = [("hand", "in", "vielen"), ("hahnen", "federn"), ()]
    # "hanneen" of 12 and 12 letters; all; none
    assert spelling(["hahnenfedern"], paths).tolist() == pytest.approx([14 / 24, 1, 0])
    assert spelling(["hahnen", "federn"], paths)[1] == 1
    assert spelling([], paths).tolist() == [0, 0, 0]


def test_the_words_of_a_path_are_those_of_its_segment():
    hits = SimpleNamespace(
        segment=np.array([0, 1, 1]), paths=np.array([[0, 1, -1], [1, 2, 0], [-1, -1, -1]])
    )
    assert path_words(hits, WORDS) == [("das", "haus"), ("hand", "haus", "das"), ()]


def test_no_hits_have_no_evidence():
    assert len(spelling(["haus"], [])) == 0


ARCHIVE = RecognisedWords(
    (), {"mag": 900, "in": 20_000, "seelen": 30, "ski": 40, "hallo": 50, "funktionen": 9}
)


def test_a_word_that_stands_at_many_places_explains_them():
    paths = [("mag",)] * (3 * SAME) + [("in", "mag")] * SAME + [("hallo",)] * SAME
    found = explained(["maak"], paths, np.zeros(len(paths)))
    assert found.tolist() == pytest.approx([np.log(4)] * (4 * SAME) + [0.0] * SAME)


def test_words_of_one_stem_are_one_explanation():
    paths = [("funktionen",), ("funktioniert",), ("funktionär",)] * SAME
    none = np.zeros(len(paths), bool)
    found = explained(["funktion"], paths, none)
    assert found.tolist() == pytest.approx([np.log(3 * SAME / SAME_SIBLING)] * (3 * SAME))
    assert not explained([], paths, none).any()  # a spoken query has no letters


def test_a_sibling_explains_the_better_the_more_often_it_stands_there():
    """24 places in all: 3, 5 or 6 times too many, for words at 2, 5 and 17."""
    paths = [("funktionen",)] * 17 + [("funktional",)] * 5 + [("funktionär",)] * 2
    found = explained(["funktion"], paths, np.zeros(len(paths)))
    assert np.exp(found).tolist() == pytest.approx([6.0] * 17 + [5.0] * 5 + [3.0] * 2)


def test_one_word_that_is_spelt_much_like_the_term_is_a_sibling():
    """*organization* has 11 of 12 letters, *orgel* 4 of 12 and 5, and two words are no form."""
    paths = [("organization",)] * SAME + [("orgel",)] * SAME + [("organ", "ization")] * SAME
    found = explained(["organisation"], paths, np.zeros(len(paths)))
    assert found.tolist() == pytest.approx([np.log(SAME / SAME_SIBLING)] * SAME + [0.0] * 2 * SAME)


def test_a_stem_beside_other_words_is_a_sibling_where_one_of_its_forms_stands_alone():
    """*manufaktur* has eight letters of *manufakturen* in a row; of the term it has seven."""
    paths = [("manufaktur", "es")] * 7 + [("manufaktur", "die"), ("mann", "in", "faktoren")]
    none = np.zeros(len(paths))
    assert not explained(["manufactured"], paths, none).any()
    paths += [("manufakturen",)] * 8
    found = explained(["manufactured"], paths, np.zeros(len(paths)))
    often = np.log(16 / SAME_SIBLING)  # *manufaktur* counts whatever is beside it
    expected = [often] * 8 + [0.0] + [often] * 8
    assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("word", "is_part"),
    [
        ("regierung", True),  # 9 of the term's 15 letters, and all of its own
        ("regierungen", True),
        ("reagierung", False),  # 7 in a row
        ("regierungszeit", False),  # 9 in a row of 14 of its own
    ],
)
def test_a_part_of_a_compound_is_a_sibling_whatever_is_beside_it(word, is_part):
    """24 places, each with a longer word: 24 / `SAME_SIBLING` times too many."""
    paths = [(f"{chr(97 + i) * 20}", word) for i in range(24)]
    found = explained(["bundesregierung"], paths, np.zeros(24))
    assert found.tolist() == pytest.approx([np.log(24 / SAME_SIBLING) * is_part] * 24)


def test_a_short_word_is_no_part():
    """*the* is in *mother*, and four letters of eight are no part either."""
    paths = [("nach", "zzzzz"), ("raum", "y")] * 2 * SAME
    found = explained(["nachraum"], paths, np.zeros(4 * SAME))
    assert found.tolist() == pytest.approx([np.log(2)] * 4 * SAME)  # as any other word


FORMS = ("funktion", "funktionen", "funktionär", "unfunktional", "funk", "tion", "fungieren")
PATHS = st.lists(st.sampled_from((*FORMS, "infusion", "mag", "in")), min_size=1, max_size=2)
TERMS = st.sampled_from(["funktion", "defunktion", "funktional", "infusion", "maak"])


def explained_without_units(term, paths):
    return explained([term], paths, np.zeros(len(paths)))


@given(TERMS, st.lists(PATHS.map(tuple), max_size=40), st.lists(PATHS.map(tuple), max_size=40))
def test_more_places_never_explain_the_others_less(term, old, new):
    before = explained_without_units(term, old)
    assert (explained_without_units(term, old + new)[: len(old)] >= before - 1e-12).all()


def test_words_of_which_a_term_is_at_most_a_part_are_one_explanation():
    """*hait* has 4 letters, fewer than two thirds of *einheit*, not of *leiten*; it is one word."""
    paths = [("einheit",), ("schönheit",), ("kindheit",), ("klarheit",)] * SAME
    paths += [("leiten",)] * SAME + [("die", "heiterkeit")] * SAME
    none = np.zeros(len(paths))
    found = explained(["hait"], paths, none)
    assert found.tolist() == pytest.approx([np.log(4)] * (4 * SAME) + [0.0] * 2 * SAME)
    assert not explained([], paths, none).any()


def test_words_that_stand_together_explain_nothing():
    paths = [("seelen", "ski")] * 3 * SAME + [("hallo",)]
    units = together(paths, ARCHIVE, 3e3)
    assert (units > 0).tolist() == [True] * 3 * SAME + [False]
    assert not explained(["selenski"], paths, units).any()
    no_units = together(paths, ARCHIVE, 10.0)
    assert not no_units.any()
    assert explained(["selenski"], paths, no_units)[:-1].all()


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        (5e4, 0.0),  # 4.4 nats more often than by chance: so often are phrases of a language
        (1e6, np.log(2e6 / 1200) - PHRASE),
        (1e9, MOST_TOLD),
    ],
)
def test_words_together_more_often_than_phrases_are_evidence(slots, told):
    """*seelen* is written 30 times and *ski* 40 times: by chance 1,200 / slots times together."""
    paths = [("seelen", "ski")] * 2 + [("hallo",)]
    excess = together(paths, ARCHIVE, slots)
    assert excess == pytest.approx([np.log(2 * slots / 1200)] * 2 + [0])
    found = explained(["selenski"], paths, excess)
    assert found == pytest.approx([-told, -told, 0])


def test_three_words_of_a_phrase_follow_each_other_twice():
    words = RecognisedWords((), {"aus": 30, "dem": 40, "orient": 50})
    paths = [("aus", "dem", "orient")] * 3
    excess = together(paths, words, 5e4)
    assert excess == pytest.approx(np.log(3 * 2.5e9 / 6e4))
    found = explained(["asteroid"], paths, excess)  # with no part that they have
    assert found == pytest.approx(2 * PHRASE - np.log(3 * 2.5e9 / 6e4))


@pytest.mark.parametrize(
    ("term", "unit", "expected"),
    [  # *un* has all letters that *gleichung* lacks; *frau* and *machen* have none, *es* one
        ("gnädiges", ("gnädige", "frau"), np.log(20 / SAME_SIBLING)),
        ("glücklichen", ("glücklich", "machen"), np.log(20 / SAME_SIBLING)),
        ("barbecues", ("barbecue", "es"), np.log(20 / SAME_SIBLING)),
        # *gründe* has .27 of what *monitor* lacks of *trendmonitor*, more of *gründungsmonitor*
        ("trendmonitor", ("gründe", "monitor"), np.log(20 / SAME_SIBLING)),
        ("gründungsmonitor", ("gründe", "monitor"), 0.0),
        ("ungleichung", ("un", "gleichung"), 0.0),
    ],
)
def test_a_sibling_in_a_phrase_explains_places_and_parts_of_the_term_do_not(term, unit, expected):
    words = RecognisedWords((), dict(zip(unit, (420, 260), strict=True)))
    paths = [unit] * 20
    units = together(paths, words, 1e5)
    assert (units > 0).all()
    assert explained([term], paths, units) == pytest.approx(expected)


def test_a_sibling_in_a_phrase_is_no_evidence_for_the_term():
    """*gnädige* and *frau* stand together e^9 times more often than by chance."""
    words, paths = RecognisedWords((), {"gnädige": 20, "frau": 20}), [("gnädige", "frau")] * 20
    units = together(paths, words, 1e6)
    found = explained(["gnädiges"], paths, units)
    assert units.min() > PHRASE
    assert found.tolist() == pytest.approx([np.log(20 / SAME_SIBLING)] * 20)


@pytest.mark.parametrize(
    ("number", "slots", "is_unit"),
    [
        (1, 1e9, False),  # one is no repetition
        (2, 1e5, True),  # .012 by chance, and 2 against ten times that: 3.7 nats
        (2, 3e4, False),  # .04 by chance: 1.8 nats
        (40, 200.0, False),  # 6 by chance: less than ten times
        (60, 400.0, True),  # 3 by chance: 11 nats
    ],
)
def test_how_often_words_stand_together_by_chance(number, slots, is_unit):
    """*seelen* is written 30 times and *ski* 40 times."""
    found = together([("seelen", "ski")] * number, ARCHIVE, slots)
    assert (found > 0).all() == is_unit


def test_words_that_the_archive_does_not_have_make_no_unit():
    """Splits are found in segments without phones, too, and by other spellings."""
    assert not together([("selen", "ski")] * 9, ARCHIVE, 1e5).any()


def test_no_places_are_explained():
    none = np.zeros(0)
    assert explained(["maak"], [], none).shape == (0,)
    assert together([], ARCHIVE, 1e5).shape == (0,)
    assert not explained(["maak"], [()], np.zeros(1)).any()
