"""The segments of a language that have phones of one pronouncer, and its lexicon.

open_phonetic_indexes   opens them
PhoneticIndexes.within  the searched part of them
searched_archive        the statistics of their speech
lexicon_of_index        only the lexicon, for words that are not searched
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from searcher.calibration.model import Model
from searcher.phonetic.archive import SearchedArchive, archive_of
from searcher.phonetic.index import PhoneticIndex, open_phonetic_index
from searcher.phonetic.path_words import RecognisedWords
from searcher.phonetic.ratios import confusion_log_ratios
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment, pronouncer_of_segment
from std.nist.ecf import TOLERANCE_S
from std.phonetics.confusion import Confusion, Counts, empty
from std.phonetics.lexicon import Lexicon, lexicon_for, lexicon_of
from std.phonetics.phones import Pronunciation
from std.store import Segment, vocabulary_counts
from std.store.columns import KEY_SHIFT, MAX_TIME_MS
from std.values import Excerpt, Int64s, Recording

PARTS = 16  # of an archive, open at a time


@dataclass(frozen=True, eq=False)
class PhoneticIndexes:
    """The segments of a language with phones of one pronouncer, or a part of them."""

    indexes: tuple[PhoneticIndex, ...]  # one per segment
    recordings: tuple[Int64s, ...]  # of each index: its recordings' rows in the search's table
    lexicon: Lexicon
    model: Model | None  # None without a model of this pronouncer
    is_part: bool = False  # of the archive

    @property
    def pronouncer(self) -> str:
        """The pronouncer of the segments, as ``espeak-ng:de``."""
        return self.indexes[0].pronouncer

    @property
    def speech_s(self) -> float:
        """The amount of speech, in seconds."""
        live = (
            one.speech_ms
            for index in self.indexes
            for one, is_live in zip(index.columns.recordings, index.live, strict=True)
            if is_live
        )
        return sum(live) / 1000

    @property
    def confusion_counts(self) -> Counts:
        """The model's counts; empty without a model."""
        return self.model.confusion if self.model else empty([])

    @cached_property
    def _confusion(self) -> Confusion:
        """Confusion log ratios of the phones of the segments."""
        return confusion_log_ratios(self.confusion_counts, self.indexes, [])

    @cached_property
    def segment_of(self) -> Mapping[int, tuple[int, int]]:
        """The segment and row of each live recording, by its row in the search's table."""
        return {
            row: (segment, own_row)
            for segment, rows in enumerate(self.recordings)
            for own_row, row in enumerate(rows.tolist())
            if self.indexes[segment].live[own_row]
        }

    @cached_property
    def recognised_words(self) -> RecognisedWords:
        """The words of the segments, counted in live recordings."""
        counts: Counter[str] = Counter()
        for index in self.indexes:
            live = np.flatnonzero(index.counts)
            words = map(index.words.__getitem__, live.tolist())
            counts.update(dict(zip(words, index.counts[live].tolist(), strict=True)))
        return RecognisedWords(tuple(index.words for index in self.indexes), counts)

    def within(self, excerpts: Sequence[Excerpt] | None) -> "PhoneticIndexes | None":
        """The recordings of excerpts, as if all others were deleted; None = everything.

        Hits and null distribution of a part of an archive do not depend on the rest.

        Returns:
            None if none of the recordings is here.
        """
        if excerpts is None:
            return self
        return self._part(frozenset(excerpt.recording for excerpt in excerpts))

    @cached_property
    def _part(self) -> Callable[[frozenset[Recording]], "PhoneticIndexes | None"]:
        """`_without_others`, cached for the last searched parts."""
        return lru_cache(maxsize=PARTS)(self._without_others)

    def _without_others(self, recordings: frozenset[Recording]) -> "PhoneticIndexes | None":
        parts = [index.within(recordings) for index in self.indexes]
        if all(part is index for part, index in zip(parts, self.indexes, strict=True)):
            return self
        some = [i for i, part in enumerate(parts) if part.live.any()]
        if not some:
            return None
        return replace(
            self,
            indexes=tuple(parts[i] for i in some),
            recordings=tuple(self.recordings[i] for i in some),
            is_part=True,
        )

    def with_confusion(
        self, queries: Sequence[Pronunciation]
    ) -> list[tuple[list[Pronunciation], Confusion]]:
        """Queries, and the confusion log ratios of the phones of the segments and of these queries.

        Phones that the segments lack are only in the log ratios of queries with them, so the hits
        of a term do not depend on other terms of its list.
        """
        known = frozenset(self._confusion.inventory)
        by_missing: dict[frozenset[str], list[Pronunciation]] = {}
        for query in queries:
            by_missing.setdefault(frozenset(query) - known, []).append(query)
        return [
            (some, self._confusion_with(missing) if missing else self._confusion)
            for missing, some in by_missing.items()
        ]

    def _confusion_with(self, missing: frozenset[str]) -> Confusion:
        phones = [tuple(sorted(missing))]
        return confusion_log_ratios(self.confusion_counts, self.indexes, phones)


def open_phonetic_indexes(
    segments: Sequence[Segment],
    row_of: Mapping[Recording, int],
    config: Config,
    model: Model | None,
) -> tuple[PhoneticIndexes | None, tuple[Segment, ...]]:
    """Open the segments of one language that have phones, of the pronouncer of most alternatives.

    Args:
        row_of: row of each recording in the search's table.
        model: the model; not used with another pronouncer.

    Returns:
        None if no segment has phones; and the segments without phones of that pronouncer (indexed
        without any, or with another pronouncer).

    Raises:
        StoreError: phone columns are damaged.
    """
    live = [segment for segment in segments if len(segment.deleted) < len(segment.recordings)]
    opened = [(open_phonetic_index(segment), segment) for segment in live]
    arcs: Counter[str] = Counter()
    for index, _ in opened:
        if index:
            arcs[index.pronouncer] += index.arcs
    if not arcs:
        return None, tuple(live)
    pronouncer = min(arcs, key=lambda name: (-arcs[name], name))
    lexicon = lexicon_of(pronouncer, config.pronunciation, config.text)
    if lexicon is None:
        return None, tuple(live)
    usable = [
        (index, segment) for index, segment in opened if index and index.pronouncer == pronouncer
    ]
    phonetic = PhoneticIndexes(
        tuple(index for index, _ in usable),
        tuple(
            np.array(
                [row_of[recording.recording] for recording in segment.recordings], dtype=np.int64
            )
            for _, segment in usable
        ),
        lexicon,
        model if model and model.pronouncer == pronouncer else None,
    )
    others = [
        segment for index, segment in opened if index is None or index.pronouncer != pronouncer
    ]
    return phonetic, tuple(others)


def languages_within(
    segments: Sequence[Segment], excerpts: Sequence[Excerpt] | None
) -> tuple[str, ...]:
    """The language of each segment with searched recordings."""
    if excerpts is None:
        return tuple(of_segment(segment) for segment in segments)
    searched = {excerpt.recording for excerpt in excerpts}
    return tuple(
        of_segment(segment)
        for segment in segments
        if any(
            indexed.recording in searched and row not in segment.deleted
            for row, indexed in enumerate(segment.recordings)
        )
    )


def searched_archive(
    phonetic: PhoneticIndexes,
    excerpts: Sequence[Excerpt] | None = None,
    folder: Path | None = None,
    workers: Executor = IN_PROCESS,
) -> SearchedArchive:
    """The statistics of the segments with phones.

    Args:
        folder: where the index lies, if in a folder.
        workers: the executor of the search of decoys, if the statistics are not known yet.
    """
    words = phonetic.recognised_words
    archive = archive_of(
        phonetic.indexes, phonetic.confusion_counts, folder, workers, is_part=phonetic.is_part
    )
    slots = archive.slots
    if excerpts is not None:
        slots = sum(slots_inside(index, excerpts) for index in phonetic.indexes)
    return SearchedArchive(archive, slots, words)


def slots_inside(index: PhoneticIndex, excerpts: Sequence[Excerpt]) -> int:
    """The number of slots of live recordings that begin inside excerpts.

    Args:
        excerpts: in any order, overlapping or not, of any recordings.
    """
    row_of = {
        indexed.recording: row
        for row, indexed in enumerate(index.columns.recordings)
        if index.live[row]
    }
    spans = sorted(
        (row_of[one.recording], _whole_ms(one.start_s), _whole_ms(one.end_s))
        for one in excerpts
        if one.recording in row_of
    )
    keys, reached = [], 0  # merged, so that overlapping excerpts count once
    for row, start_ms, end_ms in spans:
        first, end = ((row << int(KEY_SHIFT)) + time_ms for time_ms in (start_ms, end_ms))
        keys.append((max(first, reached), max(end, reached)))
        reached = max(end, reached)
    bounds = np.array(keys, np.uint64).reshape(-1, 2)
    rows = np.searchsorted(index.columns.slot_key, bounds)
    return int((rows[:, 1] - rows[:, 0]).sum())


def _whole_ms(seconds: float) -> int:
    """A time rounded up to milliseconds, within the range of slot times."""
    return math.ceil(min(max(seconds, 0.0) * 1000, MAX_TIME_MS) - 1000 * TOLERANCE_S)


def lexicon_of_index(segments: Sequence[Segment], config: Config) -> Lexicon:
    """The lexicon of the index's pronouncer, or of its words' language if it has no phones.

    Raises:
        ConfigError: its pronouncer is not installed, or the language is not recognised.
    """
    for segment in segments:
        name = pronouncer_of_segment(segment)
        if name and (lexicon := lexicon_of(name, config.pronunciation, config.text)):
            return lexicon
    return lexicon_for(config.pronunciation, config.text, lambda: vocabulary_counts(segments))
