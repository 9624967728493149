"""What stands between us and CouchDB: proxies with limits, prefixes and redirections, nobody."""

import base64
import shutil
import socket
import ssl
import subprocess
import threading
import warnings
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import numpy as np
import pytest
from urllib3.exceptions import ProtocolError

from indexer import store_cli
from indexer.segments.invert import invert
from std.errors import StoreError, StoreWarning
from std.store import open_store
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy, default_retry_policy
from std.store.couchdb.layout import Layout
from std.store.couchdb.store import CouchDBStore
from std.text import Normalisation

pytestmark = pytest.mark.slow

couchdb = pytest.mark.couchdb
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
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(client)
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


def limit(most: int, *, read_body: bool):
    """nginx's client_max_body_size."""

    def rule(asked: Asked) -> str | Page:
        if asked.length > most:
            return Page(413, "413 Request Entity Too Large", read_body=read_body)
        return asked.path

    return rule


@couchdb
@pytest.mark.parametrize("read_body", [True, False])
def test_batches_are_halved_until_a_proxy_takes_them(
    proxy, name, opened, noise, commit, digests, read_body
):
    """A proxy may answer from the length alone and close: who still sends sees a broken pipe."""
    first, second = noise(1), noise(2)
    front = proxy(limit(20_000, read_body=read_body))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}", layout=LARGE)
    commit(store, first)
    commit(store, second)
    assert digests(store) == [first.digest(), second.digest()]
    assert list(store.damage()) == []
    too_large = [one for one in front.asked if one.length > 20_000]
    assert 1 <= len(too_large) <= 6  # not once for every batch


@couchdb
def test_a_connection_that_breaks_under_large_bodies(
    pouchdb, name, opened, noise, commit, digests, monkeypatch
):
    """A proxy may close without a word."""
    monkeypatch.setattr("std.store.couchdb.database.LARGE_BYTES", 30_000)
    real = Database._exchange

    def exchanged(self, method, path, content, *rest, **options):
        if content is not None and len(content) > 30_000:
            raise ProtocolError("Connection aborted.", BrokenPipeError(32, "Broken pipe"))
        return real(self, method, path, content, *rest, **options)

    monkeypatch.setattr(Database, "_exchange", exchanged)
    store = opened(f"couchdb://127.0.0.1:{pouchdb.port}/{name}", layout=LARGE)
    commit(store, noise(1))
    assert digests(store) == [noise(1).digest()]


@couchdb
def test_a_document_that_no_limit_lets_pass(proxy, name, opened, noise, commit):
    front = proxy(limit(3000, read_body=True))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}", layout=LARGE)
    expected = (
        r"takes no request of 0\.\d+ MB \(413: 413 Request Entity Too Large\); the limit is "
        r"CouchDB's max_document_size or .* \(nginx: client_max_body_size\); document \w+\|"
    )
    with pytest.raises(StoreError, match=expected):
        commit(store, noise(1))
    assert store.segments() == ()


@couchdb
@pytest.mark.parametrize("scheme", ["couchdb", "http", "COUCHDB"])
def test_a_path_prefix(proxy, name, opened, speech, commit, digests, scheme):
    def rule(asked):
        prefix, path = asked.path[:7], asked.path[7:]
        return path if prefix == "/couch/" and path else Page(404, "404 Not Found")

    def with_slash(asked):
        decided = rule(asked)
        return f"/{decided}" if isinstance(decided, str) else decided

    front = proxy(with_slash)
    store = opened(f"{scheme}://127.0.0.1:{front.port}/couch/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    with pytest.raises(
        StoreError, match=r"the server answers 404: 404 Not Found \(is a CouchDB server at this"
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/{name}", HURRY)).require(
            create=True
        )


@couchdb
@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("absolute", [True, False])
def test_redirections_on_the_same_host_are_followed(
    proxy, name, opened, speech, commit, digests, status, absolute
):
    """With their method and body."""

    def rule(asked):
        if asked.path.startswith("/new/"):
            return asked.path[4:]
        begin = f"http://127.0.0.1:{front.port}" if absolute else ""
        return Page(status, "moved", f"{begin}/new{asked.path}")

    front = proxy(rule)
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    old = [one for one in front.asked if not one.path.startswith("/new/")]
    assert {one.method for one in front.asked} == {"GET", "PUT", "POST"}
    assert len(old) == (1 if status in (301, 308) else len(front.asked) / 2)


@couchdb
def test_a_redirection_to_tls(proxy, tls, name, opened, speech, commit, digests):
    safe = proxy(lambda asked: asked.path, tls)
    front = proxy(lambda asked: Page(301, "m", f"https://127.0.0.1:{safe.port}{asked.path}"))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    assert len(front.asked) == 1


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


@couchdb
def test_tls_goes_through_the_proxy_of_the_environment(
    proxy, tls, tunnel, name, opened, speech, commit, digests, monkeypatch
):
    """It gets the address and its own password, nothing of ours."""
    front = proxy(lambda asked: asked.path, tls)
    store = opened(f"couchdbs://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    with pytest.raises(StoreError, match="refuses this user"):
        opened(f"couchdbs://eve@127.0.0.1:{front.port}/{name}")
    assert len(tunnel.asked) >= 2
    own = base64.b64encode(b"me:its password")
    ours = base64.b64encode(b"eve:s3cret")
    for head in tunnel.asked:
        assert head.startswith(f"CONNECT 127.0.0.1:{front.port} ".encode())
        assert own in head
        assert ours not in head
    through = len(tunnel.asked)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert digests(opened(f"couchdbs://127.0.0.1:{front.port}/{name}"))
    assert len(tunnel.asked) == through


@couchdb
def test_without_tls_no_proxy_of_the_environment_reads_the_password(proxy, tunnel, name, opened):
    front = proxy(lambda asked: asked.path)
    with pytest.raises(StoreError, match="refuses this user"):
        opened(f"couchdb://eve@127.0.0.1:{front.port}/{name}")
    assert front.asked
    assert tunnel.asked == []


@pytest.mark.parametrize("named", ["socks9://h:1", "http://[::1", "http://h:99999", "http://h:x"])
def test_a_proxy_of_an_unknown_kind_is_one_line(named, tunnel, monkeypatch):
    monkeypatch.setenv("https_proxy", named)
    with pytest.raises(StoreError, match="HTTPS_PROXY: expected http://host:port of a proxy"):
        Database("couchdbs://127.0.0.1/x", HURRY)


def test_the_password_is_in_no_log(proxy, monkeypatch, caplog):
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "s3cret")
    front = proxy(lambda asked: Page(502, "502 Bad Gateway"))
    with caplog.at_level("DEBUG"), pytest.raises(StoreError) as caught:
        Database(f"couchdb://eve@127.0.0.1:{front.port}/x", HURRY).exists()
    said = [*(one.getMessage() for one in caplog.records), repr(caught.value)]
    assert said[1:]
    assert not [one for one in said if "s3cret" in one or "ZXZlOn" in one]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("http://elsewhere.example/x", r"redirects \(302\) to http://elsewhere.example/x: give"),
        ("http://eve:s3cret@elsewhere.example/x", r"redirects \(302\) to http://elsewhere"),
        ("http://localhost:1/x", r"redirects \(302\) to http://localhost:1/x: give"),
        ("ftp://127.0.0.1/x", "redirects"),
        ("http://[::1/x", "redirects"),
        ("http://127.0.0.1:x/", "redirects"),
        ("", "redirects"),
        (None, "redirects"),
    ],
)
def test_redirections_to_elsewhere_are_one_line(proxy, location, message):
    front = proxy(lambda asked: Page(302, "found", location))
    with pytest.raises(StoreError, match=message) as caught:
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert "s3cret" not in str(caught.value)
    assert len(front.asked) == 1


def test_redirections_in_a_circle(proxy):
    front = proxy(lambda asked: Page(302, "found", asked.path))
    with pytest.raises(StoreError, match="the server redirects in a circle"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert len(front.asked) <= 7


@pytest.mark.parametrize("status", [300, 303, 304])
def test_other_redirections_are_one_line(proxy, status):
    front = proxy(lambda asked: Page(status, "elsewhere", "/y"))
    with pytest.raises(StoreError, match=f"the server answers {status}: "):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


def test_a_redirection_from_tls_to_plain(proxy, tls):
    plain = proxy(lambda asked: asked.path)
    front = proxy(lambda asked: Page(301, "m", f"http://127.0.0.1:{plain.port}{asked.path}"), tls)
    with pytest.raises(StoreError, match=r"redirects \(301\) to http://127"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert plain.asked == []


@pytest.mark.parametrize("status", [502, 503, 504])
def test_the_error_pages_of_proxies_are_shown(proxy, status):
    front = proxy(lambda asked: Page(status, f"{status} Bad Weather"))
    with pytest.raises(
        StoreError, match=rf"no answer from the server: status {status}, {status} Bad Weather"
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


def test_a_web_page_instead_of_an_answer(proxy):
    front = proxy(lambda asked: Page(200, "Please log in"))
    with pytest.raises(StoreError, match="got a web page: Please log in"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: app"])
def test_a_hung_server(mute, says):
    """A notice, then one line; nothing is asked again when the time is over."""
    server = mute(says)
    retry_policy = RetryPolicy(timeout_s=3.0, give_up_s=3.0, notice_s=0.2)
    with (
        pytest.warns(StoreWarning, match=r"no answer from the server for \d s; waiting up to 3 s"),
        pytest.raises(
            StoreError, match=r"no answer from the server: none within (3|2\.\d) s \(STD"
        ),
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{server.port}/x", retry_policy)).require(
            create=False
        )
    assert server.connections == 1


def test_a_hung_server_and_a_command(mute, monkeypatch, capsys):
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "0.5")
    server = mute()
    assert store_cli.main(["verify", f"couchdb://127.0.0.1:{server.port}/x"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no answer from the server: none within 0.5 s" in line


def test_who_waited_in_vain_does_not_wait_as_long_again(mute):
    """To let go of the right to write, for example."""
    database = Database(
        f"couchdb://127.0.0.1:{mute().port}/x",
        RetryPolicy(timeout_s=1.0, give_up_s=1.0, notice_s=0.2),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        for waited in ("1", "0.2", "0.2"):
            with pytest.raises(StoreError, match=rf"none within {waited} s \("):
                database.get("manifest")


def test_tls_to_a_port_that_says_nothing(mute):
    server = mute()
    retry_policy = RetryPolicy(connect_s=0.3)
    with pytest.raises(StoreError, match=r"no TLS within 0.3 s: without TLS write couchdb://"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{server.port}/x", retry_policy)).require(
            create=False
        )
    assert server.connections == 1


def test_tls_to_a_plain_port(mute):
    server = mute(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(StoreError, match="expected TLS, got another answer: without TLS write"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{server.port}/x", HURRY)).require(create=False)
    assert server.connections == 1


def test_plain_to_a_tls_port(proxy, tls):
    front = proxy(lambda asked: asked.path, tls)
    with pytest.raises(StoreError, match=r"the server speaks TLS: write couchdbs://|no answer"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


def test_plain_to_a_tls_port_that_says_so(mute):
    server = mute(b"\x15\x03\x03\x00\x02\x02\x46", hang_up=True)
    with pytest.raises(StoreError, match=r"the server speaks TLS: write couchdbs://"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{server.port}/x", HURRY)).require(create=False)
    assert server.connections == 1


@pytest.mark.parametrize(("scheme", "port"), [("couchdb", 5984), ("couchdbs", 6984)])
def test_a_default_port_where_nobody_is(scheme, port, monkeypatch):
    def refuse(*_, **__):
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.socket.connect", refuse)
    with pytest.raises(StoreError, match=rf"\(port {port} is CouchDB's own; for a proxy's port"):
        CouchDBStore(Database(f"{scheme}://127.0.0.1/x", HURRY)).require(create=False)
    with pytest.raises(StoreError, match=r"Connection refused$"):
        CouchDBStore(Database(f"{scheme}://127.0.0.1:9/x", HURRY)).require(create=False)


def test_a_stale_connection_is_not_used(mute, monkeypatch):
    server = mute(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", again=True)
    database = Database(f"couchdb://127.0.0.1:{server.port}/x", HURRY)
    assert database.exists()
    assert database.exists()
    assert server.connections == 1
    monkeypatch.setattr("std.store.couchdb.connection.IDLE_S", -1.0)
    assert database.exists()
    assert server.connections == 2
    database.close()


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e9", "soon", "9" * 5000])
def test_time_outs_that_are_none(given, monkeypatch):
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", given)
    with pytest.raises(StoreError, match=r"STD_COUCHDB_TIMEOUT: expected seconds from 0.1 "):
        open_store("couchdb://127.0.0.1/x")


def test_time_outs(monkeypatch):
    monkeypatch.delenv("STD_COUCHDB_TIMEOUT", raising=False)
    assert default_retry_policy() == RetryPolicy()
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "2")
    assert default_retry_policy().connect_s == default_retry_policy().give_up_s == 2
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "300")
    assert sum(default_retry_policy().pauses_s) > 240


@couchdb
def test_nobody_is_told_of_short_waits(couchdb_url, opened, speech, commit):
    retry_policy = RetryPolicy(notice_s=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store = opened(couchdb_url, retry_policy=retry_policy)
        commit(store, speech(1))
    assert store.normalisation() == Normalisation()
