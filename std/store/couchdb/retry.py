"""How long to wait for a server, how often to retry, and a warning about slow requests."""

import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from std.errors import StoreError, StoreWarning

TIMEOUT_VARIABLE = "STD_COUCHDB_TIMEOUT"  # in seconds; an environment variable also reaches workers
MAX_TIMEOUT_S = 86_400.0
NOTICE_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a response, and how long between attempts."""

    timeout_s: float = 60.0  # without a byte of a response; as CouchDB's request_timeout
    pauses_s: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
    connect_s: float = 5.0  # to connect, and as long again for TLS
    give_up_s: float = 60.0  # since the start of the first attempt; then no other one starts
    notice_s: float = 5.0  # then the user is warned that the request is slow

    @property
    def short_pauses_s(self) -> tuple[float, ...]:
        """Pauses where giving up soon is better: releasing the lease, late replicas."""
        return self.pauses_s[:3]


def default_retry_policy() -> RetryPolicy:
    """The policy with the timeout of STD_COUCHDB_TIMEOUT; a longer one allows more attempts.

    Raises:
        StoreError: the variable is no number of seconds.
    """
    default = RetryPolicy()
    text = os.environ.get(TIMEOUT_VARIABLE, "").strip()
    if not text:
        return default
    try:
        timeout_s = float(text)
    except ValueError:
        timeout_s = 0.0
    if not 0.1 <= timeout_s <= MAX_TIMEOUT_S:  # not for NaN either
        raise StoreError(
            f"{TIMEOUT_VARIABLE}: expected seconds from 0.1 to {MAX_TIMEOUT_S:.0f}, "
            f"got {text[:80]!r}"
        )
    longest_s = default.pauses_s[-1]
    additional = int((timeout_s - default.timeout_s) // longest_s)
    return RetryPolicy(
        timeout_s=timeout_s,
        pauses_s=default.pauses_s + (longest_s,) * additional,
        connect_s=min(default.connect_s, timeout_s),
        give_up_s=timeout_s,
    )


class SlowRequestWarner:
    """Warns, at most once a minute, while a request takes longer than ``notice_s``.

    The request itself blocks somewhere in a library, so a thread watches the clock. The thread
    ends when no request is pending.
    """

    def __init__(self, url: str, retry_policy: RetryPolicy) -> None:
        self._url = url
        self._retry_policy = retry_policy
        self._started_s: dict[int, float] = {}  # by thread
        self._warned_s = -NOTICE_EVERY_S
        self._lock = threading.Lock()
        self._watcher: threading.Thread | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch a request, its retries included."""
        thread = threading.get_ident()
        with self._lock:
            self._started_s[thread] = time.monotonic()
            if self._watcher is None or not self._watcher.is_alive():  # a fork has no threads
                self._watcher = threading.Thread(target=self._watch, daemon=True)
                self._watcher.start()
        try:
            yield
        finally:
            with self._lock:
                self._started_s.pop(thread, None)

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._retry_policy.notice_s / 5)
            with self._lock:
                if not self._started_s:
                    self._watcher = None
                    return
                now_s = time.monotonic()
                waited_s = now_s - min(self._started_s.values())
                late = waited_s >= self._retry_policy.notice_s
                if late and (late := now_s - self._warned_s >= NOTICE_EVERY_S):
                    self._warned_s = now_s
            if late:
                warnings.warn(
                    f"{self._url}: no answer from the server for {waited_s:.0f} s; waiting up to "
                    f"{self._retry_policy.give_up_s:g} s ({TIMEOUT_VARIABLE} changes that)",
                    StoreWarning,
                    stacklevel=2,
                )
