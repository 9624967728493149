"""What HTTP asks of a service: hosts, HEAD, entity tags, tokens, late heads, the description."""

import html
import json
import os
import re
import shutil
import socket
import time
import zipfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace

import pytest

from service import middleware, server

TOKEN = "a-secret-of-enough-letters"


def raw(client, lines, wait_s=30):
    """The answer to a request as it is on the wire."""
    with socket.create_connection(client.service_address, timeout=wait_s) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = b""
        while block := connection.recv(65536):
            answer += block
    return answer.decode("latin-1")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Host: [bad"], 400),
        (["Host: ]["], 400),
        (["Host: 127.0.0.1:8000", "Origin: http://[bad"], 403),
        (["Host: [::1]", "Origin: http://[::1"], 403),
    ],
)
def test_addresses_that_are_none_are_refused(client, capfd, headers, status):
    answer = raw(client, ["GET /api/recordings HTTP/1.1", *headers, "Connection: close"])
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert "application/problem+json" in answer
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "path", ["/healthz", "/", "/api/recordings", "/api/audio/KERSTIN_03", "/metrics", "/nothing"]
)
def test_head_is_get_without_its_body(client, path):
    head, get = client(path, method="HEAD"), client(path)
    assert (head.status, head.body) == (get.status, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    if path != "/metrics":  # which counts the requests
        assert head.headers.get("content-length") == get.headers.get("content-length")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/feedback", "DELETE, GET, HEAD, POST"),
        ("/api/uploads/a", "DELETE, PATCH"),
        ("/api/search", "GET, HEAD"),
    ],
)
def test_the_methods_of_a_path_are_told(client, path, methods):
    answer = client(path, method="PUT")
    assert answer.status == 405
    assert answer.headers["allow"] == methods


def test_audio_that_a_client_has_is_not_sent_again(client):
    whole = client("/api/audio/KERSTIN_03")
    tag = whole.headers["etag"]
    for given in (tag, f'"other", {tag}', f"W/{tag}"):
        same = client("/api/audio/KERSTIN_03", headers={"If-None-Match": given})
        assert (same.status, same.body, same.headers["etag"]) == (304, b"", tag)
    other = client("/api/audio/KERSTIN_03", headers={"If-None-Match": '"other"'})
    assert (other.status, len(other.body)) == (200, len(whole.body))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"BEARER  {TOKEN}", 200),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        ("Bearer", 401),
        (f"Bearer {TOKEN}x", 401),
    ],
)
def test_the_scheme_of_a_token_has_any_case(serve, changed, given, status):
    with serve(changed(token=TOKEN)) as client:
        assert client("/api/recordings", headers={"Authorization": given}).status == status


def test_the_description_says_how_a_token_is_sent(client):
    document = client("/api/openapi.json").json
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert {"token": []} in document["security"]


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


def test_lines_after_the_last_chunk_are_bounded(client):
    start = with_body("GET /healthz", 0, chunked=True) + b"0\r\n"
    assert problem(sent(client, [start, *([b"X: y\r\n" * 1000] * 20)]))[0] == 431


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


def test_audio_that_is_gone_is_told(serve, changed, audio, tmp_path):
    folder = tmp_path / "audio"
    shutil.copytree(audio, folder)
    with serve(changed(audio=folder, poll_s=1000.0)) as client:
        hits = client("/api/search", term="die", limit=40).json["hits"]
        gone, *others = dict.fromkeys(hit["recording_id"] for hit in hits)
        next(folder.glob(f"{hits[0]['file']}.*")).unlink()
        for path in ("peaks", "spectrogram?from=1&to=2"):
            answer = client(f"/api/recordings/{gone}/{path}")
            assert answer.status == 404, path
            assert "gone" in answer.json["detail"] or "no audio" in answer.json["detail"]
        archive = client("/api/export", term="polizei OR die", format="clips",
                         min_probability=0.99, recording=[gone, others[0]])  # fmt: skip
        assert archive.status == 200
        with zipfile.ZipFile(BytesIO(archive.body)) as members:
            names = members.namelist()
            missing = members.read("missing.txt").decode()
        assert any(name.endswith(".ogg") for name in names)
        title = next(hit["title"] for hit in hits if hit["recording_id"] == gone)
        assert f"-{title.replace(' ', '_')}-" in missing
        assert "the audio of this recording is gone" in missing


def test_new_audio_and_metadata_are_noticed_without_a_commit(serve, changed, audio, tmp_path):
    folder, table = tmp_path / "audio", tmp_path / "recordings.csv"
    folder.mkdir()
    table.write_text("file,title\nKERSTIN_03,Old title\n")
    with serve(changed(audio=folder, metadata=table)) as client:
        before = client("/api/recordings/KERSTIN_03").json
        assert (before["title"], before["has_audio"]) == ("Old title", False)
        shutil.copy(next(audio.glob("KERSTIN_03.*")), folder)
        table.write_text("file,title,date\nKERSTIN_03,New title,2024\n")
        os.utime(table, ns=(time.time_ns(), time.time_ns() + 10**9))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            after = client("/api/recordings/KERSTIN_03").json
            if after["has_audio"] and after["title"] == "New title":
                break
            time.sleep(0.1)
        assert (after["title"], after["has_audio"]) == ("New title", True)
        found = client("/api/search", term="die date:2024", limit=500).json
        assert {hit["file"] for hit in found["hits"]} == {"KERSTIN_03"}


def test_a_recording_is_read_without_scripts(client):
    page = client("/recordings/KERSTIN_03").body.decode()
    assert "/recordings/KERSTIN_03?words=1" in page
    text = client("/recordings/KERSTIN_03", words=1).body.decode()
    words = client("/api/recordings/KERSTIN_03/words", alternatives=False).json["words"]
    assert text.count("<time>") == -(-len(words) // 12)
    assert "<script" not in text
    assert words[0]["word"] in text


def test_recordings_are_browsed(client):
    page = client("/recordings").body.decode()
    assert "15 recordings" in page
    by_date = client("/recordings", sort="date").body.decode()
    assert by_date.index("Radio lesson 1") < by_date.index("KERSTIN_02")
    some = client("/recordings", text="lesson").body.decode()
    assert "3 recordings with “lesson”" in some
    assert "KERSTIN_02" not in some
    assert "<b onmouseover" not in some


def test_a_recording_is_an_iiif_manifest(client):
    """What Presentation 3.0 requires of an audio manifest, and Content Search 2.0 of an answer.

    Both are what iiif-prezi3 3.1.1 reads. The schema of IIIF's validator
    (github.com/IIIF/presentation-validator, schema/iiif_3_0.json) accepts the manifest and the
    annotations; of the answer it lacks what only Content Search has: ``startIndex``, and
    ``partOf`` as one object.
    """
    answer = client("/api/recordings/KERSTIN_00/manifest")
    assert answer.headers["content-type"].startswith("application/ld+json;profile=")
    whole = answer.json
    assert whole["@context"][-1] == "http://iiif.io/api/presentation/3/context.json"
    assert (whole["type"], whole["label"]) == ("Manifest", {"none": ["Radio lesson 1"]})
    assert {"label": {"en": ["date"]}, "value": {"none": ["2019-03"]}} in whole["metadata"]
    (canvas,) = whole["items"]
    (page,) = canvas["items"]
    (sound,) = page["items"]
    assert (canvas["type"], page["type"], sound["type"]) == (
        "Canvas", "AnnotationPage", "Annotation",
    )  # fmt: skip
    assert (sound["motivation"], sound["target"]) == ("painting", canvas["id"])
    assert isinstance(canvas["duration"], float)
    assert (sound["body"]["type"], sound["body"]["format"]) == ("Sound", "audio/ogg")
    assert len({one["id"] for one in (whole, canvas, page, sound, sound["body"])}) == 5
    for address in (sound["body"]["id"], whole["rendering"][0]["id"], whole["id"]):
        assert client(address.removeprefix(client.url)).status == 200
    (search,) = whole["service"]
    assert search["type"] == "SearchService2"
    found = client(search["id"].removeprefix(client.url), q="die", user="x").json
    assert (found["type"], found["ignored"]) == ("AnnotationPage", ["user"])
    hits = client("/api/search", term="die", recording="KERSTIN_00").json
    assert found["partOf"]["last"]["id"] == found["partOf"]["first"]["id"] == found["id"]
    assert found["partOf"]["total"] == len(found["items"]) == hits["total"] > 3
    first = hits["hits"][0]
    begin, _, end = found["items"][0]["target"].partition("#t=")[2].partition(",")
    assert (float(begin), float(end)) == pytest.approx(
        (first["start_s"], first["start_s"] + first["duration_s"])
    )
    assert first["context"][1] in found["items"][0]["body"]["value"]
    assert found["items"][0]["target"].startswith(canvas["id"])


@pytest.fixture(scope="module")
def framed(serve, german_settings):
    """A service whose hits a page of one origin may show, and that asks for a token."""
    settings = replace(german_settings, frames=("https://blog.example",), token=TOKEN)
    with serve(settings) as one:
        yield one


def player(framed, **query):
    """The oEmbed of a hit, and the address of its frame below the service's."""
    query.setdefault("url", f"{framed.url}/recordings/KERSTIN_00?term=die&at=21.345&until=21.45")
    answer = framed("/api/oembed", headers={"Authorization": f"Bearer {TOKEN}"}, **query)
    (source,) = re.findall(r'src="([^"]+)"', answer.json["html"])
    return answer.json, html.unescape(source).removeprefix(framed.url)


def test_a_hit_is_a_player_on_another_page(framed):
    """oEmbed 1.0, 2.3.4.4; the frame needs neither script nor token, only its ticket."""
    known, path = player(framed, maxwidth=400)
    assert (known["version"], known["type"], known["width"]) == ("1.0", "rich", 400)
    shown = framed(path)
    assert shown.status == 200
    policy = shown.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors https://blog.example")
    assert "script-src" not in policy
    text = shown.body.decode()
    assert "<mark>die</mark>" in text
    (clip,) = re.findall(r'src="([^"]+)"', text)
    sound = framed(html.unescape(clip), headers={"Range": "bytes=0-3"})
    assert (sound.status, sound.body) == (206, b"OggS")
    assert "from=20.345" in clip


def test_the_ticket_of_a_frame_opens_its_stretch_only(framed):
    _, path = player(framed)
    assert framed(path).status == 200
    other = path.replace("KERSTIN_00", "KERSTIN_01")
    twice, longer = f"{path}&from=1", path.replace("to=21.450", "to=40.000")
    sound = path.replace("/embed/", "/api/audio/")
    for refused in (other, twice, longer, sound, path.partition("&ticket")[0]):
        assert framed(refused).status == 401, refused
    assert framed("/api/oembed", url="/recordings/KERSTIN_00?at=1").status == 401


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "https://blog.example/recordings/KERSTIN_00?at=1"}, 404),
        ({"url": "/recordings/nobody?at=1"}, 404),
        ({"url": "/recordings/KERSTIN_00"}, 404),
        ({"url": "/recordings/KERSTIN_00?at=1e3"}, 404),
        ({"url": "/recordings/KERSTIN_00?at=1", "format": "xml"}, 501),
        ({"url": "/recordings/KERSTIN_00?at=1", "maxwidth": "-1"}, 422),
        ({}, 422),
    ],
)
def test_what_is_no_hit_has_no_player(framed, query, status):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert framed("/api/oembed", headers=headers, **query).status == status


def test_a_player_cannot_be_more_than_a_player(framed, client):
    known, path = player(framed, url='/recordings/KERSTIN_12?at=1&term="><script>x()</script>')
    assert "<script" not in known["html"] + framed(path).body.decode()
    assert known["html"].count("<") == 2
    assert client("/api/oembed", url="/recordings/KERSTIN_00?at=1").status == 403  # not allowed
    assert client("/embed/KERSTIN_00", from_=1, to=2).status == 403


@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=2-5", 206, slice(2, 6)), ("bytes=5-", 206, slice(5, None)),
        ("bytes=-4", 206, slice(-4, None)), ("bytes=0-99999999", 206, slice(0, None)),
        ("bytes=99999999-", 416, None), ("bytes=-0", 416, None),
        ("bytes=5-2", 200, slice(0, None)), ("bytes=0-1,3-4", 200, slice(0, None)),
        ("bytes=-", 200, slice(0, None)), ("lines=1-2", 200, slice(0, None)),
    ],
)  # fmt: skip
def test_players_ask_for_parts_of_clips(client, wanted, status, part):
    """RFC 9110, 14: some players play nothing else."""
    whole = client("/api/clips/KERSTIN_00", from_=1, to=2).body
    answer = client("/api/clips/KERSTIN_00", from_=1, to=2, headers={"Range": wanted})
    assert answer.status == status
    assert part is None or answer.body == whole[part]
