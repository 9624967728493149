"""Which segments are merged, and when.

A look-up costs one step per segment, so an index of many small segments is slow to search and
one big segment is slow to add to. In between stand tiers: segments of about the same size are
merged as soon as there are `FAN_IN` of them, so each posting is rewritten at most once per tier
and an index of n postings has at most about ``FAN_IN * log(n)`` segments.
"""

from collections.abc import Iterable, Sequence

FAN_IN = 8  # segments of a tier that become one of the next; also the ratio of their sizes
SMALLEST_TIER = 100_000  # postings below which segments are all alike
LARGEST = 50_000_000  # postings of a merged segment: some 1,100 hours, 3 GB of memory to merge


def plan(sizes: Sequence[int]) -> list[list[int]]:
    """Which segments to merge now, given each one's number of postings.

    Returns:
        Groups of rows of ``sizes``, each to become one segment; none where nothing is due. What
        a merge makes may fill the next tier: plan again until there is nothing left.
    """
    tiers: dict[int, list[int]] = {}
    for row, size in enumerate(sizes):
        tiers.setdefault(_tier(size), []).append(row)
    due = [rows for _, rows in sorted(tiers.items()) if len(rows) >= FAN_IN]
    return [some for rows in due for some in _packed(rows, sizes) if len(some) > 1]


def plan_all(sizes: Sequence[int], stale: Sequence[bool]) -> list[list[int]]:
    """Which segments to merge so that they are as few as `LARGEST` allows.

    Args:
        sizes: number of postings of each.
        stale: which hold deleted recordings; they are rewritten in any case.
    """
    groups = _packed(range(len(sizes)), sizes)
    return [rows for rows in groups if len(rows) > 1 or stale[rows[0]]]


def _packed(rows: Iterable[int], sizes: Sequence[int]) -> list[list[int]]:
    """Rows in groups of at most `LARGEST` postings together, each in the first that has room."""
    groups: list[list[int]] = []
    for row in rows:
        for group in groups:
            if sum(sizes[one] for one in group) + sizes[row] <= LARGEST:
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _tier(size: int) -> int:
    tier, limit = 0, SMALLEST_TIER
    while size >= limit:
        tier, limit = tier + 1, limit * FAN_IN
    return tier
