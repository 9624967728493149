"""Names and scripts of languages; detection of a language by its function words.

    language_code("german")   "de"
    shares(counts)            the share of each language's function words in a text
    guess(shares)             the likeliest language, and whether it is certain
    of_segment(segment)       the language of a segment's recordings
    script_of                 a word -> its script; "" if it has no letter
    script_of_language        a language -> its script; "" if unknown

Each word counts for at most `MAX_WORD_SHARE` of a text, so a language needs several different
words: "Ana de la Hoya", or a language with one very common vowel, is not taken for Spanish. The
limits were set on texts in 57 languages and in 400 others that must not be recognised as one of
them (docs/languages.md has the figures). A script of only one language identifies it, and is named
as the language. Han characters and kana are one script here ("ja", "cmn" and "yue" share it). A
text in one script is not in a language of another.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.function_words import FUNCTION_WORDS, ONE_LANGUAGE_SCRIPTS
from std.store import Segment

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
def _script_of_letter(letter: str) -> str:
    if not letter.isalpha():
        return ""
    code = ord(letter)
    return next((name for (first, last), name in _RANGES.items() if first <= code <= last), "")


def script_of(word: str) -> str:
    """The script of a word's first letter that has one.

    >>> script_of("l'été"), script_of("«привет»"), script_of("2024"), script_of("東京")
    ('latin', 'cyrillic', '', 'han')
    """
    return next((script for letter in word if (script := _script_of_letter(letter))), "")


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
    """Whether a text in a script may be in a language; true if the script of either is unknown.

    >>> may_be_in(PERSIAN, "fa"), may_be_in(PERSIAN, "ar"), may_be_in("latin", "fa")
    (True, False, False)
    """
    if script == PERSIAN:
        script = "arabic" if language != "ar" else script
    other = script_of_language(language)
    return not script or not other or script == other


NAMES = {
    "german": "de", "ger": "de", "deu": "de", "deutsch": "de", "english": "en", "eng": "en",
    "french": "fr", "fra": "fr", "fre": "fr", "spanish": "es", "spa": "es", "castilian": "es",
    "italian": "it", "ita": "it", "dutch": "nl", "nld": "nl", "dut": "nl", "flemish": "nl",
    "portuguese": "pt", "por": "pt", "czech": "cs", "ces": "cs", "cze": "cs", "polish": "pl",
    "pol": "pl", "turkish": "tr", "tur": "tr", "swedish": "sv", "swe": "sv", "danish": "da",
    "dan": "da", "norwegian": "nb", "nor": "nb", "no": "nb", "nob": "nb", "nn": "nb", "nno": "nb",
    "nynorsk": "nb", "bokmål": "nb", "finnish": "fi", "fin": "fi", "hungarian": "hu", "hun": "hu",
    "romanian": "ro", "ron": "ro", "rum": "ro", "moldavian": "ro", "russian": "ru", "rus": "ru",
    "arabic": "ar", "ara": "ar", "arb": "ar", "mandarin": "cmn", "chinese": "cmn", "zh": "cmn",
    "zho": "cmn", "chi": "cmn", "cantonese": "yue", "vietnamese": "vi", "vie": "vi", "tamil": "ta",
    "tam": "ta", "swahili": "sw", "swa": "sw", "swh": "sw", "basque": "eu", "eus": "eu",
    "albanian": "sq", "sqi": "sq", "alb": "sq", "slovak": "sk", "slk": "sk", "slo": "sk",
    "slovenian": "sl", "slovene": "sl", "slv": "sl", "croatian": "hr", "hrv": "hr",
    "serbian": "sr", "srp": "sr", "bosnian": "bs", "bos": "bs", "bulgarian": "bg", "bul": "bg",
    "macedonian": "mk", "mkd": "mk", "ukrainian": "uk", "ukr": "uk", "belarusian": "be",
    "bel": "be", "icelandic": "is", "isl": "is", "ice": "is", "faroese": "fo", "fao": "fo",
    "afrikaans": "af", "afr": "af", "luxembourgish": "lb", "ltz": "lb", "catalan": "ca",
    "valencian": "ca", "cat": "ca", "galician": "gl", "glg": "gl", "greek": "el", "ell": "el",
    "gre": "el", "hebrew": "he", "heb": "he", "iw": "he", "persian": "fa", "farsi": "fa",
    "fas": "fa", "per": "fa", "urdu": "ur", "urd": "ur", "hindi": "hi", "hin": "hi",
    "marathi": "mr", "mar": "mr", "nepali": "ne", "nep": "ne", "bengali": "bn", "ben": "bn",
    "punjabi": "pa", "panjabi": "pa", "gujarati": "gu", "telugu": "te", "kannada": "kn",
    "malayalam": "ml", "sinhala": "si", "thai": "th", "tha": "th", "lao": "lo", "burmese": "my",
    "myanmar": "my", "georgian": "ka", "kat": "ka", "armenian": "hy", "hye": "hy", "amharic": "am",
    "amh": "am", "khmer": "km", "korean": "ko", "kor": "ko", "japanese": "ja", "jpn": "ja",
    "indonesian": "id", "ind": "id", "malay": "ms", "msa": "ms", "tagalog": "tl", "filipino": "tl",
    "fil": "tl", "tgl": "tl", "lithuanian": "lt", "lit": "lt", "latvian": "lv", "lav": "lv",
    "estonian": "et", "est": "et", "welsh": "cy", "cym": "cy", "irish": "ga", "gle": "ga",
    "gaelic": "gd", "gla": "gd", "maltese": "mt", "mlt": "mt", "esperanto": "eo",
    "epo": "eo", "latin": "la", "lat": "la",
    "azerbaijani": "az", "aze": "az", "kazakh": "kk", "kaz": "kk", "yiddish": "yi",
    "haitian": "ht", "haitian creole": "ht", "hat": "ht",
}  # fmt: skip
NO_LANGUAGE = {
    "und",
    "mul",
    "mis",
    "zxx",
    "unk",
}  # codes of ISO 639 for unknown languages, and a common one
WITHOUT_SPACES = frozenset(("cmn", "yue", "ja", "th", "lo", "km", "my"))  # between their words
CODES = (*FUNCTION_WORDS, *dict.fromkeys(ONE_LANGUAGE_SCRIPTS.values()))
MAX_WORD_SHARE = 0.03  # of a text: the largest counted share of one function word
MIN_SHARE = 0.14  # of a text: the least counted share of one language's function words
MIN_LEAD = 1.15  # factor over the share of the next language, to be certain
HINT_SHARE = 0.05  # share that suggests a language in a text of few words: two of them
FEW_WORDS = 100
FIRST_SCRIPT = chr(min(first for first, _ in ONE_LANGUAGE_SCRIPTS))
KANA_SHARE = 0.05  # share of words with kana from which Han characters are Japanese
_LATIN_LETTERS = {
    "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i",
}  # fmt: skip
_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}

Shares = npt.NDArray[np.float64]  # (..., len(CODES))


class Guess(NamedTuple):
    """The language of a text by its words."""

    language: str  # a code; empty = not recognised
    share: float  # share of its function words, see `shares`
    sure: bool


def language_code(name: str) -> str:
    """The code espeak-ng uses for a language, from its English name or any ISO 639 code.

    >>> language_code("German"), language_code("de-AT"), language_code("en"), language_code("zh-TW")
    ('de', 'de', 'en', 'cmn')
    """
    plain = name.strip().lower().replace("_", "-")
    first = plain.split("-")[0]
    return NAMES.get(plain) or NAMES.get(first, first)


def is_language(code: str) -> bool:
    """Whether a code is that of one language."""
    named = code in NAMES.values() or code in CODES
    return named or (
        code.isalpha() and code.isascii() and len(code) in (2, 3) and code not in NO_LANGUAGE
    )


def shares(counts: Mapping[str, float], words: float | None = None) -> Shares:
    """The share of each language's function words in a text; no word counts for more than 3 %.

    Args:
        counts: the words of the text, and how often each occurs (or is expected to).
        words: the number of words of the text, if ``counts`` lacks some.
    """
    total = (sum(counts.values()) if words is None else words) or 1.0
    language_shares = np.zeros(len(CODES))
    for word, languages in telling(counts):
        language_shares[languages] += worth(word, counts[word] / total)
    return settled(language_shares)


def telling(words: Collection[str]) -> list[tuple[str, list[int]]]:
    """The words of a text that identify languages, with the rows of these languages in `CODES`."""
    forms = _forms()
    known = [(word, forms[word]) for word in words if word in forms]
    others = [word for word in words if word >= FIRST_SCRIPT and word not in forms]
    return known + [(word, [row]) for word in others if (row := _script(word)) is not None]


def worth(word: str, share: Shares | float) -> Shares | float:
    """The part of a word's share that counts for its languages.

    At most `MAX_WORD_SHARE`; the whole share if only one language uses the word's script.
    """
    return share if _script(word) is not None else np.minimum(share, MAX_WORD_SHARE)


def settled(language_shares: Shares) -> Shares:
    """Count Han characters for Japanese if the text has kana, otherwise for Chinese."""
    language_shares = language_shares.copy()
    kana, han = language_shares[..., CODES.index("ja")], language_shares[..., CODES.index("cmn")]
    japanese = kana >= KANA_SHARE
    language_shares[..., CODES.index("ja")] = np.where(japanese, kana + han, 0.0)
    language_shares[..., CODES.index("cmn")] = np.where(japanese, 0.0, han)
    return language_shares


def guess(language_shares: Shares, words: float) -> Guess:
    """The language of a text with a number of words.

    If it is uncertain, it is the likeliest language whose share is high enough or that a few words
    suggest; otherwise none.
    """
    best = int(np.argmax(language_shares))
    share = float(language_shares[best])
    second = float(np.partition(language_shares, -2)[-2])
    sure = share >= MIN_SHARE and share >= MIN_LEAD * second
    hint = words < FEW_WORDS and share >= HINT_SHARE and share > second
    return Guess(CODES[best] if share >= MIN_SHARE or hint else "", share, sure)


def guess_language(counts: Mapping[str, float]) -> str:
    """The likeliest language of a text by its words' counts; empty if none is recognised.

    >>> guess_language({"der": 9, "die": 8, "und": 5, "hund": 1}), guess_language({"xyzzy": 3})
    ('de', '')
    """
    return guess(shares(counts), sum(counts.values())).language


def of_segment(segment: Segment) -> str:
    """The language of a segment's recordings; empty if it was not recognised.

    All recordings of a segment have one language: that of the converter that pronounced them or,
    without a converter, that of the column ``language``.
    """
    if pronouncer := pronouncer_of_segment(segment):
        return pronouncer.rpartition(":")[2]
    named = segment.extra("language")
    return "" if named is None else bytes(named).decode(errors="replace")


def pronouncer_of_segment(segment: Segment) -> str:
    """The pronouncer of a segment's phones (``espeak-ng:de``); empty if it has no phones."""
    name = segment.extra("phone_maker")
    return "" if name is None else bytes(name).decode(errors="replace")


@cache
def _forms() -> dict[str, list[int]]:
    """Spellings of each function word -> rows of its languages."""
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(FUNCTION_WORDS.values()):
        for form in dict.fromkeys(form for word in text.split() for form in _written(word)):
            rows.setdefault(form, []).append(row)
    return rows


def _written(word: str) -> Iterable[str]:
    """The spellings of a word: in capitals, without accents, with ``ue`` for ``ü``."""
    decomposed = unicodedata.normalize("NFD", word)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    plain = {word, *([bare] if bare.isascii() else [])}
    for table in (_LATIN_LETTERS, _UMLAUTS | _LATIN_LETTERS):
        ascii_form = "".join(table.get(letter, letter) for letter in word)
        if ascii_form.isascii():
            plain.add(ascii_form)
    for form in plain:
        yield from (form, form.capitalize(), form.upper())


def _script(word: str) -> int | None:
    """The row of the language of a word's script, if only one language uses that script."""
    if word < FIRST_SCRIPT:
        return None
    code = ord(word[0])
    codes = map(ord, word) if 0x3400 <= code <= 0x9FFF else (code,)  # kana may follow
    language_found = None
    for letter_code in codes:
        for (first, last), language in ONE_LANGUAGE_SCRIPTS.items():
            if first <= letter_code <= last and language_found != "ja":
                language_found = language
    return None if language_found is None else CODES.index(language_found)
