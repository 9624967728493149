"""Matching precision and recall: discovered pairs, cut to all their substrings, against all pairs.

    P = sum over types t of freq(t, P_disc*) |match(t, P_disc* n P_all)| / |match(t, P_disc*)|
    R = sum over types t of freq(t, P_all)   |match(t, P_disc* n P_all)| / |match(t, P_all)|

P_all holds the pairs of repeated n-grams of 3 to 20 phones that do not overlap. P_disc* is the
pairwise substring completion of P_disc: the shorter fragment slides along the longer one, inside
it, and every pair of aligned substrings counts. So abcd/efg gives abc-efg and bcd-efg and their
substrings, as in the example of the task description; two substrings align at one offset at most.

With freq(t, P) = |match(t, P)| / |flat(P)| the weights cancel (zrc2017 and definition): P =
|flat(both)| / |flat(P_disc*)|, R = |flat(both)| / |flat(P_all)|. Whether an n-gram is in a flat set
is a question about its partners, so no pair is listed. The 2015 toolkit's own way of counting is
`scoring.discovery.matching_2015`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.discovery.corpus import Times
from scoring.discovery.coverage import covered_rows
from scoring.discovery.pairs import MAX_LENGTH, MIN_LENGTH, Level
from scoring.discovery.partners import (
    PairTest,
    TalkerScope,
    compare_undecided,
    differs_in_group,
    expand,
    has_partner_in,
    share_half,
)
from scoring.discovery.scores import Rates, ratio
from scoring.discovery.transcription import Runs
from std.values import Bools, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """Rows of the phone track with what decides whether two stretches of them overlap.

    ``literal``: up to half of the shorter stretch may be shared, by n-grams as by fragments
    (definition); else n-grams share nothing and fragments pair whatever they share (zrc2017).
    """

    file: Integers  # (N,)
    talker: Integers  # (N,)
    onset: Times  # (N,) seconds or ticks
    offset: Times  # (N,)
    literal: bool

    def apart(self, lo: Integers, hi: Integers) -> PairTest | None:
        """The test of pairs (i, j) of stretches lo:hi of one file; None if touching decides."""
        if not self.literal:
            return None
        overlap = share_half(self.onset[lo], self.offset[hi - 1])
        return lambda i, j: ~overlap(i, j)

    def have_partner(
        self,
        scope: TalkerScope,
        group: Integers,
        owner: Integers,
        lo: Integers,
        hi: Integers,
        apart: PairTest | None,
    ) -> Bools:
        """Which stretches have a partner of another owner in their group.

        Args:
            group, owner: (n,) integers.
            lo, hi: (n,) rows of each stretch.
            apart: as of `scoring.discovery.partners.has_partner`.
        """
        return has_partner_in(
            scope,
            self.talker[lo],
            group,
            owner,
            self.file[lo],
            self.onset[lo],
            self.offset[hi - 1],
            apart,
        )


@dataclass(slots=True)
class FlatCounts:
    """Sizes of the flat sets of one scope, and what P_all covers."""

    disc: int
    both: int
    gold: int
    gold_rows: Bools  # (N,)

    @property
    def rates(self) -> Rates:
        """Matching precision and recall."""
        return Rates(ratio(self.both, self.disc), ratio(self.both, self.gold))


def by_flat_sets(
    levels: Iterable[Level],
    timing: Timing,
    group: Integers,
    member: Integers,
    runs: Runs,
    scopes: Iterable[TalkerScope],
) -> dict[TalkerScope, FlatCounts]:
    """Matching of zrc2017 and definition.

    Args:
        group, member: (m,) distinct class membership.
        runs: (f,) rows each fragment transcribes to.

    Source: ZeroSpeech task description; the notion of overlap follows ``timing``.
    """
    rows = len(timing.file)
    result = {scope: FlatCounts(0, 0, 0, np.zeros(rows, np.bool_)) for scope in scopes}
    by_length = {level.length: level for level in levels}
    for length in range(MIN_LENGTH, MAX_LENGTH + 1):
        long_enough = (runs.hi - runs.lo)[member] >= length
        group, member = group[long_enough], member[long_enough]
        lo, hi = runs.lo[member], runs.hi[member]
        for scope, counts in result.items():
            paired = fragments_with_partner(timing, scope, group, member, lo, hi)
            counts.disc += int(covered_rows(rows, lo[paired], hi[paired] - length + 1).sum())
        if length not in by_length:
            continue
        level = by_length[length]
        start, end = level.position, level.position + length
        for scope, counts in result.items():
            apart = timing.apart(start, end)
            paired = timing.have_partner(scope, level.name, start, start, end, apart)
            counts.gold += int(paired.sum())
            counts.gold_rows |= covered_rows(rows, start[paired], end[paired])
        name_at = np.full(rows, -1)
        name_at[start] = level.name
        at, start = _occurrences(name_at, lo, hi - length + 1)
        like = group[at] * (int(level.name.max()) + 1) + name_at[start]
        grams = Grams(like, member[at], start, start + length, lo[at], hi[at])
        for scope, counts in result.items():
            counts.both += len(np.unique(start[_completed(timing, scope, grams)]))
    return result


def fragments_with_partner(
    timing: Timing,
    scope: TalkerScope,
    group: Integers,
    member: Integers,
    lo: Integers,
    hi: Integers,
) -> Bools:
    """Which members are in a pair of P_disc.

    Args:
        group, member: (m,) distinct class membership.
        lo, hi: (m,) rows of each member's fragment.
    """
    if timing.literal:
        return timing.have_partner(scope, group, member, lo, hi, timing.apart(lo, hi))
    talker = timing.talker[lo]
    if scope == "cross":
        return differs_in_group(group, talker)
    if scope == "within":
        group = group * (int(talker.max(initial=0)) + 1) + talker
    return differs_in_group(group, member)


class Grams(NamedTuple):
    """Repeated n-grams of one length in the members of classes; all columns of shape (k,)."""

    group: Integers  # equal for the same n-gram in the same class
    owner: Integers  # the fragment
    lo: Integers  # rows of the n-gram
    hi: Integers
    fragment_lo: Integers  # rows of the fragment
    fragment_hi: Integers


def _completed(timing: Timing, scope: TalkerScope, grams: Grams) -> Bools:
    """Which n-grams have an equal one in P_disc*, and apart from it; shape (k,).

    The shorter fragment slides along the longer one and stays inside it, so two n-grams align iff
    one fragment reaches at least as far as the other on both sides of them. Equal reaches decide
    nearly all; the others are compared one by one.
    """
    left, right = grams.lo - grams.fragment_lo, grams.fragment_hi - grams.hi
    span = (grams.fragment_lo, grams.fragment_hi) if timing.literal else (grams.lo, grams.hi)
    file, talker = timing.file[grams.lo], timing.talker[grams.lo]
    start, end = timing.onset[grams.lo], timing.offset[grams.hi - 1]
    fragments = timing.apart(grams.fragment_lo, grams.fragment_hi)
    ngrams = timing.apart(grams.lo, grams.hi)

    def apart(i: Integers, j: Integers) -> Bools:
        if fragments is None or ngrams is None:
            disjoint: Bools = (end[i] <= start[j]) | (end[j] <= start[i])
            return disjoint
        return fragments(i, j) & ngrams(i, j)

    def align(i: Integers, j: Integers) -> Bools:
        within = (left[i] <= left[j]) & (right[i] <= right[j])
        around = (left[i] >= left[j]) & (right[i] >= right[j])
        in_scope = (scope == "all") | ((talker[i] == talker[j]) == (scope == "within"))
        result: Bools = (within | around) & in_scope & ((file[i] != file[j]) | apart(i, j))
        return result

    reach = np.stack((grams.group, left, right))
    same_reach = np.unique(reach, axis=1, return_inverse=True)[1].ravel()
    test = apart if timing.literal else None
    completed = timing.have_partner(scope, same_reach, grams.owner, *span, test)
    possible = timing.have_partner(scope, grams.group, grams.owner, *span, test)
    compare_undecided(grams.group, grams.owner, completed, possible & ~completed, align)
    return completed


def _occurrences(name_at: Integers, lo: Integers, hi: Integers) -> tuple[Integers, Integers]:
    """(member, row) of every repeated n-gram that starts in a member's lo:hi."""
    members: list[Integers] = [np.empty(0, np.int64)]
    starts: list[Integers] = [np.empty(0, np.int64)]
    for at, start in expand(np.arange(len(lo)), lo, hi):
        named = name_at[start] >= 0
        members.append(at[named])
        starts.append(start[named])
    return np.concatenate(members), np.concatenate(starts)
