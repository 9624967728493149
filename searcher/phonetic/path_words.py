"""The recogniser's words where a query's phones fit: their spelling and their frequency.

    RecognisedWords     the words of an archive, with counts
    path_words          the words on the path of each hit
    spelling            the similarity of the term's spelling to theirs
    together            how much more often than by chance several words occur together
    by_chance           the expected number of such places
    explained           how much too frequent paths with a common word, or common letters, are;
                        and how much too seldom words occur together in the language

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
from functools import cache, cached_property
from math import ceil, log, prod

import numpy as np

from searcher.phonetic.alignment import AlignedHits
from std.values import Float64s

SAME = 8  # places at which a term may be written as one other word
SIBLINGS = SAME // 2  # places at which it may be written as other words with its stem
SHARED = 2 / 3  # share of a term's letters that such a word has in a row, or of both's in order
# Factor over chance: words that occur together in place of an unknown one; and the odds that words
# that do so occur together by chance nevertheless.
TOGETHER = 10.0
PHRASE = 6.0  # nats over chance: as often each two words of a phrase follow each other
MOST_TOLD = 3.0  # nats beyond that that count
LONGER = ""  # what words that are far longer than the term have in common

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
    """(n,) share of the letters that the term and each path have in common, in order.

    Twice the length of the longest common subsequence over the letters of both; 0 if the term has
    no letters.
    """
    from rapidfuzz.distance import LCSseq  # not for known words

    letters = "".join(term)

    @cache  # the same words are at several places
    def share(path: tuple[str, ...]) -> float:
        other = "".join(path)
        return 2 * LCSseq.similarity(letters, other) / max(len(letters) + len(other), 1)

    return np.array([share(path) for path in paths], np.float64)


def together(paths: Paths, words: RecognisedWords, slots: float) -> Float64s:
    """(n,) how much more often than by chance each path's words occur together, nats.

    Several words that do so are a unit: an unknown word was probably said and recognised alike each
    time, because phonetic false alarms do not repeat the same words. Of other paths it is 0. Words
    that the archive lacks, as those of a segment without phones or in another spelling, are no
    unit.

    Args:
        paths: the paths of a term's places.
        words: the words of the archive.
        slots: the slots of the archive, at which they stand.
    """
    units = {}
    for path, number in Counter(paths).items():
        if len(path) > 1 < number:
            most = TOGETHER * by_chance(path, words, slots)
            surprise = number * log(number / most) - number + most if 0 < most < number else 0.0
            if surprise > log(TOGETHER):
                units[path] = log(TOGETHER * number / most)
    return np.array([units.get(path, 0.0) for path in paths], np.float64)


def by_chance(path: tuple[str, ...], words: RecognisedWords, slots: float) -> float:
    """The number of places of consecutive words if all words were placed at random.

    Args:
        path: the words.
        words: the words of the archive.
        slots: the slots of the archive, at which they stand.
    """
    return slots * prod(words.counts.get(word, 0) / slots for word in path)


def explained(
    term: Sequence[str], paths: Paths, of_units: Float64s, words: RecognisedWords, slots: float
) -> Float64s:
    """(n,) how well the words there explain each place without the term, nats.

    It is the log of the excess frequency of the words that each path shares with others.

    A word at very many of a term's places was itself said there (*mag* for *maak*), more certainly
    with more places; a word with its stem, which occurs in speech about the same things, at fewer.
    So were words of which the term sounds like a part (*einheit*, *kindheit* for *hait*), together.
    If several words together have the term's letters (*durch aus* for *durchaus*), the number of
    false alarms is that of their meeting by chance. An unknown name is written as different words
    each time, or as a unit (`together`), which explains nothing, unless it is a phrase with a word
    of the term's stem (*glücklich machen* for *glücklichen*): words that are usual elsewhere, too.
    Phrases of a language are units up to `PHRASE`; what is beyond that is against another
    explanation than the term, and counts below 0.

    Args:
        term: its words as they are spelt; none if it was spoken.
        paths: the paths of the term's places.
        of_units: (n,) see `together`.
        words, slots: of the archive, see `by_chance`.
    """
    letters, unit_of = "".join(term), dict(zip(paths, of_units.tolist(), strict=True))
    common = _common_words(letters, [*unit_of])
    units = {path for path, one in unit_of.items() if one > 0}
    siblings = [path for path in units if common[path] == letters]
    if siblings:
        units -= _phrases(siblings, paths, words, slots)
    counts = Counter([common[path] for path in paths if path not in units])
    too_often = {one: n / (SIBLINGS if one == letters else SAME) for one, n in counts.items()}
    if None in too_often:
        joined = [path for path, one in common.items() if one is None and path not in units]
        too_often[None] = sum([by_chance(path, words, slots) for path in joined])
    excess = {one: log(max(1.0, n)) for one, n in too_often.items()}
    of_others = [0.0 if path in units else excess[common[path]] for path in paths]
    steps = np.array([max(len(path) - 1, 0) for path in paths], np.float64)
    beyond = of_units - PHRASE * steps
    return np.array(of_others, np.float64) - np.clip(beyond, 0.0, MOST_TOLD)


def _common_words(letters: str, distinct: Paths) -> Mapping[tuple[str, ...], str | None]:
    """What each path has in common with others that are like it.

    Paths are alike if they have the same longest word, or words with the term's stem: a word with
    most letters of the term in a row, or one word alone whose spelling is similar (*funktioniert*
    and *funktionen* for *funktion*, *organization* for *organisation*), or several words with a
    similar spelling and the stem of such a word (*manufaktur es*, and elsewhere *manufakturen*, for
    *manufactured*), or one word alone that is so much longer than the term that the term is at most
    a part of it, as a syllable is of very many words.

    Args:
        letters: of the term.
        distinct: the paths of its places, each once.

    Returns:
        the longest word; the letters of the term, if a word has its stem; None, if only several
        words together have it; `LONGER`, if the word has the term as a part at most.
    """
    shares = zip(distinct, spelling([letters], distinct).tolist(), strict=True)
    alike = {path for path, share in shares if share >= SHARED}
    alone = [path[0] for path in alike if len(path) == 1]
    parts = _runs(letters, len(letters))
    runs = {run for word in alone for run in _runs(word, max(len(word), len(letters)))}

    def common(path: tuple[str, ...]) -> str | None:
        longest = max(path, key=len, default="")
        has_stem = any(map(longest.__contains__, parts))
        if not has_stem and path in alike:
            has_stem = len(path) == 1 or any(map(longest.__contains__, runs))
        if has_stem:
            return letters
        if any(map("".join(path).__contains__, parts)):
            return None
        is_part = len(path) == 1 and 0 < len(letters) < SHARED * len(longest)
        return LONGER if is_part else longest

    return {path: common(path) for path in distinct}


def _runs(word: str, letters: int) -> list[str]:
    """The runs of letters of a word that are most of so many letters."""
    n = ceil(SHARED * letters)
    return [word[i : i + n] for i in range(len(word) - n + 1)] if n else []


def _phrases(
    some: Paths, paths: Paths, words: RecognisedWords, slots: float
) -> set[tuple[str, ...]]:
    """Those of some paths of several words that stand together as those of phrases do.

    By chance they do as often as they stand elsewhere: one that stands here only is no usual word.

    Args:
        some: paths.
        paths: the paths of all places, with these.
        words, slots: of the archive, see `by_chance`.
    """
    here = Counter(word for path in paths for word in {*path})
    elsewhere = {word: max(words.counts.get(word, 0) - n, 1) for word, n in here.items()}
    others, numbers = RecognisedWords((), elsewhere), Counter(paths)
    return {
        path
        for path in some
        if log(numbers[path] / by_chance(path, others, slots)) < PHRASE * (len(path) - 1)
    }
