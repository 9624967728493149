"""The probability that an event holds in each unit.

Parts of an event that share no words are independent, so their probabilities are multiplied. For
parts that share words there are two methods: a sum over which words are said (`by_assignment`), or,
if the event contains `Close`, a pass over the places in the order of time (`swept`).

The pass keeps a distribution over states. The state of `Said` is whether a place was right. The
state of `Close` is whether it holds already, or else when the last right place of each side ended,
as long as a close place may follow.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from searcher.queries.events import Both, Close, Either, Event, Given, Not, Said, Sites, sites_of
from std.errors import QueryError
from std.execution.stop import check_stop
from std.values import Bools, Float64s, Int64s

MOST_WORDS = 8  # whose assignments are enumerated

MAX_STATES = 20_000
LONG_AGO = -(2**62)  # ms; no right place
Memory = bool | tuple[int, int]  # of a leaf: whether it holds, or when each side ended last


def probability(event: Event, sites: Sites) -> Float64s:
    """(units,) the probability that an event holds in each unit.

    Raises:
        QueryError: too many places are close to each other.
    """
    if isinstance(event, Given):
        return event.holds.astype(np.float64)
    if isinstance(event, Said):
        return said(event.rows, sites)
    if isinstance(event, Close):
        return swept(_in_common_units(event, sites), sites)
    if isinstance(event, Not):
        return 1.0 - probability(event.part, sites)
    is_either = isinstance(event, Either)
    found = np.ones(sites.units)
    for group in independent(event.parts):
        if len(group) == 1:
            part = probability(group[0], sites)
        else:
            joined = Either(group) if is_either else Both(group)
            by_words = by_assignment(joined, sites)
            part = swept(joined, sites) if by_words is None else by_words
        found *= 1.0 - part if is_either else part
    return 1.0 - found if is_either else found


def said(rows: Int64s, sites: Sites) -> Float64s:
    """(units,) the probability that at least one of some places is right."""
    with np.errstate(divide="ignore"):  # a place that is certain
        log_wrong = np.log1p(-sites.probability[rows])
    found: Float64s = -np.expm1(np.bincount(sites.unit[rows], log_wrong, minlength=sites.units))
    return found


def by_assignment(event: Event, sites: Sites) -> Float64s | None:
    """(units,) the probability of an event without `Close`: a sum over which of its words are said.

    Returns:
        None if it cannot be computed: there are too many words, or some share places.
    """
    leaves = [*sites_of(event)]
    rows_of = {leaf.rows.tobytes(): leaf.rows for leaf in leaves if isinstance(leaf, Said)}
    some = [*rows_of.values()]
    places = sum(map(len, some))
    is_apart = places == len(np.unique(np.concatenate(some))) if some else True
    if any(isinstance(leaf, Close) for leaf in leaves) or len(some) > MOST_WORDS or not is_apart:
        return None
    of_each = [said(rows, sites) for rows in some]
    total = np.zeros(sites.units)
    for values in product((False, True), repeat=len(some)):
        is_said = dict(zip(rows_of, values, strict=True))
        parts = zip(of_each, values, strict=True)
        weight = np.prod([p if one else 1.0 - p for p, one in parts], axis=0)
        total += weight * _truth(event, is_said, sites.units)
    return total


def _truth(event: Event, is_said: dict[bytes, bool], units: int) -> Bools:
    """(units,) whether an event holds, given which words are said."""
    if isinstance(event, Given):
        return event.holds
    if isinstance(event, Not):
        return ~_truth(event.part, is_said, units)
    if isinstance(event, Both):
        parts = [_truth(part, is_said, units) for part in event.parts]
        joined = np.logical_or if isinstance(event, Either) else np.logical_and
        holds: Bools = joined.reduce(parts)
        return holds
    assert isinstance(event, Said)
    return np.full(units, is_said[event.rows.tobytes()])


def independent(parts: Sequence[Event]) -> list[tuple[Event, ...]]:
    """Groups of parts that share words, directly or through other parts."""
    groups: list[tuple[frozenset[int], tuple[Event, ...]]] = []
    for part in parts:
        terms: frozenset[int] = part.terms
        group: tuple[Event, ...] = (part,)
        apart = []
        for others, members in groups:
            if others & terms:
                terms, group = terms | others, (*members, *group)
            else:
                apart.append((others, members))
        groups = [*apart, (terms, group)]
    return [group for _, group in groups]


def _in_common_units(event: Close, sites: Sites) -> Close:
    """The two sides without the places of units in which only one side has places."""
    left, right = event.left.rows, event.right.rows
    common = np.intersect1d(sites.unit[left], sites.unit[right])
    of_left, of_right = (rows[np.isin(sites.unit[rows], common)] for rows in (left, right))
    return Close(
        Said(event.left.terms, of_left), Said(event.right.terms, of_right), event.within_ms
    )


def swept(event: Event, sites: Sites) -> Float64s:
    """(units,) the probability that an event holds in each unit.

    Raises:
        QueryError: there would be too many states.
    """
    leaves = [*sites_of(event)]
    nothing = dict.fromkeys(map(id, leaves), False)
    found = np.array([_holds(event, nothing, unit) for unit in range(sites.units)], np.float64)
    for unit, rows in by_unit(event, sites):
        found[unit] = swept_unit(event, unit, rows, sites)
    return found


def by_unit(event: Event, sites: Sites) -> list[tuple[int, Int64s]]:
    """The places of an event in each unit with places."""
    leaves = [*map(_rows, sites_of(event))]
    rows = np.unique(np.concatenate(leaves)) if leaves else np.empty(0, np.int64)
    rows = rows[np.argsort(sites.unit[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(sites.unit[rows])) + 1) if len(rows) else []
    return [(int(sites.unit[part[0]]), part) for part in parts]


def swept_unit(event: Event, unit: int, rows: Int64s, sites: Sites, right: int = -1) -> float:
    """The probability that an event holds in one unit.

    Args:
        rows: all places of the event in the unit.
        right: a place that is known to be right; -1 = none.
    """
    leaves = [*sites_of(event)]
    rows = rows[np.lexsort((sites.end_ms[rows], sites.start_ms[rows]))]
    sides = _sides(leaves, rows)
    states: dict[tuple[Memory, ...], float] = {
        tuple(False if isinstance(leaf, Said) else (LONG_AGO, LONG_AGO) for leaf in leaves): 1.0
    }
    columns = (sites.start_ms[rows], sites.end_ms[rows], sites.probability[rows])
    for row, start, end, p in zip(rows.tolist(), *(c.tolist() for c in columns), strict=True):
        check_stop()
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
        total += weight * _holds(event, truth, unit)
    return min(1.0, total)


def _rows(leaf: Said | Close) -> Int64s:
    return leaf.rows if isinstance(leaf, Said) else np.union1d(leaf.left.rows, leaf.right.rows)


def _sides(leaves: Sequence[Said | Close], rows: Int64s) -> dict[int, list[tuple[int, int]]]:
    """The leaves that each place belongs to.

    Each leaf is given by its number and the side: 1 for the left side, 2 for the right one, 3 for
    both."""
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
    """The state without places that ended too long ago to be close to a later one."""
    if isinstance(memory, bool) or isinstance(leaf, Said):
        return memory
    left, right = memory
    oldest = now_ms - leaf.within_ms
    return (left if left >= oldest else LONG_AGO, right if right >= oldest else LONG_AGO)


def _after(leaf: Said | Close, memory: Memory, side: int, start_ms: int, end_ms: int) -> Memory:
    """The state after a right place."""
    if isinstance(memory, bool) or isinstance(leaf, Said):
        return True
    left, right = memory
    oldest = start_ms - leaf.within_ms
    if (side & 1 and right >= oldest) or (side & 2 and left >= oldest):
        return True
    return (max(left, end_ms) if side & 1 else left, max(right, end_ms) if side & 2 else right)


def _holds(event: Event, of_leaf: dict[int, bool], unit: int) -> bool:
    """Whether an event holds, given which of its leaves hold."""
    if isinstance(event, Given):
        return bool(event.holds[unit])
    if isinstance(event, Not):
        return not _holds(event.part, of_leaf, unit)
    if isinstance(event, Both):
        parts = (_holds(part, of_leaf, unit) for part in event.parts)
        return any(parts) if isinstance(event, Either) else all(parts)
    return of_leaf[id(event)]
