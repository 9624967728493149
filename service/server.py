"""uvicorn on our own socket, its limits for clients, and how it ends.

Ctrl-C ends the service at once. SIGTERM lets running requests finish.
"""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.middleware import LINGER_S, MAX_LINGER_S
from service.problems import RETRY_S, response
from std.errors import StdError

SWITCH_S = 0.001  # that a computing thread keeps the interpreter from others (Python: 5 ms)
BACKLOG = 512
GRACE_S = 30
KEEP_ALIVE_S = 15
MAX_HEAD_BYTES = 65_536  # of a request: its line and headers
MAX_LINGER_BYTES = 1_000_000  # of a head without end that is read after it is refused
TOO_LONG = f"expected headers of at most {MAX_HEAD_BYTES} bytes"
HEAD_S = 20.0  # for a head to arrive
READ_S = 60.0  # for a client to take any part of an answer
INTERRUPTED = 130


@contextmanager
def bound_socket(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket.

    Raises:
        StdError: the address is in use, or is not an address of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        # asyncio sets it only for sockets that state their protocol; ours do not.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StdError(f"--host {host} --port {port}: {reason}") from error
    with bound:
        yield bound


class Connection(HttpToolsProtocol):
    """HTTP by httptools, with limits; without them it waits for headers for ever, and keeps all.

    The head of a request is limited in size and time, and so is the time in which a client does
    not read its response. Bytes that are no request are refused with problem details.
    """

    def __init__(self, most_connections: int, **given: Any) -> None:
        super().__init__(**given)
        self._most_connections = most_connections
        self._head_bytes, self._is_complete = 0, False  # of a head; whether it has ended
        self._line_bytes = 0  # of the lines since then
        self._refused_s: float | None = None  # when it was refused
        self._late: asyncio.TimerHandle | None = None  # ends the wait for a head, or for silence
        self._stalled: asyncio.TimerHandle | None = None  # ends the wait for a reader

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the library's
        """A client connects and has some seconds to send the head of its request."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """A client disconnects."""
        self._expect_head(False)
        self._expect_reader(False)
        super().connection_lost(exc)

    def _expect_head(self, expected: bool = True) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(HEAD_S, self._refuse_late) if expected else None

    def _refuse_late(self) -> None:
        if self._is_answering:  # a request before this one
            self._expect_head()
        else:
            self._refuse(408, f"expected the head of a request within {HEAD_S:g} s")

    def _expect_reader(self, expected: bool = True) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        self._stalled = self.loop.call_later(READ_S, self.transport.abort) if expected else None

    def pause_writing(self) -> None:
        """The client does not read; it has some seconds to go on."""
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        """The client has read some of the response."""
        super().resume_writing()
        self._expect_reader(False)

    def data_received(self, data: bytes) -> None:
        """Refuse a head that is too long, and too much input that belongs to no request or body."""
        if self._refused_s is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_LINGER_BYTES:
                self.transport.abort()
            else:
                self._linger(self._refused_s)
            return
        self._is_complete = False
        super().data_received(data)
        self._head_bytes += len(data)
        if self._is_complete:  # lines may follow in the same data: of another head, or of this body
            self._head_bytes = self._line_bytes
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(431, TOO_LONG)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._head_bytes = self._line_bytes = 0
        self._expect_head()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of a head, or after the last part of a body."""
        self._line_bytes += len(name) + len(value) + len(": \r\n")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is complete; the body follows, which `service.middleware` limits."""
        self._expect_head(False)
        self._is_complete, self._line_bytes = True, 0
        is_full = len(self.connections) >= self._most_connections
        self.app = _too_many if is_full else self.config.loaded_app
        lines = [self.url, *(part for header in self.headers for part in header)]
        if sum(map(len, lines)) > MAX_HEAD_BYTES:
            self.url, self.app = b"/", _too_long
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._is_complete, self._line_bytes = True, 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        """A response is sent; another request may follow if the client still reads."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_reader()
        elif not self._is_answering:
            self._expect_head()

    def timeout_keep_alive_handler(self) -> None:
        """No other request has followed."""
        super().timeout_keep_alive_handler()
        self._expect_reader()

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are no request."""
        self._refuse(400, "expected a request of HTTP/1.1")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer with a problem, and close when the client has had time to read it."""
        if self._refused_s is not None or self.transport.is_closing():
            return
        self._refused_s = self.loop.time()
        self._expect_head(False)
        if self._is_answering:
            if not self.cycle.more_body or self.cycle.response_started or self.pipeline:
                self.transport.close()  # nothing can be told within the answer to another request
                return
            self.cycle.disconnected = True  # of this request itself, whose body is still coming
            self.cycle.message_event.set()
        problem = response(status, detail, {"Connection": "close"})
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        lines += [name + b": " + value for name, value in problem.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(problem.body)]))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._linger(self._refused_s)

    def _linger(self, refused_s: float) -> None:
        """Let a refused client that still sends read the reason, as `service.middleware` does."""
        self._expect_head(False)
        left_s = refused_s + MAX_LINGER_S - self.loop.time()
        self._late = self.loop.call_later(min(LINGER_S, left_s), self.transport.abort)


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses requests while there are too many connections."""
    again = {"Retry-After": str(RETRY_S), "Connection": "close"}
    await response(503, "too many connections at once", again)(scope, receive, send)


async def _too_long(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses a request whose head came at once and is too long."""
    await response(431, TOO_LONG, {"Connection": "close"})(scope, receive, send)


def server_config(app: FastAPI, root_path: str, connections: int) -> uvicorn.Config:
    """The configuration of uvicorn.

    Args:
        root_path: the path of a reverse proxy.
        connections: the largest number of connections at once.
    """
    return uvicorn.Config(
        app,
        http=partial(Connection, connections),  # type: ignore[arg-type]  # called as a class is
        loop="auto",  # uvloop, which Windows lacks
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        root_path=root_path,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=KEEP_ALIVE_S,
    )


class Server(uvicorn.Server):
    """A server that distinguishes Ctrl-C and SIGTERM."""

    interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at once for Ctrl-C, otherwise after the running requests."""
        if sig == signal.SIGINT:
            self.interrupted = True
            self.config.timeout_graceful_shutdown = 0
            logging.getLogger(
                "uvicorn.error"
            ).disabled = True  # it would list the cancelled requests
        self.should_exit = True

    def serve_on(self, bound: socket.socket) -> int:
        """Serve until a signal; return the exit status."""
        sys.setswitchinterval(SWITCH_S)
        self.run(sockets=[bound])
        return INTERRUPTED if self.interrupted else 0
