"""Phone confusions, counted at places where the recogniser wrote other words than were spoken.

    transcript --missed words-->  places where the recogniser wrote other words
    align each, count, repeat --> confusion counts (expectation maximisation, best path only)

`spoken_doubt` measures which share of the spoken words the networks lack.

Confusions are counted only where a word was missed. Where the recogniser's words are right, so are
their phones; at out-of-vocabulary (OOV) words they are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from searcher.phonetic.alignment import align_windows
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.indexes import PhoneticIndexes
from searcher.phonetic.ratios import background, confusion_log_ratios, pronounced, ratios_in
from searcher.tuning.labels import TuningTranscript
from std.phonetics.confusion import Confusion, Counts, empty
from std.phonetics.phones import Pronunciation
from std.store.columns import MAX_TIME_MS
from std.values import Float64s

ROUNDS = 3  # of expectation maximisation; the fourth changes nothing that counts
MISSED_BELOW = 0.3  # posterior of a spoken word below which it counts as missed
NEAR_MS = 250  # how far from the transcript's times an alignment may lie
MIN_SCORE = -3.0  # of an alignment that is counted


@dataclass(frozen=True, slots=True)
class SpokenToken:
    """A word that was spoken; its recording counts in the transcript."""

    recording: int
    start_ms: int
    end_ms: int
    word: str


def nothing_counted(indexes: PhoneticIndexes) -> Counts:
    """Counts of 0: then the confusions are those of the articulatory prior."""
    return empty(sorted({phone for index in indexes.indexes for phone in index.inventory}))


def learn_confusion(transcript: TuningTranscript, indexes: PhoneticIndexes) -> Counts:
    """Count the phones recognised at missed words, aligned with the counts so far."""
    tokens = missed(transcript, indexes)
    words = [(token.word,) for token in tokens]
    sounds = pronounced(words, indexes.lexicon)
    pairs = [(token, ways[0]) for token, ways in zip(tokens, sounds, strict=True) if ways]
    inventory = sorted(
        {p for index in indexes.indexes for p in index.inventory} | {p for _, w in pairs for p in w}
    )
    p = len(inventory)
    background_counts = background(indexes.indexes, inventory)
    counts = Counts(tuple(inventory), np.zeros((p, p)), np.zeros(p), np.zeros(p), background_counts)
    for _ in range(ROUNDS):
        confusion = confusion_log_ratios(counts, indexes.indexes, [])
        counts = _count(pairs, indexes, confusion, background_counts)
    return counts


def missed(transcript: TuningTranscript, indexes: PhoneticIndexes) -> list[SpokenToken]:
    """Spoken words that the networks lack at their places."""
    return [token for token, seen in spoken(transcript, indexes) if seen < MISSED_BELOW]


def spoken_doubt(transcript: TuningTranscript, indexes: PhoneticIndexes) -> float:
    """The share of spoken words that the networks lack: one minus the mean posterior of the words.

    Args:
        transcript: the transcript of some of the recordings, with at least one word.
    """
    posteriors = [min(seen, 1.0) for _, seen in spoken(transcript, indexes)]
    return 1.0 - sum(posteriors) / len(posteriors)


def spoken(
    transcript: TuningTranscript, indexes: PhoneticIndexes
) -> list[tuple[SpokenToken, float]]:
    """The words of the transcript, each with its posterior where it was spoken."""
    word_id = [{word: i for i, word in enumerate(index.words)} for index in indexes.indexes]
    found = []
    for recording, start, end, word in zip(
        transcript.recording.tolist(),
        transcript.start_ms.tolist(),
        transcript.end_ms.tolist(),
        transcript.words,
        strict=True,
    ):
        if recording not in indexes.segment_of:
            continue
        segment, local = indexes.segment_of[recording]
        at = word_id[segment].get(word)
        seen = 0.0 if at is None else _posterior(indexes.indexes[segment], at, local, start, end)
        found.append((SpokenToken(recording, start, end, word), seen))
    return found


def _posterior(index: PhoneticIndex, word: int, recording: int, start: int, end: int) -> float:
    """Summed posterior of a word's occurrences around the middle of a span."""
    columns = index.columns
    rows = slice(int(columns.posting_offsets[word]), int(columns.posting_offsets[word + 1]))
    key = columns.posting_keys(rows).astype(np.int64)
    middle = (recording << 32) + (start + end) // 2
    there = (key - 100 <= middle) & (middle <= key + columns.posting_duration_ms[rows] + 100)
    return float(columns.posting_posterior[rows][there].sum())


def _count(
    pairs: Sequence[tuple[SpokenToken, Pronunciation]],
    indexes: PhoneticIndexes,
    confusion: Confusion,
    background_counts: Float64s,
) -> Counts:
    """One round: align every missed word where it was spoken, and count."""
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    p = len(row)
    substituted, deleted, inserted = np.zeros((p, p)), np.zeros(p), np.zeros(p)
    for token, phones in pairs:
        segment, local = indexes.segment_of[token.recording]
        index = indexes.indexes[segment]
        ratios = ratios_in(phones, index, confusion)
        hits = align_windows(ratios, index, _window(index, local, token), MIN_SCORE)
        near = np.flatnonzero(
            (np.abs(hits.start_ms - token.start_ms) <= NEAR_MS)
            & (np.abs(hits.end_ms - token.end_ms) <= NEAR_MS)
        )
        if len(near) == 0:
            continue
        best = near[0]  # hits of a window come best first
        numbers = np.array([row[phone] for phone in index.inventory])
        for phone, observed in zip(phones, hits.observed[best].tolist(), strict=True):
            if observed < 0:
                deleted[row[phone]] += 1
            else:
                substituted[row[phone], numbers[observed]] += 1
        for observed in hits.inserted[best].tolist():
            if observed >= 0:
                inserted[numbers[observed]] += 1
    return Counts(confusion.inventory, substituted, deleted, inserted, background_counts)


def _window(index: PhoneticIndex, recording: int, token: SpokenToken) -> npt.NDArray[np.int64]:
    """(1, 2) the slots from a second before a word to a second after it."""
    key = index.columns.slot_key
    first = (recording << 32) + min(max(0, token.start_ms - 1000), MAX_TIME_MS)
    last = (recording << 32) + min(token.end_ms + 1000, MAX_TIME_MS)  # a transcript may go on
    return np.searchsorted(key, np.array([[first, last]], dtype=np.uint64)).astype(np.int64)
