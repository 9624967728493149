"""Find recordings with the same speech: one file under two names, or a rerun.

find_copies     segments --> `Copies`: each copy with its original
common_copies   those of several recognisers' indexes
without_copies  segments --> the same segments with their copies deleted
live_counts     the number of postings of each word in recordings that are not deleted

A place in four copies is one place, not four independent ones, so only originals are searched, and
each copy gets its original's hits (`searcher.results.search_result`).

Copies have equal slots: times, posteriors of 'no word here' to the bit, and likeliest words. Other
alternatives are not compared. They are stored by word in the postings of the whole segment, and a
database would have to send all of these. Besides, if the posterior of an alternative differs, that
of 'no word here' nearly always differs, too. Audio that was encoded and recognised again has other
posteriors and is not a copy.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from std.store import Segment, vocabulary_counts
from std.store.columns import SLOT_ERROR, TIME_MASK, IndexedRecording, Slots
from std.values import Column, Excerpt, Int64s, Recording

# Fewer equal times may be chance: "yes", one second long. Of slots with estimated times, only the
# times of the utterances count.
LEAST_TIMES = 5

SPEECH = attrgetter("speech_ms", "utterances", "times_estimated")  # of an indexed recording
OUTLINE_SLOTS = 16  # of each recording, compared before all slots
KEPT_DIGESTS: WeakKeyDictionary[Segment, dict[Recording, bytes]] = WeakKeyDictionary()
NO_SLOTS = Slots(np.empty(0, np.uint64), np.empty(0, np.float32), np.empty(0, np.int32))


@dataclass(frozen=True, eq=False)
class Copies:
    """The copies of an index, each with its original, which is searched."""

    originals: Mapping[Recording, Recording]  # by copy

    def __len__(self) -> int:
        return len(self.originals)

    def __contains__(self, recording: Recording) -> bool:
        return recording in self.originals

    def original(self, recording: Recording) -> Recording:
        """The original of a recording; the recording itself if it is not a copy."""
        return self.originals.get(recording, recording)

    @cached_property
    def _of_original(self) -> Mapping[Recording, Sequence[Recording]]:
        of_original: defaultdict[Recording, list[Recording]] = defaultdict(list)
        for copy in sorted(self.originals):
            of_original[self.originals[copy]].append(copy)
        return of_original

    def names(self, original: Recording) -> list[Recording]:
        """An original and its copies, ascending."""
        return [original, *self._of_original.get(original, ())]

    def distinct(self, recordings: Iterable[Recording]) -> set[Recording]:
        """The originals of some recordings."""
        return {self.original(recording) for recording in recordings}

    def searched(self, excerpts: Sequence[Excerpt]) -> Sequence[Excerpt]:
        """Excerpts with copies replaced by their originals, each once.

        Their seconds (`std.nist.ecf.speech_s`) are those of distinct speech.
        """
        if not self:
            return excerpts
        named = (replace(one, recording=self.original(one.recording)) for one in excerpts)
        return tuple(dict.fromkeys(named))


NO_COPIES = Copies({})


def find_copies(segments: Sequence[Segment]) -> Copies:
    """The copies among recordings; of equal recordings, the first by name is the original.

    The manifest shows possible copies, and only their slots are read. The result does not depend on
    the division into segments.

    Raises:
        StoreError: slots are damaged.
    """
    suspects = [*map(Suspects.of, segments, _alike_by_manifest(segments))]
    outlines = [one.outlines() for one in suspects]
    times = Counter(chain.from_iterable(outlines))
    same: defaultdict[bytes, list[Recording]] = defaultdict(list)
    for of_segment, of_each in zip(suspects, outlines, strict=True):
        for i, outline in enumerate(of_each):
            if times[outline] > 1:
                same[of_segment.kept_digest(i)].append(of_segment.recorded[i].recording)
    originals: dict[Recording, Recording] = {}
    for recordings in same.values():
        original, *copies = sorted(recordings)
        originals |= dict.fromkeys(copies, original)
    return Copies(originals)


def _alike_by_manifest(segments: Sequence[Segment]) -> list[list[int]]:
    """For each segment, the live recordings with the same manifest entries as others."""
    said = [[*map(SPEECH, segment.recordings)] for segment in segments]
    times = Counter(chain.from_iterable(said))
    return [
        [
            row
            for row, one in enumerate(of_segment)
            if times[one] > 1 and row not in segment.deleted and _has_times(*one)
        ]
        for segment, of_segment in zip(segments, said, strict=True)
    ]


def _has_times(speech_ms: int, utterances: int, times_estimated: bool) -> bool:
    """Whether a recording has enough times to be distinguished by them."""
    return utterances >= (LEAST_TIMES if times_estimated else 1)


class Suspects(NamedTuple):
    """Recordings of a segment that may be copies, and their slots."""

    segment: Segment
    recorded: Sequence[IndexedRecording]  # (n,)
    slots: Slots
    begin: Int64s  # (n,) first slot of each
    end: Int64s  # (n,) one past its last

    @classmethod
    def of(cls, segment: Segment, rows: Sequence[int]) -> "Suspects":
        """Read the slots of some recordings, in one request; without any, none."""
        if not rows:
            return cls(segment, (), NO_SLOTS, np.empty(0, np.int64), np.empty(0, np.int64))
        slots = segment.slots(rows)
        begin, end = slots.of_recordings(np.array(rows, np.int64))
        number, recorded = end - begin, [segment.recordings[row] for row in rows]
        is_estimated = np.array([one.times_estimated for one in recorded])
        kept = np.flatnonzero(number >= np.where(is_estimated, 1, LEAST_TIMES))
        return cls(segment, [recorded[i] for i in kept.tolist()], slots, begin[kept], end[kept])

    def outlines(self) -> list[bytes]:
        """A cheap key of each recording: manifest entry, number of slots, some of the slots.

        Different recordings of equal length differ here, so their slots need not be hashed.
        """
        if not self.recorded:
            return []
        said = np.array([*map(SPEECH, self.recorded)], np.int64)
        number = self.end - self.begin
        step = np.linspace(0, 1, OUTLINE_SLOTS)
        drawn = self.begin[:, None] + ((number - 1)[:, None] * step).astype(np.int64)
        times = (self.slots.key[drawn] & TIME_MASK).astype(np.int64)
        posteriors = self.slots.epsilon[drawn].view(np.int32)
        return [row.tobytes() for row in np.column_stack([said, number, times, posteriors])]

    def kept_digest(self, i: int) -> bytes:
        """The `digest`, computed once for all snapshots that share the segment."""
        kept, recording = KEPT_DIGESTS.setdefault(self.segment, {}), self.recorded[i].recording
        if recording not in kept:
            kept[recording] = self.digest(i)
        return kept[recording]

    def digest(self, i: int) -> bytes:
        """A digest of everything that copies share: manifest entry, pronouncer, slots."""
        here = slice(int(self.begin[i]), int(self.end[i]))
        # Words are ascending: ranks of distinct words are the same in any vocabulary.
        distinct, rank = np.unique(self.slots.word[here], return_inverse=True)
        vocabulary = self.segment.words()
        words = [vocabulary[word] if word >= 0 else "" for word in distinct.tolist()]
        content = sha256(
            repr((SPEECH(self.recorded[i]), len(rank), words)).encode("utf-8", "surrogatepass")
        )
        for column in (
            rank.astype(np.int32),
            (self.slots.key[here] & TIME_MASK).astype(np.uint32),
            self.slots.epsilon[here],
            self._errors_ms(i, here),
            self.segment.extra("phone_maker"),
        ):
            content.update(b"" if column is None else column.tobytes())
        return content.digest()

    def _errors_ms(self, i: int, here: slice) -> Column | None:
        """The errors of its slots' times; None if they are the recogniser's."""
        column = self.segment.extra(SLOT_ERROR) if self.recorded[i].times_estimated else None
        if column is None or self.slots.row is None:
            return column if column is None else column[here]
        return column[self.slots.row[here]]


def common_copies(recordings: Sequence[Collection[Recording]], copies: Sequence[Copies]) -> Copies:
    """The common copies of several recognisers' indexes: recordings that are equal in each."""
    originals: dict[Recording, Recording] = {}
    first: dict[Hashable, Recording] = {}
    for recording in sorted(
        {one for of_index in copies for one in (*of_index.originals, *of_index.originals.values())}
    ):
        in_each = tuple(
            of_index.original(recording) if recording in indexed else None
            for indexed, of_index in zip(recordings, copies, strict=True)
        )
        if first.setdefault(in_each, recording) != recording:
            originals[recording] = first[in_each]
    return Copies(originals)


def without_copies(segments: Sequence[Segment], copies: Copies) -> tuple[Segment, ...]:
    """The segments with their copies deleted; one without copies is the same object."""
    if not copies:
        return tuple(segments)
    remaining = []
    for segment in segments:
        rows = [row for row, one in enumerate(segment.recordings) if one.recording in copies]
        remaining.append(segment.without(rows) if rows else segment)
    return tuple(remaining)


def live_counts(segments: Sequence[Segment]) -> Mapping[str, int]:
    """Every word with its number of postings in live recordings, ascending by word.

    Reads all columns of segments with deleted recordings, others as `vocabulary_counts` does.

    Args:
        segments: in `without_copies` copies are deleted, too.
    """
    if not any(segment.deleted for segment in segments):
        return vocabulary_counts(segments)
    total: dict[str, int] = {}
    for segment in segments:
        counts = _live(segment) if segment.deleted else segment.counts()
        for word, count in zip(segment.words(), counts.tolist(), strict=True):
            total[word] = total.get(word, 0) + count
    return {word: count for word, count in sorted(total.items()) if count}


def _live(segment: Segment) -> Int64s:
    """(V,) live postings of each word; reads all columns."""
    columns = segment.columns()
    is_deleted = np.zeros(len(columns.recordings), dtype=bool)
    is_deleted[list(segment.deleted)] = True
    in_deleted = np.repeat(is_deleted, np.diff(columns.slot_offsets))[columns.posting_slot]
    rows = np.flatnonzero(in_deleted)
    words = np.searchsorted(columns.posting_offsets, rows, side="right") - 1
    counts = np.diff(columns.posting_offsets)
    left: Int64s = counts - np.bincount(words, minlength=len(counts))
    return left
