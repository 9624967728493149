"""Phonetic search: the places where the phones of a query fit the networks, whatever the words.

    search_phones(queries, indexes, confusion)   the best hits of each query in all segments

An out-of-vocabulary word is recognised as other words ("hahnenfedern" as "hand in vielen"). The
query's phones are aligned with all networks of a small archive, and in a large archive only around
seeds, the best up to a limit (`searcher.phonetic.seeds`), which is lower for terms that words find.
Any worker may search a segment. Between steps the histograms of all segments are added up, so the
hits do not depend on the division into segments.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from searcher.phonetic.alignment import (
    align_extensions,
    align_windows,
    best_hits,
    best_of_segments,
    number_of_rare,
    tiles_of,
)
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import PhoneticHits
from searcher.phonetic.ratios import HitLimit, Query, perfect_score, ratios_in
from searcher.phonetic.seeds import (
    Cutoff,
    Extensions,
    SeedLimits,
    Seeds,
    add_histograms,
    cutoff_of,
    extend_seeds,
    find_seeds,
    limits_of,
)
from std.execution.workers import IN_PROCESS, Executor, Threads
from std.phonetics.confusion import Confusion
from std.phonetics.phones import Pronunciation
from std.system import cores

FULL_SCAN_ARCS = 60_000  # alternatives that are aligned whole (about 2.5 hours of networks)
MIN_SHARE = 0.15  # share of a perfect score; lower alignments are not hits
BUSY = 0.25  # share of windows with a rare hit, beside written ones, above which more are aligned
MORE = 4  # factor of the number of windows; terms that words find begin with one in so many
QUERIES_AT_ONCE = 64  # queries whose seeds and extensions are held between the steps

Value = TypeVar("Value")
Result = TypeVar("Result")
Counted = TypeVar("Counted", Seeds, Extensions)
Rows = Sequence[Sequence[Value]]  # of each query: a value for each segment


class AllSegments(NamedTuple):
    """The totals that every segment needs; recordings left out do not count."""

    confusion: Confusion
    limits: SeedLimits | None  # None: align everything


def all_segments_of(indexes: Sequence[PhoneticIndex], confusion: Confusion) -> AllSegments:
    """The totals of all segments."""
    arcs = sum(index.arcs for index in indexes)
    return AllSegments(confusion, limits_of(arcs) if arcs > FULL_SCAN_ARCS else None)


def search_phones(
    queries: Sequence[Pronunciation],
    indexes: Sequence[PhoneticIndex],
    confusion: Confusion,
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
    limits: Mapping[Pronunciation, HitLimit] = MappingProxyType({}),
) -> dict[Pronunciation, PhoneticHits]:
    """The best hits of each query in all segments, at most one for each place, best first.

    Args:
        queries: phones, each query once.
        confusion: log ratios of all phones of the queries and the segments.
        advance: called with each finished share of the queries; the shares add up to 1.
        limits: for some queries, the hits to keep, and the places that their words found.
    """
    limited = [(query, limits.get(query, HitLimit())) for query in queries]
    search = partial(
        _search, indexes=indexes, all_segments=all_segments_of(indexes, confusion), workers=workers
    )
    if workers is IN_PROCESS:
        batches = [[one] for one in limited]
        found = Threads(cores()).map(search, batches)
    else:
        firsts = range(0, len(limited), QUERIES_AT_ONCE)
        batches = [limited[first : first + QUERIES_AT_ONCE] for first in firsts]
        found = IN_PROCESS.map(search, batches)
    hits: dict[Pronunciation, PhoneticHits] = {}
    for batch, of_batch in zip(batches, found, strict=True):
        hits |= {query: of_query for (query, _), of_query in zip(batch, of_batch, strict=True)}
        advance(len(batch) / len(queries))
    return hits


def _search(
    queries: Sequence[tuple[Pronunciation, HitLimit]],
    indexes: Sequence[PhoneticIndex],
    all_segments: AllSegments,
    workers: Executor,
) -> list[PhoneticHits]:
    """The best hits of each of some queries."""
    phones = [[query] * len(indexes) for query in queries]
    if all_segments.limits is None:
        align = partial(align_all, all_segments=all_segments)
        rows = _in_segments(align, phones, indexes, workers)
    else:
        seed = partial(seeds_in, all_segments=all_segments)
        seeds = _in_segments(seed, phones, indexes, workers)
        rows = _around_seeds(seeds, all_segments.limits, indexes, workers)
    return [
        best_of_segments(parts, indexes, limit)
        for (_, limit), parts in zip(queries, rows, strict=True)
    ]


def _around_seeds(
    seeds: Rows[Seeds], limits: SeedLimits, indexes: Sequence[PhoneticIndex], workers: Executor
) -> list[list[PhoneticHits]]:
    """The hits of each query in each segment around its best seeds.

    A term that words find is first searched with a share of the limits: phones rarely add a place.
    If phones find many more places than words do, all with rare scores, the term or words like it
    are frequent, and more are aligned, until few have such scores or none is left.
    """
    hits: list[list[PhoneticHits]] = [[] for _ in seeds]
    extensions: list[list[Extensions]] = [[] for _ in seeds]
    written = [i for i, (one, *_) in enumerate(seeds) if one.query.limit.written]
    others = [i for i in range(len(seeds)) if i not in written]
    share, queries = (1 / MORE, written) if written else (1.0, others)
    while queries:
        if share <= 1:
            chosen_seeds = _with_cutoffs([seeds[i] for i in queries], int(share * limits.seeds))
            extended = _in_segments(extend_seeds, chosen_seeds, indexes, workers)
            for i, of_query in zip(queries, extended, strict=True):
                extensions[i] = of_query
        windows = int(share * limits.windows)
        chosen = _with_cutoffs([extensions[i] for i in queries], windows)
        aligned = _in_segments(align_extensions, chosen, indexes, workers)
        for i, found in zip(queries, aligned, strict=True):
            hits[i] = found
        queries = [
            i for i in queries
            if (share < 1 or _all(extensions[i]) > windows)
            and _unwritten(extensions[i], hits[i]) > BUSY * windows
        ]  # fmt: skip
        share *= MORE
        if share == 1:
            queries += others
    return hits


def _all(extensions: Sequence[Extensions]) -> int:
    """The number of extended occurrences in all segments."""
    return sum(len(one.slots) for one in extensions)


def _unwritten(extensions: Sequence[Extensions], hits: Sequence[PhoneticHits]) -> int:
    """The number of a query's hits with a rare score, minus that of the places of its words."""
    limit = extensions[0].seeds.query.limit
    return sum(number_of_rare(found, limit) for found in hits) - limit.written


def _with_cutoffs(rows: Rows[Counted], limit: int) -> list[list[tuple[Counted, Cutoff]]]:
    """Give each query's segments the common cut-off."""
    cutoffs = [cutoff_of(add_histograms(one.histogram for one in row), limit) for row in rows]
    return [[(one, cutoff) for one in row] for row, cutoff in zip(rows, cutoffs, strict=True)]


def _in_segments(
    function: Callable[..., Result],
    rows: Rows[tuple[Any, ...]],
    indexes: Sequence[PhoneticIndex],
    workers: Executor,
) -> list[list[Result]]:
    """Apply a function to each query's values and to each segment's index, in any worker."""
    pieces = max(1, min(len(rows), -(-workers.workers // len(indexes))))  # of the queries
    tasks = [
        (index, [row[i] for row in rows[piece::pieces]])
        for piece in range(pieces)
        for i, index in enumerate(indexes)
    ]
    results: list[list[Result]] = [[] for _ in rows]
    replies = iter(workers.map(partial(_in_segment, function), tasks))
    for piece in range(pieces):
        for _ in indexes:
            for row, result in zip(results[piece::pieces], next(replies), strict=True):
                row.append(result)
    return results


def _in_segment(
    function: Callable[..., Result], task: tuple[PhoneticIndex, list[tuple[Any, ...]]]
) -> list[Result]:
    index, queries = task
    return [function(*values, index) for values in queries]


def query_in(
    phones: Pronunciation, limit: HitLimit, index: PhoneticIndex, all_segments: AllSegments
) -> Query:
    """A query by the segment's phone numbers."""
    ratios = ratios_in(phones, index, all_segments.confusion)
    min_score = MIN_SHARE * perfect_score(phones, all_segments.confusion)
    return Query(ratios, min_score, limit)


def align_all(
    phones: Pronunciation, limit: HitLimit, index: PhoneticIndex, all_segments: AllSegments
) -> PhoneticHits:
    """The best hits of a query in a complete segment."""
    query = query_in(phones, limit, index, all_segments)
    tiles = tiles_of(index, len(phones))
    return best_hits(align_windows(query.ratios, index, tiles, query.min_score), limit)


def seeds_in(
    phones: Pronunciation, limit: HitLimit, index: PhoneticIndex, all_segments: AllSegments
) -> Seeds:
    """A query's seeds in a segment of a large archive, counted by score."""
    return find_seeds(query_in(phones, limit, index, all_segments), index)
