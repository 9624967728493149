"""Standing searches of a service: each hit is told and posted once."""

import json
import threading
import time
from pathlib import Path

import pytest

from indexer import index_files
from service.alerts import signature
from service.settings import Settings
from tests.service.served import meshes, wait_for

# A thread that waits for a server which was killed warns of it, perhaps during the next test.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*no answer from the server")]


SECRET = "a-secret-of-enough-letters"


def test_standing_searches_tell_each_hit_once(serve, german, tmp_path):
    store, terms = str(tmp_path / "index"), tmp_path / "terms.txt"
    index_files(meshes(german, 1), store=store)
    terms.write_text("spreewald\nund\n")
    told = Path(f"{terms}.hits.jsonl")
    settings = Settings((store,), alerts=terms, poll_s=0.1)

    def lines():
        return [json.loads(line) for line in told.read_text().splitlines() if "term" in line]

    with serve(settings) as client:
        wait_for(lambda: told.exists() and '"posted"' in told.read_text())
        assert not any(line["new"] for line in lines())
        assert client("/api/alerts").json["hits"] == []
        index_files(meshes(german, 0), store=store)
        wait_for(lambda: client("/api/alerts").json["hits"])
        hits = client("/api/alerts").json["hits"]
        assert {hit["file"] for hit in hits} == {"KERSTIN_00"}
        assert {"spreewald", "und"} == {hit["term"] for hit in hits}
    count = len(lines())
    with told.open("a") as stream:
        stream.write('{"term": "spree')  # killed while writing
    index_files(meshes(german, 0), store=store)  # again: the same hits
    index_files(meshes(german, 2), store=store)  # while nothing ran
    with serve(settings) as client:
        wait_for(lambda: len(lines()) > count)
        new = lines()[count:]
        assert {line["file"] for line in new} == {"KERSTIN_02"}
        assert all(line["new"] for line in new)
    spans = [(line["term"], line["file"], line["start_s"]) for line in lines()]
    assert len(spans) == len({*spans})


def test_standing_searches_are_posted_once_each(serve, german, tmp_path):
    from http.server import BaseHTTPRequestHandler, HTTPServer

    posts, fail = [], [True]

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(500 if fail else 204)
            self.end_headers()
            if fail:
                fail.clear()
            else:
                sent = (self.headers[f"webhook-{name}"] for name in ("id", "timestamp"))
                assert self.headers["webhook-signature"] == signature(SECRET, *sent, body)
                posts.append((self.path, self.headers["Idempotency-Key"], json.loads(body)))

        def log_message(self, *arguments):
            pass

    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    store, terms = str(tmp_path / "index"), tmp_path / "terms.txt"
    index_files(meshes(german, 1), store=store)
    terms.write_text("spreewald\n")
    urls = tuple(f"http://127.0.0.1:{receiver.server_port}/{name}" for name in "ab")
    settings = Settings((store,), alerts=terms, alerts_urls=urls, alerts_secret=SECRET, poll_s=0.1)
    with serve(settings) as client:
        searched = client.service.alerts.searched
        wait_for(lambda: searched.posted == len(searched.lines))
        index_files(meshes(german, 0), store=store)
        wait_for(lambda: client.service.alerts.trouble)
        assert "could not be posted" in client("/api/alerts").json["trouble"]
        wait_for(lambda: posts)
        assert [path for path, _, _ in posts] == ["/b"]  # the first post failed, and waits
        client.service.alerts.post()  # as it does by itself after a while
        client.service.alerts.post()
    assert [path for path, _, _ in posts] == ["/b", "/a"]
    assert len({batch for _, batch, _ in posts}) == 1
    for _, _, body in posts:
        assert [hit["file"] for hit in body["hits"]] == ["KERSTIN_00"]
    with serve(settings):
        time.sleep(1)
    assert len(posts) == 2
    receiver.shutdown()
    receiver.server_close()
