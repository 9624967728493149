"""Roles, the operator's table of users, and the log of their changes.

    read    search, listen, download
    mark    also judge hits, and watch terms
    edit    also correct, add, describe and delete recordings
    admin   also read the log

The table (CSV, a workbook) has a row for each user: ``name``, ``role``, and a ``token`` unless a
reverse proxy names users. The name ``*`` stands for all others. Without a table, everybody may
do everything that the service allows.
"""

import hashlib
import hmac
import re
import shutil
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from std.appended import AppendedFile
from std.errors import NONE, InputError, Unquoted
from std.files import content_of, open_input
from std.tables import read_table
from std.terminal import json_text

Role = Literal["read", "mark", "edit", "admin"]

ROLES: tuple[Role, ...] = get_args(Role)
EVERYBODY = "*"
FEED_PATH = "/api/alerts/feed"  # readers of feeds cannot send a token
AUDIO_PATH = "/api/audio/"  # nor can players
EMBED_PATH = "/embed/"  # nor can frames on other pages,
CLIPS_PATH = "/api/clips/"  # whose player gets a clip
TICKET_S = 12 * 3600
MIN_TOKEN = 16  # letters
MAX_USER = 200  # letters of a name
_READING = re.compile(r"/api/(searches|counts)")  # sent by POST, but change nothing
_MARKING = re.compile(r"/api/(feedback|feedback/undo|alerts)")
KEPT_BODY_BYTES = 4096  # of a request, in the log


class User(NamedTuple):
    """The sender of a request."""

    name: str = ""  # empty = unknown
    role: Role = "admin"
    token: str = ""

    def may(self, role: Role) -> bool:
        """Whether the user has a role or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True, slots=True)
class Users:
    """The users of a service."""

    by_name: Mapping[str, User] = field(default_factory=dict)  # empty: everybody may do everything

    @property
    def tokens(self) -> list[User]:
        """The users with a token."""
        return [user for user in self.by_name.values() if user.token]

    @property
    def secret(self) -> str:
        """The key that signs tickets; empty if nobody has a token."""
        tokens = "\n".join(user.token for user in self.tokens)
        return hashlib.sha256(tokens.encode()).hexdigest() if tokens else ""

    def of_token(self, token: str) -> User | None:
        """The user of a token, found in constant time."""
        found = None
        for user in self.tokens:
            if hmac.compare_digest(user.token.encode(), token.encode()):
                found = user
        return found

    def named(self, name: str) -> User:
        """The user named by a reverse proxy; unknown ones may read, unless ``*`` allows more."""
        if not self.by_name:
            return User(name)
        known = self.by_name.get(name) or self.by_name.get(EVERYBODY)
        return User(name, known.role if known else "read")


def name_in(header: bytes) -> str:
    """A user's name as a reverse proxy sends it: in UTF-8, or in Latin-1 by older proxies.

    >>> name_in("Jürgen".encode()), name_in("Jürgen".encode("latin-1"))
    ('Jürgen', 'Jürgen')
    """
    try:
        name = header.decode()
    except UnicodeDecodeError:
        name = header.decode("latin-1")
    return name.strip()[:MAX_USER]


def changes(method: str, path: str) -> bool:
    """Whether a request may change something."""
    return method not in ("GET", "HEAD", "OPTIONS") and not _READING.fullmatch(path)


def needed_role(method: str, path: str) -> Role:
    """The role that a request needs.

    >>> [needed_role(*one) for one in (("GET", "/api/search"), ("POST", "/api/counts"))]
    ['read', 'read']
    >>> [needed_role("POST", one) for one in ("/api/feedback", "/api/uploads")]
    ['mark', 'edit']
    """
    if path == "/api/audit":
        return "admin"
    if not changes(method, path):
        return "read"
    return "mark" if _MARKING.fullmatch(path) else "edit"


def ticket(token: str, recording: str, expires_s: int) -> str:
    """A ticket for the audio of a recording, valid for some hours: players cannot send a token."""
    signed = hmac.new(token.encode(), f"{expires_s} {recording}".encode(), hashlib.sha256)
    return f"{expires_s}-{signed.hexdigest()[:40]}"


def feed_ticket(token: str) -> str:
    """A ticket for the feeds of new hits, valid as long as the token is the same."""
    return hmac.new(token.encode(), b"feed", hashlib.sha256).hexdigest()[:40]


def stretch_ticket(token: str, path: str, from_s: str, to_s: str) -> str:
    """A ticket for a stretch of a recording in a frame, valid as long as the token is the same."""
    signed = f"stretch {path} {from_s} {to_s}"
    return hmac.new(token.encode(), signed.encode(), hashlib.sha256).hexdigest()[:40]


def opens(shown: str, secret: str, path: str, query: Mapping[str, Sequence[str]]) -> bool:
    """Whether a ticket is valid for a path: the feeds, the audio of its recording, or its stretch.

    Args:
        query: its parameters, each with all its values.
    """
    if path == FEED_PATH:
        return hmac.compare_digest(shown.encode(), feed_ticket(secret).encode())
    if path.startswith((EMBED_PATH, CLIPS_PATH)):
        stretch = [query.get(name, [""]) for name in ("from", "to")]
        if any(len(values) > 1 for values in stretch):
            return False
        expected = stretch_ticket(secret, path, *(values[0] for values in stretch))
        return hmac.compare_digest(shown.encode(), expected.encode())
    expires, _, _ = shown.partition("-")
    if not path.startswith(AUDIO_PATH) or not expires.isdecimal() or len(expires) >= 12:
        return False
    expected = ticket(secret, path.removeprefix(AUDIO_PATH), int(expires))
    return int(expires) > time.time() and hmac.compare_digest(shown.encode(), expected.encode())


def is_secret(token: str) -> bool:
    """Whether a token is long enough and can be sent in a header.

    >>> is_secret("secret"), is_secret("correct horse battery"), is_secret("grün" * 4)
    (False, True, False)
    """
    return len(token) >= MIN_TOKEN and token.isascii() and token.isprintable()


def read_users(path: Path) -> Users:
    """Read the table of users.

    Raises:
        InputError: the file is not a table of users, or has an unknown role, a short token, or a
        name twice.
    """
    with open_input(path) as stream:
        table = read_table(content_of(stream, path), path, lambda name: name.lower() == "name")
    columns = [name.lower() for name in table.columns]
    for name in ("name", "role"):
        if name not in columns:
            raise InputError(path, table.line, f"a column {name}", ", ".join(table.columns))
    found: dict[str, User] = {}
    for line, fields in table.rows:
        row = dict(zip(columns, map(str.strip, fields), strict=True))
        name, role, token = row["name"], row["role"], row.get("token", "")
        if role not in ROLES:
            raise InputError(path, line, f"a role: {', '.join(ROLES)}", role or NONE)
        if not name or name in found:
            raise InputError(path, line, "a name of its own", name or NONE)
        if token and (
            not is_secret(token) or any(token == other.token for other in found.values())
        ):
            expected = f"a token of its own of at least {MIN_TOKEN} ASCII letters"
            raise InputError(path, line, expected, Unquoted("another"))
        found[name] = User(name, ROLES[ROLES.index(role)], token)
    if not found:
        raise InputError(path, table.line, "at least one user", NONE)
    return Users(found)


class AuditLog:
    """The changes by users, and refused attempts: one JSON object a line, only appended."""

    SHOWN = 1000  # lines of an answer, at most
    ROOM_BYTES = 1 << 20

    def __init__(self, path: Path) -> None:
        """Open a log to append to it.

        Raises:
            InputError: the log cannot be written, or another service writes to it.
        """
        self._file = AppendedFile(path)
        with path.open("rb") as stream:
            self._last = deque(stream, self.SHOWN)

    def has_room(self) -> bool:
        """Whether the disk has room for some lines: a change that is not logged is not made."""
        return shutil.disk_usage(self._file.path).free >= self.ROOM_BYTES

    def note(self, user: User, request: Mapping[str, Any], status: int) -> str:
        """Write a line about a request; return why it cannot be written, else nothing."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        who = {"time": now, "user": user.name, "role": user.role}
        line = json_text(who | dict(request) | {"status": status}).encode() + b"\n"
        try:
            self._file.append(line)
        except InputError as error:
            return str(error.got)
        self._last.append(line)
        return ""

    def last(self, count: int) -> list[bytes]:
        """The last lines, the newest first."""
        return [*reversed(self._last)][:count]

    def close(self) -> None:
        """Release the log."""
        self._file.close()
