"""The manifest document: the commit point of an index in CouchDB.

    index       the manifest (`std.store.manifest`)
    versions    versions and tombstones of audio files (`std.store.versions`); absent if there are
                none
    metadata    metadata of recordings (`std.metadata.table`); absent if there are none
    lease       who may write, and until when by the server's clock
    retired     segments that await removal, and since when

``index``, ``versions`` and ``metadata`` are texts, deflated; a long one is replaced by the ids of
its parts (`std.store.couchdb.codec`).

A split cluster accepts writes on both sides, and databases that replicate each other may do so at
any time. CouchDB then keeps both revisions of the document as conflicts: it chooses one as the
winner, by a rule of its own, and shows only that. `read_winner` reads the winner, `read_conflicts`
the other revisions; `std.store.couchdb.conflicts` reconciles them.
"""

import binascii
import uuid
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import partial
from typing import Any

from std.errors import StoreError
from std.metadata.table import NO_METADATA, Metadata
from std.store.couchdb.bulk import MissingPartError, read_texts, write_parts
from std.store.couchdb.codec import Document, EncodedText, StoredText, encode_text, part_ids
from std.store.couchdb.database import Database
from std.store.couchdb.errors import ConflictError, no_database_any_more
from std.store.manifest import (
    SEGMENT_ID,
    Manifest,
    manifest_from_json,
    manifest_to_json,
    metadata_from_text,
)
from std.store.reconcile import IndexState
from std.store.versions import Versions, versions_from_json, versions_to_json

MANIFEST_ID = "manifest"  # name of the document
INDEX_FIELDS = ("index", "versions", "metadata")


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index as it is stored: fields of the manifest document."""

    fields: dict[str, StoredText]

    @property
    def parts(self) -> frozenset[str]:
        """Ids of the parts; none if the texts are short."""
        return part_ids(*self.fields.values())


@dataclass(frozen=True, slots=True)
class ManifestDocument:
    """One revision of the manifest document."""

    revision: str | None = None  # None if it is not in the database yet
    manifest: Manifest = field(default_factory=Manifest)
    versions: Versions = field(default_factory=Versions)
    metadata: Metadata = NO_METADATA
    lease: dict[str, Any] | None = None  # owner, and until when by the server's clock
    retired: dict[str, float] = field(default_factory=dict)  # segments and parts, and since when
    conflicts: tuple[str, ...] = ()  # conflicting revisions
    stored: StoredIndex | None = (
        None  # manifest, versions, metadata; None if they are not stored yet
    )

    @property
    def state(self) -> IndexState:
        """The index, to reconcile it."""
        return IndexState(self.manifest, self.versions, self.metadata)

    @property
    def referenced_ids(self) -> set[str]:
        """Ids of the segments and parts that this revision names."""
        segments = {entry.id for entry in self.manifest.segments}
        return segments | self.stored.parts if self.stored else segments


def read_winner(database: Database, known: ManifestDocument | None = None) -> ManifestDocument:
    """The winning revision; one without revision if there is no document.

    Args:
        known: a revision that was read or written before. If the index is the same, it is not
            decoded again.

    Raises:
        StoreError: it is damaged, or a part of it is missing.
    """
    document = _read(database, partial(database.get, MANIFEST_ID, conflicts="true"), known)
    return document or ManifestDocument()


def read_conflicts(database: Database, document: ManifestDocument) -> list[ManifestDocument]:
    """The conflicting revisions; usually there are none.

    Raises:
        StoreError: one is damaged, or a part of it is missing.
    """
    revisions = (
        _read(database, partial(database.get, MANIFEST_ID, rev=revision))
        for revision in document.conflicts
    )
    return [conflict for conflict in revisions if conflict is not None]


def write_manifest(
    database: Database, document: ManifestDocument, pauses_s: tuple[float, ...] | None = None
) -> ManifestDocument:
    """Replace the manifest document: this request is the commit.

    Args:
        document: the new content; its revision is the one to replace.
        pauses_s: between attempts, instead of the database's own.

    Returns:
        the document with its new revision.

    Raises:
        ConflictError: it has changed since it was read.
    """
    if document.stored is None:  # the first one in this database
        stored, parts = stored_index(*document.state)
        write_parts(database, parts)
        document = changed(document, stored=stored)
    fields = document_fields(document) | {"write": uuid.uuid4().hex}
    try:
        answer = database.put(MANIFEST_ID, body=fields, pauses_s=pauses_s)
    except ConflictError:
        # A lost answer made us send it twice, and the first attempt had succeeded.
        current = database.get(MANIFEST_ID) or {}
        if current.get("write") != fields["write"]:
            raise
        answer = {"rev": current["_rev"]}
    if answer is None:
        raise no_database_any_more(database.url)
    return changed(document, revision=answer["rev"], conflicts=())


def delete_revision(database: Database, revision: str | None) -> None:
    """Delete one revision of the manifest document; the other ones stay.

    Raises:
        ConflictError: it is no longer there.
    """
    database.put(MANIFEST_ID, body={"_rev": revision, "_deleted": True})


def stored_index(
    manifest: Manifest, versions: Versions, metadata: Metadata = NO_METADATA
) -> tuple[StoredIndex, tuple[Document, ...]]:
    """An index as it is stored, and the documents of its parts, which must be written first."""
    texts: dict[str, EncodedText] = {"index": encode_text(manifest_to_json(manifest))}
    if versions_text := versions_to_json(versions, manifest):
        texts["versions"] = encode_text(versions_text)
    if metadata:
        texts["metadata"] = encode_text(metadata.text)
    parts = tuple(part for text in texts.values() for part in text.parts)
    return StoredIndex({name: text.stored for name, text in texts.items()}), parts


def document_fields(document: ManifestDocument) -> dict[str, Any]:
    """The JSON fields of a manifest document that replaces its revision."""
    stored = document.stored or stored_index(*document.state)[0]
    fields = {**stored.fields, "lease": document.lease, "retired": document.retired}
    return fields if document.revision is None else fields | {"_rev": document.revision}


def _read(
    database: Database,
    get: Callable[[], dict[str, Any] | None],
    known: ManifestDocument | None = None,
) -> ManifestDocument | None:
    """A revision with its parts, or None; waits for missing parts, which may be replicating.

    Each attempt reads the document again, because it may have been replaced meanwhile.
    """
    missing = ""
    for _ in database.attempts(database.retry_policy.short_pauses_s):
        fields = get()
        if fields is None:
            return None
        try:
            return _decode(fields, database, known)
        except MissingPartError as error:
            missing = str(error)
    raise StoreError(
        f"{database.url}: expected document {missing}, a part of the manifest, got none: it has "
        "not been replicated yet (try again later) or the index is damaged"
    )


def _decode(
    document: dict[str, Any], database: Database, known: ManifestDocument | None
) -> ManifestDocument:
    url = database.url
    if "index" not in document:
        names = ", ".join(sorted(name for name in document if not name.startswith("_")))
        fields = f"with the fields {names}" if names else "without fields"
        raise StoreError(
            f"{url}: expected an index (made by std-index), got somebody else's document "
            f"{MANIFEST_ID!r} {fields}"
        )
    try:
        stored = StoredIndex(
            {name: _stored_text(document[name]) for name in INDEX_FIELDS if name in document}
        )
        unchanged = known is not None and stored == known.stored
        to_read = () if unchanged else stored.fields.values()
        texts = dict(zip(stored.fields, read_texts(database, to_read), strict=not unchanged))
        lease = document["lease"]
        if lease is not None:
            lease = {"owner": dict(lease["owner"]), "until": float(lease["until"])}
        retired = {str(segment): float(since) for segment, since in document["retired"].items()}
        conflicts = tuple(sorted(document.get("_conflicts", ())))
        revision = document["_rev"]
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error, zlib.error) as error:
        raise StoreError(
            f"{url}: expected an index, got a damaged document {MANIFEST_ID!r}: {_reason(error)}"
        ) from error
    if known is not None and unchanged:
        return changed(known, revision=revision, lease=lease, retired=retired, conflicts=conflicts)
    manifest = manifest_from_json(texts["index"], f"{url}: manifest")
    metadata = NO_METADATA
    if manifest.metadata:
        text = texts.get("metadata", b"")
        metadata = metadata_from_text(text, manifest, f"{url}: document {MANIFEST_ID!r}")
    return ManifestDocument(
        revision=revision,
        manifest=manifest,
        versions=versions_from_json(texts.get("versions", b""), manifest, f"{url}: manifest"),
        metadata=metadata,
        lease=lease,
        retired=retired,
        conflicts=conflicts,
        stored=stored,
    )


def _stored_text(value: Any) -> StoredText:
    """The value of a field that holds a text or the ids of its parts.

    Raises:
        ValueError: it holds something else.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(
        isinstance(part, str) and SEGMENT_ID.fullmatch(part) for part in value
    ):
        return value
    raise ValueError(f"{type(value).__name__} instead of a text or the names of its parts")


def _reason(error: Exception) -> str:
    return f"field {error} is missing" if isinstance(error, KeyError) else str(error)
