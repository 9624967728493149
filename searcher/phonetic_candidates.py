"""Phonetic search for terms: words and phonetic indexes in, hits as candidates out.

pronounced              the phones of each term (`std.phonetics.lexicon`)
pronounced_queries      those of each spoken query, with weights
phonetic_hits           their hits (`searcher.phonetic.search`)
hits_as_candidates      hits as candidates, with the words that stand there
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates
from searcher.phonetic.alignment import Hits, best_rows
from searcher.phonetic.layout import SCORE
from searcher.phonetic.ratios import (
    WeightedPronunciation,
    confusion_log_ratios,
    perfect_score,
)
from searcher.phonetic.search import MIN_SHARE, search_phones
from searcher.phonetic_indexes import PhoneticIndexes
from searcher.variant import Variant
from std.execution.workers import IN_PROCESS, Executor
from std.phonetics.lexicon import Lexicon
from std.phonetics.phones import Pronunciation
from std.spoken_queries import SpokenQuery
from std.store.columns import Int64s
from std.text import Normalisation
from std.values import Bools, Float64s

MIN_PHONES = 3  # shorter queries fit everywhere
MAX_PHONES = 200
MAX_PRONUNCIATIONS = 4  # of a term
MAX_OF_QUERY = 20  # pronunciations of a spoken query

Weighted = Mapping[Pronunciation, float]  # phones -> log weight
Inside = Callable[[Int64s, Int64s, Int64s], Bools]  # recording, start_ms, end_ms -> (n,)


class PhoneticHits(NamedTuple):
    """The hits of one term, best first; their recordings are rows of the search's table."""

    hits: Hits  # scores have the log weight of the pronunciation
    pronunciations: tuple[WeightedPronunciation, ...]
    found_by: Int64s  # (n,) which pronunciation found each

    def rows(self, which: Int64s) -> "PhoneticHits":
        """Some of the hits."""
        return self._replace(hits=self.hits.rows(which), found_by=self.found_by[which])


def pronounced(terms: Sequence[Sequence[str]], lexicon: Lexicon) -> list[list[Pronunciation]]:
    """The pronunciations of each term: those of its words in a row, the likeliest first.

    Empty where a word has none, or where the phones are too few or too many to be searched for.
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
    queries: Sequence[SpokenQuery], lexicon: Lexicon, normalisation: Normalisation
) -> list[Weighted]:
    """The likeliest pronunciations of each spoken query, with the logs of their weights.

    The weight of a word sequence is shared by its pronunciations, and added up where several
    sequences sound the same.
    """
    sequences = [
        [
            (normalisation.phrase(alternative.words), alternative.weight)
            for alternative in query.alternatives
        ]
        for query in queries
    ]
    of_words = iter(pronounced([words for of in sequences for words, _ in of], lexicon))
    of_query: list[Weighted] = []
    for alternatives in sequences:
        weights: dict[Pronunciation, float] = {}
        for _, weight in alternatives:
            ways = next(of_words)
            for phones in ways:
                weights[phones] = weights.get(phones, 0.0) + weight / len(ways)
        best = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        of_query.append({phones: log(weight) for phones, weight in best[:MAX_OF_QUERY]})
    return of_query


def mean_phones(pronunciations: Sequence[WeightedPronunciation]) -> float:
    """How many phones a query has, on average over its pronunciations by their weights."""
    weights = np.exp([pronunciation.log_weight for pronunciation in pronunciations])
    return float(
        np.average([len(pronunciation.phones) for pronunciation in pronunciations], weights=weights)
    )


def phonetic_hits(
    pronunciations: Sequence[Sequence[Pronunciation] | Weighted],
    phonetic: PhoneticIndexes,
    inside: Inside,
    workers: Executor = IN_PROCESS,
) -> list[PhoneticHits | None]:
    """The hits of each term.

    A written term has those of the pronunciation whose best hit fits best: one of them is how it
    is said. A spoken query has those of all its pronunciations, with their weights (`combined`):
    which of them it is, is not known.

    Args:
        pronunciations: of each term; with their log weights if it was spoken.
        phonetic: indexes of the segments.
        inside: which hits lie inside the speech that is searched.
        workers: who searches the segments.

    Returns:
        for each term its hits, None without a pronunciation.
    """
    counts = phonetic.confusion_counts
    queries = list(dict.fromkeys(phones for of_term in pronunciations for phones in of_term))
    confusion = confusion_log_ratios(counts, phonetic.indexes, queries)
    hits = {
        phones: (_inside(found, phonetic, inside), perfect_score(phones, confusion))
        for phones, found in search_phones(queries, phonetic.indexes, confusion, workers).items()
    }
    return [
        combined(
            [
                (WeightedPronunciation(phones, hits[phones][1], log_weight), hits[phones][0])
                for phones, log_weight in of_term.items()
            ]
        )
        if isinstance(of_term, Mapping)
        else _best_fitting(of_term, hits)
        for of_term in pronunciations
    ]


def _best_fitting(
    pronunciations: Sequence[Pronunciation], hits: Mapping[Pronunciation, tuple[Hits, float]]
) -> PhoneticHits | None:
    """The hits of the pronunciation whose best hit has most of a perfect score."""

    def best_share(phones: Pronunciation) -> float:
        found, perfect = hits[phones]
        return float(found.measures[:, SCORE].max(initial=0.0)) / max(perfect, 1e-9)

    if not pronunciations:
        return None
    phones = max(pronunciations, key=best_share)
    found, perfect = hits[phones]
    found_by = np.zeros(len(found.recording), np.int64)
    return PhoneticHits(found, (WeightedPronunciation(phones, perfect),), found_by)


def combined(
    of_pronunciations: Sequence[tuple[WeightedPronunciation, Hits]],
) -> PhoneticHits | None:
    """The hits of a query whose pronunciation is one of several: at each place the best one's.

    Its score is the log ratio of the phones plus the log weight of the pronunciation: the largest
    term of the sum over pronunciations that the likelihood ratio of the place is.

    Args:
        of_pronunciations: each with its hits, without log weight.

    Returns:
        None without a pronunciation.
    """
    if not of_pronunciations:
        return None
    length = max(found.observed.shape[1] for _, found in of_pronunciations)
    parts, found_by = [], []
    for row, (pronunciation, found) in enumerate(of_pronunciations):
        measures = found.measures.copy()
        measures[:, SCORE] += pronunciation.log_weight
        missing = length - found.observed.shape[1]
        observed = np.pad(found.observed, ((0, 0), (0, missing)), constant_values=-1)
        enough = np.flatnonzero(measures[:, SCORE] >= MIN_SHARE * pronunciation.perfect)
        parts.append(found._replace(measures=measures, observed=observed).rows(enough))
        found_by.append(np.full(len(enough), row))
    hits = Hits(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    pronunciations = tuple(pronunciation for pronunciation, _ in of_pronunciations)
    every = PhoneticHits(hits, pronunciations, np.concatenate(found_by))
    every = every.rows(np.lexsort((hits.start_ms, hits.recording)))
    return every.rows(best_rows(every.hits))


def _inside(hits: Hits, phonetic: PhoneticIndexes, inside: Inside) -> Hits:
    """Those inside the searched speech, with their recordings' rows in the search's table."""
    recording = hits.recording.copy()
    for i, rows in enumerate(phonetic.recordings):
        in_segment = hits.segment == i
        recording[in_segment] = rows[hits.recording[in_segment]]
    hits = hits._replace(recording=recording)
    return hits.rows(np.flatnonzero(inside(recording, hits.start_ms, hits.end_ms)))


def hits_as_candidates(
    term: int,
    term_hits: PhoneticHits,
    probability: Float64s,
    phonetic: PhoneticIndexes,
    table: list[Variant],
) -> Candidates:
    """Hits as candidates, each with a variant that says which words stand there.

    Args:
        term: row of the term.
        term_hits: its hits.
        probability: (n,) of each.
        phonetic: indexes of the segments.
        table: variants; those of the hits are appended.
    """
    hits, first = term_hits.hits, len(table)
    scores = hits.measures[:, SCORE].tolist()
    for segment, path, score, row in zip(
        *(hits.segment.tolist(), hits.paths.tolist(), scores, term_hits.found_by.tolist()),
        strict=True,
    ):
        pronunciation = term_hits.pronunciations[row]
        phones = " ".join(pronunciation.phones)
        words = tuple(phonetic.indexes[segment].words[word] for word in path if word >= 0)
        similarity = min(1.0, max(0.0, score / max(pronunciation.perfect, 1e-9)))
        table.append(
            Variant(words, similarity, "phonetic", f"{phones} heard in {' '.join(words)!r}")
        )
    numbers = np.arange(first, first + len(probability))
    return Candidates(
        term=np.full(len(probability), term),
        variant=numbers,
        recording=hits.recording,
        start_ms=hits.start_ms,
        end_ms=hits.end_ms,
        score=probability,
        family=numbers,
        first_slot=hits.first_slot,
        last_slot=hits.last_slot,
    )
