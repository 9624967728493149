"""The words of an index that are a term's word in another spelling (`std.languages.spelling`).

same_words         words of terms --> of those with others in the index, all their spellings
other_spellings    counts of words by language --> a word's other spellings among them, counted

What a vocabulary has in other spellings is found out once for each segment and kept with it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from weakref import WeakKeyDictionary

from searcher.terms.wildcards import is_wildcard
from std.languages.spelling import bare_spellings, has_spellings, spellings
from std.store import Segment

Respelt = Mapping[str, tuple[str, ...]]  # spelling -> the words that have it and are others

_known: WeakKeyDictionary[Segment, tuple[str, Respelt]] = WeakKeyDictionary()


def same_words(
    words: Iterable[str], segments: Sequence[Segment], language: str
) -> dict[str, tuple[str, ...]]:
    """All spellings of words; only of those with others in the vocabulary than the word itself.

    Args:
        words: of terms, normalised. Those with ``*`` are left out.
        segments: in one language.
        language: its code.

    Returns:
        Of each such word its spellings in the index, ascending, and the word itself.
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


def other_spellings(
    counts: Mapping[str, Mapping[str, int]],
) -> Callable[[str], list[tuple[str, int]]]:
    """Prepare to tell which other words are a word in another spelling.

    Args:
        counts: how often each word occurs, by the code of its language.

    Returns:
        A function from a word to its other spellings and how often they occur, ascending.

    >>> other_spellings({"fr": {"l'homme": 3, "les": 9}, "en": {"homme's": 1}})("homme")
    [("l'homme", 3)]
    """
    tables = {
        language: respelt(list(of_words), language)
        for language, of_words in counts.items()
        if has_spellings(language)
    }

    def others(word: str) -> list[tuple[str, int]]:
        found: Counter[str] = Counter()
        for language, table in tables.items():
            (spelling,) = spellings([word], language)
            same = counts[language].keys() & {spelling, *table.get(spelling, ())} - {word}
            found.update({other: counts[language][other] for other in same})
        return sorted(found.items())

    return others


def _respelt(segment: Segment, language: str) -> Respelt:
    known = _known.get(segment)
    if known is None or known[0] != language:
        known = _known[segment] = language, respelt(segment.words(), language)
    return known[1]


def respelt(vocabulary: Sequence[str], language: str) -> Respelt:
    """The words of a vocabulary whose spelling, or bare spelling, is another than they are.

    >>> dict(respelt(["coeur", "cœur", "l'homme"], "fr"))
    {'coeur': ('cœur',), 'homme': ("l'homme",)}
    """
    table: dict[str, list[str]] = {}
    whole, bare = spellings(vocabulary, language), bare_spellings(vocabulary, language)
    for word, *both in zip(vocabulary, whole, bare, strict=True):
        for spelling in dict.fromkeys(both):
            if spelling != word:
                table.setdefault(spelling, []).append(word)
    return {spelling: tuple(words) for spelling, words in table.items()}
