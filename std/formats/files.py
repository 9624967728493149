"""Opening and replacing files: gzip by content, and outputs written whole or not at all."""

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from std.errors import InputError

T = TypeVar("T")
GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading as bytes, decompressing it if its content is gzip.

    Raises:
        InputError: there is no such file, or its gzip stream is damaged or cut short.
    """
    try:
        with path.open("rb") as raw:
            compressed = raw.read(2) == GZIP_MAGIC
            raw.seek(0)
            if compressed:
                with gzip.GzipFile(fileobj=raw) as stream:
                    yield stream  # type: ignore[misc]  # a GzipFile is binary I/O in all but name
            else:
                yield raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(path, 0, "a whole gzip file", str(error)) from error
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise InputError(path, 0, "a readable file", error.strerror or str(error)) from error


def read(parse: Callable[[BinaryIO, Path], T], path: Path) -> T:
    """What a format's ``parse`` makes of a file.

    Raises:
        InputError: as `open_input` and ``parse``.
    """
    with open_input(path) as stream:
        return parse(stream, path)


def decode(content: bytes, path: Path | str, encoding: str = "utf-8") -> str:
    """Decode a whole file, naming the line where the encoding breaks.

    Raises:
        InputError: the bytes are not in this encoding.
    """
    try:
        return content.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            path, line, f"{encoding} text", repr(content[error.start : error.start + 8])
        ) from error


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file whole or not at all: a temporary file beside it, renamed when all went well.

    A name that ends in ``.gz`` is compressed (without a time stamp: same content, same bytes).

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or Path())
    except OSError as error:
        raise InputError(path, 0, "a writable folder", error.strerror or str(error)) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                    yield stream  # type: ignore[misc]  # a GzipFile is binary I/O in all but name
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's umask; mkstemp makes files private, outputs should not be."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
