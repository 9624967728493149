"""Two versions of an index become one: what a split cluster, or replication, leaves behind.

Audio file by audio file, by its version on either side (`std.store.versions`):

    live on one side, unknown to the other      it is taken
    live on both                                the newer version stays; where both were indexed
                                                independently, ours
    live on one, deleted on the other           deleted, unless it was indexed again since

Segments that both have stay; segments that only the other has join, without the recordings that
stay elsewhere. Nothing is dropped without a word: the outcome names every audio file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from std.store.manifest import Manifest, SegmentEntry
from std.store.versions import Version, Versions, stored_rows, tombstones
from std.text import require_same


class Index(NamedTuple):
    """What one side has."""

    manifest: Manifest
    versions: Versions = Versions()

    def live(self) -> dict[str, Version]:
        """The version of each audio file that counts."""
        return self.versions.live(self.manifest.segments)

    def removed(self) -> dict[str, set[Version]]:
        """The versions of each audio file that no longer count."""
        return self.versions.removed(self.manifest.segments)


class United(NamedTuple):
    """One index out of two, and what became of the audio files."""

    result: Index
    taken: frozenset[str] = frozenset()  # only the other side had them
    renewed: frozenset[str] = frozenset()  # indexed again on the other side: its version stays
    doubled: frozenset[str] = frozenset()  # indexed on both sides, independently: ours stay
    returned: frozenset[str] = frozenset()  # deleted on one side, indexed again on the other
    gone: frozenset[str] = frozenset()  # deleted on one side


class Fate(Enum):
    """Of an audio file that counts on one side at least."""

    OURS = "stays as it is here"
    TAKEN = "taken"
    RENEWED = "renewed"
    DOUBLED = "doubled"
    RETURNED_OURS = "deleted there, indexed again here"
    RETURNED_THEIRS = "deleted here, indexed again there"
    GONE = "gone"


FROM_THE_OTHER = frozenset({Fate.TAKEN, Fate.RENEWED, Fate.RETURNED_THEIRS})


def united(ours: Index, other: Index, place: str) -> United:
    """Bring the other side's index into ours.

    Raises:
        StoreError: their words are normalised differently.
    """
    normalisation, theirs = ours.manifest.normalisation, other.manifest.normalisation
    if normalisation is not None and theirs is not None:
        require_same(theirs, normalisation, place)
    fates = _fates(ours, other)
    newest = _newest(ours, other, fates)
    segments, versions = _joined(ours, other, fates, newest)
    live = {file for file, fate in fates.items() if fate is not Fate.GONE}
    known = [
        one
        for side in (ours, other)
        for one in ({file: (v,) for file, v in side.live().items()}, side.removed())
    ]
    manifest = Manifest(normalisation or theirs, tuple(segments))
    result = Index(manifest, Versions(versions, tombstones(live, *known)))

    def those(*some: Fate) -> frozenset[str]:
        return frozenset(file for file, fate in fates.items() if fate in some)

    return United(
        result,
        taken=those(Fate.TAKEN),
        renewed=those(Fate.RENEWED),
        doubled=those(Fate.DOUBLED),
        returned=those(Fate.RETURNED_OURS, Fate.RETURNED_THEIRS),
        gone=those(Fate.GONE),
    )


def _fates(ours: Index, other: Index) -> dict[str, Fate]:
    """What becomes of each audio file that counts on either side."""
    here, there = ours.live(), other.live()
    removed_here, removed_there = ours.removed(), other.removed()
    return {
        file: _fate(
            here.get(file),
            there.get(file),
            removed_here.get(file, set()),
            removed_there.get(file, set()),
        )
        for file in sorted(here.keys() | there.keys())
    }


def _fate(
    mine: Version | None, theirs: Version | None, here: set[Version], there: set[Version]
) -> Fate:
    """Of one audio file: its live version on each side, and those each side has removed."""
    mine_stays = mine is not None and not _is_dead(mine, there)
    theirs_stays = theirs is not None and not _is_dead(theirs, here)
    if mine is not None and mine_stays:
        if theirs is not None and theirs_stays:
            if mine == theirs or mine.number > theirs.number:
                return Fate.OURS
            return Fate.RENEWED if mine.number < theirs.number else Fate.DOUBLED
        return Fate.RETURNED_OURS if theirs is None and there else Fate.OURS
    if theirs_stays:
        if mine is not None:
            return Fate.RENEWED
        return Fate.RETURNED_THEIRS if here else Fate.TAKEN
    return Fate.GONE


def _is_dead(version: Version, removed: Iterable[Version]) -> bool:
    """Whether a side that removed these versions knew of this one."""
    return any(one == version or one.number > version.number for one in removed)


def _newest(ours: Index, other: Index, fates: dict[str, Fate]) -> dict[str, Version]:
    """The version that each audio file has from now on, where it is not what its side says.

    Where two versions of one number met, the outcome is newer than both: it knows of both.
    """
    live = ours.live(), other.live()
    gone = ours.removed(), other.removed()
    found = {}
    for file, fate in fates.items():
        if fate is Fate.GONE:
            continue
        side = 1 if fate in FROM_THE_OTHER else 0
        mine = live[side][file]
        met = set(gone[1 - side].get(file, ()))
        if file in live[1 - side]:
            met.add(live[1 - side][file])
        if any(one.number >= mine.number and one != mine for one in met):
            found[file] = Version(1 + max(one.number for one in met), mine.segment)
    return found


def _joined(
    ours: Index, other: Index, fates: dict[str, Fate], newest: dict[str, Version]
) -> tuple[list[SegmentEntry], dict[str, tuple[Version, ...]]]:
    """The segments of both that still count, and the versions of their recordings."""
    there = {one.id: one for one in other.manifest.segments}
    here = {one.id for one in ours.manifest.segments}
    found: list[tuple[SegmentEntry, Sequence[Version]]] = []
    everything = [
        *((one, there.get(one.id)) for one in ours.manifest.segments),
        *((None, one) for one in other.manifest.segments if one.id not in here),
    ]
    for mine, theirs in everything:
        segment = mine or theirs
        assert segment is not None
        sides = {
            from_other: (entry.deleted, index.versions.of(entry))
            for from_other, index, entry in ((False, ours, mine), (True, other, theirs))
            if entry is not None
        }
        deleted, versions = set(), []
        for row, one in enumerate(segment.recordings):
            file = one.recording.file
            fate = fates.get(file, Fate.GONE)
            gone, held = sides.get(fate in FROM_THE_OTHER, ({row}, ()))
            if fate is Fate.GONE or row in gone:
                deleted.add(row)
                versions.append(max(rows[row] for _, rows in sides.values()))
            else:
                versions.append(newest.get(file, held[row]))
        found.append((replace(segment, deleted=frozenset(deleted)), versions))
    found = [(one, versions) for one, versions in found if one.live_files]
    return [one for one, _ in found], stored_rows(found)


def live_files(segments: Iterable[SegmentEntry]) -> frozenset[str]:
    """The audio files that count."""
    return frozenset(file for segment in segments for file in segment.live_files)
