"""Utterances -> segment columns: from the words of each slot to the places of each word."""

from collections.abc import Iterable, Sequence
from itertools import compress, count

import numpy as np
import numpy.typing as npt

from indexer.networks.utterances import Utterances, stacked
from std.store.columns import (
    KEY_SHIFT,
    MAX_WORD_MS,
    SLOT_ERROR,
    TIME_MASK,
    IndexedRecording,
    SegmentColumns,
    first_slots,
    pack_vocabulary,
)
from std.store.speakers import speaker_columns, turn_columns
from std.text import Normalisation
from std.values import Column, ConfusionNetwork, Float32s, Int32s, Int64s, UInt64s

SURE = 1e-3  # posteriors of a slot may sum to this much less than 1


def posting_order(word: Int64s, key: UInt64s, slot: Int64s | Int32s) -> Int64s:
    """The order by word, key and slot.

    Postings mostly come in the order of time, from a network or from segments whose recordings
    follow each other. Then sorting by word is enough, and several times as fast.

    Args:
        word: (n,) word id of each posting.
        key: (n,) recording and time of its slot.
        slot: (n,) row of its slot.
    """
    narrow = word.astype(np.uint16) if word.max(initial=0) < 2**16 else word
    order = np.argsort(narrow, kind="stable")  # of 16 bits: a radix sort
    w, k, s = word[order], key[order], slot[order]
    in_time = (k[1:] > k[:-1]) | ((k[1:] == k[:-1]) & (s[1:] >= s[:-1]))
    if (in_time | (w[1:] != w[:-1])).all():
        return order
    return np.lexsort((slot, key, word))


def invert(
    utterances: Utterances | Iterable[ConfusionNetwork], normalisation: Normalisation | None = None
) -> SegmentColumns:
    """Invert utterances into one segment.

    Recordings are ordered by file and channel, slots and postings by time, words by code point:
    the same networks in any order give the same columns. Slots of an utterance stay in its order,
    whatever their times.

    Args:
        utterances: as columns; or networks, which are stacked first.

    Raises:
        ValueError: a word lasts longer than 65.535 s.
    """
    normalisation = normalisation or Normalisation()
    if not isinstance(utterances, Utterances):
        utterances = stacked(utterances)
    utterances = utterances.take(_time_order(utterances))
    recordings, row = _recordings(utterances)
    n_slots = np.diff(utterances.bounds)
    speakers, speaker = _speakers(utterances.speakers)
    n_words = np.diff(utterances.offsets[utterances.bounds])

    vocabulary, word = _word_ids(utterances, normalisation)
    spans, posterior = utterances.word_spans_ms, utterances.posteriors
    slot = np.repeat(np.arange(len(utterances.epsilons)), np.diff(utterances.offsets))
    slot_spans, epsilon = utterances.slot_spans_ms, utterances.epsilons

    middle = _ascending((slot_spans[:, 0].astype(np.int64) + slot_spans[:, 1]) // 2, n_slots)
    slot_key, slot_order = _in_order(make_keys(np.repeat(row, n_slots), middle))
    slot = _inverse(slot_order)[slot]
    epsilon = epsilon[slot_order]

    duration = spans[:, 1].astype(np.int64) - spans[:, 0]
    if len(duration) and duration.max() > MAX_WORD_MS:
        longest = vocabulary[word[duration.argmax()]]
        raise ValueError(f"{longest!r} lasts {duration.max()} ms, at most {MAX_WORD_MS} fit")
    key = make_keys(np.repeat(row, n_words), spans[:, 0])
    word, key, duration, posterior, slot = _combined(word, key, duration, posterior, slot)
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
        slot_word=likeliest_words(
            word, posterior, slot, _said_rather(slot_key, slot, posterior, epsilon)
        ),
        extra=slot_errors(utterances.slot_errors_ms[slot_order])
        | _speaker_columns(speakers, speaker, n_slots, slot_order),
    )


def slot_errors(errors_ms: npt.NDArray[np.integer]) -> dict[str, Column]:
    """The extra column `SLOT_ERROR` of a segment; none if no time is estimated."""
    return {SLOT_ERROR: errors_ms.astype("<u4")} if errors_ms.any() else {}


def _speakers(names: Sequence[str]) -> tuple[list[str], Int64s]:
    """The distinct names, and (u,) the row of each utterance's."""
    row_of = dict(zip(dict.fromkeys(names), count(), strict=False))
    return [*row_of], np.fromiter(map(row_of.__getitem__, names), np.int64, len(names))


def _speaker_columns(
    names: Sequence[str], row: Int64s, n_slots: Int64s, slot_order: Int64s
) -> dict[str, Column]:
    """The columns that say who spoke: turns of utterances, unless these overlap."""
    if names in ([], [""]):
        return {}
    if (slot_order[1:] > slot_order[:-1]).all():  # as mostly
        said = n_slots > 0
        begin = (np.cumsum(n_slots) - n_slots)[said]
        return turn_columns(names, begin, row[said])
    return speaker_columns(names, np.repeat(row, n_slots)[slot_order])


def _ascending(middle_ms: Int64s, n_slots: Int64s) -> Int64s:
    """(n,) middles of slots, ascending within an utterance.

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


def _said_rather(
    slot_key: UInt64s, slot: Int64s, posterior: Float32s, epsilon: Float32s
) -> Float32s:
    """(n,) least posterior at which a slot's likeliest word is shown rather than nothing.

    If each slot of a recording has one word and "no word" only, the recogniser wrote that word,
    whatever its confidence.

    Args:
        slot_key: (n,)
        slot: (m,) of each posting.
        posterior: (m,) of each posting.
        epsilon: (n,)
    """
    recording = (slot_key >> KEY_SHIFT).astype(np.int64)
    mass = epsilon + np.bincount(slot, posterior, len(epsilon))
    is_choice = (np.bincount(slot, minlength=len(epsilon)) > 1) | (np.abs(mass - 1) > SURE)
    choices = np.bincount(recording, is_choice)
    return np.where(choices[recording] > 0, epsilon, np.float32(0))


def likeliest_words(word: Int64s, posterior: Float32s, slot: Int64s, least: Float32s) -> Int32s:
    """The likeliest word of each slot, of equals the first in the vocabulary.

    Args:
        word: (m,) id of each alternative's word.
        posterior: (m,) of each alternative.
        slot: (m,) row of each alternative's slot.
        least: (n,) least posterior of the word of each slot.

    Returns:
        (n,) ids of words; -1 where no alternative is likely enough.
    """
    best = np.full(len(least), -1, dtype=np.int32)
    if len(slot) == 0:
        return best
    order = np.argsort(slot, kind="stable")
    word, posterior, slot = word[order], posterior[order], slot[order]
    first = np.flatnonzero(np.concatenate([[True], slot[1:] != slot[:-1]]))
    top = np.maximum.reduceat(posterior, first)
    of_top = posterior == np.repeat(top, np.diff(np.append(first, len(slot))))
    likeliest = np.minimum.reduceat(np.where(of_top, word, word.max()), first)
    said = top >= least[slot[first]]
    best[slot[first][said]] = likeliest[said]
    return best


def _time_order(utterances: Utterances) -> Sequence[int]:
    """Rows of utterances by recording, start and name."""
    starts_ms = utterances.spans_ms[:, 0]
    if len(set(utterances.recordings)) == 1 and (starts_ms[1:] > starts_ms[:-1]).all():
        return range(len(utterances))  # as nearly always
    keys = list(zip(utterances.recordings, starts_ms.tolist(), utterances.names, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _recordings(utterances: Utterances) -> tuple[tuple[IndexedRecording, ...], Int64s]:
    """Each recording once, and (u,) its row for each utterance; they come ordered by recording."""
    row_of = dict(zip(dict.fromkeys(utterances.recordings), count(), strict=False))
    row = np.fromiter(map(row_of.__getitem__, utterances.recordings), np.int64, len(utterances))
    n = len(row_of)
    speech_ms = np.zeros(n, dtype=np.int64)
    np.add.at(speech_ms, row, np.diff(utterances.spans_ms).ravel())
    numbers = np.bincount(row, minlength=n)
    estimated = np.bincount(row, utterances.times_estimated, n) > 0
    columns = (speech_ms.tolist(), numbers.tolist(), estimated.tolist())
    return tuple(map(IndexedRecording, row_of, *columns)), row


def _word_ids(utterances: Utterances, normalisation: Normalisation) -> tuple[list[str], Int64s]:
    """The sorted vocabulary and, for each alternative, its word's row in it."""
    used = utterances.used
    normal = normalisation.words(list(compress(utterances.vocabulary, used.tolist())))
    vocabulary = sorted(set(normal))
    row_of = dict(zip(vocabulary, count(), strict=False))
    rows = np.zeros(len(used), dtype=np.int64)
    rows[used] = [row_of[word] for word in normal]
    return vocabulary, rows[utterances.words]


def _combined(
    word: Int64s, key: UInt64s, duration: Int64s, posterior: Float32s, slot: Int64s
) -> tuple[Int64s, UInt64s, Int64s, Float32s, Int64s]:
    """Merge alternatives of one slot that normalise to one word.

    The result has the times of the likelier, and the sum of the posteriors: they exclude each
    other.
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


def _in_order(key: UInt64s) -> tuple[UInt64s, Int64s]:
    order = np.argsort(key, kind="stable")
    return key[order], order


def _inverse(order: Int64s) -> Int64s:
    """The permutation that undoes ``order``."""
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse
