"""English pronunciations by g2p-en's network, run in numpy from the weights the package ships.

Only the weight file is read: importing the package itself would look for NLTK data on the
network. The network is a GRU encoder over letters and a GRU decoder over ARPAbet symbols, each
256 wide (Park and Kim, "g2p_en", 2019, Apache-2.0; trained on CMUdict).
"""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from std.errors import ConfigError
from std.phonetics.phones import Pronunciation, canonical
from std.values import Float32s

LETTERS = {letter: i for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz", start=3)}
UNKNOWN_LETTER, END_OF_WORD = 1, 2
SYMBOLS = (
    *("<pad>", "<unk>", "<s>", "</s>"),
    *(f"{v}{s}" for v in ("AA", "AE", "AH", "AO", "AW", "AY") for s in "012"),
    *("B", "CH", "D", "DH"),
    *(f"{v}{s}" for v in ("EH", "ER", "EY") for s in "012"),
    *("F", "G", "HH"),
    *(f"{v}{s}" for v in ("IH", "IY") for s in "012"),
    *("JH", "K", "L", "M", "N", "NG"),
    *(f"{v}{s}" for v in ("OW", "OY") for s in "012"),
    *("P", "R", "S", "SH", "T", "TH"),
    *("UH0", "UH1", "UH2", "UW", "UW0", "UW1", "UW2"),
    *("V", "W", "Y", "Z", "ZH"),
)
START, END = 2, 3
MAX_WRITTEN_PHONES = 20  # phones the decoder was trained to write
BATCH = 512  # words at once: 2 MB of activations

Weights = dict[str, Float32s]


class English:
    """Pronunciations by g2p-en; accents are dropped, other letters are unknown."""

    name = "g2p-en:en"

    def __init__(self) -> None:
        self._weights = _weights()

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        spelled = [_spelled(word) for word in words]
        by_length = defaultdict(list)
        for i, letters in enumerate(spelled):
            if any(c.isalnum() for c in words[i]):
                by_length[len(letters)].append(i)
        found: list[Pronunciation] = [()] * len(words)
        for places in by_length.values():
            for begin in range(0, len(places), BATCH):
                some = places[begin : begin + BATCH]
                phones = self._same_length(np.array([spelled[i] for i in some]))
                for i, one in zip(some, phones, strict=True):
                    found[i] = one
        return found

    def _same_length(self, letters: npt.NDArray[np.int64]) -> list[Pronunciation]:
        """Words with equally many letters, side by side; who is done leaves. letters (n, length)"""
        weights = self._weights
        state = np.zeros((len(letters), weights["enc_w_hh"].shape[1]), np.float32)
        for step in range(letters.shape[1]):
            state = _gru(letters[:, step], state, weights, "enc")
        symbol = np.full(len(letters), START)
        written = np.full((len(letters), MAX_WRITTEN_PHONES), END)
        going = np.arange(len(letters))  # words that have not ended
        for step in range(MAX_WRITTEN_PHONES):
            state = _gru(symbol, state, weights, "dec")
            symbol = np.argmax(state @ weights["fc_w"].T + weights["fc_b"], axis=1)
            written[going, step] = symbol
            more = symbol != END
            going, state, symbol = going[more], state[more], symbol[more]
            if len(going) == 0:
                break
        return [_phones(row) for row in written.tolist()]


def _spelled(word: str) -> list[int]:
    """A word as the network reads it: accents dropped, then one number per letter."""
    plain = unicodedata.normalize("NFD", word.lower())
    letters = [c for c in plain if not unicodedata.combining(c)]
    return [LETTERS.get(c, UNKNOWN_LETTER) for c in letters] + [END_OF_WORD]


def _phones(symbols: list[int]) -> Pronunciation:
    end = symbols.index(END) if END in symbols else len(symbols)
    return tuple(canonical(SYMBOLS[one]) for one in symbols[:end] if one > END)


def _gru(symbols: npt.NDArray[np.int64], state: Float32s, weights: Weights, part: str) -> Float32s:
    """One step of a gated recurrent unit. symbols (n,), state (n, h) -> (n, h)."""
    from_input = weights[f"{part}_input"][symbols]
    from_state = state @ weights[f"{part}_w_hh"].T + weights[f"{part}_b_hh"]
    h = state.shape[1]
    gates = 1 / (1 + np.exp(-(from_input[:, : 2 * h] + from_state[:, : 2 * h])))
    reset, update = gates[:, :h], gates[:, h:]
    new = np.tanh(from_input[:, 2 * h :] + reset * from_state[:, 2 * h :])
    return np.asarray((1 - update) * new + update * state, np.float32)


@cache
def _weights() -> Weights:
    package = find_spec("g2p_en")
    if package is None or package.origin is None:
        raise ConfigError("pronunciation: expected the package g2p-en for English, got none")
    with np.load(Path(package.origin).with_name("checkpoint20.npz")) as archive:
        weights = {name: archive[name].astype(np.float32) for name in archive.files}
    for part in ("enc", "dec"):  # there are few symbols: what each adds is worked out once
        inputs = weights[f"{part}_emb"] @ weights[f"{part}_w_ih"].T + weights[f"{part}_b_ih"]
        weights[f"{part}_input"] = inputs
    return weights
