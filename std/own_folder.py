"""An open folder of std, in which no link is followed.

Somebody else may have created the folder and put links or pipes in place of our files. So files are
opened by a single name relative to the open folder (openat, O_NOFOLLOW): nothing outside is read,
written or removed, even if the path changes meanwhile. The user may name the folder itself by a
link. Windows opens files by paths only, so a link there is refused if it is one at that moment.
Errors are those of the operating system, with the complete path.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from std.outputs import MAX_PREFIX
from std.system import A_FOLDER, NO_LINK, PLAIN, RELATIVE, WITHOUT_WAITING, keep_owner

_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.tmp")


class OwnFolder:
    """An open folder; a context manager that closes it."""

    def __init__(self, path: Path, descriptor: int | None = None) -> None:
        self.path = path
        if descriptor is None and RELATIVE:
            descriptor = os.open(path, A_FOLDER)
        self._descriptor = descriptor  # None: names are looked up by their paths

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def folder(self, name: str, *, create: bool = False) -> "OwnFolder":
        """Open a subfolder.

        Args:
            name: its name.
            create: whether to create it if it does not exist.
        """
        if create:
            with suppress(FileExistsError):
                self.make_folder(name)
        if self._descriptor is None:
            with self._named(name):
                self._require_no_link(name)
                os.listdir(self._at(name))  # noqa: PTH208  # fails as opening it would
            return OwnFolder(self.path / name)
        return OwnFolder(self.path / name, self._open(name, A_FOLDER))

    def make_folder(self, name: str) -> None:
        with self._named(name):
            os.mkdir(self._at(name), dir_fd=self._descriptor)

    def names(self) -> list[str]:
        return sorted(os.listdir(self.path if self._descriptor is None else self._descriptor))  # noqa: PTH208  # pathlib takes no descriptor

    def status(self, name: str) -> os.stat_result | None:
        """The status of a name (of a link, not its target); None if it does not exist."""
        try:
            with self._named(name):
                return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def reading(self, name: str) -> BinaryIO:
        """A regular file, open for reading."""
        return os.fdopen(self._regular(name, os.O_RDONLY), "rb")

    def writing(self, name: str) -> BinaryIO:
        """A new file, open for writing."""
        return os.fdopen(self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb")

    def appending(self, name: str) -> BinaryIO:
        """A regular file, open for appending; it is created if it does not exist."""
        return os.fdopen(self._regular(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")

    @contextmanager
    def replacing(self, name: str) -> Iterator[BinaryIO]:
        """A file that replaces another, or becomes a new one, after success.

        It keeps the permissions and the owner of the replaced file.
        """
        temporary = f".{name[:MAX_PREFIX]}.{secrets.token_hex(4)}.tmp"
        before = self.status(name)
        try:
            with self.writing(temporary) as stream:
                yield stream
                stream.flush()
                if before and stat.S_ISREG(before.st_mode):
                    keep_owner(stream.fileno(), before)
                os.fsync(stream.fileno())
            self.rename(temporary, name)
        except BaseException:
            with suppress(OSError):
                self.remove(temporary)
            raise

    def rename(self, name: str, new: str) -> None:
        """Rename a file or folder; an existing file with that name is replaced."""
        with self._named(name):
            os.replace(
                self._at(name),
                self._at(new),
                src_dir_fd=self._descriptor,
                dst_dir_fd=self._descriptor,
            )

    def remove(self, name: str) -> None:
        """Remove a file; a link is left as it is."""
        with self._named(name):
            status = self.status(name)
            if status and stat.S_ISREG(status.st_mode):
                os.unlink(self._at(name), dir_fd=self._descriptor)

    def remove_folder(self, name: str, is_ours: Callable[[str], object]) -> None:
        """Remove files of a subfolder, and the subfolder if it is then empty.

        Args:
            name: the name of the folder.
            is_ours: whether to remove a file, by its name.
        """
        with self.folder(name) as folder:
            for one in filter(is_ours, folder.names()):
                folder.remove(one)
            left = folder.names()
        if not left:
            with self._named(name):
                os.rmdir(self._at(name), dir_fd=self._descriptor)

    def sync(self) -> None:
        """Flush the folder, so that renamed files survive a power cut."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _regular(self, name: str, flags: int) -> int:
        descriptor = self._open(name, flags | WITHOUT_WAITING)  # opening a pipe would block
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.EINVAL, "Not a regular file", str(self.path / name))

    def _open(self, name: str, flags: int) -> int:
        with self._named(name):
            if self._descriptor is None:
                self._require_no_link(name)
            at = self._at(name)
            return os.open(at, flags | NO_LINK | PLAIN, 0o666, dir_fd=self._descriptor)

    def _at(self, name: str) -> str:
        """A name as the system takes it: in the open folder, or with the whole path."""
        return name if self._descriptor is not None else str(self.path / name)

    def _require_no_link(self, name: str) -> None:
        with suppress(FileNotFoundError):
            if self._is_link(name):
                raise OSError(errno.ELOOP, "A link, which is not followed")

    @contextmanager
    def _named(self, name: str) -> Iterator[None]:
        """Add the complete path to errors; an error by a link says so."""
        if name in ("", ".", "..") or {*name} & {"/", os.sep}:
            raise ValueError(f"expected one name, got {name!r}")
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self._is_link(name):
                reason = "A link, which is not followed"
            raise type(error)(error.errno, reason, str(self.path / name)) from error

    def _is_link(self, name: str) -> bool:
        status = os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        return stat.S_ISLNK(status.st_mode)


def temporary_of(name: str) -> str:
    """The final name of an unfinished file of `OwnFolder.replacing`; empty: not such a file.

    >>> temporary_of(".manifest.json.0123abcd.tmp"), temporary_of(".manifest.json.original")
    ('manifest.json', '')
    """
    match = _TEMPORARY.fullmatch(name)
    return match["name"] if match else ""
