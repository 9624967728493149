"""The places of a query, each with the probability that the query holds with it as evidence.

A place of “a” must be right to be a witness. For ``a AND b``, “b” must also be said in the unit;
for ``a NEAR/5s b``, a right place of “b” must be close to it; ``a OR b`` requires nothing more.
Phrases that must not be said have no places.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from searcher.queries.events import Both, Close, Either, Event, Given, Not, Said, Sites, sites_of
from searcher.queries.probability import by_unit, probability, swept_unit
from std.values import Bools, Float64s, Int64s


def witnesses(event: Event, sites: Sites) -> Float64s:
    """(n,) the probability of each place; 0 if the place does not belong to the query.

    Raises:
        QueryError: too many places are close to each other.
    """
    found = np.zeros(len(sites.unit))
    used = Counter(
        term
        for leaf in sites_of(event)
        for term in (
            [*leaf.terms] if isinstance(leaf, Said) else [*leaf.left.terms, *leaf.right.terms]
        )
    )
    if all(n == 1 for n in used.values()):
        for rows, given in _of_parts(event, sites):
            found[rows] = sites.probability[rows] * given
        return found
    leaves = [*sites_of(event)]
    if all(isinstance(leaf, Said) for leaf in leaves):
        for rows in _alike([leaf.rows for leaf in leaves if isinstance(leaf, Said)]):
            because = _because_of(event, int(rows[0]), sites)
            if because is not None:
                of_units = probability(_if_right(because, int(rows[0]), sites), sites)
                found[rows] = sites.probability[rows] * of_units[sites.unit[rows]]
        return found
    for unit, rows in by_unit(event, sites):
        local = _within(event, rows)
        for row in rows.tolist():
            because = _because_of(local, row, sites)
            if because is not None:
                holds = swept_unit(because, unit, rows, sites, right=row)
                found[row] = sites.probability[row] * holds
    return found


def _alike(leaves: Sequence[Int64s]) -> list[Int64s]:
    """Groups of places that belong to the same leaves."""
    rows = np.unique(np.concatenate(leaves))
    of_leaves = np.array([np.isin(rows, leaf) for leaf in leaves])
    _, group = np.unique(of_leaves, axis=1, return_inverse=True)
    group = group.ravel()
    return [rows[group == number] for number in range(int(group.max(initial=-1)) + 1)]


def _if_right(event: Event, row: int, sites: Sites) -> Event:
    """The probability of an event without `Close`, given that a place is right."""
    if isinstance(event, Said):
        return Given(np.ones(sites.units, bool)) if row in event.rows else event
    if isinstance(event, Not):
        return Not(_if_right(event.part, row, sites))
    if isinstance(event, Both):
        return type(event)(tuple(_if_right(part, row, sites) for part in event.parts))
    return event


def _of_parts(event: Event, sites: Sites) -> list[tuple[Int64s, Float64s]]:
    """The places of an event that has each word once, with a probability for each place.

    It is the probability that the event holds because of the place, if the place is right."""
    if isinstance(event, Said):
        return [(event.rows, np.ones(len(event.rows)))]
    if isinstance(event, Close):
        left, right = event.left.rows, event.right.rows
        return [
            (left, _any_near(left, right, event.within_ms, sites)),
            (right, _any_near(right, left, event.within_ms, sites)),
        ]
    if not isinstance(event, Both):
        return []
    found = []
    for part in event.parts:
        here = _of_parts(part, sites)
        if here and not isinstance(event, Either):
            others = [probability(other, sites) for other in event.parts if other is not part]
            beside = np.prod(others, axis=0) if others else np.ones(sites.units)
            here = [(rows, given * beside[sites.unit[rows]]) for rows, given in here]
        found += here
    return found


def _any_near(rows: Int64s, others: Int64s, within_ms: float, sites: Sites) -> Float64s:
    """(n,) the probability that at least one other place close to each of n places is right."""
    found = np.zeros(len(rows))
    others = others[np.lexsort((sites.start_ms[others], sites.unit[others]))]
    span = int(sites.end_ms.max(initial=0) + within_ms) + 2
    longest = int((sites.end_ms[others] - sites.start_ms[others]).max(initial=0))
    key = sites.unit[others] * (2 * span) + sites.start_ms[others]
    base = sites.unit[rows] * (2 * span)
    earliest = np.maximum(sites.start_ms[rows] - within_ms - longest, 0)
    first = np.searchsorted(key, base + earliest, side="left")
    last = np.searchsorted(key, base + sites.end_ms[rows] + within_ms, side="right")
    for i, (begin, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        near = others[begin:end]
        near = near[(sites.end_ms[near] >= sites.start_ms[rows[i]] - within_ms)]
        near = near[near != rows[i]]
        found[i] = 1.0 - np.prod(1.0 - sites.probability[near])
    return found


def _because_of(event: Event, row: int, sites: Sites) -> Event | None:
    """The event that must also hold, so that an event holds because of a right place.

    None if the event cannot hold because of the place."""
    if isinstance(event, Said):
        return Given(np.ones(sites.units, bool)) if row in event.rows else None
    if isinstance(event, Close):
        sides = []
        for side, other in ((event.left, event.right), (event.right, event.left)):
            if row in side.rows:
                near = other.rows[_is_close(other.rows, row, event.within_ms, sites)]
                sides.append(Said(other.terms, near))
        return Either(tuple(sides)) if sides else None
    if not isinstance(event, Both):
        return None
    reasons = [_because_of(part, row, sites) for part in event.parts]
    if isinstance(event, Either):
        some = tuple(one for one in reasons if one is not None)
        return Either(some) if some else None
    if all(one is None for one in reasons):
        return None
    pairs = zip(event.parts, reasons, strict=True)
    return Both(tuple(part if reason is None else reason for part, reason in pairs))


def _is_close(rows: Int64s, row: int, within_ms: float, sites: Sites) -> Bools:
    gap = np.maximum(
        sites.start_ms[rows] - sites.end_ms[row], sites.start_ms[row] - sites.end_ms[rows]
    )
    close: Bools = (gap <= within_ms) & (rows != row)
    return close


def _within(event: Event, rows: Int64s) -> Event:
    """An event with the places of one unit only."""
    if isinstance(event, Said):
        return Said(event.terms, np.intersect1d(event.rows, rows))
    if isinstance(event, Close):
        sides = (
            Said(one.terms, np.intersect1d(one.rows, rows)) for one in (event.left, event.right)
        )
        left, right = sides
        return Close(left, right, event.within_ms)
    if isinstance(event, Not):
        return Not(_within(event.part, rows))
    if isinstance(event, Both):
        return type(event)(tuple(_within(part, rows) for part in event.parts))
    return event
