"""How a query's phones may have been written: log ratios over what is heard in all segments.

listening(counts, indexes, queries)    for all phones that anybody knows
ratios_in(phones, index, .)            for one query, as one segment numbers phones
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import SoundIndex
from std.phonetics.confusion import Confusion, Counts, log_ratios, widened
from std.phonetics.phones import Pronunciation
from std.values import Float32s, Float64s

UNHEARD = -1e9  # log ratio of a phone that stands in no live alternative


class Ratios(NamedTuple):
    """Log ratios of a query's phones, with a segment's numbering of phones."""

    match: Float32s  # (Q, P)
    deletion: Float32s  # (Q,)
    insertion: Float32s  # (P,)


def background(indexes: Sequence[SoundIndex], inventory: Sequence[str]) -> Float64s:
    """(P,) how often each phone stands in the networks: each alternative's phones count once."""
    total = np.zeros(len(inventory))
    row = {phone: i for i, phone in enumerate(inventory)}
    for index in indexes:
        for phone, count in index.heard.items():
            total[row[phone]] += count
    return total


def listening(
    counts: Counts, indexes: Sequence[SoundIndex], queries: Sequence[Pronunciation]
) -> Confusion:
    """Log ratios over every phone that the counts, the indexes and the queries know.

    Counts that never saw networks take the background of these.
    """
    inventory = sorted(
        {
            *counts.inventory,
            *(phone for index in indexes for phone in index.heard),
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
    index: SoundIndex,
    confusion: Confusion,
    elsewhere: Collection[str] = (),
) -> Ratios:
    """A query's log ratios with the segment's numbering of phones.

    Those that are only heard elsewhere come last: whether an observed phone is the likeliest for
    the query's must not depend on the segment that it is in.
    """
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    said = [row[phone] for phone in phones]
    numbered = [*index.inventory, *sorted({*elsewhere}.difference(index.inventory))]
    heard = [i for i, phone in enumerate(numbered) if phone in index.heard or phone in elsewhere]
    observed = [row[numbered[i]] for i in heard]
    match = np.full((len(said), len(numbered)), UNHEARD, np.float32)
    match[:, heard] = confusion.match[np.ix_(said, observed)]
    insertion = np.full(len(numbered), UNHEARD, np.float32)
    insertion[heard] = confusion.insertion[observed]
    return Ratios(match, confusion.deletion[said].astype(np.float32), insertion)
