# ruff: noqa: RUF001  # IPA letters are meant
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.phonetics.g2p_espeak import MAX_PIECE_BYTES, MAX_PIECE_LETTERS, pieces
from std.phonetics.phones import ARPABET, CONSONANTS, VOWELS, canonical, distance, segmented

PHONES = [*VOWELS, *CONSONANTS, "aː", "aɪ", "ts", "ʊɐ", "ɑ̃", "?"]


@pytest.mark.parametrize(
    ("ipa", "phones"),
    [
        # what espeak-ng 1.52 prints for hahnenfedern, Zeit, Restaurant
        ("h_ˈɑː_n_ə_n_f_ˌeː_d_ɜ_n", "h ɑː n ə n f eː d ɜ n"),
        ("ts_ˈaɪ_t", "ts aɪ t"),
        ("r_ˌɛ_s_t_oː_r_ˈɑ̃", "r ɛ s t oː r ɑ̃"),
        ("(en)k_ə_m(de)_ˈuː", "k ə m uː"),
        ("_ɔø_r_ˈoː_p_ɑː", "ɔø r oː p ɑː"),
        ("t͡ʃ a", "tʃ a"),
        ("", ""),
        ("_'_,_", ""),
    ],
)
def test_phones_of_an_ipa_string(ipa, phones):
    assert segmented(ipa) == tuple(phones.split())


def test_every_arpabet_symbol_has_features():
    for symbol in ARPABET:
        assert distance(canonical(symbol + "1"), "m") < 1.5
        assert distance(canonical(symbol), canonical("M")) == distance(canonical(symbol + "2"), "m")


@given(st.sampled_from(PHONES), st.sampled_from(PHONES))
def test_distances_are_symmetric_and_zero_only_for_the_same(one, other):
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, other) <= 1.4


@pytest.mark.parametrize(
    ("phone", "nearer", "farther"),
    [
        ("t", "d", "k"),  # voice < place
        ("n", "m", "s"),  # place < manner
        ("a", "aː", "i"),  # length < height
        ("iː", "ɪ", "uː"),
        ("ts", "s", "m"),
        ("aɪ", "a", "t"),  # half a diphthong < a consonant
        ("p", "f", "a"),
    ],
)
def test_articulation_orders_phones(phone, nearer, farther):
    assert distance(phone, nearer) < distance(phone, farther)


WORD = st.text(st.one_of(st.characters(), st.sampled_from("abe-1\u0301ßक्ா😀\0\n")), max_size=400)


@given(WORD)
def test_pieces_are_the_word_and_none_is_too_long(word):
    found = pieces(word)
    assert "".join(found) == word
    assert all(len(one) <= MAX_PIECE_LETTERS for one in found)
    assert all(len(one.encode(errors="replace")) <= MAX_PIECE_BYTES for one in found)
    assert all(found) or not word


@given(st.text(st.sampled_from("abcdefghiou"), max_size=MAX_PIECE_LETTERS))
def test_a_usual_word_is_one_piece(word):
    assert pieces(word) == [word]


@pytest.mark.parametrize(("word", "first"), [
    ("a" * 40 + "-" + "a" * 60, "a" * 40 + "-"),
    ("a" * 40 + "1" + "a" * 60, "a" * 40 + "1"),
    ("dort" * 45, "dort" * 15),
    ("donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
     "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauun"),
    ("превысокомногорассмотрительствующий" * 2,
     "превысокомногорассмотрительствующийпревысокомногорассмотри"),
    ("b" * 100, "b" * 60),
])  # fmt: skip
def test_a_word_is_cut_at_its_best_border(word, first):
    assert pieces(word)[0] == first


def test_marks_stay_with_their_letters():
    for piece in pieces("की" * 100):
        assert not unicodedata.category(piece[0]).startswith("M")
