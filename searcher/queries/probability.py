"""The probability that an event holds in each unit.

Parts of an event that share no words are independent, so their probabilities are multiplied; parts
that share some are gone through word by word (`by_assignment`) or, if they ask what is near to
what, place by place (`searcher.queries.sweep`).
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from searcher.queries.events import Both, Close, Either, Event, Given, Not, Said, Sites, sites_of
from searcher.queries.sweep import swept
from std.store.columns import Int64s
from std.values import Bools, Float64s

MOST_WORDS = 8  # whose assignments are gone through


def probability(event: Event, sites: Sites) -> Float64s:
    """(units,) the probability that an event holds in each unit.

    Args:
        event: over the places.
        sites: all places.

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
    """(units,) the probability that at least one of some places is right.

    Args:
        rows: of the places.
        sites: all places.
    """
    with np.errstate(divide="ignore"):  # a place that is certain
        log_wrong = np.log1p(-sites.probability[rows])
    found: Float64s = -np.expm1(np.bincount(sites.unit[rows], log_wrong, minlength=sites.units))
    return found


def by_assignment(event: Event, sites: Sites) -> Float64s | None:
    """(units,) the probability of an event without `Close`, from the few words that it has: summed
    over which of them are said.

    Args:
        event: over the places.
        sites: all places.

    Returns:
        None where that is no way: there are too many words, or their places are partly the same.
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
    """Parts in groups of those that share words, directly or by others."""
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
    """Without the places of units in which only one side has some."""
    left, right = event.left.rows, event.right.rows
    common = np.intersect1d(sites.unit[left], sites.unit[right])
    sides = (rows[np.isin(sites.unit[rows], common)] for rows in (left, right))
    of_left, of_right = sides
    return Close(
        Said(event.left.terms, of_left), Said(event.right.terms, of_right), event.within_ms
    )
