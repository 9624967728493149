"""The connection to a CouchDB server: its address, user and password, and one HTTP request.

    parse_address    the URL of a store -> HTTP URL, user and password
    Session          one request; any status but success raises `HttpStatusError`

urllib3 keeps the connections (one that the server has closed, politely or not, is opened again),
limits the wait and speaks TLS. It repeats and redirects nothing: `std.store.couchdb.database` does,
because documents and password must stay on their host.
"""

import json
import netrc
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import BaseHTTPResponse, PoolManager, ProxyManager, Timeout
from urllib3.exceptions import HTTPError, ProtocolError
from urllib3.util import make_headers, parse_url

from std.errors import StoreError, cut, quoted
from std.store.address import COUCHDB_FORM, COUCHDB_SCHEMES, redacted

NATIVE_PORTS = {"couchdb": 5984, "couchdbs": 6984}  # CouchDB's own ports
DATABASE_NAME = re.compile(r"[a-z][a-z0-9_$()+/-]*")
PREFIX_PART = re.compile(r"(?!\.\.?$)[A-Za-z0-9_.~!$&'()*+,;=%-]+")
PREFIX_FORM = "couchdb://[user@]host[:port]/[prefix/]database"
IDLE_S = 30.0  # a connection that was unused for longer may be dead without notice
CONNECTIONS = 16  # kept open; more threads than that open further ones
LENGTH_HEADERS = ("Content-Length", "Transfer-Encoding")  # one of them, or the end closes
ERROR_PIECE_BYTES = 8192
SHOWN_PIECES = 8  # read of an error response
TITLE = re.compile(r"<title[^<>]*>([^<]*)</title", re.IGNORECASE | re.DOTALL)
MARKUP = re.compile(r"<(script|style)\b.*?(</\1|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def parse_address(url: str) -> tuple[str, tuple[str, str] | None]:
    """The HTTP URL of the database of a store, and (user, password).

    ``couchdb[s]://[user@]host[:port]/[prefix/]database`` or the same with ``http[s]://``. A prefix
    is the path under which a proxy serves CouchDB. The default port is CouchDB's (5984, with TLS
    6984) for couchdb and HTTP's (80, 443) for http.

    Raises:
        StoreError: a malformed URL, one with a password in it, or a user without password.
    """
    parts = _split(url)
    if not parts.hostname:
        raise StoreError(f"{redacted(url)}: expected {COUCHDB_FORM}")
    *prefix, name = parts.path.strip("/").split("/")
    if not name:
        raise StoreError(f"{redacted(url)}: expected {COUCHDB_FORM}, got no database")
    if not all(PREFIX_PART.fullmatch(part) for part in prefix):
        raise StoreError(f"{redacted(url)}: expected {PREFIX_FORM}, got another prefix")
    database = unquote(name)
    if not DATABASE_NAME.fullmatch(database):
        raise StoreError(
            f"{redacted(url)}: expected a database name of a-z, 0-9 and _$()+-/ (as %2F) that "
            f"begins with a letter, got {quoted(database)}"
        )
    port = parts.port or NATIVE_PORTS.get(parts.scheme)
    ascii_name = parts.hostname.encode("idna").decode("ascii")
    host = f"[{ascii_name}]" if ":" in ascii_name else ascii_name
    scheme = "https" if parts.scheme in ("couchdbs", "https") else "http"
    user = unquote(parts.username) if parts.username else None
    path = "/".join([*prefix, quote(database, safe="")])
    base = f"{scheme}://{host}{f':{port}' if port else ''}/{path}"
    return base, _credentials(redacted(url), parts.hostname, user)


def port_hint(url: str) -> str:
    """A hint for the user if there is no server at an address."""
    scheme, port = _split(url).scheme, _split(url).port
    if port is not None or scheme not in NATIVE_PORTS:
        return ""
    other, usual = ("https", 443) if scheme == "couchdbs" else ("http", 80)
    return f" (port {NATIVE_PORTS[scheme]} is CouchDB's own; for a proxy's port {usual} write {other}://)"


def _split(url: str) -> SplitResult:
    """The parts of a CouchDB URL without password, query and fragment.

    Messages never repeat a part of the URL that may be a password.
    """
    url = url.strip()
    shown = redacted(url)
    try:
        parts = urlsplit(url)
        if parts.password is not None:
            raise StoreError(
                f"{shown}: expected no password in the URL (others can see it there): "
                "put it into STD_COUCHDB_PASSWORD or ~/.netrc"
            )
        port = parts.port
        (parts.hostname or "").encode("idna")
    except UnicodeError as error:
        raise StoreError(f"{shown}: expected the name of a host") from error
    except ValueError as error:  # its text may hold a piece of a password
        raise StoreError(
            f"{shown}: expected {COUCHDB_FORM} with a port from 1 to 65535 (an IPv6 address in [ ])"
        ) from error
    if parts.scheme not in COUCHDB_SCHEMES or not parts.netloc:
        raise StoreError(f"{shown}: expected {COUCHDB_FORM}")
    if port == 0:
        raise StoreError(f"{shown}: expected a port from 1 to 65535, got 0")
    for sign, what in (("?", "query (?...)"), ("#", "fragment (#...)")):
        if sign in url:
            raise StoreError(f"{shown}: expected {COUCHDB_FORM}, got a {what} behind it")
    if not url.isprintable() or " " in url:
        raise StoreError(f"{shown}: expected {COUCHDB_FORM}, got blanks in it")
    return parts


def _credentials(shown: str, host: str, user: str | None) -> tuple[str, str] | None:
    """User and password: from the environment, else from ~/.netrc."""
    password = os.environ.get("STD_COUCHDB_PASSWORD")
    if user and password is not None:
        return user, password
    try:
        login, _, secret = netrc.netrc().authenticators(host) or (None, None, None)
    except FileNotFoundError:
        login, secret = None, None
    except (netrc.NetrcParseError, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{shown}: cannot read ~/.netrc: {error}") from error
    if login and secret is not None and user in (None, login):
        return login, secret
    if user:
        raise StoreError(
            f"{shown}: expected a password for this user in STD_COUCHDB_PASSWORD or ~/.netrc"
        )
    return None


class HttpStatusError(Exception):
    """A response that is not a success; never leaves `std.store.couchdb`.

    Attributes:
        status: the HTTP status.
        error: CouchDB's name of the error; "" if the response is not CouchDB's.
        message: what the server or a proxy wrote, to be shown.
        location: where it redirects.
    """

    def __init__(self, status: int, error: str, message: str, location: str | None = None) -> None:
        super().__init__(status)
        self.status, self.error, self.message, self.location = status, error, message, location


class Session:
    """The connections to a server; threads may share it.

    Args:
        url: the address of the server, or of anything on it.
        connect_s: how long to wait for a connection, and as long again for TLS.

    Raises:
        HTTPError: the environment names a proxy of an unknown kind.
    """

    def __init__(self, url: str, connect_s: float) -> None:
        self._connect_s = connect_s
        self._pools = _pools(url)
        self._used_s = time.monotonic()

    def request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], read_s: float
    ) -> tuple[bytes, Mapping[str, str]]:
        """Send one request; the content and the headers of its response.

        Args:
            read_s: how long to wait for each piece of the response, in seconds.

        Raises:
            HttpStatusError: the response is no success.
            HTTPError: there is no response, or it ends too early.
        """
        if time.monotonic() - self._used_s > IDLE_S:
            self.close()
        response = self._pools.request(
            method,
            url,
            body=body,
            headers=headers,
            timeout=Timeout(connect=self._connect_s, read=read_s),
            redirect=False,
            preload_content=False,
        )
        try:
            if not 200 <= response.status < 300:
                raise _status_error(response)
            content = response.read(decode_content=False)
        except BaseException as error:
            # Ctrl-C, too: what may still arrive must not become the next request's response.
            response.close()
            if not (isinstance(error, HttpStatusError) and error.error):
                self.close()  # a proxy that answers by itself often closes without a word
            raise
        response.release_conn()
        self._used_s = time.monotonic()
        return content, response.headers

    def close(self) -> None:
        """Close all connections that no thread is using; the next request opens one."""
        self._pools.clear()


def _pools(url: str) -> PoolManager:
    """Pools of connections; those with TLS go through the proxy that the environment names.

    With TLS, such a proxy passes on bytes that it cannot read. Without TLS it could read documents
    and the password, so no proxy is used.
    """
    parts = urlsplit(url)
    named = getproxies().get("https") if parts.scheme == "https" else None
    if not named or proxy_bypass(parts.hostname or ""):
        return PoolManager(maxsize=CONNECTIONS, retries=False)
    proxy = parse_url(named if "://" in named else f"http://{named}")
    headers = make_headers(proxy_basic_auth=unquote(proxy.auth)) if proxy.auth else None
    address = proxy._replace(auth=None).url
    return ProxyManager(address, proxy_headers=headers, maxsize=CONNECTIONS, retries=False)


def redirect_target(url: str, location: str) -> str | None:
    """The URL to which a response redirects; None if it is not on the same host or without TLS.

    >>> redirect_target("https://db.example/news", "/new/news")
    'https://db.example/new/news'
    >>> redirect_target("https://db.example/news", "http://db.example/news")
    """
    try:
        target = urljoin(url, location)
        old, new = urlsplit(url), urlsplit(target)
        same = bool(location) and old.hostname == new.hostname and new.username is None
        same = same and (old.scheme, new.scheme) != ("https", "http")
        return target if same and new.scheme in ("http", "https") and new.port != 0 else None
    except ValueError:
        return None


def _status_error(response: BaseHTTPResponse) -> HttpStatusError:
    """The error that a response is, with the beginning of its text.

    Raises:
        HTTPError: the text breaks off.
    """
    try:
        pieces = response.stream(ERROR_PIECE_BYTES, decode_content=False)
        content = b"".join(islice(pieces, SHOWN_PIECES))
        if not content and not any(one in response.headers for one in LENGTH_HEADERS):
            raise ProtocolError("the answer breaks off")
    except HTTPError:
        if response.status != 413:  # the meaning of other errors may depend on their text
            raise
        content = b""
    error, message = error_and_message(content, response.headers.get("Content-Type", ""))
    message = message or response.reason or "nothing else"
    return HttpStatusError(response.status, error, message, response.headers.get("Location"))


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
