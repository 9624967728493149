"""The statistics of an archive for phonetic search.

    learn_archive   number of slots, highest posterior, speed of the speech, null distribution
    archive_of      the same, from memory, from beside an index, or learned now
    SearchedArchive the searched part of it, with its number of chances for false alarms

The statistics belong to a snapshot or a part of it, a pronouncer and a confusion matrix. If the
index is a folder, they are stored beside it in one small file, each with a checksum and a digest of
its snapshot, part, pronouncer and matrix. The file has those of the last snapshot, for the last few
pronouncers, matrices and searched parts. Otherwise each process learns them once. Damaged ones are
learned again.
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

TYPICAL_PHONE_MS = 75.0  # of an archive without certain words
SURE_WORD = 0.9  # least posterior of words that give the duration of phones
LEAST_HIGHEST = 0.9  # a recogniser whose highest posterior is lower is uncertain everywhere

# Changes with the scores, so that stored statistics of old scores are not used.
ARCHIVE_FORMAT = "std-search archive 7"
FILE = "null-distribution.json"
KEPT_STATISTICS = 8  # stored statistics of archives, and as many of parts
COEFFICIENT, SLOTS = Range(-10_000, 10_000), Range(0, 10**15)
PHONE_MS, HIGHEST = Range(1, 65_535), Range(0, 1)

KNOWN = 64  # in memory


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """Statistics of the segments with phones."""

    slots: int  # of live recordings
    highest_posterior: float  # of their words, at least `LEAST_HIGHEST`
    phone_ms: float  # mean duration of a phone
    null: NullDistribution

    @property
    def log_slots(self) -> float:
        """Log of the number of slots, at least one."""
        return float(np.log(max(self.slots, 1)))


class SearchedArchive(NamedTuple):
    """An archive and its searched part."""

    archive: Archive
    slots: int  # slots that begin in the searched excerpts
    words: RecognisedWords  # words of the archive, for the paths of hits

    @property
    def log_chances(self) -> float:
        """Log of the number of chances for a false alarm, the searched slots; at least one."""
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
    """The mean duration of a phone in live words with a high posterior."""
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
    """Search decoys, and measure the highest posterior and the duration of phones.

    Args:
        indexes: one of each segment.
        counts: phone confusions that it is searched with.
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
    """The data that statistics depend on."""

    search: str  # digest of stores and settings; stays when the index changes
    digest: str  # digest of everything they depend on
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
    """The statistics of an archive, from memory, from beside the index, or learned now.

    Args:
        folder: where the index lies, if in a folder.
        is_part: whether the index has other recordings.
    """
    key = _key(indexes, counts, is_part=is_part)
    known = _known.setdefault(indexes[0].segment, OrderedDict())
    if (archive := known.get(key.digest)) is not None:
        with suppress(KeyError):  # another thread may have removed it
            known.move_to_end(key.digest)
        return archive
    path = folder / FILE if folder else None
    if path and (path.is_symlink() or (path.exists() and not path.is_file())):
        path = None  # a pipe with that name would block a search; a link leads elsewhere
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
    """The key of the statistics of these indexes; see `archive_of`."""
    content, part = sha256(ARCHIVE_FORMAT.encode()), []
    if is_part:  # not of all data, because each search computes it
        part = sorted(recording for index in indexes for recording in index.searched)
    searched = [indexes[0].pronouncer, to_json(counts), part]
    content.update(json.dumps(searched, sort_keys=True).encode())
    search = content.hexdigest()
    for index in indexes:
        content.update(json.dumps([index.segment.id, sorted(index.left_out)]).encode())
    return Key(search, content.hexdigest(), is_part)


def _save(archive: Archive, key: Key, path: Path) -> None:
    """Store the statistics, if the index can be written."""
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
    """The stored statistics of this archive, if they are intact."""
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
    """All intact stored statistics, the latest first."""
    with suppress(OSError, InputError, RecursionError):
        document = read_json(path)
        if document["format"].value == ARCHIVE_FORMAT:
            return [one for one in document["archives"] if _is_whole(one.value)]
    return []


def _is_whole(document: Any) -> bool:
    """Whether the checksum is right."""
    return isinstance(document, dict) and document.get("checksum") == _checksum(document)


def _checksum(document: Mapping[str, Any]) -> str:
    """The checksum of all other fields."""
    content = {name: value for name, value in document.items() if name != "checksum"}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
