"""Long texts of the manifest document in documents of their own.

CouchDB takes documents of up to 8 MB (`max_document_size`), a proxy often less; the manifest names
every recording. What is short stays in the manifest document, deflated. What is long is cut, and
each part becomes a document that is named by its content: ``DIGEST|m|0``. Parts are written before
the manifest document that names them, and parts that no longer count are removed like replaced
segments, so a commit is still the replacement of one document.

A text is cut where one of its segments begins, so a commit writes only the parts that changed.
"""

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from std.errors import StoreError
from std.store.couchdb.bulk import found, write
from std.store.couchdb.documents import EXTRA, Document, pack, unpack
from std.store.couchdb.http import Database

INLINE_BYTES = 400_000  # of a text, as it stands in the manifest document
PART_BYTES = 1_000_000  # of a part's text; deflated, 0.3 to 0.8 MB
SEGMENT_BEGINS = re.compile(rb"^  \{$", re.MULTILINE)

Stored = str | list[str]  # the text itself (deflated, base64), or the ids of its parts


class Missing(Exception):  # noqa: N818  # may pass by itself
    """A part is not there (yet)."""


class Text(NamedTuple):
    """A text as it is stored: what stands in the manifest document, and parts to write first."""

    stored: Stored
    parts: tuple[Document, ...] = ()


def stored(text: str) -> Text:
    """A text as it is to be stored."""
    content = text.encode()
    inline = base64.b64encode(zlib.compress(content)).decode("ascii")
    if len(inline) <= INLINE_BYTES:
        return Text(inline)
    parts = {part_id(one): one for one in cut(content)}
    ids = [part_id(one) for one in cut(content)]
    return Text(ids, tuple(_document(part, one) for part, one in parts.items()))


def part_ids(*texts: Stored) -> frozenset[str]:
    """The parts that texts consist of."""
    return frozenset(part for one in texts if not isinstance(one, str) for part in one)


def write_parts(database: Database, parts: Sequence[Document]) -> None:
    """Put parts in place, before the manifest document that names them."""
    if parts:
        write(database, parts[0]["_id"].partition("|")[0], parts)


def texts(database: Database, given: Iterable[Stored]) -> list[bytes]:
    """The texts themselves.

    Raises:
        Missing: a part is not there.
        StoreError: one is damaged.
        TypeError, ValueError, zlib.error: this is no stored text.
    """
    given = list(given)
    names = {name_of(part): part for part in sorted(part_ids(*given))}
    parts: dict[str, bytes] = {}
    for name, document in found(database, list(names)) if names else ():
        if document is None:
            raise Missing(name)
        content = unpack(document, EXTRA, database.url)["bytes"].tobytes()
        if part_id(content) != names[name]:
            raise StoreError(f"{database.url}: document {name}: expected other content")
        parts[names[name]] = content
    return [
        zlib.decompress(base64.b64decode(one, validate=True))
        if isinstance(one, str)
        else b"".join(parts[part] for part in one)
        for one in given
    ]


def name_of(part: str) -> str:
    """The name of the document that holds a part."""
    return f"{part}|m|0"


def part_id(content: bytes) -> str:
    """What a part is called."""
    return hashlib.sha256(content).hexdigest()[:32]


def cut(content: bytes) -> list[bytes]:
    """A text in parts of at most `PART_BYTES`, cut where segments begin if they are not longer."""
    starts = [0, *(match.start() for match in SEGMENT_BEGINS.finditer(content)), len(content)]
    parts, begin = [], 0
    for start, end in pairwise(starts):
        if end - begin > PART_BYTES and start > begin:
            parts.append(content[begin:start])
            begin = start
        while end - begin > PART_BYTES:
            parts.append(content[begin : begin + PART_BYTES])
            begin += PART_BYTES
    return [*parts, content[begin:]]


def _document(part: str, content: bytes) -> Document:
    return pack(name_of(part), EXTRA, {"bytes": np.frombuffer(content, np.uint8)})
