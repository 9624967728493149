"""Related forms: words of an index that are other forms of a word (haus: hauses, häuser).

    RelatedForms(vocabulary)  learns the endings of its words
        of_word               word -> its related forms, the likeliest first
        is_form               whether one word is a form of another
        of_phrase             words -> phrases with some words in other forms

Two words are related if they have a common beginning and the vocabulary exchanges their endings:
enough words with one ending become words of the index with the other. So "häuser" is a form of
"haus", as "kinder" of "kind" and "lichter" of "licht", but "haushalt" is not, because no other word
has a form in -halt. If few words have the ending, the share of common letters counts, with the
weight of `GUESSED` words. So small indexes guess and large ones learn. Inflections and derived
words are not distinguished, because a person wants to see both. The method is independent of
language, except for function words, which have no forms, for the particles that are attached to
words in Arabic and Hebrew, and for Turkish endings after an apostrophe.

The measure is that of paradigms by minimal pairs: Goldsmith 2001, "Unsupervised learning of the
morphology of a natural language"; the share of pairs, shrunk to a guess, is ours.
"""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import chain, product
from typing import NamedTuple

from searcher.terms.vocabulary import Vocabulary
from std.function_words import FUNCTION_WORDS
from std.languages.spelling import attached, bare_spellings, folded_words, spellings

STEM = 3  # least common letters of related words
LAST = 3  # letters by which words are found from their ends
ENDING = 6  # most letters after these; half of that for the given word
COMMON_SHARE = 0.6  # least share of common letters
SURE_SHARE = 0.75  # the same, for a guess of two exchanged letters or for a long stem
LONG = 8  # common letters that are not by chance
GUESSED = 3.0  # weight of a guess, in words
RELATED = 0.2  # least share of words with both endings for forms
PAIRS = 3  # words that must have both endings if a guess would be wrong
SAMPLE = 1000  # examined words with an ending
COMPOUND_LETTERS = 4  # letters of a word that forms a compound, not an ending
FORMS = 50  # of a term at most
KEPT = 10_000  # words with cached forms
KEPT_ENDINGS = 1000  # with cached words

# Consonants that a stem exchanges before an ending (Helsinki: Helsingissä; wolf: wolves).
_ALTERNATING = str.maketrans("gdbvzf", "ktppsp")
_PARTICLES = re.compile(
    r"^(?:[وف]?(?:[بكل]?ال|لل|[بكلس]?)(?=[\u0620-\u06ff]{3})|[ושכ]?[בלמכ]?ה?(?=[א-ת]{3}))"
)
_DIGIT = re.compile(r"\d")
_HAS_PARTICLES = re.compile("[\u05d0-\u05ea\u0620-\u06ff]")


class RelatedForm(NamedTuple):
    """A related form of a word."""

    word: str
    likeness: float  # share of words with both endings, 0 to 1


class RelatedForms:
    """The related forms among the words of a vocabulary, learned at the first use."""

    def __init__(
        self, vocabulary: Vocabulary, languages: Collection[str] = (), *, exact: bool = False
    ) -> None:
        """Store the words.

        Args:
            exact: whether a search finds only the spelling of the term.
        """
        self._vocabulary, self._languages, self._exact = vocabulary, languages, exact
        lists = (FUNCTION_WORDS.get(language, "") for language in languages)
        self._function_words = frozenset(word for words in lists for word in words.split())
        self.of_word = lru_cache(KEPT)(self._of_word)
        self._words_with = lru_cache(KEPT_ENDINGS)(self._words_in)

    @cached_property
    def _spelt(self) -> list[tuple[str, str]]:
        """The letters of each word with the word, also without particles."""
        every = self._vocabulary.words
        words = [word for word in every if word.isalpha() or not _DIGIT.search(word)]
        spelt = [*zip(all_letters(words), words, strict=True)]
        others = [one for one in spelt if not one[0].isascii()]
        return spelt + [(bare, word) for one, word in others if (bare := _bare(one)) != one]

    @cached_property
    def _by_stem(self) -> Mapping[str, list[tuple[str, str]]]:
        """The same by their first letters."""
        by_stem = defaultdict(list)
        for one in self._spelt:
            by_stem[one[0][:STEM]].append(one)
        return by_stem

    @cached_property
    def _known(self) -> Mapping[str, None]:
        """All letters of words, in the order of `_spelt`."""
        return dict.fromkeys(letters for letters, _ in self._spelt)

    @cached_property
    def _doubt(self) -> float:
        """The weight of a guess, which falls with the number of words that could be evidence."""
        return 1 + math.log10(len(self._known) + 1)

    @cached_property
    def _by_last(self) -> Mapping[str, list[str]]:
        """These by their last letters."""
        by_last: dict[str, list[str]] = defaultdict(list)
        for spelt in self._known:
            by_last[spelt[-LAST:]].append(spelt)
        return by_last

    def _words_in(self, ending: str) -> list[str]:
        """Words with an ending, about `SAMPLE` of them if there are many more."""
        if len(ending) < LAST:
            lists = (words for last, words in self._by_last.items() if last.endswith(ending))
            found = [*chain.from_iterable(lists)]
        else:
            some = self._by_last.get(ending[-LAST:], ())
            found = [one for one in some if one.endswith(ending)]
        return found[:: max(1, len(found) // SAMPLE)]

    def _of_word(self, word: str) -> tuple[RelatedForm, ...]:
        """The related forms of a word, the likeliest first.

        Args:
            word: normalised; it need not be in the vocabulary.
        """
        if word in self._function_words or len(asked := letters(word)) < STEM:
            return ()
        found: dict[str, float] = {}
        for stem in {asked, _bare(asked)}:
            for spelt, other in self._by_stem.get(stem[:STEM], ()):
                if other != word and other not in self._function_words:
                    with_ending = "'" in other and self._has_ending(word, other)
                    likeness = 1.0 if with_ending else self._likeness(stem, spelt)
                    found[other] = max(found.get(other, 0.0), likeness)
        likely = [RelatedForm(*one) for one in found.items() if one[1] >= RELATED]
        others = [one for one in likely if not self._is_spelling(word, one.word)]
        return tuple(sorted(others, key=lambda one: (-one.likeness, one.word)))

    def _is_spelling(self, word: str, other: str) -> bool:
        """Whether two words differ only in accents or spelling; a search finds both anyway."""
        return not self._exact and (
            letters(word) == letters(other)
            or any(
                spellings([word], one) == spellings([other], one)
                or (attached(one) == "article" and _is_bare(word, other, one))
                for one in self._languages
            )
        )

    def _has_ending(self, word: str, other: str) -> bool:
        """Whether another word is one with an ending after an apostrophe (istanbul'da)."""
        return any(
            attached(one) == "ending" and _is_bare(word, other, one) for one in self._languages
        )

    def is_form(self, word: str, other: str) -> bool:
        """Whether another word is a form of one; neither need be in the vocabulary.

        Args:
            word, other: normalised.
        """
        spelt = letters(other)
        likeness = self._likeness(letters(word), spelt)
        is_form = likeness >= RELATED or ("'" in other and self._has_ending(word, other))
        return is_form and not self._is_spelling(word, other)

    def of_phrase(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """A term with some of its words in related forms, the likeliest first, at most `FORMS`.

        >>> from searcher.terms.vocabulary import of_counts
        >>> forms = RelatedForms(of_counts({"häuser": 1, "alten": 1, "hauses": 1, "wald": 1}))
        >>> forms.of_phrase(["haus"]), forms.of_phrase(["im", "walde"])
        ([('hauses',), ('häuser',)], [('im', 'wald')])
        """
        best: list[tuple[float, tuple[int, ...], tuple[str, ...]]] = [(-1.0, (), ())]
        for word in words:  # the best of the words so far: of all, there are thousands of millions
            ways = enumerate((RelatedForm(word, 1.0), *self.of_word(word)))
            best = nsmallest(
                FORMS + 1,
                (
                    (less * form.likeness, (*chosen, i), (*phrase, form.word))
                    for (less, chosen, phrase), (i, form) in product(best, ways)
                ),
            )
        phrases = [phrase for _, _, phrase in best]
        return [one for one in phrases if one != tuple(words)][:FORMS]

    def _likeness(self, word: str, other: str) -> float:
        """The probability that a word is a form of another, both as letters; 0: not a form."""
        if word == other:
            return 1.0
        shared, first = _in_common(word, other)
        own, ending = word[first:], other[first:]
        alike = 2 * shared / (len(word) + len(other))
        if alike < COMMON_SHARE or len(own) > ENDING // 2 or len(ending) > ENDING:
            return 0.0
        parts = (ending[i:] for i in range(3) if len(ending) - i >= COMPOUND_LETTERS)
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
        """The number of words with an ending, and of those that also have the other one.

        Args:
            own: the ending of the given word.
            ending: the ending of the other word.
            other: this word, which does not count.
        """
        stems = [
            spelt[: len(spelt) - len(ending)]
            for spelt in self._words_with(ending)
            if len(spelt) >= STEM + len(ending) and spelt != other
        ]
        return len(stems), sum(stem + own in self._known for stem in stems)


def letters(word: str) -> str:
    """The letters of a word without accents; Hangul syllables as their letters.

    >>> letters("häuser"), len(letters("서울"))
    ('hauser', 5)
    """
    return all_letters([word])[0]


def all_letters(words: Sequence[str]) -> list[str]:
    """The letters of many words, see `letters`."""
    text = unicodedata.normalize("NFD", "\n".join(folded_words(words)))
    return text.split("\n") if words else []


def _in_common(word: str, other: str) -> tuple[int, int]:
    """The number of common first letters of two words, and the position of the first difference.

    One consonant after the stem may alternate; it counts as common.
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
    """A word without attached Arabic or Hebrew particles."""
    return _PARTICLES.sub("", spelt) if _HAS_PARTICLES.search(spelt) else spelt


def _is_bare(word: str, other: str, language: str) -> bool:
    """Whether a word equals another one without the particle that its language attaches."""
    return spellings([word], language) == bare_spellings(spellings([other], language), language)
