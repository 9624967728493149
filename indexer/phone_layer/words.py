"""The likeliest words of a segment with their phones and times, recording by recording.

spoken_words    columns of a segment with phone columns -> SpokenWords of each recording
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from std.store.columns import KEY_SHIFT, SLOT_ERROR, Int64s, SegmentColumns
from std.values import Bools, Float32s, freeze

SURE_MS = 100  # how far the times of a word may be off that teaches


@dataclass(frozen=True, slots=True, eq=False)
class SpokenWords:
    """The likeliest words of a recording in order of time."""

    begin_ms: Int64s  # (w,)
    end_ms: Int64s  # (w,)
    offsets: Int64s  # (w + 1,) into phones
    phones: npt.NDArray[np.uint8]  # rows of the segment's inventory of phones
    timed: Bools  # (w,) whether the times are the recogniser's, not estimates

    def __post_init__(self) -> None:
        freeze(self)


def spoken_words(columns: SegmentColumns) -> list[SpokenWords]:
    """The likeliest word of each slot, for each recording of a segment.

    Args:
        columns: with phone columns (`indexer.segments.phone_columns`).
    """
    offsets = columns.extra["word_phone_offsets"].astype(np.int64)
    phones = columns.extra["word_phones"].astype(np.uint8)
    rows, words = likeliest(columns)
    slots = columns.posting_slot[rows]
    begin_ms = columns.posting_start_ms[rows].astype(np.int64)
    end_ms = begin_ms + columns.posting_duration_ms[rows]
    errors_ms = np.zeros(len(columns.slot_key), np.uint32)
    if SLOT_ERROR in columns.extra:
        errors_ms = columns.extra[SLOT_ERROR].astype(np.uint32)
    timed = errors_ms[slots] <= SURE_MS
    recording = (columns.slot_key[slots] >> KEY_SHIFT).astype(np.int64)
    order = np.lexsort((begin_ms, recording))
    bounds = np.searchsorted(recording[order], np.arange(len(columns.recordings) + 1))
    spoken = []
    for row in range(len(columns.recordings)):
        here = order[bounds[row] : bounds[row + 1]]
        lengths = np.diff(offsets)[words[here]]
        of_words = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.arange(of_words[-1]) + np.repeat(offsets[words[here]] - of_words[:-1], lengths)
        spoken.append(SpokenWords(begin_ms[here], end_ms[here], of_words, phones[at], timed[here]))
    return spoken


def likeliest(columns: SegmentColumns) -> tuple[Int64s, Int64s]:
    """The postings of each slot's likeliest word, and the words; the best where it has several."""
    words = np.repeat(np.arange(len(columns.posting_offsets) - 1), np.diff(columns.posting_offsets))
    rows = np.flatnonzero(columns.slot_word[columns.posting_slot] == words)
    posterior: Float32s = columns.posting_posterior[rows]
    order = np.lexsort((-posterior, columns.posting_slot[rows]))
    slots = columns.posting_slot[rows][order]
    best = rows[order][np.concatenate([[True], slots[1:] != slots[:-1]])[: len(slots)]]
    return best, words[best]
