"""Test the probabilities of an archive without a reference.

unwritten_words    words that the recogniser knows and never wrote, although it often wrote others
with their stem
check              the expected number of their hits, which should be near 0
check_archive      both, for stores

If a recogniser knows a word and wrote it nowhere, not even as a poor alternative, the word was most
probably never said. Then no hit of it is right, and the sum of its probabilities should be near 0.
Sums become too high first in speech about related subjects, where the recogniser wrote similar
words. A few of the words may have been said, so a small sum is no evidence of an error.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

import numpy as np

from searcher.api import open_index
from searcher.calibration.model import Model
from searcher.terms.vocabulary import read
from std.config import Config
from std.errors import StdError
from std.store.columns import Int64s
from std.values import Float64s, Term

WORDS = 200  # searched at most
LEAST_LETTERS = 8  # of a word
STEM_LETTERS, ENDING = 5, 3  # a stem: all but the last three letters, five at least
OFTEN = 10  # words of the stem that the index has, at least
LIKELY = 0.5
A_WORD = 0.5  # mean expected hits of a word up to which probabilities count as right
MANY_RESEMBLING = 5.0  # expected hits of one word above which its probabilities count as wrong
NAMED = 10  # words with most expected hits


class Unwritten(NamedTuple):
    """A word that the index lacks."""

    word: str
    siblings: int  # count of words with its stem in the index, alternatives included


class CheckedWord(NamedTuple):
    """The result of searching such a word."""

    word: str
    siblings: int
    expected: float  # sum of the probabilities of its hits
    likely: int  # hits from probability .5 up


class ArchiveCheck(NamedTuple):
    """The result of the test."""

    words: int  # that were searched
    hours: float  # of speech
    expected: float  # sum of the probabilities of all hits; no hit should be right
    likely: int  # hits from probability .5 up
    many: int  # words with more than 5 expected hits
    most: tuple[CheckedWord, ...]  # words with most expected hits, the first ones

    @property
    def hold(self) -> bool:
        """Whether the probabilities of such words are right."""
        return self.expected <= A_WORD * self.words and not self.many


def unwritten_words(
    vocabulary: Iterable[str], counts: Mapping[str, int], most: int = WORDS
) -> list[Unwritten]:
    """The words whose stems the index has most often, most often first.

    Args:
        vocabulary: words that the recogniser knows, normalised as the index is.

    >>> unwritten_words(["hoffnungslos", "zerbrechlich"], {"hoffnungsvoll": 40, "hoffnung": 9})
    [Unwritten(word='hoffnungslos', siblings=40)]
    """
    written = sorted(counts)
    before = [0, *accumulate(counts[word] for word in written)]
    found = []
    for word in {*vocabulary}:
        if len(word) < LEAST_LETTERS or word in counts or not _is_of_letters(word):
            continue
        stem = word[: max(STEM_LETTERS, len(word) - ENDING)]
        first, last = bisect_left(written, stem), bisect_left(written, stem + chr(0x10FFFF))
        siblings = before[last] - before[first]
        if siblings >= OFTEN:
            found.append(Unwritten(word, siblings))
    return sorted(found, key=lambda one: (-one.siblings, one.word))[:most]


def _is_of_letters(word: str) -> bool:
    """Whether a word has only letters, the vowel signs of Indic scripts among them."""
    return word.isalpha() or all(one.isalpha() or category(one)[0] == "M" for one in word)


def check(
    words: Sequence[Unwritten], hours: float, row: Int64s, probability: Float64s
) -> ArchiveCheck:
    """Evaluate the hits of words that were probably never said.

    Args:
        row: (n,) of each hit, that of its word.
        probability: (n,)
    """
    expected = np.bincount(row, probability, len(words))
    likely = np.bincount(row[probability >= LIKELY], minlength=len(words))
    each = [
        CheckedWord(*word, float(total), int(n))
        for word, total, n in zip(words, expected, likely, strict=True)
    ]
    return ArchiveCheck(
        len(words),
        hours,
        float(expected.sum()),
        int(likely.sum()),
        int((expected > MANY_RESEMBLING).sum()),
        tuple(sorted(each, key=lambda one: (-one.expected, one.word))[:NAMED]),
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
        terms = [Term(str(row), one.word) for row, one in enumerate(words)]
        result = index.search_terms(terms, advance=advance)
        hours = index.distinct_speech_s / 3600
    # Words that are written in another spelling (l'anniversaire) are known to the search.
    unwritten = np.array([bool(lacking) for lacking in result.oov_words], bool)
    if not unwritten.any():
        raise StdError(
            f"{words_path}: expected words that the index does not have, of stems that it has "
            f"at least {OFTEN} times, got none among {len(known):,} words"
        )
    searched = [one for one, lacks in zip(words, unwritten.tolist(), strict=True) if lacks]
    of_searched = unwritten[result.candidates.term]
    row = (np.cumsum(unwritten) - 1)[result.candidates.term[of_searched]]
    return check(searched, hours, row, result.probability[of_searched])
