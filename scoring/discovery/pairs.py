"""Pairs of fragments that share a class, and repeated phone n-grams: counted without being listed.

The pairs of a class of n members number n(n-1)/2. The published tools differ in which of them
they leave out: overlapping pairs, and pairs that several classes contain. Only these few
*withdrawn* pairs are listed. They are found by a sorted sweep, and among the fragments that are
members of more than one class.

An n-gram can only repeat where its first n-1 phones repeat, so each level renames the pairs
(name of the first n-1 phones, next phone) of the occurrences that are still repeated. The cost is
the number of repeated occurrences, not of pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.discovery.corpus import Discovery, Track, order_keys
from scoring.discovery.partners import PairTest, TalkerScope, expand
from std.values import Bools, Integers, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A set of unordered pairs (a, b), a < b: all within classes, less the withdrawn ones.

    ``touching`` and ``overlapping`` are keys ``a * fragments + b``, ascending.
    """

    fragments: int
    group: Integers  # (m,) class of each member, ascending
    member: Integers  # (m,) fragment, ascending within a class
    less_a: Integers  # (x,) withdrawn pairs, once for each time they are to be taken back
    less_b: Integers
    touching: Integers  # pairs that share a class and time
    overlapping: Integers  # those of them that overlap, and so are no pairs

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        sizes = np.unique(self.group, return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum()) - len(self.less_a)

    def within(self, talker: Integers) -> "Pairs":
        """Only the pairs of one talker; ``talker`` is that of each fragment, shape (f,)."""
        group = self.group * (int(talker.max(initial=0)) + 1) + talker[self.member]
        order = np.lexsort((self.member, group))
        same = talker[self.less_a] == talker[self.less_b]
        touching, overlapping = (
            keys[talker[keys // self.fragments] == talker[keys % self.fragments]]
            for keys in (self.touching, self.overlapping)
        )
        return Pairs(
            self.fragments,
            group[order],
            self.member[order],
            self.less_a[same],
            self.less_b[same],
            touching,
            overlapping,
        )

    def degree(self) -> Integers:
        """In how many pairs each fragment is; shape (fragments,)."""
        _, at, sizes = np.unique(self.group, return_inverse=True, return_counts=True)
        degree = np.zeros(self.fragments, np.int64)
        np.add.at(degree, self.member, sizes[at] - 1)
        np.subtract.at(degree, self.less_a, 1)
        np.subtract.at(degree, self.less_b, 1)
        return degree

    def later(self) -> Integers:
        """In how many pairs each fragment is the later one; shape (fragments,)."""
        _, first = np.unique(self.group, return_index=True)
        starts = np.zeros(len(self.group), np.int64)
        starts[first] = first
        rank = np.arange(len(self.group)) - np.maximum.accumulate(starts)
        count = np.zeros(self.fragments, np.int64)
        np.add.at(count, self.member, rank)
        np.subtract.at(count, self.less_b, 1)
        return count

    def counts(self, talker: Integers, scope: TalkerScope) -> tuple[Integers, Integers]:
        """How many pairs of a scope each fragment is the later one of, and is in at all."""
        if scope == "all":
            return self.later(), self.degree()
        same = self.within(talker)
        if scope == "within":
            return same.later(), same.degree()
        return self.later() - same.later(), self.degree() - same.degree()


def listed(discovery: Discovery) -> Pairs:
    """Every pair of members as listed, repeated members and overlapping pairs included."""
    order = np.lexsort((discovery.member, discovery.member_of))
    group = discovery.member_of[order].astype(np.int64)
    none = np.empty(0, np.int64)
    member = discovery.member[order].astype(np.int64)
    return Pairs(len(discovery), group, member, none, none, none, none)


def distinct(discovery: Discovery, overlap: PairTest, across_files: bool = False) -> Pairs:
    """Every pair of different fragments that share a class and do not overlap, once.

    Args:
        overlap: whether fragments a and b, which share time, overlap; arrays of indices.
        across_files: compare times without regard to file (the 2015 toolkit does).
    """
    group, member = distinct_members(discovery)
    size = len(discovery)
    touching = _touching(discovery, group, member, across_files)
    overlapping = touching[overlap(touching // size, touching % size)] if size else touching
    less = np.concatenate((overlapping, _repeated(size, group, member, overlapping)))
    return Pairs(
        size,
        group,
        member,
        less // max(size, 1),
        less % max(size, 1),
        np.unique(touching),
        np.unique(overlapping),
    )


def distinct_members(discovery: Discovery) -> tuple[Integers, Integers]:
    """(class, fragment) without repetitions, ascending."""
    span = len(discovery) or 1
    key = np.unique(discovery.member_of.astype(np.int64) * span + discovery.member)
    return key // span, key % span


def _touching(
    discovery: Discovery, group: Integers, member: Integers, across_files: bool
) -> Integers:
    """Keys of pairs that share time, once per common class: a sweep in order of onset."""
    place = np.zeros(len(member), np.int64) if across_files else discovery.file[member]
    files = int(place.max(initial=0)) + 1
    room = (group * files + place).astype(np.int64)
    onset, end = order_keys((room, discovery.onset_s[member]), (room, discovery.offset_s[member]))
    order = np.argsort(onset, kind="stable")
    stop = np.searchsorted(onset[order], end[order], side="left")
    keys = [np.empty(0, np.int64)]
    for i, j in expand(np.arange(len(order)), np.arange(len(order)) + 1, stop):
        first, second = member[order[i]], member[order[j]]
        keys.append(np.minimum(first, second) * len(discovery) + np.maximum(first, second))
    return np.concatenate(keys)


def _repeated(fragments: int, group: Integers, member: Integers, overlapping: Integers) -> Integers:
    """Keys of pairs that k > 1 classes contain, k - 1 times each; those that overlap left out.

    Such a pair meets once in every two of its k classes, so only members of two same classes are
    paired, and k follows from the k (k - 1) / 2 times they meet.
    """
    order = np.lexsort((group, member))
    group, member = group[order], member[order]
    ends = np.searchsorted(member, member, side="right")
    rows = np.arange(len(member))
    classes = int(group.max(initial=0)) + 1
    rooms: list[Integers] = [np.empty(0, np.int64)]
    guests: list[Integers] = [np.empty(0, np.int64)]
    for i, j in expand(rows, rows + 1, ends):
        rooms.append(group[i] * classes + group[j])
        guests.append(member[i])
    room, guest = np.concatenate(rooms), np.concatenate(guests)
    order = np.lexsort((guest, room))
    room, guest = room[order], guest[order]
    rows = np.arange(len(room))
    keys = [np.empty(0, np.int64)]
    for i, j in expand(rows, rows + 1, np.searchsorted(room, room, side="right")):
        keys.append(guest[i] * fragments + guest[j])
    key, meetings = np.unique(np.concatenate(keys), return_counts=True)
    again = ~np.isin(key, overlapping)
    more = np.rint((np.sqrt(8 * meetings[again] + 1) - 1) / 2).astype(np.int64)
    return np.repeat(key[again], more)


MIN_LENGTH, MAX_LENGTH = 3, 20  # phones; F_all of the task description


class Level(NamedTuple):
    """The repeated n-grams of one length."""

    length: int
    position: Integers  # (k,) row of the first phone of each occurrence, ascending
    name: Integers  # (k,) equal for equal n-grams; every name comes at least twice


def stretch_ends(track: Track, begins: Integers) -> Integers:
    """The row after the last one of each row's stretch, from the stretches' first rows."""
    bounds = np.append(begins, len(track))
    return np.repeat(bounds[1:], np.diff(bounds))


def repeated(label: Integers, ends: Integers) -> Iterator[Level]:
    """Yield the n-grams that occur at least twice inside stretches, shortest first.

    They have `MIN_LENGTH` to `MAX_LENGTH` phones.

    Args:
        label: (N,) phone of each row.
        ends: (N,) row after the last one of its stretch; no n-gram reaches over it.
    """
    position = np.arange(len(label), dtype=np.int64)
    name = label.astype(np.int64)
    symbols = int(name.max(initial=0)) + 1
    for length in range(1, MAX_LENGTH + 1):
        if length > 1:
            fits = position + length <= ends[position]
            position, name = position[fits], name[fits]
            name = name * symbols + label[position + length - 1]
        _, name, counts = np.unique(name, return_inverse=True, return_counts=True)
        twice = counts[name] > 1
        position, name = position[twice], name[twice]
        if not len(position):
            return
        if length >= MIN_LENGTH:
            yield Level(length, position, name)


def exact_stretch_begins(
    onset: Integers, offset: Integers, file: Integers, inside: Bools
) -> Integers:
    """First rows of the stretches without a gap in time, all inside or all outside a fold.

    Args:
        onset, offset: (N,) times of each row, in ticks.
        file: (N,) index of its file.
        inside: (N,) whether it belongs to the fold.
    """
    if not len(file):
        return np.empty(0, np.int64)
    breaks = (file[1:] != file[:-1]) | (onset[1:] != offset[:-1]) | (inside[1:] != inside[:-1])
    return np.append(0, np.flatnonzero(breaks) + 1)
