"""The URL of a CouchDB store: where, which database, which user; and the user's password."""

import netrc
import os
import re
from urllib.parse import quote, unquote, urlsplit

from std.errors import StoreError

DEFAULT_PORT = 5984
DATABASE_NAME = re.compile(r"[a-z][a-z0-9_$()+/-]*")


def address(url: str) -> tuple[str, tuple[str, str] | None]:
    """``couchdb[s]://[user@]host[:port]/database`` as HTTP URL and (user, password).

    Raises:
        StoreError: a malformed URL, one with a password in it, or a user without password.
    """
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError as error:
        raise StoreError(f"{_public(url)}: {error}") from error
    if parts.password is not None:
        raise StoreError(
            f"{_public(url)}: expected no password in the URL (others can see it there): "
            "put it into STD_COUCHDB_PASSWORD or ~/.netrc"
        )
    database = unquote(parts.path.strip("/"))
    if not host or not database or "/" in parts.path.strip("/"):
        raise StoreError(f"{url}: expected couchdb://[user@]host[:port]/database")
    if not DATABASE_NAME.fullmatch(database):
        raise StoreError(
            f"{url}: expected a database name of a-z, 0-9 and _$()+-/ that begins with a letter, "
            f"got {database!r}"
        )
    scheme = "https" if parts.scheme == "couchdbs" else "http"
    shown_host = f"[{host}]" if ":" in host else host
    user = unquote(parts.username) if parts.username else None
    base = f"{scheme}://{shown_host}:{port}/{quote(database, safe='')}"
    return base, _credentials(url, host, user)


def _public(url: str) -> str:
    """A URL without what stands between scheme and host."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _credentials(url: str, host: str, user: str | None) -> tuple[str, str] | None:
    """User and password: from the environment, else from ~/.netrc."""
    password = os.environ.get("STD_COUCHDB_PASSWORD")
    if user and password is not None:
        return user, password
    try:
        login, _, secret = netrc.netrc().authenticators(host) or (None, None, None)
    except FileNotFoundError:
        login, secret = None, None
    except (netrc.NetrcParseError, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{url}: cannot read ~/.netrc: {error}") from error
    if login and secret is not None and user in (None, login):
        return login, secret
    if user:
        raise StoreError(
            f"{url}: expected a password for this user in STD_COUCHDB_PASSWORD or ~/.netrc"
        )
    return None
