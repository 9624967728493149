"""The searched speech: an index, an ECF, or some recordings or speakers of these.

SearchedSpeech   the excerpts, and the amount of speech
SpokenBy         conditions such as ``speaker = "Anna"`` -> the candidates of these speakers
SpeakerTurns     the same of places that have no slots
doubt            one minus the mean posterior of each recording's one-best words
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from searcher.index.copies import Copies
from searcher.index.stores import RecordingTable, recording_table
from std.nist.ecf import inside_one, speech_s
from std.query.expression import Expression
from std.recordings import (
    IndexRecording,
    is_said_by,
    is_wholly_said_by,
    said_share,
    unnamed_is_said_by,
)
from std.store import Segment
from std.store.columns import KEY_SHIFT, MAX_TIME_MS, TIME_MASK, live_recordings
from std.store.speakers import Speakers
from std.values import Bools, Excerpt, Int64s, Recording

TYPICAL_DOUBT = 0.1
TYPICAL_WORDS = 20  # as many words of typical doubt are added: short recordings say little
MIN_DOUBT = 0.05  # a recogniser without posteriors is not infallible

_known: WeakKeyDictionary[Segment, Mapping[Recording, float]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class SpokenBy:
    """The searched speakers."""

    conditions: tuple[Expression, ...]  # conditions on the speaker's name
    whole: frozenset[Recording]  # recordings whose metadata fit: all speakers count
    unnamed: frozenset[Recording]  # recordings in which slots without a speaker count

    @classmethod
    def of(
        cls,
        conditions: tuple[Expression, ...],
        recordings: Sequence[IndexRecording],
        copies: Copies,
    ) -> "SpokenBy | None":
        """The speakers of the searched recordings; None without a condition on speakers.

        Args:
            copies: the copies of the index; a copy's hits are found in its original.
        """
        if not conditions:
            return None
        whole = (one.recording for one in recordings if is_wholly_said_by(one, conditions))
        unnamed = (one.recording for one in recordings if unnamed_is_said_by(one, conditions))
        originals = (frozenset(map(copies.original, one)) for one in (whole, unnamed))
        return cls(conditions, *originals)

    def fits(
        self, segment: Segment, recording: Int64s, first_slot: Int64s, last_slot: Int64s
    ) -> Bools:
        """(n,) which candidates of a segment begin and end with a searched speaker.

        Args:
            recording: (n,) rows of its recordings.
            first_slot, last_slot: (n,) rows of its slots.
        """
        speakers = Speakers.of(segment)
        recordings = [one.recording for one in segment.recordings]
        whole = np.array([one in self.whole for one in recordings], bool)[recording]
        unnamed = np.array([one in self.unnamed for one in recordings], bool)[recording]
        is_named = np.array([name != "" for name in speakers.names], bool)
        fits = np.array([is_said_by(name, self.conditions) for name in speakers.names], bool)
        first, last = speakers.at(first_slot), speakers.at(last_slot)
        of_first = np.where(is_named[first], fits[first], unnamed)
        of_last = np.where(is_named[last], fits[last], unnamed)
        return whole | (of_first & of_last)

    def fits_in(
        self, table: RecordingTable, recording: Int64s, first_slot: Int64s, last_slot: Int64s
    ) -> Bools:
        """(n,) the same of candidates of any segment; ``recording`` points into the table."""
        fits = np.zeros(len(recording), bool)
        here = table.segment[recording]
        for number in np.unique(here[here >= 0]).tolist():
            rows, segment = np.flatnonzero(here == number), table.segments[number]()
            assert segment is not None  # the segment of this search
            own = table.row_in_segment[recording[rows]]
            fits[rows] = self.fits(segment, own, first_slot[rows], last_slot[rows])
        return fits

    def turns(self, segments: Sequence[Segment]) -> "SpeakerTurns":
        """The turns of all speakers in some segments; recordings are rows of their table."""
        table = recording_table(segments)
        firsts, lasts, all_fit = [], [], []
        for segment in segments:
            key = segment.slots(range(len(segment.recordings))).key
            of_slot = (key >> KEY_SHIFT).astype(np.int64)
            begins = np.flatnonzero(np.diff(of_slot, prepend=-1))
            begin = np.union1d(begins, Speakers.of(segment).begin.astype(np.int64))
            begin = begin[begin < len(key)]
            end, own = np.append(begin[1:], len(key)) - 1, of_slot[begin]
            number = table.rows[segment][own].astype(np.int64) << KEY_SHIFT.astype(np.int64)
            kept = np.isin(own, [row for row, _ in live_recordings(segment)])
            middles_ms = ((key[one] & TIME_MASK).astype(np.int64) for one in (begin, end))
            first, last = (number + one for one in middles_ms)
            firsts.append(first[kept])
            lasts.append(last[kept])
            all_fit.append(self.fits(segment, own, begin, begin)[kept])
        first, last, fits = map(np.concatenate, (firsts, lasts, all_fit))
        order = np.argsort(first, kind="stable")
        others = np.array([one in self.whole | self.unnamed for one in table.recordings], bool)
        return SpeakerTurns(first[order], last[order], fits[order], others)


class SpeakerTurns(NamedTuple):
    """The turns of speakers: who speaks at a place, by its time."""

    first: Int64s  # (k,) recording << 32 | middle in ms of the first slot of each turn, ascending
    last: Int64s  # (k,) of its last slot
    fits: Bools  # (k,) whether it is that of a searched speaker
    others: Bools  # (recordings,) whether a recording without slots counts

    def fit(self, recording: Int64s, start_ms: Int64s, end_ms: Int64s) -> Bools:
        """(n,) which places begin and end with a searched speaker.

        A place between turns counts if one of the turns beside it does.
        """
        whose = np.append(self.first >> KEY_SHIFT.astype(np.int64), -1)  # row -1: none
        fits = np.append(self.fits, False)
        key = recording << KEY_SHIFT.astype(np.int64)
        begins = np.searchsorted(self.last, key + start_ms)
        ends = np.searchsorted(self.first, key + end_ms) - 1
        is_begun, is_ended = whose[begins] == recording, whose[ends] == recording
        begin_fits, end_fits = is_begun & fits[begins], is_ended & fits[ends]
        is_between = begins > ends
        found = np.where(is_between, begin_fits | end_fits, begin_fits & end_fits)
        return np.where(is_begun | is_ended, found, self.others[recording])


class SearchedSpeech(NamedTuple):
    """The speech that is searched."""

    excerpts: Sequence[Excerpt] | None  # None: all of it
    seconds: float  # of distinct speech: copies count once
    spoken_by: SpokenBy | None = None  # None: everybody


def of_excerpts(excerpts: Sequence[Excerpt], copies: Copies) -> SearchedSpeech:
    """The speech of an ECF."""
    return SearchedSpeech(excerpts, speech_s(copies.searched(excerpts)))


def restricted(
    excerpts: Sequence[Excerpt] | None,
    recordings: Sequence[IndexRecording],
    copies: Copies,
    speakers: tuple[Expression, ...] = (),
) -> SearchedSpeech:
    """Some recordings, or the excerpts of them in an ECF.

    Args:
        excerpts: the excerpts of the ECF; None = all of the recordings.
    """
    spoken_by = SpokenBy.of(speakers, recordings, copies)
    said_ms = {one.recording: one.speech_ms * said_share(one, speakers) for one in recordings}
    if excerpts is None:
        whole = [Excerpt(recording.recording, 0.0, MAX_TIME_MS / 1000) for recording in recordings]
        distinct_ms = {copies.original(one): ms for one, ms in said_ms.items()}
        return SearchedSpeech(whole, sum(distinct_ms.values()) / 1000, spoken_by)
    wanted = {recording.recording for recording in recordings}
    speech = of_excerpts([one for one in excerpts if one.recording in wanted], copies)
    if spoken_by is None:
        return speech
    all_ms = sum(one.speech_ms for one in recordings)
    share = sum(said_ms.values()) / all_ms if all_ms else 0.0
    return SearchedSpeech(speech.excerpts, speech.seconds * share, spoken_by)


def inside_ecf(
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    *,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
) -> Bools:
    """The ECF filter: (n,) which spans are inside the searched speech.

    Args:
        recording: (n,) index into ``recordings``.
        start_ms: (n,)
        end_ms: (n,)
        excerpts: the excerpts of the ECF; None = everything is searched.
    """
    if excerpts is None:
        return np.ones(len(recording), dtype=bool)
    return inside_one(excerpts, recordings, recording, start_ms / 1000, end_ms / 1000)


def doubt(segments: Sequence[Segment]) -> dict[Recording, float]:
    """The doubt of each live recording, at least `MIN_DOUBT`.

    It is one minus the posterior of the one-best words, on average.
    """
    of_all: dict[Recording, float] = {}
    for segment in segments:
        if segment not in _known:
            _known[segment] = _doubt(segment)
        of_all |= _known[segment]
    return of_all


def _doubt(segment: Segment) -> Mapping[Recording, float]:
    """The doubt of each live recording of a segment."""
    columns = segment.columns()
    best = np.zeros(len(columns.slot_key))
    np.maximum.at(best, columns.posting_slot, columns.posting_posterior)
    has_word = columns.slot_word >= 0
    recording = (columns.slot_key >> KEY_SHIFT).astype(np.int64)[has_word]
    n = len(columns.recordings)
    words = np.bincount(recording, minlength=n)
    units = np.rint((1 - best[has_word]) * 2**20).astype(np.int64)  # whole numbers add up exactly
    total = np.zeros(n, np.int64)
    np.add.at(total, recording, units)
    mean = (total / 2**20 + TYPICAL_WORDS * TYPICAL_DOUBT) / (words + TYPICAL_WORDS)
    return {
        one.recording: max(float(mean[row]), MIN_DOUBT) for row, one in live_recordings(segment)
    }
