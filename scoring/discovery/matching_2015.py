"""Matching precision and recall of the 2015 toolkit: fractions of pairs, weights of n-grams.

See `scoring.discovery.matching` for the sets. Here nothing cancels: per type, pairs whose second
member has that type are counted, on the discovered side up to 19 phones only, and overlap is judged
without regard to file.

P_disc* holds the ordered pairs (p, q) of equally long n-grams of two fragments that share a class,
where the shorter fragment is moved along the longer one. p and q align iff one fragment reaches at
least as far as the other on both sides of them. `count` counts the pairs without listing them. For
n-grams that lie in one member of one class, the partners are counted by *cells* (class, reach to
the left, reach to the right), and the few pairs of fragments that touch in time are subtracted.
Only n-grams that lie in several members can form a pair in more than one way; their pairs are
listed, a block at a time.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.discovery.corpus import Discovery, Track
from scoring.discovery.pairs import MAX_LENGTH, MIN_LENGTH, Level, Pairs, distinct
from scoring.discovery.partners import CHUNK, PairTest, TalkerScope, expand
from scoring.discovery.scores import Rates, ratio
from scoring.discovery.transcription import Runs, overlap_2015
from std.values import Bools, Integers


class MemberGrams(NamedTuple):
    """The n-grams of one length in the members of classes; columns of shape (k,)."""

    group: Integers  # class, ascending
    owner: Integers  # fragment
    row: Integers  # first phone
    left: Integers  # phones of the fragment before the n-gram
    right: Integers  # phones after it

    def where(self, keep: Bools | Integers) -> "MemberGrams":
        """Only these n-grams."""
        return MemberGrams(*(column[keep] for column in self))


def grams_of(pairs: Pairs, runs: Runs, length: int) -> MemberGrams:
    """Every n-gram of every member."""
    lo, last = runs.lo[pairs.member], runs.hi[pairs.member] - length
    at, row = (
        np.concatenate(parts)
        for parts in zip(
            (np.empty(0, np.int64), np.empty(0, np.int64)),
            *expand(np.arange(len(lo)), lo, last + 1),
            strict=True,
        )
    )
    return MemberGrams(pairs.group[at], pairs.member[at], row, row - lo[at], last[at] - row)


def count(
    grams: MemberGrams, pairs: Pairs, rows: int, name_at: Integers, overlap: PairTest
) -> tuple[Integers, Integers]:
    """Count the pairs of P_disc* by their second n-gram, and those that are in P_all too.

    Args:
        name_at: (rows,) name of the repeated n-gram that starts at each row, -1 for none.
        overlap: whether the n-grams at rows (p, q) overlap.

    Returns:
        Two columns of shape (rows,): pairs of P_disc*, pairs of both, whose second n-gram starts
        at that row.
    """
    single = np.bincount(grams.row, minlength=rows)[grams.row] == 1
    alone = grams.where(single)
    whole, both = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    whole[alone.row] = _in_cells(alone.group, alone) - 1
    name = name_at[alone.row]
    named = alone.where(name >= 0)
    like = named.group * (int(name_at.max(initial=0)) + 1) + name[name >= 0]
    both[named.row] = _in_cells(like, named) - 1

    def equal(p: Integers, q: Integers) -> Bools:
        result: Bools = (name_at[p] == name_at[q]) & (name_at[p] >= 0)
        return result

    for p, q, banned in _touching(alone, pairs):
        gone = equal(p, q)
        gone[gone] &= banned[gone] | overlap(p[gone], q[gone])
        for end in (p, q):
            np.subtract.at(whole, end[banned], 1)
            np.subtract.at(both, end[gone], 1)
    lone = np.zeros(rows, np.bool_)
    lone[alone.row] = True
    for p, q in _several_ways(grams, single, pairs, rows):
        matched = equal(p, q)
        matched[matched] = ~overlap(p[matched], q[matched])
        for result, first, second in ((whole, p, q), (both, p[matched], q[matched])):
            np.add.at(result, second, 1)
            np.add.at(result, first[lone[second]], 1)  # (q, p), which q does not list itself
    return whole, both


def _in_cells(group: Integers, grams: MemberGrams) -> Integers:
    """How many n-grams of its group align with each n-gram, itself included; shape (k,)."""
    base = int(max(grams.left.max(initial=0), grams.right.max(initial=0))) + 1
    key, cell, size = np.unique(
        (group * base + grams.left) * base + grams.right, return_inverse=True, return_counts=True
    )
    left, right, room = key // base % base, key % base, key // base // base
    first, last = np.searchsorted(room, room), np.searchsorted(room, room, side="right")
    total = np.zeros(len(key), np.int64)
    for i, j in expand(np.arange(len(key)), first, last):
        fits = _align(left[i], right[i], left[j], right[j])
        np.add.at(total, i[fits], size[j[fits]])
    return total[cell]


def _align(left: Integers, right: Integers, other_left: Integers, other_right: Integers) -> Bools:
    """Whether one fragment reaches at least as far as the other on both sides."""
    inside = (left <= other_left) & (right <= other_right)
    result: Bools = inside | ((left >= other_left) & (right >= other_right))
    return result


def _touching(grams: MemberGrams, pairs: Pairs) -> Iterator[tuple[Integers, Integers, Bools]]:
    """Aligned n-grams (p, q) of fragments that touch in time, and whether those are no pair."""
    order = np.argsort(grams.owner, kind="stable")
    owner = grams.owner[order]
    first = np.searchsorted(owner, np.arange(pairs.fragments))
    last = np.searchsorted(owner, np.arange(pairs.fragments), side="right")
    a, b = pairs.touching // pairs.fragments, pairs.touching % pairs.fragments
    banned = np.isin(pairs.touching, pairs.overlapping)
    for pair, i in expand(np.arange(len(a)), first[a], last[a]):
        for at, j in expand(np.arange(len(i)), first[b[pair]], last[b[pair]]):
            first_gram, second_gram = order[i[at]], order[j]
            fits = (grams.group[first_gram] == grams.group[second_gram]) & _align(
                grams.left[first_gram],
                grams.right[first_gram],
                grams.left[second_gram],
                grams.right[second_gram],
            )
            yield grams.row[first_gram[fits]], grams.row[second_gram[fits]], banned[pair[at[fits]]]


def _several_ways(
    grams: MemberGrams, single: Bools, pairs: Pairs, rows: int
) -> Iterator[tuple[Integers, Integers]]:
    """The distinct pairs (p, q) of P_disc* where several members carry p."""
    shared = np.flatnonzero(~single)
    shared = shared[np.argsort(grams.row[shared], kind="stable")]
    first = np.searchsorted(grams.group, grams.group[shared])
    last = np.searchsorted(grams.group, grams.group[shared], side="right")
    new = np.flatnonzero(np.append(True, np.diff(grams.row[shared]) > 0)[: len(shared)])
    work = np.add.reduceat(last - first, new) if len(new) else np.empty(0, np.int64)
    block = np.cumsum(work) // CHUNK  # all the carriers of one n-gram are in one block
    for rows_of_block in np.split(np.arange(len(shared)), new[np.flatnonzero(np.diff(block)) + 1]):
        keys = [np.empty(0, np.int64)]
        for i, j in expand(shared[rows_of_block], first[rows_of_block], last[rows_of_block]):
            fits = _align(grams.left[i], grams.right[i], grams.left[j], grams.right[j])
            i, j = i[fits], j[fits]
            x, y = grams.owner[i], grams.owner[j]
            key = np.minimum(x, y) * pairs.fragments + np.maximum(x, y)
            fits = (x != y) & ~_among(key, pairs.overlapping)
            keys.append(grams.row[i[fits]] * rows + grams.row[j[fits]])
        distinct = np.unique(np.concatenate(keys))
        yield distinct // rows, distinct % rows


def _among(key: Integers, ascending: Integers) -> Bools:
    """Which keys are among ``ascending``."""
    if not len(ascending):
        return np.zeros(len(key), np.bool_)
    at = np.minimum(np.searchsorted(ascending, key), len(ascending) - 1)
    result: Bools = ascending[at] == key
    return result


Numbers = npt.NDArray[np.number[Any]]
Inside = Callable[[Integers, Integers], Bools]  # which rows lo:hi belong to the fold


def by_pair_counts(
    levels: Iterable[Level],
    phones: Track,
    talker: Integers,
    pairs: Pairs,
    speaker: Integers,
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
    length: int,
    phones: Track,
    pairs: Pairs,
    speaker: Integers,
    runs: Runs,
    start: Integers,
    name: Integers,
) -> Callable[[TalkerScope], tuple[Integers, Integers]]:
    """Counts of P_disc* and of P_disc* n P_all by second n-gram, for any scope."""
    name_at = np.full(len(phones), -1)
    name_at[start] = name

    def overlap(p: Integers, q: Integers) -> Bools:
        last_p, last_q = p + length - 1, q + length - 1
        return overlap_2015(
            phones.onset_s[p], phones.offset_s[last_p], phones.onset_s[q], phones.offset_s[last_q]
        )

    def counted(chosen_pairs: Pairs) -> tuple[Integers, Integers]:
        grams = grams_of(chosen_pairs, runs, length)
        return count(grams, chosen_pairs, len(phones), name_at, overlap)

    def counts(scope: TalkerScope) -> tuple[Integers, Integers]:
        if scope == "all":
            return counted(pairs)
        whole, both = counted(pairs.within(speaker))
        if scope == "within":
            return whole, both
        everything, everything_both = counted(pairs)
        return everything - whole, everything_both - both

    return counts


def _gold_pairs(phones: Track, start: Integers, length: int, name: Integers) -> Pairs:
    """P_all among n-grams of one length; members are indices into ``start``."""
    grams = Discovery(
        phones.file[start],
        phones.onset_s[start],
        phones.offset_s[start + length - 1],
        name.astype(np.int32),
        np.arange(len(start), dtype=np.int32),
        0,
    )
    return distinct(grams, overlap_test(grams), across_files=True)


def overlap_test(fragments: Discovery) -> PairTest:
    """Whether two fragments (i, j) overlap by the 2015 rule."""
    onset_s, offset_s = fragments.onset_s, fragments.offset_s
    return lambda i, j: overlap_2015(onset_s[i], offset_s[i], onset_s[j], offset_s[j])
