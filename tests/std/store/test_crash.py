"""kill -9 at every step, of the writer and of the server: nothing lost, nothing half done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.segments.invert import invert
from std.errors import StoreError
from std.store import open_store
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy, TransientError
from std.store.couchdb.store import CouchDBStore, open_couchdb
from std.text import Normalisation

pytestmark = pytest.mark.slow

PLAIN = Normalisation()
SCENARIOS = ["index", "delete", "merge", "metadata"]


def killed_everywhere(kind: str, where: str, scenario: str) -> dict:
    """A process of its own: it forks, and a fork of one with threads is a gamble."""
    here = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, str(here / "crash_steps.py"), kind, where, scenario],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(here.parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_writer_to_a_folder_is_killed(tmp_path, scenario):
    """After a re-run the folder is the same byte for byte."""
    outcome = killed_everywhere("folder", str(tmp_path), scenario)
    assert outcome["wrong"] == []
    assert outcome["changed"]
    assert outcome["steps"] > 10


@pytest.mark.couchdb
@pytest.mark.parametrize("scenario", [*SCENARIOS, "heal", "parts"])
def test_a_writer_to_couchdb_is_killed(couchdb_databases, scenario):
    """After a re-run all segments are the same, digest for digest."""
    outcome = killed_everywhere("couchdb", couchdb_databases, scenario)
    assert outcome["wrong"] == []
    assert outcome["changed"]
    assert outcome["steps"] >= 4


@pytest.mark.parametrize("scenario", [*SCENARIOS, "heal", "parts"])
def test_a_writer_to_a_cluster_is_killed(couchdb_cluster, scenario):
    """One of three nodes is away, too."""
    couchdb_cluster.kill(2)
    where = f"couchdb://127.0.0.1:{couchdb_cluster.ports[0]}/crash"
    outcome = killed_everywhere("couchdb", where, scenario)
    assert outcome["wrong"] == []
    assert outcome["changed"]
    assert outcome["steps"] >= 4


@pytest.fixture
def mortal(tmp_path, pouchdb):
    """A server that may be killed; ``pouchdb`` has seen to it that there is one to start."""
    server = type(pouchdb)(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def speech(network):
    def columns(number: int):
        letters = [[(chr(97 + i * i % 26), 0.5), (chr(65 + i % 5), 0.25)] for i in range(50)]
        return invert([network(*letters, file=f"file{number}")])

    return columns


REQUESTS = ["GET manifest", "GET _all_docs", "POST _bulk_docs", "PUT manifest"]


@pytest.mark.couchdb
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("request_line", REQUESTS)
def test_the_server_is_killed_and_comes_back(mortal, speech, monkeypatch, request_line, when):
    """At a request, or when it was carried out and the answer is on its way."""
    store = open_couchdb(f"couchdb://127.0.0.1:{mortal.port}/index", create=True)
    real, deaths = Database._once, []

    def once(self, method, path, *rest):
        fatal = not deaths and request_line == " ".join([method, *path])
        if fatal:
            deaths.append(request_line)
        if fatal and when == "before":
            mortal.kill()
            mortal.start()
        answer = real(self, method, path, *rest)
        if fatal and when == "after":
            mortal.kill()
            mortal.start()
            raise TransientError("the answer was lost")
        return answer

    monkeypatch.setattr(Database, "_once", once)
    with store.writing():
        store.commit([speech(1)], normalisation=PLAIN)
        store.commit([speech(2)], normalisation=PLAIN)
    assert deaths
    assert [one.columns().digest() for one in store.segments()] == [
        speech(1).digest(),
        speech(2).digest(),
    ]
    assert list(store.damage()) == []
    store.close()


@pytest.mark.couchdb
def test_the_server_is_killed_and_stays_away(mortal, speech, monkeypatch):
    url = f"couchdb://127.0.0.1:{mortal.port}/index"
    store = CouchDBStore(Database(url, RetryPolicy(5, (0.01, 0.05)))).require(create=True)
    with store.writing():
        store.commit([speech(1)], normalisation=PLAIN)
    with (  # noqa: PT012
        pytest.raises(StoreError, match="no answer from the server: ConnectionRefusedError"),
        store.writing(),
    ):
        mortal.kill()
        store.commit([speech(2)], normalisation=PLAIN)
    mortal.start()
    monkeypatch.setattr(
        "std.store.couchdb.writer.owner_is_dead", lambda owner: True
    )  # its lease was left behind
    again = open_store(url)
    with again.writing():
        again.commit([speech(2)], normalisation=PLAIN)
    assert len(again.segments()) == 2
    assert list(again.damage()) == []
    again.close()
    store.close()
