"""Recordings that people add: names, content, limits, races; states read from the folder."""

import io
import json
import os
import shutil
import socket
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import index_files
from service.problems import ProblemError
from service.settings import Limits, Settings
from service.uploads.checks import name_of
from service.uploads.folder import UploadFolder
from service.uploads.work import CommandResult, UploadWork

pytestmark = pytest.mark.slow

CAPTIONS = b"WEBVTT\n\n00:00.000 --> 00:02.000\nGood morning everyone\n"
WAIT_S = 120


@pytest.fixture(scope="module")
def settings(german, tmp_path_factory):
    here = tmp_path_factory.mktemp("archive")
    (here / "audio").mkdir()
    sample = "KERSTIN_00"
    (here / "audio" / f"{sample}.ogg").write_bytes((german / f"audio/{sample}.ogg").read_bytes())
    store = str(here / "index")
    index_files([str(german / f"mesh/{sample}.mesh")], store=store, language="German")
    return Settings(
        (store,), audio=here / "audio", poll_s=0.1, allow_uploads=True,
        recognise=("--backend", "pocketsphinx"),
        limits=Limits(upload_bytes=3_000_000, free_bytes=0, body_s=5.0),
    )  # fmt: skip


@pytest.fixture(scope="module")
def adding(serve, settings):
    with serve(settings) as client:
        yield client


def post(client, name, content, **query):
    kind = {"Content-Type": "application/octet-stream"}
    return client("/api/uploads", method="POST", body=content, headers=kind, name=name, **query)


def upload_of(client, name):
    return {one["name"]: one for one in client("/api/uploads").json["uploads"]}.get(name)


def wait_for(client, name, state="ready"):
    deadline = time.monotonic() + WAIT_S
    while True:
        one = upload_of(client, name)
        if one and one["state"] == state and (state != "ready" or one["recording_id"]):
            return one
        assert time.monotonic() < deadline, one
        assert state == "failed" or one is None or one["state"] != "failed", one
        time.sleep(0.2)


def test_captions_are_added_found_described_deleted_and_brought_back(adding):
    answer = post(adding, "Zeit & Raum.vtt", CAPTIONS, date="2024-01-31")
    assert answer.status == 201
    assert answer.json["name"] == "Zeit_Raum"
    assert answer.json["metadata"] == {"title": "Zeit & Raum", "date": "2024-01-31"}
    known = wait_for(adding, "Zeit_Raum")["recording_id"]
    (hit,) = adding("/api/search", term="morning everyone").json["hits"]
    assert (hit["recording_id"], hit["title"]) == (known, "Zeit & Raum")

    said = {"metadata": {"title": "Morning", "date": ""}}
    answer = adding("/api/uploads/Zeit_Raum", method="PATCH", body=said)
    assert answer.json["metadata"] == {"title": "Morning"}
    deadline = time.monotonic() + WAIT_S
    while adding(f"/api/recordings/{known}").json["title"] != "Morning":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert "date" not in adding(f"/api/recordings/{known}").json["metadata"]

    assert adding("/api/uploads/Zeit_Raum", method="DELETE").status == 204
    assert "Zeit_Raum" in adding("/api/uploads").json["deleted"]
    while adding(f"/api/recordings/{known}").status != 404:
        assert time.monotonic() < deadline + WAIT_S
        time.sleep(0.2)
    assert adding("/api/uploads/Zeit_Raum/restore", method="POST").json["name"] == "Zeit_Raum"
    assert wait_for(adding, "Zeit_Raum")["metadata"] == {"title": "Morning"}
    assert adding("/api/search", term="morning everyone").json["total"] == 1
    assert adding("/api/uploads/Zeit_Raum/restore", method="POST").status == 404


def test_another_recording_of_a_deleted_name_has_its_own_metadata(tmp_path):
    folder = UploadFolder(tmp_path, Limits(free_bytes=0))
    name = name_of("interview.vtt")

    def add(**described):
        with folder.begin(name, 9, lambda stem: False) as arriving:
            arriving.write(CAPTIONS)
            arriving.complete()
            folder.take(arriving, described)

    def values():
        return folder.metadata().values("interview")

    add(title="Ada", date="2024-01-31")
    folder.delete("interview")
    add(title="Bob")
    assert values() == {"title": "Bob"}
    folder.delete("interview")
    assert not folder.table.exists()
    folder.restore("interview")  # the last deleted
    assert values() == {"title": "Bob"}
    folder.delete("interview")
    add()
    assert values() == {}
    folder.delete("interview")
    for title in ({}, {"title": "Bob"}, {"title": "Ada", "date": "2024-01-31"}):
        folder.restore("interview")
        assert values() == title
        for path in tmp_path.glob("words/*"):
            path.unlink()
    folder.close()


def test_who_deletes_a_recording_stops_only_its_recognition(settings, tmp_path):
    """The check of the captions that somebody else sends goes on, and so does the index."""
    stopped = []

    class Command:
        def __init__(self, name):
            self.name = name

        def terminate(self):
            stopped.append(self.name)

    folder = UploadFolder(tmp_path, Limits())
    work = UploadWork(folder, settings, lambda: None)
    work._running |= {Command(name): name for name in ("std-recognise", "std-index", "std-store")}
    work._recognising = frozenset({"interview"})
    work.look(deleted="another")
    assert stopped == []
    work.look(deleted="interview")
    assert stopped == ["std-recognise"]
    work.close()
    assert sorted(stopped[1:]) == ["std-index", "std-recognise", "std-store"]


def test_a_recording_whose_recogniser_is_killed_is_told_and_not_tried_for_ever(
    settings, tmp_path, monkeypatch
):
    """Its memory may not suffice for one of several; the others are recognised."""
    work = UploadWork(UploadFolder(tmp_path, Limits()), settings, lambda: None)
    for name in ("a", "huge", "z"):
        path = work.folder.audio / f"{name}.wav"
        path.write_bytes(b"RIFF")
        os.utime(path, (1, 1))
    runs = []

    def run(*command):
        names = [Path(one).stem for one in command if one.endswith(".wav")]
        runs.append(names)
        if "huge" in names:
            return CommandResult(-9, {}, "it was ended by signal 9")
        for name in names:
            (work.folder.words / f"{name}.jsonl").write_text("")
        return CommandResult(0, {"recordings": names}, "")

    monkeypatch.setattr(work, "_run", run)
    for _ in range(6):
        assert work._recognise()
    assert runs == [["a", "huge", "z"], ["a"], ["huge"], ["z"]]
    (failed,) = (one for one in work.all() if one.state == "failed")
    assert (failed.name, failed.detail) == ("huge", "it was ended by signal 9")
    work.close()


def test_what_kept_the_index_from_an_emptied_folder_is_forgotten(settings, tmp_path):
    """The last recording was deleted while the folder was being read."""
    folder = UploadFolder(tmp_path, Limits())
    work = UploadWork(folder, settings, lambda: None)
    work._indexed = {"interview": (("interview.vtt", 1, 1), {})}
    work.trouble = "expected a folder with recogniser output, got an empty folder"
    assert work._index()
    assert work.trouble == ""
    work.close()


def test_what_can_be_searched_stays_so_while_others_come(adding):
    assert post(adding, "earlier.vtt", CAPTIONS).status == 201
    wait_for(adding, "earlier")
    assert post(adding, "later.vtt", CAPTIONS).json["state"] == "indexing"
    assert upload_of(adding, "earlier")["state"] == "ready"
    wait_for(adding, "later")


def test_corrections_come_back_with_a_deleted_recording(serve, settings, tmp_path):
    audio, store = tmp_path / "audio", tmp_path / "index"
    audio.mkdir()
    shutil.copytree(settings.stores[0], store)
    settings = replace(settings, audio=audio, stores=(str(store),), allow_corrections=True)
    with serve(settings) as client:
        assert post(client, "morning.vtt", CAPTIONS).status == 201
        wait_for(client, "morning")
        path = "/api/recordings/morning"
        (first, *_) = client(f"{path}/words").json["words"]
        body = {"from": first["start_s"], "to": first["start_s"] + first["duration_s"]}
        answer = client(f"{path}/corrections", method="POST", body=body | {"words": "Lovely"})
        assert answer.status == 200, answer.body
        assert client("/api/uploads/morning", method="DELETE").status == 204
        deadline = time.monotonic() + WAIT_S
        while client(path).status != 404:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert client("/api/uploads/morning/restore", method="POST").status == 200
        wait_for(client, "morning")
        assert not client("/api/uploads").json["trouble"]
        said = client(f"{path}/words").json["words"]
        assert [(one["word"], one["corrected"]) for one in said[:2]] == [
            ("lovely", True), ("morning", False),
        ]  # fmt: skip


def test_sound_is_recognised(adding, german):
    pytest.importorskip("pocketsphinx", reason="pocketsphinx is missing: no sound is recognised")
    content = (german.parent / "english" / "kathleen.ogg").read_bytes()[:30_000]  # some seconds
    answer = post(adding, "kathleen.ogg", content)
    assert answer.status == 201, answer.body
    assert answer.json["state"] == "waiting"
    one = wait_for(adding, "kathleen")
    assert one["words"] == "kathleen.jsonl"
    assert adding(f"/api/audio/{one['recording_id']}").body == content
    assert adding(f"/api/recordings/{one['recording_id']}/words").json["words"]


def zipped(content=b"x"):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.html", content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "make", "status"),
    [
        ("noise.mp3", lambda ogg: bytes(range(256)) * 4, 415),
        ("page.ogg", lambda ogg: b"<html><script>alert(1)</script>", 415),
        ("mpeg.mp3", lambda ogg: ogg, 415),  # its content is Ogg
        ("packed.ogg", lambda ogg: ogg + zipped(), 415),
        ("script.ogg", lambda ogg: ogg[:200] + b"<script>alert(1)</script>" + ogg[200:], 415),
        ("broken.ogg", lambda ogg: b"OggS" + bytes(500), 415),
        ("empty.vtt", lambda ogg: b"", 415),
        ("music.vtt", lambda ogg: CAPTIONS[:32] + b"[music]\n", 415),
        ("other.ctm", lambda ogg: b"KERSTIN_01 1 0.5 0.4 good 0.9\nx 1 0.5 0.4 day 0.9\n", 415),
        ("endless.srt", lambda ogg: b"1\n9998:00:00,000 --> 9999:00:00,000\nGood day\n", 415),
        ("sound.vtt", lambda ogg: ogg, 415),
        ("zip.vtt", lambda ogg: zipped(CAPTIONS), 415),
        ("bomb.docx", lambda ogg: zipped(bytes(50_000_000)), 415),
        ("laughs.ttml", lambda ogg: LAUGHS, 415),
        ("deep.json", lambda ogg: b"[" * 1_000_000, 415),
        ("program.exe", lambda ogg: b"MZ", 415),
        ("captions.vtt.gz", lambda ogg: CAPTIONS, 415),
        (".vtt", lambda ogg: CAPTIONS, 400),
        ("../..", lambda ogg: CAPTIONS, 415),
        ("KERSTIN_00.ogg", lambda ogg: ogg, 409),  # the index has it from elsewhere
        ("kerstin_00.vtt", lambda ogg: CAPTIONS, 409),
    ],
)
def test_what_is_no_recording_is_refused(adding, german, name, make, status):
    before = {path for path in folder_of(adding).rglob("*") if path.is_file()}
    answer = post(adding, name, make((german / "audio/KERSTIN_01.ogg").read_bytes()))
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert str(folder_of(adding)) not in answer.json["detail"]
    assert {path for path in folder_of(adding).rglob("*") if path.is_file()} == before


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(12))
    + b']><tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="0s" end="1s">&m;</p></body></tt>'
)


def folder_of(client):
    return client.service.uploads.folder.root


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("../../etc/cron.d/x.vtt", "x.vtt"),
        ("C:\\tapes\\b.VTT", "b.vtt"),
        ("a\u202egnp.vtt", "a_gnp.vtt"),
        ("nul.vtt", "nul_.vtt"),
        ("recognise.json", "recognise_1.json"),
        ("a\x00b\n.vtt", "a_b.vtt"),
        ("-rf.vtt", "rf.vtt"),
        ("日本語.mp3", "日本語.mp3"),
        ("x" * 300 + ".mp3", "x" * 60 + ".mp3"),
        ("a.b.c.mp3", "a.b.c.mp3"),
    ],
)
def test_names_are_made_safe(given, file):
    assert name_of(given).file == file


@pytest.mark.parametrize(
    "given", ["", ".", "..", "/", "x", "x.php", "x.html", "x.svg", "x.mp3.exe"]
)
def test_other_names_are_refused(given):
    with pytest.raises(ProblemError):
        name_of(given)


def test_of_several_at_once_with_one_name_one_is_taken(adding):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(post(adding, "Race.vtt", CAPTIONS).status))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, *[409] * 5]


def test_a_recording_has_one_sound_and_one_spelling(tmp_path):
    folder = UploadFolder(tmp_path / "added", Limits(free_bytes=0))

    def begin(text):
        return folder.begin(name_of(text), 3, lambda stem: False)

    with begin("a.wav"):
        for other in ("a.mp3", "A.srt", "A.wav", "a.wav"):
            with pytest.raises(ProblemError, match=r"'[aA]' already"):
                begin(other)
        with begin("a.srt"), pytest.raises(ProblemError, match="'a' already"):
            begin("a.vtt")
    folder.close()


def test_a_recording_that_is_restored_while_another_comes_stays(tmp_path):
    folder = UploadFolder(tmp_path / "added", Limits(free_bytes=0))
    (folder.audio / "b.wav").write_bytes(b"first")
    folder.delete("b")
    with folder.begin(name_of("b.wav"), 3, lambda stem: False) as coming:
        coming.write(b"second")
        coming.complete()
        folder.restore("b")
        with pytest.raises(ProblemError, match="'b' already"):
            folder.take(coming, {})
    assert (folder.audio / "b.wav").read_bytes() == b"first"
    folder.close()


def test_a_sender_who_goes_away_leaves_nothing(adding, capfd):
    with socket.create_connection(adding.service_address) as line:
        head = "POST /api/uploads?name=gone.vtt HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
        line.sendall(
            (head + "Content-Length: 1000\r\n\r\nWEBVTT").format(line.getpeername()[1]).encode()
        )
        deadline = time.monotonic() + WAIT_S
        while not (folder_of(adding) / ".incoming" / "gone.vtt").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    while (folder_of(adding) / ".incoming" / "gone.vtt").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert upload_of(adding, "gone") is None
    assert post(adding, "gone.vtt", CAPTIONS).status == 201
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"metadata": {"title": "\\ud800"}}', 422),  # half of a character
        (b'{"metadata": {"\\ud800": "a"}}', 422),
        (b'{"metadata": {"a\\nb": "a"}}', 422),
        (b'{"metadata": {"\\u202eeltit": "a"}}', 422),
        (b'{"metadata": {"Channel": "2"}}', 400),
        (b'{"metadata": {"audio": "/etc/passwd"}}', 400),
        (b'{"metadata": {"date": "2023-02-29"}}', 400),
        (b'{"metadata": {"title": "%s"}}' % (b"x" * 2001), 400),
    ],
)
def test_metadata_that_nobody_means_are_refused(adding, body, status):
    if upload_of(adding, "described") is None:
        assert post(adding, "described.vtt", CAPTIONS).status == 201
    sent = {"method": "PATCH", "body": body, "headers": {"Content-Type": "application/json"}}
    answer = adding("/api/uploads/described", **sent)
    assert answer.status == status, answer.json
    assert answer.json["detail"]
    assert upload_of(adding, "described")["metadata"] == {}
    values = json.loads(body)["metadata"]
    if {*values} <= {"title", "date"} and status == 400:  # an upload has the same limits
        answer = post(adding, "other.vtt", CAPTIONS, **values)
        assert (answer.status, upload_of(adding, "other")) == (400, None)


def test_a_wrong_date_is_told_before_the_file_comes(adding):
    head = "POST /api/uploads?name=dated.vtt&date=2023-02-29 HTTP/1.1\r\nHost: localhost\r\n"
    with socket.create_connection(adding.service_address, 10) as one:
        one.sendall(f"{head}Content-Length: 100\r\n\r\n".encode())
        assert one.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_file_that_is_too_large_is_refused_before_it_comes(adding):
    with socket.create_connection(adding.service_address) as line:
        head = "POST /api/uploads?name=large.wav HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
        port = line.getpeername()[1]
        line.sendall((head + "Content-Length: 3000001\r\n\r\n").format(port).encode())
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")
    assert adding("/api/uploads").json["max_bytes"] == 3_000_000


def test_a_full_disk_is_507_and_nothing_is_kept(serve, settings, tmp_path):
    tight = replace(settings.limits, uploads_bytes=100)
    audio = tmp_path / "audio"
    audio.mkdir()
    with serve(replace(settings, audio=audio, limits=tight)) as client:
        assert post(client, "first.vtt", CAPTIONS).status == 201
        answer = post(client, "second.vtt", CAPTIONS)
        assert answer.status == 507
        assert "may add" in answer.json["detail"]
        client.service.uploads.close = lambda: None  # the index is that of other tests
        client.service.uploads._ended.set()


def test_nothing_is_added_unless_it_is_allowed(serve, settings):
    with serve(replace(settings, allow_uploads=False)) as client:
        assert client("/api/uploads").json["allowed"] is False
        assert post(client, "a.vtt", CAPTIONS).status == 403
        assert client("/api/uploads/a", method="DELETE").status == 403
        assert b'id="adding"' not in client("/recordings").body


def test_two_services_do_not_share_the_folder(adding, settings):
    from service.state import Service
    from std.errors import InputError

    with pytest.raises(InputError, match="another std-serve"):
        Service(settings)
