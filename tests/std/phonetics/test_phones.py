# ruff: noqa: RUF001  # IPA letters are meant
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
