"""Progress of a command on stderr: a bar on a terminal, lines in a log, or nothing.

| ``--progress`` | on a terminal | elsewhere |
|---|---|---|
| ``auto`` (default) | a bar | nothing |
| ``always`` | a bar | a line at the start, every `LINE_EVERY_S`, and at the end |
| ``never``, or ``--quiet`` | nothing | nothing |

A terminal that cannot move the cursor (``TERM=dumb``) counts as "elsewhere".
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Literal, get_args

from std.display.rows import folded, width_of
from std.numbers import duration
from std.terminal import coloured, is_terminal, printable, showing_progress

When = Literal["auto", "always", "never"]
WHEN: tuple[When, ...] = get_args(When)
LINE_EVERY_S = 10.0
BAR_EVERY_S = 0.1
BAR_WIDTH, LEAST_BAR_WIDTH = 40, 10  # letters
USUAL_WIDTH = 80  # letters of a terminal that does not tell its width
ERASED = "\r\x1b[K"  # ECMA-48: from the start of the line, erase it

_when: When = "auto"


def set_progress(when: When) -> None:
    """Set when progress is shown."""
    global _when  # the state of the command that this process runs
    _when = when


class Progress:
    """The progress of a piece of work; this class shows nothing."""

    def __init__(self, label: str, total: float | None) -> None:
        self.label, self.total, self.completed = label, total, 0.0

    def advance(self, amount: float) -> None:
        """Add to the finished amount."""
        self.update(self.completed + amount)

    def update(
        self, completed: float, total: float | None = None, label: str | None = None
    ) -> None:
        """Set the finished amount, and the total and label if given."""
        self.completed = completed
        self.total = self.total if total is None else total
        self.label = self.label if label is None else label
        self.show()

    def show(self) -> None:
        """Show the current state."""


class _Line(Progress):
    """Progress in a line of text."""

    def __init__(
        self, label: str, total: float | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(label, total)
        self._clock, self._start_s = clock, clock()

    @property
    def share(self) -> float | None:
        """How much is finished, 0 to 1; None = it is not known."""
        return min(1.0, self.completed / self.total) if self.total else None

    def figures(self) -> str:
        """The finished amount, the elapsed time, and the time left at this speed."""
        elapsed_s, share = self._clock() - self._start_s, self.share
        parts = [duration(elapsed_s)]
        if share is not None:
            parts.insert(0, f"{share:.0%}")
            if 0 < share < 1:
                parts.append(f"about {duration(elapsed_s * (1 - share) / share)} left")
        return ", ".join(parts)

    def line(self) -> str:
        """The line of a log."""
        return printable(f"{self.label}: {self.figures()}")

    def bar(self, width: int, letters: str = "━─") -> str:
        """The line of a terminal: with a bar, if it has room.

        Args:
            width: letters of the line.
            letters: of the finished part and of the rest.
        """
        label, figures = printable(self.label), self.figures()
        room = min(BAR_WIDTH, width - width_of(label) - len(figures) - 2)
        if self.share is None or room < LEAST_BAR_WIDTH:
            return folded(f"{label} {figures}", width)[0]
        done = round(self.share * room)
        drawn = coloured(letters[0] * done, "green", sys.stderr) + letters[1] * (room - done)
        return f"{label} {drawn} {figures}"


@contextmanager
def progress(label: str, total: float | None, *, quiet: bool) -> Iterator[Progress]:
    """Show progress, as the table above says, until the block ends.

    Args:
        label: name of the work, shown before the bar.
        total: sum of all amounts; None = unknown.
        quiet: show nothing.
    """
    if quiet or _when == "never":
        yield Progress(label, total)
    elif is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
        with _bar(label, total) as bar:
            yield bar
    elif _when == "always":
        with _lines(label, total) as lines:
            yield lines
    else:
        yield Progress(label, total)


@contextmanager
def progress_bar(
    label: str, total: float | None, *, quiet: bool
) -> Iterator[Callable[[float], None]]:
    """As `progress`; yields the function that advances it."""
    with progress(label, total, quiet=quiet) as shown:
        yield shown.advance


@contextmanager
def _bar(label: str, total: float | None) -> Iterator[Progress]:
    """A line that is drawn again in its place, and removed at the end."""
    shown = _Line(label, total)
    letters = "━─" if (sys.stderr.encoding or "").lower().startswith("utf") else "#-"

    def draw() -> None:
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            width = 0
        # one letter less: in the last column some terminals go to the next line
        _write(f"{ERASED}{shown.bar((width or USUAL_WIDTH) - 1, letters)}")

    with showing_progress(ERASED):
        try:
            with _repeated(draw, BAR_EVERY_S):
                draw()
                yield shown
        finally:
            _write(ERASED)


@contextmanager
def _lines(label: str, total: float | None) -> Iterator[Progress]:
    """A line in a log at the start, at intervals, and at the end."""
    shown = _Line(label, total)
    _write(f"{printable(label)} ...\n")
    with showing_progress(), _repeated(lambda: _write(f"{shown.line()}\n"), LINE_EVERY_S):
        yield shown
    _write(f"{shown.line()}\n")


@contextmanager
def _repeated(action: Callable[[], None], every_s: float) -> Iterator[None]:
    """Do something at intervals, in a thread, until the block ends."""
    ended = Event()

    def go_on() -> None:
        while not ended.wait(every_s):
            action()

    thread = Thread(target=go_on, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # stderr is closed: the exit status reports it
        print(text, end="", file=sys.stderr, flush=True)  # noqa: T201  # this is the message
