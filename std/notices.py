"""Notices for a person who waits for a command: each is shown once, none with ``--quiet``.

    set_notice(tell)    set the function that shows a notice; None = quiet
    compiling()         numba compiles kernels, because its cache lacks them
    not_kept(reason)    machine code cannot be cached, so the next command compiles again
    while_working()     on a terminal: the work continues after `SILENT_S`, unless
    showing_progress()  a progress bar is shown
    erased()            what removes the bar in front of a message

`std.execution.compiled` calls the functions about kernels. This module does not import numba.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

SILENT_S = 2.0

_notice: Callable[[str], None] | None = None
_told: set[str] = set()  # notices that were shown
_bars = 0  # that are shown
_erase = ""  # removes a bar from a terminal


def set_notice(notice: Callable[[str], None] | None) -> None:
    """Set the function that shows notices; None = show nothing."""
    global _notice  # the state of the command that this process runs
    _notice = notice
    _told.clear()


def compiling() -> None:
    """Say that kernels are compiled, which takes some seconds."""
    _tell("compiling", "compiling the kernels, once after an installation: some 10 s")


def not_kept(reason: str) -> None:
    """Say that compiled kernels cannot be cached."""
    _tell(
        "not kept",
        f"the next command compiles the kernels again, they cannot be kept: {reason}; "
        "NUMBA_CACHE_DIR may name a folder for them",
    )


@contextmanager
def while_working() -> Iterator[None]:
    """Say on a terminal that the work continues, if it takes longer than `SILENT_S`."""

    def still_working() -> None:
        if not _bars and sys.stderr is not None and sys.stderr.isatty():
            _tell("working", "still working (--quiet hides this line)")

    timer = Timer(SILENT_S, still_working)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def showing_progress(erase: str = "") -> Iterator[None]:
    """While progress is shown.

    Args:
        erase: what removes it from the line of a terminal.
    """
    global _bars, _erase  # see set_notice
    _bars, before, _erase = _bars + 1, _erase, erase
    try:
        yield
    finally:
        _bars, _erase = _bars - 1, before


def erased() -> str:
    """What a message begins with, so that it stands above a bar, which is then drawn again."""
    return _erase


def _tell(what: str, message: str) -> None:
    if _notice is not None and what not in _told:
        _told.add(what)
        _notice(message)
