"""Matching precision and recall: discovered pairs, cut to all their substrings, against all pairs.

    P = sum over types t of freq(t, P_disc*) |match(t, P_disc* n P_all)| / |match(t, P_disc*)|
    R = sum over types t of freq(t, P_all)   |match(t, P_disc* n P_all)| / |match(t, P_all)|

P_all holds the pairs of repeated n-grams of 3 to 20 phones that do not overlap. P_disc* is the
pairwise substring completion of P_disc: the shorter fragment slides along the longer one, inside
it, and every pair of aligned substrings counts. So abcd/efg gives abc-efg and bcd-efg and what
lies inside them, as in the seeds' example; two substrings align at one offset at most.

With freq(t, P) = |match(t, P)| / |flat(P)| the weights cancel (zrc2017 and definition): P =
|flat(both)| / |flat(P_disc*)|, R = |flat(both)| / |flat(P_all)|. Whether an n-gram is in a flat set
is a question about its partners, so no pair is listed. The 2015 toolkit counts pairs, lengths 3 to
19 on the discovered side.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.discovery import completion
from scoring.discovery.corpus import Discovery, Ints, Times, Track
from scoring.discovery.coverage import covered_rows
from scoring.discovery.mates import (
    PairTest,
    Scope,
    differs_in_group,
    expand,
    has_mate_in,
    look_closer,
)
from scoring.discovery.ngrams import LONGEST, SHORTEST, Level
from scoring.discovery.pairs import Pairs, distinct
from scoring.discovery.rates import Rates, ratio
from scoring.discovery.transcription import Runs, overlap_2015
from std.values import Bools

Inside = Callable[[Ints, Ints], Bools]  # which rows lo:hi belong to the fold


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """Rows of the phone track with what decides whether two stretches of them overlap.

    ``literal``: up to half of the shorter stretch may be shared, by n-grams as by fragments
    (definition); else n-grams share nothing and fragments pair whatever they share (zrc2017).
    """

    file: Ints  # (N,)
    talker: Ints  # (N,)
    onset: Times  # (N,) seconds or ticks
    offset: Times  # (N,)
    literal: bool

    def apart(self, lo: Ints, hi: Ints) -> PairTest | None:
        """The test of pairs (i, j) of stretches lo:hi of one file; None if touching decides."""
        if not self.literal:
            return None
        start, end = self.onset[lo], self.offset[hi - 1]

        def test(i: Ints, j: Ints) -> Bools:
            shared = np.minimum(end[i], end[j]) - np.maximum(start[i], start[j])
            result: Bools = 2 * shared <= np.minimum(end[i] - start[i], end[j] - start[j])
            return result

        return test

    def mates(
        self, scope: Scope, group: Ints, owner: Ints, lo: Ints, hi: Ints, apart: PairTest | None
    ) -> Bools:
        """Which stretches lo:hi have a mate of another owner in their group."""
        return has_mate_in(
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
    group: Ints,
    member: Ints,
    runs: Runs,
    scopes: Iterable[Scope] = ("all",),
) -> dict[Scope, FlatCounts]:
    """Matching of zrc2017 and definition.

    Args:
        levels: the repeated n-grams of the corpus (`scoring.discovery.ngrams.repeated`).
        timing: of the phone rows.
        group, member: (m,) distinct class membership.
        runs: (f,) rows each fragment transcribes to.
        scopes: which pairs count.

    Source: seeds, zerospeech-tde-metrics; the notion of overlap follows ``timing``.
    """
    rows = len(timing.file)
    result = {scope: FlatCounts(0, 0, 0, np.zeros(rows, np.bool_)) for scope in scopes}
    by_length = {level.length: level for level in levels}
    for length in range(SHORTEST, LONGEST + 1):
        long_enough = (runs.hi - runs.lo)[member] >= length
        group, member = group[long_enough], member[long_enough]
        lo, hi = runs.lo[member], runs.hi[member]
        for scope, counts in result.items():
            mated = fragment_mates(timing, scope, group, member, lo, hi)
            counts.disc += int(covered_rows(rows, lo[mated], hi[mated] - length + 1).sum())
        if length not in by_length:
            continue
        level = by_length[length]
        start, end = level.position, level.position + length
        for scope, counts in result.items():
            apart = timing.apart(start, end)
            mated = timing.mates(scope, level.name, start, start, end, apart)
            counts.gold += int(mated.sum())
            counts.gold_rows |= covered_rows(rows, start[mated], end[mated])
        name_at = np.full(rows, -1)
        name_at[start] = level.name
        at, start = _occurrences(name_at, lo, hi - length + 1)
        like = group[at] * (int(level.name.max()) + 1) + name_at[start]
        grams = Grams(like, member[at], start, start + length, lo[at], hi[at])
        for scope, counts in result.items():
            counts.both += len(np.unique(start[_completed(timing, scope, grams)]))
    return result


def fragment_mates(
    timing: Timing, scope: Scope, group: Ints, member: Ints, lo: Ints, hi: Ints
) -> Bools:
    """Which members, fragments of rows lo:hi, are in a pair of P_disc."""
    if timing.literal:
        return timing.mates(scope, group, member, lo, hi, timing.apart(lo, hi))
    talker = timing.talker[lo]
    if scope == "cross":
        return differs_in_group(group, talker)
    if scope == "within":
        group = group * (int(talker.max(initial=0)) + 1) + talker
    return differs_in_group(group, member)


class Grams(NamedTuple):
    """Repeated n-grams of one length in the members of classes; all columns of shape (k,)."""

    group: Ints  # equal for the same n-gram in the same class
    owner: Ints  # the fragment
    lo: Ints  # rows of the n-gram
    hi: Ints
    fragment_lo: Ints  # rows of the fragment
    fragment_hi: Ints


def _completed(timing: Timing, scope: Scope, grams: Grams) -> Bools:
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

    def apart(i: Ints, j: Ints) -> Bools:
        if fragments is None or ngrams is None:
            disjoint: Bools = (end[i] <= start[j]) | (end[j] <= start[i])
            return disjoint
        return fragments(i, j) & ngrams(i, j)

    def align(i: Ints, j: Ints) -> Bools:
        within = (left[i] <= left[j]) & (right[i] <= right[j])
        around = (left[i] >= left[j]) & (right[i] >= right[j])
        in_scope = (scope == "all") | ((talker[i] == talker[j]) == (scope == "within"))
        result: Bools = (within | around) & in_scope & ((file[i] != file[j]) | apart(i, j))
        return result

    reach = np.stack((grams.group, left, right))
    same_reach = np.unique(reach, axis=1, return_inverse=True)[1].ravel()
    test = apart if timing.literal else None
    found = timing.mates(scope, same_reach, grams.owner, *span, test)
    possible = timing.mates(scope, grams.group, grams.owner, *span, test)
    look_closer(grams.group, grams.owner, found, possible & ~found, align)
    return found


def _occurrences(name_at: Ints, lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
    """(member, row) of every repeated n-gram that starts in a member's lo:hi."""
    members: list[Ints] = [np.empty(0, np.int64)]
    starts: list[Ints] = [np.empty(0, np.int64)]
    for at, start in expand(np.arange(len(lo)), lo, hi):
        named = name_at[start] >= 0
        members.append(at[named])
        starts.append(start[named])
    return np.concatenate(members), np.concatenate(starts)


def by_pair_counts(
    levels: Iterable[Level],
    phones: Track,
    talker: Ints,
    pairs: Pairs,
    speaker: Ints,
    runs: Runs,
    inside: Inside,
    scopes: Iterable[Scope] = ("all",),
) -> dict[Scope, Rates]:
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
    for length in range(SHORTEST, LONGEST + 1):
        _, start, name = by_length.get(length, Level(length, nothing, nothing))
        types = int(name.max(initial=-1)) + 1
        name_at = np.full(len(phones), types)  # the last type: all that are not repeated
        name_at[start] = name
        mine = inside(start, start + length)
        completed = _completed_2015(length, phones, pairs, speaker, runs, start[mine], name[mine])
        gold = _gold_pairs_2015(phones, start[mine], length, name[mine])
        for scope, total in sums.items():
            whole, both = completed(scope) if length < LONGEST else (nothing, nothing)
            second = np.flatnonzero(whole)
            hits = np.bincount(name_at[second], both[second], types + 1)
            pairs_of = np.bincount(name_at[second], whole[second], types + 1)
            flat = np.bincount(name_at[second], minlength=types + 1)
            total[0] += _weighted(hits, pairs_of, flat), flat.sum()
            later, degree = gold.counts(talker[start[mine]], scope)
            pairs_of = np.bincount(name[mine], 2 * later, types + 1)
            flat = np.bincount(name[mine], degree > 0, types + 1)
            total[1] += _weighted(hits, pairs_of, flat), flat.sum()
    return {
        scope: Rates(*(ratio(float(share), float(weight)) for share, weight in total))
        for scope, total in sums.items()
    }


def _weighted(part: Ints, whole: Times, weight: Times) -> float:
    """Sum over types of weight * part / whole; types without whole are skipped."""
    some = whole > 0
    return float((weight[some] * part[some] / whole[some]).sum())


def _completed_2015(
    length: int, phones: Track, pairs: Pairs, speaker: Ints, runs: Runs, start: Ints, name: Ints
) -> Callable[[Scope], tuple[Ints, Ints]]:
    """Counts of P_disc* and of P_disc* n P_all by second n-gram, for any scope."""
    name_at = np.full(len(phones), -1)
    name_at[start] = name

    def overlap(p: Ints, q: Ints) -> Bools:
        last_p, last_q = p + length - 1, q + length - 1
        return overlap_2015(
            phones.onset_s[p], phones.offset_s[last_p], phones.onset_s[q], phones.offset_s[last_q]
        )

    def counted(some: Pairs) -> tuple[Ints, Ints]:
        grams = completion.grams_of(some, runs, length)
        return completion.count(grams, some, len(phones), name_at, overlap)

    def counts(scope: Scope) -> tuple[Ints, Ints]:
        if scope == "all":
            return counted(pairs)
        whole, both = counted(pairs.within(speaker))
        if scope == "within":
            return whole, both
        everything, everything_both = counted(pairs)
        return everything - whole, everything_both - both

    return counts


def _gold_pairs_2015(phones: Track, start: Ints, length: int, name: Ints) -> Pairs:
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
