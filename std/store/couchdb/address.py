"""The URL of a CouchDB store: server, database and user; and where the password comes from."""

import netrc
import os
import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

from std.errors import StoreError
from std.store.address import COUCHDB_FORM, COUCHDB_SCHEMES, redacted

NATIVE_PORTS = {"couchdb": 5984, "couchdbs": 6984}  # CouchDB's own ports
DATABASE_NAME = re.compile(r"[a-z][a-z0-9_$()+/-]*")
PREFIX_PART = re.compile(r"(?!\.\.?$)[A-Za-z0-9_.~!$&'()*+,;=%-]+")
PREFIX_FORM = "couchdb://[user@]host[:port]/[prefix/]database"


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
            f"begins with a letter, got {database!r}"
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
