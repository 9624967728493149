"""How long to wait for a server, and the notice that somebody is waiting."""

import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from std.errors import StoreError, StoreWarning

TIMEOUT = "STD_COUCHDB_TIMEOUT"  # seconds; the environment's, because workers have no options
MAX_TIMEOUT_S = 86_400.0
NOTICE_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer, and how long between attempts."""

    timeout_s: float = 60.0  # without a byte of an answer; CouchDB's own request_timeout
    pauses_s: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
    connect_s: float = 5.0  # to connect, and as long again for TLS
    give_up_s: float = 60.0  # after the first attempt began, no other one begins
    notice_s: float = 5.0  # then the user is told that we wait

    @property
    def brief(self) -> tuple[float, ...]:
        """Pauses where giving up soon is better: a mistyped host, letting go of the lease."""
        return self.pauses_s[:3]


def usual_patience() -> Patience:
    """As STD_COUCHDB_TIMEOUT says; longer ones bring more attempts.

    Raises:
        StoreError: it is no number of seconds.
    """
    default = Patience()
    given = os.environ.get(TIMEOUT, "").strip()
    if not given:
        return default
    try:
        timeout_s = float(given)
    except ValueError:
        timeout_s = 0.0
    if not 0.1 <= timeout_s <= MAX_TIMEOUT_S:  # not for NaN either
        raise StoreError(
            f"{TIMEOUT}: expected seconds from 0.1 to {MAX_TIMEOUT_S:.0f}, got {given[:80]!r}"
        )
    longest_s = default.pauses_s[-1]
    more = int((timeout_s - default.timeout_s) // longest_s)
    return Patience(
        timeout_s=timeout_s,
        pauses_s=default.pauses_s + (longest_s,) * more,
        connect_s=min(default.connect_s, timeout_s),
        give_up_s=timeout_s,
    )


class Waiting:
    """Warns once a minute at most while a request takes longer than ``notice_s``.

    A thread looks at the clock, because whoever waits for a server can be anywhere in a library.
    It ends as soon as it finds nobody waiting.
    """

    def __init__(self, url: str, patience: Patience) -> None:
        self._url = url
        self._patience = patience
        self._began_s: dict[int, float] = {}  # by thread
        self._told_s = -NOTICE_EVERY_S
        self._lock = threading.Lock()
        self._watcher: threading.Thread | None = None

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """For as long as a request takes, its repetitions included."""
        thread = threading.get_ident()
        with self._lock:
            self._began_s[thread] = time.monotonic()
            if self._watcher is None or not self._watcher.is_alive():  # a fork has no threads
                self._watcher = threading.Thread(target=self._watch, daemon=True)
                self._watcher.start()
        try:
            yield
        finally:
            with self._lock:
                self._began_s.pop(thread, None)

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._patience.notice_s / 5)
            with self._lock:
                if not self._began_s:
                    self._watcher = None
                    return
                now_s = time.monotonic()
                waited_s = now_s - min(self._began_s.values())
                late = waited_s >= self._patience.notice_s
                if late and (late := now_s - self._told_s >= NOTICE_EVERY_S):
                    self._told_s = now_s
            if late:
                warnings.warn(
                    f"{self._url}: no answer from the server for {waited_s:.0f} s; waiting up to "
                    f"{self._patience.give_up_s:g} s ({TIMEOUT} changes that)",
                    StoreWarning,
                    stacklevel=2,
                )
