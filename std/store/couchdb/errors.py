"""Errors of a CouchDB server, or of a proxy in front of it, and what they mean.

TransientError     worth another attempt (`std.store.couchdb.http` retries)
ConflictError      the caller handles it
TooLargeError      the caller sends several smaller requests
StoreError         everything else: one line for the user
"""

import ssl
from http.client import BadStatusLine
from socket import EAI_AGAIN, gaierror
from typing import NoReturn

from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationParseError,
    NewConnectionError,
)

from std.errors import StoreError
from std.store.couchdb.retry import TIMEOUT_VARIABLE
from std.store.couchdb.session import HttpStatusError

TRANSIENT_STATUSES = frozenset({408, 412, 425, 429, 500, 502, 503, 504})  # 412: in maintenance
NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE"}
)
TLS_ALERT = "\x15\x03"


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

    Args:
        url: of the store, for messages.
        method: of the request.
        size: of the request's body in bytes.
        error: the response.

    Raises:
        ConflictError, Temporary, TooLargeError, StoreError: what the response means.
    """
    status, message = error.status, error.message
    if status == 404 and error.error:
        return
    if status == 409 or (status == 412 and method == "PUT" and error.error == "file_exists"):
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
    """The error for a database that was there, or was made, a moment ago."""
    return StoreError(f"{url}: there is no such database any more{slash_hint(url)}")


def slash_hint(url: str) -> str:
    """What may be wrong if a database is not found whose name holds a slash.

    >>> slash_hint("couchdb://host/a%2Fb"), slash_hint("couchdb://host/a/b")
    (' (a proxy must pass %2F on as it is)', '')
    """
    return " (a proxy must pass %2F on as it is)" if "%2f" in url.lower() else ""


def too_large_message(url: str, size: int, reason: str) -> str:
    """The message for a request that is too large, with the settings that limit it.

    Args:
        url: of the store.
        size: of the request, bytes.
        reason: what the server answered.
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
        url: of the store, for messages.
        error: that ended the attempt.
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
