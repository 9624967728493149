"""The phones of a query, and confusion log ratios between them and the phones of the networks.

pronounced            the pronunciations of each written term (`std.phonetics.lexicon`)
pronounced_queries    the pronunciations of each spoken query, with weights
confusion_log_ratios(counts, indexes, queries)   of all phones that occur anywhere
ratios_in(phones, index, .)                      of one query, by a segment's phone numbers
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import Ratios, WeightedPronunciation
from searcher.terms.request import SpokenWords
from std.phonetics.confusion import Confusion, Counts, log_ratios, widened
from std.phonetics.lexicon import Lexicon
from std.phonetics.phones import Pronunciation
from std.values import Float64s

ABSENT = -1e9  # log ratio of a phone without live alternatives


MAX_HITS = 60  # hits of lower ranks matter only for terms that are said often


class HitLimit(NamedTuple):
    """The number of hits to keep for a query, and of the places that its words found."""

    number: int = MAX_HITS  # the best ones
    rare_score: float = math.inf  # nats; all hits with at least this score are kept
    written: int = 0  # places where the words of the term were found, without phones


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


def ratios_in(phones: Pronunciation, index: PhoneticIndex, confusion: Confusion) -> Ratios:
    """A query's log ratios with the segment's numbering of phones."""
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    asked = [row[phone] for phone in phones]
    present = [i for i, phone in enumerate(index.inventory) if phone in index.phone_counts]
    observed = [row[index.inventory[i]] for i in present]
    match = np.full((len(asked), len(index.inventory)), ABSENT, np.float32)
    match[:, present] = confusion.match[np.ix_(asked, observed)]
    insertion = np.full(len(index.inventory), ABSENT, np.float32)
    insertion[present] = confusion.insertion[observed]
    return Ratios(match, confusion.deletion[asked].astype(np.float32), insertion)


MIN_PHONES = 3  # shorter queries match everywhere
MAX_PHONES = 200
MAX_PRONUNCIATIONS = 4  # of a term
MAX_OF_QUERY = 20  # pronunciations of a spoken query

Weighted = Mapping[Pronunciation, float]  # phones -> log weight


def pronounced(terms: Sequence[Sequence[str]], lexicon: Lexicon) -> list[list[Pronunciation]]:
    """The pronunciations of each term, concatenated from its words, the likeliest first.

    Empty if a word has none, or if there are too few or too many phones.
    """
    every = [word for words in terms for word in words]
    of_word = dict(zip(every, lexicon.pronunciations(every), strict=True))
    of_term = []
    for words in terms:
        pronunciations: list[Pronunciation] = []
        for parts in product(*(of_word[word] for word in words)):
            phones = tuple(phone for part in parts for phone in part)
            if MIN_PHONES <= len(phones) <= MAX_PHONES:
                pronunciations.append(phones)
            if len(pronunciations) == MAX_PRONUNCIATIONS:
                break
        of_term.append(pronunciations)
    return of_term


def pronounced_queries(
    queries: Sequence[Sequence[SpokenWords]], lexicon: Lexicon
) -> list[Weighted]:
    """The likeliest pronunciations of each spoken query, with the logs of their weights.

    The pronunciations of a word sequence share its weight; weights of equal pronunciations are
    added up. Weights are relative: they are those of a query that sounds like its alternatives.
    """
    of_words = iter(pronounced([words for query in queries for words, _ in query], lexicon))
    of_query: list[Weighted] = []
    for alternatives in queries:
        weights: dict[Pronunciation, float] = {}
        every = sum(weight for _, weight in alternatives)
        for _, weight in alternatives:
            ways = next(of_words)
            for phones in ways:
                weights[phones] = weights.get(phones, 0.0) + weight / every / len(ways)
        best = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        of_query.append({phones: log(weight) for phones, weight in best[:MAX_OF_QUERY]})
    return of_query


def mean_phones(pronunciations: Sequence[WeightedPronunciation]) -> float:
    """The mean number of phones of a query, weighted over its pronunciations."""
    weights = np.exp([pronunciation.log_weight for pronunciation in pronunciations])
    return float(
        np.average([len(pronunciation.phones) for pronunciation in pronunciations], weights=weights)
    )
