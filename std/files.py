"""Files that are read: regular files, pipes, devices and standard input; gzip by content.

open_input     a file's bytes as a stream, decompressed
rewound        a stream from its start, after its first bytes were read
read           the value that a format's ``parse`` returns for a file
read_twice     the values of two parsers for one file, which may be a pipe
read_text      the text of a small file
paths_of       the paths of public functions, which take one or several, text or `Path`
size_bytes     the size of a file, without opening it

Every error of the operating system becomes an `InputError` with the user's path. `std.outputs`
writes files.
"""

import gzip
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypeVar, cast

from std.errors import STANDARD_STREAM, InputError, Unquoted, require_kind

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

AnyPath = str | PathLike[str]

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

GZIP_MAGIC = b"\x1f\x8b"
_DESCRIPTOR = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/(self|\d+)/fd/\d+")
BUFFER_BYTES = 1 << 17
MAX_TEXT_BYTES = 1 << 28  # of a file read at once
KEPT_IN_MEMORY_BYTES = 1 << 26  # of a pipe read twice; the rest goes to a temporary file
# Repetitive text is compressed to a fiftieth, a decompression bomb to a thousandth.
MAX_EXPANSION = 200
EXPANSION_FROM_BYTES = 1 << 26  # smaller content is never a bomb


def refuse_folder(error: OSError) -> NoReturn:
    """Refuse a folder that cannot be listed, as ``onerror`` of `os.walk`."""
    what = Unquoted(str(error.strerror))
    raise InputError(error.filename, 0, "a readable folder", what) from error


class _Source(io.FileIO):
    """An open file whose errors name the path as the user gave it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes_read = 0
        if path != STANDARD_STREAM:
            super().__init__(path, "rb")
        elif sys.stdin is None:  # descriptor 0 may be another file now
            raise OSError(None, "a closed one")
        else:
            super().__init__(0, "rb", closefd=False)

    def seekable(self) -> bool:
        """Standard input is read from its current position: its beginning may have been read."""
        return self.path != STANDARD_STREAM and super().seekable()

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        try:
            while (count := super().readinto(buffer)) is None:  # nothing to read yet
                select([self], [], [])
        except OSError as error:
            raise unreadable(self.path, error) from error
        self.bytes_read += count
        return count

    def readall(self) -> bytes:
        if self.seekable():
            try:
                content = super().readall()
            except OSError as error:
                raise unreadable(self.path, error) from error
            self.bytes_read += len(content)
            return content
        chunk, pieces = bytearray(BUFFER_BYTES), []
        while count := self.readinto(chunk):
            pieces.append(bytes(chunk[:count]))
        return b"".join(pieces)


class _Inflated(io.RawIOBase):
    """The content of a gzip file."""

    def __init__(self, compressed: BinaryIO, source: _Source) -> None:
        self._gzip = gzip.GzipFile(fileobj=compressed)
        self._source, self._bytes = source, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        try:
            # In pieces, so that a bomb is detected before it fills the memory.
            count = self._gzip.readinto(memoryview(buffer)[:BUFFER_BYTES])
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(
                self._source.path, 0, "a whole gzip file", Unquoted(str(error))
            ) from error
        self._bytes += count
        if self._bytes > max(EXPANSION_FROM_BYTES, MAX_EXPANSION * self._source.bytes_read):
            raise InputError(
                self._source.path,
                0,
                f"gzip content of at most {MAX_EXPANSION} times its compressed size",
                Unquoted("more"),
            )
        return count


class _Joined(io.RawIOBase):
    """Bytes that were read already, followed by the rest of their stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        if not self._head:
            return cast(io.BufferedReader, self._rest).readinto(buffer)
        view = memoryview(buffer)
        count = min(len(view), len(self._head))
        view[:count] = self._head[:count]
        self._head = self._head[count:]
        return count


SEVERAL_FILES = "a file, a folder or a list of them"


def paths_of(given: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """One path or several, as a caller of Python gives them.

    >>> [str(path) for path in paths_of("a.ctm")], [str(path) for path in paths_of([Path("b")])]
    (['a.ctm'], ['b'])

    Raises:
        TypeError: something else is given.
        ValueError: a text is empty, which would be the working directory.
    """
    require_kind("inputs", given, str | PathLike | Iterable, SEVERAL_FILES)
    several = [given] if isinstance(given, str | PathLike) else [*given]
    for one in several:
        if not require_kind("inputs", one, str | PathLike, SEVERAL_FILES):
            raise ValueError(f"inputs: expected {SEVERAL_FILES}, got ''")
    return [Path(one) for one in several]


def unreadable(path: Path | str, error: OSError | ValueError) -> InputError:
    """The error of a file that cannot be opened or read."""
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(path, 0, "a readable file", Unquoted(reason))


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading as bytes, decompressing it if its content is gzip.

    The file may be a pipe, and ``-`` is standard input, so the stream may not support seeking.

    Raises:
        InputError: there is no such file, it cannot be read, or its gzip stream is damaged, cut
            short or a decompression bomb.
    """
    try:
        source = _Source(path)
    except (OSError, ValueError) as error:  # ValueError: an impossible file name
        raise unreadable(path, error) from error
    with io.BufferedReader(source, BUFFER_BYTES) as raw:
        magic = raw.read(len(GZIP_MAGIC))
        whole = rewound(raw, magic)
        if magic == GZIP_MAGIC:
            yield io.BufferedReader(_Inflated(whole, source), BUFFER_BYTES)
        else:
            yield whole


def rewound(stream: BinaryIO, head: bytes) -> BinaryIO:
    """A stream from its start, after ``head`` was read."""
    if stream.seekable():
        stream.seek(0)
        return stream
    return io.BufferedReader(_Joined(head, stream), BUFFER_BYTES)


def read(parse: Callable[[BinaryIO, Path], T], path: Path) -> T:
    """The value that a format's ``parse`` returns for a file.

    Raises:
        InputError: as `open_input` and ``parse``.
    """
    with open_input(path) as stream:
        return parse(stream, path)


def read_twice(
    first: Callable[[BinaryIO, Path], A], second: Callable[[BinaryIO, Path], B], path: Path
) -> tuple[A, B]:
    """The values of two parsers for one file, which is opened once.

    Args:
        first, second: parsers; each sees the file from its start.
        path: a regular file, or a pipe whose content is kept for the second.

    Raises:
        InputError: as `open_input` and the parsers, or a pipe's content cannot be stored.
    """
    with open_input(path) as stream, tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY_BYTES) as spool:
        kept = stream
        if not stream.seekable():
            kept = cast(BinaryIO, spool)
            try:
                shutil.copyfileobj(stream, kept, BUFFER_BYTES)
            except OSError as error:  # of the temporary file: `stream` raises InputError
                reason = error.strerror or str(error)
                raise InputError(path, 0, "room to keep what it holds", Unquoted(reason)) from error
            kept.seek(0)
        first_result = first(kept, path)
        kept.seek(0)
        return first_result, second(kept, path)


def read_text(path: Path, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """The text of a whole file.

    Raises:
        InputError: as `open_input`, it is larger than ``max_bytes``, or it is not UTF-8.
    """
    return read(lambda stream, _: decode(content_of(stream, path, max_bytes), path), path)


def content_of(stream: BinaryIO, path: Path | str, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a whole stream.

    Raises:
        InputError: there are more than ``max_bytes``.
    """
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise InputError(path, 0, f"at most {max_bytes} bytes", Unquoted("more"))
    return content


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


def size_bytes(path: Path) -> int:
    """Size of a regular file in bytes; 0 for pipes and standard input."""
    if path == STANDARD_STREAM:
        return 0
    try:
        status = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def content_bytes(path: Path) -> int:
    """Size of a file's decompressed content, estimated without reading it."""
    size = size_bytes(path)
    if not size:
        return 0
    with suppress(OSError), path.open("rb") as raw:
        if raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC:  # stored in its last four bytes
            raw.seek(-min(4, size), os.SEEK_END)
            return int.from_bytes(raw.read(4), "little")
    return size


def is_nameless(path: Path | str) -> bool:
    """Whether a path is standard input or another open descriptor, as ``<(command)``.

    >>> is_nameless("-"), is_nameless("/dev/fd/63"), is_nameless("/dev/shm/news.ctm")
    (True, True, False)
    """
    return str(path) == str(STANDARD_STREAM) or bool(_DESCRIPTOR.fullmatch(str(path)))


def is_regular(path: Path) -> bool:
    """Whether a file can be opened by its name repeatedly, also by other processes."""
    return path != STANDARD_STREAM and path.is_file()
