"""One CouchDB database over HTTP: retries, authentication, redirections, compressed requests.

The `couchdb` package speaks HTTP; what it leaves to its caller is added here and in
`std.store.couchdb.connection`. It never gives up waiting (here: `std.store.couchdb.retry`),
retries only broken sockets (here: whatever a server in trouble does), and may keep a connection
whose last answer was not read to its end (here: one connection per thread, dropped after any
error). Only its modules that do without ``cgi``, which Python 3.13 no longer has, are imported.

Every request may be repeated: reading changes nothing, and writing puts documents under names
and revisions that turn a second attempt into a conflict, which the caller understands.
"""

import json
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urljoin, urlsplit

from std.errors import StoreError
from std.store.address import redacted
from std.store.couchdb.address import address, port_hint
from std.store.couchdb.connection import Connection, NoCache, Refusal, explained
from std.store.couchdb.errors import Conflict, Temporary, TooLargeError, failed, refused, too_large
from std.store.couchdb.retry import Patience, Waiting, usual_patience

__all__ = ["BATCH_BYTES", "Conflict", "Database", "Patience", "TooLargeError"]

BATCH_BYTES = 4_000_000  # CouchDB takes 8 MB a document and 4 GB a request; proxies take less
WORTH_GZIP_BYTES = 1024
LARGE_BYTES = 1_000_000  # proxies take bodies of about 1 MB; nginx's default is 1 MiB
REFUSES_GZIP = frozenset({400, 415})
REDIRECTS = frozenset({301, 302, 307, 308})  # not 303: that one wants another request than ours
MOST_REDIRECTS = 5


class Database:
    """A CouchDB database that need not exist yet.

    Raises (from every request):
        StoreError: no answer in spite of all patience, or one that repeating does not mend.
        TooLargeError: a request that is too large; the same in smaller ones may be taken.
    """

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        from couchdb.http import Session

        self._base, self._credentials = address(url)
        self.url = url
        self.requests = 0  # round trips so far
        self.received_bytes = 0  # of answers, so far
        self.batch_bytes = BATCH_BYTES  # of documents written in one request
        self.patience = patience = patience or usual_patience()
        self._connection = Connection(patience.connect_s)
        self._waiting = Waiting(url, patience)
        self._answered = False  # whether there ever was an answer of CouchDB's
        self._silent = False  # whether the last request waited in vain
        self._gzip = True
        self._clock_offset_s = 0.0  # the server's clock minus ours
        self._session = Session(timeout=patience.timeout_s, retryable_errors=())
        self._session.connection_pool = self._connection
        self._session.cache = NoCache()

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
        cut_off = 0  # attempts, one after the other, whose body the server did not read
        # Who has waited in vain does not wait as long again to let go of the right to write.
        patience = self.patience
        end_s = time.monotonic() + (patience.notice_s if self._silent else patience.give_up_s)
        with self._waiting.noticed():
            for _ in self.attempts(pauses_s):
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    break
                self._connection.timeout_s = min(patience.timeout_s, left_s)
                try:
                    value = self._once(method, path, content, parameters)
                    self._silent = False
                    return value
                except Temporary as error:
                    trouble = error
                    cut_off = cut_off + 1 if error.cut_off else 0
                if cut_off == 2 and content is not None and len(content) > LARGE_BYTES:
                    raise TooLargeError(too_large(self.url, len(content), f"it closes: {trouble}"))
        self._silent = time.monotonic() >= end_s
        hint = "" if self._answered else port_hint(self.url)
        raise StoreError(f"{self.url}: no answer from the server: {trouble}{hint}")

    def _once(
        self, method: str, path: tuple[str, ...], content: bytes | None, parameters: dict[str, str]
    ) -> Any:
        """One attempt; anything that may pass by itself is raised as `Temporary`."""
        compressed = self._gzip and content is not None and len(content) >= WORTH_GZIP_BYTES
        sent = _gzipped(content or b"") if compressed else content
        try:
            value = self._exchanged(method, path, sent, parameters, compressed=compressed)
        except Refusal as refusal:
            self._connection.drop()
            if compressed and refusal.status in REFUSES_GZIP:
                self._gzip = False
                try:
                    return self._once(method, path, content, parameters)
                except StoreError:  # so compression was not what it disliked
                    self._gzip = True
                    raise
            refused(self.url, method, len(content or b""), refusal)
            return None
        except BaseException as error:
            # Ctrl-C, too: the answer still on its way is not the next request's.
            self._connection.drop()
            if isinstance(error, OSError | HTTPException | ValueError):
                failed(self.url, error, self._connection.timeout_s or 0.0, first=not self._answered)
            raise
        if failure := _failure(value):
            self._connection.drop()
            raise Temporary(failure)
        return value

    def _exchanged(
        self,
        method: str,
        path: tuple[str, ...],
        content: bytes | None,
        parameters: dict[str, str],
        *,
        compressed: bool,
    ) -> Any:
        """The value of the answer to one request, wherever the server sends us on its host.

        Raises:
            Refusal: the answer is no success.
        """
        from couchdb import http

        headers = {"Content-Type": "application/json"}
        if compressed:
            headers["Content-Encoding"] = "gzip"
        base = self._base
        url = http.urljoin(base, *path, **parameters)
        rest = url.removeprefix(base)
        for _ in range(MOST_REDIRECTS + 1):
            self.requests += 1
            try:
                # The answer's body is part of the attempt: it may break off in the middle.
                _, answer, stream = self._session.request(
                    method, url, body=content, headers=dict(headers), credentials=self._credentials
                )
                read = stream.read() if stream is not None else b"null"
            except Refusal as refusal:
                if refusal.status not in REDIRECTS:
                    self._answered = self._answered or bool(refusal.error)
                    raise
                self._connection.drop()
                url = self._redirected(url, refusal)
                if refusal.status in (301, 308) and url.endswith(rest):
                    self._base = url[: len(url) - len(rest)].rstrip("/")
                continue
            self.received_bytes += len(read)
            if date := answer.get("Date"):
                self._clock_offset_s = parsedate_to_datetime(date).timestamp() - time.time()
            value = self._value(read, answer.get("Content-Type") or "")
            self._answered = True
            return value
        raise StoreError(
            f"{self.url}: the server redirects in a circle, at last to {redacted(url)}"
        )

    def _value(self, content: bytes, content_type: str) -> Any:
        try:
            return json.loads(content)
        except ValueError as error:
            if "html" not in content_type:
                raise
            said = explained(content, content_type)[1]
            raise StoreError(
                f"{self.url}: expected the answer of a CouchDB server, got a web page: {said}"
            ) from error

    def _redirected(self, url: str, refusal: Refusal) -> str:
        """Where a redirection leads, on the same host.

        Raises:
            StoreError: it leads elsewhere: nobody else gets documents and password unasked.
        """
        try:
            there = urljoin(url, refusal.location or "")
            old, new = urlsplit(url), urlsplit(there)
            same = bool(refusal.location) and old.hostname == new.hostname
            same = same and (old.scheme, new.scheme) != ("https", "http") and new.username is None
            same = same and new.scheme in ("http", "https") and new.port != 0
        except ValueError:
            same, there = False, refusal.location or ""
        if not same:
            raise StoreError(
                f"{self.url}: the server redirects ({refusal.status}) to {redacted(there)}: "
                "give the address of the server that is meant"
            )
        return there


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
                return ", ".join(str(part) for part in (one["error"], one.get("reason")) if part)
    return ""
