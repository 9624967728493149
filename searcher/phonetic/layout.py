"""The input and output of the compiled kernels: constants and tuples of arrays, without numba.

    Ratios            a query's log ratios, by a segment's phone numbers
    PhoneticColumns   the columns of a segment that an alignment follows
    HitRows           the arrays that an alignment fills

Kernels contain the constants as they were when compiled.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.store.columns import Int64s, UInt8s, UInt16s, UInt32s
from std.values import Float32s, Int32s

Int16s = npt.NDArray[np.int16]

TOUCHING_MS = 60  # words closer than this follow each other, independent of slots
NEXT_SLOT_OVERLAP_MS = 100  # words of neighbouring slots may overlap by this much
NEXT_SLOT_GAP_MS = 500  # or leave this much silence (NIST STD 2006: one term, no longer gap)
MAX_WORD_SPAN_MS = 4000  # longest word
SAME_PLACE_MS = 500  # spans whose middles are closer are one place
MAX_HITS_PER_WINDOW = 16
MAX_PATH_WORDS = 8  # words of a hit's path that are stored
MAX_INSERTIONS = 8  # inserted phones of a hit that are stored
BLOCK_ROWS = 64  # postings from one with a stored word to the next

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


class HitRows(NamedTuple):
    """Room for hits, one row each."""

    spans: Int64s  # (N, 4) start and end key, first and last slot
    measures: Float32s  # (N, N_MEASURES)
    paths: Int32s  # (N, MAX_PATH_WORDS) word ids; -1 = no more
    observed: Int16s  # (N, Q) phone aligned with each of the query's; -1 = deleted
    inserted: Int16s  # (N, MAX_INSERTIONS) phones aligned with none; -1 = no more


def hit_rows(n: int, phones: int) -> HitRows:
    """Room for ``n`` hits of a query of so many phones."""
    return HitRows(
        np.empty((n, 4), np.int64),
        np.empty((n, N_MEASURES), np.float32),
        np.empty((n, MAX_PATH_WORDS), np.int32),
        np.empty((n, phones), np.int16),
        np.empty((n, MAX_INSERTIONS), np.int16),
    )
