"""Who may ask, and what data cannot do."""

import http.client
import json
import re
import socket
import time
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from service.cli import main
from service.middleware import is_loopback
from service.recordings import recording_id
from service.users import ticket
from std.values import Recording

TOKEN = "a-secret-of-enough-letters"


@pytest.fixture(scope="module")
def guarded(serve, german_settings):
    from dataclasses import replace

    with serve(replace(german_settings, token=TOKEN)) as client:
        yield client


def bearer(token=TOKEN):
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "path",
    [
        "/api/search?term=und", "/api/recordings", "/api/audio/KERSTIN_00", "/metrics",
        "/page/results?term=und", "/api/openapi.json", "/api/tickets/KERSTIN_00",
        "/api/export?format=csv&term=und", "/api/feedback", "/api/alerts",
        "/api//search?term=und", "/api/../api/recordings", "/api/nothing",
    ],
)  # fmt: skip
def test_nothing_of_the_index_without_the_token(guarded, path):
    for headers in ({}, bearer("wrong"), {"Authorization": TOKEN}, bearer(TOKEN[:-1])):
        answer = guarded(path, headers=headers)
        assert answer.status == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert b"KERSTIN" not in answer.body


@pytest.mark.parametrize("path", ["/", "/?term=und", "/recordings/KERSTIN_00", "/api/docs"])
def test_the_pages_alone_tell_nothing(guarded, path):
    answer = guarded(path)
    assert answer.status == 200
    text = answer.body.decode()
    assert "data-needs-token" in text
    assert not re.search(r"Radio lesson|15 recordings|class=\"hit\"", text)


def test_a_path_of_a_proxy_changes_nothing(serve, changed):
    with serve(changed(token=TOKEN, root_path="/std")) as client:
        assert client("/api/search", term="und").status == 401
        assert client("/api/search", term="und", headers=bearer()).status == 200
        assert client("/healthz").status == 200
        page = client("/")
        assert b'data-root="/std"' in page.body
        (style,) = re.findall(rb'href="/std(/static/[^"]+\.css)"', page.body)
        assert client(style.decode()).status == 200
        given = client("/api/tickets/KERSTIN_00", headers=bearer()).json["ticket"]
        assert client("/api/audio/KERSTIN_00", ticket=given).status == 200


def test_with_the_token(guarded):
    assert guarded("/api/search", term="und", headers=bearer()).json["total"] > 0
    assert guarded("/healthz").json["detail"] == ""


@pytest.mark.parametrize("term", ["dort" * 45, "dahin" * 40, "9" * 200, "ἄ" * 200, "वि" * 90])
def test_no_term_ends_the_service(guarded, term):
    before = guarded("/api/search", term="dort", headers=bearer()).json["total"]
    assert guarded("/api/search", term=term, headers=bearer()).status == 200
    assert guarded("/api/search", term="dort", headers=bearer()).json["total"] == before


def test_a_ticket_opens_one_recording_for_some_time(guarded):
    given = guarded("/api/tickets/KERSTIN_00", headers=bearer()).json["ticket"]
    assert guarded("/api/audio/KERSTIN_00", ticket=given).status == 200
    assert guarded("/api/audio/KERSTIN_01", ticket=given).status == 401
    assert guarded("/api/search", term="und", ticket=given).status == 401
    late = ticket(TOKEN, "KERSTIN_00", int(time.time()) - 1)
    assert guarded("/api/audio/KERSTIN_00", ticket=late).status == 401
    later = f"{int(time.time()) + 10**6}-{given.partition('-')[2]}"
    for wrong in (later, "", "-", "x-y", "9" * 40, given[:-1]):
        assert guarded("/api/audio/KERSTIN_00", ticket=wrong).status == 401
    assert TOKEN not in given


def test_no_secret_and_no_term_in_the_log(guarded):
    before = len(guarded.log)
    given = guarded("/api/tickets/KERSTIN_00", headers=bearer()).json["ticket"]
    guarded("/api/audio/KERSTIN_00", ticket=given)
    guarded("/api/search", term="geheimnis", headers=bearer())
    deadline = time.monotonic() + 60
    while not any('"/api/search"' in line for line in guarded.log[before:]):  # after the answer
        assert time.monotonic() < deadline
        time.sleep(0.02)
    text = "\n".join(guarded.log)
    assert TOKEN not in text
    assert given not in text
    assert "geheimnis" not in text
    line = json.loads(guarded.log[-1])
    assert line.keys() == {"time", "client", "method", "path", "status", "ms", "bytes"}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost@evil", "[::2]"]
)
def test_another_host_is_refused(client, host):
    answer = client("/api/search", term="und", headers={"Host": host})
    assert answer.status == 400
    assert "Host" in answer.json["detail"]


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_names_of_this_machine(client, host):
    assert client("/healthz", headers={"Host": host}).status == 200


def test_other_origins_are_refused(client):
    mark = {"term": "x", "recording": "KERSTIN_00", "start": 0, "end": 1, "right": True}
    own = urlsplit(client.url).netloc
    for origin in (
        "http://evil.example",
        "null",
        f"http://{own}.evil.example",
        "http://127.0.0.1:1",
    ):
        answer = client("/api/feedback", method="POST", body=mark, headers={"Origin": origin})
        assert answer.status == 403
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert client("/api/search", term="und", headers=cross).status == 403
    assert client("/api/search", term="und", headers={"Origin": client.url}).status == 200
    assert client("/api/feedback").json == []


def test_headers_of_every_answer(client):
    for path in ("/", "/api/recordings", "/nowhere", "/recordings/KERSTIN_00", "/api/search"):
        headers = client(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers


def test_scripts_and_styles_are_files(client):
    """What the content security policy would block is not there in the first place."""
    for path in ("/", "/?term=und", "/recordings/KERSTIN_00", "/api/docs"):
        for tag, attributes in Reader(client(path)).tags:
            assert tag != "style"
            assert tag != "script" or attributes["src"].startswith("/static/")
            assert not any(name == "style" or name.startswith("on") for name in attributes)
            for name in ("src", "href", "action"):
                assert re.match(r"/(?!/)|#|$", attributes.get(name, ""))


class Reader(HTMLParser):
    """The tags and the visible text of a page."""

    def __init__(self, answer):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(answer.body.decode())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


HOSTILE = [
    '<script>document.title="broken"</script>',
    "\" onmouseover=\"document.title='broken'",
    "{{ 7919 * 7907 }}{% raw %}",
    "'); DROP TABLE words; --",
    "\u202eevil\u202c",
    "a\x00b",
    "../../../../etc/passwd",
    "%2e%2e%2f",
    "😀" * 60,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_terms_are_text(client, text):
    page = client("/", q=text)
    assert page.status == 200
    body = page.body.decode()
    assert "<script>document" not in body
    assert ' onmouseover="' not in body
    assert str(7919 * 7907) not in body  # nothing of a term is worked out
    assert "\u202e" not in Reader(page).text
    assert client("/api/search", term=text).status in (200, 400)
    assert client("/api/query", term=text).status in (200, 400)
    assert client("/api/words", text=text).status == 200
    for kind in ("csv", "vtt", "srt", "stdlist", "json"):
        answer = client("/api/export", term=[text, "und"], format=kind)
        assert answer.status in (200, 400)
        if answer.status == 200:
            assert re.fullmatch(
                r"attachment; filename\*=UTF-8''[\w%.-]+", answer.headers["content-disposition"]
            )


def test_hostile_metadata_is_text(client):
    page = client("/", term="und").body.decode()
    assert "&lt;b onmouseover" in page
    assert "<b onmouseover" not in page


@pytest.mark.parametrize(
    "path",
    [
        "/static/../cli.py", "/static/x/../../cli.py", "/static/x/%2e%2e/routes.py", "/static/",
        "/static/x/", "/static/x//etc/passwd", "/recordings/..%2f..%2fcli.py",
        "/api/audio/..%2f..%2fKERSTIN_00.ogg", "/api/audio/%2fetc%2fpasswd",
        "/api/audio/KERSTIN_00.ogg",
    ],
)  # fmt: skip
def test_no_path_leads_out(client, path):
    """Sent as it is: urllib would tidy it up."""
    connection = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=60)
    connection.putrequest("GET", path)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 404
    assert b"root:" not in body
    assert b"import " not in body


def test_ids_are_names_or_digests():
    assert recording_id(Recording("KERSTIN_00", 1)) == "KERSTIN_00"
    assert recording_id(Recording("a.2", 1)) != recording_id(Recording("a", 2))
    for name in ("../x", ".", "..", "a/b", "a b", "", "~x", "ä", "x" * 101, "a:2", "a\x00"):
        assert re.fullmatch("~[0-9a-f]{16}", recording_id(Recording(name, 1))), name


def test_bodies_are_bounded(client):
    with socket.create_connection(client.service_address, 60) as one:
        one.sendall(
            b"POST /api/searches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n"
        )
        assert one.recv(100).startswith(b"HTTP/1.1 413")
    many = {"terms": ["und"] * 10_001}
    assert client("/api/searches", method="POST", body=many).status == 422
    long = {"terms": ["x" * 1_000_000]}
    assert client("/api/searches", method="POST", body=long).status == 400
    nested = b"[" * 100_000
    assert client("/api/searches", method="POST", body=nested).status == 422
    assert client("/api/feedback", method="POST", body=nested).status in (400, 422)


def test_a_body_without_a_length_is_bounded_too(client):
    connection = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=60)
    chunks = (b"x" * 100_000 for _ in range(100))
    try:
        connection.request("POST", "/api/searches", chunks, encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})  # fmt: skip
        status = connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # closed in our face
    connection.close()
    assert status == 413


def test_headers_without_end_are_refused(client):
    with socket.create_connection(client.service_address, 60) as one:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        with suppress(OSError):  # the service closes before everything is sent
            while sent < 100_000_000:
                one.sendall(b"X-%d: " % sent + b"a" * 8000 + b"\r\n")
                sent += 8000
        assert sent < 50_000_000  # sockets keep some megabytes that the service never reads
    assert client("/healthz").status == 200


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nTransfer-Encoding: chunked"
        b"\r\n\r\n0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"G" * 100_000,
        b"",
    ],
)
def test_what_is_no_request_ends_its_connection_only(client, request_):
    with socket.create_connection(client.service_address, 60) as one:
        with suppress(OSError):
            one.sendall(request_)
            one.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            answer = one.recv(4096)
            assert answer == b"" or answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 404")), answer
    assert client("/healthz").status == 200


def test_a_websocket_is_not_opened(client):
    headers = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
    }  # fmt: skip
    connection = http.client.HTTPConnection(*client.service_address, timeout=60)
    connection.request("GET", "/healthz", headers=headers)
    assert connection.getresponse().status in (200, 400)
    connection.close()


def test_a_term_of_a_megabyte(client):
    with socket.create_connection(client.service_address, 60) as one:
        one.sendall(
            b"GET /api/search?term=" + b"x" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        assert one.recv(100).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "OPTIONS", "DELETE", "BREW"])
def test_other_methods(client, method):
    assert client("/api/search", method=method, term="und").status in (400, 405)


def test_others_are_not_served_without_a_token(german_index, tmp_path, capsys):
    short = tmp_path / "token"
    short.write_text("short\n")
    store = ["--store", german_index]
    assert main([*store, "--host", "0.0.0.0"]) == 2
    assert "--token-file names a secret" in capsys.readouterr().err
    assert main([*store, "--token-file", str(short)]) == 2
    assert "a token of at least 16 ASCII letters" in capsys.readouterr().err
    assert main([*store, "--host", "example.org"]) == 2
    assert main([*store, "--host", "127.0.0.2.evil.example"]) == 2


def test_what_is_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "127.8.9.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.evil", "")))
