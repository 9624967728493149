"""The best places of a query among the phones heard, and its scores at places of other methods.

open_heard     columns of a segment -> HeardIndex, or None
find_places    query, spans -> its best score in each span, and its best places
aligned        query, HeardIndex, windows -> Aligned: the best score that ends in each slot
match_of       the probability of each phone if another one was said
seeds          the parts of an index that may contain a query

A slot may hold a phone of the query, continue the previous phone, or be skipped, because it has no
phone or a wrong one. A phone of the query may be missing. The score is the log probability of the
best alignment (Viterbi), each slot's own probabilities summing to 1.

Alternatives stay in the segment's form, a byte for a phone and one for its cost, so an index of a
thousand hours is not copied.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from searcher.phonetic.hits import Inside
from searcher.phonetic.layout import SAME_PLACE_MS
from searcher.results.candidates import NO_SPANS, Spans
from std.phonetics.phones import Pronunciation, distance
from std.store.columns import SegmentColumns
from std.store.heard import COST_A_NAT, HeardSlots
from std.values import Bools, Float32s, Float64s, Int32s, Int64s, UInt8s, UInt16s, UInt32s

PROBABILITY: Float32s = np.exp(-np.arange(256, dtype=np.float32) / COST_A_NAT)  # of each cost


@dataclass(frozen=True, eq=False)
class HeardIndex:
    """The slots of a segment, and the recordings that are searched."""

    tokens: tuple[str, ...]  # possible content of a slot; the first is silence
    recording: Int64s  # (r,) rows of the search's table, ascending as their slots
    bounds: Int64s  # (r, 2) first slot of each, and one past the last
    begin_ms: Int32s  # (s,)
    end_ms: Int32s  # (s,)
    empty: UInt8s  # (s,) cost of being no phone of its own
    offsets: Int64s  # (s + 1,) its alternatives
    token: UInt8s  # (m,)
    cost: UInt8s  # (m,)

    @property
    def slots(self) -> int:
        """The number of slots of the recordings."""
        return int((self.bounds[:, 1] - self.bounds[:, 0]).sum())

    @cached_property
    def kinds(self) -> UInt16s | UInt32s:
        """(s,) the kind of each slot for seeds, see `searcher.heard.kernels.kinds_of_slots`."""
        from searcher.heard.kernels import kinds_of_slots

        kinds = kinds_of_slots(len(self.tokens), self.offsets, self.token, self.cost, self.empty)
        return kinds.astype(np.uint16) if kinds.max(initial=0) < 1 << 16 else kinds

    def within(self, recordings: Int64s) -> "HeardIndex":
        """The same index with only some of the recordings, given as rows of the search's table."""
        some = np.isin(self.recording, recordings)
        return replace(self, recording=self.recording[some], bounds=self.bounds[some])


def open_heard(columns: SegmentColumns, live: Bools, rows: Int64s) -> HeardIndex | None:
    """The phones heard in a segment; None if there are none.

    Args:
        columns: the columns of the segment.
        live: (R,) which recordings are searched.
        rows: (R,) rows of the recordings in the search's table.

    Raises:
        ValueError: the columns do not fit each other.
    """
    heard = HeardSlots.read(columns.extra)
    if heard is None:
        return None
    some = np.flatnonzero(live & heard.is_heard & (np.diff(heard.offsets) > 0))
    if not len(some):
        return None
    slots = np.diff(heard.offsets)
    length_ms = heard.frames * np.repeat(heard.frame_ms, slots).astype(np.int32)
    ends = np.cumsum(length_ms, dtype=np.int64)
    before = np.concatenate([[0], ends])[heard.offsets[:-1]]
    end_ms = (ends - np.repeat(before - heard.start_ms, slots)).astype(np.int32)
    return HeardIndex(
        heard.tokens,
        rows[some],
        np.stack([heard.offsets[some], heard.offsets[some + 1]], axis=1),
        end_ms - length_ms,
        end_ms,
        heard.empty,
        np.concatenate([[0], np.cumsum(heard.alternatives, dtype=np.int64)]),
        heard.token,
        heard.cost,
    )


MOST = 100  # places of a query; decoys have more in large archives
NEAR = 4  # slots, within which the best end of an alignment counts
BESIDE_MS = 250  # distance by which an alignment may extend beyond a span
NO_ALIGNMENT = -1e29  # lower scores are not places
ALIGNED_SLOTS = 110_000  # about 2.5 hours; larger archives are aligned near seeds only
TRIGRAM_SLOTS = 10_000_000  # about 230 hours; in larger archives seeds are four phones, not three

SPARE = 3  # times as many places as wanted, as some of them are near each other

CONFUSED = 0.1  # share of phones that are heard as others with similar articulation


class Aligned(NamedTuple):
    """The slots of some windows, concatenated."""

    slot: Int64s  # (n,) of the index
    window: Int64s  # (n,) row of the windows, ascending
    score: Float64s  # (n,) nats, of the best alignment that ends there
    begin: Int64s  # (n,) the slot that it begins in


def aligned(phones: Pronunciation, index: HeardIndex, windows: Int64s) -> Aligned:
    """Align a query with some windows of an index.

    Args:
        windows: (w, 2) first slot of each, and one past the last; each of one recording.
    """
    from searcher.heard.kernels import align_windows

    score, begin = align_windows(
        np.ascontiguousarray(match_of(phones, index.tokens).T), windows, PROBABILITY, index.empty,
        index.offsets, index.token, index.cost,
    )  # fmt: skip
    lengths = windows[:, 1] - windows[:, 0]
    window = np.repeat(np.arange(len(windows)), lengths)
    shift = windows[:, 0] - (np.cumsum(lengths) - lengths)
    return Aligned(np.arange(len(score)) + shift[window], window, score, begin)


def match_of(phones: Pronunciation, tokens: tuple[str, ...]) -> Float32s:
    """(Q, tokens) the probability that a slot holds each token where a phone was said."""
    alike = np.array(
        [[np.exp(-5 * distance(phone, token)) + 1e-3 for token in tokens] for phone in phones]
    )
    alike[:, 0] = 0.0
    match = CONFUSED * alike / alike.sum(axis=1, keepdims=True)
    for row, phone in enumerate(phones):
        if phone in tokens:
            match[row, tokens.index(phone)] += 1 - CONFUSED
    numbers: Float32s = match.astype(np.float32)
    return numbers


def seeds(phones: Pronunciation, index: HeardIndex, of_phones: int) -> Int64s:
    """(w, 2) windows of an index with 3 or 4 consecutive phones of a query among the likeliest."""
    from searcher.heard.kernels import MOST_PLACES, find_seeds

    tokens = len(index.tokens)
    of_token = np.zeros(tokens + 1, np.int64)
    for place, phone in enumerate(phones[:MOST_PLACES]):
        if phone in index.tokens:
            of_token[index.tokens.index(phone)] |= 1 << place
    of_kind = np.repeat(of_token[:, None] | of_token, 2)
    first, end = find_seeds(of_kind, len(phones), of_phones, index.kinds, index.bounds)
    return np.stack([first, end], axis=1)


def merged(windows: Int64s) -> Int64s:
    """(w, 2) windows without overlaps, ascending; touching windows stay separate."""
    windows = windows[np.argsort(windows[:, 0], kind="stable")]
    reached = np.maximum.accumulate(windows[:, 1])
    is_first = np.append(True, windows[1:, 0] >= reached[:-1])[: len(windows)]
    last = np.append(np.flatnonzero(is_first)[1:], len(windows)) - 1
    return np.stack([windows[is_first, 0], reached[last[last >= 0]]], axis=1)


def find_places(
    phones: Pronunciation,
    indexes: Sequence[HeardIndex],
    spans: Spans = NO_SPANS,
    most: int = MOST,
    is_inside: Inside | None = None,
) -> tuple[Spans, Float64s]:
    """The best score of a query in each span, and its best places in all segments.

    Archives of more than `ALIGNED_SLOTS` are aligned only near seeds and in the spans.

    Args:
        is_inside: tells which places are in the searched speech; None: all are.

    Returns:
        the spans, then the places, best first; and the score of each in nats, -inf in a span
        without phones heard.
    """
    slots_in_all = sum(index.slots for index in indexes)
    of_phones = 4 if slots_in_all > TRIGRAM_SLOTS and len(phones) > 4 else 3
    in_spans = np.full(len(spans.recording), -np.inf)
    parts, scores = [NO_SPANS], [np.empty(0)]
    for index in indexes:
        here, slots = _slots_of(spans, index)
        windows = index.bounds
        if slots_in_all > ALIGNED_SLOTS:
            windows = merged(np.concatenate([seeds(phones, index, of_phones), slots]))
        found = aligned(phones, index, windows)
        in_spans[here] = _best_of(spans.rows(here), slots, index, found)
        places, score = _peaks(index, found, SPARE * most, is_inside)
        parts.append(places)
        scores.append(score)
    every, score = Spans.of(*parts), np.concatenate(scores)
    order = np.lexsort((every.start_ms, every.recording, -score))
    best = order[_apart(every.rows(order), most)]
    return Spans.of(spans, every.rows(best)), np.append(in_spans, score[best])


def _slots_of(spans: Spans, index: HeardIndex) -> tuple[Int64s, Int64s]:
    """The rows of the spans in an index, and (n, 2) their slots, with margins for an alignment."""
    order = np.argsort(index.recording, kind="stable")
    row = np.searchsorted(index.recording[order], spans.recording)
    here = np.flatnonzero(np.append(index.recording[order], -1)[row] == spans.recording)
    slots = np.empty((len(here), 2), np.int64)
    for i, span in enumerate(here.tolist()):
        low, high = index.bounds[order[row[span]]].tolist()
        begin_ms = int(spans.start_ms[span]) - BESIDE_MS
        end_ms = int(spans.end_ms[span]) + BESIDE_MS
        slots[i, 0] = low + np.searchsorted(index.begin_ms[low:high], begin_ms, side="left")
        slots[i, 1] = low + np.searchsorted(index.end_ms[low:high], end_ms, side="right")
    slots[:, 1] = np.maximum(slots[:, 1], slots[:, 0])
    return here, slots


def _best_of(spans: Spans, slots: Int64s, index: HeardIndex, found: Aligned) -> Float64s:
    """(n,) the best score of an alignment in each span."""
    best = np.full(len(slots), NO_ALIGNMENT)
    rows = np.searchsorted(found.slot, slots)
    for i, (low, high) in enumerate(rows.tolist()):
        inside = found.begin[low:high] >= slots[i, 0]
        inside &= index.end_ms[found.slot[low:high]] > spans.start_ms[i]
        best[i] = found.score[low:high][inside].max(initial=NO_ALIGNMENT)
    return best


def _peaks(
    index: HeardIndex, found: Aligned, most: int, is_inside: Inside | None
) -> tuple[Spans, Float64s]:
    """The alignments with the highest scores near their ends in the window, and the scores."""
    score, n = found.score, len(found.score)
    best = score.copy()
    for shift in range(1, min(NEAR, n - 1) + 1):
        same = found.window[shift:] == found.window[:-shift]
        np.maximum(best[shift:], np.where(same, score[:-shift], -np.inf), out=best[shift:])
        np.maximum(best[: n - shift], np.where(same, score[shift:], -np.inf), out=best[: n - shift])
    peaks = np.flatnonzero((score >= best) & (score > NO_ALIGNMENT))
    kept = _likeliest(peaks, score, most)
    places = _spans_of(kept, index, found)
    if is_inside is not None and not is_inside(*places).all():
        inside = peaks[is_inside(*_spans_of(peaks, index, found))]
        kept = _likeliest(inside, score, most)
        places = _spans_of(kept, index, found)
    return places, score[kept]


def _likeliest(rows: Int64s, score: Float64s, most: int) -> Int64s:
    """The rows with the best scores, and their ties, so the order of segments does not matter."""
    if len(rows) <= most:
        return rows
    kept: Int64s = rows[score[rows] >= np.partition(score[rows], -most)[-most]]
    return kept


def _spans_of(rows: Int64s, index: HeardIndex, found: Aligned) -> Spans:
    """The places of alignments."""
    slots = found.slot[rows]
    recording = np.searchsorted(index.bounds[:, 0], slots, side="right") - 1
    return Spans(
        index.recording[recording],
        index.begin_ms[found.begin[rows]].astype(np.int64),
        index.end_ms[slots].astype(np.int64),
    )


def _apart(places: Spans, most: int) -> Int64s:
    """The rows of the best places without a better one near their middle, up to a number."""
    kept: list[int] = []
    middle = (places.start_ms + places.end_ms) / 2
    taken: dict[int, list[float]] = {}
    for row, recording in enumerate(places.recording.tolist()):
        others = taken.setdefault(recording, [])
        if all(abs(middle[row] - other) >= SAME_PLACE_MS for other in others):
            others.append(float(middle[row]))
            kept.append(row)
        if len(kept) == most:
            break
    return np.array(kept, np.int64)
