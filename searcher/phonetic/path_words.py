"""The words that stand where a query's phones fit: spelt alike, the same elsewhere.

    RecognisedWords     the words of an archive, and how often the recogniser wrote each
    path_words          the words on the path of each hit
    spelling            how much the term is spelt as they are
    are_units           whether several words stand together there more often than by chance
    by_chance           how often they would
    explained           how much too often paths stand there that have a word, or letters, in common

A word that the recogniser does not know becomes words that sound like it, other ones at each place
and seldom usual ones. Where one and the same word stands at many places, or words that stand
everywhere, they were probably said, and the term, a sibling of theirs, was not. How a term is spelt
is a second opinion on how it sounds: the phones of both are guessed by rules.

Source of the bit-parallel length: Hyyrö 2004, "Bit-parallel LCS-length computation revisited".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, log, prod

import numpy as np

from searcher.phonetic.alignment import AlignedHits
from std.values import Bools, Float64s

SAME = 8  # places at which a term may become the same word of another meaning
SHARED = 2 / 3  # of a term's letters that a word of its stem has in a row
TOGETHER = 10.0  # times as often as by chance: words that stand together for one that is unknown
SURPRISE = 2.0  # nats, that they do so nevertheless

Paths = Sequence[tuple[str, ...]]  # the words of each hit


@dataclass(frozen=True, eq=False)
class RecognisedWords:
    """The words of an archive."""

    of_segment: tuple[Sequence[str], ...]  # of each segment, by word id
    counts: Mapping[str, int]  # live alternatives of each word in all segments

    @cached_property
    def total(self) -> int:
        """Live alternatives."""
        return sum(self.counts.values())


NO_WORDS = RecognisedWords((), {})


def path_words(hits: AlignedHits, words: RecognisedWords) -> Paths:
    """The words on the path of each hit.

    Args:
        hits: the hits of one query.
        words: the words of the segments that were searched.
    """
    return [
        tuple(words.of_segment[segment][word] for word in path if word >= 0)
        for segment, path in zip(hits.segment.tolist(), hits.paths.tolist(), strict=True)
    ]


def spelling(term: Sequence[str], paths: Paths) -> Float64s:
    """(n,) share of letters that the term and the words of each path have in common, in order.

    Twice the length of the longest common subsequence over the letters of both; 0 if the term has
    no letters.
    """
    letters = "".join(term)
    places: dict[str, int] = {}
    for i, letter in enumerate(letters):
        places[letter] = places.get(letter, 0) | 1 << i
    every = (1 << len(letters)) - 1

    @cache  # the same words stand at several places
    def share(path: tuple[str, ...]) -> float:
        other = "".join(path)
        rows = every
        for letter in other:
            matched = rows & places.get(letter, 0)
            rows = (rows + matched) | (rows - matched)
        common = len(letters) - (rows & every).bit_count()
        return 2 * common / max(len(letters) + len(other), 1)

    return np.array([share(path) for path in paths], np.float64)


def are_units(paths: Paths, words: RecognisedWords, slots: float) -> Bools:
    """(n,) whether each path is of several words that stand together there, and not by chance.

    Then something was said that the recogniser does not know and heard alike each time: no false
    alarm of the phones stands at the same words again and again. Words that the archive does not
    have, as those of a segment without phones or in another spelling, make no unit.

    Args:
        paths: the paths of a term's places.
        words: the words of the archive.
        slots: the slots of the archive, at which they stand.
    """
    units = set()
    for path, number in Counter(paths).items():
        if len(path) > 1 < number:
            most = TOGETHER * by_chance(path, words, slots)
            if 0 < most < number and number * log(number / most) - number + most > SURPRISE:
                units.add(path)
    return np.array([path in units for path in paths], bool)


def by_chance(path: tuple[str, ...], words: RecognisedWords, slots: float) -> float:
    """How often words stand together if they stand anywhere, each as often as it does.

    Args:
        path: the words.
        words: the words of the archive.
        slots: the slots of the archive, at which they stand.
    """
    return slots * prod(words.counts.get(word, 0) / slots for word in path)


def explained(
    term: Sequence[str], paths: Paths, is_unit: Bools, words: RecognisedWords, slots: float
) -> Float64s:
    """(n,) log of how many times too often what each path has in common with others stands there.

    Paths with the same longest word are alike, and those in which a word has most letters of the
    term in a row. What stands at very many of a term's places was said there itself (*mag* for
    *maak*, *funktioniert* and *funktionen* for *funktion*): the more often, the surer. Where
    several words together have these letters (*durch aus* for *durchaus*), it is a false alarm as
    often as they stand together by chance. What the recogniser makes of a name that it does not
    know are other words each time, or `are_units`, which explain nothing.

    Args:
        term: its words as they are spelt; none if it was spoken.
        paths: the paths of the term's places.
        is_unit: (n,) see `are_units`.
        words, slots: of the archive, see `by_chance`.
    """
    letters = "".join(term)
    shared = ceil(SHARED * len(letters))
    parts = [letters[i : i + shared] for i in range(len(letters) - shared + 1)] if letters else []

    @cache
    def common(path: tuple[str, ...]) -> str | None:
        """What paths like this one have in common; None: the term's letters, together."""
        longest, together = max(path, key=len, default=""), "".join(path)
        if not any(map(together.__contains__, parts)):
            return longest
        return letters if any(map(longest.__contains__, parts)) else None

    others = [path for path, one in zip(paths, is_unit, strict=True) if not one]
    too_often = {one: n / SAME for one, n in Counter(map(common, others)).items()}
    joined = {path for path in others if common(path) is None}
    too_often[None] = sum(by_chance(path, words, slots) for path in joined)
    return np.array(
        [
            0.0 if one else log(max(1.0, too_often[common(path)]))
            for path, one in zip(paths, is_unit, strict=True)
        ],
        np.float64,
    )
