from itertools import pairwise

import numpy as np
import pytest

import std.phonetics.phone_table as module
from std.phonetics.lexicon import Lexicon
from std.phonetics.phone_table import cached, made


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
