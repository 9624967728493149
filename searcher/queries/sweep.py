"""Exact probabilities of events whose parts share places: one place after another, as time passes.

Each place is right or wrong. What must be remembered of the places before is small: of `Said`,
whether one was right; of `Close`, whether it holds already, else when the last right place of each
side ended, as long as a place close to it may follow. So the places of a unit are gone through
once, with the probability of everything that may have to be remembered.
"""

from collections.abc import Sequence

import numpy as np

from searcher.queries.events import Both, Close, Either, Event, Given, Not, Said, Sites, sites_of
from std.errors import QueryError
from std.execution.stop import check_stop
from std.store.columns import Int64s
from std.values import Float64s

MAX_STATES = 20_000
NEVER = -(2**62)  # ms; no right place
Memory = bool | tuple[int, int]  # of a leaf: whether it holds, or when each side ended last


def swept(event: Event, sites: Sites) -> Float64s:
    """(units,) the probability that an event holds in each unit.

    Args:
        event: over the places.
        sites: all places.

    Raises:
        QueryError: too much had to be remembered.
    """
    leaves = [*sites_of(event)]
    nothing = dict.fromkeys(map(id, leaves), False)
    found = np.array([_truth(event, nothing, unit) for unit in range(sites.units)], np.float64)
    for unit, rows in by_unit(event, sites):
        found[unit] = swept_unit(event, unit, rows, sites)
    return found


def by_unit(event: Event, sites: Sites) -> list[tuple[int, Int64s]]:
    """The places of an event in each unit that has some.

    Args:
        event: over the places.
        sites: all places.
    """
    leaves = [*map(_rows, sites_of(event))]
    rows = np.unique(np.concatenate(leaves)) if leaves else np.empty(0, np.int64)
    rows = rows[np.argsort(sites.unit[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(sites.unit[rows])) + 1) if len(rows) else []
    return [(int(sites.unit[part[0]]), part) for part in parts]


def swept_unit(event: Event, unit: int, rows: Int64s, sites: Sites, right: int = -1) -> float:
    """The probability that an event holds in one unit.

    Args:
        event: over the places.
        unit: number of the unit.
        rows: all places of the event there.
        sites: all places.
        right: a place that is right; -1 = none is known to be.
    """
    check_stop()
    leaves = [*sites_of(event)]
    rows = rows[np.lexsort((sites.end_ms[rows], sites.start_ms[rows]))]
    sides = _sides(leaves, rows)
    states: dict[tuple[Memory, ...], float] = {
        tuple(False if isinstance(leaf, Said) else (NEVER, NEVER) for leaf in leaves): 1.0
    }
    columns = (sites.start_ms[rows], sites.end_ms[rows], sites.probability[rows])
    for row, start, end, p in zip(rows.tolist(), *(c.tolist() for c in columns), strict=True):
        if row == right:
            p = 1.0
        following: dict[tuple[Memory, ...], float] = {}
        for state, weight in states.items():
            kept = tuple(_faded(leaf, one, start) for leaf, one in zip(leaves, state, strict=True))
            if p < 1.0:
                following[kept] = following.get(kept, 0.0) + weight * (1.0 - p)
            if p > 0.0:
                new = list(kept)
                for number, side in sides[row]:
                    new[number] = _after(leaves[number], new[number], side, start, end)
                key = tuple(new)
                following[key] = following.get(key, 0.0) + weight * p
        states = following
        if len(states) > MAX_STATES:
            raise QueryError("query: too many places near each other; less time, or other words")
    total = 0.0
    for state, weight in states.items():
        truth = {id(leaf): one is True for leaf, one in zip(leaves, state, strict=True)}
        total += weight * _truth(event, truth, unit)
    return min(1.0, total)


def _rows(leaf: Said | Close) -> Int64s:
    return leaf.rows if isinstance(leaf, Said) else np.union1d(leaf.left.rows, leaf.right.rows)


def _sides(leaves: Sequence[Said | Close], rows: Int64s) -> dict[int, list[tuple[int, int]]]:
    """Of each place the leaves that it is part of: number, and 1 for the left side, 2 for the
    right one, 3 for both."""
    found: dict[int, list[tuple[int, int]]] = {row: [] for row in rows.tolist()}
    for number, leaf in enumerate(leaves):
        left, right = (leaf, leaf) if isinstance(leaf, Said) else (leaf.left, leaf.right)
        is_left, is_right = np.isin(rows, left.rows), np.isin(rows, right.rows)
        side = 1 * is_left + 2 * is_right
        for row, one in zip(rows.tolist(), side.tolist(), strict=True):
            if one:
                found[row].append((number, one))
    return found


def _faded(leaf: Said | Close, memory: Memory, now_ms: int) -> Memory:
    """What is still of interest: a place that ended long ago is close to none that follows."""
    if isinstance(memory, bool) or isinstance(leaf, Said):
        return memory
    left, right = memory
    oldest = now_ms - leaf.within_ms
    return (left if left >= oldest else NEVER, right if right >= oldest else NEVER)


def _after(leaf: Said | Close, memory: Memory, side: int, start_ms: int, end_ms: int) -> Memory:
    """What is remembered after a right place."""
    if isinstance(memory, bool) or isinstance(leaf, Said):
        return True
    left, right = memory
    oldest = start_ms - leaf.within_ms
    if (side & 1 and right >= oldest) or (side & 2 and left >= oldest):
        return True
    return (max(left, end_ms) if side & 1 else left, max(right, end_ms) if side & 2 else right)


def _truth(event: Event, of_leaf: dict[int, bool], unit: int) -> bool:
    """Whether an event holds, given which of its leaves do."""
    if isinstance(event, Given):
        return bool(event.holds[unit])
    if isinstance(event, Not):
        return not _truth(event.part, of_leaf, unit)
    if isinstance(event, Both):
        parts = (_truth(part, of_leaf, unit) for part in event.parts)
        return any(parts) if isinstance(event, Either) else all(parts)
    return of_leaf[id(event)]
