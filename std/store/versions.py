"""The versions of the audio files in an index, and of deleted files.

Databases that replicate each other, and the halves of a split cluster, change one index in two
places. Combining the two (`std.store.reconcile`) needs to know whether a recording that one side
lacks was deleted there, or was never indexed there. So every audio file has a version:

    number      1 when it is indexed for the first time, one more each time it is indexed again
    segment     the segment it was first committed in; merging segments keeps the version

A deleted file leaves a tombstone: its name and the version that was deleted. A tombstone stays
until the file is indexed again, because another database may still hold the old version. It takes
about as much room as the name of a recording.

A file that was indexed once and never merged has version 1 of its own segment. This version is
not stored: an index without deletions and merges stores no versions.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from typing import Any, NamedTuple

from std.errors import StoreError, quoted
from std.store.manifest import SEGMENT_ID, Manifest, SegmentEntry, digest_of


class Version(NamedTuple):
    """Version of an audio file; a higher number is newer, equal numbers are independent."""

    number: int
    segment: str  # id of the segment it was first committed in


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a manifest's audio files that differ from version 1 of their segment."""

    rows: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)  # by segment
    deleted: Mapping[str, Version] = field(default_factory=dict)  # tombstones by audio file

    def of(self, segment: SegmentEntry) -> Sequence[Version]:
        """The version of each recording of a segment, deleted ones included."""
        return self.rows.get(segment.id) or (Version(1, segment.id),) * len(segment.recordings)

    def live(self, segments: Iterable[SegmentEntry]) -> dict[str, Version]:
        """The version of each live audio file."""
        newest: dict[str, Version] = {}
        for segment in segments:
            for row, (indexed, version) in enumerate(
                zip(segment.recordings, self.of(segment), strict=True)
            ):
                file = indexed.recording.file
                if row not in segment.deleted:
                    newest[file] = max(version, newest.get(file, version))
        return newest

    def removed(self, segments: Collection[SegmentEntry]) -> dict[str, set[Version]]:
        """The removed versions of each audio file: tombstones and deleted recordings.

        A recording that was deleted because another segment has the same version is not removed.
        """
        live = self.live(segments)
        removed = {file: {version} for file, version in self.deleted.items()}
        for segment in segments:
            versions = self.of(segment) if segment.deleted else ()
            for row in segment.deleted:
                file = segment.recordings[row].recording.file
                if versions[row] != live.get(file):
                    removed.setdefault(file, set()).add(versions[row])
        return removed


def stored_rows(
    segments: Iterable[tuple[SegmentEntry, Sequence[Version]]],
) -> dict[str, tuple[Version, ...]]:
    """`Versions.rows` of segments: without those whose files all have version 1 of the segment."""
    return {
        segment.id: tuple(versions)
        for segment, versions in segments
        if set(versions) - {Version(1, segment.id)}
    }


def newest_tombstones(
    live: Collection[str], *known: Mapping[str, Iterable[Version]]
) -> dict[str, Version]:
    """The newest version of every known audio file that is deleted.

    Args:
        live: the audio files that are not deleted.
        known: versions by audio file.
    """
    newest: dict[str, Version] = {}
    for file, versions in chain.from_iterable(by_file.items() for by_file in known):
        if file not in live:
            newest[file] = max([*versions, *([newest[file]] if file in newest else [])])
    return dict(sorted(newest.items()))


def versions_after(
    versions: Versions,
    before: Manifest,
    after: Manifest,
    added: Iterable[SegmentEntry],
    replaced: Collection[str] = (),
    delete_files: Collection[str] = (),
) -> Versions:
    """The versions of the audio files after a commit; see `std.store.Store.commit`.

    A file in an added segment was moved there from a replaced segment, or it was indexed now.
    Where several added segments hold parts of it (channels in different languages), all have the
    version of the first by id.

    Args:
        versions: the versions of the manifest before the commit.
        before, after: the manifests before and after the commit.
        added: segments that the commit adds.
        replaced: ids of the segments that it replaces.
        delete_files: audio files that it deletes from all other segments.
    """
    new = {entry.id: entry for entry in added}
    old_live, removed = versions.live(before.segments), versions.removed(before.segments)
    sources = [entry for entry in before.segments if entry.id in replaced or entry.id in new]
    moved = versions.live(sources)
    for file in set(moved) & set(delete_files):
        del moved[file]

    home: dict[str, str] = {}
    for id_ in sorted(new):
        for indexed in new[id_].recordings:
            home.setdefault(indexed.recording.file, id_)

    def committed_now(file: str) -> Version:
        known = [*removed.get(file, ()), *([old_live[file]] if file in old_live else [])]
        return Version(1 + max((version.number for version in known), default=0), home[file])

    def versions_of(segment: SegmentEntry) -> Sequence[Version]:
        if segment.id not in new:
            return versions.of(segment)
        files = [indexed.recording.file for indexed in segment.recordings]
        return [moved.get(file) or committed_now(file) for file in files]

    rows = stored_rows((entry, versions_of(entry)) for entry in after.segments)
    live = {file for entry in after.segments for file in entry.live_files}
    current = {file: (version,) for file, version in old_live.items()}
    return Versions(rows, newest_tombstones(live, current, removed))


def versions_to_json(versions: Versions, manifest: Manifest) -> str:
    """Versions -> JSON text; empty if there is nothing to store."""
    if not versions.rows and not versions.deleted:
        return ""
    all_versions = chain(chain.from_iterable(versions.rows.values()), versions.deleted.values())
    table = sorted(set(all_versions))
    number_of = {version: i for i, version in enumerate(table)}
    by_version: dict[int, list[str]] = {}
    for file, version in versions.deleted.items():
        by_version.setdefault(number_of[version], []).append(file)
    document = {
        "versions": table,
        "segments": {
            entry.id: [
                [number_of[version], len(list(run))] for version, run in groupby(versions.of(entry))
            ]
            for entry in manifest.segments
            if entry.id in versions.rows
        },
        "deleted": sorted(by_version.items()),
    }
    return json.dumps(document | {"digest": digest_of(document)}, ensure_ascii=False)


def versions_from_json(text: str | bytes, manifest: Manifest, place: str) -> Versions:
    """The inverse of `versions_to_json`.

    Raises:
        StoreError: the text has no versions, damaged ones, or those of another manifest.
    """
    if not text:
        return Versions()
    try:
        document = json.loads(text)
        if document.pop("digest") != digest_of(document):
            raise StoreError(f"{place}: expected undamaged versions, got a wrong digest")
        table = [_version(*fields) for fields in document["versions"]]
        rows = {
            segment: tuple(chain.from_iterable(repeat(table[i], n) for i, n in runs))
            for segment, runs in document["segments"].items()
        }
        deleted = {str(file): table[i] for i, files in document["deleted"] for file in files}
        sizes = {entry.id: len(entry.recordings) for entry in manifest.segments}
        if any(len(versions) != sizes.get(segment) for segment, versions in rows.items()):
            raise ValueError("versions of other recordings")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise StoreError(
            f"{place}: expected versions of recordings, got {quoted(error)}"
        ) from error
    return Versions(rows, dict(sorted(deleted.items())))


def _version(number: Any, segment: Any) -> Version:
    if type(number) is not int or not 0 < number < 2**63 or not SEGMENT_ID.fullmatch(segment):
        raise ValueError(f"version {number!r} of segment {segment!r}")
    return Version(number, segment)
