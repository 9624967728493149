"""The manifest document: the index, who may write it, what awaits removal; and its versions.

A cluster that was split took writes on both sides, and databases that replicate each other may
do so at any time. CouchDB then keeps both documents and shows one, by a rule of its own; this
module reads the others too. `std.store.reconcile` says how they become one.

    index       the manifest (`std.store.manifest`)
    versions    which version of each recording it holds, what was deleted (`std.store.versions`)
    lease       who may write, and until when by the server's clock
    retired     replaced segments, and since when

The first two are texts, deflated, or where they are long the names of their parts
(`std.store.couchdb.parts`). ``versions`` is absent where there is nothing to say.
"""

import binascii
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import partial
from typing import Any

from std.errors import StoreError
from std.store import manifest as manifests
from std.store import versions as histories
from std.store.couchdb.documents import Document
from std.store.couchdb.http import Database
from std.store.couchdb.parts import Missing, Stored, Text, part_ids, stored, texts
from std.store.manifest import Manifest
from std.store.reconcile import IndexState
from std.store.versions import Versions

MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class Body:
    """How an index is stored: fields of the manifest document, and the ids of their parts."""

    fields: dict[str, Stored]

    @property
    def parts(self) -> frozenset[str]:
        """Ids of the parts, none where the texts are short."""
        return part_ids(*self.fields.values())


@dataclass(frozen=True, slots=True)
class Head:
    """One version of the manifest document."""

    revision: str | None = None
    manifest: Manifest = field(default_factory=Manifest)
    versions: Versions = field(default_factory=Versions)
    lease: dict[str, Any] | None = None  # owner, and until when by the server's clock
    retired: dict[str, float] = field(default_factory=dict)  # replaced segments, and since when
    others: tuple[str, ...] = ()  # revisions of the versions that CouchDB does not show
    body: Body | None = None  # of manifest and versions; None if they are not stored yet

    @property
    def index(self) -> IndexState:
        """What `std.store.reconcile` needs to know."""
        return IndexState(self.manifest, self.versions)


def shown(database: Database, known: Head | None = None) -> Head:
    """The version that CouchDB shows; one without revision if there is no document.

    Args:
        database: where.
        known: what was read or written before; where the index is the same, it is not read again.

    Raises:
        StoreError: it is damaged, or a part of it is not there.
    """
    head = _read(database, partial(database.get, MANIFEST, conflicts="true"), known)
    return head or Head()


def hidden(database: Database, head: Head) -> list[Head]:
    """The versions that CouchDB does not show, in all but the rarest cases none.

    Raises:
        StoreError: one is damaged, or a part of it is not there.
    """
    others = (
        _read(database, partial(database.get, MANIFEST, rev=revision)) for revision in head.others
    )
    return [one for one in others if one is not None]


def _read(
    database: Database, get: Callable[[], dict[str, Any] | None], known: Head | None = None
) -> Head | None:
    """A version of the document with its parts; a part that is missing may be on its way.

    Where somebody has replaced the document meanwhile, the next attempt reads the newer one.
    """
    missing = ""
    for _ in database.attempts(database.patience.brief):
        document = get()
        if document is None:
            return None
        try:
            return _parsed(document, database, known)
        except Missing as error:
            missing = str(error)
    raise StoreError(
        f"{database.url}: expected document {missing}, a part of the manifest, got none: it has "
        "not been replicated yet (try again later) or the index is damaged"
    )


def body_of(manifest: Manifest, versions: Versions) -> tuple[Body, tuple[Document, ...]]:
    """How an index is stored, and the documents that have to be there first."""
    fields: dict[str, Text] = {"index": stored(manifests.manifest_to_json(manifest))}
    if history := histories.versions_to_json(versions, manifest):
        fields["versions"] = stored(history)
    parts = tuple(part for text in fields.values() for part in text.parts)
    return Body({name: text.stored for name, text in fields.items()}), parts


def packed(head: Head) -> dict[str, Any]:
    """The document that replaces the version with the head's revision."""
    body = head.body or body_of(*head.index)[0]
    document = {**body.fields, "lease": head.lease, "retired": head.retired}
    return document if head.revision is None else document | {"_rev": head.revision}


def _parsed(document: dict[str, Any], database: Database, known: Head | None) -> Head:
    url = database.url
    if "index" not in document:
        fields = ", ".join(sorted(name for name in document if not name.startswith("_")))
        raise StoreError(
            f"{url}: expected an index (made by std-index), got somebody else's document "
            f"{MANIFEST!r} with the fields {fields or 'of none'}"
        )
    try:
        body = Body({name: _field(document[name]) for name in BODY if name in document})
        same = known is not None and body == known.body
        given = () if same else body.fields.values()
        found = dict(zip(body.fields, texts(database, given), strict=not same))
        lease = document["lease"]
        if lease is not None:
            lease = {"owner": dict(lease["owner"]), "until": float(lease["until"])}
        retired = {str(segment): float(since) for segment, since in document["retired"].items()}
        others = tuple(sorted(document.get("_conflicts", ())))
        revision = document["_rev"]
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error, zlib.error) as error:
        raise StoreError(
            f"{url}: expected an index, got a damaged document {MANIFEST!r}: {_reason(error)}"
        ) from error
    if known is not None and same:
        return changed(known, revision=revision, lease=lease, retired=retired, others=others)
    manifest = manifests.manifest_from_json(found["index"], f"{url}: manifest")
    versions = histories.versions_from_json(
        found.get("versions", b""), manifest, f"{url}: manifest"
    )
    return Head(revision, manifest, versions, lease, retired, others, body)


BODY = ("index", "versions")


def _field(value: Any) -> Stored:
    """A field of the document, as far as it may hold a text.

    Raises:
        ValueError: it may not.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(
        isinstance(one, str) and manifests.SEGMENT_ID.fullmatch(one) for one in value
    ):
        return value
    raise ValueError(f"{type(value).__name__} instead of a text or the names of its parts")


def _reason(error: Exception) -> str:
    return f"field {error} is missing" if isinstance(error, KeyError) else str(error)
