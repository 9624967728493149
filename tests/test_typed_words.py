# ruff: noqa: RUF001  # letters of many languages are meant
"""A word is found as it is written, whatever stands around it, and as people type it."""

import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer import index_files
from searcher import open_index
from std.characters import has_characters
from std.config import Config, PhoneticSearchConfig
from std.text import bare

CONFIG = Config(phonetic_search=PhoneticSearchConfig(words="none"))
SENTENCE = (
    "Mr. Smith met Dr. Jones at 5 p.m. in St. Louis, U.S.A. with Acme Inc. and J.R.R. Tolkien "
    "vs. B.B.C. etc. people. C++, C# $5 #tag dogs' 'tis 50% „Haus“ (so)"
)


def srt(folder, text):
    path = folder / "said.srt"
    path.write_text(f"1\n00:00:00,000 --> 00:00:09,000\n{text}\n", "utf-8")
    return path


def ctm(folder, text):
    path = folder / "said.ctm"
    lines = [f"said 1 {i}.0 0.5 {word} 0.9\n" for i, word in enumerate(text.split())]
    path.write_text("".join(lines), "utf-8")
    return path


def indexed(folder, file, language="en"):
    store = folder / "index"
    index_files([file], store, config=CONFIG, language=language)
    return open_index(store, config=CONFIG)


def exact(index, term):
    return [hit for hit in index.search(term) if hit.method == "exact"]


@pytest.mark.parametrize("written", [srt, ctm])
def test_each_token_is_found_as_it_is_written(written, tmp_path):
    with indexed(tmp_path, written(tmp_path, SENTENCE)) as index:
        for token in SENTENCE.split():
            for term in (token, token.lower(), token.upper(), token.strip(".,")):
                assert exact(index, term), term
                assert all(not hit.how for hit in exact(index, term))


LETTERS = st.text(
    st.characters(categories=["Ll", "Lu", "Nd", "Po", "Pd", "Ps", "Pe", "Pi", "Pf", "Sc", "So"]),
    min_size=1,
    max_size=7,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(LETTERS, min_size=1, max_size=12))
@example(["ǆ.", "ŉa", "İ.", "ß!", "ŉ\u0f01", "†ŉ", "0\U0001d1bb", "ja❤\ufe0f"])
def test_any_token_is_found_as_it_is_written(tmp_path_factory, tokens):
    folder = tmp_path_factory.mktemp("any")
    tokens = [t for t in tokens if sayable(t)]
    with indexed(folder, srt(folder, "yes " + " ".join(tokens))) as index:
        for token in tokens:
            assert exact(index, token), token


def sayable(token):
    """A word: neither a remark in brackets, nor markup, nor cut into several."""
    letters = bare(unicodedata.normalize("NFC", token))
    return (
        any(map(str.isalnum, letters))
        and not has_characters(token)
        and not set(token) & set("<>{}[]()*&%♩♪♫♬:")  # notes mark what is sung, a colon a field
        and token.isprintable()
        and "|" not in token
    )


TYPED = [
    ("es", "la razón de las razones", "razon", "razón", "razón, written without its accent"),
    ("es", "mañana vamos", "manana", "mañana", "mañana, written without its accent"),
    ("en", "a naïve résumé", "resume", "résumé", "résumé, written without its accents"),
    ("fr", "zoë arrive", "zoe", "zoë", "zoë, written without its accent"),
    ("pt", "o sábio fala", "sabio", "sábio", "sábio, written without its accent"),
    ("pt", "o sabio fala " + "bem " * 20, "sábio", "sabio", "sabio, where accents are not written"),
    ("ru", "в тёплой воде", "теплой", "тёплой", "теплой as тёплой"),
    ("", "в тёплой воде", "теплой", "тёплой", "теплой as тёплой"),
    ("ar", "في القاهرة", "القاهره", "القاهرة", "القاهره as القاهرة"),
    ("", "في القاهرة", "القاهره", "القاهرة", "القاهره as القاهرة"),
    ("ar", "قال أحمد", "احمد", "أحمد", "احمد as أحمد"),
    ("ar", "قال احمد", "أحمد", "احمد", "أحمد as احمد"),
    ("ar", "الـعـربية", "العربية", "الـعـربية", "العربية as الـعـربية"),
    ("da", "rød grød", "roed", "rød", "roed as rød"),
    ("sv", "på ön", "pa", "på", "på, written without its accent"),
    ("de", "die straße", "strasse", "straße", "strasse as straße"),
    ("ja", "ＮＨＫ です", "nhk", "ｎｈｋ", "nhk as ｎｈｋ"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "said", "typed", "found", "how"), TYPED)
def test_a_word_is_found_as_people_type_it(language, said, typed, found, how, tmp_path):
    with indexed(tmp_path, srt(tmp_path, said), language or "auto") as index:
        first = index.search(typed)[0]
        assert (first.searched, first.how) == (found, how)
        assert next(hit.searched for hit in index.search(found)) == found


def test_the_exact_spelling_comes_first_and_own_letters_are_no_misspelling(tmp_path):
    said, store = srt(tmp_path, "résumé resume el año ano мой мои"), tmp_path / "index"
    index_files([said], store, language="es")

    def searched(term):
        return [hit.searched for hit in index.search(term) if hit.method == "exact"]

    with open_index(store) as index:
        assert searched("resume") == ["resume", "résumé"]
        assert searched("résumé") == ["résumé"]
        assert searched("ano") == ["ano"]
        assert searched("мои") == ["мои"]


def test_lists_are_exact_unless_it_is_asked(tmp_path):
    from dataclasses import replace

    from std.text import Normalisation
    from std.values import Term

    file = srt(tmp_path, "la razón")
    with indexed(tmp_path, file, "es") as index:
        assert not len(index.search_terms([Term("1", "razon")]).candidates.term)
    asked = replace(CONFIG, text=Normalisation(fold_accents=True))
    with open_index(tmp_path / "index", config=asked) as index:
        assert len(index.search_terms([Term("1", "razon")]).candidates.term) == 1


@pytest.mark.parametrize("said", ["rock roll", "rock & roll"])
def test_a_sign_of_a_term_needs_not_be_in_the_index(tmp_path, said):
    path = tmp_path / "a.ctm"
    path.write_text("".join(f"a 1 {i}.0 0.9 {word} 0.9\n" for i, word in enumerate(said.split())))
    index_files([path], tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        found = index.search("rock & roll")
        assert [(hit.start_s, hit.method) for hit in found] == [(0.0, "exact")]
        assert index.find("rock & roll").oov_words == ((),)


def test_brackets_around_a_term_change_no_probability(tmp_path):
    file = srt(tmp_path, "Die Burg, Anlagen und die Polizei; zwei Wege")
    index_files([file], tmp_path / "index", language="de")
    index = open_index(tmp_path / "index")
    for term in ("polizei", "burganlagen"):
        plain, around = (
            [hit.probability for hit in index.search(one)] for one in (term, f"(({term}))")
        )
        assert plain == around
        assert plain
