"""What it means when a CouchDB server, or a proxy in front of it, does not do what it was asked.

Three ways on: `Temporary` is tried again, `Conflict` and `TooLargeError` are understood by whoever
asked, and everything else is a `StoreError`, one line for the user.
"""

import ssl
from http.client import BadStatusLine, HTTPException
from socket import EAI_AGAIN, gaierror
from typing import NoReturn

from std.errors import StoreError
from std.store.couchdb.address import port_hint
from std.store.couchdb.connection import CannotConnectError, Refusal
from std.store.couchdb.retry import TIMEOUT

TRY_AGAIN_LATER = frozenset({408, 412, 425, 429, 500, 502, 503, 504})  # 412: in maintenance
NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE"}
)
TLS_ALERT = "\x15\x03"


class Conflict(Exception):  # noqa: N818  # what CouchDB calls it; never leaves the store
    """Somebody else wrote this document or made this database; or we did, and send it again."""


class TooLargeError(StoreError):
    """The server, or a proxy in front of it, takes no request of this size."""


class Temporary(Exception):  # noqa: N818  # a flow of control, not an error that escapes
    """Worth another attempt; ``cut_off`` if the server closed while it was being told something."""

    def __init__(self, said: object, *, cut_off: bool = False) -> None:
        super().__init__(said)
        self.cut_off = cut_off


def refused(url: str, method: str, size: int, refusal: Refusal) -> None:
    """Return if there is nothing under the name that was asked for; everything else is an error.

    Args:
        url: the store's, for messages.
        method: of the request.
        size: bytes of its body.
        refusal: the answer.

    Raises:
        Conflict, Temporary, TooLargeError, StoreError: what the refusal means.
    """
    status, said = refusal.status, refusal.said
    if status == 404 and refusal.error:
        return
    if status == 409 or (status == 412 and method == "PUT" and refusal.error == "file_exists"):
        raise Conflict from refusal
    if status in TRY_AGAIN_LATER:
        raise Temporary(f"status {status}, {said}") from refusal
    if status in (401, 403):
        raise StoreError(
            f"{url}: the server refuses this user: {said} (name the user in the URL, the "
            "password in STD_COUCHDB_PASSWORD or ~/.netrc)"
        ) from refusal
    if status == 413:
        raise TooLargeError(too_large(url, size, f"413: {said}")) from refusal
    hint = "" if refusal.error else " (is a CouchDB server at this address?)"
    raise StoreError(f"{url}: the server answers {status}: {said}{hint}") from refusal


def too_large(url: str, size: int, said: str) -> str:
    """A line about a request that is too large, and what sets the limit."""
    return (
        f"{url}: the server, or a proxy in front of it, takes no request of {size / 1e6:.2f} MB "
        f"({said}); the limit is CouchDB's max_document_size or max_http_request_size, or a "
        "proxy's (nginx: client_max_body_size)"
    )


def failed(
    url: str, error: OSError | HTTPException | ValueError, waited_s: float, *, first: bool
) -> NoReturn:
    """Say why there is no answer.

    Args:
        url: the store's, for messages.
        error: what ended the attempt.
        waited_s: how long the attempt could last.
        first: this server has never answered.

    Raises:
        StoreError: repeating does not help.
        Temporary: it may.
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
            raise Temporary(cause.strerror) from error
        raise StoreError(f"{url}: {cause.strerror}") from error
    if isinstance(cause, TimeoutError) and not connecting:
        raise Temporary(f"none within {round(waited_s, 1):g} s ({TIMEOUT} changes that)") from error
    if isinstance(error, CannotConnectError) and isinstance(cause, TimeoutError):
        what = f"no connection within {error.waited_s:g} s"
        if error.before_tls:
            what = f"no TLS within {error.waited_s:g} s: without TLS write couchdb:// or http://"
        if first:  # nobody has seen this server yet: once is enough
            raise StoreError(f"{url}: no answer from the server: {what}{port_hint(url)}") from error
        raise Temporary(what) from error
    broken = isinstance(cause, BrokenPipeError | ConnectionResetError) and not connecting
    raise Temporary(f"{type(cause).__name__} {cause}".strip(), cut_off=broken) from error
