"""Functions that differ between systems: locks, memory and CPU time of processes, opening files.

    locked_folder       a folder as a descriptor, locked
    lock                an open file, against other processes, until it is closed
    peak_memory_bytes   of this process, or of its largest child
    cpu_s               of this process and of its children that have ended
    cores               that this process may use
    sync_folder         renamed files in it, on the disk for good
    keep_owner          owner and permissions of a file that is replaced
    allow_open_files    as many as the system lets a process have
    RELATIVE            whether names can be looked up in an open folder
    ENDING              signals that end a command

POSIX has flock and getrusage. Windows locks bytes of a file, which other processes may then neither
read nor write; we lock the byte at 2 GB, the last possible one. Windows has no locks of folders, so
a file in the folder is locked instead. std was not run on Windows yet.
"""

import os
import signal
import stat
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
A_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)  # for somebody at the other end of a pipe
RELATIVE = {os.open, os.stat, os.mkdir, os.unlink, os.rmdir, os.rename} <= os.supports_dir_fd
ENDING = tuple(  # Windows has no SIGHUP
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

if sys.platform == "win32":
    import msvcrt

    LOCK_NAME = ".lock"
    LOCKED_BYTE = (1 << 31) - 2  # msvcrt takes signed 32 bits
    AGAIN_S = 0.1

    def lock(descriptor: int, *, wait: bool = False) -> None:
        """As on POSIX."""
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            while True:
                try:
                    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                    return
                except PermissionError as error:
                    if not wait:
                        raise BlockingIOError(*error.args) from error
                time.sleep(AGAIN_S)
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)

    def locked_folder(folder: Path) -> int:
        """As on POSIX, with a file in the folder."""
        return _locked(os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | PLAIN))

    def sync_folder(folder: Path) -> None:
        """Do nothing: the system flushes folders."""

    def keep_owner(descriptor: int, before: os.stat_result | None, mode: int = 0) -> None:
        """Do nothing: a new file has the owner and permissions of its folder."""

    def allow_open_files() -> None:
        """Do nothing: there is no limit to files that are mapped."""

    def peak_memory_bytes(*, of_children: bool = False) -> int:
        """Not known: 0."""
        return 0

    def cpu_s() -> float:
        """CPU time so far of this process."""
        return time.process_time()

else:
    import fcntl
    import resource

    MOST_OPEN_FILES, MOST_OPEN_FILES_ON_MACOS = 65_536, 10_240
    MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024  # unit of getrusage's ru_maxrss

    def lock(descriptor: int, *, wait: bool = False) -> None:
        """Lock an open file against other processes, until it is closed.

        Args:
            descriptor: of the file.
            wait: until another process closes it.

        Raises:
            BlockingIOError: another process has locked it.
            OSError: the file system has no locks.
        """
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def locked_folder(folder: Path) -> int:
        """Open a folder and lock it; the lock ends when the descriptor is closed.

        Raises:
            BlockingIOError: another process has locked it.
            OSError: it cannot be opened, or the file system has no locks.
        """
        return _locked(os.open(folder, os.O_RDONLY))

    def sync_folder(folder: Path) -> None:
        """Make renamed files in a folder survive a power cut."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def keep_owner(descriptor: int, before: os.stat_result | None, mode: int = 0) -> None:
        """Give a new file the owner and the permissions of the one that it replaces.

        Args:
            descriptor: of the new file.
            before: of the other; None: there is none.
            mode: the permissions then.
        """
        if before:
            with suppress(OSError):  # only its owner and root may give a file away
                os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode) if before else mode)

    @cache
    def allow_open_files() -> None:
        """Raise this process's limit of open files as far as its user may, once.

        A mapped column is an open file, and an index has hundreds of columns; the limit of most
        systems is 1,024 or 256.
        """
        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        for wanted in (MOST_OPEN_FILES, MOST_OPEN_FILES_ON_MACOS):
            wanted = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            if now == resource.RLIM_INFINITY or now >= wanted:
                return
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
                return

    def peak_memory_bytes(*, of_children: bool = False) -> int:
        """The largest resident set so far: this process's, or that of its largest child."""
        who = resource.RUSAGE_CHILDREN if of_children else resource.RUSAGE_SELF
        return resource.getrusage(who).ru_maxrss * MAXRSS_BYTES

    def cpu_s() -> float:
        """CPU time so far of this process, and of those it started that have ended."""
        spent_s = 0.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            spent_s += usage.ru_utime + usage.ru_stime
        return spent_s


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _locked(descriptor: int) -> int:
    try:
        lock(descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
