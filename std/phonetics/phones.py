# ruff: noqa: RUF001, RUF002  # IPA letters are meant
"""Phones as IPA symbols, and the distance between two of them.

    segmented("h_ˈɑː_n_ə")   espeak-ng's output, or any IPA with ``_`` between phones
    canonical("AA1")         one symbol of a lexicon (ARPAbet or IPA) as the phone we index
    distance("d", "t")       0 = the same .. about 1.4 = a vowel for a consonant

A phone is one IPA symbol with its length mark, a diphthong, or an affricate; stress is left out,
because a recogniser's confusions do not keep it. Distances compare articulation: place, manner
and voice of consonants, height, backness, rounding and length of vowels. The positions are those
of the chart of the International Phonetic Association (2020), spread over a numeric scale; the
weights are ours, and are only the prior that `std.phonetics.confusion` starts from.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

Pronunciation = tuple[str, ...]

_LANGUAGE_FLAG = re.compile(r"\([a-z-]+\)")  # espeak-ng: "(en)" where it changes voice
_STRESS_MARKS = re.compile("[ˈˌ',\\-ˑ͡\u200d]")  # stress, half length, tie bars, espeak's joiner

ARPABET = {
    "AA": "ɑː", "AE": "æ", "AH": "ʌ", "AO": "ɔː", "AW": "aʊ", "AY": "aɪ", "B": "b", "CH": "tʃ",
    "D": "d", "DH": "ð", "EH": "ɛ", "ER": "ɜː", "EY": "eɪ", "F": "f", "G": "ɡ", "HH": "h",
    "IH": "ɪ", "IY": "iː", "JH": "dʒ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "OW": "oʊ", "OY": "ɔɪ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ",
    "UH": "ʊ", "UW": "uː", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
UNSTRESSED = {"AH0": "ə", "ER0": "ɚ"}  # the only two that change with stress


class Vowel(NamedTuple):
    """height 0 open .. 3 close, backness 0 front .. 2 back, rounded, long."""

    height: float
    backness: float
    rounded: float
    long: float = 0.0


class Consonant(NamedTuple):
    """place 0 lips .. 6 glottis, manner, voiced."""

    place: float
    manner: str
    voiced: float


VOWELS = {
    "i": Vowel(3, 0, 0), "ɪ": Vowel(2.6, 0.3, 0), "ɨ": Vowel(3, 1, 0), "y": Vowel(3, 0, 1),
    "ʏ": Vowel(2.6, 0.3, 1), "e": Vowel(2, 0, 0), "ɛ": Vowel(1, 0, 0), "æ": Vowel(0.5, 0, 0),
    "ø": Vowel(2, 0, 1), "œ": Vowel(1, 0, 1), "ə": Vowel(1.5, 1, 0), "ɜ": Vowel(0.8, 1, 0),
    "ɚ": Vowel(1.4, 1, 0), "ɝ": Vowel(0.9, 1, 0), "ɐ": Vowel(0.5, 1, 0), "a": Vowel(0, 1, 0),
    "ɑ": Vowel(0, 1.3, 0), "ɒ": Vowel(0, 2, 1), "ʌ": Vowel(1, 1.5, 0), "ɔ": Vowel(1, 2, 1),
    "o": Vowel(2, 2, 1), "ʊ": Vowel(2.6, 1.7, 1), "u": Vowel(3, 2, 1), "ɯ": Vowel(3, 2, 0),
    "ɤ": Vowel(2, 2, 0), "ʉ": Vowel(3, 1, 1), "ɵ": Vowel(2, 1, 1),
}  # fmt: skip
CONSONANTS = {
    "p": Consonant(0, "stop", 0), "b": Consonant(0, "stop", 1), "m": Consonant(0, "nasal", 1),
    "ɸ": Consonant(0, "fricative", 0), "β": Consonant(0, "fricative", 1),
    "f": Consonant(0.5, "fricative", 0), "v": Consonant(0.5, "fricative", 1),
    "ʋ": Consonant(0.5, "approximant", 1), "w": Consonant(0, "approximant", 1),
    "θ": Consonant(1.5, "fricative", 0), "ð": Consonant(1.5, "fricative", 1),
    "t": Consonant(2, "stop", 0), "d": Consonant(2, "stop", 1), "n": Consonant(2, "nasal", 1),
    "s": Consonant(2, "fricative", 0), "z": Consonant(2, "fricative", 1),
    "l": Consonant(2, "approximant", 1), "ɫ": Consonant(2.2, "approximant", 1),
    "r": Consonant(5, "approximant", 1), "ɾ": Consonant(5, "approximant", 1),
    "ɹ": Consonant(4, "approximant", 1), "ʀ": Consonant(5, "approximant", 1),
    "ʁ": Consonant(5, "approximant", 1), "ʃ": Consonant(2.7, "fricative", 0),
    "ʒ": Consonant(2.7, "fricative", 1), "ɕ": Consonant(3, "fricative", 0),
    "ʑ": Consonant(3, "fricative", 1), "ʂ": Consonant(2.9, "fricative", 0),
    "ʐ": Consonant(2.9, "fricative", 1), "ç": Consonant(3.5, "fricative", 0),
    "ʝ": Consonant(3.5, "fricative", 1), "j": Consonant(3.5, "approximant", 1),
    "ɲ": Consonant(3.5, "nasal", 1), "ʎ": Consonant(3.5, "approximant", 1),
    "c": Consonant(3.5, "stop", 0), "ɟ": Consonant(3.5, "stop", 1),
    "k": Consonant(4.5, "stop", 0), "ɡ": Consonant(4.5, "stop", 1),
    "ŋ": Consonant(4.5, "nasal", 1), "x": Consonant(4.6, "fricative", 0),
    "ɣ": Consonant(4.6, "fricative", 1), "ɥ": Consonant(3.5, "approximant", 1),
    "q": Consonant(5, "stop", 0), "χ": Consonant(5, "fricative", 0),
    "h": Consonant(6, "fricative", 0), "ɦ": Consonant(6, "fricative", 1),
    "ʔ": Consonant(6, "stop", 0),
}  # fmt: skip
AFFRICATES = ("ts", "dz", "tʃ", "dʒ", "tɕ", "dʑ", "pf", "kx")
MANNERS = {
    frozenset({"stop", "affricate"}): 0.32,
    frozenset({"fricative", "affricate"}): 0.32,
    frozenset({"stop", "fricative"}): 0.56,
    frozenset({"nasal", "approximant"}): 0.48,
    frozenset({"stop", "nasal"}): 0.56,
    frozenset({"fricative", "approximant"}): 0.56,
    frozenset({"stop", "approximant"}): 0.72,
    frozenset({"affricate", "approximant"}): 0.8,
    frozenset({"affricate", "nasal"}): 0.8,
    frozenset({"fricative", "nasal"}): 0.8,
}
VOWEL_FOR_CONSONANT = 1.4
UNKNOWN_PHONE = 1.0  # distance of a symbol without features
DIFFERENT = 0.05  # least distance of two different phones
FARTHEST_CONSONANT = 1.2


def segmented(ipa: str) -> Pronunciation:
    """Phones of an IPA string whose phones are separated by ``_`` or spaces.

    >>> segmented("b_ˈʊɐ_ɡ_a_n_l_ˌɑː_ɡ_ə_n")
    ('b', 'ʊɐ', 'ɡ', 'a', 'n', 'l', 'ɑː', 'ɡ', 'ə', 'n')
    """
    pieces = _LANGUAGE_FLAG.sub("_", ipa).replace(" ", "_").split("_")
    return tuple(phone for piece in pieces if (phone := canonical(piece)))


@cache
def canonical(symbol: str) -> str:
    """The phone of a lexicon's symbol; empty if the symbol is only a mark.

    >>> canonical("AH0"), canonical("AA1"), canonical("ˈeː"), canonical("g")
    ('ə', 'ɑː', 'eː', 'ɡ')
    """
    bare = symbol.rstrip("012")
    if bare in ARPABET:
        return UNSTRESSED.get(symbol, ARPABET[bare])
    phone = _STRESS_MARKS.sub("", unicodedata.normalize("NFD", symbol))
    return unicodedata.normalize("NFC", phone.replace("g", "ɡ").replace(":", "ː"))


@cache
def distance(phone: str, other: str) -> float:
    """Articulatory distance: 0 the same, .05 nearly .. 1.4 a vowel for a consonant; symmetric."""
    if phone == other:
        return 0.0
    ours, theirs = _articulations(phone), _articulations(other)
    if not ours or not theirs:
        return UNKNOWN_PHONE
    n = max(len(ours), len(theirs))  # a diphthong against a vowel: the vowel stands for both halves
    ours, theirs = ours + ours[-1:] * (n - len(ours)), theirs + theirs[-1:] * (n - len(theirs))
    return max(DIFFERENT, sum(map(_apart, ours, theirs)) / n)


def _articulations(phone: str) -> list[Vowel | Consonant]:
    if phone in AFFRICATES:
        first, second = CONSONANTS[phone[0]], CONSONANTS[phone[1]]
        return [Consonant(second.place, "affricate", first.voiced)]
    articulations: list[Vowel | Consonant] = []
    for letter in phone:
        if letter == "ː" and articulations and isinstance(articulations[-1], Vowel):
            articulations[-1] = articulations[-1]._replace(long=1.0)
        elif letter in VOWELS:
            articulations.append(VOWELS[letter])
        elif letter in CONSONANTS:
            articulations.append(CONSONANTS[letter])
    return articulations


def _apart(first: Vowel | Consonant, second: Vowel | Consonant) -> float:
    if isinstance(first, Vowel) and isinstance(second, Vowel):
        return (
            0.25 * abs(first.height - second.height)
            + 0.2 * abs(first.backness - second.backness)
            + 0.2 * abs(first.rounded - second.rounded)
            + 0.12 * abs(first.long - second.long)
        )
    if isinstance(first, Consonant) and isinstance(second, Consonant):
        manner = (
            0.0
            if first.manner == second.manner
            else MANNERS[frozenset({first.manner, second.manner})]
        )
        apart = (
            0.13 * abs(first.place - second.place)
            + manner
            + 0.2 * abs(first.voiced - second.voiced)
        )
        return min(FARTHEST_CONSONANT, apart)
    return VOWEL_FOR_CONSONANT
