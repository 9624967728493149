"""Matching precision and recall of the 2015 toolkit: fractions of pairs, weights of n-grams.

See `scoring.discovery.matching` for the sets. Here nothing cancels: per type, pairs whose second
member has that type are counted (`scoring.discovery.completion`), on the discovered side up to 19
phones only, and overlap is judged without regard to file.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.discovery import completion
from scoring.discovery.corpus import Discovery, Ints, Track
from scoring.discovery.ngrams import MAX_LENGTH, MIN_LENGTH, Level
from scoring.discovery.pairs import Pairs, distinct
from scoring.discovery.partners import TalkerScope
from scoring.discovery.rates import Rates, ratio
from scoring.discovery.transcription import Runs, overlap_2015
from std.values import Bools

Numbers = npt.NDArray[np.number[Any]]
Inside = Callable[[Ints, Ints], Bools]  # which rows lo:hi belong to the fold


def by_pair_counts(
    levels: Iterable[Level],
    phones: Track,
    talker: Ints,
    pairs: Pairs,
    speaker: Ints,
    runs: Runs,
    inside: Inside,
    scopes: Iterable[TalkerScope] = ("all",),
) -> dict[TalkerScope, Rates]:
    """Matching of zrc2015: per type, counts of ordered pairs whose second member has that type.

    P_disc* goes up to 19 phones, P_all up to 20; overlap is judged without regard to file.
    Weights are shares of distinct n-gram occurrences. NaN where a set is empty.

    Args:
        levels: the repeated n-grams of the whole corpus.
        phones: the track that rows point into; ``talker``: (N,) of each row.
        pairs: P_disc; ``speaker``: (f,) talker of each fragment.
        runs: (f,) rows each fragment transcribes to.
        inside: which n-grams (rows lo:hi) belong to P_all: those of the fold.
        scopes: which pairs count.

    Source: behaviour of tde 0.2.1.
    """
    by_length = {level.length: level for level in levels}
    sums = {scope: np.zeros((2, 2)) for scope in scopes}  # precision, recall: share, weight
    nothing = np.empty(0, np.int64)
    for length in range(MIN_LENGTH, MAX_LENGTH + 1):
        _, start, name = by_length.get(length, Level(length, nothing, nothing))
        types = int(name.max(initial=-1)) + 1
        name_at = np.full(len(phones), types)  # the last type: all that are not repeated
        name_at[start] = name
        in_fold = inside(start, start + length)
        completed = _completed(length, phones, pairs, speaker, runs, start[in_fold], name[in_fold])
        gold = _gold_pairs(phones, start[in_fold], length, name[in_fold])
        for scope, total in sums.items():
            whole, both = completed(scope) if length < MAX_LENGTH else (nothing, nothing)
            second = np.flatnonzero(whole)
            hits = np.bincount(name_at[second], both[second], types + 1)
            pairs_of = np.bincount(name_at[second], whole[second], types + 1)
            flat = np.bincount(name_at[second], minlength=types + 1)
            total[0] += _weighted(hits, pairs_of, flat), flat.sum()
            later, degree = gold.counts(talker[start[in_fold]], scope)
            pairs_of = np.bincount(name[in_fold], 2 * later, types + 1)
            members = np.bincount(name[in_fold], degree > 0, types + 1)
            total[1] += _weighted(hits, pairs_of, members), members.sum()
    return {
        scope: Rates(*(ratio(float(share), float(weight)) for share, weight in total))
        for scope, total in sums.items()
    }


def _weighted(part: Numbers, whole: Numbers, weight: Numbers) -> float:
    """Sum over types of weight * part / whole; types without whole are skipped."""
    nonempty = whole > 0
    return float((weight[nonempty] * part[nonempty] / whole[nonempty]).sum())


def _completed(
    length: int, phones: Track, pairs: Pairs, speaker: Ints, runs: Runs, start: Ints, name: Ints
) -> Callable[[TalkerScope], tuple[Ints, Ints]]:
    """Counts of P_disc* and of P_disc* n P_all by second n-gram, for any scope."""
    name_at = np.full(len(phones), -1)
    name_at[start] = name

    def overlap(p: Ints, q: Ints) -> Bools:
        last_p, last_q = p + length - 1, q + length - 1
        return overlap_2015(
            phones.onset_s[p], phones.offset_s[last_p], phones.onset_s[q], phones.offset_s[last_q]
        )

    def counted(chosen_pairs: Pairs) -> tuple[Ints, Ints]:
        grams = completion.grams_of(chosen_pairs, runs, length)
        return completion.count(grams, chosen_pairs, len(phones), name_at, overlap)

    def counts(scope: TalkerScope) -> tuple[Ints, Ints]:
        if scope == "all":
            return counted(pairs)
        whole, both = counted(pairs.within(speaker))
        if scope == "within":
            return whole, both
        everything, everything_both = counted(pairs)
        return everything - whole, everything_both - both

    return counts


def _gold_pairs(phones: Track, start: Ints, length: int, name: Ints) -> Pairs:
    """P_all among n-grams of one length; members are indices into ``start``."""
    grams = Discovery(
        phones.file[start],
        phones.onset_s[start],
        phones.offset_s[start + length - 1],
        name.astype(np.int32),
        np.arange(len(start), dtype=np.int32),
        0,
    )

    def overlap(i: Ints, j: Ints) -> Bools:
        return overlap_2015(
            grams.onset_s[i], grams.offset_s[i], grams.onset_s[j], grams.offset_s[j]
        )

    return distinct(grams, overlap, across_files=True)
