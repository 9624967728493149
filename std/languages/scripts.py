"""Scripts of words and languages: a text in one script is not in a language of another.

    script_of             a word -> its script; "" if it has no letter
    script_of_language    a language -> its script; "" if unknown

A script that only one language uses is named as the language. Han characters and kana are one
script here ("ja", "cmn" and "yue" share it).
"""

from functools import cache

from std.function_words import FUNCTION_WORDS, ONE_LANGUAGE_SCRIPTS

HAN = "han"
_RANGES = {
    (0x0041, 0x024F): "latin",
    (0x1E00, 0x1EFF): "latin",
    (0x0400, 0x052F): "cyrillic",
    (0x0590, 0x05FF): "hebrew",
    (0x0600, 0x077F): "arabic",
    (0xFB50, 0xFDFF): "arabic",
    (0xFE70, 0xFEFC): "arabic",
    (0x0900, 0x097F): "devanagari",
} | {
    span: HAN if language in ("ja", "cmn") else language
    for span, language in ONE_LANGUAGE_SCRIPTS.items()
}
PERSIAN = "persian"  # Arabic script with letters that Arabic lacks: of Persian, Urdu and others
_PERSIAN_LETTERS = frozenset("پچژگکیٹڈڑںےہھۀۂۃۇۆێڵ")
_OTHERS = {"yue": HAN}  # languages without function words or a script of their own


@cache
def _script(letter: str) -> str:
    if not letter.isalpha():
        return ""
    code = ord(letter)
    return next((name for (first, last), name in _RANGES.items() if first <= code <= last), "")


def script_of(word: str) -> str:
    """The script of a word's first letter that has one.

    >>> script_of("l'été"), script_of("«привет»"), script_of("2024"), script_of("東京")
    ('latin', 'cyrillic', '', 'han')
    """
    return next((script for letter in word if (script := _script(letter))), "")


@cache
def script_of_language(code: str) -> str:
    """The script that a language is written in.

    >>> script_of_language("de"), script_of_language("ja"), script_of_language("xx")
    ('latin', 'han', '')
    """
    if code in FUNCTION_WORDS:
        return script_of(FUNCTION_WORDS[code])
    return next(
        (
            script_of(chr(span[0] + 0x20))
            for span, language in ONE_LANGUAGE_SCRIPTS.items()
            if language == code
        ),
        _OTHERS.get(code, ""),
    )


def precise_script_of(word: str) -> str:
    """As `script_of`; `PERSIAN` for words with letters that Arabic lacks.

    >>> precise_script_of("سلام"), precise_script_of("دنیا")
    ('arabic', 'persian')
    """
    script = script_of(word)
    return PERSIAN if script == "arabic" and not _PERSIAN_LETTERS.isdisjoint(word) else script


def may_be_in(script: str, language: str) -> bool:
    """Whether a text of a script may be in a language, as far as both are known.

    >>> may_be_in(PERSIAN, "fa"), may_be_in(PERSIAN, "ar"), may_be_in("latin", "fa")
    (True, False, False)
    """
    if script == PERSIAN:
        script = "arabic" if language != "ar" else script
    other = script_of_language(language)
    return not script or not other or script == other
