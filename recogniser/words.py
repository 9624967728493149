"""Written text -> the words that were spoken.

spoken_words    words without punctuation, hyphens apart, remarks such as ``[Music]`` left out;
                text without spaces by its characters (`std.characters`)
"""

import re
import unicodedata
from collections.abc import Iterator

from std.characters import characters

_REMARK = re.compile(r"\[[^\[\]]{1,100}\]|\([^()]{1,100}\)|\*[^*]{1,60}\*|[♩-♯🎵🎶]+")
_APART = re.compile(r"[\s\u2010-\u2015\u2212/\u2026]+|(?<=[^\W\d_])-+|-+(?=[^\W\d_])|--+|\.\.\.+")


def spoken_words(text: str) -> list[str]:
    """The words of a text, without what is around them; a fold of case is not done here.

    >>> spoken_words("[Music] Well-known, they say: 'tis 3.5 — no!")
    ['Well', 'known', 'they', 'say', 'tis', '3.5', 'no']
    >>> spoken_words("天气，很好。")
    ['天', '气', '很', '好']
    """
    return [word for _, _, word in word_spans(text)]


def word_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each word stands in the text, first and last + 1 letter, and the word."""
    clean = _REMARK.sub(lambda match: " " * len(match[0]), text)
    at = 0
    for separator in [*_APART.finditer(clean), None]:
        end = separator.start() if separator else len(clean)
        first, last = at, end
        while first < last and not _belongs(clean[first]):
            first += 1
        while last > first and not _belongs(clean[last - 1]):
            last -= 1
        for word in characters(clean[first:last]) if first < last else ():
            first = clean.index(word, first)
            yield first, first + len(word), word
            first += len(word)
        if separator:
            at = separator.end()


def _belongs(letter: str) -> bool:
    """Tell whether a letter at the edge of a word belongs to it: letters, digits, %, $."""
    return unicodedata.category(letter)[0] in "LNM" or letter in "%$€£°"
