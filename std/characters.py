"""Text without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese): its words are characters.

    characters        a text without spaces -> its characters, and the other words between them
    has_characters    whether a text has such characters
    text_of           words -> a text to read, without blanks between characters

These scripts do not mark where words begin, and programs that guess it disagree. So each character
is a word of the index, as in the n-gram analysers of text search, and a term is a phrase of
characters. It is found wherever its characters follow each other; the division of the text into
words does not matter. A character is a unit that is never divided: an ideogram, a kana with its
marks, a consonant with the vowels and tones around it (เกาะ, ສະ, ស្តី, မင်). Korean has spaces, so
its words stay; ``*`` finds parts of them.

Sources: Unicode 15.1, scripts and annex 29 (grapheme clusters); for Thai, Theeramunkong et al.,
"Character cluster based Thai information retrieval" (2000).
"""

import re
from collections.abc import Iterable

_THAI = (
    "[\u0e40-\u0e44]*[\u0e01-\u0e2e][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*[\u0e30\u0e32\u0e33\u0e45]*"
)
_LAO = (
    "[\u0ec0-\u0ec4]*[\u0e81-\u0eae\u0edc-\u0edf][\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]*"
    "[\u0eb0\u0eb2\u0eb3]*"
)
_KHMER = "[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3\u17dd])*"
_BURMESE_FOLLOWING = (  # signs; a consonant below, or one that closes the syllable
    "(?:[\u102b-\u1038\u103a-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d"
    "\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d]|\u1039[\u1000-\u102a]"
    "|[\u1000-\u1021][\u1037\u1038]*\u103a)*"
)
_BURMESE = f"[\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065-\u1081]{_BURMESE_FOLLOWING}"
_IDEOGRAMS = (
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
_KANA_MARKS = "[\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
# A letter of these scripts, marks that stand alone included: everything else is a word as written.
_LETTERS = (
    f"{_IDEOGRAMS}\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f"
    "\u109a-\u109d\u1780-\u17d3\u17dc\u17dd"
)
_PUNCTUATION = (  # of these scripts; it separates words of other scripts
    "\u3000-\u3004\u3008-\u3020\u3030\u303d\u30a0\u30fb\uff01-\uff09\uff0b-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65\u0e2f\u0e4f\u0e5a\u0e5b\u104a-\u104f\u17d4-\u17da"
)
_ANY = re.compile(f"[{_LETTERS}]")
_UNITS = re.compile(
    f"{_THAI}|{_LAO}|{_KHMER}|{_BURMESE}|[{_IDEOGRAMS}]{_KANA_MARKS}|[{_LETTERS}]|"
    f"[^{_LETTERS}{_PUNCTUATION}]+"
)
_ALL_AROUND = re.compile(rf"^\*+(?=[{_LETTERS}])|(?<=[{_LETTERS}])\*+$")


def has_characters(text: str) -> bool:
    """Whether a text has letters of a script without spaces.

    >>> has_characters("天气"), has_characters("été")
    (True, False)
    """
    return not text.isascii() and _ANY.search(text) is not None


def characters(written: str) -> list[str]:
    """The characters of a text without spaces, and the words of other scripts between them.

    Punctuation between them is left out.

    >>> characters("我用Python写，2次")
    ['我', '用', 'Python', '写', '2', '次']
    >>> characters("ราชการ"), characters("がっこう"), characters("naïve")
    (['รา', 'ช', 'กา', 'ร'], ['が', 'っ', 'こ', 'う'], ['naïve'])
    """
    if not has_characters(written):
        return [written]
    return [unit for unit in _UNITS.findall(written) if _is_said(unit)]


def _is_said(unit: str) -> bool:
    return "*" in unit or any(map(str.isalnum, unit)) or _ANY.search(unit) is not None


def without_outer_stars(term: str) -> str:
    """A term without ``*`` around characters, which are found inside longer text anyway.

    >>> without_outer_stars("*天气*"), without_outer_stars("天*气"), without_outer_stars("robo*")
    ('天气', '天*气', 'robo*')
    """
    return _ALL_AROUND.sub("", term) if has_characters(term) else term


def text_of(words: Iterable[str]) -> str:
    """Words joined to a text: a space between words, but none between characters.

    >>> text_of(["我", "用", "python", "写"]), text_of(["two", "words"])
    ('我用 python 写', 'two words')
    """
    text = " ".join(words)
    return _BETWEEN.sub("", text) if has_characters(text) else text


_BETWEEN = re.compile(f"(?<=[{_LETTERS}{_KANA_MARKS[1:-2]}]) (?=[{_LETTERS}])")
