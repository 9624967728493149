"""Write files: regular files in one step, everything else directly.

| a path that names | |
|---|---|
| a regular file, or nothing yet | a temporary file beside it is renamed when all went well |
| a symbolic link | the same for the file that it points to; the link stays |
| a device, a FIFO | written to as it is |
| ``-``, /dev/stdout, /dev/fd/N | written to the descriptor that is open already |

A replaced file keeps its permissions and owner; its other hard links keep the content from before.
"""

import gzip
import io
import os
import re
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from std.errors import STANDARD_STREAM, InputError, Unquoted
from std.system import PLAIN, keep_owner

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from std.values import Recording

STREAMS = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_WRITTEN_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|\d+))/fd/(\d+)")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)  # on Windows
MAX_PREFIX = 50  # characters of a name that its temporary file begins with


class _Sink(io.FileIO):
    """An open file whose errors name the user's path."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self.path = path
        self._failed = False

    def write(self, data: "ReadableBuffer", /) -> int:
        if self._failed:  # closing would flush the buffer, which cannot be written
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self._failed = True
            if isinstance(error, BrokenPipeError) and descriptor_of(self.path) == 1:
                raise  # the reader of standard output has ended, as `head` does
            raise unwritable(self.path, "a file that takes all of the output", error) from error


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, as the table above says.

    A name that ends in ``.gz`` is compressed (without a time stamp: same content, same bytes).

    Raises:
        InputError: the file cannot be written completely; an existing regular file stays unchanged.
    """
    descriptor = descriptor_of(path)
    status = None if descriptor is not None else status_of(path)
    if descriptor is None and (status is None or stat.S_ISREG(status.st_mode)):
        with _replacement(path, status) as stream:
            yield stream
        return
    try:
        if descriptor is not None:
            handle = os.dup(descriptor)
            if descriptor == 1 and sys.stdout is not None:
                sys.stdout.flush()
        else:
            handle = os.open(path, os.O_WRONLY | PLAIN)
    except OSError as error:
        raise unwritable(path, "a file that can be written", error) from error
    with _stream(_Sink(handle, path)) as stream:
        yield stream


@contextmanager
def _replacement(path: Path, status: os.stat_result | None) -> Iterator[BinaryIO]:
    """A temporary file that replaces a regular file, or becomes a new one, after success."""
    target = Path(os.path.realpath(path))
    if status and not os.access(target, os.W_OK):
        raise InputError(path, 0, "a file that can be written", Unquoted("Permission denied"))
    try:
        prefix = f".{target.name[:MAX_PREFIX]}."
        handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
    except OSError as error:
        raise unwritable(path, "a writable folder", error) from error
    temporary = Path(name)
    try:
        with _stream(_Sink(handle, path)) as stream:
            yield stream
            stream.flush()
        _take_place(temporary, target, status, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _take_place(temporary: Path, target: Path, status: os.stat_result | None, path: Path) -> None:
    """Move a finished file to its place and flush it to disk."""
    try:
        handle = os.open(temporary, os.O_RDWR)
        try:
            keep_owner(handle, status, 0o666 & ~_umask())
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, "a file that can be replaced", error) from error


@contextmanager
def _stream(sink: _Sink) -> Iterator[BinaryIO]:
    """The stream for the caller: buffered, and compressed for names in ``.gz``."""
    with io.BufferedWriter(sink) as raw:
        if sink.path.suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield stream  # type: ignore[misc]  # a GzipFile is binary I/O in all but name
        else:
            yield raw


def descriptor_of(path: Path) -> int | None:
    """The open descriptor of a path; None if the path is a file to open."""
    text = str(path)
    match = _WRITTEN_DESCRIPTOR.fullmatch(text)
    return int(match[1]) if match else STREAMS.get(text)


def unwritable(path: Path, expected: str, error: OSError) -> InputError:
    """The error of a file that cannot be written."""
    return InputError(output_name(path), 0, expected, Unquoted(error.strerror or str(error)))


def output_name(path: Path) -> str:
    """An output's name in messages."""
    return "standard output" if path == STANDARD_STREAM else str(path)


def make_folder(path: Path) -> None:
    """Create a folder for outputs, with its parent folders.

    Raises:
        InputError: the folder cannot be created.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, "a folder to write to", error) from error


def status_of(path: Path) -> os.stat_result | None:
    """The status of the file at an output's path, after following links; None without a file.

    Raises:
        InputError: the path is a folder, or its status cannot be read.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(path, "a file that can be written", error) from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(path, 0, "a file to write", Unquoted("a folder"))
    return status


def _umask() -> int:
    """The process's umask, for outputs, because mkstemp makes files private."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


MAX_NAME_BYTES = 60  # of a part; a file system allows 255 for the whole name


def safe_name(text: str) -> str:
    """A part of a file name that is valid on every system, and is never a path or hidden.

    Letters of all languages with their marks, digits, dots, hyphens and underscores stay; letters
    are composed, as people type them.

    >>> [safe_name(text) for text in ("Zeit & Raum", "../../etc/passwd", "KERSTIN_00", "?", "Con")]
    ['Zeit_Raum', 'etc_passwd', 'KERSTIN_00', '_', 'Con_']
    >>> [safe_name(text) for text in ("Gro\u0308\u00dfe", "\u0939\u093f\u0928\u094d\u0926\u0940")]
    ['Größe', 'हिन्दी']
    """
    composed = unicodedata.normalize("NFC", text)
    kept = (one if _stays(one) else " " for one in composed)
    name = re.sub(" +", "_", "".join(kept))
    name = re.sub(r"\.\.+", "_", name).strip("._-")
    name = _DEVICE.sub(r"\1_", name)
    return name.encode()[:MAX_NAME_BYTES].decode(errors="ignore") or "_"


def _stays(letter: str) -> bool:
    return letter.isalnum() or letter in "._-" or unicodedata.category(letter) in ("Mn", "Mc")


def clip_name(term: str, recording: str, channel: int, start_s: float) -> str:
    """The name of a hit's clip, without its extension: term, recording and time.

    Args:
        term: as it was searched.
        recording: its title, or its name if it has no title.
        channel: named if it is not the first.
        start_s: of the hit.

    >>> clip_name("im bran*", "Evening news", 2, 3723.45)
    'im_bran--Evening_news_2--01-02-03.450'
    """
    whole, ms = divmod(round(1000 * start_s), 1000)
    time = f"{whole // 3600:02d}-{whole // 60 % 60:02d}-{whole % 60:02d}.{ms:03d}"
    of_channel = f"_{channel}" if channel != 1 else ""
    return f"{safe_name(term)}--{safe_name(recording)}{of_channel}--{time}"


def distinct_names(names: Iterable[str]) -> Iterator[str]:
    """Make names distinct, ignoring case, by numbers at repeated ones.

    >>> list(distinct_names(["a", "b", "A", "a-2"]))
    ['a', 'b', 'A-2', 'a-2-2']
    """
    taken: set[str] = set()
    for name in names:
        distinct, number = name, 1
        while distinct.casefold() in taken:
            number += 1
            distinct = f"{name}-{number}"
        taken.add(distinct.casefold())
        yield distinct


def recording_file_names(recordings: "Iterable[Recording]") -> Iterator[str]:
    """Distinct parts of file names, one for each recording; the first channel is not named.

    >>> list(recording_file_names([("news", 1), ("news", 2)]))
    ['news', 'news_2']
    """
    return distinct_names(
        safe_name(file) + (f"_{channel}" if channel != 1 else "") for file, channel in recordings
    )
