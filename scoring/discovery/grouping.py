"""Grouping precision and recall: how pure and how complete the classes are.

    P = sum over types t of w(t, P_clus)     |occ(t, P_clus n P_goldclus)| / |occ(t, P_clus)|
    R = sum over types t of w(t, P_goldclus) |occ(t, P_clus n P_goldclus)| / |occ(t, P_goldclus)|

P_clus holds the pairs that share a class, P_goldclus the pairs of discovered fragments with the
same transcription that do not overlap. With w(t, P) = |occ(t, P)| / |flat(P)| the weights cancel
(zrc2017 and definition): P = |flat(both)| / |flat(P_clus)|, R = |flat(both)| / |flat(P_goldclus)|.
The 2015 toolkit counts pairs in the fractions and fragments in the weights, so nothing cancels.
"""

import numpy as np

from scoring.discovery.pairs import Pairs
from scoring.discovery.partners import TalkerScope, differs_in_group, has_partner_in
from scoring.discovery.scores import Rates, ratio
from std.values import Bools, Float64s, Integers


def by_flat_sets(
    pairs: Pairs,
    token_of: Integers,
    type_of: Integers,
    file: Integers,
    onset_s: Float64s,
    offset_s: Float64s,
    talker: Integers,
    scope: TalkerScope = "all",
) -> Rates:
    """Grouping of zrc2017 and definition, from the fragments that have a partner.

    Args:
        pairs: members by class (withdrawn pairs play no part; a repeated member pairs with
            itself in P_clus, never in P_goldclus).
        token_of: (f,) what counts as one element of a flat set: the fragment itself, or (zrc2017)
            the times and symbols of its phones *without the file*.
        type_of: (f,) type of the transcription, -1 for an empty one, which equals nothing.
        file, onset_s, offset_s, talker: (f,) of each fragment.
        scope: which pairs count: all, within one talker, across talkers.

    Source: ZeroSpeech task description, "Clustering scores"; behaviour of
    zerospeech-tde 2.0.3 for repeated members and merged tokens.
    """

    def with_partner(group: Integers, fragment: Integers) -> Bools:
        return has_partner_in(
            scope,
            talker[fragment],
            group,
            fragment,
            file[fragment],
            onset_s[fragment],
            offset_s[fragment],
        )

    typed = np.flatnonzero(type_of >= 0)
    gold = typed[with_partner(type_of[typed], typed)]

    group, member = pairs.group, pairs.member
    if scope == "cross":
        clustered = differs_in_group(group, talker[member])
    else:
        room = group * (int(talker.max(initial=0)) + 1) + talker[member]
        _, at, sizes = np.unique(
            group if scope == "all" else room, return_inverse=True, return_counts=True
        )
        clustered = sizes[at] > 1

    listed = np.flatnonzero(type_of[member] >= 0)
    like = group[listed] * (int(type_of.max(initial=0)) + 1) + type_of[member[listed]]
    both = member[listed][with_partner(like, member[listed])]

    hits = len(np.unique(token_of[both]))
    return Rates(
        ratio(hits, len(np.unique(token_of[member[clustered]]))),
        ratio(hits, len(np.unique(token_of[gold]))),
    )


def by_pair_counts(
    clustered: Pairs,
    gold: Pairs,
    both: Pairs,
    type_of: Integers,
    talker: Integers,
    scope: TalkerScope,
) -> Rates:
    """Grouping of zrc2015: per type, counts of pairs whose later fragment has that type.

    Weights are shares of distinct fragments. A type that is nobody's later fragment is skipped
    and its weight is lost. NaN where a set of pairs is empty.

    Args:
        clustered, gold, both: P_clus, P_goldclus and their intersection, each pair once, sorted.
        type_of, talker: (f,) type of each fragment's transcription, and who says it.

    Source: behaviour of tde 0.2.1.
    """
    shared = np.bincount(type_of, both.counts(talker, scope)[0])

    def weighted(pairs: Pairs) -> float:
        later, degree = pairs.counts(talker, scope)
        whole, weight = np.bincount(type_of, later), np.bincount(type_of, degree > 0)
        nonempty = whole > 0
        share = (weight[nonempty] * shared[nonempty] / whole[nonempty]).sum()
        return ratio(float(share), float(weight.sum()))

    return Rates(weighted(clustered), weighted(gold))
