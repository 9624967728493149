"""Related forms: words of an index that are a word in another form (haus: hauses, häuser).

    RelatedForms(vocabulary)  knows which endings its words take
        of_word               word -> its related forms, the likeliest first
        is_form               whether one word is a form of another
        of_phrase             words -> the same words with some of them in other forms

Two words are related if they begin alike and their endings are ones that this vocabulary
exchanges: of the words with the ending of one, enough become words of the index with that of the
other ("häuser" as "kinder" and "lichter", but "haushalt" as no word in -halt). Where few words have
the ending, it counts how much the two words have in common, as if `GUESSED` words said it. So small
indexes have guesses, and large ones learn. Inflections and words derived from the same stem are not
told apart, for a person wants to see both. Nothing here knows a language, but for function words,
which have no forms, and the particles that are written to a word in Arabic and in Hebrew.

The measure is that of paradigms by minimal pairs: Goldsmith 2001, "Unsupervised learning of the
morphology of a natural language"; the share of pairs, shrunk to a guess, is ours.
"""

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from searcher.terms.vocabulary import Vocabulary
from std.function_words import FUNCTION_WORDS
from std.languages.folding import folded
from std.languages.spelling import bare_spellings, spellings

STEM = 3  # letters that related words have in common, at least
ENDING = 6  # letters behind them, at most; of the word that is asked for half of that
COMMON_SHARE = 0.6  # share of letters in common, at least
SURE_SHARE = 0.75  # the same, to guess that two letters are exchanged, or to believe a long stem
LONG = 8  # letters in common that no two words have by chance
GUESSED = 3.0  # words that a guess is worth
RELATED = 0.2  # share of words that take both endings, from which on they are forms
PAIRS = 3  # words that must do so where a guess would be wrong
SAMPLE = 1000  # words with an ending that are asked
PART = 4  # letters of a word that makes a compound, not a form
FORMS = 50  # of a term at most
KEPT = 10_000  # words whose forms are known

# Consonants that a stem exchanges before an ending (Helsinki: Helsingissä; wolf: wolves).
_ALTERNATING = str.maketrans("gdbvzf", "ktppsp")
_PARTICLES = re.compile(
    r"^(?:[وف]?(?:[بكل]?ال|لل|[بكلس]?)(?=[\u0620-\u06ff]{3})|[ושכ]?[בלמכ]?ה?(?=[א-ת]{3}))"
)
_DIGIT = re.compile(r"\d")
_HAS_PARTICLES = re.compile("[\u05d0-\u05ea\u0620-\u06ff]")


class RelatedForm(NamedTuple):
    """A word that is another one in another form."""

    word: str
    likeness: float  # share of words that take both endings, 0 to 1


class RelatedForms:
    """The related forms among the words of a vocabulary, learned when the first is asked for."""

    def __init__(self, vocabulary: Vocabulary, languages: Collection[str] = ()) -> None:
        """Take the words.

        Args:
            vocabulary: the vocabulary of an index.
            languages: the languages of its recordings.
        """
        self._vocabulary, self._languages = vocabulary, languages
        lists = (FUNCTION_WORDS.get(language, "") for language in languages)
        self._function_words = frozenset(word for words in lists for word in words.split())
        self.of_word = lru_cache(KEPT)(self._of_word)

    @cached_property
    def _words(self) -> list[tuple[str, str]]:
        """The letters of each word and the word, ascending; without its particles as well."""
        words = (word for word in self._vocabulary.words if not _DIGIT.search(word))
        spelt = [(letters(word), word) for word in words]
        spelt += [(bare, word) for one, word in spelt if (bare := _bare(one)) != one]
        return sorted(spelt)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(spelt for spelt, _ in self._words)

    @cached_property
    def _doubt(self) -> float:
        """How little a guess is worth: the less, the more words might have said something."""
        return 1 + math.log10(len(self._known) + 1)

    @cached_property
    def _backwards(self) -> list[str]:
        return sorted(spelt[::-1] for spelt in self._known)

    def _of_word(self, word: str) -> tuple[RelatedForm, ...]:
        """The related forms of a word, the likeliest first.

        Args:
            word: normalised; it need not be in the vocabulary.
        """
        if word in self._function_words or len(asked := letters(word)) < STEM:
            return ()
        found: dict[str, float] = {}
        for stem in {asked, _bare(asked)}:
            first = bisect_left(self._words, (stem[:STEM],))
            last = bisect_right(self._words, (stem[:STEM] + chr(0x10FFFF),))
            for spelt, other in self._words[first:last]:
                if other != word and other not in self._function_words:
                    found[other] = max(found.get(other, 0.0), self._likeness(stem, spelt))
        likely = [RelatedForm(*one) for one in found.items() if one[1] >= RELATED]
        others = [one for one in likely if not self._is_spelling(word, one.word)]
        return tuple(sorted(others, key=lambda one: (-one.likeness, one.word)))

    def _is_spelling(self, word: str, other: str) -> bool:
        """Whether a word is another one with other accents, or spelt in another way: it is found
        as that."""
        return letters(word) == letters(other) or any(
            spellings([word], language) == bare_spellings([other], language)
            for language in self._languages
        )

    def is_form(self, word: str, other: str) -> bool:
        """Whether another word is a form of one; neither need be in the vocabulary.

        Args:
            word, other: normalised.
        """
        spelt = letters(other)
        likeness = self._likeness(letters(word), spelt)
        return likeness >= RELATED and not self._is_spelling(word, other)

    def of_phrase(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """A term with some of its words in related forms, the likeliest first, at most `FORMS`.

        Args:
            words: normalised.

        >>> from searcher.terms.vocabulary import of_words
        >>> forms = RelatedForms(of_words("die häuser des alten hauses im wald".split()))
        >>> forms.of_phrase(["haus"]), forms.of_phrase(["im", "walde"])
        ([('hauses',), ('häuser',)], [('im', 'wald')])
        """
        of_each = [[RelatedForm(word, 1.0), *self.of_word(word)] for word in words]
        most = max(2, round(FORMS ** (1 / max(1, sum(len(one) > 1 for one in of_each)))) + 1)
        ways = sorted(
            product(*(one[:most] for one in of_each)),
            key=lambda one: -math.prod(form.likeness for form in one),
        )
        phrases = [tuple(form.word for form in one) for one in ways]
        return [one for one in phrases if one != tuple(words)][:FORMS]

    def _likeness(self, word: str, other: str) -> float:
        """How likely another word is a form of one, both as letters; 0: it is none."""
        if word == other:
            return 1.0
        shared, first = _in_common(word, other)
        own, ending = word[first:], other[first:]
        alike = 2 * shared / (len(word) + len(other))
        if alike < COMMON_SHARE or len(own) > ENDING // 2 or len(ending) > ENDING:
            return 0.0
        parts = (ending[i:] for i in range(3) if len(ending) - i >= PART)
        if any(part in self._known for part in (*parts, *([own] if len(own) == STEM else []))):
            return 0.0  # a compound, as hausbank and königssohn are, and rathaus
        if shared >= LONG and alike >= SURE_SHARE:
            return alike
        exchanged = len(word) - shared
        is_guess = exchanged <= max(1, len(word) // 4) and (exchanged < 2 or alike >= SURE_SHARE)
        guess = GUESSED * alike**self._doubt if is_guess else 0.0
        both_ways = self._pairs(own, ending, other), self._pairs(ending, own, word)
        return max(
            (pairs + guess) / (n + GUESSED) if is_guess or pairs >= PAIRS else 0.0
            for n, pairs in both_ways
        )

    def _pairs(self, own: str, ending: str, other: str) -> tuple[int, int]:
        """How many words have an ending, and how many of them also the other one.

        Args:
            own: the ending of the word that is asked for.
            ending: the ending of the other word.
            other: this word, which does not count.
        """
        first = bisect_left(self._backwards, ending[::-1])
        last = bisect_right(self._backwards, ending[::-1] + chr(0x10FFFF))
        step = max(1, (last - first) // SAMPLE)
        stems = [
            spelt[: len(spelt) - len(ending)]
            for spelt in (one[::-1] for one in self._backwards[first:last:step])
            if len(spelt) >= STEM + len(ending) and spelt != other
        ]
        return len(stems), sum(stem + own in self._known for stem in stems)


def letters(word: str) -> str:
    """The letters of a word without accents; of Hangul those that a syllable is made of.

    >>> letters("häuser"), len(letters("서울"))
    ('hauser', 5)
    """
    return word if word.isascii() else unicodedata.normalize("NFD", folded(word))


def _in_common(word: str, other: str) -> tuple[int, int]:
    """How many letters two words begin with alike, and where the first is another.

    One consonant behind the stem may alternate: it is another letter, and yet in common.
    """
    same = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        same += 1
    if same < STEM or same >= len(word) or same >= len(other):
        return same, same
    tail, tail_of_other = word[same:].translate(_ALTERNATING), other[same:].translate(_ALTERNATING)
    if tail[0] != tail_of_other[0] or len(other) == same + 1:
        return same, same
    shared = same + 1
    for a, b in zip(word[same + 1 :], other[same + 1 :], strict=False):
        if a != b:
            break
        shared += 1
    return shared, same


def _bare(spelt: str) -> str:
    """A word without the particles that Arabic and Hebrew write to it."""
    return _PARTICLES.sub("", spelt) if _HAS_PARTICLES.search(spelt) else spelt
