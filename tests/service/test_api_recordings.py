"""The API's answers about recordings, words, marks and sound; its errors and its health."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.api import models
from service.api import recordings as recordings_module
from tests.service.served import wait_for

pytestmark = pytest.mark.slow


def test_recordings_and_their_words(client, index):
    listed = client("/api/recordings").json
    models.RecordingsDocument.model_validate(listed)
    assert [one["file"] for one in listed["recordings"]] == [
        one.recording.file for one in index.recordings()
    ]
    assert client("/api/recordings/KERSTIN_00").json["metadata"]["date"] == "2019-03"
    words = client("/api/recordings/KERSTIN_00/words", from_=10, to=12).json["words"]
    expected = index.words("KERSTIN_00", 10, 12, alternatives=True)
    assert [word["word"] for word in words] == [word.word for word in expected]
    assert [word["doubtful"] for word in words] == [word.is_doubtful for word in expected]
    assert [[one["word"] for one in word["alternatives"]] for word in words] == [
        [one.word for one in word.alternatives] for word in expected
    ]
    page = client("/api/recordings", limit=4, cursor="12").json
    assert len(page["recordings"]) == 3
    assert page["next_cursor"] is None


def test_others_are_answered_while_the_words_of_hours_are_written(client, monkeypatch):
    is_answered, document = threading.Event(), recordings_module.word_document

    def slow(*given):
        assert is_answered.wait(30)
        return document(*given)

    monkeypatch.setattr(recordings_module, "word_document", slow)
    with ThreadPoolExecutor(1) as other:
        words = other.submit(client, "/api/recordings/KERSTIN_00/words", from_=20, to=21)
        assert client("/api/recordings").status == 200
        is_answered.set()
        assert words.result().json["words"]


@pytest.mark.parametrize(
    ("read", "path"),
    [("all", "/api/feedback"), ("history", "/api/feedback/history"), ("noted", "/recordings")],
)
def test_others_are_answered_while_all_marks_are_read(client, monkeypatch, read, path):
    marks, is_read, is_answered = client.service.marks, threading.Event(), threading.Event()
    all_of_them = getattr(marks, read)

    def slow(*given):
        is_read.set()
        assert is_answered.wait(30)
        return all_of_them(*given)

    monkeypatch.setattr(marks, read, slow)
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(client, path)
        assert is_read.wait(30)
        assert client("/api/recordings").status == 200
        is_answered.set()
        assert answer.result().status == 200


@pytest.mark.parametrize(
    ("path", "query", "status", "detail"),
    [
        ("/api/search", {}, 422, "term: Field required"),
        ("/api/search", {"term": "..."}, 400, "expected a word or a phrase, got '...'"),
        ("/api/search", {"term": "*"}, 400, "expected letters beside *"),
        ("/api/search", {"term": "a" * 201}, 400, "expected terms of at most 200 letters"),
        ("/api/search", {"term": [f"w{i}" for i in range(21)]}, 400, "at most 20 terms, got 21"),
        ("/api/search", {"term": "x", "min_probability": "nan"}, 422, "min_probability"),
        ("/api/search", {"term": "x", "cursor": "-1"}, 400, "cursor"),
        ("/api/search", {"term": "x", "limit": 501}, 422, "limit"),
        ("/api/recordings/..%2f..%2fetc%2fpasswd", {}, 404, ""),
        ("/api/recordings/nowhere", {}, 404, "no recording has the id 'nowhere'"),
        ("/api/audio/nowhere", {}, 404, "no recording"),
        ("/api/clips/KERSTIN_00", {"from": 5, "to": 5}, 400, "a stretch of at most 60 s"),
        ("/api/clips/KERSTIN_00", {"from": 0, "to": 61}, 400, "a stretch of at most 60 s"),
        ("/api/clips/KERSTIN_00", {"from": 5000, "to": 5001}, 404, "no sound"),
        ("/api/nothing", {}, 404, "Not Found"),
    ],
)
def test_errors_are_problem_details(client, path, query, status, detail):
    answer = client(path, **query)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    models.Problem.model_validate(answer.json)
    assert detail in answer.json["detail"]
    assert answer.json["status"] == status


def test_audio_in_ranges(client, audio):
    content = (audio / "KERSTIN_03.ogg").read_bytes()
    whole = client("/api/audio/KERSTIN_03")
    assert (whole.status, whole.body) == (200, content)
    assert whole.headers["content-type"] == "audio/ogg"
    part = client("/api/audio/KERSTIN_03", headers={"Range": "bytes=100-199"})
    assert (part.status, part.body) == (206, content[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(content)}"
    tail = client("/api/audio/KERSTIN_03", headers={"Range": "bytes=-50"})
    assert tail.body == content[-50:]
    for wrong in ("bytes=5-2", "lines=1-2", "bytes=a-b", "bytes=", "bytes=0-1,3-4"):
        assert client("/api/audio/KERSTIN_03", headers={"Range": wrong}).body == content
    first = {"Range": "bytes=0-0"}
    newest = client("/api/audio/KERSTIN_03", headers=first | {"If-Range": whole.headers["etag"]})
    assert newest.body == content[:1]
    for path in ("/api/audio/KERSTIN_03?", "/api/clips/KERSTIN_03?from=1&to=2"):
        beyond = client(path, headers={"Range": "bytes=9999999-"})
        assert (beyond.status, beyond.json["detail"]) == (416, "Range: beyond the end")
        older = client(path, headers=first | {"If-Range": '"another version"'})
        assert (older.status, len(older.body) > 1) == (200, True)
    assert client("/api/audio/KERSTIN_03", method="HEAD").headers["content-length"] == str(
        len(content)
    )


def test_openapi_describes_every_path(client):
    document = client("/api/openapi.json").json
    assert document["openapi"].startswith("3.")
    paths = document["paths"].keys()
    assert paths >= {
        "/api/search", "/api/searches", "/api/query", "/api/recordings",
        "/api/recordings/{recording}", "/api/recordings/{recording}/words",
        "/api/audio/{recording}", "/api/clips/{recording}", "/api/feedback", "/healthz", "/metrics",
    }  # fmt: skip
    assert client("/api/docs").status == 200
    gets = {name: one["get"] for name, one in document["paths"].items() if "get" in one}
    assert [name for name, one in gets.items() if not one["responses"]["200"].get("content")] == []
    searches = document["paths"]["/api/searches"]["post"]["responses"]["200"]["content"]
    assert {*searches} == {"application/json", "application/xml", "text/event-stream"}
    assert "$ref" in searches["application/json"]["schema"]


def test_health_and_metrics(client):
    deadline = time.monotonic() + 300  # kernels may be compiled
    while client("/healthz").json["warming"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    models.HealthDocument.model_validate(client("/healthz").json)
    client("/api/search", term="und")
    text = client("/metrics").body.decode()
    assert text.endswith("# EOF\n")
    (count,) = re.findall(
        r'^std_requests_total\{route="/api/search",status="200"\} (\d+)$', text, re.M
    )
    assert int(count) >= 1
    for line in text.splitlines():
        assert re.fullmatch(r"# (TYPE \w+ \w+|EOF)|\w+(\{.*\})? [0-9.e+-]+", line), line


def test_what_is_slow_at_first_is_said(client, monkeypatch):
    wait_for(lambda: not client.service.warming)
    monkeypatch.setattr(client.service, "warm", False)
    health = client("/healthz").json
    assert (health["status"], health["warming"]) == ("ready", ["unknown words"])
    assert b"is warming up" in client("/").body
    monkeypatch.setattr(client.service, "ready", False)
    health = client("/healthz").json
    assert (health["status"], health["warming"]) == ("warming up", ["known words", "unknown words"])
    monkeypatch.undo()
    assert client("/healthz").json["status"] == "ready"


def test_a_known_answer_is_kept(client):
    first = client("/api/search", term="sieben").json
    hits = client.service.cache.hits
    again = client("/api/search", term="sieben").json
    assert client.service.cache.hits > hits
    assert {**first, "elapsed_ms": 0} == {**again, "elapsed_ms": 0}
    assert 0 < client.service.cache.bytes <= client.service.cache.limit_bytes
