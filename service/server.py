"""uvicorn on a socket of ours: how it listens, and how it ends.

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
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that takes connections.

    Raises:
        StdError: the address is taken, or no address of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        with listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
            yield listener
    except OSError as error:
        raise StdError(f"--host {host} --port {port}: {error.strerror or error}") from error


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

    def serve_on(self, listener: socket.socket) -> int:
        """Serve until a signal comes; returns the exit status."""
        self.run(sockets=[listener])
        return INTERRUPTED if self.interrupted else 0
