"""HTTP connections to one server, one per thread; answers that refuse are raised here.

The `couchdb` package stumbles over answers that CouchDB does not give: errors of proxies without a
type or a length, redirections of anything but GET. So its session sees only answers that succeed,
and everything else is a `Refusal` with what the server or a proxy said.
"""

import json
import re
import threading
import time
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

IDLE_S = 30.0  # unused for longer, a connection may be dead without anybody having said so
SHOWN_BYTES = 65_536  # read of an answer that refuses
TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
NO_TEXT = re.compile(r"<(script|style)\b.*?</\1|<[^>]*>", re.IGNORECASE | re.DOTALL)


class Refusal(Exception):  # noqa: N818  # a flow of control, not an error that escapes
    """An answer that is not a success.

    ``error`` is the name that CouchDB has for it; "" if the answer is not CouchDB's.
    """

    def __init__(self, status: int, error: str, said: str, location: str | None = None) -> None:
        super().__init__(status)
        self.status, self.error, self.said, self.location = status, error, said, location


class CannotConnectError(OSError):
    """There is no connection to the server; ``__cause__`` says why.

    ``before_tls`` if somebody took the connection but did not agree on TLS.
    """

    def __init__(self, waited_s: float, *, before_tls: bool) -> None:
        super().__init__(waited_s)
        self.waited_s, self.before_tls = waited_s, before_tls


class Connection(threading.local):
    """What a `couchdb.http.Session` takes its connections from: here one per thread.

    A thread has one request under way at a time and reads each answer to its end, so one is
    enough; whoever sees an error drops it, because nobody knows what else is still to come. It
    goes with its thread or its store, whichever ends first.
    """

    def __init__(self, connect_s: float) -> None:
        self._connect_s = connect_s
        self._held: _Held | None = None
        self.timeout_s: float | None = None  # of the next request, for each part of its answer

    def get(self, url: str) -> HTTPConnection:
        """The connection to the host of a URL, opened if need be.

        Raises:
            CannotConnectError: nobody there, or no TLS.
        """
        parts = urlsplit(url)
        place = parts.scheme, parts.netloc
        held = self._held
        if held is None or held.place != place or time.monotonic() - held.used_s > IDLE_S:
            kind = _Https if parts.scheme == "https" else _Http
            self._held = held = _Held(kind(parts.netloc, timeout=self._connect_s), place)
            try:
                held.connection.connect()
            except OSError as error:
                self._held = None
                before_tls = held.connection.sock is not None
                raise CannotConnectError(self._connect_s, before_tls=before_tls) from error
        held.used_s = time.monotonic()
        held.connection.sock.settimeout(self.timeout_s)
        return held.connection

    def release(self, url: str, connection: HTTPConnection) -> None:
        """The answer was read; the connection stays open for the next request."""
        if self._held is not None:
            self._held.used_s = time.monotonic()

    def drop(self) -> None:
        """Close it."""
        self._held = None


class _Held:
    """Closes a connection when nobody holds it any more."""

    def __init__(self, connection: HTTPConnection, place: tuple[str, str]) -> None:
        self.connection = connection
        self.place = place
        self.used_s = time.monotonic()

    def __del__(self) -> None:
        self.connection.close()


class _Refusing(HTTPConnection):
    """Raises answers that are no success, and those that come before a request was sent."""

    def endheaders(self, message_body: Any = None, *, encode_chunked: bool = False) -> None:
        try:
            super().endheaders(message_body, encode_chunked=encode_chunked)
        except (BrokenPipeError, ConnectionResetError):
            # A proxy that takes no body of this size has answered and closed without reading it.
            with suppress(OSError, HTTPException):
                self.getresponse()
            raise

    def getresponse(self) -> HTTPResponse:
        answer = super().getresponse()
        if 200 <= answer.status < 300:
            return answer
        try:
            content = answer.read(SHOWN_BYTES)
            if answer.length and len(content) < SHOWN_BYTES:
                raise IncompleteRead(content, answer.length)
        except (OSError, HTTPException):
            if answer.status != 413:  # of the others some mean what their text says
                raise
            content = b""
        error, said = explained(content, answer.headers.get("Content-Type", ""))
        said = said or answer.reason or "nothing else"
        raise Refusal(answer.status, error, said, answer.headers.get("Location"))


class _Http(_Refusing):
    """Without TLS."""


class _Https(_Refusing, HTTPSConnection):
    """With TLS."""


def explained(content: bytes, content_type: str) -> tuple[str, str]:
    """CouchDB's name of an error, and what an answer says in words: CouchDB's or a proxy's.

    >>> explained(b'{"error": "forbidden", "reason": "not you"}', "application/json")
    ('forbidden', 'forbidden, not you')
    >>> explained(b"<html><title>502 Bad Gateway</title>...", "text/html")
    ('', '502 Bad Gateway')
    """
    text = content.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            reason = value.get("reason")
            return value["error"], cut(
                ", ".join(str(one) for one in (value["error"], reason) if one)
            )
        if isinstance(value, list):  # of documents that some nodes did not take
            return "", cut(text)
    if "html" in content_type or text.lstrip()[:1] == "<":
        title = TITLE.search(text)
        text = title[1] if title else NO_TEXT.sub(" ", text)
    return "", cut(" ".join(text.split()))


class NoCache:
    """Takes the place of a session's cache of answers: with them came the clock of long ago."""

    def get(self, url: str) -> None:
        """Nothing is kept."""

    def put(self, url: str, answer: object) -> None:
        """Nothing is kept."""
