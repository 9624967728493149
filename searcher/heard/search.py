"""Search terms in the phones heard in a language's recordings.

heard_search     a request and its phonetic search -> HeardSearch; None without phones heard
of_term          places of other methods -> the scores there, and further places
written_at       places -> the words in their middles
heard_as_candidates  places of phones heard -> candidates
heard_archive    segments of a language -> HeardArchive, with the scores of decoys
    find             the pronunciations of a term, places of other methods -> HeardTerm
    learn_chance     decoys -> Chance: scores, number of phones -> log E-values
HeardSound       the frames of the recordings, in which places of a term are compared

Within the range of the decoys' scores, an E-value is the number of decoy places with at least the
score, because no score is above 0, which short words reach often. Above that range, the log of the
number falls linearly with the score (Karlin and Altschul 1990); the line is fitted to the decoys'
best places. Scores are sums over phones, so scores of shorter or longer decoys are scaled to the
length of the query.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np

from searcher.heard.places import ALIGNED_SLOTS, MOST, HeardIndex, find_places, open_heard
from searcher.index.searched_speech import inside_ecf
from searcher.phonetic.candidates import PhoneticResult, PreparedLanguage
from searcher.phonetic.hits import Inside
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.indexes import PhoneticIndexes
from searcher.phonetic.null_distribution import draw_decoys, phone_chain
from searcher.results.candidates import NO_SLOT, NO_SPANS, Candidates, Spans, slots_between
from searcher.terms.request import Request, Variant
from std.phonetics.phones import Pronunciation
from std.sound.columns import FRAME_MS, segment_sound
from std.store.columns import KEY_SHIFT
from std.values import Bools, Float64s, Int64s, UInt64s

if TYPE_CHECKING:  # its kernels take a second to load, and most searches need none
    from searcher.examples.example import SoundArchive

NEIGHBOURS = 18  # decoys of about the query's length
COUNTED = 5  # rank of their places from which on E-values are counts
FITTED = 60  # ranks of their places that the line is fitted to
LEARNED_SLOTS = 10_000  # of a set that the weights were learned from: their mean
NOWHERE = np.empty(0, np.int64)


class Chance(NamedTuple):
    """The scores of decoys in an archive."""

    phones: Int64s  # (d,) ascending
    scores: tuple[Float64s, ...]  # of each decoy's places, best first
    enlarged: float = 0.0  # log of how many times as large the archive is as what was searched

    def log_e_value(self, score: Float64s, phones: int) -> Float64s:
        """(n,) log of the expected number of false alarms with at least each score."""
        nearest = np.argsort(np.abs(np.log(self.phones / phones)), kind="stable")[:NEIGHBOURS]
        scaled = [self.scores[i] * (phones / self.phones[i]) for i in nearest.tolist()]
        pooled = np.sort(np.concatenate(scaled))[::-1]
        if len(pooled) <= COUNTED:
            return np.zeros(len(score))
        ranks = np.arange(COUNTED, min(FITTED, len(pooled)))
        log_k = np.log((ranks + 1) / len(nearest))
        centred = pooled[ranks] - pooled[ranks].mean()
        slope = min(-0.3, float((centred @ log_k) / max(centred @ centred, 1e-9)))
        at, log_at = pooled[COUNTED], np.log((COUNTED + 1) / len(nearest))
        count = np.searchsorted(-pooled, -score, side="right")
        counted = np.log(np.maximum(count, 1) / len(nearest))
        return self.enlarged + np.where(score > at, log_at + slope * (score - at), counted)


def learn_chance(
    decoys: Sequence[Pronunciation],
    scores_of: Callable[[Pronunciation], Float64s],
    enlarged: float = 0.0,
) -> Chance:
    """Search decoys; see `Chance.enlarged`."""
    by_length = sorted(decoys, key=len)
    return Chance(
        np.array([len(decoy) for decoy in by_length]),
        tuple(scores_of(decoy) for decoy in by_length),
        enlarged,
    )


class HeardTerm(NamedTuple):
    """The places of a term among the phones heard, by the pronunciation that fits best."""

    phones: Pronunciation
    spans: Spans  # (n,) first those where it was found otherwise, then its best places
    score: Float64s  # (n,) best one there, nats; -inf where nothing was heard
    log_e_value: Float64s  # (n,) log of the false alarms that score as high

    def rows(self, which: Int64s) -> "HeardTerm":
        """The same with only some of the spans."""
        return HeardTerm(
            self.phones, self.spans.rows(which), self.score[which], self.log_e_value[which]
        )


@dataclass(frozen=True, eq=False)
class HeardArchive:
    """The phones heard in the recordings of a language."""

    indexes: tuple[HeardIndex, ...]
    chance: Chance

    @property
    def log_slots(self) -> float:
        """Log of the number of slots."""
        return float(np.log(_slots(self.indexes)))

    def find(
        self,
        ways: Sequence[Pronunciation],
        spans: Spans = NO_SPANS,
        is_inside: Inside | None = None,
    ) -> HeardTerm | None:
        """A term, by the pronunciation whose best place is least likely by chance.

        Args:
            spans: the places of other methods.
            is_inside: tells which further places are in the searched speech; None: all are.
        """
        n, found = len(spans.recording), []
        for phones in ways:
            places, score = find_places(phones, self.indexes, spans, is_inside=is_inside)
            log_e_value = self.chance.log_e_value(score, len(phones))
            found.append(HeardTerm(phones, places, score, log_e_value))

        def of_best_place(one: HeardTerm) -> float:
            return float(one.log_e_value[n:].min(initial=np.inf))

        return min(found, key=of_best_place, default=None)


_known: WeakKeyDictionary[PhoneticIndexes, HeardArchive | None] = WeakKeyDictionary()


def heard_archive(phonetic: PhoneticIndexes) -> HeardArchive | None:
    """The phones heard in the segments of a language; None if there are none."""
    if phonetic not in _known:
        _known[phonetic] = _opened(phonetic)
    return _known[phonetic]


def _opened(phonetic: PhoneticIndexes) -> HeardArchive | None:
    segments = zip(phonetic.indexes, phonetic.recordings, strict=True)
    every = [open_heard(one.columns, one.live, rows) for one, rows in segments]
    indexes = tuple(one for one in every if one is not None)
    if not indexes:
        return None
    sampled = _sampled(phonetic, indexes)
    parts = [index.within(sampled) for index in indexes]
    enlarged = float(np.log(_slots(indexes) / _slots(parts)))
    decoys = draw_decoys(phone_chain(phonetic.indexes))
    most = round(MOST * max(1.0, _slots(parts) / LEARNED_SLOTS))
    chance = learn_chance(decoys, lambda decoy: find_places(decoy, parts, most=most)[1], enlarged)
    return HeardArchive(indexes, chance)


def _slots(indexes: Sequence[HeardIndex]) -> int:
    return sum(index.slots for index in indexes)


def _sampled(phonetic: PhoneticIndexes, indexes: Sequence[HeardIndex]) -> Int64s:
    """The rows of the recordings in which decoys are searched.

    They are chosen by a hash of their names, so the division of the archive does not matter: as
    many as `ALIGNED_SLOTS` allow, at least one."""
    names = {
        row: f"{one.recording.file}/{one.recording.channel}"
        for index, rows in zip(phonetic.indexes, phonetic.recordings, strict=True)
        for one, row in zip(index.columns.recordings, rows.tolist(), strict=True)
    }
    row = np.concatenate([index.recording for index in indexes])
    slots = np.concatenate([index.bounds[:, 1] - index.bounds[:, 0] for index in indexes])
    hashes = np.array([crc32(names[one].encode()) for one in row.tolist()])
    order = np.lexsort((row, hashes))
    total = np.cumsum(slots[order])
    return row[order[: max(1, int(np.searchsorted(total, ALIGNED_SLOTS, side="right")))]]


class HeardSound(NamedTuple):
    """The sound of a language's recordings, of one encoder, and a sample of its frames."""

    archive: "SoundArchive"
    sample: UInt64s  # see `SoundArchive.sample`

    def cut(self, places: Spans) -> Spans:
        """The part of each place that has frames; without frames, its length is 0."""
        recording = np.concatenate([part.recordings for part in self.archive.parts])
        start_ms = np.concatenate([one.sound.start_ms[one.rows] for one in self.archive.parts])
        frames = np.concatenate(
            [np.diff(one.sound.offsets)[one.rows] for one in self.archive.parts]
        )
        order = np.argsort(recording)
        row = np.searchsorted(recording[order], places.recording)
        row = order[np.minimum(row, len(order) - 1)]
        length_ms = np.where(recording[row] == places.recording, frames[row] * FRAME_MS, 0)
        bounds = start_ms[row], start_ms[row] + length_ms
        return Spans(
            places.recording, np.clip(places.start_ms, *bounds), np.clip(places.end_ms, *bounds)
        )


_sounds: WeakKeyDictionary[PhoneticIndexes, HeardSound | None] = WeakKeyDictionary()


def _frames_of(language: PreparedLanguage, phonetic: PhoneticIndexes) -> HeardSound | None:
    """The frames of a language's recordings; None without frames, or with those of two encoders."""
    if phonetic not in _sounds:
        found = None
        sounds = [segment_sound(segment, whole=False) for segment in language.segments]
        if len({one.encoder for one in sounds if one}) == 1:
            from searcher.examples.example import archive_of

            archive = archive_of(language.segments, table=language.table, whole=False)
            if archive.seconds:
                found = HeardSound(archive, archive.sample())
        _sounds[phonetic] = found  # once it is whole: other threads search, too
    return _sounds[phonetic]


class HeardSearch(NamedTuple):
    """The archives of the terms, and the searched speech."""

    archive: HeardArchive
    phonetic: PhoneticResult  # of the same terms, without its hits in the recordings of `only`
    is_inside: Inside | None  # which places are inside the searched speech; None: all
    sound: HeardSound | None = None  # of the recordings
    only: Int64s = NOWHERE  # recordings where only the phones heard are searched

    def of_term(self, term: int, spans: Spans) -> HeardTerm | None:
        """A term in the phones heard; None if it is not searched in them.

        Args:
            spans: the places of other methods.
        """
        ways = self.phonetic.ways[term]
        if isinstance(ways, Mapping):  # a spoken query, which may have any of them
            return None
        return self.archive.find(ways, spans, self.is_inside)

    def written_at(self, places: Spans) -> list[str | None]:
        """(n,) the likeliest word in the middle of each place, or else the last one before it.

        None if the recording has no word there.
        """
        indexes, words = self.phonetic.indexes, self.phonetic.searched.words
        middle_ms = (places.start_ms + places.end_ms) // 2
        written: list[str | None] = []
        for row, at_ms in zip(places.recording.tolist(), middle_ms.tolist(), strict=True):
            segment, own_row = indexes.segment_of[row]
            index = indexes.indexes[segment]
            slot = _slot_at(index, own_row, at_ms)
            word = None if slot is None else int(index.columns.slot_word[slot])
            written.append(None if word is None else words.of_segment[segment][word])
        return written


def _slot_at(index: PhoneticIndex, recording: int, at_ms: int) -> int | None:
    """The last slot of a recording with a word that has begun by a time."""
    columns, first = index.columns, recording << int(KEY_SHIFT)
    bounds = np.array([first, first + at_ms, first + (1 << int(KEY_SHIFT))], np.uint64)
    begin, behind, end = np.searchsorted(columns.slot_key, bounds).tolist()
    for slot in range(behind, end):
        if columns.slot_word[slot] >= 0:
            arcs = index.arc_rows[slice(*index.slot_arc_offsets[slot : slot + 2])]
            if columns.posting_start_ms[arcs].min() <= at_ms:
                return slot
            break
    for slot in range(behind - 1, begin - 1, -1):
        if columns.slot_word[slot] >= 0:
            return slot
    return None


def heard_search(
    request: Request, language: PreparedLanguage, phonetic: PhoneticResult | None
) -> HeardSearch | None:
    """The phones heard in the recordings of phonetic search.

    Args:
        language: the segments; the configuration may switch this search off.
    """
    phones = language.config.phonetic_search.phones
    if phonetic is None or phones == "words":
        return None
    archive = heard_archive(phonetic.indexes)
    if archive is None:
        return None
    inside = partial(inside_ecf, recordings=language.table.recordings, excerpts=request.excerpts)

    def is_inside(recording: Int64s, start_ms: Int64s, end_ms: Int64s) -> Bools:
        here = inside(recording, start_ms, end_ms)
        if request.spoken_by is None:
            return here
        first, last = slots_between(recording, start_ms, end_ms, language.table)
        fits = request.spoken_by.fits_in(language.table, recording, first, last)
        return here & fits & (first >= 0)

    frames = _frames_of(language, phonetic.indexes)
    heard = np.concatenate([one.recording for one in archive.indexes])
    only = heard if phones == "sound" else NOWHERE
    everything = request.excerpts is None and request.spoken_by is None
    is_searched = None if everything else is_inside
    return HeardSearch(archive, phonetic.outside(only), is_searched, frames, only)


def heard_as_candidates(
    term: int, heard: HeardTerm, probability: Float64s, table: list[Variant]
) -> Candidates:
    """Candidates for places that only the phones heard found, without slots of words.

    Args:
        probability: (n,) the probability of each place.
        table: the table of variants; those of the places are appended.
    """
    first, spans = len(table), heard.spans
    how = f"{' '.join(heard.phones)} heard in the sound"
    table += [
        Variant((), min(1.0, float(np.exp(score / len(heard.phones)))), "heard", how)
        for score in heard.score.tolist()
    ]
    numbers = np.arange(first, len(table))
    return Candidates(
        term=np.full(len(numbers), term),
        variant=numbers,
        recording=spans.recording,
        start_ms=spans.start_ms,
        end_ms=spans.end_ms,
        probability=probability,
        family=numbers,
        first_slot=np.full(len(numbers), NO_SLOT),
        last_slot=np.full(len(numbers), NO_SLOT),
    )
