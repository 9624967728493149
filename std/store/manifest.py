"""The manifest: the segments of an index, and which of their recordings are deleted.

A manifest is one JSON document with a version and a digest of itself. Replacing it is the commit.
`manifest_after_commit` computes the new manifest from the old one, so that all kinds of store
commit by the same rules.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from std.errors import StoreError, quoted
from std.metadata.table import Metadata, from_json, updated
from std.store.columns import IndexedRecording, SegmentColumns, live_recordings
from std.text import LATER_RULES, Normalisation, require_same
from std.values import Recording

FORMAT = "std-index"
VERSION = 3  # since 3, recordings say which inputs they were read from
METADATA_VERSION = 4  # of an index with metadata: an older program would lose them at a commit
CHARACTERS_VERSION = 5  # of an index whose text without spaces is cut, with metadata or without
READABLE = (2, VERSION, METADATA_VERSION, CHARACTERS_VERSION)
BEFORE_RULES = dict.fromkeys(LATER_RULES, "keep")  # what an index without these keys was made with
SEGMENT_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One segment of the index. ``files`` is the store's own record of its columns."""

    id: str
    recordings: tuple[IndexedRecording, ...]
    postings: int
    slots: int
    words: int
    deleted: frozenset[int] = frozenset()
    files: Mapping[str, Any] | None = None

    @property
    def live_files(self) -> set[str]:
        """Audio files with a recording that is not deleted."""
        return {indexed.recording.file for _, indexed in live_recordings(self)}

    def rows_of(self, files: Collection[str]) -> frozenset[int]:
        """Rows of the recordings of some audio files."""
        if not files:
            return frozenset()
        return frozenset(
            row for row, indexed in enumerate(self.recordings) if indexed.recording.file in files
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index, without dates and history: the same inputs give the same bytes."""

    normalisation: Normalisation | None = None
    segments: tuple[SegmentEntry, ...] = ()
    metadata: str = ""  # id of the metadata that belong to it; empty: there are none

    @property
    def live_files(self) -> set[str]:
        """Audio files with a recording that is not deleted."""
        return set().union(*(entry.live_files for entry in self.segments))


def segment_entry(columns: SegmentColumns) -> SegmentEntry:
    """The manifest's entry for a segment, without the store's own record of its columns."""
    return SegmentEntry(
        id=columns.digest()[:32],
        recordings=columns.recordings,
        postings=len(columns.posting_start_ms),
        slots=len(columns.slot_key),
        words=len(columns.posting_offsets) - 1,
    )


def manifest_after_commit(
    manifest: Manifest,
    add: Sequence[SegmentEntry],
    normalisation: Normalisation,
    replaced: Collection[str] = (),
    delete_files: Collection[str] = (),
    *,
    place: str = "index",
) -> Manifest:
    """The manifest after a commit; see `std.store.Store.commit`.

    Args:
        manifest: before the commit.
        add: entries of the segments that join the index.
        normalisation: the normalisation of their words.
        replaced: ids of the segments that leave it.
        delete_files: audio files whose recordings are deleted from all segments but the added ones.
        place: the name of the index in error messages.

    Raises:
        StoreError: the added words are normalised differently from those of the index.
    """
    if manifest.normalisation is not None:
        require_same(normalisation, manifest.normalisation, place)
    added = {entry.id: entry for entry in add}  # the same speech twice is the same segment
    kept = []
    for segment in manifest.segments:
        if segment.id in replaced or segment.id in added:
            continue
        remaining = replace(segment, deleted=segment.deleted | segment.rows_of(delete_files))
        if remaining.live_files:
            kept.append(remaining)
    return Manifest(normalisation, (*kept, *added.values()), manifest.metadata)


def metadata_after_commit(before: Metadata, given: Metadata, manifest: Manifest) -> Metadata:
    """The metadata of the recordings that are not deleted after a commit; new ones replace old."""
    return updated(before, given).of(manifest.live_files) if before or given else before


def manifest_to_json(manifest: Manifest) -> str:
    """Manifest -> JSON text."""
    import orjson  # here: a search does without it

    document = {
        "format": FORMAT,
        "version": _version(manifest),
        "normalisation": _rules(manifest.normalisation),
        "segments": [
            {
                "id": entry.id,
                "postings": entry.postings,
                "slots": entry.slots,
                "words": entry.words,
                "recordings": [[*indexed.recording, *indexed[1:]] for indexed in entry.recordings],
                "deleted": sorted(entry.deleted),
                "files": entry.files,
            }
            for entry in manifest.segments
        ],
    }
    if manifest.metadata:
        document["metadata"] = manifest.metadata
    return orjson.dumps(document | {"digest": digest_of(document)}).decode()


def _version(manifest: Manifest) -> int:
    """The oldest version that can express a manifest, so that older programs can read it."""
    if manifest.normalisation and manifest.normalisation.unspaced != "keep":
        return CHARACTERS_VERSION
    return METADATA_VERSION if manifest.metadata else VERSION


def _rules(normalisation: Normalisation | None) -> dict[str, str] | None:
    """The rules of a normalisation, as a program of the manifest's version knows them."""
    rules = None if normalisation is None else normalisation.rules()
    if rules and rules["unspaced"] == "keep":
        del rules["unspaced"]
    return rules


def manifest_from_json(text: str | bytes, place: str) -> Manifest:
    """JSON text -> manifest.

    Raises:
        StoreError: the text is no manifest, a damaged one, or one of another version.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise StoreError(
                f"{place}: expected format {FORMAT!r}, got {quoted(document['format'])}"
            )
        if (version := document["version"]) not in READABLE:
            newer = type(version) is int and version > READABLE[-1]
            raise StoreError(
                f"{place}: expected index version {READABLE[0]} to {READABLE[-1]}, "
                f"got {quoted(version)}; "
                + ("a newer std made it: install that" if newer else "index the recordings again")
            )
        if document.pop("digest") != digest_of(document):
            raise StoreError(f"{place}: expected an undamaged manifest, got a wrong digest")
        options = document["normalisation"]
        metadata = document.get("metadata", "")
        if metadata and not SEGMENT_ID.fullmatch(metadata):  # it becomes part of paths
            raise ValueError(f"metadata {metadata!r}")
        return Manifest(
            None if options is None else Normalisation(**(BEFORE_RULES | options)),
            tuple(_segment(fields) for fields in document["segments"]),
            metadata,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{place}: expected a manifest, got {_instead(text, error)}") from error


def _instead(text: str | bytes, error: Exception) -> str:
    """A description of a text that is not a manifest, for a user."""
    if not text.strip():
        return "an empty file"
    if isinstance(error, KeyError):
        return f"one without {error}"
    return quoted(str(error)) if isinstance(error, ValueError) else "something else in JSON"


def metadata_from_text(text: str | bytes, manifest: Manifest, place: str) -> Metadata:
    """The metadata of an index, which the manifest names by their digest.

    Raises:
        StoreError: the text is not what was committed.
    """
    content = text.encode() if isinstance(text, str) else text
    if hashlib.sha256(content).hexdigest()[:32] != manifest.metadata:
        raise StoreError(f"{place}: expected the metadata that were committed, got other content")
    return from_json(content, place)


def _segment(fields: Mapping[str, Any]) -> SegmentEntry:
    """A segment's entry, with every field checked, because another program may have written it.

    Raises:
        ValueError, KeyError, TypeError: a field is missing or not what it should be.
    """
    recordings = tuple(_recording(*row) for row in fields["recordings"])
    deleted = frozenset(fields["deleted"])
    sizes = fields["postings"], fields["slots"], fields["words"]
    numbers = [*sizes, *deleted, *(n for r in recordings for n in (r.recording.channel, *r[1:3]))]
    if not SEGMENT_ID.fullmatch(fields["id"]):  # it becomes part of paths
        raise ValueError(f"segment {fields['id']!r}")
    if not all(type(n) is int and 0 <= n < 2**63 for n in numbers):
        raise ValueError("a count that is no natural number, or a very large one")
    if not all(isinstance(name, str) for r in recordings for name in (r.recording.file, *r.inputs)):
        raise ValueError("a file name that is no text")
    if max(deleted, default=-1) >= len(recordings):
        raise ValueError("a deleted recording that does not exist")
    return SegmentEntry(fields["id"], recordings, *sizes, deleted, fields["files"])


def _recording(
    file: str,
    channel: int,
    speech_ms: int,
    utterances: int,
    times_estimated: bool,
    inputs: Sequence[str] = (),  # not in version 2
) -> IndexedRecording:
    return IndexedRecording(
        Recording(file, channel), speech_ms, utterances, times_estimated, tuple(inputs)
    )


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 of a document, whatever the order of its keys."""
    return hashlib.sha256(
        json.dumps(document, ensure_ascii=False, sort_keys=True).encode()
    ).hexdigest()
