"""What the CouchDB tests share: small segments, hurried stores, and a proxy that misbehaves."""

import json
import ssl
import threading
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from indexer.segments.invert import invert
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy
from std.store.couchdb.layout import Layout
from std.store.couchdb.store import CouchDBStore
from std.text import Normalisation

HURRY = RetryPolicy(timeout_s=10, pauses_s=(0.01, 0.02, 0.05, 0.1))


@pytest.fixture
def speech(network):
    """Segments by number; 26 words, some frequent."""

    def columns(number: int, slots: int = 60):
        letters = [[(chr(97 + i * i % 26), 0.5), (chr(65 + i % 5), 0.25)] for i in range(slots)]
        return invert([network(*letters, file=f"file{number}")])

    return columns


@pytest.fixture
def opened():
    stores = ExitStack()
    layout = Layout(bucket_postings=3, part_rows=4, part_words=5, slot_rows=3)

    def open_one(url: str, *, retry_policy: RetryPolicy = HURRY, layout: Layout = layout):
        store = CouchDBStore(Database(url, retry_policy), layout).require(create=True)
        return stores.enter_context(closing(store))

    open_one.close_all = stores.close
    yield open_one
    stores.close()


@pytest.fixture
def commit():
    """One commit, with the right to write taken and given back."""

    def commit_once(store, *columns, **rest) -> None:
        with store.writing():
            store.commit(columns, normalisation=Normalisation(), **rest)

    return commit_once


@pytest.fixture
def digests():
    """What a store holds."""
    return lambda store: [one.columns().digest() for one in store.segments()]


@pytest.fixture
def replicate():
    """Bring all revisions of all documents from one database to another, or back and forth.

    As CouchDB's replicator does, one way; here in the test, because servers need other rights
    and other addresses for their own.
    """

    def one_way(source: str, target: str, *, only=lambda name: True) -> None:
        there, here = Database(source), Database(target)
        here.create()
        leaves = {
            row["id"]: [one["rev"] for one in row["changes"]]
            for row in there.get("_changes", style="all_docs")["results"]
            if only(row["id"])
        }
        documents = [
            leaf["ok"]
            for name in here.post("_revs_diff", leaves)
            for leaf in there.get(name, open_revs="all", revs="true")
            if "ok" in leaf
        ]
        here.post("_bulk_docs", {"docs": documents, "new_edits": False})
        there.close()
        here.close()

    def both_ways(one: str, other: str) -> None:
        one_way(one, other)
        one_way(other, one)

    one_way.both_ways = both_ways
    return one_way


class Gate:
    """A proxy in front of a server, and a list of what it does with the next requests.

    Each trouble is (a word that the request line contains, what happens). A request takes the
    first trouble that fits it.
    """

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.troubles: list[tuple[str, str]] = []
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        self._lock = threading.Lock()
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def log_message(self, *arguments) -> None:
                pass

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                trouble = gate.take(f"{self.command} {self.path}", dict(self.headers), body)
                if trouble == "reset":
                    self.close_connection = True
                elif trouble == "silence":
                    self.connection.recv(1)  # until the client has waited long enough
                    self.close_connection = True
                elif trouble and trouble.isdigit():
                    self.reply(int(trouble), b'{"error": "trouble", "reason": "made up"}')
                elif trouble == "untyped 502":
                    self.reply(502, b"<html>Bad gateway</html>" * 999, kind=None)
                elif trouble == "500 rows":
                    self.reply(500, b'[{"id": "x", "error": "internal_server_error"}]')
                elif trouble == "half-way":
                    self.reply(200, b'{"rows": [], "error": "timeout", "reason": "made up"}')
                elif trouble == "forbidden row":
                    self.reply(201, b'[{"id": "x", "error": "forbidden", "reason": "made up"}]')
                elif trouble == "purge works":
                    self.reply(201, b'{"purge_seq": null, "purged": {}}')
                else:
                    if "Content-Encoding" in self.headers and trouble == "no gzip":
                        return self.reply(415, b'{"error": "bad_ctype", "reason": "gzip"}')
                    self.forward(body, trouble)
                return None

            def forward(self, body: bytes, trouble: str | None) -> None:
                inner = HTTPConnection("127.0.0.1", port, timeout=30)
                headers = {k: v for k, v in self.headers.items() if k != "Host"}
                inner.request(self.command, self.path, body or None, headers)
                reply = inner.getresponse()
                content = reply.read()
                inner.close()
                if trouble == "error row":
                    answer = json.loads(content)
                    answer["rows"][0] = {"key": answer["rows"][0]["key"], "error": "timeout"}
                    content = json.dumps(answer).encode()
                if trouble == "lost answer":
                    self.close_connection = True
                elif trouble in ("chunked", "cut chunks"):
                    self.send_response_only(reply.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    half = len(content) // 2
                    for part in (content[:half], content[half:]):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                        if trouble == "cut chunks":
                            self.close_connection = True
                            return
                    self.wfile.write(b"0\r\n\r\n")
                elif trouble == "cut answer":
                    self.reply(reply.status, content, cut=len(content) // 2)
                    self.close_connection = True
                else:
                    self.reply(reply.status, content, date=reply.headers.get("Date"))

            def reply(self, status, content, kind="application/json", date=None, cut=None) -> None:
                self.send_response_only(status)
                if kind:
                    self.send_header("Content-Type", kind)
                if date:
                    self.send_header("Date", date)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[:cut])

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                plain, address = super().get_request()
                if gate.tls is not None:
                    plain = gate.tls.wrap_socket(plain, server_side=True)
                return plain, address

            def handle_error(self, request, client_address) -> None:
                pass  # the client went away: this is a place of trouble

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def take(self, line: str, headers: dict[str, str], body: bytes) -> str | None:
        with self._lock:
            self.seen.append((line, headers, body))
            for i, (word, trouble) in enumerate(self.troubles):
                if word in line:
                    del self.troubles[i]
                    return trouble
        return None

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def gate_to():
    """Open proxies in front of a port; all are closed after the test."""
    gates = []

    def open_one(port: int, tls: ssl.SSLContext | None = None) -> Gate:
        gates.append(Gate(port, tls))
        return gates[-1]

    yield open_one
    for one in gates:
        one.close()


@pytest.fixture
def gate(pouchdb, gate_to):
    return gate_to(pouchdb.port)


@pytest.fixture
def gate_url(gate, couchdb_url):
    return f"couchdb://127.0.0.1:{gate.port}/{couchdb_url.rpartition('/')[2]}"
