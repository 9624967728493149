"""What is known of an archive before a term is searched in it by its phones.

    learn_archive   number of slots, highest posterior, speed and quality of the speech, null
                    distribution
    SearchedArchive how much of it a search is about, and how many false alarms that makes likely

`searcher.phonetic.known_archives` keeps the statistics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.null_distribution import NullDistribution, learn_null_distribution
from searcher.phonetic.path_words import RecognisedWords
from searcher.phonetic.ratios import confusion_log_ratios, perfect_score
from searcher.phonetic.search import search_phones
from std.execution.workers import IN_PROCESS, Executor
from std.phonetics.confusion import Counts
from std.store.columns import Int64s
from std.values import Float64s

TYPICAL_PHONE_MS = 75.0  # of an archive without a word that the recogniser is sure of
SURE_WORD = 0.9  # posterior of words that tell how long phones last
LEAST_HIGHEST = 0.9  # a recogniser that never gives more is unsure, not modest


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """Statistics of the segments that are searched by phones."""

    slots: int  # of live recordings
    highest_posterior: float  # of their words, at least `LEAST_HIGHEST`
    phone_ms: float  # mean duration of a phone
    quality: tuple[Float64s, ...]  # of each segment: (R,) speech quality of its recordings
    null: NullDistribution

    @property
    def log_slots(self) -> float:
        """Log of the number of slots, at least one."""
        return float(np.log(max(self.slots, 1)))

    def quality_in(self, recordings: Sequence[Int64s], n_recordings: int) -> Float64s:
        """(n_recordings,) speech quality in a search's table of recordings; 0 if not searched.

        Args:
            recordings: of each segment, the rows of its recordings in that table.
            n_recordings: rows of the table.
        """
        quality = np.zeros(n_recordings)
        for rows, of_segment in zip(recordings, self.quality, strict=True):
            quality[rows] += of_segment  # 0 of a deleted one: another segment may have it
        return quality


class SearchedArchive(NamedTuple):
    """An archive, and how much of it a search is about."""

    archive: Archive
    quality: Float64s  # (R,) speech quality of each recording of the search's table
    slots: int  # of the archive that begin in the searched excerpts
    words: RecognisedWords  # of the archive, on the paths of hits

    @property
    def log_chances(self) -> float:
        """Log of the number of chances for a false alarm: of the searched slots, at least one."""
        return float(np.log(max(self.slots, 1)))


def one_best_posteriors(index: PhoneticIndex) -> Float64s:
    """(slots,) the posterior of each slot's likeliest word; 0 of a slot without words."""
    best = np.zeros(len(index.columns.slot_key))
    some = np.flatnonzero(np.diff(index.slot_arc_offsets))
    if len(some):
        posteriors = index.columns.posting_posterior[index.arc_rows]
        best[some] = np.maximum.reduceat(posteriors, index.slot_arc_offsets[some])
    return best


def speech_quality(indexes: Sequence[PhoneticIndex]) -> tuple[int, float, tuple[Float64s, ...]]:
    """The number of live slots, and how sure the recogniser was: at most, and of each recording.

    Returns:
        slots; the highest posterior; of each segment (R,) the mean one-best posterior of the
        recording's slots, minus that of the archive.
    """
    sums, counts, highest = [], [], 0.0
    for index in indexes:
        best, bounds = one_best_posteriors(index), index.columns.slot_offsets
        is_live = np.repeat(index.live, np.diff(bounds))
        highest = max(highest, float(best[is_live].max(initial=0.0)))
        units = np.rint(best * 2**20).astype(np.int64)  # whole numbers add up in any order
        total = np.diff(np.concatenate([[0], np.cumsum(units)])[bounds])
        sums.append(np.where(index.live, total, 0))
        counts.append(np.where(index.live, np.diff(bounds), 0))
    slots = int(sum(int(count.sum()) for count in counts))
    mean = sum(int(total.sum()) for total in sums) / max(slots, 1)
    quality = tuple(
        (np.divide(total, count, out=np.full(len(count), mean), where=count > 0) - mean) / 2**20
        for total, count in zip(sums, counts, strict=True)
    )
    return slots, max(highest, LEAST_HIGHEST), quality


def mean_phone_ms(indexes: Sequence[PhoneticIndex]) -> float:
    """The mean duration of a phone, over the live words that the recogniser is sure of."""
    duration_ms = phones = 0
    for index in indexes:
        columns = index.columns
        sure = np.flatnonzero(columns.posting_posterior >= SURE_WORD)
        if index.left_out:
            sure = sure[
                index.live[index.recordings_of(columns.posting_slot[sure].astype(np.int64))]
            ]
        words = np.searchsorted(columns.posting_offsets, sure, side="right") - 1
        of_posting = np.diff(index.word_phone_offsets)[words]
        duration_ms += int(columns.posting_duration_ms[sure[of_posting > 0]].sum(dtype=np.int64))
        phones += int(of_posting.sum())
    return max(1.0, duration_ms / phones) if phones else TYPICAL_PHONE_MS


def learn_archive(
    indexes: Sequence[PhoneticIndex], counts: Counts, workers: Executor = IN_PROCESS
) -> Archive:
    """Search decoys, and look at how sure the recogniser was and how fast people speak.

    Args:
        indexes: one of each segment.
        counts: phone confusions that it is searched with.
        workers: who searches the decoys.
    """
    confusion = confusion_log_ratios(counts, indexes, [])
    null = learn_null_distribution(
        indexes,
        lambda decoys: search_phones(decoys, indexes, confusion, workers),
        lambda decoy: perfect_score(decoy, confusion),
    )
    slots, highest, quality = speech_quality(indexes)
    return Archive(slots, highest, mean_phone_ms(indexes), quality, null)
