"""Long words in pieces: whole, within bounds, at borders."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.phonetics.g2p_espeak import MAX_PIECE_BYTES, MAX_PIECE_LETTERS, pieces

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
