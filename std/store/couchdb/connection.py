"""HTTP connections to one server, one per thread; error responses are raised here.

The `couchdb` package fails on responses that CouchDB itself never sends: errors of proxies without
a content type or a length, and redirects of requests other than GET. So its session sees only
successful responses; all others are raised as `HttpStatusError` with the server's message.
"""

import json
import re
import threading
import time
import weakref
from contextlib import suppress
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from typing import Any
from urllib.parse import urlsplit

from std.errors import cut

IDLE_S = 30.0  # a connection that was unused for longer may be dead without notice
SHOWN_BYTES = 65_536  # read of an error response
TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
MARKUP = re.compile(r"<(script|style)\b.*?</\1|<[^>]*>", re.IGNORECASE | re.DOTALL)


class HttpStatusError(Exception):
    """A response that is not a success; never leaves `std.store.couchdb`.

    Attributes:
        status: of HTTP.
        error: CouchDB's name of the error; "" if the response is not CouchDB's.
        message: what the server or a proxy wrote, to be shown.
        location: where it redirects.
    """

    def __init__(self, status: int, error: str, message: str, location: str | None = None) -> None:
        super().__init__(status)
        self.status, self.error, self.message, self.location = status, error, message, location


class CannotConnectError(OSError):
    """There is no connection to the server; ``__cause__`` is the reason.

    ``before_tls`` if the connection was opened and the TLS handshake failed.
    """

    def __init__(self, waited_s: float, *, before_tls: bool) -> None:
        super().__init__(waited_s)
        self.waited_s, self.before_tls = waited_s, before_tls


class Connection(threading.local):
    """The connection pool of a `couchdb.http.Session`: one connection per thread.

    One is enough, because a thread sends one request at a time and reads the whole response. After
    an error the caller closes it, because unread bytes may still arrive. It is closed with its
    thread or its store, whichever ends first.
    """

    def __init__(self, connect_s: float) -> None:
        self._connect_s = connect_s
        self._open: _OpenConnection | None = None
        self.timeout_s: float | None = None  # of the next request, for each read

    def get(self, url: str) -> HTTPConnection:
        """The connection to the host of a URL; opens it if necessary.

        Raises:
            CannotConnectError: no connection, or no TLS.
        """
        parts = urlsplit(url)
        server = parts.scheme, parts.netloc
        opened = self._open
        if opened is None or opened.server != server or time.monotonic() - opened.used_s > IDLE_S:
            kind = _Https if parts.scheme == "https" else _Http
            self._open = opened = _OpenConnection(
                kind(parts.netloc, timeout=self._connect_s), server
            )
            try:
                opened.connection.connect()
            except OSError as error:
                self._open = None
                before_tls = opened.connection.sock is not None
                raise CannotConnectError(self._connect_s, before_tls=before_tls) from error
        opened.used_s = time.monotonic()
        opened.connection.sock.settimeout(self.timeout_s)
        return opened.connection

    def release(self, url: str, connection: HTTPConnection) -> None:
        """The response was read; keep the connection open for the next request."""
        if self._open is not None:
            self._open.used_s = time.monotonic()

    def drop(self) -> None:
        """Close this thread's connection."""
        self._open = None


class _OpenConnection:
    """Closes its connection when it is no longer referenced."""

    def __init__(self, connection: HTTPConnection, server: tuple[str, str]) -> None:
        self.connection = connection
        self.server = server
        self.used_s = time.monotonic()
        # Not `__del__`: in a circle of references the socket may be the first to go, unclosed.
        weakref.finalize(self, connection.close)


class _RaisingConnection(HTTPConnection):
    """Raises error responses, also those that arrive before the request was sent completely."""

    def endheaders(self, message_body: Any = None, *, encode_chunked: bool = False) -> None:
        try:
            super().endheaders(message_body, encode_chunked=encode_chunked)
        except (BrokenPipeError, ConnectionResetError):
            # A proxy that refuses bodies of this size responds and closes without reading it.
            with suppress(OSError, HTTPException):
                self.getresponse()
            raise

    def getresponse(self) -> HTTPResponse:
        response = super().getresponse()
        if 200 <= response.status < 300:
            return response
        try:
            content = response.read(SHOWN_BYTES)
            if response.length and len(content) < SHOWN_BYTES:
                raise IncompleteRead(content, response.length)
        except (OSError, HTTPException):
            if response.status != 413:  # the meaning of other errors may depend on their text
                raise
            content = b""
        error, message = error_and_message(content, response.headers.get("Content-Type", ""))
        message = message or response.reason or "nothing else"
        raise HttpStatusError(response.status, error, message, response.headers.get("Location"))


class _Http(_RaisingConnection):
    """Without TLS."""


class _Https(_RaisingConnection, HTTPSConnection):
    """With TLS."""


def error_and_message(content: bytes, content_type: str) -> tuple[str, str]:
    """CouchDB's name of an error ("" if a proxy responded), and the message in words.

    >>> error_and_message(b'{"error": "forbidden", "reason": "not you"}', "application/json")
    ('forbidden', 'forbidden, not you')
    >>> error_and_message(b"<html><title>502 Bad Gateway</title>...", "text/html")
    ('', '502 Bad Gateway')
    """
    text = content.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            reason = value.get("reason")
            return value["error"], cut(
                ", ".join(str(part) for part in (value["error"], reason) if part)
            )
        if isinstance(value, list):  # of documents that some nodes refused
            return "", cut(text)
    if "html" in content_type or text.lstrip()[:1] == "<":
        title = TITLE.search(text)
        text = title[1] if title else MARKUP.sub(" ", text)
    return "", cut(" ".join(text.split()))


class NoCache:
    """Replaces a session's cache of responses, whose old Date headers would set the clock wrong."""

    def get(self, url: str) -> None:
        """Nothing is cached."""

    def put(self, url: str, response: object) -> None:
        """Nothing is cached."""
