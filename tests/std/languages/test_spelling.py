# ruff: noqa: RUF001  # letters of many languages are meant
"""What languages spell alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.languages.spelling import (
    _RULES,
    all_typed_as,
    bare_spellings,
    folded,
    folded_words,
    has_spellings,
    spellings,
    typed_as,
)
from std.text import Normalisation

ALIKE = [
    # language, ways of writing one word
    ("de", "Straße Strasse STRASSE"),
    ("de", "für fuer"),
    ("fr", "cœur coeur CŒUR"),
    ("it", "perché perche' perchè"),
    ("it", "città citta'"),
    ("ca", "col·legi coŀlegi"),
    ("tr", "İstanbul istanbul"),
    ("tr", "Isparta ısparta ISPARTA"),
    ("tr", "kâğıt kağıt KAĞIT"),
    ("az", "İş iş"),
    ("el", "Αθήνα ΑΘΗΝΑ αθήνα"),
    ("el", "λόγος ΛΟΓΟΣ"),
    ("el", "μαΐου ΜΑΪΟΥ"),
    ("ro", "şcoală școală"),
    ("ru", "ёлка елка ЁЛКА"),
    ("ar", "كتـــاب كتاب كِتَاب"),
    ("ar", "أحمد احمد"),
    ("ar", "مدرسة مدرسه"),
    ("ar", "٢٠٢٤ 2024"),
    ("fa", "كتاب کتاب"),
    ("fa", "علي علی"),
    ("he", "שָׁלוֹם שלום"),
    ("ja", "ﾊﾞｽ バス"),
    ("cmn", "ＣＤ cd"),
    ("th", "น้ำ น้\u0e4d\u0e32 น\u0e4d\u0e49\u0e32"),
    ("lo", "ນ້ຳ ນ້\u0ecd\u0eb2"),
]

APART = [
    ("de", "das dass"),
    ("fr", "côté côte"),
    ("it", "papà papa"),
    ("it", "po pò"),
    ("tr", "şu su"),
    ("ru", "мел мель"),
    ("ar", "كتب كتاب"),
    ("en", "straße strasse"),  # not English
]

BARE = [
    # language, as it is written, without what is elided or follows
    ("fr", "l’homme", "homme"),
    ("fr", "Qu'elle", "elle"),
    ("fr", "lorsqu'on", "on"),
    ("fr", "l'œuvre", "oeuvre"),
    ("fr", "aujourd'hui", "aujourd'hui"),
    ("fr", "presqu'île", "presqu'île"),
    ("fr", "l'", "l'"),
    ("it", "dell'acqua", "acqua"),
    ("it", "c'è", "è"),
    ("it", "un po'", "un pò"),
    ("ca", "d'avui", "avui"),
    ("tr", "Ankara'da", "ankara"),
    ("tr", "İstanbul’un", "istanbul"),
    ("de", "geht's", "geht's"),
    ("nl", "foto's", "foto's"),
]


def normal(text):
    return [Normalisation().word(word) for word in text.split()]


@pytest.mark.parametrize(("language", "words"), ALIKE)
def test_these_are_spelt_alike(language, words):
    assert len({*spellings(normal(words), language)}) == 1
    assert len({*normal(words)}) > 1  # else there is nothing to do here


@pytest.mark.parametrize(("language", "words"), APART)
def test_these_are_not(language, words):
    assert len({*spellings(normal(words), language)}) == 2


@pytest.mark.parametrize(("language", "written", "bare"), BARE)
def test_bare_spellings(language, written, bare):
    assert bare_spellings(spellings(normal(written), language), language) == bare.split()


letters = st.text(st.characters(exclude_characters="\n", codec="utf-8") | st.sampled_from("l'ßœİِ"))


@given(st.lists(letters), st.sampled_from([*_RULES]))
def test_many_words_are_spelt_as_each_alone(words, language):
    for function in (spellings, bare_spellings):
        assert function(words, language) == [function([word], language)[0] for word in words]


@given(letters, st.sampled_from([*_RULES]))
def test_a_spelling_is_spelt_as_it_is(word, language):
    (once,) = spellings([word], language)
    assert spellings([once], language) == [once]


def test_a_language_without_rules_changes_nothing():
    assert not has_spellings("en")
    assert spellings(["Straße"], "en") == bare_spellings(["Straße"], "") == ["Straße"]
    assert spellings([], "de") == bare_spellings([], "fr") == []


@given(st.lists(letters))
def test_many_words_are_folded_as_each_alone(words):
    assert folded_words(words) == [folded(word) for word in words]
    accented = [word for word in words if not word.isascii()]
    assert [*all_typed_as(accented)] == [typed_as(word) for word in accented]
