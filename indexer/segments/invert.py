"""Networks -> columns: from 'what was said in this slot' to 'where was this word said'."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from indexer.segments.order import posting_order
from std.store.columns import (
    KEY_SHIFT,
    MAX_WORD_MS,
    TIME_MASK,
    IndexedRecording,
    Int64s,
    SegmentColumns,
    UInt64s,
    first_slots,
    pack_vocabulary,
)
from std.text import Normalisation
from std.values import ConfusionNetwork, Float32s, Int32s, Recording

Scalar = TypeVar("Scalar", bound=np.generic)


def invert(
    networks: Iterable[ConfusionNetwork], normalisation: Normalisation | None = None
) -> SegmentColumns:
    """Invert utterances into one segment.

    Recordings are ordered by file and channel, slots and postings by time, words by code point:
    the same networks in any order give the same columns. Slots of an utterance stay in its order,
    whatever their times.

    Raises:
        ValueError: a word lasts longer than 65.535 s.
    """
    normalisation = normalisation or Normalisation()
    utterances = sorted(networks, key=lambda n: (n.recording, n.start_ms, n.utterance))
    recordings = _recordings(utterances)
    row_of = {one.recording: i for i, one in enumerate(recordings)}
    row = np.array([row_of[n.recording] for n in utterances], dtype=np.int64)
    n_slots = np.array([len(n) for n in utterances], dtype=np.int64)
    n_words = np.array([len(n.words) for n in utterances], dtype=np.int64)

    vocabulary, word = _word_ids(utterances, normalisation)
    spans = _stack([n.spans_ms for n in utterances], (0, 2), np.int32)
    posterior = _stack([n.posteriors for n in utterances], (0,), np.float32)
    width = [np.diff(n.offsets) for n in utterances]
    slot = np.repeat(np.arange(n_slots.sum()), _stack(width, (0,), np.int64))
    slot_spans = _stack([n.slot_spans_ms for n in utterances], (0, 2), np.int32)
    epsilon = _stack([n.epsilons for n in utterances], (0,), np.float32)

    middle = _ascending((slot_spans[:, 0].astype(np.int64) + slot_spans[:, 1]) // 2, n_slots)
    slot_key, slot_order = _in_order(make_keys(np.repeat(row, n_slots), middle))
    slot = _inverse(slot_order)[slot]
    epsilon = epsilon[slot_order]

    duration = spans[:, 1].astype(np.int64) - spans[:, 0]
    if len(duration) and duration.max() > MAX_WORD_MS:
        longest = vocabulary[word[duration.argmax()]]
        raise ValueError(f"{longest!r} lasts {duration.max()} ms, at most {MAX_WORD_MS} fit")
    key = make_keys(np.repeat(row, n_words), spans[:, 0])
    word, key, duration, posterior, slot = _united(word, key, duration, posterior, slot)
    order = posting_order(word, key, slot)
    return SegmentColumns(
        recordings=recordings,
        vocabulary=pack_vocabulary(vocabulary),
        posting_offsets=np.searchsorted(word[order], np.arange(len(vocabulary) + 1)),
        posting_start_ms=(key[order] & TIME_MASK).astype(np.uint32),
        posting_duration_ms=duration[order].astype(np.uint16),
        posting_posterior=posterior[order],
        posting_slot=slot[order].astype(np.int32),
        slot_offsets=first_slots(slot_key, len(recordings)),
        slot_key=slot_key,
        slot_epsilon=epsilon,
        slot_word=likeliest_words(word, posterior, slot, epsilon),
    )


def _ascending(middle_ms: Int64s, n_slots: Int64s) -> Int64s:
    """(n,) middles of slots, none before that of a slot before it in the same utterance.

    Args:
        middle_ms: (n,) utterance by utterance.
        n_slots: (u,) slots of each utterance.
    """
    span_ms = int(np.ptp(middle_ms)) + 1 if len(middle_ms) else 0
    lift = np.repeat(np.arange(len(n_slots)) * span_ms, n_slots)  # one running maximum for all
    reached: Int64s = np.maximum.accumulate(middle_ms + lift) - lift
    return reached


def make_keys(recording: Int64s, time_ms: npt.NDArray[np.integer]) -> UInt64s:
    """recording << 32 | time_ms; a time before zero counts as zero."""
    time = np.maximum(time_ms, 0).astype(np.uint64)
    key: UInt64s = (recording.astype(np.uint64) << KEY_SHIFT) | time
    return key


def likeliest_words(word: Int64s, posterior: Float32s, slot: Int64s, epsilon: Float32s) -> Int32s:
    """(n,) the likeliest word of each slot, of equals the first in the vocabulary.

    -1 where 'no word' is likelier than any.
    """
    best = np.full(len(epsilon), -1, dtype=np.int32)
    if len(slot) == 0:
        return best
    order = np.argsort(slot, kind="stable")
    word, posterior, slot = word[order], posterior[order], slot[order]
    first = np.flatnonzero(np.concatenate([[True], slot[1:] != slot[:-1]]))
    top = np.maximum.reduceat(posterior, first)
    of_top = posterior == np.repeat(top, np.diff(np.append(first, len(slot))))
    likeliest = np.minimum.reduceat(np.where(of_top, word, word.max()), first)
    said = top >= epsilon[slot[first]]
    best[slot[first][said]] = likeliest[said]
    return best


def _recordings(utterances: Sequence[ConfusionNetwork]) -> tuple[IndexedRecording, ...]:
    """Each recording once; utterances come ordered by recording."""
    table: dict[Recording, IndexedRecording] = {}
    for one in utterances:
        known = table.get(one.recording, IndexedRecording(one.recording, 0, 0))
        table[one.recording] = IndexedRecording(
            one.recording,
            known.speech_ms + one.end_ms - one.start_ms,
            known.utterances + 1,
            known.times_estimated or one.times_estimated,
        )
    return tuple(table.values())


def _word_ids(
    utterances: Sequence[ConfusionNetwork], normalisation: Normalisation
) -> tuple[list[str], Int64s]:
    """The sorted vocabulary and, for each alternative, its word's place in it."""
    written = list(chain.from_iterable(one.words for one in utterances))
    different = list(set(written))
    normal = normalisation.words(different)
    vocabulary = sorted(set(normal))
    id_of = dict(zip(vocabulary, count(), strict=False))
    table = dict(zip(different, map(id_of.__getitem__, normal), strict=True))
    return vocabulary, np.fromiter(map(table.__getitem__, written), np.int64, len(written))


def _united(
    word: Int64s, key: UInt64s, duration: Int64s, posterior: Float32s, slot: Int64s
) -> tuple[Int64s, UInt64s, Int64s, Float32s, Int64s]:
    """Alternatives of one slot that normalise to one word become one: the times of the likelier,
    the sum of the posteriors (they exclude each other).
    """
    pair = slot * (int(word.max(initial=0)) + 1) + word
    ranked = np.sort(pair)
    if (ranked[1:] != ranked[:-1]).all():
        return word, key, duration, posterior, slot
    unique, group = np.unique(pair, return_inverse=True)
    total = np.bincount(group, weights=posterior).clip(max=1.0).astype(np.float32)
    order = np.lexsort((-posterior, group))
    kept = order[np.searchsorted(group[order], np.arange(len(unique)))]
    return word[kept], key[kept], duration[kept], total[group[kept]], slot[kept]


def _stack(
    columns: Sequence[npt.NDArray[Any]], shape: tuple[int, ...], dtype: type[Scalar]
) -> npt.NDArray[Scalar]:
    """Concatenate, also when there is nothing to concatenate."""
    return np.concatenate([np.empty(shape, dtype), *columns])


def _in_order(key: UInt64s) -> tuple[UInt64s, Int64s]:
    order = np.argsort(key, kind="stable")
    return key[order], order


def _inverse(order: Int64s) -> Int64s:
    """The permutation that undoes ``order``."""
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse
