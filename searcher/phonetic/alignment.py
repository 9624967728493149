"""Search by sound: where may these phones have been said, whatever words stand there.

    hear(queries, indexes, .) the best places of each query in all segments

An unknown word leaves its sound behind in other words ("hahnenfedern" as "hand in vielen"). The
query's phones are aligned to every path through the networks' alternatives (`find_hits`). In a
large archive only places near a seed are aligned (`searcher.phonetic.seeds`): a word that contains
three phones which the recogniser may well write for three phones of the query (the n-gram index
finds those words), and that fits some part of the query well; best seeds first, until the work
allowed is spent. However an archive is cut into segments, the same places are found.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from searcher.phonetic.index import SoundIndex
from searcher.phonetic.ratios import Ratios, perfect_score, ratios_in
from searcher.phonetic.seeds import (
    LONGEST_WINDOW,
    Cut,
    Tally,
    budgets,
    cut_at,
    seeded_windows,
    summed,
)
from std.execution.workers import IN_PROCESS, Executor
from std.phonetics.confusion import Confusion
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s
from std.values import Float32s, Int32s

Int16s = npt.NDArray[np.int16]

FULL_SCAN_ARCS = 60_000  # alternatives that are aligned whole (about 2.5 hours of networks)
TILE_SLOTS = LONGEST_WINDOW  # slots aligned at a time in a full scan
TILE_OVERLAP = 8  # slots beyond one per phone that a hit may span
WINDOWS_AT_ONCE = 256  # that share the room for hits
PATH_WEIGHT = 0.5  # of the log posteriors of the words on a path, against phone log ratios
LEAST_SHARE = 0.15  # of the score of a perfect match, below which a place is not a hit
MOST_HITS = 60  # per query; what lies below never mattered
SAME_PLACE_MS = 500


class Hits(NamedTuple):
    """Places of one query, best first; one row each."""

    segment: Int64s  # (n,) index into the indexes searched
    recording: Int64s  # (n,) of that segment
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    measures: Float32s  # (n, N_MEASURES) see `searcher.phonetic.alignment_kernels`
    paths: Int32s  # (n, 8) word ids of that segment; -1 = no more
    observed: Int16s  # (n, Q) phone aligned with each of the query's, -1 = deleted
    inserted: Int16s  # (n, 8) phones aligned with none; -1 = no more
    first_slot: Int64s  # (n,) of the words on the path, a row of that segment's slot columns
    last_slot: Int64s  # (n,)

    def rows(self, which: Int64s) -> "Hits":
        """Some rows of every column."""
        return Hits._make(column[which] for column in self)


Agreed = Mapping[Pronunciation, tuple[Cut, ...]]  # of each query, so far
Reply = TypeVar("Reply", Tally, Hits)


class Archive(NamedTuple):
    """What every segment must know of all of them; deleted recordings leave no trace in it."""

    confusion: Confusion
    phones: frozenset[str]  # that stand in some alternative
    budgets: tuple[int, ...]  # seeds looked at, windows aligned; none where everything is


def archive_of(indexes: Sequence[SoundIndex], confusion: Confusion) -> Archive:
    """What all segments together are."""
    arcs = sum(index.arcs for index in indexes)
    return Archive(
        confusion,
        frozenset(phone for index in indexes for phone in index.heard),
        budgets(arcs) if arcs > FULL_SCAN_ARCS else (),
    )


def hear(
    queries: Sequence[Pronunciation],
    indexes: Sequence[SoundIndex],
    confusion: Confusion,
    workers: Executor = IN_PROCESS,
) -> dict[Pronunciation, Hits]:
    """The best places where each query may have been said, at most one per place, best first."""
    archive = archive_of(indexes, confusion)
    if workers is IN_PROCESS:
        found = {phones: _heard_here(phones, indexes, archive) for phones in queries}
    else:
        found = _heard_by(workers, queries, indexes, archive)
    return {phones: strongest(parts, indexes) for phones, parts in found.items()}


def _heard_here(
    phones: Pronunciation, indexes: Sequence[SoundIndex], archive: Archive
) -> list[Hits]:
    """The best places of one query in each segment; in one process each goes on where it was."""
    ratios = [ratios_in(phones, index, archive.confusion, archive.phones) for index in indexes]
    talks = [_windows(*one, archive) for one in zip(ratios, indexes, strict=True)]
    replies = [next(talk) for talk in talks]
    for most in archive.budgets:
        cut = cut_at(summed(replies), most)
        replies = [talk.send(cut) for talk in talks]
    floor = LEAST_SHARE * perfect_score(phones, archive.confusion)
    return [best_places(hear_in(*one, floor)) for one in zip(ratios, indexes, replies, strict=True)]


def _heard_by(
    workers: Executor,
    queries: Sequence[Pronunciation],
    indexes: Sequence[SoundIndex],
    archive: Archive,
) -> dict[Pronunciation, list[Hits]]:
    """The best places of each query in each segment; workers are told each time what was agreed."""
    n = max(1, min(len(queries), -(-workers.workers // len(indexes))))  # pieces of the queries
    agreed: Agreed = dict.fromkeys(queries, ())

    def replies(function: Callable[..., list[Reply]]) -> Iterator[tuple[Pronunciation, Reply]]:
        tasks = [
            (index, {phones: agreed[phones] for phones in queries[i::n]})
            for i in range(n)
            for index in indexes
        ]
        results = workers.map(partial(function, archive=archive), tasks)
        for (_, some), found in zip(tasks, results, strict=True):
            yield from zip(some, found, strict=True)

    for most in archive.budgets:
        tallies = dict.fromkeys(queries, summed([]))
        for phones, tally in replies(tallies_in):
            tallies[phones] = summed([tallies[phones], tally])
        agreed = {one: (*cuts, cut_at(tallies[one], most)) for one, cuts in agreed.items()}
    parts: dict[Pronunciation, list[Hits]] = {phones: [] for phones in queries}
    for phones, hits in replies(places_in):
        parts[phones].append(hits)
    return parts


def tallies_in(task: tuple[SoundIndex, Agreed], archive: Archive) -> list[Tally]:
    """What one segment has to choose from for some queries, here or in a worker."""
    index, agreed = task
    return [_replied(phones, index, archive, cuts)[1] for phones, cuts in agreed.items()]


def places_in(task: tuple[SoundIndex, Agreed], archive: Archive) -> list[Hits]:
    """The best places of some queries in one segment, here or in a worker."""
    index, agreed = task
    found = []
    for phones, cuts in agreed.items():
        ratios, windows = _replied(phones, index, archive, cuts)
        floor = LEAST_SHARE * perfect_score(phones, archive.confusion)
        found.append(best_places(hear_in(ratios, index, windows, floor)))
    return found


def _replied(
    phones: Pronunciation, index: SoundIndex, archive: Archive, cuts: Sequence[Cut]
) -> tuple[Ratios, Int64s]:
    """What a segment says after so many cuts."""
    ratios = ratios_in(phones, index, archive.confusion, archive.phones)
    talk = _windows(ratios, index, archive)
    reply = next(talk)
    for cut in cuts:
        reply = talk.send(cut)
    return ratios, reply


def _windows(ratios: Ratios, index: SoundIndex, archive: Archive) -> Generator[Int64s, Cut, None]:
    """Yield the runs of slots that are aligned; in a large archive after two tallies."""
    if archive.budgets:
        yield from seeded_windows(ratios, index)
    else:
        yield all_windows(index, TILE_SLOTS + len(ratios.deletion) + TILE_OVERLAP)


def all_windows(index: SoundIndex, width: int) -> Int64s:
    """(w, 2) all slots of live recordings: the same tiles in whichever segment one is."""
    bounds, tiles = index.columns.slot_offsets, [np.empty((0, 2), np.int64)]
    for recording in np.flatnonzero(index.live).tolist():
        first, last = bounds[recording : recording + 2].tolist()
        firsts = np.arange(first, last, TILE_SLOTS)
        tiles.append(np.stack([firsts, np.minimum(firsts + width, last)], axis=1))
    return np.concatenate(tiles)


def strongest(parts: Sequence[Hits], indexes: Sequence[SoundIndex]) -> Hits:
    """The best of one query's places in several segments, as `best_places` are in each."""
    from searcher.phonetic.alignment_kernels import SCORE

    numbered = [
        part._replace(segment=np.full(len(part.recording), i)) for i, part in enumerate(parts)
    ]
    hits = Hits(*(np.concatenate(columns) for columns in zip(*numbered, strict=True)))
    recordings = [
        indexes[segment].columns.recordings[row].recording
        for segment, row in zip(hits.segment.tolist(), hits.recording.tolist(), strict=True)
    ]
    scores = hits.measures[:, SCORE].tolist()
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], recordings[i]))
    return hits.rows(np.array(order[:MOST_HITS], dtype=np.int64))


def best_places(hits: Hits) -> Hits:
    """The best of one query's hits in a segment, one per place, best first, at most `MOST_HITS`.

    Of equal ones the first by audio file, channel and time, as segments are ordered.
    """
    from searcher.phonetic.alignment_kernels import SCORE

    hits = hits.rows(np.argsort(-hits.measures[:, SCORE], kind="stable"))
    middle = hits.start_ms + hits.end_ms
    kept: list[int] = []
    for i in range(len(middle)):
        if len(kept) == MOST_HITS:
            break
        near = (hits.recording[kept] == hits.recording[i]) & (
            np.abs(middle[kept] - middle[i]) < 2 * SAME_PLACE_MS
        )
        if not near.any():
            kept.append(i)
    return hits.rows(np.array(kept, dtype=np.int64))


def hear_in(ratios: Ratios, index: SoundIndex, windows: Int64s, floor: float) -> Hits:
    """All hits of a query in some windows of one segment, places twice where windows overlap.

    Args:
        windows: (w, 2) runs of slots.
        floor: hits that score below are left out.
    """
    from searcher.phonetic.alignment_kernels import (
        HITS_OF_WINDOW,
        INSERTIONS,
        N_MEASURES,
        PATH_WORDS,
        find_hits,
    )

    columns, room = index.columns, min(len(windows), WINDOWS_AT_ONCE) * HITS_OF_WINDOW
    spans = np.empty((room, 4), np.int64)
    measures = np.empty((room, N_MEASURES), np.float32)
    paths = np.empty((room, PATH_WORDS), np.int32)
    observed = np.empty((room, len(ratios.deletion)), np.int16)
    inserted = np.empty((room, INSERTIONS), np.int16)
    out = spans, measures, paths, observed, inserted
    parts: list[list[npt.NDArray[Any]]] = [[column[:0] for column in out]]
    for first in range(0, len(windows), WINDOWS_AT_ONCE):
        n = find_hits(
            *ratios,
            windows[first : first + WINDOWS_AT_ONCE],
            index.slot_arc_offsets,
            index.arc_rows,
            index.block_words,
            columns.posting_offsets,
            columns.posting_start_ms,
            columns.posting_duration_ms,
            columns.posting_posterior,
            columns.posting_slot,
            columns.slot_key.view(np.int64),
            index.word_phone_offsets,
            index.word_phones,
            np.float32(PATH_WEIGHT),
            np.float32(floor),
            spans,
            measures,
            paths,
            observed,
            inserted,
        )
        parts.append([column[:n].copy() for column in out])
    spans, measures, paths, observed, inserted = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    start, end, first_slot, last_slot = spans.T
    recording = start >> 32
    hits = Hits(
        np.zeros(len(spans), np.int64),
        recording,
        start & 0xFFFFFFFF,
        end & 0xFFFFFFFF,
        measures,
        paths,
        observed,
        inserted,
        first_slot,
        last_slot,
    )
    return hits.rows(np.flatnonzero(index.live[recording]))
