"""Which recordings of an archive hold the same speech: one file delivered under two names, a rerun.

find_copies     segments --> `Copies`: each copy with its original
common_copies   those of several recognisers' indexes
without_copies  segments --> the same segments with their copies deleted
live_counts     how often each word stands in such segments

The labels of copies are the same, so a place in four copies is one place, not four that vouch for
each other: originals are searched, and each copy gets its original's answer
(`searcher.copied_hits`).

A copy is recognised by its slots: equal times, equal posteriors of 'no word here' to the bit, equal
likeliest words. What competes with the likeliest words is not compared: it lies word by word in the
postings of the whole segment, all of which a database would have to send, and another posterior of
an alternative nearly always leaves another one for 'no word here'. Audio that was encoded again and
recognised again has other posteriors, and is no copy.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple, TypeVar

import numpy as np

from std.store import Segment, vocabulary_counts
from std.store.columns import SLOT_ERROR, TIME_MASK, IndexedRecording, Int64s, Slots
from std.values import Excerpt, Recording

# Fewer times that agree may do so by accident: "yes", one second long. Of slots whose times are
# estimated from their words, only the times of the utterances count.
LEAST_TIMES = 5

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Copies:
    """The copies of an index, each with the recording that is searched for it: its original."""

    originals: Mapping[Recording, Recording]  # by copy

    def __len__(self) -> int:
        return len(self.originals)

    def __contains__(self, recording: Recording) -> bool:
        return recording in self.originals

    def original(self, recording: Recording) -> Recording:
        """The recording that is searched for another; itself if it is no copy."""
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
        """The originals that are searched for some recordings."""
        return {self.original(recording) for recording in recordings}

    def searched(self, excerpts: Sequence[Excerpt]) -> Sequence[Excerpt]:
        """Excerpts with copies named as their originals, each once.

        Their seconds (`std.ecf_filter.speech_s`) are those of distinct speech.
        """
        if not self:
            return excerpts
        named = (replace(one, recording=self.original(one.recording)) for one in excerpts)
        return tuple(dict.fromkeys(named))


NO_COPIES = Copies({})


class Suspect(NamedTuple):
    """A live recording that may hold the speech of another."""

    segment: int
    row: int
    indexed: IndexedRecording

    @property
    def recorded(self) -> Hashable:
        """What the manifest says of its speech."""
        one = self.indexed
        return one.speech_ms, one.utterances, one.times_estimated


def find_copies(segments: Sequence[Segment]) -> Copies:
    """The recordings that hold the speech of another one, whose name comes before theirs.

    The manifest tells which recordings may; the slots of these are read, of no others. How the
    recordings are cut into segments makes no difference.

    Args:
        segments: of one language.

    Raises:
        StoreError: slots are damaged.
    """
    live = [
        Suspect(number, row, indexed)
        for number, segment in enumerate(segments)
        for row, indexed in enumerate(segment.recordings)
        if row not in segment.deleted and _has_times(indexed)
    ]
    alike = _alike((one.recorded, one) for one in live)
    slots_of = {
        number: SuspectSlots.of(segments[number], [one for one in alike if one.segment == number])
        for number in {one.segment for one in alike}
    }
    alike = _alike(pair for number in sorted(slots_of) for pair in slots_of[number].outlines())
    same = _groups((slots_of[one.segment].digest(one), one) for one in alike)
    originals: dict[Recording, Recording] = {}
    for group in same:
        original, *copies = sorted(one.indexed.recording for one in group)
        originals |= dict.fromkeys(copies, original)
    return Copies(originals)


def _has_times(indexed: IndexedRecording) -> bool:
    """Whether as much is known of its speech as tells it from other speech."""
    return indexed.utterances >= (LEAST_TIMES if indexed.times_estimated else 1)


def _groups(keyed: Iterable[tuple[Hashable, Item]]) -> list[list[Item]]:
    """Items of equal keys, where there are several."""
    groups: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for key, item in keyed:
        groups[key].append(item)
    return [group for group in groups.values() if len(group) > 1]


def _alike(keyed: Iterable[tuple[Hashable, Item]]) -> list[Item]:
    """Items whose key another one has, too."""
    return [item for group in _groups(keyed) for item in group]


class SuspectSlots(NamedTuple):
    """The slots of a segment's suspects."""

    segment: Segment
    suspects: Sequence[Suspect]
    slots: Slots
    bounds: Mapping[
        int, tuple[int, int]
    ]  # of each suspect's row: its first slot, one past its last

    @classmethod
    def of(cls, segment: Segment, suspects: Sequence[Suspect]) -> "SuspectSlots":
        """Read them, all in one request."""
        rows = [one.row for one in suspects]
        slots = segment.slots(rows)
        begin, end = slots.of_recordings(np.array(rows, np.int64))
        bounds = zip(begin.tolist(), end.tolist(), strict=True)
        return cls(segment, suspects, slots, dict(zip(rows, bounds, strict=True)))

    def outlines(self) -> list[tuple[Hashable, Suspect]]:
        """What is cheap to compare: how many slots each suspect has, the first and the last one."""
        of_suspects: list[tuple[Hashable, Suspect]] = []
        for one in self.suspects:
            begin, end = self.bounds[one.row]
            if end - begin >= (1 if one.indexed.times_estimated else LEAST_TIMES):
                ends = self.slots.key[[begin, end - 1]] & TIME_MASK
                of_suspects.append(((one.recorded, end - begin, *ends.tolist()), one))
        return of_suspects

    def digest(self, suspect: Suspect) -> bytes:
        """Of all that copies share: manifest, pronouncer of the words, and slots."""
        here = slice(*self.bounds[suspect.row])
        # Words are ascending: ranks of distinct words are the same in any vocabulary.
        distinct, rank = np.unique(self.slots.word[here], return_inverse=True)
        vocabulary = self.segment.words()
        words = [vocabulary[i] if i >= 0 else "" for i in distinct.tolist()]
        pronouncer = self.segment.extra("phone_maker")
        content = sha256(repr((suspect.recorded, words)).encode("utf-8", "surrogatepass"))
        for column in (
            np.empty(0, np.uint8) if pronouncer is None else pronouncer,
            rank.astype(np.int32),
            (self.slots.key[here] & TIME_MASK).astype(np.uint32),
            self.slots.epsilon[here],
            self._errors_ms(suspect, here),
        ):
            content.update(f"{len(column)} ".encode() + column.tobytes())
        return content.digest()

    def _errors_ms(self, suspect: Suspect, here: slice) -> np.ndarray:
        """How far the times of its slots may be off."""
        column = self.segment.extra(SLOT_ERROR) if suspect.indexed.times_estimated else None
        if column is None:
            return np.zeros(here.stop - here.start, np.uint32)
        return column[here] if self.slots.row is None else column[self.slots.row[here]]


def common_copies(recordings: Sequence[Collection[Recording]], copies: Sequence[Copies]) -> Copies:
    """The copies of several recognisers' indexes: two recordings that no index tells apart.

    Args:
        recordings: of each index.
        copies: of each index.
    """
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


def live_counts(segments: Sequence[Segment], copies: Copies) -> Mapping[str, int]:
    """Every word with its number of postings outside copies, ascending by word.

    As `std.store.vocabulary_counts`, segments without copies count deleted recordings in.

    Args:
        segments: without their copies.
        copies: of the index.
    """
    if not copies:
        return vocabulary_counts(segments)
    total: dict[str, int] = {}
    for segment in segments:
        has_copies = any(segment.recordings[row].recording in copies for row in segment.deleted)
        counts = _live(segment) if has_copies else segment.counts()
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
