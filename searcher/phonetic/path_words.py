"""The recogniser's words where a query's phones fit: their spelling and their frequency.

    RecognisedWords     the words of an archive, with counts
    path_words          the words on the path of each hit
    spelling            the similarity of the term's spelling to theirs
    together            how much more often than by chance several words occur together
    explained           how well these words explain each place without the term

The recogniser writes an unknown word as words that sound like it: different ones at each place, and
rarely frequent ones. If the same word is at many of the places, or if the words are frequent
everywhere, they were probably said, and the similar term was not. Spelling is additional evidence
for similar sound, because the phones of both words are guessed by rules. Words that stand together
again and again among the term's places, as no two words of a language do, are evidence as well: the
recogniser would not have written them if the unknown term had not been said.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log, prod
from typing import NamedTuple

import numpy as np

from searcher.phonetic.layout import PhoneticHits
from std.values import Float64s

SAME = 8  # places at which a term may be written as one other word, or as any with its stem
SAME_SIBLING = 4  # the latter where one of these words stands at as many
SHARED = 2 / 3  # share of a term's letters that such a word has in a row, or of both's in order
# A part of a compound has so many letters (shorter words are in many others), and such a share of
# them is in the term (the rest is an ending).
PART, OF_PART = 5, 4 / 5
# Factor over chance: words that occur together in place of an unknown one; and the odds that words
# that do so occur together by chance nevertheless.
TOGETHER = 10.0
PHRASE = 5.0  # nats over chance: as often each two words of a phrase follow each other
MOST_TOLD = 3.0  # nats beyond that that count
# Share of the letters that a word with the stem alone and the term do not have in common, which at
# most are not common to the unit and the term, if the unit is how the term is written.
MOST_UNLIKE = 3 / 4
LONGER = ""  # what words that are far longer than the term have in common

Path = tuple[str, ...]  # the words of a hit
Paths = Sequence[Path]  # those of each hit


class Shared(NamedTuple):
    """What a path has in common with others that are like it, see `_shared_words`."""

    word: str  # the one with the term's stem; otherwise the longest
    group: str  # the same for paths that are one explanation


Common = Mapping[Path, Shared]


@dataclass(frozen=True, eq=False)
class RecognisedWords:
    """The words of an archive."""

    of_segment: tuple[Sequence[str], ...]  # of each segment, by word id
    counts: Mapping[str, int]  # live alternatives of each word in all segments


def path_words(hits: PhoneticHits, words: RecognisedWords) -> Paths:
    """The words on the path of each hit."""
    return [
        tuple(words.of_segment[segment][word] for word in path if word >= 0)
        for segment, path in zip(hits.segment.tolist(), hits.paths.tolist(), strict=True)
    ]


def spelling(term: Sequence[str], paths: Paths) -> Float64s:
    """(n,) share of the letters that the term and each path have in common, in order.

    Twice the length of the longest common subsequence over the letters of both; 0 if the term has
    no letters.
    """
    from rapidfuzz.distance import LCSseq  # not for known words

    letters = "".join(term)

    @cache  # the same words are at several places
    def share(path: Path) -> float:
        other = "".join(path)
        return 2 * LCSseq.similarity(letters, other) / max(len(letters) + len(other), 1)

    return np.array([share(path) for path in paths], np.float64)


def together(paths: Paths, words: RecognisedWords, slots: float) -> Float64s:
    """(n,) how much more often than by chance each path's words occur together, nats.

    Several words that do so are a unit: an unknown word was probably said and recognised alike each
    time, because phonetic false alarms do not repeat the same words. Of other paths it is 0. Words
    that the archive lacks, as those of a segment without phones or in another spelling, are no
    unit.

    They are a unit if their number is far above m, which is `TOGETHER` times what chance gives: if
    the log ratio of its Poisson probabilities, with itself and with m as the mean, is above log
    `TOGETHER`.
    """
    units = {}
    for path, number in Counter(paths).items():
        if len(path) > 1 < number:
            by_chance = slots * prod(words.counts.get(word, 0) / slots for word in path)
            most = TOGETHER * by_chance
            surprise = number * log(number / most) - number + most if 0 < most < number else 0.0
            if surprise > log(TOGETHER):
                units[path] = log(TOGETHER * number / most)
    return np.array([units.get(path, 0.0) for path in paths], np.float64)


def explained(term: Sequence[str], paths: Paths, of_units: Float64s) -> Float64s:
    """(n,) how well the words there explain each place without the term, nats.

        explained = log(places with such words / places that may have them)
                    - min(nats of the unit beyond those of a phrase, MOST_TOLD)

    both at least 0. "Such words" are those of `_shared_words`; `_too_often` has the denominators.

    A word at very many of a term's places was itself said there (*mag* for *maak*), the more
    certainly the more places it has. Words with the term's stem, which occur in speech about the
    same things, are counted together, and fewer places are enough for one that stands there again
    and again. Words of which the term sounds like a part (*einheit*, *kindheit* for *hait*) are
    counted together, too. An unknown name is written as different words each time, or as a unit
    (`together`), which explains nothing. Words that stand together only as often as those of a
    phrase (`PHRASE`) tell nothing; if they do more often, this is evidence for the term.

    Args:
        term: its words as they are spelt; none if it was spoken.
        of_units: (n,) see `together`.
    """
    letters, unit_of = "".join(term), dict(zip(paths, of_units.tolist(), strict=True))
    common = _shared_words(letters, [*unit_of])
    names = _names(letters, unit_of, common)
    others = {path: shared for path, shared in common.items() if path not in names}
    too_often = _too_often(letters, paths, others)
    told = {path: _told(path, unit_of[path]) for path in names}
    return np.array([too_often.get(path, 0.0) - told.get(path, 0.0) for path in paths], np.float64)


def _too_often(letters: str, paths: Paths, common: Common) -> dict[Path, float]:
    """Nats by which the places of some paths are too many for a term that was said there.

    N is the number of places of all paths that have the same in common. They are N / `SAME` times
    too many; where n of them have a word with the term's stem, n times for this word, but at most
    N / `SAME_SIBLING`.

    Args:
        letters, common: see `_shared_words`; of the paths that count.
    """
    places = [common[path] for path in paths if path in common]
    of_word, of_group = Counter(one.word for one in places), Counter(one.group for one in places)

    def times(one: Shared) -> float:
        n = of_group[one.group]
        own = min(of_word[one.word], n / SAME_SIBLING) if one.group == letters else 0.0
        return max(n / SAME, own)

    return {path: log(max(1.0, times(one))) for path, one in common.items()}


def _longest(path: Path) -> str:
    """The longest word of a path."""
    return max(path, key=len, default="")


def _told(path: Path, nats: float) -> float:
    """Nats by which a unit stands together more often than a phrase: evidence for the term."""
    return min(max(nats - PHRASE * (len(path) - 1), 0.0), MOST_TOLD)


def _names(letters: str, unit_of: Mapping[Path, float], common: Common) -> set[Path]:
    """The units that the recogniser may write for the term.

    Where one word has the term's stem, the others must have much of what it lacks of the term's
    spelling, as in *un gleichung* for *ungleichung*. *gnädige frau* for *gnädiges* is a sibling in
    a phrase, and *gründe monitor* for *trendmonitor* another unknown word with the same part.

    Args:
        unit_of: see `together`; of each path once.
        common: see `_shared_words`.
    """
    units = [path for path, nats in unit_of.items() if nats > 0]
    longest = [(_longest(path),) for path in units]
    unlike, alone = (1 - spelling([letters], some) for some in (units, longest))
    is_nearer = (alone > 0) & (unlike <= MOST_UNLIKE * alone)
    return {
        path
        for path, nearer in zip(units, is_nearer.tolist(), strict=True)
        if common[path].group != letters or nearer
    }


def _shared_words(letters: str, distinct: Paths) -> Common:
    """What each path has in common with others that are like it.

    ==================================================  ==============================
    the path                                            has in common with others
    ==================================================  ==============================
    a word with the term's stem (`_with_stem`)          the term's letters
    one word of which the term is a part at most        `LONGER`
    any other                                           its longest word
    ==================================================  ==============================

    Args:
        distinct: the paths of its places, each once.
    """
    with_stem = _with_stem(letters, distinct)

    def shared(path: Path) -> Shared:
        if path in with_stem:
            return Shared(with_stem[path], letters)
        longest = _longest(path)
        is_part = len(path) == 1 and 0 < len(letters) < SHARED * len(longest)
        return Shared(longest, LONGER if is_part else longest)

    return {path: shared(path) for path in distinct}


def _with_stem(letters: str, distinct: Paths) -> dict[Path, str]:
    """The word with the term's stem of each path that has one.

    It is a word with most letters of the term in a row (*funktioniert* for *funktion*); or a part
    of the term (*regierung*, *regierungs* for *bundesregierung*); or one word alone whose spelling
    is similar (*organization* for *organisation*); or, where several words have a similar spelling,
    most letters of such a word (*manufaktur es*, and elsewhere *manufakturen*, for *manufactured*).
    """
    shares = zip(distinct, spelling([letters], distinct).tolist(), strict=True)
    similar = {path for path, share in shares if share >= SHARED}
    alone = [path[0] for path in similar if len(path) == 1]
    of_term = _most(letters, len(letters))
    of_alone = {run for word in alone for run in _most(word, max(len(word), len(letters)))}

    def has_stem(word: str) -> bool:
        return any(map(word.__contains__, of_term)) or _is_part(word, letters)

    def word_of(path: Path) -> str | None:
        longest = _longest(path)
        is_similar = path in similar and (
            len(path) == 1 or any(map(longest.__contains__, of_alone))
        )
        return next(filter(has_stem, path), longest if is_similar else None)

    return {path: word for path in distinct if (word := word_of(path)) is not None}


def _is_part(word: str, letters: str) -> bool:
    """Whether nearly all of a word is half of the term or more, as a part of a compound is."""
    n = max(ceil(len(letters) / 2), ceil(OF_PART * len(word)))
    return len(word) >= PART and any(map(letters.__contains__, _runs(word, n)))


def _most(word: str, letters: int) -> list[str]:
    """The runs of letters of a word that are most of so many letters."""
    return _runs(word, ceil(SHARED * letters))


def _runs(word: str, n: int) -> list[str]:
    """The runs of n letters of a word."""
    return [word[i : i + n] for i in range(len(word) - n + 1)] if n else []
