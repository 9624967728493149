"""What happens to the index while it is served; work that is too much, too slow or not wanted."""

import http.client
import json
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from indexer import index_files
from service import jobs
from service.alerts import signature
from service.jobs import JobStoppedError, Lane, SlowJobs, Stop
from service.problems import ProblemError
from service.searching import may_be_slow
from service.settings import Limits, Settings
from service.state import Service
from std.execution.stop import check_stop
from std.execution.workers import IN_PROCESS

# A thread that waits for a server which was killed warns of it, perhaps during the next test.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*no answer from the server")]


SECRET = "a-secret-of-enough-letters"


def wait_for(condition):
    deadline = time.monotonic() + 300  # kernels may be compiled before
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def meshes(german, *numbers):
    return [str(german / "mesh" / f"KERSTIN_{number:02d}.mesh") for number in numbers]


@pytest.fixture(params=["folder", "shards", pytest.param("couchdb", marks=pytest.mark.couchdb)])
def stores(request, german, tmp_path):
    """An index with recordings 0 and 1, in every kind of store."""
    if request.param == "couchdb":
        urls = [request.getfixturevalue("couchdb_url")]
    else:
        urls = [str(tmp_path / f"shard {i}") for i in range(2 if request.param == "shards" else 1)]
    for number, url in enumerate(urls):
        index_files(meshes(german, number), store=url)
    if len(urls) == 1:
        index_files(meshes(german, 1), store=urls[0])
    return tuple(urls)


def test_new_commits_appear_without_a_restart(serve, stores, german):
    with serve(Settings(stores, audio=german / "audio", poll_s=0.1)) as client:
        before = client("/api/search", term="und").json
        assert {hit["file"] for hit in before["hits"]} == {"KERSTIN_00", "KERSTIN_01"}
        index_files(meshes(german, 2), store=stores[-1])
        wait_for(lambda: client("/healthz").json["snapshot"] >= 2)
        after = client("/api/search", term="und").json
        assert {hit["file"] for hit in after["hits"]} == {f"KERSTIN_0{i}" for i in range(3)}
        assert after["total"] > before["total"]
        assert client("/api/recordings").json["total"] == 3
        number = client("/healthz").json["snapshot"]
        time.sleep(0.5)
        assert client("/healthz").json["snapshot"] == number, "nothing was committed since"


def test_an_index_that_cannot_be_read_is_served_as_it_was(serve, german, tmp_path):
    store = tmp_path / "index"
    index_files(meshes(german, 0), store=str(store))
    with serve(Settings((str(store),), poll_s=0.1)) as client:
        expected = client("/api/search", term="und").json["total"]
        client.service.cache.clear()
        manifest = (store / "manifest.json").read_bytes()
        (store / "manifest.json").write_bytes(b"{damaged")
        wait_for(lambda: "old state" in client("/healthz").json["status"])
        assert "manifest" in client("/healthz").json["detail"]
        assert client("/api/search", term="und").json["total"] == expected
        assert "last known state" in client("/").body.decode()
        (store / "manifest.json").write_bytes(manifest)
        wait_for(lambda: "old state" not in client("/healthz").json["status"])
        shutil.rmtree(store)
        wait_for(lambda: "old state" in client("/healthz").json["status"])
        assert client("/api/search", term="der").status == 200


@pytest.mark.couchdb
def test_couchdb_that_stops_is_one_clear_answer(serve, german, own_pouchdb, monkeypatch):
    server = own_pouchdb
    url = f"couchdb://127.0.0.1:{server.port}/served"
    try:
        index_files(meshes(german, 0), store=url)
        monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "5")
        with serve(Settings((url,), poll_s=0.2)) as client:
            assert client("/api/search", term="und").json["total"] > 0
            server.kill()
            wait_for(lambda: "old state" in client("/healthz").json["status"])
            assert client("/api/search", term="und").status == 200, "what was found is kept"
            answer = client("/api/search", term="brandenburgischen")
            assert answer.status in (200, 503)
            if answer.status == 503:
                assert answer.headers["retry-after"]
    finally:
        server.kill()


def test_running_searches_keep_their_snapshot(serve, german, tmp_path):
    store = str(tmp_path / "index")
    index_files(meshes(german, 0, 1), store=store)
    with serve(Settings((store,), poll_s=60)) as client:
        snapshot = client.service.snapshot
        before = len(snapshot.index.search("und"))
        index_files(meshes(german, 2, 3), store=store)
        assert client.service.live.renew()
        assert client.service.snapshot is not snapshot
        assert len(snapshot.index.search("und")) == before
        assert len(client.service.snapshot.index.search("und")) > before
        kept = {one.id: one for one in snapshot.index.segments}
        for segment in client.service.snapshot.index.segments:
            assert kept.get(segment.id, segment) is segment, "what both have is not opened again"


def test_more_than_waits_is_refused_with_429(serve, changed):
    with serve(changed(limits=Limits(known_workers=1, waiting=2))) as client:
        go_on = threading.Event()
        blocked = client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        wait_for(lambda: client.service.known.running == 1)
        words = ["und", "der", "die", "das", "ein", "ist"]
        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(client, "/api/search", term=word) for word in words]
            wait_for(lambda: sum(one.done() for one in asked) == 4)
            assert client.service.known.waiting == 2
            go_on.set()
            answers = [one.result() for one in asked]
        assert blocked.result(60)
        assert sorted(answer.status for answer in answers) == [200, 200, 429, 429, 429, 429]
        refused = next(answer for answer in answers if answer.status == 429)
        assert int(refused.headers["retry-after"]) > 0
        assert "too many requests" in refused.json["detail"]
        assert client("/api/search", term="und").status == 200


def test_a_slow_term_does_not_delay_a_fast_one(serve, changed):
    with serve(changed(limits=Limits(other_workers=1))) as client:
        go_on = threading.Event()
        client.service.other.submit(lambda stop: go_on.wait(300), Stop(300))
        slow = threading.Thread(
            target=client, args=("/api/search",), kwargs={"term": "xylofonwald"}
        )
        slow.start()
        wait_for(lambda: client.service.other.waiting >= 1)
        assert client("/api/search", term="und").status == 200
        assert slow.is_alive()
        go_on.set()
        slow.join(60)
        assert not slow.is_alive()


def test_what_takes_too_long_is_stopped(serve, changed):
    with serve(changed(limits=Limits(search_s=0.5, known_workers=1))) as client:
        wait_for(lambda: client.service.warm)
        go_on = threading.Event()
        client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        answer = client("/api/search", term="und")
        assert answer.status == 503
        assert "more than 0.5 s" in answer.json["detail"]
        go_on.set()


def test_a_client_that_goes_away_stops_its_work(serve, changed):
    with serve(changed(limits=Limits(known_workers=1))) as client:
        go_on = threading.Event()
        client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        wait_for(lambda: client.service.known.running == 1)
        with socket.create_connection(client.service_address, 10) as one:
            one.sendall(b"GET /api/search?term=sieben HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait_for(lambda: client.service.known.waiting == 1)
        wait_for(lambda: client.service.known._jobs[0][2].is_stopped)
        go_on.set()
        wait_for(lambda: client.service.known.waiting == client.service.known.running == 0)
        assert client.service.cache.get((1, "sieben")) is None


def test_a_stopped_job_ends_between_its_pieces():
    stop, done, lane = Stop(60), [], Lane("test", 1, 1)

    def piece(number):
        done.append(number)
        if number == 2:
            stop.stop()
        return number

    with pytest.raises(JobStoppedError):
        lane.submit(lambda stop: list(IN_PROCESS.map(piece, range(10))), stop).result(300)
    assert done == [0, 1, 2]
    with pytest.raises(JobStoppedError):
        Stop(-1).check()


def test_a_lane_does_its_jobs_in_order_and_survives_faults():
    lane = Lane("test", 1, 3)
    order = []
    hold = threading.Event()
    first = lane.submit(lambda stop: hold.wait(300), Stop(300))
    wait_for(lambda: lane.running == 1)
    futures = [
        lane.submit(lambda stop, i=i: order.append(i) or 1 // (i - 1), Stop(60)) for i in range(3)
    ]
    with pytest.raises(ProblemError) as refused:
        lane.submit(lambda stop: None, Stop(60))
    assert refused.value.status == 429
    hold.set()
    assert first.result(60)
    assert [type(future.exception(60)) for future in futures] == [
        type(None),
        ZeroDivisionError,
        type(None),
    ]
    assert order == [0, 1, 2]


def test_slow_jobs_delay_no_other_while_a_thread_is_spare():
    lane, hold = Lane("test", 1, 9, spare=2), threading.Event()
    slow = [lane.submit(lambda stop: hold.wait(300), Stop(300)) for _ in range(2)]
    assert lane.submit(lambda stop: "answered", Stop(60)).result(60) == "answered"
    slow.append(lane.submit(lambda stop: hold.wait(300), Stop(300)))
    late = lane.submit(lambda stop: "after all", Stop(60))
    wait_for(lambda: lane.running == 3)
    assert not late.done()
    hold.set()
    assert late.result(60) == "after all"
    assert all(one.result(60) for one in slow)


def test_slow_jobs_work_one_at_a_time_and_each_goes_on(monkeypatch):
    monkeypatch.setattr(jobs, "QUICK_S", 0.01)
    turns = SlowJobs(lambda: False)
    lane, working, together, pieces = Lane("test", 3, 9, turns=turns), set(), [], [0] * 3

    def work(number):
        def work_on(stop):
            end_s = time.monotonic() + 0.3
            while time.monotonic() < end_s:
                check_stop()
                if turns._working.locked():  # from now on all are slow
                    working.add(number)
                    together.append(len(working))
                    pieces[number] += 1
                    time.sleep(0.002)
                    working.discard(number)

        return work_on

    for one in [lane.submit(work(number), Stop(60)) for number in range(3)]:
        one.result(60)
    assert together.count(1) > 0.6 * len(together)  # while the first turns begin, more
    assert min(pieces) > 5
    assert not turns._working.locked()


def test_slow_jobs_wait_for_quick_ones_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(jobs, "QUICK_S", 0.0)
    monkeypatch.setattr(jobs, "TURN_S", 0.0)
    looks = {True: 0, False: 0}

    def answer(is_busy):
        looks[is_busy] += 1
        return is_busy

    for is_busy in (False, True):
        with SlowJobs(lambda busy=is_busy: answer(busy)).taken(Stop(60)):
            for _ in range(3):  # turns
                check_stop()
    assert looks == {True: 3 * jobs.MOST_PAUSES, False: 3}


def test_a_service_that_ends_stops_its_jobs():
    turns = SlowJobs(lambda: False)
    lane, begun = Lane("test", 1, 1, turns=turns), threading.Event()

    def work(stop):
        begun.set()
        while True:
            check_stop()
            time.sleep(0.001)

    one = lane.submit(work, Stop(300))
    assert begun.wait(60)
    lane.close()
    assert lane.running == 0
    with pytest.raises(JobStoppedError):
        one.result(1)


def test_a_query_has_threads_of_its_own(client):
    wait_for(lambda: client.service.warm)
    hold = threading.Event()
    for term, lane in (("robo*", "queries"), ("und NOT die", "queries"), ("xyzzyx", "other")):
        assert may_be_slow(term, client.service.snapshot) is (lane == "queries")
    held = [client.service.queries.submit(lambda stop: hold.wait(300), Stop(300)) for _ in range(8)]
    assert client("/api/search", term="xyzzyx").status == 200  # beside eight that do not end
    hold.set()
    assert all(one.result(60) for one in held)


def test_a_slow_sender_and_a_slow_reader_hold_up_nobody(serve, changed):
    with serve(changed(limits=Limits(body_s=1))) as client, ExitStack() as ends:
        sender = ends.enter_context(socket.create_connection(client.service_address, 60))
        begun = b"POST /api/searches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        sender.sendall(begun)
        connection = http.client.HTTPConnection(*client.service_address, timeout=60)
        ends.callback(connection.close)
        connection.request("GET", "/api/audio/KERSTIN_00")
        reader = connection.getresponse()  # and reads nothing of it
        for word in ("und", "der", "die"):
            assert client("/api/search", term=word).status == 200
        assert sender.recv(20).startswith(b"HTTP/1.1 4")
        assert reader.status == 200


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


def test_an_index_that_is_merged_or_replaced_is_served_on(serve, german, tmp_path):
    """Merging keeps every hit; another index in its place brings its own, cached answers or not."""
    store, other = tmp_path / "index", tmp_path / "other"
    for number in range(3):
        index_files(meshes(german, number), store=str(store))
    index_files(meshes(german, 5, 6), store=str(other))
    words = ["und", "der", "die", "ein", "ist", "spreewald"]

    def places(client):
        answers = [client("/api/search", term=word, limit=500).json for word in words]
        return [
            sorted((hit["file"], hit["start_s"]) for hit in answer["hits"]) for answer in answers
        ]

    with serve(Settings((str(store),), poll_s=0.1)) as client:
        before = places(client)
        assert all(before)
        index_files([], store=str(store), merge=True)
        wait_for(lambda: client("/healthz").json["snapshot"] >= 2)
        assert len(client.service.snapshot.index.segments) == 1
        assert places(client) == before
        number = client("/healthz").json["snapshot"]
        store.rename(tmp_path / "before")
        other.rename(store)
        wait_for(lambda: client("/healthz").json["snapshot"] > number)
        files = {file for hits in places(client) for file, _ in hits}
        assert files == {"KERSTIN_05", "KERSTIN_06"}
        assert client("/healthz").json["status"] != "serving an old state of the index"


@pytest.mark.couchdb
def test_couchdb_that_comes_back_is_served_anew(serve, german, own_pouchdb, monkeypatch):
    server = own_pouchdb
    url = f"couchdb://127.0.0.1:{server.port}/served"
    index_files(meshes(german, 0), store=url)
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "5")
    with serve(Settings((url,), poll_s=0.2)) as client:
        before = client("/api/search", term="und").json["total"]
        assert before > 0
        server.kill()
        wait_for(lambda: "old state" in client("/healthz").json["status"])
        assert client("/api/search", term="und").json["total"] == before
        server.start()
        wait_for(lambda: "old state" not in client("/healthz").json["status"])
        assert client("/api/search", term="spreewald").json["total"] > 0
        monkeypatch.delenv("STD_COUCHDB_TIMEOUT")
        index_files(meshes(german, 1), store=url)
        wait_for(lambda: client("/api/search", term="und").json["total"] > before)


def test_a_service_that_ends_while_it_warms_up_does_so_without_a_fault(german_settings):
    service = Service(german_settings)
    service.snapshot.index.close()
    service._warm_up()
    assert service.warm
