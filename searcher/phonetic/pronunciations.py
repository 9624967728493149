"""The phones of a search's terms.

pronounced            the pronunciations of each written term (`std.phonetics.lexicon`)
pronounced_queries    the pronunciations of each spoken query, with weights
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import log

import numpy as np

from searcher.phonetic.ratios import WeightedPronunciation
from searcher.terms.request import SpokenWords
from std.phonetics.lexicon import Lexicon
from std.phonetics.phones import Pronunciation

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
    added up.
    """
    of_words = iter(pronounced([words for query in queries for words, _ in query], lexicon))
    of_query: list[Weighted] = []
    for alternatives in queries:
        weights: dict[Pronunciation, float] = {}
        for _, weight in alternatives:
            ways = next(of_words)
            for phones in ways:
                weights[phones] = weights.get(phones, 0.0) + weight / len(ways)
        best = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        of_query.append({phones: log(weight) for phones, weight in best[:MAX_OF_QUERY]})
    return of_query


def mean_phones(pronunciations: Sequence[WeightedPronunciation]) -> float:
    """The mean number of phones of a query, weighted over its pronunciations."""
    weights = np.exp([pronunciation.log_weight for pronunciation in pronunciations])
    return float(
        np.average([len(pronunciation.phones) for pronunciation in pronunciations], weights=weights)
    )
