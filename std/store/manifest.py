"""The manifest: which segments count, and which of their recordings do not any more.

The commit rules are pure functions from manifest to manifest, so every store keeps the same ones.
A manifest is one JSON document with a version and a digest of itself; replacing it is the commit.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from std.errors import StoreError
from std.store.columns import IndexedRecording, SegmentColumns
from std.text import Normalisation, require_same
from std.values import Recording

FORMAT = "std-index"
VERSION = 3  # since 3, recordings say which inputs they were read from
READABLE = (2, VERSION)
BEFORE_PUNCTUATION = {"punctuation": "keep"}  # what an index without this key was made with
SEGMENT_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One live segment. ``files`` is the store's own record of where its columns are."""

    id: str
    recordings: tuple[IndexedRecording, ...]
    postings: int
    slots: int
    words: int
    deleted: frozenset[int] = frozenset()
    files: Mapping[str, Any] | None = None

    @property
    def live_files(self) -> set[str]:
        """Audio files that still count here."""
        return {
            one.recording.file for i, one in enumerate(self.recordings) if i not in self.deleted
        }

    def rows_of(self, files: Collection[str]) -> frozenset[int]:
        """Where recordings of audio files are."""
        if not files:
            return frozenset()
        return frozenset(
            row for row, one in enumerate(self.recordings) if one.recording.file in files
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index. It tells nothing of the way there: the same inputs, the same bytes."""

    normalisation: Normalisation | None = None
    segments: tuple[SegmentEntry, ...] = ()


def entry(columns: SegmentColumns, files: Mapping[str, Any] | None = None) -> SegmentEntry:
    """The manifest's line for a segment."""
    return SegmentEntry(
        id=columns.digest()[:32],
        recordings=columns.recordings,
        postings=len(columns.posting_start_ms),
        slots=len(columns.slot_key),
        words=len(columns.posting_offsets) - 1,
        files=files,
    )


def committed(
    manifest: Manifest,
    add: Sequence[SegmentEntry],
    normalisation: Normalisation,
    replaced: Collection[str] = (),
    delete_files: Collection[str] = (),
    *,
    place: str = "index",
) -> Manifest:
    """The manifest after a commit; see `std.store.Store.commit`.

    Raises:
        StoreError: the words would be normalised differently from those already there.
    """
    if manifest.normalisation is not None:
        require_same(normalisation, manifest.normalisation, place)
    added = {one.id: one for one in add}  # the same speech twice is the same segment
    kept = []
    for segment in manifest.segments:
        if segment.id in replaced or segment.id in added:
            continue
        remaining = replace(segment, deleted=segment.deleted | segment.rows_of(delete_files))
        if remaining.live_files:
            kept.append(remaining)
    return Manifest(normalisation, (*kept, *added.values()))


def dumps(manifest: Manifest) -> str:
    """Manifest -> JSON text."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "normalisation": manifest.normalisation and asdict(manifest.normalisation),
        "segments": [
            {
                "id": one.id,
                "postings": one.postings,
                "slots": one.slots,
                "words": one.words,
                "recordings": [[*r.recording, *r[1:]] for r in one.recordings],
                "deleted": sorted(one.deleted),
                "files": one.files,
            }
            for one in manifest.segments
        ],
    }
    return json.dumps(document | {"digest": _digest(document)}, ensure_ascii=False, indent=1)


def loads(text: str | bytes, place: str) -> Manifest:
    """JSON text -> manifest.

    Raises:
        StoreError: this is no manifest, a damaged one, or one of another version.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise StoreError(f"{place}: expected format {FORMAT!r}, got {document['format']!r}")
        if document["version"] not in READABLE:
            raise StoreError(
                f"{place}: expected index version {VERSION}, got {document['version']!r}; "
                "index the recordings again"
            )
        if document.pop("digest") != _digest(document):
            raise StoreError(f"{place}: expected an undamaged manifest, got a wrong digest")
        given = document["normalisation"]
        return Manifest(
            None if given is None else Normalisation(**(BEFORE_PUNCTUATION | given)),
            tuple(_segment(one) for one in document["segments"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{place}: expected a manifest, got {error!r}") from error


def _segment(one: Mapping[str, Any]) -> SegmentEntry:
    """A segment's line; whoever wrote it, nothing in it may lead a reader astray."""
    recordings = tuple(_recording(*row) for row in one["recordings"])
    deleted = frozenset(one["deleted"])
    sizes = one["postings"], one["slots"], one["words"]
    numbers = [*sizes, *deleted, *(n for r in recordings for n in (r.recording.channel, *r[1:3]))]
    if not SEGMENT_ID.fullmatch(one["id"]):  # it becomes part of paths
        raise ValueError(f"segment {one['id']!r}")
    if not all(type(n) is int and 0 <= n < 2**63 for n in numbers):
        raise ValueError("a count that is no natural number, or a very large one")
    if not all(isinstance(name, str) for r in recordings for name in (r.recording.file, *r.inputs)):
        raise ValueError("a file name that is no text")
    if max(deleted, default=-1) >= len(recordings):
        raise ValueError("a deleted recording that does not exist")
    return SegmentEntry(one["id"], recordings, *sizes, deleted, one["files"])


def _recording(
    file: str,
    channel: int,
    speech_ms: int,
    utterances: int,
    times_estimated: bool,
    inputs: Sequence[str] = (),  # version 2 did not know them
) -> IndexedRecording:
    return IndexedRecording(
        Recording(file, channel), speech_ms, utterances, times_estimated, tuple(inputs)
    )


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(
        json.dumps(document, ensure_ascii=False, sort_keys=True).encode()
    ).hexdigest()
