"""Late, large and invalid requests, and clients that do not read: each is told why."""

import json
import socket
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from service import middleware, server


def sent(client, parts, wait_s=0.0):
    """The answer to bytes that come one after the other, with pauses, while somebody reads."""
    with socket.create_connection(client.service_address, timeout=30) as connection:
        for part in parts:
            with suppress(OSError):  # closed in our face; the answer is there nevertheless
                connection.sendall(part)
            time.sleep(wait_s)
        answer = b""
        with suppress(ConnectionResetError):  # of a client that was too slow; what came counts
            while block := connection.recv(65536):
                answer += block
    return answer


def problem(answer):
    """Status and detail of an answer that is a problem and ends its connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    fields = head.lower().split(b"\r\n")
    assert b"content-type: application/problem+json" in fields
    assert b"connection: close" in fields
    document = json.loads(body)
    assert fields[0].startswith(f"http/1.1 {document['status']} ".encode())
    assert document["title"]
    return document["status"], document["detail"]


HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127."
ROUTES = [
    "GET /healthz", "GET /", "GET /api/search?term=die", "GET /nothing", "DELETE /api/feedback",
    "POST /api/searches", "POST /api/uploads?name=a.srt", "PATCH /api/uploads/a", "HEAD /metrics",
    "OPTIONS /api/search", "GET /static/x/shell.js", "POST /api/alerts",
]  # fmt: skip


def with_body(route, length, chunked=False):
    how = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {length}"
    return f"{route} HTTP/1.1\r\nHost: localhost\r\n{how}\r\n\r\n".encode()


def test_a_head_that_does_not_come_ends_its_connection(client, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.3)
    for parts in ([HEAD], [b""], [b"\r\n"] * 10, [b"GET / HTTP/1.1\r\n", *([b"X: y\r\n"] * 9)]):
        assert problem(sent(client, parts, 0.05))[0] == 408
    after_one = sent(client, [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", HEAD])
    assert after_one.startswith(b"HTTP/1.1 200 ")
    assert problem(after_one[after_one.index(b"HTTP/1.1 408") :])[0] == 408


@pytest.mark.parametrize("route", ROUTES)
def test_a_late_body_is_told_on_every_route(hasty, short, route):
    for chunked in (False, True):
        head = with_body(route, 1000, chunked)
        answer = sent(hasty, [head, *([b"1\r\nx\r\n"] * 4)], 0.05)
        if route.startswith("HEAD"):
            assert answer.startswith(b"HTTP/1.1 408 ")
        elif "uploads" not in route:  # which are refused here before anything comes
            assert problem(answer) == (408, "expected the body within 0.15 s")


@pytest.mark.parametrize("route", ROUTES)
def test_a_large_body_is_told_on_every_route(frugal, short, route):
    block = b"%x\r\n%s\r\n" % (100_000, b"x" * 100_000)
    for answer in (
        sent(frugal, [with_body(route, 10**12)]),
        sent(frugal, [with_body(route, 3_000_000), *([b"x" * 100_000] * 30)]),
        sent(frugal, [with_body(route, 0, chunked=True), *([block] * 30)]),
    ):
        if route.startswith("HEAD"):
            assert answer.startswith(b"HTTP/1.1 413 ")
        elif "uploads" not in route:
            assert problem(answer) == (413, "expected at most 1000000 bytes")


@pytest.fixture
def short(monkeypatch):
    """Clients that are refused, and silent, have little time to read why."""
    monkeypatch.setattr(middleware, "LINGER_S", 0.25)


@pytest.fixture(scope="module")
def hasty(serve, german_settings):
    """A service that does not wait long for a body."""
    limits = replace(german_settings.limits, body_s=0.15)
    with serve(replace(german_settings, limits=limits)) as client:
        yield client


@pytest.fixture(scope="module")
def frugal(serve, german_settings):
    """A service that takes no large body."""
    limits = replace(german_settings.limits, body_bytes=1_000_000)
    with serve(replace(german_settings, limits=limits)) as client:
        yield client


def test_a_body_that_nobody_needs_is_taken_and_the_connection_stays(client):
    first = with_body("GET /healthz", 5) + b"abcde"
    second = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = sent(client, [first, second], 0.1)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 404 " in answer


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # TLS
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, 431),
        (b"GET /" + b"x" * 900_000, 431),
        (b"\r\n" * 100_000, 431),
    ],
)
def test_what_is_no_request_is_told_as_a_problem(client, short, request_, status):
    assert problem(sent(client, [request_[i : i + 9000] for i in range(0, len(request_), 9000)]))[
        0
    ] == status  # fmt: skip


@pytest.mark.parametrize("head", [b"GET / HTTP/1.1\r\nX: %s", b"GET /%s HTTP/1.1\r\nX: y"])
def test_a_head_that_comes_at_once_may_be_too_long(client, head):
    request_ = head % (b"a" * 66_000) + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert problem(sent(client, [request_]))[0] == 431


def test_a_refused_client_may_send_on_until_it_is_silent():
    """2 s of silence, 20 s at most: the clock is the test's."""
    waits, now_s = [], [100.0]
    connection = object.__new__(server.Connection)
    connection.loop = SimpleNamespace(
        time=lambda: now_s[-1],
        call_later=lambda wait_s, end: waits.append(wait_s) or SimpleNamespace(cancel=list),
    )
    connection.transport = SimpleNamespace(abort=lambda: waits.append("aborted"))
    connection._late, connection._refused_s, connection._head_bytes = None, now_s[0], 0
    for at_s in (101.5, 119.0, 119.5):
        now_s.append(at_s)
        connection.data_received(b"x" * 1000)
    assert waits == [2.0, 1.0, 0.5]
    connection.data_received(b"x" * server.MAX_LINGER_BYTES)
    assert waits[-1] == "aborted"


@pytest.mark.parametrize("at_once", [1000, 11_000])
def test_lines_after_the_last_chunk_are_bounded(client, at_once):
    """They may come with the head, or one after the other."""
    start = with_body("GET /healthz", 0, chunked=True) + b"0\r\n"
    lines = [b"X: y\r\n" * at_once] * (20_000 // at_once)
    assert problem(sent(client, [start + lines[0], *lines[1:]]))[0] == 431


def test_too_many_connections_are_told(serve, changed, german_settings):
    limits = replace(german_settings.limits, connections=3)
    with serve(changed(limits=limits)) as client, ExitStack() as held:
        for _ in range(3):
            held.enter_context(socket.create_connection(client.service_address))
        assert problem(sent(client, [HEAD + b"0.0.1\r\n\r\n"]))[0] == 503


def test_a_client_that_takes_no_answer_is_let_go(client, monkeypatch):
    monkeypatch.setattr(server, "READ_S", 0.3)
    ask = b"GET /api/audio/KERSTIN_03 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(client.service_address)
        with suppress(OSError):
            for _ in range(300):
                connection.sendall(ask)
                time.sleep(0.01)
            pytest.fail("the service went on")
