"""Pairs of fragments that share a class, counted without being listed.

The pairs of a class of n members number n(n-1)/2. The published tools differ in which of them
they take back: overlapping pairs, and pairs that several classes contain. Only those few
*withdrawn* pairs are ever listed, found by a sorted sweep and by looking at fragments that are
members of more than one class.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.discovery.corpus import Discovery, Ints, order_keys
from scoring.discovery.mates import Scope, expand
from std.values import Bools, freeze

Overlap = Callable[[Ints, Ints], Bools]  # test of fragment index pairs


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A set of unordered pairs (a, b), a < b: all within classes, less the withdrawn ones."""

    group: Ints  # (m,) class of each member, ascending
    member: Ints  # (m,) fragment, ascending within a class
    less_a: Ints  # (x,) withdrawn pairs, once for each time they are to be taken back
    less_b: Ints

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        sizes = np.unique(self.group, return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum()) - len(self.less_a)

    def within(self, talker: Ints) -> "Pairs":
        """Only the pairs of one talker; ``talker`` is that of each fragment, shape (f,)."""
        group = self.group * (int(talker.max(initial=0)) + 1) + talker[self.member]
        order = np.lexsort((self.member, group))
        same = talker[self.less_a] == talker[self.less_b]
        return Pairs(group[order], self.member[order], self.less_a[same], self.less_b[same])

    def degree(self, fragments: int) -> Ints:
        """In how many pairs each fragment is; shape (fragments,)."""
        _, at, sizes = np.unique(self.group, return_inverse=True, return_counts=True)
        degree = np.zeros(fragments, np.int64)
        np.add.at(degree, self.member, sizes[at] - 1)
        np.subtract.at(degree, self.less_a, 1)
        np.subtract.at(degree, self.less_b, 1)
        return degree

    def seconds(self, fragments: int) -> Ints:
        """In how many pairs each fragment is the later one; shape (fragments,)."""
        _, first = np.unique(self.group, return_index=True)
        starts = np.zeros(len(self.group), np.int64)
        starts[first] = first
        rank = np.arange(len(self.group)) - np.maximum.accumulate(starts)
        count = np.zeros(fragments, np.int64)
        np.add.at(count, self.member, rank)
        np.subtract.at(count, self.less_b, 1)
        return count

    def counts(self, fragments: int, talker: Ints, scope: Scope) -> tuple[Ints, Ints]:
        """How many pairs of a scope each fragment is the later one of, and is in at all."""
        if scope == "within":
            pairs = self.within(talker)
            return pairs.seconds(fragments), pairs.degree(fragments)
        later, degree = self.seconds(fragments), self.degree(fragments)
        if scope == "cross":
            same = self.within(talker)
            return later - same.seconds(fragments), degree - same.degree(fragments)
        return later, degree

    def each(self, fragments: int, talker: Ints, scope: Scope) -> tuple[Ints, Ints]:
        """List the distinct pairs of a scope: for those who cannot do without."""
        ends = np.searchsorted(self.group, self.group, side="right")
        rows = np.arange(len(self.group))
        keys = [np.empty(0, np.int64)]
        for i, j in expand(rows, rows + 1, ends):
            keys.append(self.member[i] * fragments + self.member[j])
        key, count = np.unique(np.concatenate(keys), return_counts=True)
        less, times = np.unique(self.less_a * fragments + self.less_b, return_counts=True)
        count[np.searchsorted(key, less)] -= times
        a, b = key[count > 0] // fragments, key[count > 0] % fragments
        if scope == "all":
            return a, b
        fits = (talker[a] == talker[b]) == (scope == "within")
        return a[fits], b[fits]


def listed(discovery: Discovery) -> Pairs:
    """Every pair of members as listed, repeated members and overlapping pairs included."""
    order = np.lexsort((discovery.member, discovery.member_of))
    group = discovery.member_of[order].astype(np.int64)
    nothing = np.empty(0, np.int64)
    return Pairs(group, discovery.member[order].astype(np.int64), nothing, nothing)


def distinct(discovery: Discovery, overlap: Overlap, across_files: bool = False) -> Pairs:
    """Every pair of different fragments that share a class and do not overlap, once.

    Args:
        overlap: whether fragments a and b, which share time, overlap; arrays of indices.
        across_files: compare times without regard to file (the 2015 toolkit does).
    """
    group, member = distinct_members(discovery)
    less_a, less_b = _overlapping(discovery, group, member, overlap, across_files)
    again_a, again_b = _repeated(len(discovery), group, member, less_a, less_b)
    return Pairs(
        group, member, np.concatenate((less_a, again_a)), np.concatenate((less_b, again_b))
    )


def distinct_members(discovery: Discovery) -> tuple[Ints, Ints]:
    """(class, fragment) without repetitions, ascending."""
    span = len(discovery) or 1
    key = np.unique(discovery.member_of.astype(np.int64) * span + discovery.member)
    return key // span, key % span


def _overlapping(
    discovery: Discovery, group: Ints, member: Ints, overlap: Overlap, across_files: bool
) -> tuple[Ints, Ints]:
    """Pairs in a class that overlap, by sweeping each class in order of onset."""
    place = np.zeros(len(member), np.int64) if across_files else discovery.file[member]
    files = int(place.max(initial=0)) + 1
    room = (group * files + place).astype(np.int64)
    onset, end = order_keys((room, discovery.onset_s[member]), (room, discovery.offset_s[member]))
    order = np.argsort(onset, kind="stable")
    stop = np.searchsorted(onset[order], end[order], side="left")
    parts_a, parts_b = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for i, j in expand(np.arange(len(order)), np.arange(len(order)) + 1, stop):
        one, other = member[order[i]], member[order[j]]
        both = overlap(one, other)
        parts_a.append(np.minimum(one, other)[both])
        parts_b.append(np.maximum(one, other)[both])
    return np.concatenate(parts_a), np.concatenate(parts_b)


def _repeated(
    fragments: int, group: Ints, member: Ints, less_a: Ints, less_b: Ints
) -> tuple[Ints, Ints]:
    """Pairs that k > 1 classes contain, k - 1 times each; those withdrawn already left out."""
    shared = np.bincount(member, minlength=fragments)[member] > 1
    group, member = group[shared], member[shared]
    ends = np.searchsorted(group, group, side="right")
    keys = [
        member[i] * fragments + member[j]
        for i, j in expand(np.arange(len(group)), np.arange(len(group)) + 1, ends)
    ]
    if not keys:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    key, count = np.unique(np.concatenate(keys), return_counts=True)
    again = (count > 1) & ~np.isin(key, less_a * fragments + less_b)
    key = np.repeat(key[again], count[again] - 1)
    return key // fragments, key % fragments
