"""Stop work that is under way, and hold Ctrl-C back from a step that it would break.

    stopped_by     sets the question for a block in this thread
    check_stop     asks it; long loops call this
    TimeLimit      a question that says no after some seconds
    held           Ctrl-C waits for the end of a block

Those who want the work (a request whose client may go away, a setting that limits its time) and the
loops that do it are many calls apart, so the question is the thread's. Work in other processes is
not asked: their pieces are small, and the thread that waits for them asks between them.

LLVM calls back into Python while it makes machine code. An exception that is raised there is lost:
Ctrl-C would be forgotten, or the compiler would miss its result and fail with an error of its own.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

Check = Callable[[], None]  # raises what ends the work

_checks: ContextVar[tuple[Check, ...]] = ContextVar("checks", default=())


@contextmanager
def stopped_by(check: Check) -> Iterator[None]:
    """Ask also ``check`` in the block, whenever `check_stop` is called."""
    token = _checks.set((*_checks.get(), check))
    try:
        yield
    finally:
        _checks.reset(token)


def check_stop() -> None:
    """Go on, if nobody wants the work to stop.

    Raises:
        Exception: as the block's check raises it.
    """
    for check in _checks.get():
        check()


class TimeLimit:
    """Work may take so long."""

    def __init__(self, seconds: float, error: Exception) -> None:
        """Begin to count.

        Args:
            seconds: from now on; 0 = for ever.
            error: raised afterwards.
        """
        self._end_s = time.monotonic() + seconds if seconds else float("inf")
        self._error = error

    def __call__(self) -> None:
        """Raise an error once the time is over.

        Raises:
            Exception: ``error``, the time is over.
        """
        if time.monotonic() > self._end_s:
            raise self._error


Held = tuple[int, FrameType | None]


class Hold:
    """Keeps Ctrl-C back between `begin` and `end`, which may be nested.

    Only the main thread gets signals, so in other threads there is nothing to keep back. A process
    that ignores Ctrl-C, as workers do, goes on ignoring it.
    """

    def __init__(self) -> None:
        """Nothing is kept back yet."""
        self._depth = 0
        self._usual: Any = None
        self._held: list[Held] = []

    def begin(self) -> None:
        """Keep Ctrl-C back."""
        if self._depth or callable(signal.getsignal(signal.SIGINT)):
            self._depth += 1
        if self._depth == 1:
            self._usual = signal.signal(signal.SIGINT, self._note)

    def end(self) -> None:
        """Let Ctrl-C act as usual; one that was held back acts now.

        Raises:
            KeyboardInterrupt: Ctrl-C was kept back, and usually raises this.
        """
        if not self._depth:
            return
        self._depth -= 1
        if self._depth:
            return
        signal.signal(signal.SIGINT, self._usual)
        held, self._held = self._held, []
        if held:
            self._usual(*held[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._held.append((number, frame))


@contextmanager
def held(hold: Hold) -> Iterator[None]:
    """Keep Ctrl-C back until the block is left."""
    hold.begin()
    try:
        yield
    finally:
        hold.end()
