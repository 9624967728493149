"""The bar of std-recognise: recordings, minutes, times real time, time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from std.notices import showing_progress


class RecognitionBar:
    """Counts; shows nothing where there is no terminal."""

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar
        self._task = bar.add_task("loading the recogniser", total=None) if bar else None
        self._started = time.perf_counter()
        self._recordings = self._finished = 0
        self._planned_s = self._done_s = 0.0

    def plan(self, recordings: int, seconds: float) -> None:
        """Say how much there is to do."""
        self._recordings, self._planned_s = recordings, seconds
        self._started = time.perf_counter()

    def advance(self, seconds: float) -> None:
        """So much more audio is done."""
        self._done_s += seconds
        self._show()

    def finish_one(self) -> None:
        """One more recording is done."""
        self._finished += 1
        self._show()

    def _show(self) -> None:
        if self._bar:
            self._bar.update(
                self._task,
                total=self._planned_s or None,
                completed=self._done_s,
                description=self.text(time.perf_counter() - self._started),
            )

    def text(self, elapsed_s: float) -> str:
        """What stands beside the bar."""
        speed = self._done_s / elapsed_s if elapsed_s else 0.0
        return (
            f"{self._finished}/{self._recordings} recordings, "
            f"{self._done_s / 60:.1f}/{self._planned_s / 60:.1f} min, {speed:.1f} x real time"
        )


@contextmanager
def recognition_bar(*, quiet: bool) -> Iterator[RecognitionBar]:
    """A bar on stderr, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield RecognitionBar()
        return
    from rich.console import Console
    from rich.progress import Progress

    with showing_progress(), Progress(console=Console(stderr=True), transient=True) as bar:
        yield RecognitionBar(bar)
