"""The phones heard in an archive, and what chance gives there.

heard_archive    segments of a language -> HeardArchive, None where nothing was heard
HeardArchive.find    the pronunciations of a term, and where others found it -> HeardTerm
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np

from searcher.heard.chance import Chance, learn_chance
from searcher.heard.index import HeardIndex, open_heard
from searcher.heard.places import ALIGNED_SLOTS, NONE_TO_FIT, Places, PlacesToFit, find_places
from searcher.phonetic.decoys import draw_decoys, phone_chain
from searcher.phonetic.indexes import PhoneticIndexes
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s
from std.values import Float64s


class HeardTerm(NamedTuple):
    """A term in the phones heard, by the pronunciation that fits them best."""

    phones: Pronunciation
    places: Places
    log_e_value: Float64s  # (n,) of the places: log of the false alarms that score as high
    span_score: Float64s  # (spans,) best score there, nats; -inf where nothing was heard
    span_log_e_value: Float64s  # (spans,)


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
        self, ways: Sequence[Pronunciation], spans: PlacesToFit = NONE_TO_FIT
    ) -> HeardTerm | None:
        """A term, by that of its pronunciations whose best place is least likely by chance.

        Args:
            ways: its pronunciations.
            spans: where it was found otherwise.
        """
        found = []
        for phones in ways:
            places, in_spans = find_places(phones, self.indexes, spans)
            log_e = self.chance.log_e_value(places.score, len(phones))
            of_spans = self.chance.log_e_value(in_spans, len(phones))
            found.append(HeardTerm(phones, places, log_e, in_spans, of_spans))
        return min(found, key=lambda one: float(one.log_e_value.min(initial=np.inf)), default=None)


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
    chance = learn_chance(decoys, lambda decoy: find_places(decoy, parts).places.score, enlarged)
    return HeardArchive(indexes, chance)


def _slots(indexes: Sequence[HeardIndex]) -> int:
    return sum(index.slots for index in indexes)


def _sampled(phonetic: PhoneticIndexes, indexes: Sequence[HeardIndex]) -> Int64s:
    """Rows of the recordings in which decoys are searched: by a hash of their names, so that cuts
    of the archive do not matter, as many as `ALIGNED_SLOTS` allow, one at least."""
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
