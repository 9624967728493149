"""The bar of std-recognise: recordings, minutes, times real time, time left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from std.display.progress import Progress, progress


class RecognitionBar:
    """Counts recordings and seconds, and shows them."""

    def __init__(self, shown: Progress | None = None) -> None:
        self._shown = shown or Progress("", None)
        self._started = time.perf_counter()
        self._recordings = self._finished = 0
        self._planned_s = self._done_s = 0.0

    def plan(self, recordings: int, seconds: float) -> None:
        """Set the total."""
        self._recordings, self._planned_s = recordings, seconds
        self._started = time.perf_counter()

    def advance(self, seconds: float) -> None:
        """Count finished seconds of audio."""
        self._done_s += seconds
        self._show()

    def finish_one(self) -> None:
        """Count a finished recording."""
        self._finished += 1
        self._show()

    def _show(self) -> None:
        label = self.text(time.perf_counter() - self._started)
        self._shown.update(self._done_s, self._planned_s or None, label)

    def text(self, elapsed_s: float) -> str:
        """The text beside the bar."""
        speed = self._done_s / elapsed_s if elapsed_s else 0.0
        return (
            f"{self._finished}/{self._recordings} recordings, "
            f"{self._done_s / 60:.1f}/{self._planned_s / 60:.1f} min, {speed:.1f} x real time"
        )


@contextmanager
def recognition_bar(*, quiet: bool) -> Iterator[RecognitionBar]:
    """As `std.display.progress.progress`: a bar on a terminal, lines in a log on request."""
    with progress("loading the recogniser", None, quiet=quiet) as shown:
        yield RecognitionBar(shown)
