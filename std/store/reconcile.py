"""Reconcile two versions of an index, as a split cluster or replication leaves them behind.

Each audio file is reconciled by its version on either side (`std.store.versions`):

    present on one side, unknown to the other   it is added
    present on both                             the newer version stays; ours stays if both sides
                                                indexed the file independently
    present on one, deleted on the other        deleted, unless it was indexed again since

Segments that both sides have stay. Segments that only the other side has are added, without the
recordings whose version on our side stays. The metadata of a recording that were changed more often
stay. Corrections belong to the version of the recording that stays. `Reconciled` lists the changes
by audio file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from std.metadata.table import NO_METADATA, Metadata, of_rows, reconciled, updated
from std.store.manifest import Manifest, SegmentEntry
from std.store.versions import Version, Versions, newest_tombstones, stored_rows
from std.text import require_same


class IndexState(NamedTuple):
    """A manifest with the versions of its audio files, and their metadata."""

    manifest: Manifest
    versions: Versions = Versions()
    metadata: Metadata = NO_METADATA

    def live(self) -> dict[str, Version]:
        """The version of each live audio file."""
        return self.versions.live(self.manifest.segments)

    def removed(self) -> dict[str, set[Version]]:
        """The versions of each audio file that are no longer live."""
        return self.versions.removed(self.manifest.segments)


class Reconciled(NamedTuple):
    """The reconciled index, and the audio files that changed."""

    result: IndexState
    added: frozenset[str] = frozenset()  # only the other side had them
    updated: frozenset[str] = frozenset()  # indexed again on the other side: its version stays
    indexed_twice: frozenset[str] = frozenset()  # on both sides, independently: ours stays
    restored: frozenset[str] = frozenset()  # deleted on one side, indexed again on the other
    deleted: frozenset[str] = frozenset()  # deleted on one side


class Outcome(Enum):
    """What reconciling does with an audio file that at least one side has."""

    UNCHANGED = "stays as it is on our side"
    ADDED = "only the other side has it"
    UPDATED = "the other side has a newer version"
    INDEXED_TWICE = "both sides indexed it independently: ours stays"
    RESTORED_OURS = "deleted there, indexed again here"
    RESTORED_THEIRS = "deleted here, indexed again there"
    DELETED = "deleted on one side"


FROM_THE_OTHER = frozenset({Outcome.ADDED, Outcome.UPDATED, Outcome.RESTORED_THEIRS})


def reconcile(ours: IndexState, other: IndexState, place: str) -> Reconciled:
    """Combine the other side's index with ours.

    Args:
        ours, other: the two versions of one index.
        place: the name of the index in error messages.

    Raises:
        StoreError: their words are normalised differently.
    """
    normalisation, theirs = ours.manifest.normalisation, other.manifest.normalisation
    if normalisation is not None and theirs is not None:
        require_same(theirs, normalisation, place)
    outcomes = _outcomes(ours, other)
    newest = _newest(ours, other, outcomes)
    segments, versions = _combined_segments(ours, other, outcomes, newest)
    live = {file for file, outcome in outcomes.items() if outcome is not Outcome.DELETED}
    known = [
        versions_of_files
        for side in (ours, other)
        for versions_of_files in (
            {file: (version,) for file, version in side.live().items()},
            side.removed(),
        )
    ]
    manifest = Manifest(normalisation or theirs, tuple(segments))
    metadata = _metadata(ours, other, outcomes).of(manifest.live_files)
    result = IndexState(
        replace(manifest, metadata=metadata.id),
        Versions(versions, newest_tombstones(live, *known)),
        metadata,
    )

    def files_with(*wanted: Outcome) -> frozenset[str]:
        return frozenset(file for file, outcome in outcomes.items() if outcome in wanted)

    return Reconciled(
        result,
        added=files_with(Outcome.ADDED),
        updated=files_with(Outcome.UPDATED),
        indexed_twice=files_with(Outcome.INDEXED_TWICE),
        restored=files_with(Outcome.RESTORED_OURS, Outcome.RESTORED_THEIRS),
        deleted=files_with(Outcome.DELETED),
    )


def _metadata(ours: IndexState, other: IndexState, outcomes: Mapping[str, Outcome]) -> Metadata:
    """The reconciled metadata, with the corrections of the version of each recording that stays."""
    metadata = reconciled(ours.metadata, other.metadata)
    our_live, their_live, shown = ours.live(), other.live(), {*metadata.names}
    noted = {
        file: (other if outcome in FROM_THE_OTHER else ours).metadata.own_values(file)
        for file, outcome in outcomes.items()
        if our_live.get(file) != their_live.get(file)
    }
    rows = {
        file: own | {name: value for name, value in metadata.values(file).items() if name in shown}
        for file, own in noted.items()
        if own != metadata.own_values(file)
    }
    return updated(metadata, of_rows(rows))


def _outcomes(ours: IndexState, other: IndexState) -> dict[str, Outcome]:
    """The outcome of each audio file that is live on either side."""
    our_live, their_live = ours.live(), other.live()
    our_removed, their_removed = ours.removed(), other.removed()
    return {
        file: _outcome(
            our_live.get(file),
            their_live.get(file),
            our_removed=our_removed.get(file, set()),
            their_removed=their_removed.get(file, set()),
        )
        for file in sorted(our_live.keys() | their_live.keys())
    }


def _outcome(
    our_version: Version | None,
    their_version: Version | None,
    *,
    our_removed: set[Version],
    their_removed: set[Version],
) -> Outcome:
    """The outcome of one audio file.

    Args:
        our_version, their_version: the live version on each side.
        our_removed, their_removed: the versions that each side has removed.
    """
    ours_stays = our_version is not None and not _is_removed(our_version, their_removed)
    theirs_stays = their_version is not None and not _is_removed(their_version, our_removed)
    if our_version is not None and ours_stays:
        if their_version is not None and theirs_stays:
            if our_version == their_version or our_version.number > their_version.number:
                return Outcome.UNCHANGED
            newer_there = our_version.number < their_version.number
            return Outcome.UPDATED if newer_there else Outcome.INDEXED_TWICE
        restored = their_version is None and their_removed
        return Outcome.RESTORED_OURS if restored else Outcome.UNCHANGED
    if theirs_stays:
        if our_version is not None:
            return Outcome.UPDATED
        return Outcome.RESTORED_THEIRS if our_removed else Outcome.ADDED
    return Outcome.DELETED


def _is_removed(version: Version, removed: Iterable[Version]) -> bool:
    """Whether a side that removed these versions had this version or a newer one."""
    return any(other == version or other.number > version.number for other in removed)


def _newest(
    ours: IndexState, other: IndexState, outcomes: dict[str, Outcome]
) -> dict[str, Version]:
    """The new version of each audio file whose version changes.

    If the two versions have the same number, the new number is higher, so that it replaces both in
    all copies of the database.
    """
    live = ours.live(), other.live()
    removed = ours.removed(), other.removed()
    newest = {}
    for file, outcome in outcomes.items():
        if outcome is Outcome.DELETED:
            continue
        side = 1 if outcome in FROM_THE_OTHER else 0
        kept = live[side][file]
        met = set(removed[1 - side].get(file, ()))
        if file in live[1 - side]:
            met.add(live[1 - side][file])
        if any(version.number >= kept.number and version != kept for version in met):
            newest[file] = Version(1 + max(version.number for version in met), kept.segment)
    return newest


def _combined_segments(
    ours: IndexState, other: IndexState, outcomes: dict[str, Outcome], newest: dict[str, Version]
) -> tuple[list[SegmentEntry], dict[str, tuple[Version, ...]]]:
    """The segments of both sides that have live recordings, and the versions of their recordings.

    Args:
        ours, other: the two versions of one index.
        outcomes: the outcomes of each live audio file.
        newest: the new version of each audio file whose version changes.
    """
    their_entries = {entry.id: entry for entry in other.manifest.segments}
    our_ids = {entry.id for entry in ours.manifest.segments}
    pairs = [
        *((entry, their_entries.get(entry.id)) for entry in ours.manifest.segments),
        *((None, entry) for entry in other.manifest.segments if entry.id not in our_ids),
    ]
    combined: list[tuple[SegmentEntry, Sequence[Version]]] = []
    for our_entry, their_entry in pairs:
        segment = our_entry or their_entry
        assert segment is not None
        sides = {
            from_other: (entry.deleted, state.versions.of(entry))
            for from_other, state, entry in ((False, ours, our_entry), (True, other, their_entry))
            if entry is not None
        }
        deleted, versions = set(), []
        for row, indexed in enumerate(segment.recordings):
            file = indexed.recording.file
            outcome = outcomes.get(file, Outcome.DELETED)
            deleted_rows, side_versions = sides.get(outcome in FROM_THE_OTHER, ({row}, ()))
            if outcome is Outcome.DELETED or row in deleted_rows:
                deleted.add(row)
                versions.append(max(of_side[row] for _, of_side in sides.values()))
            else:
                versions.append(newest.get(file, side_versions[row]))
        combined.append((replace(segment, deleted=frozenset(deleted)), versions))
    combined = [(entry, versions) for entry, versions in combined if entry.live_files]
    return [entry for entry, _ in combined], stored_rows(combined)


def live_files(segments: Iterable[SegmentEntry]) -> frozenset[str]:
    """The live audio files of some segments."""
    return frozenset(file for segment in segments for file in segment.live_files)
