"""Which kind of store a URL means: a folder, ``memory:``, or CouchDB.

A URL with an unknown scheme is refused, not used as the name of a folder, because it may contain a
password. `redacted` removes passwords from what is shown.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Literal

from std.errors import StoreError
from std.terminal import printable

COUCHDB_FORM = "couchdb://[user@]host[:port]/database"
COUCHDB_SCHEMES = frozenset({"couchdb", "couchdbs", "http", "https"})
SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):(.*)", re.IGNORECASE | re.DOTALL)
HOST_AND_DATABASE = re.compile(r"\d+/.+", re.DOTALL)  # what follows the host in host:port/database

Kind = Literal["folder", "memory", "couchdb"]
MANIFEST = "manifest.json"
MOST_NAMES = 1000  # that are looked at
SHOWN_NAMES = 3


def kind_of(url: str) -> Kind:
    """Which kind of store a URL means; schemes may be in upper or lower case.

    Raises:
        StoreError: an unknown scheme, or an empty URL.
    """
    parts = SCHEME.fullmatch(url)
    if parts is None:
        if not url.strip():
            raise StoreError(
                f"expected the address of a store ({COUCHDB_FORM} or a folder), got ''"
            )
        if url.startswith("//") and "@" in url:
            raise StoreError(f"{redacted(url)}: expected a scheme, as in {COUCHDB_FORM}")
        return "folder"
    scheme, rest = parts[1].lower(), parts[2]
    if scheme == "memory":
        if "/" in rest:
            raise StoreError(f"{redacted(url)}: expected memory:[NAME], got a name with a slash")
        return "memory"
    if scheme in COUCHDB_SCHEMES:
        return "couchdb"
    shown = redacted(url)
    if scheme == "file":
        hint = f"a folder is written without a scheme: {redacted(rest).replace('//', '', 1)}"
    elif HOST_AND_DATABASE.fullmatch(rest):
        hint = f"a CouchDB database is couchdb://{shown}"
    else:
        hint = f"a CouchDB database is {COUCHDB_FORM}, a folder of this name ./{shown}"
    raise StoreError(f"{shown}: no store has the scheme {scheme}: ({hint})")


def redacted(url: str) -> str:
    """A URL without user, password, query and fragment, to be shown.

    >>> redacted("http://eve:s3/cr3t@db.example/news?key=1")
    'http://db.example/news'
    """
    parts = SCHEME.fullmatch(url)
    scheme, rest = (f"{parts[1]}:", parts[2]) if parts else ("", url)
    begin = rest[: len(rest) - len(rest.lstrip("/"))]
    return scheme + begin + re.split("[?#]", rest[len(begin) :].rpartition("@")[2])[0]


def found_instead(root: Path) -> str:
    """Say what an address has instead of an index, and which index may be meant."""
    try:
        if not root.exists():
            return "nothing of that name"
        if not root.is_dir():
            return "a file"
        names = sorted(one.name for one in islice(root.iterdir(), MOST_NAMES))
        if (root.parent / MANIFEST).is_file() and root.name in ("segments", "metadata"):
            return f"a part of the index {root.parent}"
        indexes = [root / name for name in names if (root / name / MANIFEST).is_file()]
    except OSError as error:
        return f"a folder that cannot be read: {error.strerror or error}"
    if indexes:
        what = "the folder of the index" if len(indexes) == 1 else "a folder of the indexes"
        return f"{what} {', '.join(map(str, indexes[:SHOWN_NAMES]))}"
    shown = ", ".join(map(printable, names[:SHOWN_NAMES]))
    more = ", ..." if len(names) > SHOWN_NAMES else ""
    return f"a folder with {shown}{more}" if names else "an empty folder"
