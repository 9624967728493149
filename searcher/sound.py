"""Search by sound: where may these phones have been said, whatever words stand there.

    open_sound(segment)       the sound columns that `indexer.phones` made, checked
    hear(queries, indexes, .) the best places of each query in all of them

An unknown word leaves its sound behind in other words ("hahnenfedern" as "hand in vielen"). The
query's phones are aligned to every path through the networks' alternatives (`find_hits`). In
a large archive only places near a seed are aligned: a word that contains three phones which the
recogniser may well write for three phones of the query (the n-gram index finds those words), and
that fits some part of the query well; best seeds first, until the work allowed is spent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from std.cluster import IN_PROCESS, Executor
from std.confusion import Confusion, Counts, log_ratios, widened
from std.errors import StoreError
from std.phones import Pronunciation
from std.store import Segment
from std.store.columns import (
    KEY_SHIFT,
    Column,
    Int64s,
    SegmentColumns,
    UInt8s,
    UInt64s,
    unpack_vocabulary,
)
from std.values import Float32s, Float64s, Int32s

Int16s = npt.NDArray[np.int16]

FULL_SCAN_ARCS = 60_000  # alternatives that are aligned whole (about 2.5 hours of networks)
SEEDS_LOOKED_AT, ARCS_PER_SEED = 20_000, 200  # in more: at least, and one in so many
WINDOWS_ALIGNED, ARCS_PER_WINDOW = 1_500, 6_000  # likewise
SEED_GRAM_SCORE = 7.0  # least log ratio of three phones; 97 % of true places have one
SEED_WORD_SCORE = 6.0  # least log ratio of a seed word's best part
TILE_SLOTS = 96  # slots aligned at a time in a full scan
TILE_OVERLAP = 8  # slots beyond one per phone that a hit may span
PHONE_MS = 110  # a slow phone: how far from a seed a hit may reach
REACH_MS = 400  # half of the seed's word, and room
PATH_WEIGHT = 0.5  # of the log posteriors of the words on a path, against phone log ratios
LEAST_SHARE = 0.15  # of the score of a perfect match, below which a place is not a hit
MOST_HITS = 60  # per query; what lies below never mattered
SAME_PLACE_MS = 500
FULL_OUTPUT = 4096


@dataclass(frozen=True, eq=False)
class SoundIndex:
    """The networks of one segment as phones; columns as `indexer.phones` describes them."""

    maker: str
    inventory: tuple[str, ...]
    words: Sequence[str]
    word_phone_offsets: Int64s
    word_phones: UInt8s
    gram_codes: Int32s
    gram_offsets: Int64s
    gram_words: Int32s
    slot_arc_offsets: Int32s
    arc_rows: Int32s
    block_words: Int32s  # word of every `BLOCK_ROWS`-th posting and of the last one
    columns: SegmentColumns
    deleted: frozenset[int]
    segment: Segment

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the segment, which a worker opens for itself."""
        return open_sound, (self.segment,)


class Hits(NamedTuple):
    """Places of one query, best first; one row each."""

    segment: Int64s  # (n,) index into the indexes searched
    recording: Int64s  # (n,) of that segment
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    measures: Float32s  # (n, N_MEASURES) see `searcher.sound_kernels`
    paths: Int32s  # (n, 8) word ids of that segment; -1 = no more
    observed: Int16s  # (n, Q) phone aligned with each of the query's, -1 = deleted
    inserted: Int16s  # (n, 8) phones aligned with none; -1 = no more

    def rows(self, which: Int64s) -> "Hits":
        """Some rows of every column."""
        return Hits._make(column[which] for column in self)


def open_sound(segment: Segment) -> SoundIndex | None:
    """The sound columns of a segment, or None if it was indexed without.

    Raises:
        StoreError: the columns do not fit each other.
    """
    columns = segment.columns()
    extra = columns.extra
    if "phone_maker" not in extra:
        return None
    try:
        index = SoundIndex(
            maker=bytes(extra["phone_maker"]).decode(),
            inventory=tuple(unpack_vocabulary(_typed(extra, "phone_inventory", "u1"))),
            words=segment.words(),
            word_phone_offsets=_typed(extra, "word_phone_offsets", "<i8"),
            word_phones=_typed(extra, "word_phones", "u1"),
            gram_codes=_typed(extra, "gram_codes", "<i4"),
            gram_offsets=_typed(extra, "gram_offsets", "<i8"),
            gram_words=_typed(extra, "gram_words", "<i4"),
            slot_arc_offsets=_typed(extra, "slot_arc_offsets", "<i4"),
            arc_rows=_typed(extra, "arc_rows", "<i4"),
            block_words=_block_words(columns.posting_offsets),
            columns=columns,
            deleted=segment.deleted,
            segment=segment,
        )
        _check(index)
    except (KeyError, ValueError, UnicodeDecodeError) as error:
        raise StoreError(f"segment {segment.id}: sound columns do not fit: {error}") from error
    return index


def _typed(extra: Mapping[str, Column], name: str, dtype: str) -> Any:
    column = extra[name]
    if column.dtype != np.dtype(dtype) or column.ndim != 1:
        raise ValueError(f"{name} is {column.dtype}, not a row of {dtype}")
    return column


def _block_words(posting_offsets: Int64s) -> Int32s:
    """Where to begin to look for the word that a posting belongs to."""
    from searcher.sound_kernels import BLOCK_ROWS

    m = int(posting_offsets[-1])
    rows = np.minimum(np.arange(0, m + BLOCK_ROWS, BLOCK_ROWS), m - 1)
    return (np.searchsorted(posting_offsets, rows, side="right") - 1).astype(np.int32)


def _check(index: SoundIndex) -> None:
    """Kernels do not check bounds, so everything they follow is checked here.

    Raises:
        ValueError: some column points outside another.
    """
    v, m, n = len(index.words), len(index.columns.posting_start_ms), len(index.columns.slot_key)
    for offsets, length, target in (
        (index.word_phone_offsets, v + 1, len(index.word_phones)),
        (index.gram_offsets, len(index.gram_codes) + 1, len(index.gram_words)),
        (index.slot_arc_offsets, n + 1, m),
    ):
        if len(offsets) != length or offsets[0] != 0 or offsets[-1] != target:
            raise ValueError(f"{len(offsets)} offsets into {target} rows")
        if (np.diff(offsets) < 0).any():
            raise ValueError("offsets descend")
    for column, size in (
        (index.word_phones, len(index.inventory)),
        (index.gram_words, v),
        (index.arc_rows, m),
    ):
        if len(column) and (int(column.max()) >= size or int(column.min()) < 0):
            raise ValueError(f"a row outside {size}")
    if len(index.arc_rows) != m:
        raise ValueError(f"{len(index.arc_rows)} alternatives of {m}")


def background(indexes: Sequence[SoundIndex], inventory: Sequence[str]) -> Float64s:
    """(P,) how often each phone stands in the networks: each alternative's phones count once."""
    total = np.zeros(len(inventory))
    row = {phone: i for i, phone in enumerate(inventory)}
    for index in indexes:
        counts = np.diff(index.columns.posting_offsets)
        weight = np.repeat(counts, np.diff(index.word_phone_offsets))
        seen = np.bincount(index.word_phones, weights=weight, minlength=len(index.inventory))
        for phone, count in zip(index.inventory, seen.tolist(), strict=True):
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
            *(phone for index in indexes for phone in index.inventory),
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


def hear(
    queries: Sequence[Pronunciation],
    indexes: Sequence[SoundIndex],
    confusion: Confusion,
    workers: Executor = IN_PROCESS,
) -> dict[Pronunciation, Hits]:
    """The best places where each query may have been said, at most one per place, best first."""
    total = sum(len(index.arc_rows) for index in indexes)
    n = max(1, min(len(queries), -(-workers.workers // len(indexes))))  # pieces of the queries
    tasks = [(index, queries[i::n]) for i in range(n) for index in indexes]
    results = workers.map(partial(hear_all_in, confusion=confusion, total=total), tasks)
    parts: dict[Pronunciation, list[Hits]] = {phones: [] for phones in queries}
    for (_, some), found in zip(tasks, results, strict=True):
        for phones, hits in zip(some, found, strict=True):
            parts[phones].append(hits)
    return {phones: strongest(some) for phones, some in parts.items()}


def hear_all_in(
    task: tuple[SoundIndex, Sequence[Pronunciation]], confusion: Confusion, total: int
) -> list[Hits]:
    """All hits of some queries in one segment, here or in a worker."""
    index, queries = task
    return [
        hear_in(one, index, confusion, LEAST_SHARE * perfect_score(one, confusion), total=total)
        for one in queries
    ]


def strongest(parts: Sequence[Hits]) -> Hits:
    """The best of one query's hits in several segments, one per place, best first."""
    from searcher.sound_kernels import SCORE

    numbered = [
        part._replace(segment=np.full(len(part.recording), i)) for i, part in enumerate(parts)
    ]
    hits = Hits(*(np.concatenate(columns) for columns in zip(*numbered, strict=True)))
    hits = hits.rows(np.argsort(-hits.measures[:, SCORE], kind="stable"))
    return hits.rows(_one_per_place(hits))


def hear_in(
    phones: Pronunciation,
    index: SoundIndex,
    confusion: Confusion,
    floor: float,
    *,
    total: int = 0,
    windows: Int64s | None = None,
) -> Hits:
    """All hits of a query in one segment, places twice where windows overlap.

    Args:
        total: alternatives of all segments searched, which share the work allowed.
        windows: (w, 2) runs of slots to look at; None = where seeds are.
    """
    from searcher.sound_kernels import INSERTIONS, N_MEASURES, PATH_WORDS, find_hits

    match, deletion, insertion = _ratios(phones, index, confusion)
    spans = np.empty((FULL_OUTPUT, 2), np.int64)
    measures = np.empty((FULL_OUTPUT, N_MEASURES), np.float32)
    paths = np.empty((FULL_OUTPUT, PATH_WORDS), np.int32)
    observed = np.empty((FULL_OUTPUT, len(phones)), np.int16)
    inserted = np.empty((FULL_OUTPUT, INSERTIONS), np.int16)
    columns = index.columns
    n = find_hits(
        match,
        deletion,
        insertion,
        _windows(match, deletion, insertion, index, total) if windows is None else windows,
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
    recording = spans[:n, 0] >> 32
    live = ~np.isin(recording, list(index.deleted))
    return Hits(
        np.zeros(n, np.int64)[live],
        recording[live],
        (spans[:n, 0] & 0xFFFFFFFF)[live],
        (spans[:n, 1] & 0xFFFFFFFF)[live],
        measures[:n][live],
        paths[:n][live],
        observed[:n][live],
        inserted[:n][live],
    )


def _ratios(
    phones: Pronunciation, index: SoundIndex, confusion: Confusion
) -> tuple[Float32s, Float32s, Float32s]:
    """match (Q, P), deletion (Q,), insertion (P,) with the segment's numbering of phones."""
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    said = [row[phone] for phone in phones]
    observed = [row[phone] for phone in index.inventory]
    return (
        np.ascontiguousarray(confusion.match[np.ix_(said, observed)], np.float32),
        confusion.deletion[said].astype(np.float32),
        confusion.insertion[observed].astype(np.float32),
    )


def _windows(
    match: Float32s, deletion: Float32s, insertion: Float32s, index: SoundIndex, total: int
) -> Int64s:
    """(w, 2) runs of slots that are aligned: all, or those near the most promising seeds."""
    if total <= FULL_SCAN_ARCS:
        return _tiles(index.columns.slot_key, TILE_SLOTS + len(deletion) + TILE_OVERLAP)
    return seeded_windows(match, deletion, insertion, index, total)


def _tiles(slot_key: UInt64s, width: int) -> Int64s:
    """(w, 2) all slots, recording by recording: the same tiles in whichever segment it is."""
    recording = slot_key >> KEY_SHIFT
    bounds = np.flatnonzero(recording[1:] != recording[:-1]) + 1
    tiles = [np.empty((0, 2), np.int64)]
    for first, last in pairwise([0, *bounds.tolist(), len(slot_key)]):
        firsts = np.arange(first, last, TILE_SLOTS)
        tiles.append(np.stack([firsts, np.minimum(firsts + width, last)], axis=1))
    return np.concatenate(tiles)


def seeded_windows(
    match: Float32s, deletion: Float32s, insertion: Float32s, index: SoundIndex, total: int
) -> Int64s:
    """(w, 2) runs of slots around the most promising seeds.

    Seeds are words that fit a part of the query. Their occurrences, those of the best words
    first, are ranked by what the likeliest words beside them add; the best get a window each,
    as long as the rest of the query may last.
    """
    from searcher.sound_kernels import local_fits, outlooks, windows_around

    columns, q = index.columns, len(deletion)
    words = seed_words(match, index)
    pronunciations = index.word_phone_offsets, index.word_phones
    scores, where = local_fits(match, deletion, insertion, words, *pronunciations)
    ranked = np.argsort(-scores, kind="stable")
    ranked = ranked[: np.searchsorted(-scores[ranked], -SEED_WORD_SCORE, side="right")]
    words, scores, where = words[ranked], scores[ranked], where[ranked]
    offsets, share = columns.posting_offsets, len(index.arc_rows) / max(1, total)
    counts = offsets[words + 1] - offsets[words]
    most = math.ceil(share * max(SEEDS_LOOKED_AT, total // ARCS_PER_SEED))
    counts = np.minimum(counts, np.maximum(0, most - (np.cumsum(counts) - counts)))
    seed_of = np.repeat(np.arange(len(words)), counts)
    within = np.arange(len(seed_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    slots = columns.posting_slot[offsets[words][seed_of] + within].astype(np.int64)
    slot_key = columns.slot_key.view(np.int64)
    promise = outlooks(
        match,
        deletion,
        insertion,
        words,
        scores,
        where,
        seed_of,
        slots,
        slot_key,
        columns.slot_word,
        *pronunciations,
    )
    most = math.ceil(share * max(WINDOWS_ALIGNED, total // ARCS_PER_WINDOW))
    if len(promise) > most:
        best = np.argpartition(-promise, most)[:most]
    else:
        best = np.arange(len(promise))
    best = best[np.argsort(slots[best], kind="stable")]
    before = where[seed_of[best], 0] * PHONE_MS + REACH_MS
    after = (q - where[seed_of[best], 1]) * PHONE_MS + REACH_MS
    windows: Int64s = windows_around(
        slots[best], before.astype(np.int64), after.astype(np.int64), slot_key, TILE_SLOTS
    )
    return windows


def seed_words(match: Float32s, index: SoundIndex) -> Int64s:
    """Ids of the words with three phones that may be three of the query's."""
    p = len(index.inventory)
    codes = []
    for i in range(len(match) - 2):
        first, second, third = (np.flatnonzero(row > -1) for row in match[i : i + 3])
        ratio = (
            match[i, first][:, None, None]
            + match[i + 1, second][None, :, None]
            + match[i + 2, third][None, None, :]
        )
        code = (first[:, None, None] * p + second[None, :, None]) * p + third[None, None, :]
        codes.append(code[ratio >= SEED_GRAM_SCORE])
    wanted = np.unique(np.concatenate([np.empty(0, np.int64), *codes]))
    at = np.searchsorted(index.gram_codes, wanted)
    at = at[at < len(index.gram_codes)]
    at = at[np.isin(index.gram_codes[at], wanted)]
    found = [
        index.gram_words[index.gram_offsets[i] : index.gram_offsets[i + 1]] for i in at.tolist()
    ]
    return np.unique(np.concatenate([np.empty(0, np.int64), *found]))


def _one_per_place(hits: Hits) -> Int64s:
    """Rows (best first) whose middle is not near a better one's; at most `MOST_HITS`."""
    place = (hits.segment << 32) + hits.recording
    middle = hits.start_ms + hits.end_ms
    kept: list[int] = []
    for i in range(len(middle)):
        if len(kept) == MOST_HITS:
            break
        near = (place[kept] == place[i]) & (np.abs(middle[kept] - middle[i]) < 2 * SAME_PLACE_MS)
        if not near.any():
            kept.append(i)
    return np.array(kept, dtype=np.int64)
