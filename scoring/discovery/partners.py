"""Which items have a partner in their group that does not overlap them, without listing pairs.

Grouping, matching and coverage need to know whether there is *another* occurrence of the same item
that does not overlap in time. Sorting decides this: a partner in another file never overlaps; in
the same file, the earliest end and the latest onset of the others are enough. Only the few
undecided items (which all others of the group touch) are compared pair by pair.
"""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from scoring.discovery.corpus import Times
from std.values import Bools, Float64s, Integers

PairTest = Callable[[Integers, Integers], Bools]
TalkerScope = Literal["all", "within", "cross"]

CHUNK = 1_000_000  # pairs looked at together


def share_half(onset: Times, offset: Times) -> PairTest:
    """Whether two stretches (i, j) of one file share more than half of the shorter one."""

    def test(i: Integers, j: Integers) -> Bools:
        shared = np.minimum(offset[i], offset[j]) - np.maximum(onset[i], onset[j])
        result: Bools = 2 * shared > np.minimum(offset[i] - onset[i], offset[j] - onset[j])
        return result

    return test


def differs_in_group(group: Integers, value: Integers) -> Bools:
    """Whether an item's group holds a value other than the item's own; shape (n,)."""
    order = np.lexsort((value, group))
    first, last = _ends(group[order])
    out = np.empty(len(group), np.bool_)
    out[order] = value[order][first] != value[order][last]
    return out


def _ends(ordered: Integers) -> tuple[Integers, Integers]:
    """First and last position of each element's run of equal values; shapes (n,)."""
    new = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    sizes = np.diff(np.append(new, len(ordered)))
    return np.repeat(new, sizes), np.repeat(new + sizes - 1, sizes)


def smallest_of_others(group: Integers, owner: Integers, value: Times) -> Float64s:
    """The smallest value in an item's group among items of other owners; inf if there is none."""
    order = np.lexsort((value, group))
    group_, owner_, value_ = group[order], owner[order], value[order].astype(np.float64)
    first, _ = _ends(group_)
    foreign = np.flatnonzero(owner_ != owner_[first])
    second = np.full(len(group), np.inf)  # per group, kept at the position of its first item
    np.minimum.at(second, first[foreign], value_[foreign])
    result = np.where(owner_ == owner_[first], second[first], value_[first])
    out = np.empty(len(group), np.float64)
    out[order] = result
    return out


def has_partner(
    group: Integers,
    owner: Integers,
    file: Integers,
    onset: Times,
    end: Times,
    apart: PairTest | None = None,
) -> Bools:
    """Whether another owner's item in the same group is apart from this one.

    Args:
        group, owner, file: (n,) integers; items of one owner are never partners.
        onset, end: (n,) an item ends before another begins iff ``end <= onset``.
        apart: test of item index pairs (i, j) for partners whose times do touch, when the profile's
            notion of overlap allows them; None: items that share time are never partners.
    """
    has_partner_apart = differs_in_group(group, file)
    has_partner_apart |= smallest_of_others(group, owner, end) <= onset
    has_partner_apart |= -smallest_of_others(group, owner, -onset) >= end
    if apart is not None:
        compare_undecided(group, owner, has_partner_apart, ~has_partner_apart, apart)
    return has_partner_apart


def compare_undecided(
    group: Integers, owner: Integers, decided: Bools, undecided: Bools, are_partners: PairTest
) -> None:
    """Compare the undecided items with all others in their group.

    Args:
        group, owner: (n,) integers; items of one owner are never partners.
        decided: (n,) set to True, in place, where a partner is found.
        undecided: (n,) items to compare.
        are_partners: test of item index pairs (i, j).
    """
    order = np.argsort(group, kind="stable")
    first, last = _ends(group[order])
    where = np.flatnonzero(undecided[order] & (last > first))
    for at, other in expand(where, first[where], last[where] + 1):
        i, j = order[at], order[other]
        fits = owner[i] != owner[j]
        i, j = i[fits], j[fits]
        decided[i[are_partners(i, j)]] = True


def expand(item: Integers, lo: Integers, hi: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield arrays of pairs (item, k) for every k in lo:hi, about CHUNK pairs at a time.

    Args:
        item: (n,) first of the pairs.
        lo, hi: (n,) range of the second.
    """
    sizes = np.maximum(hi - lo, 0)
    total = np.cumsum(sizes)
    cuts = np.searchsorted(total, np.arange(CHUNK, total[-1] if len(total) else 0, CHUNK))
    for part in np.split(np.arange(len(item)), cuts):
        if len(part):
            size = sizes[part]
            shift = np.repeat(lo[part] - (np.cumsum(size) - size), size)
            yield np.repeat(item[part], size), np.arange(len(shift)) + shift


def has_partner_in(
    scope: TalkerScope,
    talker: Integers,
    group: Integers,
    owner: Integers,
    file: Integers,
    onset: Times,
    end: Times,
    apart: PairTest | None = None,
) -> Bools:
    """`has_partner` among all items, among those of the same talker, or among the others'.

    Items of different talkers lie in different files, so they are always apart.

    Args:
        scope: which talkers' items may be partners.
        talker: (n,) talker of each item.
        group, owner, file, onset, end, apart: as of `has_partner`.
    """
    if scope == "cross":
        return differs_in_group(group, talker)
    if scope == "within":
        group = group * (int(talker.max(initial=0)) + 1) + talker
    return has_partner(group, owner, file, onset, end, apart)
