"""Two versions of a manifest become one: what a split cluster, or replication, leaves behind.

Deletions only grow within a segment, so in a segment that both versions have, whatever either
deleted is deleted: if it was indexed again, one of them has it in another segment. Segments that
only the other version has join ours, without the recordings that we have. Nothing is dropped
without a word: the outcome names every recording that one of the versions had and loses.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from std.store.manifest import Manifest, SegmentEntry
from std.text import require_same
from std.values import Recording


class United(NamedTuple):
    """One manifest out of two, and what became of the recordings."""

    manifest: Manifest
    taken: frozenset[Recording]  # from segments that only the other version had
    doubled: frozenset[Recording]  # in different segments of both: ours stay
    gone: frozenset[Recording]  # deleted in one version, and not indexed again


def united(ours: Manifest, other: Manifest, place: str) -> United:
    """Bring the other version into ours.

    Raises:
        StoreError: their words are normalised differently.
    """
    if ours.normalisation is not None and other.normalisation is not None:
        require_same(other.normalisation, ours.normalisation, place)
    theirs = {one.id: one.deleted for one in other.segments}
    shared = [
        replace(one, deleted=one.deleted | theirs.get(one.id, frozenset())) for one in ours.segments
    ]
    held = live(shared)
    mine = {one.id for one in ours.segments}
    only = [one for one in other.segments if one.id not in mine]
    added = [replace(one, deleted=one.deleted | _rows(one, held)) for one in only]
    segments = tuple(one for one in (*shared, *added) if one.live_files)
    return United(
        Manifest(ours.normalisation or other.normalisation, segments),
        live(added),
        live(only) & held,
        (live(ours.segments) | live(other.segments)) - live(segments),
    )


def live(segments: Iterable[SegmentEntry]) -> frozenset[Recording]:
    """The recordings that count."""
    return frozenset(
        one.recording
        for segment in segments
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    )


def _rows(segment: SegmentEntry, recordings: frozenset[Recording]) -> frozenset[int]:
    return frozenset(
        row for row, one in enumerate(segment.recordings) if one.recording in recordings
    )
