"""Test the probabilities of an archive without a reference.

unwritten_words    words that the recogniser knows and never wrote, although it often wrote others
                   with their stem (siblings), or a part of them as a word (compounds)
check              the expected number of their hits, which should be near 0
check_archive      both, for stores

If a recogniser knows a word and wrote it nowhere, not even as an unlikely alternative, the word was
most probably never said. Then no hit of it is right, and the sum of its probabilities should be
near 0. Sums become too high first in speech about related subjects, where the recogniser wrote
similar words. A few of the words may have been said, so a small sum is no evidence of an error.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import accumulate
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from unicodedata import category

import numpy as np

from searcher.api import Index, open_index
from searcher.calibration.model import Model
from searcher.terms.vocabulary import read
from std.config import Config
from std.errors import StdError
from std.values import Float64s, Int64s, Term

WORDS = 200  # of each kind, searched at most
LEAST_LETTERS = 8  # of a word
STEM_LETTERS, ENDING_LETTERS = 5, 3  # a stem: all but the last three letters, five at least
PART_SHARE = 1 / 2, 2 / 3  # share of a compound's letters that its part has, at least and at most
OFTEN = 10  # words of the stem that the index has, at least; or of the part
# The longer a part, the more of its places sound like the compound: of the 400 words that are
# taken in two archives of 92 h, 24 had more than five expected hits, as 54 of all 7,000 had.
POWER = 6  # of the part's letters, times its count: which compounds are taken
LIKELY = 0.5
A_WORD = 0.5  # mean expected hits of a word up to which probabilities count as right
MANY_RESEMBLING = 5.0  # expected hits of one word above which its probabilities count as wrong
NAMED = 10  # words with most expected hits


Kind = Literal["sibling", "compound"]


class Unwritten(NamedTuple):
    """A word that the index lacks."""

    word: str
    siblings: int  # count of words with its stem in the index, or of its part; with alternatives
    part: str = ""  # of a compound

    @property
    def kind(self) -> Kind:
        """The reason for choosing the word: frequent words with its stem, or a part of it."""
        return "compound" if self.part else "sibling"


class CheckedWord(NamedTuple):
    """The result of searching such a word."""

    word: str
    siblings: int
    expected: float  # sum of the probabilities of its hits
    likely: int  # hits from probability .5 up
    kind: Kind
    part: str  # of a compound


class CheckedKind(NamedTuple):
    """The result for all words of one kind."""

    kind: Kind
    words: int
    expected: float
    likely: int
    many: int


class ArchiveCheck(NamedTuple):
    """The result of the test."""

    words: int  # that were searched
    hours: float  # of speech
    expected: float  # sum of the probabilities of all hits; no hit should be right
    likely: int  # hits from probability .5 up
    many: int  # words with more than 5 expected hits
    most: tuple[CheckedWord, ...]  # words with most expected hits, the first ones
    kinds: tuple[CheckedKind, ...]  # the same numbers for each kind of word

    @property
    def hold(self) -> bool:
        """Whether the probabilities of such words are right, of whatever kind."""
        return all(one.expected <= A_WORD * one.words and not one.many for one in self.kinds)


def unwritten_words(
    vocabulary: Iterable[str], counts: Mapping[str, int], most: int = WORDS
) -> list[Unwritten]:
    """The words whose stems the index has most often, most often first; then compounds.

    Args:
        vocabulary: words that the recogniser knows, normalised as the index is.
        counts: how often the index has each word.
        most: the largest number of words of each kind.

    >>> counts = {"hoffnungsvoll": 40, "hoffnung": 9, "regierung": 60}
    >>> unwritten_words(["hoffnungslos", "zerbrechlich", "bundesregierung"], counts)
    ... # doctest: +NORMALIZE_WHITESPACE
    [Unwritten(word='hoffnungslos', siblings=40, part=''),
     Unwritten(word='bundesregierung', siblings=60, part='regierung')]
    """
    written = sorted(counts)
    before = [0, *accumulate(counts[word] for word in written)]
    asked = {
        word
        for word in {*vocabulary}
        if len(word) >= LEAST_LETTERS and word not in counts and _is_of_letters(word)
    }

    def with_stem(word: str) -> Unwritten:
        stem = word[: max(STEM_LETTERS, len(word) - ENDING_LETTERS)]
        first, last = bisect_left(written, stem), bisect_left(written, stem + chr(0x10FFFF))
        return Unwritten(word, before[last] - before[first])

    often = (one for one in map(with_stem, asked) if one.siblings >= OFTEN)
    siblings = nsmallest(most, often, key=lambda one: (-one.siblings, one.word))
    others = asked.difference(one.word for one in siblings)
    compounds = (one for word in others if (one := _as_compound(word, counts)))
    return siblings + nsmallest(
        most, compounds, key=lambda one: (-one.siblings * len(one.part) ** POWER, one.word)
    )


def _as_compound(word: str, counts: Mapping[str, int]) -> Unwritten | None:
    """A word with its longest part that the index has often, at its end or its beginning."""
    least, most = PART_SHARE
    for n in range(int(most * len(word)), ceil(least * len(word)) - 1, -1):
        part = max(word[-n:], word[:n], key=lambda one: counts.get(one, 0))
        if counts.get(part, 0) >= OFTEN:
            return Unwritten(word, counts[part], part)
    return None


def _is_of_letters(word: str) -> bool:
    """Whether a word has only letters, the vowel signs of Indic scripts among them."""
    return word.isalpha() or all(one.isalpha() or category(one)[0] == "M" for one in word)


def check(
    words: Sequence[Unwritten], hours: float, row: Int64s, probability: Float64s
) -> ArchiveCheck:
    """Evaluate the hits of words that were probably never said.

    Args:
        row: (n,) the row of each hit's word.
        probability: (n,)
    """
    expected = np.bincount(row, probability, len(words))
    likely = np.bincount(row[probability >= LIKELY], minlength=len(words))
    each = [
        CheckedWord(word.word, word.siblings, float(total), int(n), word.kind, word.part)
        for word, total, n in zip(words, expected, likely, strict=True)
    ]
    of_kinds = {kind: [one for one in each if one.kind == kind] for kind in get_args(Kind)}
    return ArchiveCheck(
        len(words),
        hours,
        float(expected.sum()),
        int(likely.sum()),
        int((expected > MANY_RESEMBLING).sum()),
        tuple(sorted(each, key=lambda one: (-one.expected, one.word))[:NAMED]),
        tuple(_of_kind(kind, some) for kind, some in of_kinds.items() if some),
    )


def _of_kind(kind: Kind, words: Sequence[CheckedWord]) -> CheckedKind:
    return CheckedKind(
        kind,
        len(words),
        sum(one.expected for one in words),
        sum(one.likely for one in words),
        sum(one.expected > MANY_RESEMBLING for one in words),
    )


def check_archive(
    *stores: str | PathLike[str],
    words_path: str | PathLike[str],
    config: Config | str | Path | None = None,
    model: Model | str | Path | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> ArchiveCheck:
    """Test an archive's probabilities by words that were most probably never said.

    Args:
        stores, config, model: see `searcher.open_index`.
        words_path: the words that the recogniser knows, ``word[<TAB>count]`` lines.
        advance: called with each share of the work that is done; the shares add up to 1.

    Raises:
        StdError: a store or a file cannot be read, or none of the words can be searched.

    For example::

        check = check_archive("INDEX", words_path="words.txt")
        print(check.expected, check.hold)
    """
    with open_index(*stores, config=config, model=model) as index:
        known = read(Path(words_path), index.config.text)
        written = index.vocabulary
        counts = dict(zip(written.words, written.counts.tolist(), strict=True))
        words = unwritten_words(known.words, counts)
        searched: list[Unwritten] = []
        rows, probabilities = [np.empty(0, np.int64)], [np.empty(0)]
        for kind in get_args(Kind):
            of_kind = [one for one in words if one.kind == kind]
            share = len(of_kind) / max(len(words), 1)
            lacking, row, probability = _searched(index, of_kind, advance, share)
            rows.append(row + len(searched))
            probabilities.append(probability)
            searched += lacking
        hours = index.distinct_speech_s / 3600
    if not searched:
        raise StdError(
            f"{words_path}: expected words that the index does not have, of stems or parts that it "
            f"has at least {OFTEN} times, got none among {len(known):,} words"
        )
    return check(searched, hours, np.concatenate(rows), np.concatenate(probabilities))


def _searched(
    index: Index, words: Sequence[Unwritten], advance: Callable[[float], None], share: float
) -> tuple[list[Unwritten], Int64s, Float64s]:
    """Search words of one kind as a list, which is judged as a whole.

    Args:
        share: the share of this search in all the work.

    Returns:
        the words that the index lacks in any spelling (l'anniversaire), and (n,) the row and the
        probability of each of their hits.
    """
    terms = [Term(str(row), one.word) for row, one in enumerate(words)]
    result = index.search_terms(terms, advance=lambda part: advance(part * share))
    unwritten = np.array([bool(lacking) for lacking in result.oov_words], bool)
    lacking = [one for one, lacks in zip(words, unwritten.tolist(), strict=True) if lacks]
    of_lacking = unwritten[result.candidates.term]
    row = (np.cumsum(unwritten) - 1)[result.candidates.term[of_lacking]]
    return lacking, row, result.probability[of_lacking]
