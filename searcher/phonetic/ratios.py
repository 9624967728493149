"""Confusion log ratios of a query's phones and those in the networks.

confusion_log_ratios(counts, indexes, queries)   of all phones that occur anywhere
ratios_in(phones, index, .)                      of one query, by a segment's phone numbers
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import Ratios
from std.phonetics.confusion import Confusion, Counts, log_ratios, widened
from std.phonetics.phones import Pronunciation
from std.values import Float64s

ABSENT = -1e9  # log ratio of a phone without live alternatives


class WeightedPronunciation(NamedTuple):
    """The phones of a query."""

    phones: Pronunciation
    perfect: float  # score of the phones recognised one for one, nats
    log_weight: float = 0.0  # added to the score of their hits, nats


MAX_HITS = 60  # hits of lower ranks matter only for terms that are said often


class HitLimit(NamedTuple):
    """The number of hits to keep of a query."""

    number: int = MAX_HITS  # the best ones
    rare_score: float = math.inf  # nats; all hits with at least this score are kept


class Query(NamedTuple):
    """The phones searched for, by a segment's phone numbers."""

    ratios: Ratios
    min_score: float  # of a hit, nats
    limit: HitLimit = HitLimit()


def background(indexes: Sequence[PhoneticIndex], inventory: Sequence[str]) -> Float64s:
    """(P,) the frequency of each phone in the networks; each alternative's phones count once."""
    total = np.zeros(len(inventory))
    row = {phone: i for i, phone in enumerate(inventory)}
    for index in indexes:
        for phone, count in index.phone_counts.items():
            total[row[phone]] += count
    return total


def confusion_log_ratios(
    counts: Counts, indexes: Sequence[PhoneticIndex], queries: Sequence[Pronunciation]
) -> Confusion:
    """Log ratios for all phones of the counts, the indexes and the queries.

    Counts without networks take the background of these.
    """
    inventory = sorted(
        {
            *counts.inventory,
            *(phone for index in indexes for phone in index.phone_counts),
            *(phone for query in queries for phone in query),
        }
    )
    wide = widened(counts, inventory)
    if not wide.background.any():
        wide = Counts(
            wide.inventory,
            wide.substituted,
            wide.deleted,
            wide.inserted,
            background(indexes, inventory),
        )
    return log_ratios(wide)


def perfect_score(phones: Pronunciation, confusion: Confusion) -> float:
    """Score of a query that was recognised phone for phone."""
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    return float(sum(confusion.match[row[phone], row[phone]] for phone in phones))


def ratios_in(
    phones: Pronunciation,
    index: PhoneticIndex,
    confusion: Confusion,
) -> Ratios:
    """A query's log ratios with the segment's numbering of phones.

    Args:
        phones: the query.
        index: the segment.
        confusion: log ratios of all phones.
    """
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    asked = [row[phone] for phone in phones]
    present = [i for i, phone in enumerate(index.inventory) if phone in index.phone_counts]
    observed = [row[index.inventory[i]] for i in present]
    match = np.full((len(asked), len(index.inventory)), ABSENT, np.float32)
    match[:, present] = confusion.match[np.ix_(asked, observed)]
    insertion = np.full(len(index.inventory), ABSENT, np.float32)
    insertion[present] = confusion.insertion[observed]
    return Ratios(match, confusion.deletion[asked].astype(np.float32), insertion)
