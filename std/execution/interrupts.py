"""Ctrl-C that waits for the end of a step which it would break.

LLVM calls back into Python while it makes machine code. An exception that is raised there is lost:
Ctrl-C would be forgotten, or the compiler would miss its result and fail with an error of its own.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

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
        """Let Ctrl-C do what it usually does; what was kept back happens now.

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
