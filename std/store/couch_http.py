"""One CouchDB database over HTTP: time-outs, retries, authentication, compressed requests.

The `couchdb` package speaks HTTP; what it leaves to its caller is added here. It never gives up
waiting (here: `Patience`), retries only broken sockets (here: whatever a server in trouble does),
and may keep a connection whose last answer was not read to its end (here: one connection per
thread, dropped after any error). Only its modules that do without ``cgi``, which Python 3.13 no
longer has, are imported.

Every request may be repeated: reading changes nothing, and writing puts documents under names
and revisions that turn a second attempt into a conflict, which the caller understands.
"""

import json
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import EAI_AGAIN, gaierror
from typing import Any
from urllib.parse import urlsplit

from std.errors import StoreError, cut
from std.store.couch_address import address

WORTH_GZIP_BYTES = 1024
TRY_AGAIN_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
REFUSES_GZIP = frozenset({400, 415})


class Conflict(Exception):  # noqa: N818  # what CouchDB calls it; never leaves the store
    """Somebody else wrote this document or made this database; or we did, and send it again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer, and how long between attempts."""

    timeout_s: float = 60.0  # CouchDB's own request_timeout
    pauses_s: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)

    @property
    def brief(self) -> tuple[float, ...]:
        """Pauses where giving up soon is better: a mistyped host, letting go of the lease."""
        return self.pauses_s[:3]


class Database:
    """A CouchDB database that need not exist yet.

    Raises (from every request):
        StoreError: no answer in spite of all patience, or one that repeating does not mend.
    """

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        from couchdb.http import Resource, Session

        base, self._credentials = address(url)
        self.url = url
        self.requests = 0  # round trips so far
        self.patience = patience = patience or Patience()
        self._connection = Connection(patience.timeout_s)
        self._gzip = True
        self._clock_offset_s = 0.0  # the server's clock minus ours
        session = Session(timeout=patience.timeout_s, retryable_errors=())
        session.connection_pool = self._connection
        session.cache = NoCache()
        self._resource = Resource(base, session)
        self._resource.credentials = self._credentials

    def get(self, *path: str, **parameters: str) -> Any:
        """The JSON value at a path; None if there is nothing."""
        return self._request("GET", path, None, parameters)

    def post(self, path: str, body: Any, **parameters: str) -> Any:
        """Send a JSON value; returns the answer's."""
        value = self._request("POST", (path,), body, parameters)
        if value is None:
            raise StoreError(f"{self.url}: there is no such database")
        return value

    def put(self, *path: str, body: Any, pauses_s: tuple[float, ...] | None = None) -> Any:
        """Send a JSON value to a path; returns the answer's, None if there is no database.

        Raises:
            Conflict: its revision is not the current one.
        """
        return self._request("PUT", path, body, {}, pauses_s)

    def create(self) -> None:
        """Make the database unless there is one."""
        with suppress(Conflict):  # somebody else made it at the same moment
            self._request("PUT", (), None, {})

    def exists(self) -> bool:
        """Whether there is such a database."""
        return self._request("GET", (), None, {}, self.patience.brief) is not None

    def server_time_s(self) -> float:
        """Seconds since 1970 by the server's clock, which all writers share."""
        return time.time() + self._clock_offset_s

    def attempts(self, pauses_s: tuple[float, ...] | None = None) -> Iterator[None]:
        """Yield once per attempt, pausing longer and longer in between."""
        yield
        for pause in self.patience.pauses_s if pauses_s is None else pauses_s:
            time.sleep(pause)
            yield

    def close(self) -> None:
        """Close this thread's connection."""
        self._connection.drop()

    def _request(
        self,
        method: str,
        path: tuple[str, ...],
        body: Any,
        parameters: dict[str, str],
        pauses_s: tuple[float, ...] | None = None,
    ) -> Any:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        trouble: object = ""
        for _ in self.attempts(pauses_s):
            try:
                return self._once(method, path, content, parameters)
            except _Temporary as error:
                trouble = error
        raise StoreError(f"{self.url}: no answer from the server: {trouble}")

    def _once(
        self, method: str, path: tuple[str, ...], content: bytes | None, parameters: dict[str, str]
    ) -> Any:
        """One attempt; anything that may pass by itself is raised as `_Temporary`."""
        from couchdb import http

        self.requests += 1
        compressed = self._gzip and content is not None and len(content) >= WORTH_GZIP_BYTES
        headers = {"Content-Type": "application/json"}
        if compressed:
            headers["Content-Encoding"] = "gzip"
        # The answer's body is part of the attempt: it may break off in the middle.
        try:
            _, answer, stream = self._resource._request(
                method,
                list(path),
                body=_gzipped(content or b"") if compressed else content,
                headers=headers,
                **parameters,
            )
            value = json.loads(stream.read()) if stream is not None else None
        except http.ResourceNotFound:
            self._connection.drop()
            return None
        except http.ResourceConflict as error:
            self._connection.drop()
            raise Conflict from error
        except http.PreconditionFailed as error:
            self._connection.drop()
            if method == "PUT" and error.args[0][0] == "file_exists":
                raise Conflict from error
            raise _Temporary(_said(error.args[0])) from error  # a node is down or in maintenance
        except (http.Unauthorized, http.Forbidden) as error:
            self._connection.drop()
            raise StoreError(
                f"{self.url}: the server refuses this user: {_said(error.args[0])} (name the user "
                "in the URL, the password in STD_COUCHDB_PASSWORD or ~/.netrc)"
            ) from error
        except http.ServerError as error:
            self._connection.drop()
            status, reason = error.args[0]
            if compressed and status in REFUSES_GZIP:
                self._gzip = False
                try:
                    return self._once(method, path, content, parameters)
                except StoreError:  # so compression was not what it disliked
                    self._gzip = True
                    raise
            if status in TRY_AGAIN_LATER:
                raise _Temporary(f"status {status}, {_said(reason)}") from error
            raise StoreError(f"{self.url}: the server answers {status}: {_said(reason)}") from error
        except ssl.SSLCertVerificationError as error:
            raise StoreError(f"{self.url}: {error.verify_message}") from error
        except gaierror as error:
            if error.errno == EAI_AGAIN:
                raise _Temporary(error.strerror) from error
            raise StoreError(f"{self.url}: {error.strerror}") from error
        except (OSError, HTTPException, ValueError) as error:
            self._connection.drop()
            raise _Temporary(f"{type(error).__name__} {error}".strip()) from error
        except (AttributeError, TypeError) as error:
            # How the package stumbles over errors of proxies (long, chunked or without a type),
            # and over a list of documents that some nodes did not take (500).
            self._connection.drop()
            raise _Temporary("an error of unusual form") from error
        except BaseException:  # Ctrl-C: the answer still on its way is not the next request's
            self._connection.drop()
            raise
        self._read_clock(answer.get("Date"))
        if failure := _failure(value):
            self._connection.drop()
            raise _Temporary(failure)
        return value

    def _read_clock(self, date: str | None) -> None:
        if date:
            self._clock_offset_s = parsedate_to_datetime(date).timestamp() - time.time()


class _Temporary(Exception):  # noqa: N818  # a flow of control, not an error that escapes
    """Worth another attempt."""


def _gzipped(content: bytes) -> bytes:
    """Compressed by frequencies of bytes alone: bodies are base64 of what is compressed already.

    Looking for repetitions takes four times as long and finds none.
    """
    gzip = zlib.compressobj(1, wbits=31, strategy=zlib.Z_HUFFMAN_ONLY)
    return gzip.compress(content) + gzip.flush()


def _failure(value: Any) -> str:
    """What went wrong with a listing that had begun well, as a whole or in one of its rows."""
    if isinstance(value, dict):
        rows = value.get("rows")
        for one in (value, *(rows if isinstance(rows, list) else ())):
            if one.get("error", "not_found") != "not_found":
                return _said((one["error"], one.get("reason")))
    return ""


def _said(error: Any) -> str:
    """An error as CouchDB names and explains it, or the beginning of what a proxy sends."""
    if isinstance(error, bytes):
        return cut(error.decode("utf-8", "replace"))
    return ", ".join(str(part) for part in error if part)


class Connection(threading.local):
    """What a `couchdb.http.Session` takes its connections from: here one per thread.

    A thread has one request under way at a time and reads each answer to its end, so one is
    enough; whoever sees an error drops it, because nobody knows what else is still to come. It
    goes with its thread or its store, whichever ends first.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._held: _Held | None = None

    def get(self, url: str) -> HTTPConnection:
        """The connection to the host of a URL, opened if need be."""
        if self._held is None:
            parts = urlsplit(url)
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            self._held = _Held(kind(parts.netloc, timeout=self._timeout_s))
            self._held.connection.connect()
        return self._held.connection

    def release(self, url: str, connection: HTTPConnection) -> None:
        """The answer was read; the connection stays open for the next request."""

    def drop(self) -> None:
        """Close it."""
        self._held = None


class _Held:
    """Closes a connection when nobody holds it any more."""

    def __init__(self, connection: HTTPConnection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


class NoCache:
    """Takes the place of a session's cache of answers: with them came the clock of long ago."""

    def get(self, url: str) -> None:
        """Nothing is kept."""

    def put(self, url: str, answer: object) -> None:
        """Nothing is kept."""
