"""g2p-en's network: many words at once say what a textbook's unit says of one after the other."""

import unicodedata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from std.phonetics import g2p_english
from std.phonetics.g2p_english import END, START, SYMBOLS, English
from std.phonetics.phones import Pronunciation, canonical

SYLLABLES = ("ba", "str", "tion", "ough", "e", "kn", "ing", "c", "y", "'", "x", "é")
SPELLED = "\0\1\2abcdefghijklmnopqrstuvwxyz"  # the network's symbols: 1 another letter, 2 the end


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    package = find_spec("g2p_en")
    assert package is not None
    assert package.origin is not None
    with np.load(Path(package.origin).with_name("checkpoint20.npz")) as archive:
        return {name: archive[name].astype(np.float64) for name in archive.files}


def said(word: str, weights: dict[str, np.ndarray]) -> Pronunciation:
    """One word, symbol by symbol, in double precision (Cho et al., 2014, with PyTorch's gates)."""

    def following(symbol: int, state: np.ndarray, part: str) -> np.ndarray:
        of = {name: weights[f"{part}_{name}"] for name in ("emb", "w_ih", "w_hh", "b_ih", "b_hh")}
        x_r, x_z, x_n = np.split(of["w_ih"] @ of["emb"][symbol] + of["b_ih"], 3)
        h_r, h_z, h_n = np.split(of["w_hh"] @ state + of["b_hh"], 3)
        reset, update = 1 / (1 + np.exp(-(x_r + h_r))), 1 / (1 + np.exp(-(x_z + h_z)))
        return (1 - update) * np.tanh(x_n + reset * h_n) + update * state

    if not any(map(str.isalnum, word)):
        return ()
    letters = unicodedata.normalize("NFD", word.lower())
    plain = [letter for letter in letters if not unicodedata.combining(letter)]
    state = np.zeros(256)
    for letter in [*plain, "\2"]:
        state = following(SPELLED.index(letter) if letter in SPELLED else 1, state, "enc")
    symbol, phones = START, []
    for _ in range(20):
        state = following(symbol, state, "dec")
        symbol = int(np.argmax(weights["fc_w"] @ state + weights["fc_b"]))
        if symbol == END:
            break
        if symbol > END:
            phones.append(canonical(SYMBOLS[symbol]))
    return tuple(phones)


def some_words() -> list[str]:
    """Words with the same beginnings, in no order, some of them twice."""
    rng = np.random.default_rng(3)
    made = ["".join(rng.choice(SYLLABLES, rng.integers(1, 9))) for _ in range(200)]
    return [
        *made,
        "naïve",
        "naive",
        "nai",
        "Straße",
        "4x4",
        "10x",
        "-",
        "",
        "漢字",
        "a" * 40,
        "naive",
    ]


def test_many_words_are_pronounced_as_each_by_itself(weights: dict[str, np.ndarray]) -> None:
    words = some_words()
    assert English().pronounce(words) == [said(word, weights) for word in words]


@pytest.mark.parametrize("batch", [1, 7])
def test_what_stands_beside_a_word_does_not_matter(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = some_words()
    together = English().pronounce(words)
    monkeypatch.setattr(g2p_english, "BATCH", batch)
    assert English().pronounce(words[::-1]) == together[::-1]


def test_no_words_are_no_pronunciations() -> None:
    assert English().pronounce([]) == []
    assert English().pronounce(["-", ""]) == [(), ()]
