"""Store long texts of the manifest document in several documents.

CouchDB accepts documents of up to 8 MB (`max_document_size`), a proxy often less, and the manifest
names every recording. A short text is stored in the manifest document, deflated. A long text is
split into parts, and each part becomes a document named after a digest of its content:
``DIGEST|m|0``. Parts are written before the manifest document that names them, and parts that are
no longer named are removed like replaced segments, so a commit still replaces one document.

A text is split where the entry of a segment begins, so a commit writes only the parts that changed.
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
from std.store.couchdb.bulk import find_documents, write_documents
from std.store.couchdb.codec import EXTRA, Document, decode_document, encode_document
from std.store.couchdb.http import Database

INLINE_BYTES = 400_000  # of a deflated text in the manifest document
PART_BYTES = 1_000_000  # of a part's text; deflated, 0.3 to 0.8 MB
SEGMENT_BEGINS = re.compile(rb"^  \{$", re.MULTILINE)

StoredText = str | list[str]  # the text itself (deflated, base64), or the ids of its parts


class MissingPartError(Exception):
    """A part does not exist, or not yet."""


class EncodedText(NamedTuple):
    """A text as it is stored: a field of the manifest document, and parts to write first."""

    stored: StoredText
    parts: tuple[Document, ...] = ()


def encode_text(text: str) -> EncodedText:
    """Encode a text to store it."""
    content = text.encode()
    inline = base64.b64encode(zlib.compress(content)).decode("ascii")
    if len(inline) <= INLINE_BYTES:
        return EncodedText(inline)
    pieces = split_text(content)
    ids = [part_id(piece) for piece in pieces]
    parts = dict(zip(ids, pieces, strict=True))
    return EncodedText(ids, tuple(_document(part, piece) for part, piece in parts.items()))


def part_ids(*texts: StoredText) -> frozenset[str]:
    """Ids of the parts of some texts."""
    return frozenset(part for text in texts if not isinstance(text, str) for part in text)


def write_parts(database: Database, parts: Sequence[Document]) -> None:
    """Write parts, before the manifest document that names them."""
    if parts:
        write_documents(database, parts[0]["_id"].partition("|")[0], parts)


def read_texts(database: Database, stored_texts: Iterable[StoredText]) -> list[bytes]:
    """Decode stored texts; reads their parts.

    Raises:
        Missing: a part does not exist.
        StoreError: a part is damaged.
        TypeError, ValueError, zlib.error: a value is no stored text.
    """
    stored_texts = list(stored_texts)
    names = {part_name(part): part for part in sorted(part_ids(*stored_texts))}
    parts: dict[str, bytes] = {}
    for name, document in find_documents(database, list(names)) if names else ():
        if document is None:
            raise MissingPartError(name)
        content = decode_document(document, EXTRA, database.url)["bytes"].tobytes()
        if part_id(content) != names[name]:
            raise StoreError(f"{database.url}: document {name}: expected other content")
        parts[names[name]] = content
    return [
        zlib.decompress(base64.b64decode(stored, validate=True))
        if isinstance(stored, str)
        else b"".join(parts[part] for part in stored)
        for stored in stored_texts
    ]


def part_name(part: str) -> str:
    """The name of the document that holds a part."""
    return f"{part}|m|0"


def part_id(content: bytes) -> str:
    """The id of a part."""
    return hashlib.sha256(content).hexdigest()[:32]


def split_text(content: bytes) -> list[bytes]:
    """Split a text into parts of at most `PART_BYTES`, where possible where a segment begins."""
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
    return encode_document(part_name(part), EXTRA, {"bytes": np.frombuffer(content, np.uint8)})
