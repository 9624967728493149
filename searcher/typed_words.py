"""The words of an index that a term's word stands for as people type it (`std.languages.folding`).

typed_words    words of terms --> of those that are typed in another way than the index has them,
               the words that they stand for

    people.    people      what stands around a word, where the index does not have it so
    u.s        u.s.        of an index that was made when full stops stayed
    razon      razón       accents that are left out, if a person asks
    sábio      sabio       accents, if the recogniser writes none

What a vocabulary has beside plain words is found out once for each segment and kept with it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from searcher.lexical.wildcards import is_wildcard
from std.languages.folding import folded, is_another_letter, may_stand_for, typed_as
from std.store import Segment
from std.text import bare

MAX_ACCENTED = 1e-3  # of a vocabulary, up to which its recogniser writes no accents


class _Table(NamedTuple):
    """The words of a segment by how people type them."""

    with_stops: dict[str, list[str]]
    accented: dict[str, list[str]]


_known: WeakKeyDictionary[Segment, _Table] = WeakKeyDictionary()


def typed_words(
    words: Iterable[str], segments: Sequence[Segment], language: str, *, fold: bool
) -> dict[str, tuple[str, ...]]:
    """Other words than they are that words stand for.

    Args:
        words: of terms, normalised. Those with ``*`` are left out.
        segments: in one language.
        language: its code.
        fold: whether accents may be left out.
    """
    found = {}
    for word in sorted({word for word in words if not is_wildcard(word)}):
        if others := _others(word, segments, language, fold=fold):
            found[word] = tuple(sorted(others))
    return found


def _others(word: str, segments: Sequence[Segment], language: str, *, fold: bool) -> set[str]:
    is_known = _is_known(word, segments)
    tables = [_table(segment) for segment in segments]
    others = {other for table in tables for other in table.with_stops.get(word, ())}
    core = word if is_known or others else bare(word) or word
    if core != word:
        others.add(core)
        is_known = _is_known(core, segments)
    if not fold:
        return others
    plain = folded(core)
    if core.isascii():
        candidates = {other for table in tables for other in table.accented.get(core, ())}
    else:
        candidates = {plain}.union(*(table.accented.get(plain, ()) for table in tables))
    others |= {
        other
        for other in candidates - {word}
        if may_stand_for(core, other)
        and not (is_known and is_another_letter(core, other, language))
    }
    if plain != core and not (is_known or _are_known(others, segments)):
        others |= _unaccented(core, segments, tables)
    return others


def _unaccented(word: str, segments: Sequence[Segment], tables: Sequence[_Table]) -> set[str]:
    """A word without its accents, if the recogniser writes none."""
    accented = sum(len(table.accented) for table in tables)
    if accented > MAX_ACCENTED * sum(len(segment.words()) for segment in segments):
        return set()
    return {one for one in typed_as(word) if _is_known(one, segments)}


def _are_known(words: Iterable[str], segments: Sequence[Segment]) -> bool:
    return any(_is_known(word, segments) for word in words)


def _is_known(word: str, segments: Sequence[Segment]) -> bool:
    for segment in segments:
        vocabulary = segment.words()
        row = bisect_left(vocabulary, word)
        if row < len(vocabulary) and vocabulary[row] == word:
            return True
    return False


def _table(segment: Segment) -> _Table:
    known = _known.get(segment)
    if known is None:
        known = _known[segment] = table_of(segment.words())
    return known


def table_of(vocabulary: Iterable[str]) -> _Table:
    """The words that people type in other ways than they are, by these ways.

    >>> table_of(["razón", "si", "u.s."])
    _Table(with_stops={'u.s': ['u.s.']}, accented={'razon': ['razón']})
    """
    table = _Table({}, {})
    for word in vocabulary:
        if word[-1:] == "." and len(word) > 2:
            table.with_stops.setdefault(word.rstrip("."), []).append(word)
        if not word.isascii():
            for typed in typed_as(word) - {word}:
                table.accented.setdefault(typed, []).append(word)
    return table
