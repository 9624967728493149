"""uvicorn on a socket of ours, and how it ends.

Ctrl-C ends the service at once. SIGTERM lets requests finish that are under way.
"""

import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from std.errors import StdError

BACKLOG = 512
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


class Server(uvicorn.Server):
    """A server that tells Ctrl-C from SIGTERM."""

    interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at once for Ctrl-C, else after the requests under way."""
        if sig == signal.SIGINT:
            self.interrupted = True
            self.config.timeout_graceful_shutdown = 0
            logging.getLogger("uvicorn.error").disabled = True  # it would list what is cut off
        self.should_exit = True

    def serve_on(self, bound: socket.socket) -> int:
        """Serve until a signal comes; returns the exit status."""
        self.run(sockets=[bound])
        return INTERRUPTED if self.interrupted else 0
