"""Candidates: places where a term may have been said, as columns; the slots and phones there.

Spans            the stretches of recordings of any table of places
Candidates       places
concatenate          several tables -> one
with_slots           candidates -> the same with slots, if there are words at their places
slots_between        recordings and times -> the slots with their middles between the times
heard_there          the likeliest phones heard at each candidate, or None

TermPlaces       the places of every term in the segments of a language; each step of a search adds
                 to it
FoundTerms       the places of every term in each language, before it is judged which terms occur
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from searcher.index.copies import Copies
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import RecordingTable, recording_table
from searcher.terms.request import Variant
from searcher.terms.wildcards import Expansion
from std.store import Segment
from std.store.columns import KEY_SHIFT
from std.store.heard import HeardSlots
from std.values import Bools, Float64s, Int64s, Recording, Term

Rows = Int64s | Bools | slice

NO_SLOT = -1
_known: WeakKeyDictionary[Segment, HeardSlots | None] = WeakKeyDictionary()


class Spanned(Protocol):
    """Any table of places."""

    @property
    def recording(self) -> Int64s:
        """(n,) rows of the search's table."""

    @property
    def start_ms(self) -> Int64s:
        """(n,)."""

    @property
    def end_ms(self) -> Int64s:
        """(n,)."""


class Spans(NamedTuple):
    """Stretches of recordings."""

    recording: Int64s  # (n,) rows of the search's table
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)

    @classmethod
    def of(cls, *parts: Spanned) -> "Spans":
        """The spans of several tables of places, one table after the other."""
        return cls(
            np.concatenate([one.recording for one in parts]),
            np.concatenate([one.start_ms for one in parts]),
            np.concatenate([one.end_ms for one in parts]),
        )

    def rows(self, which: Rows) -> "Spans":
        """Some rows of every column."""
        return Spans._make(column[which] for column in self)


NO_SPANS = Spans(*[np.empty(0, np.int64)] * 3)


class Candidates(NamedTuple):
    """One row per place; the caller has the tables of term, variant, family and recording."""

    term: Int64s  # (n,)
    variant: Int64s  # (n,)
    recording: Int64s  # (n,)
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    probability: Float64s  # (n,) probability that the term is said there, if it occurs
    family: Int64s  # (n,) variant; candidates of one family are pieces of one event at a place
    first_slot: Int64s  # (n,) of its words, a row of its segment's slot columns
    last_slot: Int64s  # (n,)

    def rows(self, which: Rows) -> "Candidates":
        """Some rows of every column; not copied if these are all rows."""
        if isinstance(which, np.ndarray) and which.dtype == np.bool_:
            if which.all():
                return self
            which = np.flatnonzero(which)  # counted once, not for each column
        return Candidates._make(column[which] for column in self)


NO_CANDIDATES = Candidates._make(np.empty(0, np.int64) for _ in Candidates._fields)._replace(
    probability=np.empty(0)
)


def concatenate(parts: Sequence[Candidates]) -> Candidates:
    """All rows of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(NO_CANDIDATES, *parts, strict=True)
    return Candidates._make(np.concatenate(column) for column in columns)


def in_order(candidates: Candidates) -> Candidates:
    """Ordered by term, recording and start; equal ones keep their order."""
    term, recording, start = candidates.term, candidates.recording, candidates.start_ms
    spans = int(recording.max(initial=0)) + 1, int(start.max(initial=0)) + 1
    if (int(term.max(initial=0)) + 1) * spans[0] * spans[1] < 2**63:
        place = (term * spans[0] + recording) * spans[1] + start
        if (place[1:] >= place[:-1]).all():  # as one segment's postings are
            return candidates
        return candidates.rows(np.argsort(place, kind="stable"))
    return candidates.rows(np.lexsort((start, recording, term)))


class LeftOut(NamedTuple):
    """The segments that phonetic search left out."""

    languages: tuple[str, ...] = ()  # of segments without phones
    pronouncer: str = ""  # of the segments, if the model of `std-tune` is of another


class TermPlaces(NamedTuple):
    """The places of every term in the segments of one language, or in one of the segments.

    The look-up of words makes it; `searcher.evidence.calibrate` adds the places found by phones.
    """

    candidates: Candidates  # ordered; with posteriors, once calibrated with probabilities
    variants: tuple[Variant, ...]  # that they point into; of a segment only those of wildcards
    found_words: set[str]  # words of the variants that exist, and wildcards with a match
    outside_ecf: int  # candidates left out
    cut: frozenset[int] = frozenset()  # terms of which only the likeliest places are here
    corrected: frozenset[str] = frozenset()  # words that only people put there
    is_oov: Bools = np.empty(0, bool)  # (terms,) the segments lack a word of it
    # (terms,) that each occurs (`searcher.calibration.occurring_terms`), once calibrated
    log_evidence: Float64s = np.empty(0)
    is_phonetic: bool = False  # whether there are phonetic hits, which may overlap other candidates
    left_out: LeftOut = LeftOut()
    # Of words of the terms those of the index that are another form, or only hold the word.
    attached: Mapping[str, frozenset[str]] = {}

    @property
    def written_words(self) -> set[str]:
        """Those of the words that the recogniser wrote."""
        return self.found_words - self.corrected

    def places_of_parts(self, n_terms: int) -> Int64s:
        """(terms,) the number of places of each from splits and joined words."""
        candidates = self.candidates
        is_of_parts = np.array([one.method in ("split", "join") for one in self.variants], bool)
        if not is_of_parts.any():
            return np.zeros(n_terms, np.int64)
        some = candidates.rows(np.flatnonzero(is_of_parts[candidates.variant]))
        places = np.unique(np.stack([some.term, some.recording, some.start_ms]), axis=1)
        return np.bincount(places[0], minlength=n_terms)

    def unwritten(
        self, terms: Sequence[Sequence[str]], among: Collection[str] | None = None
    ) -> Int64s:
        """(terms,) the number of words (of ``among``, if given) that the recogniser never wrote."""
        written = self.written_words
        return np.array(
            [
                sum(word not in written and (among is None or word in among) for word in term)
                for term in terms
            ],
            np.int64,
        )


@dataclass(frozen=True, slots=True)
class FoundTerms:
    """The places of some terms, before it is judged which of the terms occur."""

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    wildcards: Mapping[str, Expansion]  # those of them with *
    of_language: tuple[TermPlaces, ...]
    speech: SearchedSpeech  # that was searched
    seconds: float

    @property
    def n_candidates(self) -> int:
        """The number of candidates."""
        return sum(len(part.candidates.term) for part in self.of_language)


def with_slots(
    candidates: Candidates, recordings: Sequence[Recording], segments: Sequence[Segment]
) -> Candidates:
    """The candidates; those without slots get the slots with their middle inside."""
    without = np.flatnonzero(candidates.first_slot < 0)
    if not len(without):
        return candidates
    table = recording_table(segments)
    some = candidates.rows(without)
    rows = np.array([table.row_of[recordings[i]] for i in some.recording.tolist()])
    first, last = candidates.first_slot.copy(), candidates.last_slot.copy()
    first[without], last[without] = slots_between(rows, some.start_ms, some.end_ms, table)
    return candidates._replace(first_slot=first, last_slot=last)


def slots_between(
    recording: Int64s, start_ms: Int64s, end_ms: Int64s, table: RecordingTable
) -> tuple[Int64s, Int64s]:
    """(n,) first and last slot of each stretch, rows of its segment; `NO_SLOT` without slots.

    Args:
        recording: (n,) rows of the table.
        start_ms, end_ms: (n,)
        table: the recordings of the index, with their segments.
    """
    first, last = np.full(len(recording), NO_SLOT), np.full(len(recording), NO_SLOT)
    here = table.segment[recording]
    for number in np.unique(here[here >= 0]).tolist():
        places = np.flatnonzero(here == number)
        own = table.row_in_segment[recording[places]]
        segment = table.segments[number]()
        assert segment is not None  # the segment of this search
        slots = segment.slots({*own.tolist()})
        keys = own.astype(np.uint64) << KEY_SHIFT
        begin = np.searchsorted(slots.key, keys + start_ms[places].astype(np.uint64))
        end = np.searchsorted(slots.key, keys + end_ms[places].astype(np.uint64))
        some = end > begin
        as_rows = np.arange(len(slots.key)) if slots.row is None else slots.row
        first[places[some]] = as_rows[begin[some]]
        last[places[some]] = as_rows[end[some] - 1]
    return first, last


def heard_there(
    candidates: Candidates,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    copies: Copies,
) -> list[str] | None:
    """(n,) the phones heard at each place.

    Args:
        candidates: (n,) places.
        recordings: the recordings that they point into.
        segments: the segments of the index.
        copies: the copies of their recordings: what was found in the original is read there.
    """
    of_segment = [_heard(segment) for segment in segments]
    if not any(of_segment):
        return None
    table, found = recording_table(segments), []
    rows = [table.row_of[copies.original(one)] for one in recordings]
    columns = candidates.recording, candidates.start_ms, candidates.end_ms
    for recording, start_ms, end_ms in zip(*(one.tolist() for one in columns), strict=True):
        row = rows[recording]
        heard = of_segment[table.segment[row]]
        own = int(table.row_in_segment[row])
        found.append(" ".join(heard.likeliest(own, start_ms, end_ms)) if heard else "")
    return found


def _heard(segment: Segment) -> HeardSlots | None:
    """The phones heard in a segment, read once."""
    if segment not in _known:
        _known[segment] = HeardSlots.of(segment)
    return _known[segment]
