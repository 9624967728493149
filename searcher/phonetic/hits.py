"""The hits of terms by their phones: searched by pronunciation, chosen by term.

phonetic_hits
    _search_pronunciations   each pronunciation once (`searcher.phonetic.search`)
    _best_fitting            the hits of a written term: those of one pronunciation
    combined                 the hits of a spoken query: those of all
    _within                  which hits are inside the searched speech
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from searcher.phonetic.alignment import best_rows, up_to
from searcher.phonetic.indexes import PhoneticIndexes
from searcher.phonetic.layout import SCORE, PhoneticHits, WeightedPronunciation
from searcher.phonetic.null_distribution import NullDistribution
from searcher.phonetic.ratios import MAX_HITS, HitLimit, Weighted, perfect_score
from searcher.phonetic.search import MIN_SHARE, search_phones
from searcher.results.candidates import Spans
from std.execution.workers import IN_PROCESS, Executor
from std.phonetics.phones import Pronunciation
from std.values import Bools, Int64s

Inside = Callable[[Int64s, Int64s, Int64s], Bools]  # recording, start_ms, end_ms -> (n,)


def phonetic_hits(
    pronunciations: Sequence[Sequence[Pronunciation] | Weighted],
    parts: Int64s,
    written: Int64s,
    phonetic: PhoneticIndexes,
    null: NullDistribution,
    inside: Inside,
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> list[PhoneticHits | None]:
    """The hits of each term.

    A written term has the hits of the pronunciation whose best hit fits best. A spoken query has
    those of all its pronunciations, with their weights (`combined`), because the right one is
    unknown.

    Args:
        pronunciations: the pronunciations of each term; with their log weights if it was spoken.
        parts: (terms,) the number of places from splits and joined words, which allow as many more
            hits.
        written: (terms,) the number of places of the words of a known term.
        phonetic: indexes of the segments, within that speech.
        null: the null distribution; all hits with rare scores are kept.
        advance: see `search_phones`.

    Returns:
        for each term its hits, None without a pronunciation.
    """
    hits = _search_pronunciations(pronunciations, parts, written, phonetic, null, workers, advance)

    def within_limit(
        phones: Pronunciation, log_weight: float, n: int
    ) -> tuple[WeightedPronunciation, PhoneticHits]:
        found, perfect = hits[phones]
        limit = HitLimit(MAX_HITS + n, null.rare_score(len(phones), perfect))
        pronunciation = WeightedPronunciation(phones, perfect, log_weight)
        return pronunciation, up_to(limit, found)  # a term of the same sound may have more

    of_terms = [
        combined([within_limit(phones, weight, n) for phones, weight in of_term.items()], null)
        if isinstance(of_term, Mapping)
        else _best_fitting([within_limit(phones, 0.0, n) for phones in of_term])
        for of_term, n in zip(pronunciations, parts.tolist(), strict=True)
    ]
    return _within(of_terms, inside)


def _search_pronunciations(
    pronunciations: Sequence[Sequence[Pronunciation] | Weighted],
    parts: Int64s,
    written: Int64s,
    phonetic: PhoneticIndexes,
    null: NullDistribution,
    workers: Executor,
    advance: Callable[[float], None],
) -> dict[Pronunciation, tuple[PhoneticHits, float]]:
    """The hits of each pronunciation, and its perfect score; see `phonetic_hits`."""
    queries = list(dict.fromkeys(phones for of_term in pronunciations for phones in of_term))
    # Terms of the same sound are one query, which is searched as thoroughly as any of them needs.
    most = dict.fromkeys(queries, MAX_HITS)
    least: dict[Pronunciation, int] = {}
    for of_term, n, found in zip(pronunciations, parts.tolist(), written.tolist(), strict=True):
        most |= {phones: max(most[phones], MAX_HITS + n) for phones in of_term}
        least |= {phones: min(least.get(phones, found), found) for phones in of_term}
    hits: dict[Pronunciation, tuple[PhoneticHits, float]] = {}
    for some, confusion in phonetic.with_confusion(queries):

        def advance_all(share: float, some_of_all: float = len(some) / len(queries)) -> None:
            advance(share * some_of_all)

        perfect = {phones: perfect_score(phones, confusion) for phones in some}
        limits = {
            phones: HitLimit(
                most[phones], null.rare_score(len(phones), perfect[phones]), least[phones]
            )
            for phones in some
        }
        of_query = search_phones(some, phonetic.indexes, confusion, workers, advance_all, limits)
        for phones in some:
            hits[phones] = _in_table(of_query[phones], phonetic), perfect[phones]
    return hits


def _within(of_terms: Sequence[PhoneticHits | None], inside: Inside) -> list[PhoneticHits | None]:
    """The hits of each term in a partly searched archive."""
    found = [of_term for of_term in of_terms if of_term is not None]
    if not found:
        return [*of_terms]
    is_inside = inside(*Spans.of(*found))
    ends = np.cumsum([len(one.found_by) for one in found])[:-1]
    parts = iter(np.split(is_inside, ends))
    return [
        None if of_term is None else of_term._replace(is_inside=next(parts)) for of_term in of_terms
    ]


def _best_fitting(
    of_pronunciations: Sequence[tuple[WeightedPronunciation, PhoneticHits]],
) -> PhoneticHits | None:
    """The hits of the pronunciation whose best hit has the largest share of a perfect score."""

    def best_share(one: tuple[WeightedPronunciation, PhoneticHits]) -> float:
        pronunciation, found = one
        return float(found.measures[:, SCORE].max(initial=0.0)) / max(pronunciation.perfect, 1e-9)

    if not of_pronunciations:
        return None
    pronunciation, found = max(of_pronunciations, key=best_share)
    return found._replace(pronunciations=(pronunciation,))


def combined(
    of_pronunciations: Sequence[tuple[WeightedPronunciation, PhoneticHits]], null: NullDistribution
) -> PhoneticHits | None:
    """The hits of a query with several possible pronunciations: at each place the best one.

    Its score is the log ratio of the phones plus the log weight of the pronunciation. This is the
    largest term of the place's likelihood ratio, a sum over pronunciations.

    Args:
        of_pronunciations: each with its hits, without log weight.

    Returns:
        None without a pronunciation.
    """
    if not of_pronunciations:
        return None
    length = max(found.observed.shape[1] for _, found in of_pronunciations)
    pronunciations = tuple(pronunciation for pronunciation, _ in of_pronunciations)
    parts = []
    for row, (pronunciation, found) in enumerate(of_pronunciations):
        measures = found.measures.copy()
        measures[:, SCORE] += pronunciation.log_weight
        missing = length - found.observed.shape[1]
        observed = np.pad(found.observed, ((0, 0), (0, missing)), constant_values=-1)
        enough = np.flatnonzero(measures[:, SCORE] >= MIN_SHARE * pronunciation.perfect)
        found = found._replace(measures=measures, observed=observed, pronunciations=pronunciations)
        parts.append(found._replace(found_by=np.full(len(measures), row)).rows(enough))
    every = PhoneticHits.of(parts)
    every = every.rows(np.lexsort((every.start_ms, every.recording)))
    rare_score = max(
        null.rare_score(len(phones), perfect) + log_weight
        for phones, perfect, log_weight in pronunciations
    )
    return every.rows(best_rows(every, HitLimit(rare_score=rare_score)))


def _in_table(hits: PhoneticHits, phonetic: PhoneticIndexes) -> PhoneticHits:
    """The hits with their recordings' rows in the search's table."""
    recording = hits.recording.copy()
    for i, rows in enumerate(phonetic.recordings):
        in_segment = hits.segment == i
        recording[in_segment] = rows[hits.recording[in_segment]]
    return hits._replace(recording=recording)
