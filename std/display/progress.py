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
from typing import Any, Literal, get_args

from std.display.numbers import duration
from std.notices import showing_progress
from std.terminal import is_terminal, printable

When = Literal["auto", "always", "never"]
WHEN: tuple[When, ...] = get_args(When)
LINE_EVERY_S = 10.0

_when: When = "auto"


def set_progress(when: When) -> None:
    """Set when progress is shown."""
    global _when  # the state of the command that this process runs
    _when = when


class Progress:
    """The progress of a piece of work; this class shows nothing."""

    def __init__(self, label: str, total: float | None) -> None:
        """Begin.

        Args:
            label: name of the work.
            total: sum of all amounts; None = it is not known.
        """
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


class _Bar(Progress):
    """A bar of rich."""

    def __init__(self, label: str, total: float | None, bar: Any) -> None:
        from std.terminal import cell

        super().__init__(label, total)
        self._bar, self._cell = bar, cell
        self._task = bar.add_task(cell(label), total=total)

    def show(self) -> None:
        label = self._cell(self.label)
        self._bar.update(self._task, completed=self.completed, total=self.total, description=label)


class _Lines(Progress):
    """The text of a line in a log."""

    def __init__(
        self, label: str, total: float | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(label, total)
        self._clock, self._start_s = clock, clock()

    def line(self) -> str:
        """The label, the finished amount, the elapsed time, and the time left at this speed."""
        elapsed_s = self._clock() - self._start_s
        parts = [duration(elapsed_s)]
        if self.total:
            share = min(1.0, self.completed / self.total)
            parts.insert(0, f"{share:.0%}")
            if 0 < share < 1:
                parts.append(f"about {duration(elapsed_s * (1 - share) / share)} left")
        return f"{self.label}: {', '.join(parts)}"


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
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    from std.terminal import has_colours

    console = Console(
        stderr=True,
        force_terminal=True,
        color_system="standard" if has_colours(sys.stderr) else None,
        no_color=False,  # decided already
    )
    with showing_progress(), RichProgress(console=console, transient=True) as bar:
        yield _Bar(label, total, bar)


@contextmanager
def _lines(label: str, total: float | None) -> Iterator[Progress]:
    shown, ended = _Lines(label, total), Event()

    def go_on() -> None:
        while not ended.wait(LINE_EVERY_S):
            _write(shown.line())

    _write(f"{label} ...")
    thread = Thread(target=go_on, name="progress", daemon=True)
    with showing_progress():
        thread.start()
        try:
            yield shown
        finally:
            ended.set()
            thread.join()
    _write(shown.line())


def _write(line: str) -> None:
    with suppress(OSError, ValueError):  # stderr is closed: the exit status reports it
        print(printable(line), file=sys.stderr, flush=True)  # noqa: T201  # this is the message
