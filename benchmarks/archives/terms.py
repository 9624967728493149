"""What is asked for in a simulated archive, by classes.

    known       the recogniser knows the word; by times said, to the nearest power of ten
    phrase      two known words, likewise
    name        not known, heard as several mishearings; by times said
    usual       known words that are never said nor written, by how often their siblings are said:
                words that begin with the same letters, all but the last three
    rare        unknown words that nobody says, by whether a word that is said every hour
                differs from them by two letters at most

The terms of each list are searched together, as a list of an evaluation is.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from benchmarks.archives.parts import Said
from benchmarks.archives.words import Ints
from std.languages.spelling import spellings

NAMES_SAID = (10, 100, 1000, 5000)
MISHEARD = 0.03  # share of a known word's places
OF_ALL = 0.01  # of the words are names of one kind at most
STEM_LETTERS, ENDING = 5, 3
OFTEN_AN_HOUR = 1
NEAR = 2  # letters that a sound-alike differs by
LEAST_LETTERS = 4  # of each word of a phrase
MOST, PLACES = 5, 2_000_000  # power of ten, and places of a class: what a search holds in memory


class Asked(NamedTuple):
    """A term."""

    kind: str  # list that it is searched in
    name: str  # class
    times: int  # 0: never said; else the class's times
    phrase: tuple[int, ...]  # rows of the words


def times_of_names(n_words: int, n_names: int) -> list[int]:
    """How often each name is said: as many of each, as far as the archive has room."""
    fitting = [times for times in NAMES_SAID if times <= OF_ALL * n_words] or [1]
    times = []
    for i in range(n_names):
        times.append(fitting[i % len(fitting)])
        if sum(times) > len(fitting) * OF_ALL * n_words:
            return times[:-1]
    return times


def asked(said: Said, n: int, seed: int, language: str) -> Iterator[Asked]:
    """The terms.

    Known words that are heard where unknown ones are said, in more than a few of a hundred places,
    are not asked for: no recogniser's posteriors could be right. Nor are words and names
    that the vocabulary has in another spelling, too (*muß*, *muss*; *gruende*, which nobody says,
    and *gründe*): a search finds both.

    Args:
        said: what is said and heard.
        n: terms of each class at most.
        language: of the words, its code.
    """
    rng = np.random.default_rng((seed, 7))
    words, counts = said.words, said.counts
    of_spelling = Counter(spelt := spellings(words.words, language))
    is_only = np.array([of_spelling[spelling] == 1 for spelling in spelt])
    is_plain = words.known & (said.misheard <= MISHEARD * counts) & is_only
    letters = np.array([len(word) for word in words.words])
    single = np.flatnonzero(is_plain & (counts > 0))
    for times, rows in _by_times(counts[single], n, rng):
        for word in single[rows].tolist():
            yield Asked("known", f"known, said {times:,}", times, (word,))
    is_long = is_plain & (letters >= LEAST_LETTERS)
    first, second = np.divmod(said.pairs, len(words.words))
    pair = np.flatnonzero(is_long[first] & is_long[second])
    for times, rows in _by_times(said.pair_counts[pair], n, rng):
        for row in pair[rows].tolist():
            phrase = int(first[row]), int(second[row])
            yield Asked("phrase", f"phrase, said {times:,}", times, phrase)
    for name in words.names.tolist():
        times = int(counts[name])
        if times and is_only[name]:
            yield Asked("name", f"name, said {times:,}", times, (name,))
    usual, rare = (some[is_only[some]] for some in (words.absent_usual, words.absent_rare))
    for word, siblings in zip(usual.tolist(), _siblings(said, usual), strict=True):
        often = "often" if siblings >= OFTEN_AN_HOUR * said.hours else "seldom"
        yield Asked("usual", f"usual, never said; siblings {often}", 0, (word,))
    for word, near in zip(rare.tolist(), _sound_alikes(said, rare), strict=True):
        sound = "like a usual word" if near else "unlike"
        yield Asked("rare", f"rare, never said; {sound}", 0, (word,))


def _by_times(counts: Ints, n: int, rng: np.random.Generator) -> Iterator[tuple[int, Ints]]:
    """Rows of each power of ten; of those said very often fewer."""
    power = np.rint(np.log10(counts)).astype(int)
    for one in np.unique(power[power <= MOST]).tolist():
        n = min(n, PLACES // 10**one)
        yield 10**one, np.sort(rng.permutation(np.flatnonzero(power == one))[:n])


def _siblings(said: Said, some: Ints) -> list[int]:
    """How often words of the same stem are said."""
    texts = np.array(said.words.words)
    order = np.argsort(texts)
    ordered = texts[order]
    before = np.concatenate([[0], np.cumsum(said.counts[order])])
    found = []
    for word in texts[some].tolist():
        stem = word[: max(STEM_LETTERS, len(word) - ENDING)]
        low, high = np.searchsorted(ordered, [stem, stem + "\U0010ffff"])
        found.append(int(before[high] - before[low]))
    return found


def _sound_alikes(said: Said, some: Ints) -> Sequence[bool]:
    """Whether a word that is said often is spelt almost as each."""
    words = said.words
    usual = np.flatnonzero(words.known & (said.counts >= OFTEN_AN_HOUR * said.hours))
    texts = [words.words[row] for row in usual.tolist()]
    rare = [words.words[row] for row in some.tolist()]
    if not texts or not rare:
        return [False] * len(rare)
    distance = cdist(rare, texts, scorer=Levenshtein.distance, score_cutoff=NEAR, dtype=np.uint8)
    return (distance.min(axis=1) <= NEAR).tolist()
