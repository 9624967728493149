"""Errors of a CouchDB server, or of a proxy in front of it, and what they mean.

TransientError     worth another attempt (`std.store.couchdb.http` retries)
ConflictError      the caller handles it
TooLargeError      the caller sends several smaller requests
StoreError         everything else: one line for the user
"""

import ssl
from http.client import BadStatusLine, HTTPException
from socket import EAI_AGAIN, gaierror
from typing import NoReturn

from std.errors import StoreError
from std.store.couchdb.address import port_hint
from std.store.couchdb.connection import CannotConnectError, HttpStatusError
from std.store.couchdb.retry import TIMEOUT_VARIABLE

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
    raise StoreError(f"{url}: the server answers {status}: {message}{hint}") from error


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
    url: str, error: OSError | HTTPException | ValueError, waited_s: float, *, first: bool
) -> NoReturn:
    """Raise the error for a request without a response.

    Args:
        url: of the store, for messages.
        error: that ended the attempt.
        waited_s: time limit of the attempt in seconds.
        first: this server has never responded.

    Raises:
        StoreError: retrying does not help.
        TransientError: retrying may help.
    """
    connecting = isinstance(error, CannotConnectError)
    cause = error.__cause__ if connecting else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        raise StoreError(f"{url}: {cause.verify_message}") from error
    if isinstance(cause, ssl.SSLError) and cause.reason in NO_TLS:
        raise StoreError(
            f"{url}: expected TLS, got another answer: without TLS write couchdb:// or http://"
        ) from error
    if isinstance(cause, BadStatusLine) and str(cause).startswith(TLS_ALERT):
        raise StoreError(f"{url}: the server speaks TLS: write couchdbs:// or https://") from error
    if isinstance(cause, gaierror):
        if cause.errno == EAI_AGAIN:
            raise TransientError(cause.strerror) from error
        raise StoreError(f"{url}: {cause.strerror}") from error
    if isinstance(cause, TimeoutError) and not connecting:
        raise TransientError(
            f"none within {round(waited_s, 1):g} s ({TIMEOUT_VARIABLE} changes that)"
        ) from error
    if isinstance(error, CannotConnectError) and isinstance(cause, TimeoutError):
        what = f"no connection within {error.waited_s:g} s"
        if error.before_tls:
            what = f"no TLS within {error.waited_s:g} s: without TLS write couchdb:// or http://"
        if first:  # the address is probably wrong: do not retry
            raise StoreError(f"{url}: no answer from the server: {what}{port_hint(url)}") from error
        raise TransientError(what) from error
    broken = isinstance(cause, BrokenPipeError | ConnectionResetError) and not connecting
    raise TransientError(f"{type(cause).__name__} {cause}".strip(), cut_off=broken) from error
