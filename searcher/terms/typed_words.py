"""The words of an index that a typed word stands for.

typed_words        words of terms --> the words of the index that each stands for, if it is typed
                   in another way than the index has it (`std.languages.spelling`)
looked_up          words of a term --> the same without brackets around unknown ones
same_words         words of terms --> all spellings of each in the index, if there are others, also
                   with an article or an ending (`std.languages.spelling`)
found_spellings    these spellings --> the spellings in which a search finds the word
other_spellings    counts of words by language --> the other spellings of a word, with counts

    people.    people      punctuation around a word, unless the index has it
    u.s        u.s.        in an index of an earlier version, which kept full stops
    razon      razón       missing accents, for typed terms
    sábio      sabio       accents, if the recogniser writes none

The words of a vocabulary that are not plain are found once per segment and cached.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from searcher.terms.vocabulary import row_of
from searcher.terms.wildcards import is_wildcard
from std.languages.spelling import (
    all_typed_as,
    attached,
    bare_spellings,
    folded,
    has_spellings,
    is_another_letter,
    may_stand_for,
    spellings,
    typed_as,
)
from std.store import Segment
from std.text import bare

MAX_ACCENTED = 1e-3  # share of a vocabulary up to which its recogniser counts as writing no accents

Respelt = Mapping[str, tuple[str, ...]]  # spelling -> other words with it

_respelt_words: WeakKeyDictionary[Segment, tuple[str, Respelt]] = WeakKeyDictionary()


class _Table(NamedTuple):
    """The words of a segment by their typed forms."""

    with_stops: dict[str, list[str]]
    accented: dict[str, list[str]]


class Typed(NamedTuple):
    """A vocabulary with its words by their typed forms."""

    words: Sequence[str]  # ascending
    table: _Table


_tables: WeakKeyDictionary[Segment, _Table] = WeakKeyDictionary()


def looked_up(words: Sequence[str], has: Callable[[str], object]) -> tuple[str, ...]:
    """The words of a term, without brackets around words that the index lacks.

    Otherwise an unknown word in brackets would not be split, and its brackets would count as
    letters.

    >>> looked_up(("(burg)", "(so)", "robo*"), {"(so)"}.__contains__)
    ('burg', '(so)', 'robo*')
    """
    return tuple(word if has(word) else word.strip("()[]{}<>") or word for word in words)


def typed_words(
    words: Iterable[str], segments: Sequence[Segment], language: str, *, fold: bool
) -> dict[str, tuple[str, ...]]:
    """The other words that words stand for.

    Args:
        words: the words of terms, normalised. Those with ``*`` are left out.
        fold: whether accents may be left out.
    """
    vocabularies = [Typed(segment.words(), _table(segment)) for segment in segments]
    found = {}
    for word in sorted({word for word in words if not is_wildcard(word)}):
        if others := typed_in(word, vocabularies, language, fold=fold):
            found[word] = tuple(sorted(others))
    return found


def typed_in(word: str, vocabularies: Sequence[Typed], language: str, *, fold: bool) -> set[str]:
    """The other words that a word stands for; arguments as in `typed_words`."""
    tables = [one.table for one in vocabularies]
    is_known = _is_known(word, vocabularies)
    others = {other for table in tables for other in table.with_stops.get(word, ())}
    core = word if is_known or others else _without_punctuation(word, vocabularies)
    if core != word and _is_known(core, vocabularies):
        others.add(core)
        is_known = True
    if not fold:
        return others
    plain = folded(core)
    candidates = {plain}.union(*(table.accented.get(plain, ()) for table in tables))
    others |= {
        other
        for other in candidates - {word}
        if may_stand_for(core, other)
        and _is_known(other, vocabularies)
        and not (is_known and is_another_letter(core, other, language))
    }
    if plain != core and not (is_known or others):
        others |= _unaccented(core, vocabularies)
    return others


def _without_punctuation(word: str, vocabularies: Sequence[Typed]) -> str:
    """A word without signs around it, except an apostrophe that the vocabulary has before it."""
    core = bare(word) or word
    elided = f"'{core}"  # 'n, 'tis
    is_elided = elided in word and not _is_known(core, vocabularies)
    return elided if is_elided and _is_known(elided, vocabularies) else core


def _unaccented(word: str, vocabularies: Sequence[Typed]) -> set[str]:
    """A word without its accents, if the recogniser writes none."""
    accented = sum(len(one.table.accented) for one in vocabularies)
    if accented > MAX_ACCENTED * sum(len(one.words) for one in vocabularies):
        return set()
    return {one for one in typed_as(word) if _is_known(one, vocabularies)}


def _is_known(word: str, vocabularies: Sequence[Typed]) -> bool:
    return any(row_of(word, one.words) is not None for one in vocabularies)


def _table(segment: Segment) -> _Table:
    known = _tables.get(segment)
    if known is None:
        known = _tables[segment] = table_of(segment.words())
    return known


def table_of(vocabulary: Sequence[str]) -> _Table:
    """The words that people type differently, by their typed forms.

    >>> table_of(["razón", "si", "u.s."])
    _Table(with_stops={'u.s': ['u.s.']}, accented={'razon': ['razón']})
    """
    table = _Table({}, {})
    for word in [word for word in vocabulary if word.endswith(".") and len(word) > 2]:
        table.with_stops.setdefault(word.rstrip("."), []).append(word)
    accented = [word for word in vocabulary if not word.isascii()]
    for word, spelt in zip(accented, all_typed_as(accented), strict=True):
        for typed in spelt - {word}:
            table.accented.setdefault(typed, []).append(word)
    return table


def same_words(
    words: Iterable[str], segments: Sequence[Segment], language: str
) -> dict[str, tuple[str, ...]]:
    """All spellings of words with other spellings in the vocabulary: the recogniser knows these.

    Returns:
        for each such word its spellings in the index, ascending, and the word itself.
    """
    if not has_spellings(language):
        return {}
    asked = sorted({word for word in words if not is_wildcard(word)})
    tables = [_respelt(segment, language) for segment in segments]
    found = {}
    for word, spelling in zip(asked, spellings(asked, language), strict=True):
        same = {word, spelling}.union(*(table.get(spelling, ()) for table in tables))
        if same != {word}:
            found[word] = tuple(sorted(same))
    return found


def found_spellings(
    same: Mapping[str, Iterable[str]], language: str, *, with_article: bool
) -> dict[str, tuple[str, ...]]:
    """The spellings in which a search finds words: not with an ending, which makes a form.

    Args:
        same: for each word its spellings, as `same_words` has them.
        with_article: whether a word with an elided article counts as the word: for a person it
            does, but an evaluation compares the texts between blanks.

    >>> same = {"homme": ("homme", "l'homme"), "coeur": ("coeur", "cœur")}
    >>> found_spellings(same, "fr", with_article=False)
    {'homme': ('homme',), 'coeur': ('coeur', 'cœur')}
    """
    if with_article and attached(language) == "article":
        return {word: tuple(others) for word, others in same.items()}
    found = {}
    for word, others in same.items():
        (own,), every = spellings([word], language), tuple(others)
        alike = zip(every, spellings(every, language), strict=True)
        found[word] = tuple(other for other, spelling in alike if spelling == own)
    return found


def other_spellings(
    counts: Mapping[str, Mapping[str, int]], *, with_article: bool | None
) -> Callable[[str], list[tuple[str, int]]]:
    """Prepare a function that finds the other spellings of a word.

    Args:
        counts: the count of each word, by the code of its language.
        with_article: see `found_spellings`; None: with an ending, too.

    Returns:
        A function from a word to its other spellings with their counts, ascending.

    >>> counts = {"fr": {"l'homme": 3, "les": 9}, "en": {"homme's": 1}}
    >>> [other_spellings(counts, with_article=one)("homme") for one in (True, False)]
    [[("l'homme", 3)], []]
    """
    tables = {
        language: respelt(list(of_words), language)
        for language, of_words in counts.items()
        if has_spellings(language)
    }

    def of_word(word: str) -> list[tuple[str, int]]:
        found: Counter[str] = Counter()
        for language, table in tables.items():
            (spelling,) = spellings([word], language)
            same: Iterable[str] = {spelling, *table.get(spelling, ())}
            if with_article is not None:
                same = found_spellings({word: same}, language, with_article=with_article)[word]
            others = counts[language].keys() & {*same} - {word}
            found.update({other: counts[language][other] for other in others})
        return sorted(found.items())

    return of_word


def _respelt(segment: Segment, language: str) -> Respelt:
    known = _respelt_words.get(segment)
    if known is None or known[0] != language:
        known = _respelt_words[segment] = language, respelt(segment.words(), language)
    return known[1]


def respelt(vocabulary: Sequence[str], language: str) -> Respelt:
    """The words of a vocabulary that differ from their spelling or bare spelling.

    >>> dict(respelt(["coeur", "cœur", "l'homme"], "fr"))
    {'coeur': ('cœur',), 'homme': ("l'homme",)}
    """
    table: dict[str, list[str]] = {}
    whole = spellings(vocabulary, language)
    bare = bare_spellings(whole, language)
    every = zip(vocabulary, whole, bare, strict=True)
    for word, *both in [one for one in every if not one[0] == one[1] == one[2]]:
        for spelling in {*both} - {word}:
            table.setdefault(spelling, []).append(word)
    return {spelling: tuple(words) for spelling, words in table.items()}
