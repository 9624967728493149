"""The probability that an event holds in each unit.

Parts of an event that share no words are independent, so their probabilities are multiplied; parts
that share some are swept together (`searcher.queries.sweep`).
"""

from collections.abc import Sequence

import numpy as np

from searcher.queries.events import Both, Close, Either, Event, Given, Not, Said, Sites
from searcher.queries.sweep import swept
from std.store.columns import Int64s
from std.values import Float64s


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
            part = swept(Either(group) if is_either else Both(group), sites)
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
