"""Stop running work, and delay the signals that end it during a step that they would break.

    stopped_by     sets the check of a block in this thread
    check_stop     runs the check; long loops call this
    TimeLimit      a check that fails after some seconds
    held           delays Ctrl-C, SIGTERM and SIGHUP to the end of a block

Many calls separate the caller that may stop the work (a request whose client disconnects, a time
limit) from its loops, so each thread has one check. In processes of this machine there is none:
their pieces of work are small, and the waiting thread runs the check between them. A worker of a
cluster checks whether somebody still waits (`std.execution.dask`).

LLVM calls back into Python while it compiles. An exception in such a call is lost: Ctrl-C would
have no effect, or the compiler would miss a result and fail with another error.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from std.system import ENDING

Check = Callable[[], None]  # raises to end the work

_checks: ContextVar[tuple[Check, ...]] = ContextVar("checks", default=())


@contextmanager
def stopped_by(check: Check) -> Iterator[None]:
    """Let `check_stop` also call ``check`` in the block."""
    token = _checks.set((*_checks.get(), check))
    try:
        yield
    finally:
        _checks.reset(token)


def check_stop() -> None:
    """Return unless the work should stop.

    Raises:
        Exception: raised by the block's check.
    """
    for check in _checks.get():
        check()


class TimeLimit:
    """A time limit for work."""

    def __init__(self, seconds: float, error: Exception) -> None:
        """Start the time.

        Args:
            seconds: the limit; 0 = none.
            error: raised after it.
        """
        self._end_s = time.monotonic() + seconds if seconds else float("inf")
        self._error = error

    def __call__(self) -> None:
        """Check the time.

        Raises:
            Exception: ``error``, after the time limit.
        """
        if time.monotonic() > self._end_s:
            raise self._error


Held = tuple[int, FrameType | None]


class Hold:
    """Delays the signals `ENDING` between `begin` and `end`, which may be nested.

    Only the main thread gets signals, so other threads need no delay. A process that ignores
    Ctrl-C, as workers do, still ignores it; one that a signal ends at once still ends at once.
    """

    def __init__(self) -> None:
        """Start without a delay."""
        self._depth = 0
        self._usual: dict[int, Any] = {}
        self._held: list[Held] = []

    def begin(self) -> None:
        """Delay them."""
        self._depth += 1
        if self._depth == 1:
            for one in ENDING:
                if callable(handler := signal.getsignal(one)):
                    self._usual[one] = handler
                    signal.signal(one, self._note)

    def end(self) -> None:
        """Let them act as usual; a delayed one acts now.

        Raises:
            KeyboardInterrupt: one was delayed.
        """
        if not self._depth:
            return
        self._depth -= 1
        if self._depth:
            return
        usual, self._usual = self._usual, {}
        for one, handler in usual.items():
            signal.signal(one, handler)
        held, self._held = self._held, []
        if held:
            usual[held[0][0]](*held[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._held.append((number, frame))


@contextmanager
def held(hold: Hold) -> Iterator[None]:
    """Delay the signals to the end of the block."""
    hold.begin()
    try:
        yield
    finally:
        hold.end()
