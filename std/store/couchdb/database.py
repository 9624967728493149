"""One CouchDB database over HTTP: retries, authentication, redirects, compressed requests.

couchdb-python       documents, views and their rows, addresses, the password's header
`Database`           what a request means: what is repeated, how long, what an error says
`Session`            one request, by urllib3 (`std.store.couchdb.connection`)

Of the `couchdb` package only modules are imported that do not need ``cgi``, which Python 3.13 has
removed (`couchdb.client` and what it imports).

Every request may be repeated: reading changes nothing, and a second attempt to write the same
document and revision is a conflict, which the caller handles.
"""

import json
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from urllib3.exceptions import HTTPError

from std.errors import StoreError, quoted
from std.store.address import redacted
from std.store.couchdb.connection import (
    HttpStatusError,
    Session,
    error_and_message,
    parse_address,
    port_hint,
    redirect_target,
)
from std.store.couchdb.errors import (
    ConflictError,
    RetryPolicy,
    SlowRequestWarner,
    TooLargeError,
    TransientError,
    default_retry_policy,
    no_database_any_more,
    raise_for_failure,
    raise_for_status,
    too_large_message,
)

if TYPE_CHECKING:
    from couchdb.client import Row

BATCH_BYTES = 4_000_000  # CouchDB accepts 8 MB per document and 4 GB per request; proxies less
MIN_GZIP_BYTES = 1024
LARGE_BYTES = 1_000_000  # of a body that a proxy may refuse; nginx's default limit is 1 MiB
GZIP_REFUSED_STATUSES = frozenset({400, 415})
REDIRECTS = frozenset({301, 302, 307, 308})  # not 303, which asks for a GET request
MAX_REDIRECTS = 5


class Database:
    """A CouchDB database that need not exist yet.

    Raises (from every request):
        StoreError: no response within the time limit, or an error that retrying does not help.
        TooLargeError: the request is too large; several smaller ones may succeed.
    """

    def __init__(self, url: str, retry_policy: RetryPolicy | None = None) -> None:
        from couchdb import client, http

        self._base, credentials = parse_address(url)
        self._headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if credentials:
            self._headers["Authorization"] = http.basic_auth(credentials).decode("ascii")
        self.url = url
        self.requests = 0  # round trips so far
        self.received_bytes = 0  # of responses, so far
        self.batch_bytes = BATCH_BYTES  # of documents written in one request
        self.retry_policy = retry_policy = retry_policy or default_retry_policy()
        try:
            self._session = Session(self._base, retry_policy.connect_s)
        except HTTPError as error:
            raise StoreError(
                "HTTPS_PROXY: expected http://host:port of a proxy (NO_PROXY names hosts without)"
            ) from error
        self._slow_request_warner = SlowRequestWarner(url, retry_policy)
        self._answered = False  # whether CouchDB has responded at least once
        self._timed_out = False  # whether the last request did
        self._gzip = True
        self._documents = client.Database(Resource(self))
        self._clock_offset_s = 0.0  # the server's clock minus ours

    def rows(self, view: str, **options: Any) -> "list[Row]":
        """The rows of a view, ``_all_docs`` for example.

        Raises:
            StoreError: there is no such database.
        """
        try:
            rows: list[Row] = self._documents.view(view, **options).rows
        except (KeyError, TypeError, ValueError) as error:  # it has no rows, or they are no objects
            raise self._no_answer(f"{view} without rows") from error
        return rows

    def get(self, *path: str, **parameters: str) -> Any:
        """The JSON value at a path; None if it does not exist."""
        return self._request("GET", path, None, parameters)

    def post(self, path: str, body: Any, **parameters: str) -> Any:
        """Send a JSON value; returns the response's."""
        value = self._request("POST", (path,), body, parameters)
        if value is None:
            raise StoreError(f"{self.url}: there is no such database")
        return value

    def put(self, *path: str, body: Any, pauses_s: tuple[float, ...] | None = None) -> Any:
        """Send a JSON value to a path; returns the response's, None if there is no database.

        Args:
            path: parts of the path below the database.
            body: what becomes JSON.
            pauses_s: seconds to wait before each further attempt; None = the usual ones.

        Raises:
            ConflictError: its revision is not the current one.
        """
        return self._request("PUT", path, body, {}, pauses_s)

    def create(self) -> None:
        """Create the database unless it exists."""
        with suppress(ConflictError):  # somebody else created it at the same moment
            self._request("PUT", (), None, {})

    def exists(self) -> bool:
        """Whether there is such a database."""
        return self._request("GET", (), None, {}) is not None

    def server_time_s(self) -> float:
        """Seconds since 1970 by the server's clock, which all writers share."""
        return time.time() + self._clock_offset_s

    def attempts(self, pauses_s: tuple[float, ...] | None = None) -> Iterator[None]:
        """Yield once per attempt, pausing longer and longer in between."""
        yield
        for pause in self.retry_policy.pauses_s if pauses_s is None else pauses_s:
            time.sleep(pause)
            yield

    def close(self) -> None:
        self._session.close()

    def _request(
        self,
        method: str,
        path: tuple[str, ...],
        body: Any,
        parameters: dict[str, str],
        pauses_s: tuple[float, ...] | None = None,
    ) -> Any:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        last_error: object = ""
        cut_off = 0  # consecutive attempts in which the server closed while it was sent a body
        # After a timeout, the next request (which releases the lease) waits a short time only.
        retry_policy = self.retry_policy
        end_s = time.monotonic() + (
            retry_policy.notice_s if self._timed_out else retry_policy.give_up_s
        )
        with self._slow_request_warner.watching():
            for _ in self.attempts(pauses_s):
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    break
                read_s = min(retry_policy.timeout_s, left_s)
                try:
                    value = self._once(method, path, content, parameters, read_s)
                    self._timed_out = False
                    return value
                except TransientError as error:
                    last_error = error
                    cut_off = cut_off + 1 if error.cut_off else 0
                if cut_off == 2 and content is not None and len(content) > LARGE_BYTES:
                    raise TooLargeError(
                        too_large_message(self.url, len(content), f"it closes: {last_error}")
                    )
        self._timed_out = time.monotonic() >= end_s
        hint = "" if self._answered else port_hint(self.url)
        raise StoreError(f"{self.url}: no answer from the server: {last_error}{hint}")

    def _once(
        self,
        method: str,
        path: tuple[str, ...],
        content: bytes | None,
        parameters: dict[str, str],
        read_s: float,
    ) -> Any:
        """One attempt; raises `TransientError` for errors that are worth another attempt."""
        compressed = self._gzip and content is not None and len(content) >= MIN_GZIP_BYTES
        sent = _gzip_body(content or b"") if compressed else content
        try:
            value = self._exchange(method, path, sent, parameters, read_s, compressed=compressed)
        except HttpStatusError as error:
            if compressed and error.status in GZIP_REFUSED_STATUSES:
                self._gzip = False
                try:
                    return self._once(method, path, content, parameters, read_s)
                except StoreError:  # it was not the compression
                    self._gzip = True
                    raise
            raise_for_status(self.url, method, len(content or b""), error)
            return None
        except (HTTPError, ValueError) as error:
            connect_s = self.retry_policy.connect_s
            raise_for_failure(self.url, error, connect_s=connect_s, read_s=read_s)
        listed = path == ("_bulk_docs",) or "open_revs" in parameters
        if not isinstance(value, list if listed else dict):
            raise self._no_answer(value)
        if failure := _row_error(value):
            raise TransientError(failure)
        return value

    def _no_answer(self, value: Any) -> StoreError:
        return StoreError(
            f"{self.url}: expected the answer of a CouchDB server, got {quoted(value)}"
        )

    def _exchange(
        self,
        method: str,
        path: tuple[str, ...],
        content: bytes | None,
        parameters: dict[str, str],
        read_s: float,
        *,
        compressed: bool,
    ) -> Any:
        """The JSON value of the response to one request; follows redirects on the same host.

        Raises:
            HttpStatusError: the response is an error.
            HTTPError: there is none.
            ValueError: it is not JSON.
        """
        from couchdb import http

        headers = self._headers | ({"Content-Encoding": "gzip"} if compressed else {})
        base = self._base
        url = http.urljoin(base, *path, **parameters)
        rest = url.removeprefix(base)
        for _ in range(MAX_REDIRECTS + 1):
            self.requests += 1
            try:
                # Reading the body is part of the attempt: the connection may break in the middle.
                read, received = self._session.request(method, url, content, headers, read_s)
            except HttpStatusError as error:
                if error.status not in REDIRECTS:
                    self._answered = self._answered or bool(error.error)
                    raise
                url = self._redirected(url, error)
                if error.status in (301, 308) and url.endswith(rest):
                    self._base = url[: len(url) - len(rest)].rstrip("/")
                continue
            self.received_bytes += len(read)
            if date := received.get("Date"):
                self._clock_offset_s = parsedate_to_datetime(date).timestamp() - time.time()
            value = self._decode(read, received.get("Content-Type") or "")
            self._answered = True
            return value
        raise StoreError(
            f"{self.url}: the server redirects in a circle, at last to {redacted(url)}"
        )

    def _redirected(self, url: str, error: HttpStatusError) -> str:
        """The URL of a redirect, on the same host.

        Raises:
            StoreError: it is on another host, which must not get documents and password.
        """
        target = redirect_target(url, error.location or "")
        if target is None:
            raise StoreError(
                f"{self.url}: the server redirects ({error.status}) to "
                f"{redacted(error.location or 'nowhere')}: "
                "give the address of the server that is meant"
            )
        return target

    def _decode(self, content: bytes, content_type: str) -> Any:
        try:
            return json.loads(content)
        except ValueError as error:
            if "html" not in content_type:
                raise
            message = error_and_message(content, content_type)[1]
            raise StoreError(
                f"{self.url}: expected the answer of a CouchDB server, got a web page: {message}"
            ) from error


class Resource:
    """A path below a database, as couchdb-python's `couchdb.client` asks for it.

    It takes the place of `couchdb.http.Resource`, which has neither time limits nor retries.
    """

    def __init__(self, database: Database, *path: str) -> None:
        self._database, self._path = database, path

    def __call__(self, *path: str) -> "Resource":
        """A path below this one."""
        return Resource(self._database, *self._path, *path)

    def get_json(self, **parameters: str) -> tuple[int, Mapping[str, str], Any]:
        """Status, headers and value of a response."""
        return self._answer(self._database.get(*self._path, **parameters))

    def post_json(self, body: Any, **parameters: str) -> tuple[int, Mapping[str, str], Any]:
        """Status, headers and value of the response to a body."""
        return self._answer(self._database.post("/".join(self._path), body, **parameters))

    def _answer(self, value: Any) -> tuple[int, Mapping[str, str], Any]:
        if value is None:
            raise no_database_any_more(self._database.url)
        return 200, {}, value


def _gzip_body(content: bytes) -> bytes:
    """Compress with Huffman coding only: bodies are base64 of deflated columns.

    Such bodies have no repetitions, and searching for them takes four times as long.
    """
    gzip = zlib.compressobj(1, wbits=31, strategy=zlib.Z_HUFFMAN_ONLY)
    return gzip.compress(content) + gzip.flush()


def _row_error(value: Any) -> str:
    """The error in a listing with status 200, as a whole or in one of its rows; "" if none."""
    if isinstance(value, dict):
        rows = value.get("rows")
        for row in (value, *(rows if isinstance(rows, list) else ())):
            if isinstance(row, dict) and row.get("error", "not_found") != "not_found":
                return ", ".join(str(part) for part in (row["error"], row.get("reason")) if part)
    return ""
