# ruff: noqa: RUF001, RUF002  # letters of many languages are meant
"""Typed words: without accents, and with the letters of a keyboard.

    folded        word -> the word without accents, in plain letters
    typed_as      word -> all its plain spellings
    may_stand_for     whether a typed word stands for another one
    explained     the folding in words

An unaccented letter stands for its accented forms, an accented one only for itself: "resume" and
"resumé" stand for "résumé", "résumé" not for "resume". Ways of writing the same letter are alike in
both directions: full-width letters, Arabic alef with and without hamza, ة and ه, ى and ي, marks of
Arabic and Hebrew vowels, tatweel, ё and е, ς and σ. Marks that are vowels (Indic scripts, Thai) or
other consonants (kana) stay, as does й.

Some accented letters are letters of their own in a language (`OWN_LETTERS`): "ano" is no misspelt
"año". There a word stands for others only if the index does not have it as it is typed.

Sources: Unicode 15.1 (decomposition; chapter 9 on Arabic and Hebrew; half- and full-width forms);
CLDR's exemplar characters and collation of the languages, for which letters are their own.
"""

import re
import unicodedata

OWN_LETTERS = {
    "es": "ñ", "gl": "ñ", "eu": "ñ", "tl": "ñ", "de": "äöü", "sv": "åäö", "fi": "åäö",
    "da": "åæø", "nb": "åæø", "is": "ðþæö", "fo": "ðæø", "et": "õäöü", "hu": "öüőű",
    "tr": "çğıöşü", "az": "çəğıöşü", "pl": "ąćęłńóśźż", "cs": "čďěňřšťůž", "sk": "äčďľňôšťž",
    "hr": "čćđšž", "sl": "čšž", "bs": "čćđšž", "sr": "čćđšž", "ro": "ăâîșț", "sq": "çë",
    "lv": "āčēģīķļņšūž", "lt": "ąčęėįšųūž", "mt": "ċġħż", "eo": "ĉĝĥĵŝŭ", "vi": "ăâđêôơư",
    "uk": "їґ",
}  # fmt: skip
_PLAIN = str.maketrans({
    "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
    "ı": "i", "ə": "e", "ŀ": "l",
})  # fmt: skip
_DIGRAPHS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "ÿ": "y", "ñ": "nn"}
)
_SAME = {"ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ٱ": "ا", "ё": "е", "ς": "σ", "\u0640": ""}
_ALIKE = str.maketrans(_SAME | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)})
_VOWEL_MARKS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_ACCENTS = re.compile("(?<!и)[\u0300-\u036f]+|(?<=и)(?!\u0306)[\u0300-\u036f]+")
_HAS_MARKS = re.compile("[\u0590-\u06ff]")


def same_letters(word: str) -> str:
    """A word with one spelling for each letter that has several.

    >>> same_letters("القاهرة") == same_letters("القاهره"), same_letters("ｔｅｓｔ")
    (True, 'test')
    """
    if word.isascii():
        return word
    word = word.translate(_ALIKE)
    if not _HAS_MARKS.search(word):
        return word
    bare = _VOWEL_MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare)


def folded(word: str) -> str:
    """A word without accents, in plain letters.

    >>> folded("razón"), folded("øre"), folded("тёплой"), folded("мой")
    ('razon', 'ore', 'теплой', 'мой')
    """
    if word.isascii():
        return word
    word = same_letters(word).translate(_PLAIN)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare)


def typed_as(word: str) -> set[str]:
    """All spellings of a word in plain letters.

    >>> sorted(typed_as("größe")), sorted(typed_as("røst"))
    (['groesse', 'grosse'], ['roest', 'rost'])
    """
    if word.isascii():
        return {word}
    return {folded(word), folded(word.translate(_DIGRAPHS))}


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
