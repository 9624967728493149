"""A snapshot of one or several stores: their segments, and the recordings of these.

open_stores           names -> stores
snapshot              stores -> their segments
by_language           segments -> groups of one language, each searched as an index by itself
recording_table       segments -> RecordingTable, the numbers that searches use for recordings,
                      cached as long as the segments exist
words_of_recording    the one-best words between two times, with their alternatives

A term is split, expanded and pronounced in each language of the index. A word that is not in the
recordings of a language is OOV there, even if another language has it. Decisions are made on the
candidates of all languages together. An archive may have many thousands of recordings, and a word
is looked up in a millisecond: no search should sort the recordings again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np

from std.config import Config
from std.errors import InputError, StoreError, Unquoted, require_kind
from std.languages.detection import of_segment
from std.store import Segment, Store, open_store, require_different
from std.store.address import kind_of
from std.store.columns import KEY_SHIFT, Slots, live_recordings
from std.store.resident import ResidentSegment
from std.store.speakers import Speakers
from std.text import as_indexed, require_same
from std.values import Int64s, Recording

DOUBTFUL = 0.5  # posterior below which a word is doubtful


def urls_of(stores: Iterable[str | PathLike[str]]) -> list[str]:
    """The names of stores that a caller of Python gave.

    Raises:
        TypeError: one is neither a text nor a path.
    """
    kinds, expected = str | PathLike, "a folder, or couchdb://host/database"
    return [fspath(require_kind("store", store, kinds, expected)) for store in stores]


def open_stores(urls: Sequence[str]) -> tuple[Store, ...]:
    """Open stores that together are one index: its shards."""
    require_different(urls)
    return tuple(open_store(url) for url in urls)


def adapted(config: Config, stores: Sequence[Store]) -> Config:
    """The configuration for searching these stores: older ones keep punctuation."""
    text = config.text
    for store in stores:
        text = as_indexed(text, store.normalisation())
    return replace(config, text=text)


def snapshot(stores: Sequence[Store], config: Config) -> tuple[Segment, ...]:
    """The live segments of all shards.

    Raises:
        InputError: a store is empty, or two of them hold the same recording.
        StoreError: a store's words have another normalisation than ``config``."""
    segments: tuple[Segment, ...] = ()
    for store in stores:
        normalisation = store.normalisation()
        if normalisation is None:
            raise InputError(store.url, 0, "an index with recordings", Unquoted("an empty one"))
        require_same(config.text, normalisation, store.url)
        here = store.segments()
        if twice := speech_ms(segments).keys() & speech_ms(here).keys():
            expected = "recordings that no other --store has (--fuse is for several recognisers)"
            raise InputError(store.url, 0, expected, min(twice).file)
        segments += here
    return segments


def revisions(stores: Sequence[Store]) -> tuple[str, ...]:
    """The revisions of the stores, which change with each commit."""
    return tuple(store.revision() for store in stores)


def speech_ms(segments: Sequence[Segment]) -> dict[Recording, int]:
    """The searched recordings and the amount of speech in each."""
    return {
        one.recording: one.speech_ms for segment in segments for _, one in live_recordings(segment)
    }


def index_folder(urls: Sequence[str]) -> Path | None:
    """The folder of the index, if it is one store in a folder."""
    return Path(urls[0]) if len(urls) == 1 and kind_of(urls[0]) == "folder" else None


class LanguageGroup(NamedTuple):
    """Segments of one language; segments of unknown language join the language with most speech."""

    language: str  # empty = unknown or not needed
    segments: tuple[Segment, ...]

    def configured(self, config: Config) -> Config:
        """The configuration with this language, if it names none."""
        if not self.language or config.pronunciation.language != "auto":
            return config
        return replace(config, pronunciation=replace(config.pronunciation, language=self.language))


def by_language(segments: Sequence[Segment], *, named: bool = True) -> tuple[LanguageGroup, ...]:
    """Segments by language, that of most speech first; each group keeps the segments' order.

    Args:
        named: whether the language of a single segment is read, which is a request to a database.
    """
    if len(segments) == 1 and not named:
        return (LanguageGroup("", tuple(segments)),)
    languages = [of_segment(one) for one in segments]
    speech = dict.fromkeys(languages, 0)
    for language, segment in zip(languages, segments, strict=True):
        speech[language] += sum(one.speech_ms for _, one in live_recordings(segment))
    speech.pop("", None)
    if len(speech) < 2:
        return (LanguageGroup(next(iter(speech), ""), tuple(segments)),)
    ranked = sorted(speech, key=lambda one: (-speech[one], one))
    return tuple(
        LanguageGroup(
            language,
            tuple(
                segment
                for own, segment in zip(languages, segments, strict=True)
                if (own or ranked[0]) == language
            ),
        )
        for language in ranked
    )


@dataclass(frozen=True, eq=False)
class RecordingTable:
    """The recordings of some segments; candidates point into it."""

    recordings: tuple[Recording, ...]  # ascending, deleted ones included
    row_of: Mapping[Recording, int]
    rows: WeakKeyDictionary[Segment, Int64s]  # of each segment: (R,) rows of its recordings
    segments: tuple[ref[Segment], ...]
    segment: Int64s  # (n,) number of the segment where each is live; -1 if it is deleted
    row_in_segment: Int64s  # (n,) its row there

    def is_of(self, segments: Sequence[Segment]) -> bool:
        """Whether the table is of these segments, in this order."""
        return len(segments) == len(self.segments) and all(
            own() is other for own, other in zip(self.segments, segments, strict=True)
        )

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """(n,) codes; empty if a recording is deleted, or the index does not know its language."""
        of_number = [*map(of_segment, self.rows), ""]
        return tuple(of_number[number] for number in self.segment.tolist())


_known: WeakKeyDictionary[Segment, RecordingTable] = WeakKeyDictionary()  # by first segment


def recording_table(segments: Sequence[Segment]) -> RecordingTable:
    """The recordings of a snapshot.

    Args:
        segments: the segments of the snapshot. A recording is live in at most one of them, or the
            last counts.
    """
    if not segments:
        return _table(())
    table = _known.get(segments[0])
    if table is None or not table.is_of(segments):
        table = _known[segments[0]] = _table(segments)
    return table


def _table(segments: Sequence[Segment]) -> RecordingTable:
    """A new table."""
    recordings = tuple(sorted({one.recording for s in segments for one in s.recordings}))
    row_of = {recording: row for row, recording in enumerate(recordings)}
    rows: WeakKeyDictionary[Segment, Int64s] = WeakKeyDictionary()
    segment_number = np.full(len(recordings), -1)
    row_in_segment = np.zeros(len(recordings), np.int64)
    for number, segment in enumerate(segments):
        rows[segment] = own = np.array([row_of[one.recording] for one in segment.recordings], int)
        live = np.setdiff1d(np.arange(len(own)), [*segment.deleted])
        segment_number[own[live]], row_in_segment[own[live]] = number, live
    return RecordingTable(
        recordings, row_of, rows, tuple(map(ref, segments)), segment_number, row_in_segment
    )


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a recording; ``alternatives`` compete with it, the likeliest first."""

    word: str
    start_s: float
    duration_s: float
    posterior: float
    alternatives: tuple["Word", ...] = ()
    speaker: str = ""  # who says it, if the index names speakers

    @property
    def is_doubtful(self) -> bool:
        """Whether the word was probably not said."""
        return self.posterior < DOUBTFUL


def words_of_recording(
    segments: Sequence[Segment],
    recording: Recording,
    from_s: float,
    to_s: float,
    *,
    alternatives: bool,
) -> list[Word] | None:
    """The one-best words of a recording, in time order; None if no segment has it.

    Args:
        from_s, to_s: words whose slot has its middle outside are left out.
    """
    for segment in segments:
        for row, indexed in live_recordings(segment):
            if indexed.recording == recording:
                read = _words_in_memory if isinstance(segment, ResidentSegment) else _words
                return read(segment, row, from_s, to_s, alternatives=alternatives)
    return None


def _words(
    segment: Segment, recording: int, from_s: float, to_s: float, *, alternatives: bool
) -> list[Word]:
    """The one-best words of a segment's recording between two times."""
    slots = segment.slots([recording])
    rows = _rows_between(slots, recording, from_s, to_s)
    row_numbers = rows if slots.row is None else slots.row[rows]
    vocabulary = segment.words()
    one_best = {
        int(row): vocabulary[word]
        for row, word in zip(row_numbers.tolist(), slots.word[rows].tolist(), strict=True)
        if word >= 0
    }
    speaker_of = _speakers_at(segment, [*one_best])
    read = set(vocabulary) if alternatives else set(one_best.values())
    in_slot: dict[int, dict[str, Word]] = {row: {} for row in one_best}
    for word, postings in segment.postings(read).items():
        here = np.flatnonzero(np.isin(postings.slot, list(one_best)))
        found = postings.rows(here)
        columns = (found.slot, found.start_ms, found.duration_ms, found.posterior)
        for row, start_ms, length_ms, posterior in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            found_word = Word(word, start_ms / 1000, length_ms / 1000, posterior)
            if word not in in_slot[row] or in_slot[row][word].posterior < posterior:
                in_slot[row][word] = found_word
    words = []
    for row, word in one_best.items():
        if word not in in_slot[row]:
            raise _no_posting(segment)
        competing = sorted(
            (other for other in in_slot[row].values() if other.word != word),
            key=lambda other: (-other.posterior, other.word),
        )
        others = tuple(competing if alternatives else ())
        likeliest = in_slot[row][word]
        words.append(replace(likeliest, alternatives=others, speaker=speaker_of[row]))
    return words


def _words_in_memory(
    segment: Segment, recording: int, from_s: float, to_s: float, *, alternatives: bool
) -> list[Word]:
    """As `_words`, from the columns of a local segment.

    It makes one pass over the slots of all postings, instead of one per word.
    """
    slots, columns, vocabulary = segment.slots([recording]), segment.columns(), segment.words()
    rows = _rows_between(slots, recording, from_s, to_s)
    rows = rows[slots.word[rows] >= 0]
    if not len(rows):
        return []
    slot = columns.posting_slot
    here = np.flatnonzero((rows[0] <= slot) & (slot <= rows[-1]))
    if not alternatives:
        word = np.searchsorted(columns.posting_offsets, here, side="right") - 1
        here = here[word == slots.word[slot[here]]]
    ids = np.searchsorted(columns.posting_offsets, here, side="right") - 1
    in_slot: dict[int, dict[int, Word]] = {row: {} for row in rows.tolist()}
    values = (
        slot[here], ids, columns.posting_start_ms[here], columns.posting_duration_ms[here],
        columns.posting_posterior[here],
    )  # fmt: skip
    for row, word_id, start_ms, length_ms, posterior in zip(
        *(column.tolist() for column in values), strict=True
    ):
        competing = in_slot.get(row)
        if competing is None:
            continue
        if word_id not in competing or competing[word_id].posterior < posterior:
            name = vocabulary[word_id]
            competing[word_id] = Word(name, start_ms / 1000, length_ms / 1000, posterior)
    words, speaker_of = [], _speakers_at(segment, rows.tolist())
    for row, word_id in zip(rows.tolist(), slots.word[rows].tolist(), strict=True):
        likeliest = in_slot[row].pop(word_id, None)
        if likeliest is None:
            raise _no_posting(segment)
        others = sorted(in_slot[row].values(), key=lambda other: (-other.posterior, other.word))
        words.append(replace(likeliest, alternatives=tuple(others), speaker=speaker_of[row]))
    return words


def _speakers_at(segment: Segment, slots: Sequence[int]) -> dict[int, str]:
    speakers = Speakers.of(segment)
    return dict(
        zip(
            slots,
            (speakers.names[i] for i in speakers.at(np.array(slots, int)).tolist()),
            strict=True,
        )
    )


def _no_posting(segment: Segment) -> StoreError:
    return StoreError(f"segment {segment.id}: expected a posting of the likeliest word of a slot")


def _rows_between(slots: Slots, recording: int, from_s: float, to_s: float) -> np.ndarray:
    """Rows of the slots of a recording with their middle between two times."""
    of_recording = (slots.key >> KEY_SHIFT).astype(np.int64) == recording
    middle_s = (slots.key - (np.uint64(recording) << KEY_SHIFT)).astype(np.float64) / 1000
    return np.flatnonzero(of_recording & (from_s <= middle_s) & (middle_s <= to_s))
