# ruff: noqa: RUF001, RUF002  # letters of many languages are meant
"""Spellings of a word that its language treats as equal, and spellings in which people type it.

    has_spellings    whether a language has any
    spellings        words -> one spelling for all ways of writing each
    bare_spellings   these -> the same, without an elided article or an ending after an apostrophe
    attached         what a language writes with a word: an article or an ending
    folded           word -> the word without accents, in plain letters
    typed_as         word -> all its plain spellings
    all_typed_as     the same for many words
    folded_words     words -> folded ones
    may_stand_for    whether a typed word stands for another one
    explained        the folding in words

A term finds words of the index with an equal spelling ("coeur" finds "cœur"). A typed term also
finds words with an elided article: "homme" finds "l'homme", but "l'homme" does not find "homme". A
word with an ending after an apostrophe (Turkish "istanbul'da") is another form, which a term never
finds. If a recogniser writes a word with an article or with such an ending, it counts as knowing
the word. The functions here make spellings from the words of the index (`std.text`) during a
search, because the language of a recording may become known after indexing.

Words are not equal if they differ in accents that distinguish words (côté, côte) or in letters
(German "dass" and "das"). Phonetic search finds words that sound alike.

When words are folded, an unaccented letter stands for its accented forms, an accented one only for
itself: "resume" and "resumé" stand for "résumé", "résumé" not for "resume". Spellings of the same
letter are equal in both directions: full-width letters, Arabic alef with and without hamza, ة and
ه, ى and ي, marks of Arabic and Hebrew vowels, tatweel, ё and е, ς and σ. Marks that are vowels
(Indic scripts, Thai) or other consonants (kana) stay, as does й. Some accented letters are separate
letters of a language (`OWN_LETTERS`): "ano" is not a misspelt "año". A word stands for words with
such letters only if the index does not have it as it is typed.

Sources: Duden, rules D 101 and "Umlaute" (ss, ae); Grevisse, "Le bon usage", elision; Serianni,
"Grammatica italiana", elisione; the spelling guide of Türk Dil Kurumu, apostrophe; Unicode 15.1,
SpecialCasing (Turkish i, Greek sigma), decomposition and chapters 9.1 and 9.2 (points, tatweel);
the token filters of Apache Lucene's analyzers, which fold most of these; CLDR's exemplar characters
and collation of the languages, for which letters are their own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

OWN_LETTERS = {
    "es": "ñ", "gl": "ñ", "eu": "ñ", "tl": "ñ", "de": "äöü", "sv": "åäö", "fi": "åäö",
    "da": "åæø", "nb": "åæø", "is": "ðþæö", "fo": "ðæø", "et": "õäöü", "hu": "öüőű",
    "tr": "çğıöşü", "az": "çəğıöşü", "pl": "ąćęłńóśźż", "cs": "čďěňřšťůž", "sk": "äčďľňôšťž",
    "hr": "čćđšž", "sl": "čšž", "bs": "čćđšž", "sr": "čćđšž", "ro": "ăâîșț", "sq": "çë",
    "lv": "āčēģīķļņšūž", "lt": "ąčęėįšųūž", "mt": "ċġħż", "eo": "ĉĝĥĵŝŭ", "vi": "ăâđêôơư",
    "uk": "їґ",
}  # fmt: skip
Lines = Callable[[str], str]  # a text of a word in each line -> the same with other letters


def _translated(table: Mapping[str, str]) -> Lines:
    """Replace letters; where few are replaced, much faster than `str.translate`."""
    letters = re.compile("|".join(map(re.escape, table)))
    return lambda text: letters.sub(lambda match: table[match[0]], text)


_plain = _translated({
    "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
    "ı": "i", "ə": "e", "ŀ": "l",
})  # fmt: skip
_with_digraphs = _translated(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "ÿ": "y", "ñ": "nn"}
)
_SAME = {"ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ٱ": "ا", "ё": "е", "ς": "σ", "\u0640": ""}
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_alike = _translated(_SAME | _FULL_WIDTH)
_VOWEL_MARKS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_ACCENTS = re.compile("[\u0300-\u036f](?<!и\u0306)[\u0300-\u036f]*")  # but that of й


def same_letters(word: str) -> str:
    """A word with one spelling for each letter that has several.

    >>> same_letters("القاهرة") == same_letters("القاهره"), same_letters("ｔｅｓｔ")
    (True, 'test')
    """
    if word.isascii():
        return word
    bare = _VOWEL_MARKS.sub("", unicodedata.normalize("NFD", _alike(word)))
    return unicodedata.normalize("NFC", bare)


def folded(word: str) -> str:
    """A word without accents, in plain letters.

    >>> folded("razón"), folded("øre"), folded("тёплой"), folded("мой")
    ('razon', 'ore', 'теплой', 'мой')
    """
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", _plain(same_letters(word))))
    return unicodedata.normalize("NFC", bare)


def typed_as(word: str) -> set[str]:
    """All spellings of a word in plain letters.

    >>> sorted(typed_as("größe")), sorted(typed_as("røst"))
    (['groesse', 'grosse'], ['roest', 'rost'])
    """
    if word.isascii():
        return {word}
    return {folded(word), folded(_with_digraphs(word))}


def folded_words(words: Sequence[str]) -> list[str]:
    """Many words without accents, see `folded`.

    Args:
        words: without line breaks.

    >>> folded_words(["razón", "øre"])
    ['razon', 'ore']
    """
    folds = iter(folded("\n".join(word for word in words if not word.isascii())).split("\n"))
    return [word if word.isascii() else next(folds) for word in words]


def all_typed_as(words: Sequence[str]) -> Iterator[set[str]]:
    """All plain spellings of each of many words, see `typed_as`.

    Args:
        words: without line breaks.
    """
    digraphs = _with_digraphs("\n".join(words)).split("\n")
    both = zip(folded_words(words), folded_words(digraphs), strict=False)  # "" has one line
    return map(set, both)


def may_stand_for(typed: str, word: str) -> bool:
    """Whether a typed word stands for a word of an index.

    >>> [may_stand_for(typed, "résumé") for typed in ("resume", "resumé", "resumè", "résumés")]
    [True, True, False, False]
    """
    typed, word = same_letters(typed), same_letters(word)
    if typed == word or (folded(typed) == typed and typed in typed_as(word)):
        return True
    return len(typed) == len(word) and all(
        one == other or one == folded(other) for one, other in zip(typed, word, strict=True)
    )


def is_another_letter(typed: str, word: str, language: str) -> bool:
    """Whether a word has separate letters of its language that the typed word lacks.

    >>> is_another_letter("ano", "año", "es"), is_another_letter("razon", "razón", "es")
    (True, False)
    """
    return bool(set(OWN_LETTERS.get(language, "")) & (set(word) - set(typed)))


def explained(typed: str, word: str) -> str:
    """The folding, for a person.

    >>> explained("razon", "razón"), explained("sábio", "sabio")
    ('razón, written without its accent', 'sabio, where accents are not written')
    >>> explained("strasse", "straße")
    'strasse as straße'
    """
    if len(typed) != len(word) or folded(typed) != folded(word):
        return f"{typed} as {word}"
    accents = sum(folded(one) != one for one in word) - sum(folded(one) != one for one in typed)
    if not accents or same_letters(typed) == same_letters(word):
        return f"{typed} as {word}"
    if accents < 0:
        return f"{word}, where accents are not written"
    return f"{word}, written without its accent{'s' if accents > 1 else ''}"


class _Rules(NamedTuple):
    letters: Lines  # of all spellings
    article: re.Pattern[str] | None = None  # elided, before a word
    ending: re.Pattern[str] | None = None  # of a word, after an apostrophe


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
    """Spellings without an elided article or an ending after an apostrophe.

    Args:
        words: as `spellings` gives them.
        language: a code.

    >>> bare_spellings(["l'homme", "aujourd'hui", "qu'"], "fr")
    ['homme', "aujourd'hui", "qu'"]
    >>> bare_spellings(["istanbul'da"], "tr")
    ['istanbul']
    """
    rules = _RULES.get(language)
    left_out = rules and (rules.article or rules.ending)
    if not left_out or not words:
        return list(words)
    return left_out.sub("", "\n".join(words)).split("\n")


def attached(language: str) -> Literal["article", "ending", ""]:
    """What a language (by its code) writes with a word, with an apostrophe between them.

    >>> attached("fr"), attached("tr"), attached("de")
    ('article', 'ending', '')
    """
    rules = _RULES.get(language, _Rules(str))
    return "article" if rules.article else "ending" if rules.ending else ""


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


def _sara_am(text: str) -> str:
    """Thai and Lao am in one character: compatibility forms (NFKC) of a text have it in two."""
    return _TWO_OF_AM.sub(lambda match: match[1] + chr(ord(match[2]) + 1), text)


def _elided(words: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{'|'.join(words.split())})'(?=\w)", re.MULTILINE)


_APOSTROPHE_FOR_ACCENT = re.compile(r"([aeiou])'$", re.MULTILINE)
# The ring, which may stand before a tone, and aa.
_TWO_OF_AM = re.compile("[\u0e4d\u0ecd]([\u0e48-\u0e4b\u0ec8-\u0ecb]?)([\u0e32\u0eb2])")
_ACUTE_AT_END = re.compile("é$", re.MULTILINE)
_GRAVE = dict(zip("aeiou", "àèìòù", strict=True))
_FRENCH = _elided("c d j l m n qu s t jusqu lorsqu puisqu quoiqu")
_ITALIAN = _elided(
    "l un gl c d m n s t v all dall dell nell sull coll quell quest bell sant "
    "agl dagl degl negl sugl"
)
_CATALAN = _elided("d l m n s t")
_ENDING = re.compile(r"(?<=\w)'\w+$", re.MULTILINE)
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
    "tr": _Rules(_translated(_TURKIC), ending=_ENDING),
    "az": _Rules(_translated({"i\u0307": "i", "ı": "i"}), ending=_ENDING),
    "el": _Rules(_without_marks("\u0300\u0301\u0308\u0313\u0314\u0342\u0345", {"ς": "σ"})),
    "ro": _Rules(_translated({"ş": "ș", "ţ": "ț"})),
    "ru": _Rules(_translated({"ё": "е"})),
    "ar": _Rules(_without_marks(_HARAKAT, _ARABIC_LETTERS)),
    "fa": _Rules(_without_marks(_HARAKAT, _PERSIAN_FORMS)),
    "ur": _Rules(_without_marks(_HARAKAT, _PERSIAN_FORMS)),
    "he": _Rules(_without_marks(_POINTS, {"\u05f0": "וו", "\u05f1": "וי", "\u05f2": "יי"})),
    **dict.fromkeys(("th", "lo"), _Rules(_sara_am)),
    **dict.fromkeys(("cmn", "yue", "ja", "ko"), _Rules(partial(unicodedata.normalize, "NFKC"))),
}
