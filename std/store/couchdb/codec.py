"""Encode columns and long texts as CouchDB documents, and decode them. Needs no server.

    encode_document, decode_document    columns
    encode_text                         a text of the manifest document

The columns of a document are little-endian and byte-transposed (the first bytes of all rows, then
all second bytes, and so on, which deflates better), concatenated, deflated and written in base64.
Keys and slots are stored as differences. A SHA-256 covers name, row counts and bytes.

CouchDB accepts documents of up to 8 MB (`max_document_size`), a proxy often less, and the manifest
names every recording. A short text is stored in the manifest document, deflated. A long text is
split into parts, and each part becomes a document named after a digest of its content:
``DIGEST|m|0``. Parts are written before the manifest document that names them, and parts that are
no longer named are removed like replaced segments, so a commit still replaces one document. A text
is split where the entry of a segment begins, so a commit writes only the parts that changed.
"""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from std.errors import StoreError
from std.values import Column

Document = dict[str, Any]
ColumnTypes = dict[str, str]
DocumentColumns = dict[str, npt.NDArray[Any]]
StoredText = str | list[str]  # the text itself (deflated, base64), or the ids of its parts

VOCABULARY: ColumnTypes = {"vocabulary": "|u1", "count": "<i8"}
WORD: ColumnTypes = {"key": "<u8", "duration_ms": "<u2", "posterior": "<f4", "slot": "<i4"}
BUCKET: ColumnTypes = {"word": "<i4", "count": "<i4"} | WORD
SLOTS: ColumnTypes = {"key": "<u8", "epsilon": "<f4", "word": "<i4"}
EXTRA: ColumnTypes = {"bytes": "|u1"}
DIFFERENCES = frozenset({"key", "slot"})

DEFLATE_LEVEL = (
    1  # of deflate: transposed columns gain 2 % from a higher one, at five times the cost
)
INLINE_BYTES = 400_000  # of a deflated text in the manifest document
PART_BYTES = 1_000_000  # of a part's text; deflated, 0.3 to 0.8 MB
SEGMENT_BEGINS = re.compile(rb'\{"id":')  # in no name: its quotes would be escaped


def encode_document(name: str, types: ColumnTypes, columns: Mapping[str, Column]) -> Document:
    """One document.

    Args:
        name: the document's id.
        types: type of each column.
        columns: by name; each (n,), of its own length.
    """
    stored = []
    for column, dtype in types.items():
        values = np.ascontiguousarray(columns[column]).astype(dtype, copy=False)
        if column in DIFFERENCES:
            values = np.diff(values, prepend=values.dtype.type(0))
        stored.append(values.view(np.uint8).reshape(len(values), values.itemsize).T.tobytes())
    rows = {column: len(columns[column]) for column in types}
    content = b"".join(stored)
    return {
        "_id": name,
        "rows": rows,
        "deflated": base64.b64encode(zlib.compress(content, DEFLATE_LEVEL)).decode("ascii"),
        "sha256": _digest(name, rows, content),
    }


def decode_document(document: Mapping[str, Any], types: ColumnTypes, place: str) -> DocumentColumns:
    """The columns of one document, read-only.

    Args:
        document: as the server returned it.
        types: type of each column.
        place: as messages name it.

    Raises:
        StoreError: they are not those that were packed under this name.
    """
    name = document.get("_id")
    try:
        rows = {column: document["rows"][column] for column in types}
        if not all(type(n) is int and n >= 0 for n in rows.values()):
            raise ValueError(f"rows {rows}")
        sizes = {column: np.dtype(dtype).itemsize * rows[column] for column, dtype in types.items()}
        deflated = base64.b64decode(document["deflated"], validate=True)
        content = zlib.decompressobj().decompress(deflated, sum(sizes.values()) + 1)
        if len(content) != sum(sizes.values()):
            raise ValueError(f"{len(content)} bytes for {rows}")
        if document["sha256"] != _digest(str(name), rows, content):
            raise ValueError("a wrong checksum")
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise StoreError(f"{place}: document {name}: expected columns, got {error}") from error
    columns: DocumentColumns = {}
    begin = 0
    for column, dtype in types.items():
        stored = np.frombuffer(content, np.uint8, sizes[column], begin)
        begin += sizes[column]
        rows_first = stored.reshape(np.dtype(dtype).itemsize, rows[column]).T
        values = np.ascontiguousarray(rows_first).view(dtype).reshape(-1)
        if column in DIFFERENCES:
            values = np.cumsum(values, dtype=dtype)
        values.flags.writeable = False
        columns[column] = values
    return columns


def _digest(name: str, rows: Mapping[str, int], content: bytes) -> str:
    head = json.dumps([name, rows], ensure_ascii=False).encode()
    return hashlib.sha256(head + b"\n" + content).hexdigest()


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
