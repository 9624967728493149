"""What is known of an archive before a term is searched in it by its phones.

    learn_archive   number of slots, highest posterior, speed of the speech, null distribution
    archive_of      the same: in memory, beside an index, or learned now
    SearchedArchive how much of it a search is about, and how many false alarms that makes likely

The statistics belong to a snapshot or a part of it, a pronouncer and a confusion matrix. Beside an
index in a folder they are kept in one small file with a digest of all of these, those of the last
snapshot for the last few pronouncers and matrices (languages, models) and for the last few parts
that were searched, each with a checksum; otherwise each process learns them once. What is damaged
is learned again.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.null_distribution import (
    COEFFICIENTS,
    NullDistribution,
    learn_null_distribution,
)
from searcher.phonetic.path_words import RecognisedWords
from searcher.phonetic.ratios import confusion_log_ratios, perfect_score
from searcher.phonetic.search import search_phones
from std.errors import InputError
from std.execution.workers import IN_PROCESS, Executor
from std.json_fields import Part, read_json
from std.own_folder import OwnFolder
from std.phonetics.confusion import Counts, to_json
from std.ranges import Range
from std.store import Segment

TYPICAL_PHONE_MS = 75.0  # of an archive without a word that the recogniser is sure of
SURE_WORD = 0.9  # posterior of words that tell how long phones last
LEAST_HIGHEST = 0.9  # a recogniser that never gives more is unsure, not modest

# Another one when scores change: kept statistics are of old ones.
ARCHIVE_FORMAT = "std-search archive 7"
FILE = "null-distribution.json"
KEPT_STATISTICS = (
    8  # statistics of wholes and as many of parts, before the oldest are learned again
)
COEFFICIENT, SLOTS = Range(-10_000, 10_000), Range(0, 10**15)
PHONE_MS, HIGHEST = Range(1, 65_535), Range(0, 1)

KNOWN = 64  # in memory


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """Statistics of the segments that are searched by phones."""

    slots: int  # of live recordings
    highest_posterior: float  # of their words, at least `LEAST_HIGHEST`
    phone_ms: float  # mean duration of a phone
    null: NullDistribution

    @property
    def log_slots(self) -> float:
        """Log of the number of slots, at least one."""
        return float(np.log(max(self.slots, 1)))


class SearchedArchive(NamedTuple):
    """An archive, and how much of it a search is about."""

    archive: Archive
    slots: int  # of the archive that begin in the searched excerpts
    words: RecognisedWords  # of the archive, on the paths of hits

    @property
    def log_chances(self) -> float:
        """Log of the number of chances for a false alarm: of the searched slots, at least one."""
        return float(np.log(max(self.slots, 1)))


def live_slots(indexes: Sequence[PhoneticIndex]) -> tuple[int, float]:
    """The number of slots of live recordings, and the highest posterior of a word there."""
    slots, highest = 0, LEAST_HIGHEST
    for index in indexes:
        columns, posteriors = index.columns, index.columns.posting_posterior
        slots += int(np.diff(columns.slot_offsets)[index.live].sum())
        if index.left_out:
            of_slot = index.recordings_of(columns.posting_slot.astype(np.int64))
            posteriors = posteriors[index.live[of_slot]]
        highest = max(highest, float(posteriors.max(initial=0.0)))
    return slots, highest


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
    """Search decoys, and look at how sure the recogniser was at most and how fast people speak.

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
    slots, highest = live_slots(indexes)
    return Archive(slots, highest, mean_phone_ms(indexes), null)


class Key(NamedTuple):
    """What statistics are of."""

    search: str  # digest of what is searched and how; stays when the index changes
    digest: str  # of everything that they depend on
    is_part: bool


# By first segment, then by `Key.digest`, the latest last.
_known: WeakKeyDictionary[Segment, OrderedDict[str, Archive]] = WeakKeyDictionary()


def archive_of(
    indexes: Sequence[PhoneticIndex],
    counts: Counts,
    folder: Path | None,
    workers: Executor = IN_PROCESS,
    *,
    is_part: bool = False,
) -> Archive:
    """The statistics of an archive: known already, kept beside the index, or learned now.

    Args:
        indexes: one of each segment.
        counts: phone confusions that it is searched with.
        folder: where the index lies, if in a folder.
        workers: who searches the decoys.
        is_part: whether the index has other recordings.
    """
    key = _key(indexes, counts, is_part=is_part)
    known = _known.setdefault(indexes[0].segment, OrderedDict())
    if (archive := known.get(key.digest)) is not None:
        with suppress(KeyError):  # another thread may have forgotten it
            known.move_to_end(key.digest)
        return archive
    path = folder / FILE if folder else None
    if path and (path.is_symlink() or (path.exists() and not path.is_file())):
        path = None  # a pipe of that name would keep a search waiting, a link leads elsewhere
    archive = _load(path, key.digest) if path else None
    if archive is None:
        archive = learn_archive(indexes, counts, workers)
        if path:
            _save(archive, key, path)
    known[key.digest] = archive
    for oldest in list(known)[:-KNOWN]:
        known.pop(oldest, None)
    return archive


def _key(indexes: Sequence[PhoneticIndex], counts: Counts, *, is_part: bool) -> Key:
    """What the statistics of these indexes are of; see `archive_of`."""
    content, part = sha256(ARCHIVE_FORMAT.encode()), []
    if is_part:  # not of everything: this is asked for by each search
        part = sorted(recording for index in indexes for recording in index.searched)
    searched = [indexes[0].pronouncer, to_json(counts), part]
    content.update(json.dumps(searched, sort_keys=True).encode())
    search = content.hexdigest()
    for index in indexes:
        content.update(json.dumps([index.segment.id, sorted(index.left_out)]).encode())
    return Key(search, content.hexdigest(), is_part)


def _save(archive: Archive, key: Key, path: Path) -> None:
    """Keep the statistics; an index that cannot be written to is searched without."""
    document = {
        **key._asdict(),
        "slots": archive.slots,
        "highest_posterior": archive.highest_posterior,
        "phone_ms": archive.phone_ms,
        "null": archive.null.coefficients.tolist(),
    }
    document["checksum"] = _checksum(document)
    others = [one.value for one in _kept(path) if one.value.get("search") != key.search]
    alike = [one for one in others if one.get("is_part") == key.is_part]
    rest = [one for one in others if one.get("is_part") != key.is_part]
    with suppress(OSError), OwnFolder(path.parent) as folder, folder.replacing(FILE) as sink:
        every = {
            "format": ARCHIVE_FORMAT,
            "archives": [document, *alike[: KEPT_STATISTICS - 1], *rest],
        }
        sink.write(json.dumps(every).encode() + b"\n")


def _load(path: Path, digest: str) -> Archive | None:
    """What was kept of this archive, if it is whole."""
    try:
        of_archive = [one for one in _kept(path) if one["digest"].value == digest]
        if not of_archive:
            return None
        document = of_archive[0]
        null = np.array([row.within(COEFFICIENT) for row in document["null"]], np.float64)
        slots = int(document["slots"].within(SLOTS))
        highest = float(document["highest_posterior"].within(HIGHEST))
        phone_ms = float(document["phone_ms"].within(PHONE_MS))
    except InputError:
        return None
    if len(null) != COEFFICIENTS:
        return None
    return Archive(slots, highest, phone_ms, NullDistribution(null))


def _kept(path: Path) -> list[Part]:
    """What was kept and is whole, the latest first."""
    with suppress(OSError, InputError, RecursionError):
        document = read_json(path)
        if document["format"].value == ARCHIVE_FORMAT:
            return [one for one in document["archives"] if _is_whole(one.value)]
    return []


def _is_whole(document: Any) -> bool:
    """Whether it is what was kept."""
    return isinstance(document, dict) and document.get("checksum") == _checksum(document)


def _checksum(document: Mapping[str, Any]) -> str:
    """Of all but itself."""
    content = {name: value for name, value in document.items() if name != "checksum"}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
