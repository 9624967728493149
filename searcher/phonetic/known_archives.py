"""The statistics of archives that are known: in memory, beside an index, or learned now.

    archive_of   the statistics of an archive (`searcher.phonetic.archive`)

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
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from searcher.phonetic.archive import Archive, learn_archive
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.null_distribution import COEFFICIENTS, NullDistribution
from std.errors import InputError
from std.execution.workers import IN_PROCESS, Executor
from std.json_fields import Part, read_json
from std.own_folder import OwnFolder
from std.phonetics.confusion import Counts, to_json
from std.ranges import Range
from std.store import Segment

# Another one when scores change: kept statistics are of old ones.
ARCHIVE_FORMAT = "std-search archive 6"
FILE = "null-distribution.json"
KEPT = 8  # statistics of wholes and as many of parts, before the oldest are learned again
QUALITY, COEFFICIENT, SLOTS = Range(-1, 1), Range(-10_000, 10_000), Range(0, 10**15)
PHONE_MS, HIGHEST = Range(1, 65_535), Range(0, 1)

KNOWN = 64  # in memory
# By first segment, then by `Key.digest`, the latest last.
_known: WeakKeyDictionary[Segment, OrderedDict[str, Archive]] = WeakKeyDictionary()


class Key(NamedTuple):
    """What statistics are of."""

    search: str  # digest of what is searched and how; stays when the index changes
    digest: str  # of everything that they depend on
    is_part: bool


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
    archive = _load(path, key.digest, indexes) if path else None
    if archive is None:
        archive = learn_archive(indexes, counts, workers)
        if path:
            _save(archive, key, indexes, path)
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


def _save(archive: Archive, key: Key, indexes: Sequence[PhoneticIndex], path: Path) -> None:
    """Keep the statistics; an index that cannot be written to is searched without."""
    document = {
        **key._asdict(),
        "slots": archive.slots,
        "highest_posterior": archive.highest_posterior,
        "phone_ms": archive.phone_ms,
        "quality": [
            quality[index.live].tolist()
            for quality, index in zip(archive.quality, indexes, strict=True)
        ],
        "null": archive.null.coefficients.tolist(),
    }
    document["checksum"] = _checksum(document)
    others = [one.value for one in _kept(path) if one.value.get("search") != key.search]
    alike = [one for one in others if one.get("is_part") == key.is_part]
    rest = [one for one in others if one.get("is_part") != key.is_part]
    with suppress(OSError), OwnFolder(path.parent) as folder, folder.replacing(FILE) as sink:
        every = {"format": ARCHIVE_FORMAT, "archives": [document, *alike[: KEPT - 1], *rest]}
        sink.write(json.dumps(every).encode() + b"\n")


def _load(path: Path, digest: str, indexes: Sequence[PhoneticIndex]) -> Archive | None:
    """What was kept of this archive, if it is whole."""
    try:
        of_archive = [one for one in _kept(path) if one["digest"].value == digest]
        if not of_archive:
            return None
        document = of_archive[0]
        of_live = [
            np.array([row.within(QUALITY) for row in rows], np.float64)
            for rows in document["quality"]
        ]
        null = np.array([row.within(COEFFICIENT) for row in document["null"]], np.float64)
        slots = int(document["slots"].within(SLOTS))
        highest = float(document["highest_posterior"].within(HIGHEST))
        phone_ms = float(document["phone_ms"].within(PHONE_MS))
    except InputError:
        return None
    expected = [np.count_nonzero(index.live) for index in indexes]
    if [len(rows) for rows in of_live] != expected or len(null) != COEFFICIENTS:
        return None
    quality = [np.zeros(len(index.live)) for index in indexes]
    for of_segment, index, rows in zip(quality, indexes, of_live, strict=True):
        of_segment[index.live] = rows
    return Archive(slots, highest, phone_ms, tuple(quality), NullDistribution(null))


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
