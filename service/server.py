"""uvicorn on a socket of ours, its limits for clients, and how it ends.

Ctrl-C ends the service at once. SIGTERM lets requests finish that are under way.
"""

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.problems import PROBLEM_TYPE
from std.errors import StdError

BACKLOG = 512
GRACE_S = 30
KEEP_ALIVE_S = 15
MAX_HEAD_BYTES = 65_536  # of a request: its line and headers
HEAD_S = 20.0  # for a head to arrive
INTERRUPTED = 130


@contextmanager
def bound_socket(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that takes connections.

    Raises:
        StdError: the address is taken, or no address of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        # asyncio sets it for sockets that say their protocol; this one and those it accepts do not.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StdError(f"--host {host} --port {port}: {reason}") from error
    with bound:
        yield bound


class BoundedHead(HttpToolsProtocol):
    """HTTP by httptools, which itself would keep headers without end."""

    _head_bytes = 0
    _in_head = True
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the library's
        """A client has come; it has some seconds for the head of its request."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._expect_head(False)
        super().connection_lost(exc)

    def _expect_head(self, expected: bool = True) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(HEAD_S, self._refuse_late) if expected else None

    def _refuse_late(self) -> None:
        """Close a connection whose request did not come in time (RFC 9110, 15.5.9)."""
        if not self.transport.is_closing():
            head = f"HTTP/1.1 408 Request Timeout\r\nContent-Type: {PROBLEM_TYPE}\r\n"
            body = b'{"type":"about:blank","title":"Request Timeout","status":408}'
            end = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.transport.write((head + end).encode() + body)
            self.transport.close()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._head_bytes, self._in_head = 0, True
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """What comes now is the body, which `service.middleware` bounds."""
        self._in_head = False
        self._expect_head(False)
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Refuse a head that is too long."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"expected headers of at most {MAX_HEAD_BYTES} bytes")


def server_config(app: FastAPI, root_path: str, connections: int) -> uvicorn.Config:
    """How requests are taken.

    Args:
        app: that answers them.
        root_path: under which a reverse proxy shows it.
        connections: at once, at most.
    """
    return uvicorn.Config(
        app,
        http=BoundedHead,
        loop="uvloop",
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        root_path=root_path,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        limit_concurrency=connections,
    )


class Server(uvicorn.Server):
    """A server that tells Ctrl-C from SIGTERM."""

    interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at once for Ctrl-C, else after the requests under way."""
        if sig == signal.SIGINT:
            self.interrupted = True
            self.config.timeout_graceful_shutdown = 0
            logging.getLogger(
                "uvicorn.error"
            ).disabled = True  # it would list the requests that are cut off
        self.should_exit = True

    def serve_on(self, bound: socket.socket) -> int:
        """Serve until a signal comes; returns the exit status."""
        self.run(sockets=[bound])
        return INTERRUPTED if self.interrupted else 0
