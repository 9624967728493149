"""Grouping precision and recall: how pure and how complete the classes are.

    P = sum over types t of w(t, P_clus)     |occ(t, P_clus n P_goldclus)| / |occ(t, P_clus)|
    R = sum over types t of w(t, P_goldclus) |occ(t, P_clus n P_goldclus)| / |occ(t, P_goldclus)|

P_clus holds the pairs that share a class, P_goldclus the pairs of discovered fragments with the
same transcription that do not overlap. With w(t, P) = |occ(t, P)| / |flat(P)| the weights cancel
(zrc2017 and definition): P = |flat(both)| / |flat(P_clus)|, R = |flat(both)| / |flat(P_goldclus)|.
The 2015 toolkit counts pairs in the fractions and fragments in the weights, so nothing cancels.
"""

import numpy as np

from scoring.discovery.corpus import Ints
from scoring.discovery.mates import Scope, differs_in_group, has_mate_in
from scoring.discovery.pairs import Pairs
from scoring.discovery.rates import Rates, ratio
from std.values import Bools, Float64s


def by_flat_sets(
    pairs: Pairs,
    token_of: Ints,
    type_of: Ints,
    file: Ints,
    onset_s: Float64s,
    offset_s: Float64s,
    talker: Ints,
    scope: Scope = "all",
) -> Rates:
    """Grouping of zrc2017 and definition, from the fragments that have a partner.

    Args:
        pairs: members by class (withdrawn pairs play no part; repeated members count).
        token_of: (f,) what makes fragments one token: the fragment itself, or (zrc2017) the times
            and symbols of its phones *without the file*, so that fragments of different files at
            the same times merge. Merged tokens overlap only if all their fragments do.
        type_of: (f,) type of the transcription, -1 for an empty one, which equals nothing.
        file, onset_s, offset_s, talker: (f,) of each fragment.
        scope: which pairs count: all, within one talker, across talkers.

    Source: seeds, zerospeech-task-and-metrics, "Clustering scores"; behaviour of
    zerospeech-tde 2.0.3 for the merged tokens.
    """
    if scope != "all":  # a token of one talker never merges with another talker's
        token_of = token_of * (int(talker.max(initial=0)) + 1) + talker
    token_of = np.unique(token_of, return_inverse=True)[1]
    tokens = int(token_of.max(initial=-1)) + 1
    place, latest, earliest = _token_spans(tokens, token_of, file, onset_s, offset_s)
    first = np.zeros(tokens, np.int64)
    first[token_of] = np.arange(len(token_of))
    kind, speaker = type_of[first], talker[first]
    itself = _mates_itself(tokens, token_of, place, latest, earliest)
    if scope == "cross":
        itself[:] = False

    typed = np.flatnonzero(kind >= 0)
    gold = np.zeros(tokens, np.bool_)
    gold[typed] = itself[typed] | has_mate_in(
        scope, speaker[typed], kind[typed], typed, place[typed], latest[typed], earliest[typed]
    )

    span = max(tokens, 1)
    key, count = np.unique(pairs.group * span + token_of[pairs.member], return_counts=True)
    group, token = key // span, key % span
    if scope == "cross":
        paired = differs_in_group(group, speaker[token])
    else:
        shared = group * (int(speaker.max(initial=0)) + 1) + speaker[token]
        room = group if scope == "all" else shared
        paired = (count > 1) | differs_in_group(room, token)
    found = np.zeros(tokens, np.bool_)
    found[token[paired]] = True

    both = np.zeros(tokens, np.bool_)
    typed = np.flatnonzero(kind[token] >= 0)
    member = token[typed]
    like = group[typed] * (int(kind.max(initial=0)) + 1) + kind[member]
    mated = (itself[member] & (count[typed] > 1)) | has_mate_in(
        scope, speaker[member], like, member, place[member], latest[member], earliest[member]
    )
    both[member[mated]] = True
    hits = int(both.sum())
    return Rates(ratio(hits, int(found.sum())), ratio(hits, int(gold.sum())))


def _token_spans(
    tokens: int, token_of: Ints, file: Ints, onset_s: Float64s, offset_s: Float64s
) -> tuple[Ints, Float64s, Float64s]:
    """Per token: its file (an own negative number if several), latest onset, earliest offset."""
    latest, earliest = np.full(tokens, -np.inf), np.full(tokens, np.inf)
    np.maximum.at(latest, token_of, onset_s)
    np.minimum.at(earliest, token_of, offset_s)
    low = np.full(tokens, np.iinfo(np.int64).max)
    high = np.full(tokens, -1)
    np.minimum.at(low, token_of, file)
    np.maximum.at(high, token_of, file)
    place = np.where(low == high, low, -1 - np.arange(tokens))
    return place, latest, earliest


def _mates_itself(
    tokens: int, token_of: Ints, place: Ints, latest: Float64s, earliest: Float64s
) -> Bools:
    """Whether two different fragments of one token are apart."""
    several = np.bincount(token_of, minlength=tokens) > 1
    itself: Bools = several & ((place < 0) | (earliest <= latest))
    return itself


def by_pair_counts(
    clustered: Pairs, gold: Pairs, both: Pairs, type_of: Ints, talker: Ints, scope: Scope = "all"
) -> Rates:
    """Grouping of zrc2015: per type, counts of pairs whose later fragment has that type.

    Weights are shares of distinct fragments. A type that is nobody's later fragment is skipped
    and its weight is lost. NaN where a set of pairs is empty.

    Args:
        clustered, gold, both: P_clus, P_goldclus and their intersection, each pair once, sorted.
        type_of, talker: (f,) type of each fragment's transcription, and who says it.
        scope: which pairs count.

    Source: behaviour of tde 0.2.1.
    """
    size = len(type_of)
    shared = np.bincount(type_of, both.counts(size, talker, scope)[0])

    def weighted(pairs: Pairs) -> float:
        later, degree = pairs.counts(size, talker, scope)
        whole, weight = np.bincount(type_of, later), np.bincount(type_of, degree > 0)
        some = whole > 0
        share = (weight[some] * shared[some] / whole[some]).sum()
        return ratio(float(share), float(weight.sum()))

    return Rates(weighted(clustered), weighted(gold))
