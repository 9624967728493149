"""Which version of each audio file an index holds, and which it has deleted.

Databases that replicate each other, and the halves of a split cluster, change one index in two
places. To unite the two (`std.store.reconcile`) it must be known whether a recording is missing on
one side because it was deleted there, or because it was never there. So every audio file has a
version:

    number      1 when it is indexed for the first time, one more each time it is indexed again
    segment     the segment that was committed with it; merging moves a file and keeps its version

and a deleted file leaves a tombstone: its name and the version that was deleted. A tombstone
stays until the file is indexed again, because nobody knows who still holds the old version. It
costs a reader about as much as the name of a recording.

A file that was indexed once and never merged has version 1 of its own segment, which is not
recorded: an index without history has no versions to store.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from typing import Any, NamedTuple

from std.errors import StoreError
from std.store.manifest import SEGMENT_ID, Manifest, SegmentEntry


class Version(NamedTuple):
    """Of an audio file. A higher number is newer; equal numbers were indexed independently."""

    number: int
    segment: str  # that it was committed in first


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of all audio files of a manifest, as far as they are not the usual ones."""

    rows: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)  # by segment
    deleted: Mapping[str, Version] = field(default_factory=dict)  # tombstones by audio file

    def of(self, segment: SegmentEntry) -> Sequence[Version]:
        """The version of each recording of a segment, deleted ones included."""
        return self.rows.get(segment.id) or (Version(1, segment.id),) * len(segment.recordings)

    def live(self, segments: Iterable[SegmentEntry]) -> dict[str, Version]:
        """The version of each audio file that counts."""
        found: dict[str, Version] = {}
        for segment in segments:
            for row, (one, version) in enumerate(
                zip(segment.recordings, self.of(segment), strict=True)
            ):
                file = one.recording.file
                if row not in segment.deleted:
                    found[file] = max(version, found.get(file, version))
        return found

    def removed(self, segments: Collection[SegmentEntry]) -> dict[str, set[Version]]:
        """Versions of each audio file that no longer count: tombstones, deleted recordings.

        A recording that was deleted because another segment has the same version still counts.
        """
        live = self.live(segments)
        found = {file: {version} for file, version in self.deleted.items()}
        for segment in segments:
            versions = self.of(segment) if segment.deleted else ()
            for row in segment.deleted:
                file = segment.recordings[row].recording.file
                if versions[row] != live.get(file):
                    found.setdefault(file, set()).add(versions[row])
        return found


def stored_rows(
    segments: Iterable[tuple[SegmentEntry, Sequence[Version]]],
) -> dict[str, tuple[Version, ...]]:
    """`Versions.rows` of segments with these versions: the usual ones are left out."""
    return {
        segment.id: tuple(versions)
        for segment, versions in segments
        if set(versions) - {Version(1, segment.id)}
    }


def tombstones(
    live: Collection[str], *known: Mapping[str, Iterable[Version]]
) -> dict[str, Version]:
    """Of every file that was known and does not live, the newest version."""
    found: dict[str, Version] = {}
    for file, versions in chain.from_iterable(one.items() for one in known):
        if file not in live:
            found[file] = max([*versions, *([found[file]] if file in found else [])])
    return dict(sorted(found.items()))


def versions_after(
    versions: Versions,
    before: Manifest,
    after: Manifest,
    added: Iterable[SegmentEntry],
    replaced: Collection[str] = (),
    delete_files: Collection[str] = (),
) -> Versions:
    """The versions that belong to the manifest after a commit; see `std.store.Store.commit`.

    A file that an added segment holds was moved there from a replaced one, or it was indexed now.
    Where several added segments hold parts of it (channels in different languages), all have the
    version of the first by id.

    Args:
        versions: that belong to the manifest before.
        added, replaced, delete_files: of the commit.
    """
    new = {one.id: one for one in added}
    old_live, removed = versions.live(before.segments), versions.removed(before.segments)
    sources = [one for one in before.segments if one.id in replaced or one.id in new]
    moved = versions.live(sources)
    for file in set(moved) & set(delete_files):
        del moved[file]

    home: dict[str, str] = {}
    for id_ in sorted(new):
        for one in new[id_].recordings:
            home.setdefault(one.recording.file, id_)

    def committed_now(file: str) -> Version:
        known = [*removed.get(file, ()), *([old_live[file]] if file in old_live else [])]
        return Version(1 + max((one.number for one in known), default=0), home[file])

    def of(segment: SegmentEntry) -> Sequence[Version]:
        if segment.id not in new:
            return versions.of(segment)
        files = [one.recording.file for one in segment.recordings]
        return [moved.get(file) or committed_now(file) for file in files]

    rows = stored_rows((one, of(one)) for one in after.segments)
    live = {file for one in after.segments for file in one.live_files}
    current = {file: (version,) for file, version in old_live.items()}
    return Versions(rows, tombstones(live, current, removed))


def dumps(versions: Versions, manifest: Manifest) -> str:
    """Versions -> JSON text; empty where there is nothing to say."""
    if not versions.rows and not versions.deleted:
        return ""
    every = chain(chain.from_iterable(versions.rows.values()), versions.deleted.values())
    table = sorted(set(every))
    place = {version: i for i, version in enumerate(table)}
    by_version: dict[int, list[str]] = {}
    for file, version in versions.deleted.items():
        by_version.setdefault(place[version], []).append(file)
    document = {
        "versions": table,
        "segments": {
            one.id: [
                [place[version], len(list(some))] for version, some in groupby(versions.of(one))
            ]
            for one in manifest.segments
            if one.id in versions.rows
        },
        "deleted": sorted(by_version.items()),
    }
    return json.dumps(document | {"digest": _digest(document)}, ensure_ascii=False)


def loads(text: str | bytes, manifest: Manifest, place: str) -> Versions:
    """The inverse of `dumps`.

    Raises:
        StoreError: these are no versions, damaged ones, or those of another manifest.
    """
    if not text:
        return Versions()
    try:
        document = json.loads(text)
        if document.pop("digest") != _digest(document):
            raise StoreError(f"{place}: expected undamaged versions, got a wrong digest")
        table = [_version(*one) for one in document["versions"]]
        rows = {
            segment: tuple(chain.from_iterable(repeat(table[i], n) for i, n in runs))
            for segment, runs in document["segments"].items()
        }
        deleted = {str(file): table[i] for i, files in document["deleted"] for file in files}
        sizes = {one.id: len(one.recordings) for one in manifest.segments}
        if any(len(versions) != sizes.get(segment) for segment, versions in rows.items()):
            raise ValueError("versions of other recordings")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise StoreError(f"{place}: expected versions of recordings, got {error!r}") from error
    return Versions(rows, dict(sorted(deleted.items())))


def _version(number: Any, segment: Any) -> Version:
    if type(number) is not int or not 0 < number < 2**63 or not SEGMENT_ID.fullmatch(segment):
        raise ValueError(f"version {number!r} of segment {segment!r}")
    return Version(number, segment)


def _digest(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
