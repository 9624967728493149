"""The input of one profile's measures, which all profiles prepare in the same way."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from scoring.discovery import folds, ned, pairs
from scoring.discovery.corpus import Corpus, Discovery, Track
from scoring.discovery.pairs import Pairs
from scoring.discovery.partners import TalkerScope
from scoring.discovery.transcription import Runs
from std.values import Bools, Integers


class Case(NamedTuple):
    """The input of one call of the measures: the corpus or one fold of it."""

    phones: Track
    inside: Bools  # (N,) phones that belong to the fold
    words: Track
    discovery: Discovery
    talker: Integers  # (number of files,)
    levels: list[pairs.Level] | None  # of the whole corpus, when the profile wants that
    fold: folds.Intervals | None

    @classmethod
    def whole(
        cls, corpus: Corpus, discovery: Discovery, levels: list[pairs.Level] | None
    ) -> "Case":
        everything = np.ones(len(corpus.phones), np.bool_)
        talker = corpus.talker.astype(np.int64)
        return cls(corpus.phones, everything, corpus.words, discovery, talker, levels, None)

    @classmethod
    def part(
        cls,
        corpus: Corpus,
        discovery: Discovery,
        levels: list[pairs.Level] | None,
        fold: folds.Intervals,
    ) -> "Case":
        phones, words = corpus.phones, corpus.words
        return cls(
            phones,
            fold.contain(phones.file, phones.onset_s, phones.offset_s),
            words.where(fold.contain(words.file, words.onset_s, words.offset_s)),
            discovery.where(fold.contain(discovery.file, discovery.onset_s, discovery.offset_s)),
            corpus.talker.astype(np.int64),
            levels,
            fold,
        )


def texts_of(text: str, runs: Runs) -> list[str]:
    """The transcription of each run, one character per phone."""
    return [text[lo:hi] for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True)]


def types_of(text: str, runs: Runs) -> tuple[Integers, list[str]]:
    """Number the distinct transcriptions: type of each run, and the types."""
    index: dict[str, int] = {}
    of = [index.setdefault(transcription, len(index)) for transcription in texts_of(text, runs)]
    return np.array(of, dtype=np.int64), list(index)


def scoped_ned(
    pairs: Pairs,
    type_of: Integers,
    texts: Sequence[str],
    talker: Integers,
    scopes: Iterable[TalkerScope],
) -> dict[TalkerScope, ned.Distances]:
    """Distances of all pairs, of those within talkers, and of the rest.

    Args:
        type_of: (f,) number of each fragment's transcription.
        talker: (f,) of each fragment.
    """
    everything = ned.distances(pairs, type_of, texts)
    result: dict[TalkerScope, ned.Distances] = {"all": everything}
    if "within" in scopes:
        same = ned.distances(pairs.within(talker), type_of, texts)
        rest = everything.copy()
        rest.subtract(same)
        result |= {"within": same, "cross": rest}
    return result


def in_scope(pairs: Pairs, talker: Integers, scope: TalkerScope) -> Bools:
    """The fragments for measures without pairs: all, or those in a pair of the scope.

    Args:
        talker: (f,) of each fragment.
    """
    if scope == "all":
        return np.ones(len(talker), np.bool_)
    return pairs.counts(talker, scope)[1] > 0


def repeated_inside(phones: Track, begins: Integers, inside: Bools) -> Iterable[pairs.Level]:
    """The n-grams repeated among the phones of the fold.

    Args:
        phones: (N,) the gold tier.
        begins: (s,) first row of each stretch; no n-gram reaches over its end.
        inside: (N,) phones that belong to the fold.
    """
    ends = np.where(inside, pairs.stretch_ends(phones, begins), 0)
    return pairs.repeated(phones.label, ends)


def counts_of(
    case: Case, words: Track, discovery: Discovery, without_phones: int, distances: ned.Distances
) -> dict[str, int]:
    """The sizes of the measures' inputs.

    Args:
        words: the words that are scored.
        without_phones: fragments that transcribe to nothing.
    """
    return {
        "phones": int(case.inside.sum()),
        "words": len(words),
        "classes": case.discovery.classes,
        "members": len(discovery.member),
        "fragments": len(discovery),
        "fragments_without_phones": without_phones,
        "pairs": distances.total(),
    }
