"""A query's phones aligned with the networks of one segment.

    align_extensions        the best hits around extended seeds
        align_windows           all hits in some runs of slots ("windows")
        best_hits               at most one for each place, best first
    best_of_segments        of several segments
    tiles_of                windows that cover a segment

The query's phones are aligned to every path through the networks' alternatives
(`searcher.phonetic.alignment_kernels`).
"""

from collections.abc import Sequence

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import (
    MAX_HITS_PER_WINDOW,
    SAME_PLACE_MS,
    SCORE,
    PhoneticHits,
    Ratios,
    room_for_hits,
)
from searcher.phonetic.ratios import HitLimit
from searcher.phonetic.seeds import MAX_WINDOW_SLOTS, Cutoff, Extensions, windows_of
from std.store.columns import MAX_TIME_MS
from std.values import Int64s

TILE_SLOTS = MAX_WINDOW_SLOTS  # slots aligned at a time in a full scan
TILE_OVERLAP = 8  # slots beyond one per phone that a hit may span
WINDOWS_AT_ONCE = 256  # windows that share memory for hits
PATH_WEIGHT = 0.5  # of the log posteriors of the words on a path, relative to phone log ratios
APART_MS = 4 * (MAX_TIME_MS + 1)  # between recordings in a row
DISTANT = -(1 << 62)  # from any middle
WINDOWS_PER_HIT = 1.5  # windows whose paths are computed first; they may share a place


def tiles_of(index: PhoneticIndex, phones: int) -> Int64s:
    """(w, 2) runs of slots that cover all live recordings, independent of their segment.

    Args:
        phones: length of the query; neighbouring runs share the slots that a hit may span.
    """
    width = TILE_SLOTS + phones + TILE_OVERLAP
    bounds, tiles = index.columns.slot_offsets, [np.empty((0, 2), np.int64)]
    for recording in np.flatnonzero(index.live).tolist():
        first, last = bounds[recording : recording + 2].tolist()
        firsts = np.arange(first, last, TILE_SLOTS)
        tiles.append(np.stack([firsts, np.minimum(firsts + width, last)], axis=1))
    return np.concatenate(tiles)


def align_windows(
    ratios: Ratios, index: PhoneticIndex, windows: Int64s, min_score: float
) -> PhoneticHits:
    """All hits of a query in some windows of one segment; overlapping windows give a hit twice.

    Args:
        ratios: log ratios of the query's phones, by the segment's phone numbers.
        index: the segment.
        windows: (w, 2) runs of slots.
        min_score: lowest score of a hit, nats.

    Returns:
        hits by window, best first in each; recordings that are left out have none.
    """
    from searcher.phonetic.alignment_kernels import find_hits

    room = min(len(windows), WINDOWS_AT_ONCE) * MAX_HITS_PER_WINDOW
    out = room_for_hits(room, len(ratios.deletion))
    parts = [out.rows(np.arange(0))]
    for first in range(0, len(windows), WINDOWS_AT_ONCE):
        n = find_hits(
            ratios=ratios,
            windows=windows[first : first + WINDOWS_AT_ONCE],
            columns=index.phonetic_columns,
            path_weight=np.float32(PATH_WEIGHT),
            min_score=np.float32(min_score),
            hits=out,
        )
        parts.append(out.rows(np.arange(n)))
    hits = PhoneticHits.of(parts)
    return hits.rows(np.flatnonzero(index.live[hits.recording]))


def align_extensions(extensions: Extensions, cutoff: Cutoff, index: PhoneticIndex) -> PhoneticHits:
    """The `best_hits` of a query around the extensions above the archive's cut-off.

    First every window gets its score, which is fast. Then paths are computed for the best windows
    and for all with a rare score. If these have enough places, every hit of another window scores
    less. Otherwise more windows are aligned.
    """
    from searcher.phonetic.alignment_kernels import best_scores

    ratios, min_score, limit = extensions.seeds.query
    windows = windows_of(extensions, cutoff, index)
    scores = best_scores(
        ratios=ratios,
        windows=windows,
        columns=index.phonetic_columns,
        path_weight=np.float32(PATH_WEIGHT),
    )
    descending = np.sort(scores)[::-1]
    n_rare = int(np.count_nonzero(scores >= np.float32(limit.rare_score)))
    aligned = max(int(WINDOWS_PER_HIT * limit.number), n_rare)
    while True:
        is_last = aligned >= len(windows) or descending[aligned] <= min_score
        least = min_score if is_last else float(descending[aligned])
        best = windows[scores >= np.float32(least)]
        hits = best_hits(align_windows(ratios, index, best, least), limit)
        if is_last or len(hits.recording) >= limit.number:
            return hits
        aligned *= 2


def best_hits(hits: PhoneticHits, limit: HitLimit) -> PhoneticHits:
    """The best of one query's hits in a segment, one per place, best first, up to a limit.

    Equal scores are ordered by audio file, channel and time, as segments are.
    """
    return hits.rows(best_rows(hits, limit))


def best_rows(hits: PhoneticHits, limit: HitLimit) -> Int64s:
    """The rows of `best_hits`; of equal ones the first."""
    order = np.argsort(-hits.measures[:, SCORE], kind="stable")
    n_rare = number_of_rare(hits, limit)
    # Twice the middles, those of each recording far from those of others; a hit that is nearer than
    # the width lies in the same bin or in a next one.
    width = 2 * SAME_PLACE_MS
    middles = (hits.recording * APART_MS + hits.start_ms + hits.end_ms)[order]
    kept: list[int] = []
    kept_in: dict[int, int] = {}  # bin -> middle
    other = kept_in.get
    bins = (middles // width).tolist()
    for i, (own, middle) in enumerate(zip(bins, middles.tolist(), strict=True)):
        if len(kept) >= limit.number and i >= n_rare:
            break
        if own not in kept_in and (
            middle - other(own - 1, DISTANT) >= width <= other(own + 1, -DISTANT) - middle
        ):
            kept.append(i)
            kept_in[own] = middle
    rows: Int64s = order[np.array(kept, dtype=np.int64)]
    return rows


def best_of_segments(
    parts: Sequence[PhoneticHits], indexes: Sequence[PhoneticIndex], limit: HitLimit
) -> PhoneticHits:
    """The best of one query's hits in several segments, by the order of `best_hits`."""
    if len(parts) == 1:
        return up_to(limit, parts[0])
    numbered = [
        part._replace(segment=np.full(len(part.recording), i)) for i, part in enumerate(parts)
    ]
    hits = PhoneticHits.of(numbered)
    recordings = [
        indexes[segment].columns.recordings[row].recording
        for segment, row in zip(hits.segment.tolist(), hits.recording.tolist(), strict=True)
    ]
    scores = hits.measures[:, SCORE].tolist()
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], recordings[i]))
    return up_to(limit, hits.rows(np.array(order, dtype=np.int64)))


def up_to(limit: HitLimit, hits: PhoneticHits) -> PhoneticHits:
    """The first of some sorted hits."""
    last = max(limit.number, number_of_rare(hits, limit))
    return hits.rows(np.arange(min(last, len(hits.segment))))


def number_of_rare(hits: PhoneticHits, limit: HitLimit) -> int:
    """The number of hits with a rare score."""
    return int(np.count_nonzero(hits.measures[:, SCORE] >= np.float32(limit.rare_score)))
