"""Servers close connections when they like, politely or rudely: nothing is lost, nobody fails."""

import random
import socket
import struct
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy

pytestmark = pytest.mark.slow

POLITE = ["close", "close in chunks", "close by its end", "chunks"]
SILENT = ["close unsaid", "half-close", "reset after"]  # seen at the next request at the earliest
RUDE = ["reset before", "headers only", "half a head", "cut", "cut chunks", "reset in the middle"]
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
PATIENT = RetryPolicy(timeout_s=30, pauses_s=(0.001,) * 12, notice_s=30)


class Closing:
    """Forwards each request to a port, and ends each response in the next of some manners."""

    def __init__(self, port: int, manner_of) -> None:
        self.connections = self.responses = 0
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *arguments) -> None:
                pass

            def setup(self) -> None:
                super().setup()
                stand_in.connections += 1

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                stand_in.responses += 1
                manner = manner_of(stand_in.responses)
                if manner == "reset before":
                    self.reset()
                    return
                inner = HTTPConnection("127.0.0.1", port, timeout=30)
                headers = {k: v for k, v in self.headers.items() if k != "Host"}
                inner.request(self.command, self.path, body or None, headers)
                reply = inner.getresponse()
                content = reply.read()
                inner.close()
                self.say(manner, reply.status, content)

            def say(self, manner: str, status: int, content: bytes) -> None:
                in_chunks = "chunks" in manner
                half = len(content) // 2
                self.send_response_only(status)
                self.send_header("Content-Type", "application/json")
                if in_chunks:
                    self.send_header("Transfer-Encoding", "chunked")
                elif manner != "close by its end":
                    self.send_header("Content-Length", str(len(content)))
                if manner in ("close", "close in chunks", "close by its end"):
                    self.send_header("Connection", "close")
                if manner == "half a head":
                    self._headers_buffer = self._headers_buffer[:1]
                    self.flush_headers()
                else:
                    self.end_headers()
                if in_chunks:
                    for part in (content[:half], content[half:]):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                        if manner == "cut chunks":
                            break
                    else:
                        self.wfile.write(b"0\r\n\r\n")
                elif manner in ("cut", "reset in the middle"):
                    self.wfile.write(content[:half])
                elif manner not in ("headers only", "half a head"):
                    self.wfile.write(content)
                self.wfile.flush()
                if manner.startswith("reset"):
                    self.reset()
                elif manner == "half-close":
                    self.connection.shutdown(socket.SHUT_WR)
                    self.rfile.read(1)  # until the other side closes, too
                self.close_connection = manner not in ("", "chunks")

            def reset(self) -> None:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                self.connection.close()
                self.close_connection = True

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def shutdown_request(self, request) -> None:
                self.close_request(request)

            def handle_error(self, request, client_address) -> None:
                pass  # it closed its own connection

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def closing(pouchdb):
    made = []

    def open_one(manner_of) -> Closing:
        made.append(Closing(pouchdb.port, manner_of))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


@pytest.fixture
def name(couchdb_url) -> str:
    return couchdb_url.rpartition("/")[2]


@pytest.mark.couchdb
@pytest.mark.parametrize("manner", [*POLITE, *SILENT])
def test_every_response_may_be_the_last_of_its_connection(
    closing, name, opened, speech, commit, digests, manner
):
    server = closing(lambda _: manner)
    store = opened(f"couchdb://127.0.0.1:{server.port}/{name}", retry_policy=PATIENT)
    commit(store, speech(1), speech(2))
    commit(store, replace=[store.segments()[0].id])
    assert digests(store) == [speech(2).digest()]
    assert store.clean_up() == 1
    assert (server.connections == 1) == (manner == "chunks")


@pytest.mark.couchdb
@pytest.mark.parametrize("requests", [1, 2, 3, 7])
def test_a_proxy_that_closes_after_some_requests(
    closing, name, opened, speech, commit, digests, requests
):
    """nginx after 1,000, Apache httpd after 100."""
    server = closing(lambda number: "close" if number % requests == 0 else "")
    store = opened(f"couchdb://127.0.0.1:{server.port}/{name}")
    commit(store, speech(1))
    for _ in range(20):
        assert digests(store) == [speech(1).digest()]
    assert server.connections == server.responses // requests + bool(server.responses % requests)


@pytest.mark.couchdb
@pytest.mark.parametrize("seed", range(4))
def test_any_manner_at_any_time(closing, name, opened, speech, commit, digests, seed):
    draw = random.Random(seed)
    manners = draw.choices(["", *POLITE, *SILENT, *RUDE], k=5000)
    server = closing(manners.__getitem__)
    store = opened(f"couchdb://127.0.0.1:{server.port}/{name}", retry_policy=PATIENT)
    for number in (1, 2, 3):
        commit(store, speech(number))
    commit(store, replace=[store.segments()[0].id])
    assert digests(store) == [speech(2).digest(), speech(3).digest()]
    assert list(store.damage()) == []
    assert server.connections > 10


@pytest.mark.couchdb
def test_threads_share_the_connections(closing, couchdb_url, name):
    server = closing(lambda number: "" if number % 5 else "close")
    database = Database(f"couchdb://127.0.0.1:{server.port}/{name}", PATIENT)
    database.create()
    for i in range(8):
        database.put(f"d{i}", body={"value": i})
    got: list[list[int]] = []

    def read(i: int) -> None:
        got.append([database.get(f"d{i}")["value"] for _ in range(20)] + [i])

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(got) == [[i] * 21 for i in range(8)]
    database.close()


def test_the_first_contact_waits_as_long_as_the_rest(couchdb_url, name, closing):
    """A server that restarts refuses connections and answers 500 for a while."""
    server = closing(lambda number: "reset before" if number <= 6 else "")
    database = Database(f"couchdb://127.0.0.1:{server.port}/{name}", PATIENT)
    assert not database.exists()
    assert server.responses == 7
    database.close()
