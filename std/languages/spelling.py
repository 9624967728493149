# ruff: noqa: RUF001  # letters of many languages are meant
"""Spellings of one word that its language treats alike.

    has_spellings    whether a language has any
    spellings        words -> one spelling for all ways of writing each
    bare_spellings   words -> the same, without an elided article or a suffix after an apostrophe

A term finds words of the index whose spelling, or bare spelling, is its own: "coeur" finds
"cœur", and "homme" finds "l'homme", but "l'homme" not "homme". Both are made by the functions
here, from the word as the index has it (`std.text`), when a search knows the recording's language.

Not treated alike are accents that distinguish words (côté, côte), and letters that make another
word (German "dass" and "das"). Phonetic search finds words that sound alike.

Sources: Duden, rules D 101 and "Umlaute" (ss, ae); Grevisse, "Le bon usage", elision; Serianni,
"Grammatica italiana", elisione; the spelling guide of Türk Dil Kurumu, apostrophe; Unicode 15.1,
SpecialCasing (Turkish i, Greek sigma) and chapters 9.1 and 9.2 (points, tatweel); the token filters
of Apache Lucene's analyzers, which fold most of these.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Lines = Callable[[str], str]  # a text of a word in each line -> the same with other letters


class _Rules(NamedTuple):
    letters: Lines  # of all spellings
    left_out: re.Pattern[str] | None = None  # of a word, in its bare spelling


def has_spellings(language: str) -> bool:
    """Whether a language (by its code) treats some spellings alike.

    >>> has_spellings("fr"), has_spellings("en"), has_spellings("")
    (True, False, False)
    """
    return language in _RULES


def spellings(words: Sequence[str], language: str) -> list[str]:
    """One spelling for all ways of writing each word.

    Args:
        words: words of an index, without line breaks.
        language: a code.

    >>> spellings(["cœur", "αθήνα", "ёлка"], "fr"), spellings(["αθήνα"], "el")
    (['coeur', 'αθήνα', 'ёлка'], ['αθηνα'])
    """
    if language not in _RULES or not words:
        return list(words)
    return _RULES[language].letters("\n".join(words)).split("\n")


def bare_spellings(words: Sequence[str], language: str) -> list[str]:
    """The spellings without an elided article or a suffix after an apostrophe.

    >>> bare_spellings(["l'homme", "aujourd'hui", "qu'"], "fr")
    ['homme', "aujourd'hui", "qu'"]
    >>> bare_spellings(["i̇stanbul'da"], "tr")
    ['istanbul']
    """
    whole = spellings(words, language)
    left_out = _RULES[language].left_out if language in _RULES else None
    if left_out is None or not words:
        return whole
    return left_out.sub("", "\n".join(whole)).split("\n")


def _translated(table: Mapping[str, str]) -> Lines:
    letters = re.compile("|".join(map(re.escape, table)))
    return lambda text: letters.sub(lambda match: table[match[0]], text)


def _without_marks(marks: str, table: Mapping[str, str]) -> Lines:
    """Decompose, remove marks, compose again; then translate letters."""
    pattern, translated = re.compile(f"[{marks}]+"), _translated(table)

    def letters(text: str) -> str:
        bare = pattern.sub("", unicodedata.normalize("NFD", text))
        return translated(unicodedata.normalize("NFC", bare))

    return letters


def _italian(text: str) -> str:
    """An apostrophe for an accent: "perche'" and "perché"; there is one way to write it here."""
    return _ACUTE_AT_END.sub("è", _APOSTROPHE_FOR_ACCENT.sub(lambda m: _GRAVE[m[1]], text))


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _elided(words: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{'|'.join(words.split())})'(?=\w)", re.MULTILINE)


_APOSTROPHE_FOR_ACCENT = re.compile(r"([aeiou])'$", re.MULTILINE)
_ACUTE_AT_END = re.compile("é$", re.MULTILINE)
_GRAVE = dict(zip("aeiou", "àèìòù", strict=True))
_FRENCH = _elided("c d j l m n qu s t jusqu lorsqu puisqu quoiqu")
_ITALIAN = _elided(
    "l un gl c d m n s t v all dall dell nell sull coll quell quest bell sant "
    "agl dagl degl negl sugl"
)
_CATALAN = _elided("d l m n s t")
_SUFFIX = re.compile(r"(?<=\w)'\w+$", re.MULTILINE)
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_HARAKAT = "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
_DIGITS = {chr(first + i): str(i) for first in (0x660, 0x6F0) for i in range(10)}
_ARABIC_LETTERS = {"ٱ": "ا", "ى": "ي", "ة": "ه", **_DIGITS}
_PERSIAN_FORMS = {"ي": "ی", "ى": "ی", "ك": "ک", "ة": "ه", "ۀ": "ه", **_DIGITS}
_TURKIC = {"i\u0307": "i", "ı": "i", "â": "a", "î": "i", "û": "u"}

_RULES: Mapping[str, _Rules] = {
    "de": _Rules(_translated({"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue"})),
    "fr": _Rules(_translated({"œ": "oe", "æ": "ae"}), _FRENCH),
    "it": _Rules(_italian, _ITALIAN),
    "ca": _Rules(_translated({"l·l": "ll", "ŀl": "ll"}), _CATALAN),
    "tr": _Rules(_translated(_TURKIC), _SUFFIX),
    "az": _Rules(_translated({"i\u0307": "i", "ı": "i"}), _SUFFIX),
    "el": _Rules(_without_marks("\u0300\u0301\u0308\u0313\u0314\u0342\u0345", {"ς": "σ"})),
    "ro": _Rules(_translated({"ş": "ș", "ţ": "ț"})),
    "ru": _Rules(_translated({"ё": "е"})),
    "ar": _Rules(_without_marks(_HARAKAT, _ARABIC_LETTERS)),
    "fa": _Rules(_without_marks(_HARAKAT, _PERSIAN_FORMS)),
    "ur": _Rules(_without_marks(_HARAKAT, _PERSIAN_FORMS)),
    "he": _Rules(_without_marks(_POINTS, {"\u05f0": "וו", "\u05f1": "וי", "\u05f2": "יי"})),
    **dict.fromkeys(("cmn", "yue", "ja", "ko"), _Rules(_compatible)),
}
