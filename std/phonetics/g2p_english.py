"""English pronunciations by g2p-en's network, run in numpy from the weights the package ships.

Only the weight file is read: importing the package itself would look for NLTK data on the
network. The network is a GRU encoder over letters and a GRU decoder over ARPAbet symbols, each
256 wide (Park and Kim, "g2p_en", 2019, Apache-2.0; trained on CMUdict).

Words are read in alphabetical order, and a common beginning is read once.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.errors import ConfigError
from std.phonetics.phones import Pronunciation, canonical
from std.values import Float32s, Int64s

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # from 3 on; before: none, an unknown one, the end
PADDING, UNKNOWN_LETTER, END_OF_WORD = range(3)
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
MAX_WRITTEN_PHONES = 20  # phones of a word, as in training
BATCH = 512  # words at once: 2 MB of activations

_PHONES = tuple(canonical(symbol) for symbol in SYMBOLS)
_CODES = bytes(
    3 + LETTERS.index(chr(code)) if chr(code) in LETTERS else UNKNOWN_LETTER for code in range(256)
)


class Cell(NamedTuple):
    """Weights of a gated recurrent unit of width h; columns: reset, update, new state.

    The weights of the two gates are halved, because a gate is (1 + tanh(x / 2)) / 2.
    """

    of_symbol: Float32s  # (symbols, 3 h) contribution of each symbol, with the gates' biases
    of_state: Float32s  # (h, 3 h)
    bias: Float32s  # (h,) of the state's part of the new state


class Network(NamedTuple):
    """Weights of the encoder, of the decoder, and of the symbols that it writes."""

    encoder: Cell
    decoder: Cell
    written: Float32s  # (h, symbols)
    written_bias: Float32s  # (symbols,)


class English:
    """Pronunciations by g2p-en; accents are dropped, other letters are unknown."""

    name = "g2p-en:en"

    def __init__(self) -> None:
        self._network = _network()

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        said = [row for row, word in enumerate(words) if any(map(str.isalnum, word))]
        spelled = sorted((_spelled(words[row]), row) for row in said)
        pronunciations: list[Pronunciation] = [()] * len(words)
        for begin in range(0, len(spelled), BATCH):
            letters, rows = zip(*spelled[begin : begin + BATCH], strict=True)
            states = _read(letters, self._network.encoder)
            for row, symbols in zip(rows, _written(states, self._network).tolist(), strict=True):
                pronunciations[row] = _phones(symbols)
        return pronunciations


def _spelled(word: str) -> bytes:
    """A word for the network: without accents, one byte per letter."""
    plain = word.lower()
    if not plain.isascii():
        letters = unicodedata.normalize("NFD", plain)
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain.encode("ascii", "replace").translate(_CODES) + bytes([END_OF_WORD])


def _read(spelled: Sequence[bytes], cell: Cell) -> Float32s:
    """The encoder's states after each word, (n, h). spelled: n words, ascending"""
    n, longest = len(spelled), max(map(len, spelled))
    padded = b"".join(word.ljust(longest, bytes([PADDING])) for word in spelled)
    letters = np.frombuffer(padded, np.uint8).reshape(n, longest)
    is_new = letters != PADDING  # a beginning that differs from the previous word
    is_new[1:] &= np.logical_or.accumulate(letters[1:] != letters[:-1], axis=1)
    states = np.empty((n, len(cell.bias)), np.float32)
    state, at = np.zeros((1, len(cell.bias)), np.float32), np.zeros(n, np.int64)
    for step in range(longest):
        rows = np.flatnonzero(is_new[:, step])
        state = _gru(letters[rows, step], state[at[rows]], cell)
        at = np.cumsum(is_new[:, step]) - 1  # the row of each word's beginning in state
        ended = letters[:, step] == END_OF_WORD
        states[ended] = state[at[ended]]
    return states


def _written(state: Float32s, network: Network) -> Int64s:
    """The decoder's symbols for each state of a word, (n, MAX_WRITTEN_PHONES). state (n, h)"""
    symbols = np.full((len(state), MAX_WRITTEN_PHONES), END)
    symbol, going = np.full(len(state), START), np.arange(len(state))  # words that have not ended
    for step in range(MAX_WRITTEN_PHONES):
        state = _gru(symbol, state, network.decoder)
        symbol = np.argmax(state @ network.written + network.written_bias, axis=1)
        symbols[going, step] = symbol
        more = symbol != END
        going, state, symbol = going[more], state[more], symbol[more]
        if len(going) == 0:
            break
    return symbols


def _phones(symbols: list[int]) -> Pronunciation:
    end = symbols.index(END) if END in symbols else len(symbols)
    return tuple(_PHONES[symbol] for symbol in symbols[:end] if symbol > END)


def _gru(symbols: npt.NDArray[np.integer], state: Float32s, cell: Cell) -> Float32s:
    """One step of a gated recurrent unit. symbols (n,), state (n, h) -> (n, h)."""
    h = state.shape[1]
    from_symbol = cell.of_symbol[symbols]
    sums: Float32s = state @ cell.of_state
    gates, new = sums[:, : 2 * h], sums[:, 2 * h :]
    gates += from_symbol[:, : 2 * h]  # in place: allocation takes as long as the arithmetic
    np.tanh(gates, out=gates)
    gates += 1
    gates *= 0.5
    reset, update = gates[:, :h], gates[:, h:]
    new += cell.bias
    new *= reset
    new += from_symbol[:, 2 * h :]
    np.tanh(new, out=new)
    following: Float32s = state - new
    following *= update
    following += new
    return following


@cache
def _network() -> Network:
    package = find_spec("g2p_en")
    if package is None or package.origin is None:
        raise ConfigError("pronunciation: expected the package g2p-en for English, got none")
    with np.load(Path(package.origin).with_name("checkpoint20.npz")) as archive:
        weights = {name: archive[name].astype(np.float32) for name in archive.files}
    written = np.ascontiguousarray(weights["fc_w"].T)
    return Network(_cell(weights, "enc"), _cell(weights, "dec"), written, weights["fc_b"])


def _cell(weights: Mapping[str, Float32s], part: str) -> Cell:
    """The contributions of all symbols, computed once because there are few."""
    of_symbol = weights[f"{part}_emb"] @ weights[f"{part}_w_ih"].T + weights[f"{part}_b_ih"]
    of_state = np.ascontiguousarray(weights[f"{part}_w_hh"].T)
    bias = weights[f"{part}_b_hh"]
    of_gates = slice(2 * len(of_state))
    of_symbol[:, of_gates] += bias[of_gates]
    of_symbol[:, of_gates] /= 2
    of_state[:, of_gates] /= 2
    return Cell(of_symbol, of_state, bias[of_gates.stop :])
