"""Servers between us and CouchDB: proxies with rules of their own, and one that says nothing."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import numpy as np
import pytest

from indexer.segments.invert import invert
from std.store.couchdb.errors import RetryPolicy
from std.store.couchdb.layout import Layout

HURRY = RetryPolicy(timeout_s=10, pauses_s=(0.01, 0.02, 0.05, 0.1))
LARGE = Layout(bucket_postings=64, part_rows=4096)


class Page(NamedTuple):
    """An answer of the proxy's own."""

    status: int
    title: str = ""
    location: str | None = None
    read_body: bool = True  # of the request, before anything is said; nginx does not close before

    def html(self) -> bytes:
        middle = f"<center><h1>{self.title}</h1></center><hr><center>nginx/1.24.0</center>"
        page = f"<html>\r\n<head><title>{self.title}</title></head>\r\n<body>\r\n{middle}\r\n"
        return f"{page}</body>\r\n</html>\r\n".encode()


class Asked(NamedTuple):
    """What a proxy sees of a request before it reads its body."""

    method: str
    path: str
    length: int


class Proxy:
    """Forwards to a port on this machine what ``rule`` lets pass.

    The rule returns a path to forward to, or the proxy's own page.
    """

    def __init__(
        self, port: int, rule: Callable[[Asked], str | Page], tls: ssl.SSLContext | None = None
    ) -> None:
        self.asked: list[Asked] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *arguments) -> None:
                pass

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                proxy.asked.append(Asked(self.command, self.path, length))
                decided = rule(proxy.asked[-1])
                if isinstance(decided, str):
                    self.forward(decided, self.rfile.read(length))
                    return
                if decided.read_body:
                    self.rfile.read(length)
                content = decided.html()
                self.send_response_only(decided.status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(content)))
                if decided.location is not None:
                    self.send_header("Location", decided.location)
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = True

            def forward(self, path: str, body: bytes) -> None:
                inner = HTTPConnection("127.0.0.1", port, timeout=30)
                headers = {k: v for k, v in self.headers.items() if k != "Host"}
                inner.request(self.command, path, body or None, headers)
                reply = inner.getresponse()
                content = reply.read()
                inner.close()
                self.send_response_only(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                plain, address = super().get_request()
                if tls is not None:
                    plain = tls.wrap_socket(plain, server_side=True)
                return plain, address

            def handle_error(self, request, client_address) -> None:
                pass  # the client went away

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Mute:
    """Takes connections, says what it is told to say after a request, and then nothing more."""

    def __init__(self, says: bytes = b"", *, hang_up: bool = False, again: bool = False) -> None:
        self.connections = 0
        self._again = again  # says it after each request; one connection at a time
        self._hang_up = hang_up
        self._says = says
        self._sockets: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while self._listening.fileno() >= 0:
            with contextlib.suppress(OSError):  # `close` closes all of them; a client goes away
                client, _ = self._listening.accept()
                self.connections += 1
                self._sockets.append(client)
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        if self._says:
            while client.recv(65_536):
                client.sendall(self._says)
                if not self._again:
                    break
        if self._hang_up:
            client.close()

    def close(self) -> None:
        self._listening.close()
        for one in self._sockets:
            one.close()


@pytest.fixture
def proxy(pouchdb):
    """Open proxies in front of pouchdb-server."""
    made = []

    def open_one(rule, tls=None) -> Proxy:
        made.append(Proxy(pouchdb.port, rule, tls))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


@pytest.fixture
def mute():
    made = []

    def open_one(says: bytes = b"", **manner: bool) -> Mute:
        made.append(Mute(says, **manner))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


@pytest.fixture
def name(couchdb_url) -> str:
    """Of a database that is dropped after the test."""
    return couchdb_url.rpartition("/")[2]


@pytest.fixture
def tls(tmp_path, monkeypatch):
    """A server's context; its certificate is trusted."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing: no certificate to test TLS with")
    key, own = tmp_path / "key.pem", tmp_path / "own.pem"
    command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test"]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", own]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(own, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    return context


@pytest.fixture
def noise(network):
    """Segments that compress badly: about 100 kB of documents."""

    def columns(number: int):
        random = np.random.default_rng(number)
        slots = [
            [(f"w{word}", float(random.uniform(0.01, 0.3))) for word in row]
            for row in random.integers(0, 300, (3000, 3)).tolist()
        ]
        return invert([network(*slots, file=f"noise{number}")])

    return columns


class Tunnel:
    """A forward proxy: after CONNECT it passes bytes on."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            head = client.recv(65_536)
            self.asked.append(head)
            host, port = head.split()[1].decode().split(":")
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            server = socket.create_connection((host, int(port)))
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while content := one.recv(65_536):
                other.sendall(content)
        except OSError:
            pass
        for each in (one, other):
            each.close()

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def tunnel(monkeypatch):
    tunnel = Tunnel()
    for name in ("HTTPS_PROXY", "NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", f"http://me:its%20password@127.0.0.1:{tunnel.port}")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{tunnel.port}")
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "s3cret")
    yield tunnel
    tunnel.close()
