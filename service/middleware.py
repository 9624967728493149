"""The steps of every request before and after its route: limits and access.

Bounded      size and time of the body, whatever the route does with it
Guard        Host, Origin, token, role; headers of every response

`service.metrics` counts and records the requests, `service.server` bounds what comes before them.
"""

import asyncio
import hmac
import ipaddress
import time
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.problems import ProblemError, response
from service.settings import Settings
from service.users import (
    KEPT_BODY_BYTES,
    AuditLog,
    User,
    Users,
    changes,
    name_in,
    needed_role,
    opens,
)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' blob:; media-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Accept-Encoding",
}
UPLOADS_PATH = "/api/uploads"  # takes files of recordings
LINGER_S = 2.0  # of silence before the connection of a refused client, who may read why, is closed
MAX_LINGER_S = 20.0  # however much it still sends
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether a host is the loopback of this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def path_of(scope: Scope) -> str:
    """The path of a request below the path of a reverse proxy."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


def _parsed(address: str) -> tuple[str, str]:
    """Host with port, and host alone, of an address; empty texts if it is not an address."""
    try:
        parts = urlsplit(address)
        return parts.netloc, parts.hostname or ""
    except ValueError:  # an unclosed bracket
        return "", ""


def _has_body(scope: Scope) -> bool:
    """Whether a request says that it has a body."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def _is_upload(scope: Scope, settings: Settings) -> bool:
    """Whether a request's body is a file that somebody adds."""
    is_sent = scope["method"] == "POST" and path_of(scope) == UPLOADS_PATH
    return settings.allow_uploads and is_sent


class Bounded:
    """Limits the size of every body and the time in which it comes.

    If the response begins before the whole body has arrived, the connection is closed after it.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        limits = self._settings.limits
        most_bytes, most_s = limits.body_bytes, limits.body_s
        if _is_upload(scope, self._settings):
            most_bytes, most_s = limits.upload_bytes, limits.upload_s
        length = dict(scope["headers"]).get(b"content-length", b"0")
        is_too_long = length.isdigit() and int(length[:18]) > most_bytes
        end_s, received, complete = time.monotonic() + most_s, 0, False

        async def receive_bounded() -> Message:
            """The next part of the body.

            Raises:
                ProblemError: it is too large, or late.
            """
            nonlocal received, complete
            if complete:  # what comes now is that the client goes away
                return await receive()
            if is_too_long:
                raise ProblemError(413, f"expected at most {most_bytes} bytes")
            try:
                left_s = min(limits.body_s, end_s - time.monotonic())
                async with asyncio.timeout(max(0.0, left_s)):
                    message = await receive()
            except TimeoutError as error:
                raise ProblemError(408, f"expected the body within {most_s:g} s") from error
            complete = not message.get("more_body")
            received += len(message.get("body", b""))
            if received > most_bytes:
                raise ProblemError(413, f"expected at most {most_bytes} bytes")
            return message

        async def send_last(message: Message) -> None:
            """Close the connection after a response to an incomplete request (RFC 9112, 9.6)."""
            if complete or message.get("more_body"):
                await send(message)
            elif message["type"] == "http.response.start":
                close = (b"connection", b"close")
                await send({**message, "headers": [*message["headers"], close]})
            else:  # a client that still sends would lose an answer whose connection is closed
                await send({**message, "more_body": True})
                await _drained(receive)
                await send({"type": "http.response.body", "body": b""})

        await self._app(scope, receive_bounded, send_last)


async def _drained(receive: Receive) -> None:
    """Read and drop, for a limited time, what a refused client still sends."""
    more_comes = True
    with suppress(TimeoutError):
        async with asyncio.timeout(MAX_LINGER_S):
            while more_comes:
                async with asyncio.timeout(LINGER_S):
                    more_comes = (await receive()).get("more_body", False)


class Guard:
    """Passes permitted requests on, and adds security headers to responses."""

    def __init__(
        self, app: ASGIApp, settings: Settings, users: Users, audit: AuditLog | None
    ) -> None:
        self._app, self._settings, self._users, self._audit = app, settings, users, audit
        self._secret = settings.token or users.secret
        hosts = {settings.host, *settings.allowed_hosts}
        if is_loopback(settings.host):
            hosts |= LOOPBACK_NAMES
        self._hosts = {host.strip("[]").lower() for host in hosts}
        headers = {name.lower(): value for name, value in HEADERS.items()}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        if scope["method"] == "HEAD":
            scope, send = {**scope, "method": "GET"}, _without_body(send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(pair for pair in self._headers if pair[0] not in given),
                ]
                if b"cache-control" not in given:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            self._check(scope)
            body = await self._taken(scope, receive)
        except ProblemError as problem:
            answer = response(problem.status, problem.detail, problem.headers)
            await self._note(scope, b"", problem.status)
            await answer(scope, receive, send_with_headers)
            return
        if self._audit is None or not changes(scope["method"], path_of(scope)):
            await self._app(scope, body, send_with_headers)
        elif await asyncio.to_thread(self._audit.has_room):
            await self._noted(scope, body, send_with_headers)
        else:
            answer = response(507, "the log of changes has no room; nothing is changed")
            await answer(scope, receive, send_with_headers)

    async def _noted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that changes something; the log has it before the response begins."""
        content, status, trouble = b"", 499, None  # 499: the client went away; None: not logged yet
        begin: Message = {}

        async def receive_noted() -> Message:
            nonlocal content
            message = await receive()
            content += message.get("body", b"")[: KEPT_BODY_BYTES - len(content)]
            return message

        async def send_noted(message: Message) -> None:
            nonlocal begin, status, trouble
            if message["type"] == "http.response.start":
                begin, status = message, message["status"]
                return
            if trouble is None:
                trouble = await self._note(scope, content, status)
                answer = response(507, f"ended with status {status}, but not logged: {trouble}")
                await (answer(scope, receive, send) if trouble else send(begin))
            if not trouble:
                await send(message)

        try:
            await self._app(scope, receive_noted, send_noted)
        finally:
            if trouble is None:
                await self._note(scope, content, status)

    async def _note(self, scope: Scope, content: bytes, status: int) -> str:
        """Log a request; return why the log cannot take it."""
        user = scope.get("state", {}).get("user")
        if self._audit is None or user is None or not changes(scope["method"], path_of(scope)):
            return ""
        query = scope["query_string"].decode("latin-1")
        asked = {"method": scope["method"], "path": path_of(scope)[:300], "query": query[:1000]}
        kind = dict(scope["headers"]).get(b"content-type", b"")
        if kind.startswith(b"application/json"):
            asked["body"] = content.decode(errors="replace")
        return await asyncio.to_thread(self._audit.note, user, asked, status)

    async def _taken(self, scope: Scope, receive: Receive) -> Receive:
        """Take the whole body before the route begins, unless it is a file that somebody adds.

        Raises:
            ProblemError: it is too large, or does not come in time.
        """
        if not _has_body(scope) or _is_upload(scope, self._settings):
            return receive
        content, message = bytearray(), await receive()
        while message.get("more_body"):
            content += message["body"]
            message = await receive()
        content += message.get("body", b"")
        taken: Message | None = {**message, "body": bytes(content)}

        async def receive_taken() -> Message:
            nonlocal taken
            first, taken = taken, None
            return await receive() if first is None else first

        return receive_taken

    def _check(self, scope: Scope) -> None:
        """Check host, origin and token of a request.

        Raises:
            ProblemError: the request is refused.
        """
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if _parsed(f"//{host}")[1] not in self._hosts:
            raise ProblemError(400, f"Host: this service has another name than {host[:80]!r}")
        origin = headers.get(b"origin")
        if origin is not None and _parsed(origin.decode("latin-1"))[0] != host:
            raise ProblemError(403, "Origin: only pages of this service may send requests")
        if headers.get(b"sec-fetch-site") == b"cross-site" and path_of(scope).startswith("/api/"):
            raise ProblemError(403, "only pages of this service may send requests")
        user = self._user(scope, headers)
        scope.setdefault("state", {})["user"] = user
        role = needed_role(scope["method"], path_of(scope))
        if not user.may(role):
            raise ProblemError(403, f"this needs the role {role}; yours is {user.role}")

    def _user(self, scope: Scope, headers: dict[bytes, bytes]) -> User:
        """The user of a request.

        Raises:
            ProblemError: a token is missing or wrong.
        """
        header = self._settings.user_header.lower().encode()
        name = name_in(headers.get(header, b"")) if header else ""
        if not self._secret:
            return self._users.named(name)
        if not self._needs_token(path_of(scope)):
            return User(role="read")
        user = self._user_of_token(scope, headers)
        return self._users.named(name) if name and not user.name else user

    def _needs_token(self, path: str) -> bool:
        """Whether a path shows content of the index, unlike static files and empty pages."""
        is_shell = path in ("/", "/api/docs", "/recordings", "/lists") or path.startswith(
            "/recordings/"
        )
        return not (is_shell or path.startswith("/static/") or path == "/healthz")

    def _user_of_token(self, scope: Scope, headers: dict[bytes, bytes]) -> User:
        token, secret = self._settings.token, self._secret
        scheme, _, given = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        is_bearer = scheme.lower() == "bearer"  # RFC 9110: in any case
        given = given.strip() if is_bearer else ""
        if token and hmac.compare_digest(given.encode(), token.encode()):
            return User()
        if given and (user := self._users.of_token(given)):
            return user
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if opens(query.get("ticket", [""])[0], secret, path_of(scope), query):
            return User(role="read")
        raise ProblemError(
            401, "expected the token of this service", {"WWW-Authenticate": "Bearer"}
        )


def _without_body(send: Send) -> Send:
    """Answers HEAD as GET, and sends the head of the response only."""

    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        elif message["type"] == "http.response.pathsend":
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return send_head
