"""Seeds and extensions, the aligned parts of a large archive (seed and extend).

Seeds are words that fit a part of the query. The numbers of extended occurrences and of aligned
extensions are limited for the archive, not for a segment: the counts of all segments are added up,
and the sum gives the cut-off of every segment.

    find_seeds       query, segment        -> seeds, histogram of their occurrences by score
    cutoff_of        sum of histograms     -> which occurrences are extended
    extend_seeds     seeds, cut-off        -> extensions, histogram of their scores: the likeliest
                                              words around an occurrence are aligned as well
    cutoff_of        sum of histograms     -> which extensions are aligned
    windows_of       extensions, cut-off   -> runs of slots

A bin of a histogram is 1/64 nat wide. Ties in the cut-off bin are broken by a hash of file, channel
and time (`PhoneticIndex.tie_breaks`), so the result does not depend on the division into segments.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.ratios import Query
from std.values import Bools, Float32s, Int32s, Int64s

MIN_SEEDS, ARCS_PER_SEED = 20_000, 200  # extended in the archive: at least, and one in so many
MIN_WINDOWS, ARCS_PER_WINDOW = 1_500, 6_000  # aligned extensions, likewise
MIN_TRIGRAM_SCORE = 6.0  # least log ratio of three phones; 97 % of true spans have one of 7
MIN_PHONE_SCORE = -1.0  # of each of the three
MIN_SEED_SCORE = 5.0  # log ratio of a seed word's best part
MAX_WINDOW_SLOTS = 96
SLOW_PHONE_MS = 110  # duration of a slow phone, for the reach of a hit
REACH_MS = 400  # half of the seed's word, and room
BINS_PER_NAT = 64
SEED_SALT, WINDOW_SALT = 1, 2  # of the tie-breaks

Histogram = Int64s  # (B,) count of each bin; bin 0 begins at 0 nats


class SeedLimits(NamedTuple):
    """The limits of one query in an archive."""

    seeds: int  # occurrences that are extended
    windows: int  # extensions that are aligned


class Cutoff(NamedTuple):
    """The selection: all bins above one, and a share of that one."""

    bin: int
    share: float


class Seeds(NamedTuple):
    """The words of a segment that fit a part of a query."""

    query: Query
    words: Int64s  # (n,) ids, ascending
    scores: Float32s  # (n,)
    spans: Int32s  # (n, 3) see `searcher.phonetic.seed_kernels.local_fits`
    histogram: Histogram  # of their live occurrences


class Extensions(NamedTuple):
    """Occurrences of seeds, each scored with the likeliest words around it."""

    seeds: Seeds
    seed_of: Int64s  # (n,)
    slots: Int64s  # (n,)
    bins: Int64s  # (n,) of the scores
    histogram: Histogram


def limits_of(arcs: int) -> SeedLimits:
    """The limits in an archive with a number of alternatives."""
    return SeedLimits(
        max(MIN_SEEDS, arcs // ARCS_PER_SEED), max(MIN_WINDOWS, arcs // ARCS_PER_WINDOW)
    )


def add_histograms(histograms: Iterable[Histogram]) -> Histogram:
    """The histogram of several segments together."""
    every = [*histograms]
    total = np.zeros(max(map(len, every), default=0), np.int64)
    for one in every:
        total[: len(one)] += one
    return total


def cutoff_of(histogram: Histogram, limit: int) -> Cutoff:
    """The cut-off of the best ``limit``: complete bins, and a share of the next."""
    from_here_up = np.append(np.cumsum(histogram[::-1])[::-1], 0)
    edge = int(np.count_nonzero(from_here_up > limit)) - 1
    if edge < 0:
        return Cutoff(-1, 0.0)
    return Cutoff(edge, float((limit - from_here_up[edge + 1]) / histogram[edge]))


def bins_of(scores: Float32s) -> Int64s:
    """(n,) the bin of each score."""
    return np.floor(scores * BINS_PER_NAT).astype(np.int64)


def is_taken(bins: Int64s, slots: Int64s, cutoff: Cutoff, index: PhoneticIndex, salt: int) -> Bools:
    """(n,) which occurrences are above a cut-off.

    Args:
        bins: (n,) of each occurrence.
        slots: (n,) of each occurrence.
        cutoff: the archive's.
        index: the segment.
        salt: the salt of the tie-breaks in the cut-off bin.
    """
    taken: Bools = bins > cutoff.bin
    edge = np.flatnonzero(bins == cutoff.bin)
    taken[edge] = index.tie_breaks(slots[edge], salt) < cutoff.share
    return taken


def find_seeds(query: Query, index: PhoneticIndex) -> Seeds:
    """The words of a segment that fit a part of a query, with their counts."""
    from searcher.phonetic.seed_kernels import local_fits

    words = seed_words(query.ratios.match, index)
    scores, spans = local_fits(*query.ratios, words, index.word_phone_offsets, index.word_phones)
    good = scores >= MIN_SEED_SCORE
    words, scores, spans = words[good], scores[good], spans[good]
    histogram = np.bincount(bins_of(scores), index.counts[words]).astype(np.int64)
    return Seeds(query, words, scores, spans, histogram)


def extend_seeds(seeds: Seeds, cutoff: Cutoff, index: PhoneticIndex) -> Extensions:
    """Score the occurrences of seeds above a cut-off with the words around them."""
    from searcher.phonetic.seed_kernels import extension_scores, occurrences_of

    columns, bins = index.columns, bins_of(seeds.scores)
    good = np.flatnonzero(bins >= cutoff.bin)
    of_good, slots = occurrences_of(
        seeds.words[good], columns.posting_offsets, columns.posting_slot
    )
    seed_of = good[of_good]
    taken = is_taken(bins[seed_of], slots, cutoff, index, SEED_SALT)
    if index.left_out:
        taken &= index.live[index.recordings_of(slots)]
    seed_of, slots = seed_of[taken], slots[taken]
    scores = extension_scores(
        *seeds.query.ratios,
        seeds.words,
        seeds.scores,
        seeds.spans,
        seed_of,
        slots,
        index.likeliest_phones,
        index.word_phone_offsets,
        index.word_phones,
    )
    bins = bins_of(scores)
    return Extensions(seeds, seed_of, slots, bins, np.bincount(bins))


def windows_of(extensions: Extensions, cutoff: Cutoff, index: PhoneticIndex) -> Int64s:
    """(w, 2) runs of slots around the extensions above a cut-off, each in one recording.

    The length of a window is the longest duration of the rest of the query.
    """
    from searcher.phonetic.seed_kernels import windows_around

    seeds, slots = extensions.seeds, extensions.slots
    best = np.flatnonzero(is_taken(extensions.bins, slots, cutoff, index, WINDOW_SALT))
    best = best[np.argsort(slots[best], kind="stable")]
    query, first, last = seeds.query, *seeds.spans[extensions.seed_of[best], :2].T.astype(np.int64)
    before_ms = first * SLOW_PHONE_MS + REACH_MS
    after_ms = (len(query.ratios.deletion) - last) * SLOW_PHONE_MS + REACH_MS
    slot_key = index.columns.slot_key.view(np.int64)
    return windows_around(slots[best], before_ms, after_ms, slot_key, MAX_WINDOW_SLOTS)


def seed_words(match: Float32s, index: PhoneticIndex) -> Int64s:
    """Ascending ids of the words with three phones that may be three of the query's."""
    from searcher.phonetic.seed_kernels import words_with

    likely = np.where(match > MIN_PHONE_SCORE, match, np.float32(-np.inf))
    least = np.float32(MIN_TRIGRAM_SCORE)
    grams = index.gram_offsets, index.gram_words
    return np.flatnonzero(words_with(likely, least, *index.gram_phones, *grams, len(index.words)))
