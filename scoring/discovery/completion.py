"""The pairwise substring completion of the 2015 toolkit, counted without listing its pairs.

P_disc* holds the ordered pairs (p, q) of equally long n-grams of two fragments that share a class,
where the shorter fragment slides along the longer one: p and q align iff one fragment reaches at
least as far as the other on both sides of them. For n-grams that lie in one member of one class,
the partners are counted by *cells* (class, reach to the left, reach to the right), and the few
pairs of fragments that touch in time are taken back. Only n-grams that several members carry can
form a pair in more than one way; their pairs are listed, a block at a time.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring.discovery.corpus import Ints
from scoring.discovery.pairs import Pairs
from scoring.discovery.partners import CHUNK, PairTest, expand
from scoring.discovery.transcription import Runs
from std.values import Bools


class MemberGrams(NamedTuple):
    """The n-grams of one length in the members of classes; columns of shape (k,)."""

    group: Ints  # class, ascending
    owner: Ints  # fragment
    row: Ints  # first phone
    left: Ints  # phones of the fragment before the n-gram
    right: Ints  # phones after it

    def where(self, keep: Bools | Ints) -> "MemberGrams":
        """Only these n-grams."""
        return MemberGrams(*(column[keep] for column in self))


def grams_of(pairs: Pairs, runs: Runs, length: int) -> MemberGrams:
    """Every n-gram of every member.

    Args:
        pairs: whose members are taken.
        runs: of the fragments, rows of the phones.
        length: of an n-gram, phones.
    """
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
    grams: MemberGrams, pairs: Pairs, rows: int, name_at: Ints, overlap: PairTest
) -> tuple[Ints, Ints]:
    """Count the pairs of P_disc* by their second n-gram, and those that are in P_all too.

    Args:
        grams: the n-grams of one length (`grams_of`).
        pairs: P_disc.
        rows: how many phones there are.
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

    def equal(p: Ints, q: Ints) -> Bools:
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


def _in_cells(group: Ints, grams: MemberGrams) -> Ints:
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


def _align(left: Ints, right: Ints, other_left: Ints, other_right: Ints) -> Bools:
    """Whether one fragment reaches at least as far as the other on both sides."""
    inside = (left <= other_left) & (right <= other_right)
    result: Bools = inside | ((left >= other_left) & (right >= other_right))
    return result


def _touching(grams: MemberGrams, pairs: Pairs) -> Iterator[tuple[Ints, Ints, Bools]]:
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
) -> Iterator[tuple[Ints, Ints]]:
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


def _among(key: Ints, ascending: Ints) -> Bools:
    """Which keys are among ``ascending``."""
    if not len(ascending):
        return np.zeros(len(key), np.bool_)
    at = np.minimum(np.searchsorted(ascending, key), len(ascending) - 1)
    result: Bools = ascending[at] == key
    return result
