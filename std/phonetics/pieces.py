# ruff: noqa: RUF001  # Greek and Cyrillic vowels are meant
"""A long word in pieces that a pronouncer with fixed buffers can take."""

import unicodedata

# Of a word that espeak-ng 1.52 is given, whose buffers hold 160 bytes and 200 phones of it. Built
# with an address sanitiser it wrote past their ends from 158 bytes of Danish up. Below that only
# numbers and mixtures of scripts and signs do harm, at any length: hence its own process.
MAX_PIECE_LETTERS = 60
MAX_PIECE_BYTES = 120
_VOWELS = frozenset("aeiouyæøœаеиоуыэюяєіїαεηιουω")


def pieces(word: str) -> list[str]:
    """The word in pieces of at most `MAX_PIECE_LETTERS` and `MAX_PIECE_BYTES` of UTF-8.

    A piece ends at the best border of its second half: beside what is no letter (hyphens, digits),
    else before a consonant that a vowel follows, where syllables begin, else anywhere; before a
    combining mark only if there is nothing else.

    >>> pieces("dort" * 20)[0] == "dort" * 15, pieces("guten")
    (True, ['guten'])
    """
    found = []
    while len(word) > MAX_PIECE_LETTERS or len(word.encode(errors="replace")) > MAX_PIECE_BYTES:
        length = _fitting(word)
        cut = max(range((length + 1) // 2, length + 1), key=lambda at: (_border(word, at), at))
        found.append(word[:cut])
        word = word[cut:]
    return [*found, word]


def _fitting(word: str) -> int:
    """The most characters of a long word that are one piece."""
    length = used = 0
    for letter in word[:MAX_PIECE_LETTERS]:
        used += len(letter.encode(errors="replace"))
        if used > MAX_PIECE_BYTES:
            break
        length += 1
    return length


def _border(word: str, at: int) -> int:
    """How good a border is before character ``at``: 0 inside a letter with its marks .. 3."""
    before, after, following = word[at - 1], word[at], word[at + 1 : at + 2]
    if unicodedata.category(after).startswith("M"):
        return 0
    if before.isalpha() != after.isalpha():
        return 3
    return 2 if _is_vowel(following) and not _is_vowel(after) else 1


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[:1].lower() in _VOWELS
