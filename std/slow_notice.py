"""Says on a terminal that a command is still working, where nothing else shows progress.

    while_working(tell)       a line after `SILENT_S` seconds, unless a progress bar is shown
    showing_progress()        while a bar is on the terminal, the line is not needed

A command says with `set_quiet` that it prints nothing (``--quiet``).
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

SILENT_S = 2.0

_quiet = False
_bars = 0  # progress bars on the terminal


def set_quiet(quiet: bool) -> None:
    """Say whether the command was asked to be quiet."""
    global _quiet  # the state of the command that this process runs
    _quiet = quiet


@contextmanager
def while_working(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once if the work takes longer than `SILENT_S` and no bar is shown then."""

    def notice() -> None:
        if not _quiet and not _bars and sys.stderr is not None and sys.stderr.isatty():
            tell()

    timer = Timer(SILENT_S, notice)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def showing_progress() -> Iterator[None]:
    """While a progress bar is on the terminal."""
    global _bars  # see set_quiet
    _bars += 1
    try:
        yield
    finally:
        _bars -= 1
