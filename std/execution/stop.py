"""Stop work that is under way: long loops ask now and then whether to go on.

    stopped_by     what is asked while a block runs in this thread
    check_stop     asks it; long loops call this
    TimeLimit      a question that says no after some seconds

Who wants the work (a request whose client may go away, a setting that limits its time) and the
loops that do it are many calls apart, so the question is the thread's. Work in other processes is
not asked: their pieces are small, and the thread that waits for them asks between them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
        Exception: what the block's check raises.
    """
    for check in _checks.get():
        check()


class TimeLimit:
    """Work may take so long."""

    def __init__(self, seconds: float, error: Exception) -> None:
        """Begin to count.

        Args:
            seconds: from now on; 0 = for ever.
            error: what is raised afterwards.
        """
        self._end_s = time.monotonic() + seconds if seconds else float("inf")
        self._error = error

    def __call__(self) -> None:
        """Go on.

        Raises:
            Exception: ``error``, the time is over.
        """
        if time.monotonic() > self._end_s:
            raise self._error
