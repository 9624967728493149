"""The files of a segment in a folder: write, map and verify one column each."""

import hashlib
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from std.errors import InputError, StoreError, quoted
from std.store.columns import Column


def write_column(path: Path, column: Column) -> dict[str, Any]:
    """Write one column and synchronise it to disk; returns what the manifest records of it."""
    with path.open("wb") as stream:
        # Given a file, numpy hides the error of a full disk; given a mere `write`, it does not.
        np.save(SimpleNamespace(write=stream.write), column, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    return {
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
        "dtype": column.dtype.str,
        "shape": column.shape,
    }


def map_column(path: Path, recorded: Mapping[str, Any]) -> Column:
    """Map one column, read-only.

    Type and shape come from the manifest, which has a digest; the file's own header is for other
    readers of .npy files.

    Raises:
        FileNotFoundError: it is gone (a merge may have replaced its segment).
        StoreError: it is not the file that was committed.
    """
    try:
        dtype, shape = np.dtype(recorded["dtype"]), tuple(recorded["shape"])
        if dtype.hasobject or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{dtype} {shape}")
        size = path.stat().st_size
        if size != recorded["bytes"]:
            raise StoreError(f"{path}: expected {quoted(recorded['bytes'])} bytes, got {size}")
        start = size - dtype.itemsize * math.prod(shape)
        mapped: Column = np.memmap(path, dtype, "r", start, shape).view(np.ndarray)
    except FileNotFoundError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(
            f"{path}: expected a column as in the manifest, got {quoted(error)}"
        ) from error
    except OSError as error:
        raise StoreError(f"{path}: {error_reason(error)}") from error
    return mapped


def intact(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a segment's files are byte for byte what the manifest recorded."""
    return not any(difference(folder / f"{name}.npy", recorded) for name, recorded in files.items())


def difference(path: Path, recorded: Mapping[str, Any]) -> str | None:
    """How a file differs from what the manifest recorded of it; None if it does not."""
    try:
        size = path.stat().st_size
        if size != recorded["bytes"]:
            return f"{size} bytes instead of {recorded['bytes']}"
        return None if file_digest(path) == recorded["sha256"] else "another checksum"
    except OSError as error:
        return error_reason(error)
    except (KeyError, TypeError) as error:
        return f"a record without {error}"


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_folder(path: Path) -> None:
    """Make a rename inside a folder survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def error_reason(error: OSError | InputError) -> str:
    """The message of an error, without its number."""
    if isinstance(error, InputError):
        return error.got
    return getattr(error, "strerror", None) or str(error)
