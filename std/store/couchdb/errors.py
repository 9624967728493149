"""What may go wrong with a CouchDB server, or a proxy in front of it, and for how long we wait.

RetryPolicy        time limits, and pauses between attempts
SlowRequestWarner  warns while a request takes long

TransientError     worth another attempt (`std.store.couchdb.database` retries)
ConflictError      the caller handles it
TooLargeError      the caller sends several smaller requests
StoreError         everything else: one line for the user
"""

import os
import ssl
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import BadStatusLine
from socket import EAI_AGAIN, gaierror
from typing import NoReturn

from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationParseError,
    NewConnectionError,
)

from std.errors import StoreError, StoreWarning, quoted
from std.store.couchdb.connection import HttpStatusError

TRANSIENT_STATUSES = frozenset({408, 412, 425, 429, 500, 502, 503, 504})  # 412: in maintenance
NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE"}
)
TLS_ALERT = "\x15\x03"
TIMEOUT_VARIABLE = "STD_COUCHDB_TIMEOUT"  # in seconds; an environment variable also reaches workers
MAX_TIMEOUT_S = 86_400.0
NOTICE_EVERY_S = 60.0


class ConflictError(Exception):
    """The document has another revision, or the database exists; perhaps by our last attempt."""


class TooLargeError(StoreError):
    """The server, or a proxy in front of it, refuses requests of this size."""


class TransientError(Exception):  # a flow of control, not an error that escapes
    """Worth another attempt; ``cut_off`` if the server closed while the request was being sent."""

    def __init__(self, message: object, *, cut_off: bool = False) -> None:
        super().__init__(message)
        self.cut_off = cut_off


def raise_for_status(url: str, method: str, size: int, error: HttpStatusError) -> None:
    """Raise the error that a response means; return if what was requested does not exist.

    Raises:
        ConflictError, TransientError, TooLargeError, StoreError: what the response means.
    """
    status, message = error.status, error.message
    if status == 404 and error.error:
        return
    if method == "PUT" and (status == 409 or (status == 412 and error.error == "file_exists")):
        raise ConflictError from error
    if status in TRANSIENT_STATUSES:
        raise TransientError(f"status {status}, {message}") from error
    if status in (401, 403):
        raise StoreError(
            f"{url}: the server refuses this user: {message} (name the user in the URL, the "
            "password in STD_COUCHDB_PASSWORD or ~/.netrc)"
        ) from error
    if status == 413:
        raise TooLargeError(too_large_message(url, size, f"413: {message}")) from error
    hint = "" if error.error else " (is a CouchDB server at this address?)"
    hint = (status == 404 and slash_hint(url)) or hint
    raise StoreError(f"{url}: the server answers {status}: {message}{hint}") from error


def no_database_any_more(url: str) -> StoreError:
    """The error if a database that existed, or was made, a moment ago is missing."""
    return StoreError(f"{url}: there is no such database any more{slash_hint(url)}")


def slash_hint(url: str) -> str:
    """A hint if a database whose name has a slash is not found.

    >>> slash_hint("couchdb://host/a%2Fb"), slash_hint("couchdb://host/a/b")
    (' (a proxy must pass %2F on as it is)', '')
    """
    return " (a proxy must pass %2F on as it is)" if "%2f" in url.lower() else ""


def too_large_message(url: str, size: int, reason: str) -> str:
    """The message for a request that is too large, with the settings that limit it.

    Args:
        size: the size of the request, bytes.
    """
    return (
        f"{url}: the server, or a proxy in front of it, takes no request of {size / 1e6:.2f} MB "
        f"({reason}); the limit is CouchDB's max_document_size or max_http_request_size, or a "
        "proxy's (nginx: client_max_body_size)"
    )


def raise_for_failure(
    url: str, error: HTTPError | ValueError, *, connect_s: float, read_s: float
) -> NoReturn:
    """Raise the error for a request without a response.

    Args:
        connect_s: time limit of connecting in seconds.
        read_s: time limit of each read in seconds.

    Raises:
        StoreError: retrying does not help.
        TransientError: retrying may help.
    """
    cause = _cause(error)
    if (hopeless := _hopeless(error, cause, connect_s)) is not None:
        raise StoreError(f"{url}: {hopeless}") from error
    if isinstance(error, ConnectTimeoutError) and not isinstance(error, NewConnectionError):
        raise TransientError(f"no connection within {connect_s:g} s") from error
    if isinstance(cause, TimeoutError):
        raise TransientError(
            f"none within {round(read_s, 1):g} s ({TIMEOUT_VARIABLE} changes that)"
        ) from error
    if isinstance(cause, gaierror):
        raise TransientError(cause.strerror) from error
    broken = isinstance(cause, BrokenPipeError | ConnectionResetError)
    raise TransientError(f"{type(cause).__name__} {cause}".strip(), cut_off=broken) from error


def _hopeless(error: Exception, cause: BaseException, connect_s: float) -> str | None:
    """What is wrong if no further attempt helps: nearly always the address."""
    if isinstance(error, LocationParseError):
        return "expected the name of a host"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return cause.verify_message
    if isinstance(cause, ssl.SSLError) and cause.reason in NO_TLS:
        return "expected TLS, got another answer: without TLS write couchdb:// or http://"
    if isinstance(cause, BadStatusLine) and str(cause).startswith(TLS_ALERT):
        return "the server speaks TLS: write couchdbs:// or https://"
    if isinstance(cause, TimeoutError) and "handshake" in str(cause):  # the ssl module's word
        return f"no TLS within {connect_s:g} s: without TLS write couchdb:// or http://"
    if isinstance(cause, gaierror) and cause.errno != EAI_AGAIN:
        return cause.strerror
    return None


def _cause(error: Exception) -> BaseException:
    """What urllib3 wraps, in one of its two ways."""
    wrapped = [error.__cause__, *reversed(error.args)]
    return next((one for one in wrapped if isinstance(one, BaseException)), error)


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
        StoreError: the variable is not a number of seconds.
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
            f"got {quoted(text)}"
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
