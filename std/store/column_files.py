"""The files of a segment in a folder: write, map and verify one column each."""

import hashlib
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

from std.errors import StoreError, quoted
from std.own_folder import OwnFolder
from std.store.columns import Column


def write_column(folder: OwnFolder, name: str, column: Column) -> dict[str, Any]:
    """Write one column and synchronise it to disk; returns what the manifest records of it."""
    file = f"{name}.npy"
    with folder.writing(file) as stream:
        # Given a file, numpy hides the error of a full disk; given a mere `write`, it does not.
        np.save(SimpleNamespace(write=stream.write), column, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
        size = os.fstat(stream.fileno()).st_size
    with folder.reading(file) as stream:
        digest = _digest(stream)
    return {
        "bytes": size,
        "sha256": digest,
        "dtype": column.dtype.str,
        "shape": column.shape,
    }


def map_column(folder: OwnFolder, name: str, recorded: Mapping[str, Any]) -> Column:
    """Map one column, read-only.

    Type and shape come from the manifest, which has a digest; the file's own header is for other
    readers of .npy files.

    Raises:
        FileNotFoundError: it is gone (a merge may have replaced its segment).
        StoreError: it is not the file that was committed.
    """
    path = folder.path / f"{name}.npy"
    try:
        dtype, shape = np.dtype(recorded["dtype"]), tuple(recorded["shape"])
        if dtype.hasobject or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{dtype} {shape}")
        with folder.reading(path.name) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size != recorded["bytes"]:
                raise StoreError(f"{path}: expected {quoted(recorded['bytes'])} bytes, got {size}")
            start = size - dtype.itemsize * math.prod(shape)
            mapped: Column = np.memmap(stream, dtype, "r", start, shape).view(np.ndarray)
    except FileNotFoundError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(
            f"{path}: expected a column as in the manifest, got {quoted(error)}"
        ) from error
    except OSError as error:
        raise StoreError(f"{path}: {error_reason(error)}") from error
    return mapped


def difference(folder: OwnFolder, name: str, recorded: Mapping[str, Any]) -> str | None:
    """How a column's file differs from what the manifest recorded of it; None if it does not."""
    try:
        with folder.reading(f"{name}.npy") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size != recorded["bytes"]:
                return f"{size} bytes instead of {recorded['bytes']}"
            return None if _digest(stream) == recorded["sha256"] else "another checksum"
    except OSError as error:
        return error_reason(error)
    except (KeyError, TypeError) as error:
        return f"a record without {error}"


def _digest(stream: BinaryIO) -> str:
    """SHA-256 of a file."""
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # a file


def sync_folder(path: Path) -> None:
    """Make a rename inside a folder survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def error_reason(error: OSError) -> str:
    """The message of an error, without its number."""
    return error.strerror or str(error)
