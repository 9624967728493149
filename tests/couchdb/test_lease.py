"""The right to write: who has it, who may take it over, what the former owner can still do."""

import subprocess
import sys
import threading
import time
import warnings
from contextlib import closing

import pytest

from indexer.cli import main as std_index
from indexer.store_cli import main as std_store
from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couchdb import store as store_module
from std.store.couchdb import writer
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy
from std.store.couchdb.store import CouchDBStore, open_couchdb
from std.store.couchdb.writer import acquire_lease, new_owner, owner_is_dead
from std.text import Normalisation

PLAIN = Normalisation()
HURRY = RetryPolicy(timeout_s=10, pauses_s=(0.01, 0.02, 0.05, 0.1))
couchdb = pytest.mark.couchdb


def test_owners():
    me = new_owner()
    assert not owner_is_dead(me)
    assert not owner_is_dead(me | {"machine": "another", "pid": 1, "started": "0"})
    if me["machine"] is not None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        assert owner_is_dead(me | {"pid": ended.pid})
        assert owner_is_dead(me | {"started": "1"}), "the id of a process that ended is used again"


@couchdb
def test_the_lease_of_a_dead_process_is_taken_over(couchdb_url, opened, speech, commit, digests):
    store = opened(couchdb_url)
    code = (
        "import os, sys\n"
        "from std.store import open_store\n"
        "store = open_store(sys.argv[1], create=True)\n"
        "right = store.writing()\n"
        "right.__enter__()\n"
        "print('writing', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, couchdb_url]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        with pytest.raises(StoreBusyError, match=f"process {child.pid} on"):
            commit(store, speech(1))
        child.kill()
        child.wait()
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]


@couchdb
def test_a_writer_that_lost_its_lease_commits_nothing(
    couchdb_url, opened, speech, monkeypatch, commit, digests
):
    sleeper, other = opened(couchdb_url), opened(couchdb_url)
    with (  # noqa: PT012
        pytest.raises(StoreBusyError, match="lost the right to write"),
        sleeper.writing(),
    ):
        later = time.time() + 3600
        with monkeypatch.context() as patch:
            patch.setattr(Database, "server_time_s", lambda self: later)
            commit(other, speech(1))
        sleeper.commit([speech(2)], normalisation=PLAIN)
    assert digests(other) == [speech(1).digest()]


@couchdb
def test_the_lease_is_renewed(couchdb_url, opened, monkeypatch):
    monkeypatch.setattr(writer, "RENEWAL_S", 0.02)
    store = opened(couchdb_url)
    with store.writing():
        first = store._database.get("manifest")
        deadline = time.monotonic() + 60
        while store._database.get("manifest")["_rev"] == first["_rev"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        store.commit(normalisation=PLAIN)
    assert store._database.get("manifest")["lease"] is None


@couchdb
def test_two_that_start_at_once(gate, gate_url, opened, speech, commit):
    """Both read that nobody writes; CouchDB takes the document of one (409 for the other)."""
    one, other = opened(gate_url), opened(gate_url)
    seen = other._read_manifest
    heads = [seen()]
    other._read_manifest = lambda: (
        heads.pop() if heads else seen()
    )  # what it read before `one` wrote
    with one.writing(), pytest.raises(StoreBusyError, match="somebody else"), other.writing():
        pytest.fail("two writers")
    commit(one, speech(1))


@couchdb
@pytest.mark.parametrize("other", ["has begun", "is done"])
def test_two_that_start_at_once_on_a_new_database(
    couchdb_url, opened, speech, commit, monkeypatch, other
):
    """Between two looks of one the other makes the manifest document."""
    real, rivals = store_module.list_documents, []

    def listed(*arguments, **options):
        if not rivals:
            monkeypatch.setattr(store_module, "list_documents", real)
            rivals.append(open_couchdb(couchdb_url, create=True))
            if other == "is done":
                commit(rivals[0], speech(1))
            else:
                acquire_lease(rivals[0]._database, rivals[0]._read_manifest)
        return real(*arguments, **options)

    monkeypatch.setattr(store_module, "list_documents", listed)
    store = opened(couchdb_url)
    if other == "is done":
        commit(store, speech(2))
        assert len(store.segments()) == 2
    else:
        with pytest.raises(StoreBusyError, match="somebody else is writing"):
            commit(store, speech(2))
    rivals[0].close()


@pytest.mark.slow
@pytest.mark.parametrize("_", range(5))
def test_many_that_start_at_once_on_a_new_database(couchdb_cluster, speech, commit, _):
    """Six at the nodes of a cluster: each commits, or says that another is writing."""
    begin, outcomes = threading.Barrier(6), [""] * 6

    def start(number: int) -> None:
        url = f"couchdb://127.0.0.1:{couchdb_cluster.ports[number % 4]}/index"
        begin.wait()
        try:
            store = CouchDBStore(Database(url, HURRY)).require(create=True)
            with closing(store):
                commit(store, speech(number))
                outcomes[number] = "committed"
        except StoreBusyError:
            outcomes[number] = "busy"
        except StoreError as error:
            outcomes[number] = str(error)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        writers = [threading.Thread(target=start, args=(number,)) for number in range(6)]
        for one in writers:
            one.start()
        for one in writers:
            one.join()
        couchdb_cluster.heal()
        assert set(outcomes) <= {"committed", "busy"}
        store = open_couchdb(f"couchdb://127.0.0.1:{couchdb_cluster.ports[0]}/index", create=True)
        commit(store, speech(9))
        held = {one.recording.file for s in store.segments() for one in s.recordings}
        store.close()
    done = {f"file{n}" for n, outcome in enumerate(outcomes) if outcome == "committed"}
    assert done <= held


@couchdb
def test_the_right_to_write_is_taken_once(couchdb_url, german, opened, capsys, monkeypatch):
    """Merging is done before it is given back: whoever waits for it does no harm."""
    taken = []
    real = store_module.acquire_lease
    monkeypatch.setattr(store_module, "acquire_lease", lambda *a: taken.append(1) or real(*a))
    networks = sorted((german / "mesh").glob("KERSTIN_*"))[:2]
    assert std_index([*map(str, networks), "--store", couchdb_url, "--quiet"]) == 0
    assert taken == [1]
    assert std_store(["merge", couchdb_url, "--quiet"]) == 0
    assert taken == [1, 1]


@couchdb
def test_a_commit_needs_the_right_to_write(couchdb_url, opened):
    with pytest.raises(RuntimeError, match="inside"):
        opened(couchdb_url).commit(normalisation=PLAIN)
