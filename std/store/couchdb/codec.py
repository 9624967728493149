"""Encode columns as one CouchDB document, and decode them.

The columns of a document are little-endian and byte-transposed (the first bytes of all rows, then
all second bytes, and so on, which deflates better), concatenated, deflated and written in base64.
Keys and slots are stored as differences. A SHA-256 covers name, row counts and bytes.
"""

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from std.errors import StoreError
from std.store.columns import Column

Document = dict[str, Any]
ColumnTypes = dict[str, str]
DocumentColumns = dict[str, npt.NDArray[Any]]

VOCABULARY: ColumnTypes = {"vocabulary": "|u1", "count": "<i8"}
WORD: ColumnTypes = {"key": "<u8", "duration_ms": "<u2", "posterior": "<f4", "slot": "<i4"}
BUCKET: ColumnTypes = {"word": "<i4", "count": "<i4"} | WORD
SLOTS: ColumnTypes = {"key": "<u8", "epsilon": "<f4", "word": "<i4"}
EXTRA: ColumnTypes = {"bytes": "|u1"}
DIFFERENCES = frozenset({"key", "slot"})

DEFLATE_LEVEL = (
    1  # of deflate: transposed columns gain 2 % from a higher one, at five times the cost
)


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
