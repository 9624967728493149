"""What HTTP asks of a service: hosts, HEAD, entity tags, ranges, tokens, the description."""

import errno
import os
import shutil
import socket
import time
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from service.problems import as_problem
from std.outputs import unwritable

HTML = "text/html; charset=utf-8"
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
    ("kind", "body", "status", "told"),
    [
        ("text/plain; charset=utf-8", b"{}", 415, "a body of application/json, got text/plain"),
        ("application/json", b'{"term":', 422, "JSON in UTF-8 (Expecting value, byte 8)"),
        ("application/json", b"\xff{}", 400, "expected JSON in UTF-8"),
        ("application/json", b"[" * 100_000, 400, "expected JSON in UTF-8"),
        ("application/problem+json", b"{}", 422, "mark.term: Field required"),
    ],
)
def test_bodies_that_are_no_json_are_told(client, kind, body, status, told):
    answer = client("/api/feedback", method="POST", body=body, headers={"Content-Type": kind})
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")
    assert told in answer.json["detail"]


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 507), (errno.EACCES, 400)])
def test_a_full_disk_is_no_error_of_the_request(number, status):
    error = unwritable(Path("alerts.txt"), "a file", OSError(number, os.strerror(number)))
    error.__cause__ = OSError(number, os.strerror(number))  # as `raise ... from` sets it
    assert as_problem(error).status == status


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
    for given in (tag, f'"other", {tag}', f"W/{tag}", "*"):
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


def test_an_old_address_shows_what_there_is(client):
    """A page that the archive no longer has is the first one; an error names no option."""
    assert b"KERSTIN_02" in client("/page/recordings", cursor="9999").body
    assert b'class="hit"' in client("/page/results", term="und", cursor="9999").body
    assert b'class="unit"' in client("/?term=und&unit=recording&cursor=9999").body
    wrong = client("/page/results", term="und", where="nothing:a").body.decode()
    assert "where: expected one of the columns" in wrong
    assert "--where" not in wrong
    assert client("/nothing", headers={"Accept": "text/html"}).headers["content-type"] == HTML


def test_recordings_are_browsed(client):
    page = client("/recordings").body.decode()
    assert "15 recordings" in page
    by_date = client("/recordings", sort="date").body.decode()
    assert by_date.index("Radio lesson 1") < by_date.index("KERSTIN_02")
    some = client("/recordings", text="lesson").body.decode()
    assert "3 recordings with “lesson”" in some
    assert "KERSTIN_02" not in some
    assert "<b onmouseover" not in some


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
