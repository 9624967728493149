# ruff: noqa: RUF001  # IPA letters are meant
import io
from itertools import pairwise

import numpy as np
import pytest

import std.phonetics.g2p
import std.phonetics.lexicon as module
from indexer import index_files
from searcher.commands import search
from std.config import PronunciationConfig
from std.errors import InputError, StoreWarning
from std.phonetics.lexicon import (
    Lexicon,
    NoLanguageError,
    cached,
    dump,
    lexicon_for,
    lexicon_of,
    made,
    read,
)
from std.text import Normalisation

TEXT = Normalisation()


class Speller:
    """A converter that says letters, and counts what it is asked."""

    name = "speller:xx"

    def __init__(self):
        self.asked = []

    def pronounce(self, words):
        self.asked += words
        return [tuple(word) if word.isalpha() else () for word in words]


def write(tmp_path, text):
    path = tmp_path / "lexicon.txt"
    path.write_text(text)
    return path


def test_forms_of_cmu_and_kaldi(tmp_path):
    text = (
        ";;; comment\nTOMATO  T AH0 M EY1 T OW2\nTOMATO(2)  T AH0 M AA1 T OW2\n\nzeit 0.7 ts aɪ t\n"
    )
    assert read(write(tmp_path, text), TEXT) == {
        "tomato": (("t", "ə", "m", "eɪ", "t", "oʊ"), ("t", "ə", "m", "ɑː", "t", "oʊ")),
        "zeit": (("ts", "aɪ", "t"),),
    }


@pytest.mark.parametrize("numbers", ["1e-05", "1", ".5", "0.99 0.5 1.23 0.9"])
def test_numbers_before_the_phones_are_no_phones(tmp_path, numbers):
    """Kaldi's lexiconp.txt and lexiconp_silprob.txt."""
    assert read(write(tmp_path, f"zeit {numbers} ts aɪ t\n"), TEXT) == {
        "zeit": (("ts", "aɪ", "t"),),
    }


@pytest.mark.parametrize("line", ["zeit", "zeit 0.5", "zeit ' '"])
def test_a_word_without_phones_is_refused(tmp_path, line):
    with pytest.raises(InputError, match=r"lexicon.txt:2: expected a word and its phones"):
        read(write(tmp_path, f"der d eː\n{line}\n"), TEXT)


def test_what_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("der d\nöl l\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.txt:2: expected utf-8"):
        read(path, TEXT)


def test_the_users_words_go_first_and_each_word_is_converted_once():
    speller = Speller()
    lexicon = Lexicon(speller, {"ab": (("x",), ("y",))})
    assert lexicon.pronunciations(["ab", "cd", "-", "cd"]) == [
        (("x",), ("y",)), (("c", "d"),), (), (("c", "d"),),
    ]  # fmt: skip
    lexicon.pronunciations(["cd"])
    assert speller.asked == ["cd", "-"]
    assert lexicon.name == "speller:xx"
    assert not lexicon.reproducible
    assert Lexicon(None, {"a": (("a",),)}).pronunciations(["a", "b"]) == [(("a",),), ()]


def test_what_is_dumped_can_be_read(tmp_path):
    sink = io.BytesIO()
    dump([("tomato", [("t", "ə"), ("t", "aː")]), ("öl", [("øː", "l")])], sink)
    path = tmp_path / "out.txt"
    path.write_bytes(sink.getvalue())
    assert read(path, TEXT) == {"tomato": (("t", "ə"), ("t", "aː")), "öl": (("øː", "l"),)}


def test_the_language_is_guessed_or_told():
    config = PronunciationConfig()
    assert lexicon_for(config, TEXT, lambda: {"the": 3, "of": 2}).name == "g2p-en:en"
    with pytest.raises(NoLanguageError, match="none is recognisable"):
        lexicon_for(config, TEXT, lambda: {"xyzzy": 1})
    told = PronunciationConfig(language="english")
    assert lexicon_for(told, TEXT, dict).name == "g2p-en:en"


def test_an_index_is_pronounced_by_its_own_pronouncer(tmp_path):
    path = write(tmp_path, "cat k\n")
    lexicon = lexicon_of("g2p-en:en", PronunciationConfig(lexicon=str(path)), TEXT)
    assert lexicon.pronunciations(["cat"]) == [(("k",),)]
    told = r"festival:en, as the index was made with, is not installed: rules-1:en pronounces"
    with pytest.warns(StoreWarning, match=told):
        lexicon = lexicon_of("festival:en", PronunciationConfig(), TEXT)
    assert lexicon.pronunciations(["vision"]) == [(("v", "ɪ", "ʒ", "ə", "n"),)]
    with pytest.warns(StoreWarning, match="not found by their sound: festival:xx is not inst"):
        assert lexicon_of("festival:xx", PronunciationConfig(), TEXT) is None


def test_an_index_is_searched_without_its_own_pronouncer(german, tmp_path, monkeypatch, capsys):
    index_files(german / "mesh" / "KERSTIN_00.mesh", tmp_path / "i", language="German")
    argv = ["--store", str(tmp_path / "i"), "hahnenfeder", "--fmt", "lines"]
    assert search.main(argv) == 0
    found = capsys.readouterr().out
    monkeypatch.setattr(std.phonetics.g2p, "find_spec", lambda name: None)
    assert search.main(argv) == 0
    out, err = capsys.readouterr()
    assert "is not installed: rules-1:de pronounces unknown words" in err
    assert out.split("\t")[:2] == found.split("\t")[:2] == ["hahnenfeder", "KERSTIN_00"]


class Letters:
    name = "letters:xx"
    calls = 0

    def pronounce(self, words):
        Letters.calls += 1
        return [tuple(word.strip("-")) for word in words]


@pytest.fixture(autouse=True)
def small_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "WORTH_KEEPING", 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Letters.calls = 0


def rows(table):
    bounds = table.offsets.tolist()
    return [
        tuple(table.inventory[p] for p in table.phones[first:last])
        for first, last in pairwise(bounds)
    ]


def test_a_table_says_what_the_lexicon_says():
    table = made(["ab", "-", "ba"], Lexicon(Letters()))
    assert rows(table) == [("a", "b"), (), ("b", "a")]
    assert table.inventory == ("a", "b")
    assert rows(made([], Lexicon(Letters()))) == []


def test_too_many_phones_are_refused():
    words = [chr(0x4E00 + i) for i in range(256)]
    with pytest.raises(ValueError, match="256 different phones"):
        made(words, Lexicon(Letters()))


def test_a_table_is_kept_and_read_again(tmp_path):
    words = ["ab", "ba"]
    first = cached(words, Lexicon(Letters()))
    assert rows(cached(words, Lexicon(Letters()))) == rows(first)
    assert Letters.calls == 1
    assert rows(cached([*words, "c"], Lexicon(Letters()))) == [*rows(first), ("c",)]
    assert Letters.calls == 2


@pytest.mark.parametrize("content", [b"", b"not a zip", None])
def test_a_damaged_cache_is_made_anew(tmp_path, content):
    words = ["ab", "ba"]
    first = cached(words, Lexicon(Letters()))
    (path,) = (tmp_path / "spoken-terms").iterdir()
    if content is None:  # a table of other words under this name
        np.savez(path, inventory=np.array(["a"]), offsets=np.arange(9), phones=np.zeros(8, "u1"))
    else:
        path.write_bytes(content)
    assert rows(cached(words, Lexicon(Letters()))) == rows(first)
    assert Letters.calls == 2


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert rows(cached(["ab"], Lexicon(Letters()))) == [("a", "b")]


def test_a_users_own_words_are_not_kept(tmp_path):
    cached(["ab"], Lexicon(Letters(), {"ab": (("x",),)}))
    assert not (tmp_path / "spoken-terms").exists()
