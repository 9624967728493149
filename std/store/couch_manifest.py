"""The manifest document: the index, who may write it, what awaits removal; and its versions.

A cluster that was split took writes on both sides, and databases that replicate each other may
do so at any time. CouchDB then keeps both documents and shows one, by a rule of its own; this
module reads the others too. `std.store.unite` says how they become one.
"""

import base64
import binascii
import zlib
from dataclasses import dataclass, field
from typing import Any

from std.errors import StoreError
from std.store.couch_http import Database
from std.store.manifest import Manifest, dumps, loads

MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class Head:
    """One version of the manifest document."""

    revision: str | None = None
    manifest: Manifest = field(default_factory=Manifest)
    lease: dict[str, Any] | None = None  # owner, and until when by the server's clock
    retired: dict[str, float] = field(default_factory=dict)  # replaced segments, and since when
    others: tuple[str, ...] = ()  # revisions of the versions that CouchDB does not show


def shown(database: Database) -> Head:
    """The version that CouchDB shows; one without revision if there is no document.

    Raises:
        StoreError: it is damaged.
    """
    return _parsed(database.get(MANIFEST, conflicts="true"), database.url)


def hidden(database: Database, head: Head) -> list[Head]:
    """The versions that CouchDB does not show, in all but the rarest cases none.

    Raises:
        StoreError: one is damaged.
    """
    documents = (database.get(MANIFEST, rev=revision) for revision in head.others)
    return [_parsed(one, database.url) for one in documents if one is not None]


def packed(head: Head) -> dict[str, Any]:
    """The document that replaces the version with the head's revision."""
    index = zlib.compress(dumps(head.manifest).encode())
    document = {
        "index": base64.b64encode(index).decode("ascii"),
        "lease": head.lease,
        "retired": head.retired,
    }
    return document if head.revision is None else document | {"_rev": head.revision}


def _parsed(document: dict[str, Any] | None, url: str) -> Head:
    if document is None:
        return Head()
    try:
        text = zlib.decompress(base64.b64decode(document["index"], validate=True))
        lease = document["lease"]
        if lease is not None:
            lease = {"owner": dict(lease["owner"]), "until": float(lease["until"])}
        retired = {str(segment): float(since) for segment, since in document["retired"].items()}
        others = tuple(sorted(document.get("_conflicts", ())))
        revision = document["_rev"]
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error, zlib.error) as error:
        raise StoreError(f"{url}: expected an index, got a manifest with {error!r}") from error
    return Head(revision, loads(text, f"{url}: manifest"), lease, retired, others)
