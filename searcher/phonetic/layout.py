"""The input and output of the compiled kernels: constants and tuples of arrays, without numba.

    Ratios            a query's log ratios, by a segment's phone numbers
    PhoneticColumns   the columns of a segment that an alignment follows
    LikeliestPhones   the phones of its likeliest words, which an extension follows
    PhoneticHits      hits, which an alignment fills in, and what the search adds to them

Kernels contain the constants as they were when compiled.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from std.phonetics.phones import Pronunciation
from std.values import Bools, Float32s, Int16s, Int32s, Int64s, UInt8s, UInt16s, UInt32s

TOUCHING_MS = 60  # words closer than this follow each other, independent of slots
NEXT_SLOT_OVERLAP_MS = 100  # words of neighbouring slots may overlap by this much
NEXT_SLOT_GAP_MS = 500  # or leave this much silence (NIST STD 2006: one term, no longer gap)
MAX_WORD_SPAN_MS = 4000  # longest word
SAME_PLACE_MS = 500  # spans whose middles are closer are one place
MAX_HITS_PER_WINDOW = 16
MAX_PATH_WORDS = 8  # words of a hit's path that are stored
MAX_INSERTIONS = 8  # inserted phones of a hit that are stored
BLOCK_ROWS = 64  # postings from one with a stored word to the next
BESIDE_BITS = 8
MOST_BESIDE = 2**BESIDE_BITS - 1  # phones beside a slot that are counted: queries are shorter
SILENT = 255  # instead of a phone: the slot has none

# Columns of a hit's measures.
SCORE = 0  # log ratio of the best alignment, nats
PHONES_BEFORE = 1  # phones of the path's first word before the hit
PATH_LOG_POSTERIOR = 2  # of the words on the path, summed
ONE_BEST_CUT_PHONES = 3  # of the longest likely one-best word that the hit cuts, times posterior
N_MEASURES = 4


class Ratios(NamedTuple):
    """Log ratios of a query's phones, with a segment's numbering of phones."""

    match: Float32s  # (Q, P)
    deletion: Float32s  # (Q,)
    insertion: Float32s  # (P,)


class PhoneticColumns(NamedTuple):
    """The columns of a segment that an alignment follows."""

    slot_arc_offsets: Int32s
    arc_rows: Int32s
    block_words: Int32s
    posting_offsets: Int64s
    posting_start_ms: UInt32s
    posting_duration_ms: UInt16s
    posting_posterior: Float32s
    slot_key: Int64s
    word_phone_offsets: Int64s
    word_phones: UInt8s


class LikeliestPhones(NamedTuple):
    """The phones of the likeliest word of each slot of a segment, in order of time.

    A place is begin << 2 * BESIDE_BITS | before << BESIDE_BITS | behind. ``begin`` is the row of a
    slot's first phone; ``before`` and ``behind`` are the numbers of rows on both sides of the slot
    that belong to slots within `MAX_WORD_SPAN_MS`, at most `MOST_BESIDE`. So one read of memory
    tells all of a slot.
    """

    phones: UInt8s  # (S,) `SILENT` for a slot without
    places: Int64s  # (n + 1,) of each slot


class WeightedPronunciation(NamedTuple):
    """The phones of a query, or one of several ways to say it."""

    phones: Pronunciation
    perfect: float  # score of the phones recognised one for one, nats
    log_weight: float = 0.0  # added to the score of their hits, nats


class PhoneticHits(NamedTuple):
    """Hits of one query, best first; one row each.

    The hits of a term in partly searched recordings include some outside the searched part.
    """

    segment: Int64s  # (n,) index into the indexes searched
    recording: Int64s  # (n,) of that segment; of a term, row of the search's table
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    measures: Float32s  # (n, N_MEASURES); scores of a term include the log weight
    paths: Int32s  # (n, MAX_PATH_WORDS) word ids of that segment; -1 = no more
    observed: Int16s  # (n, Q) phone aligned with each of the query's; -1 = deleted
    inserted: Int16s  # (n, MAX_INSERTIONS) phones aligned with none; -1 = no more
    first_slot: Int64s  # (n,) of the words on the path, a row of that segment's slot columns
    last_slot: Int64s  # (n,)
    found_by: Int64s  # (n,) which of a term's pronunciations found each
    is_inside: Bools  # (n,) inside the searched speech
    pronunciations: tuple[WeightedPronunciation, ...] = ()  # of a term

    def rows(self, which: Int64s) -> "PhoneticHits":
        """Some of the hits."""
        columns = (column[which] for column in self[:-1])
        return PhoneticHits._make((*columns, self.pronunciations))

    @classmethod
    def of(cls, parts: Sequence["PhoneticHits"]) -> "PhoneticHits":
        """Those of several parts of a query's hits, one part after the other."""
        columns = zip(*(part[:-1] for part in parts), strict=True)
        return cls._make((*map(np.concatenate, columns), parts[0].pronunciations))


def room_for_hits(n: int, phones: int) -> PhoneticHits:
    """Room for ``n`` hits of a query with a number of phones, all inside the searched speech."""
    return PhoneticHits(
        segment=np.zeros(n, np.int64),
        recording=np.empty(n, np.int64),
        start_ms=np.empty(n, np.int64),
        end_ms=np.empty(n, np.int64),
        measures=np.empty((n, N_MEASURES), np.float32),
        paths=np.empty((n, MAX_PATH_WORDS), np.int32),
        observed=np.empty((n, phones), np.int16),
        inserted=np.empty((n, MAX_INSERTIONS), np.int16),
        first_slot=np.empty(n, np.int64),
        last_slot=np.empty(n, np.int64),
        found_by=np.zeros(n, np.int64),
        is_inside=np.ones(n, np.bool_),
    )
