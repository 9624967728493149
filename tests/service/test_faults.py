"""What happens to the index while it is served."""

import shutil
import time

import pytest

from indexer import index_files
from service.settings import Settings
from service.state import Service
from tests.service.served import meshes, wait_for

# A thread that waits for a server which was killed warns of it, perhaps during the next test.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*no answer from the server")]


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
