"""Three nodes: one killed, the network cut, clients at different nodes, all of it at random."""

import threading
import warnings
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.segments.merge import merged
from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couchdb import writer
from std.store.couchdb.bulk import stored_segment_ids
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy
from std.store.couchdb.manifest import read_winner
from std.store.couchdb.writer import new_owner
from std.text import Normalisation

pytestmark = pytest.mark.slow

PLAIN = Normalisation()
HURRY = RetryPolicy(timeout_s=10, pauses_s=(0.01, 0.02))


@pytest.fixture
def at(couchdb_cluster, opened):
    """The index as a client of one node sees it."""

    def at_node(node: int):
        url = f"couchdb://127.0.0.1:{couchdb_cluster.ports[node]}/index"
        return opened(url, retry_policy=HURRY)

    return at_node


def files(store) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        return sorted(
            one.recording.file
            for segment in store.segments()
            for row, one in enumerate(segment.recordings)
            if row not in segment.deleted
        )


def test_one_node_is_killed(couchdb_cluster, at, speech, commit):
    """Writing and reading go on; the node that returns is behind, and nobody notices."""
    store = at(0)
    commit(store, speech(1))
    couchdb_cluster.kill(2)
    commit(store, speech(2))
    assert files(at(1)) == ["file1", "file2"]
    couchdb_cluster.revive(2)
    couchdb_cluster.kill(0)
    late = at(2)
    assert files(late) == ["file1", "file2"]
    assert list(late.damage()) == []
    commit(late, speech(3))
    assert {status for _, status in couchdb_cluster.answers} <= {200, 201, 202, 404}


def test_only_one_node_is_left(couchdb_cluster, at, speech, commit):
    """202: accepted, though not by a quorum. It counts when the others are back."""
    couchdb_cluster.kill(1)
    couchdb_cluster.kill(2)
    commit(at(0), speech(1))
    assert ("PUT manifest", 202) in couchdb_cluster.answers
    couchdb_cluster.heal()
    assert files(at(1)) == ["file1"]
    assert list(at(2).damage()) == []


@pytest.mark.parametrize("alone", [0, 1, 2])
def test_both_sides_of_a_split_write(couchdb_cluster, at, speech, commit, alone):
    commit(at(0), speech(1))
    couchdb_cluster.cut({alone}, {0, 1, 2} - {alone})
    with_two = min({0, 1, 2} - {alone})
    commit(at(alone), speech(2))
    commit(at(with_two), speech(3))
    couchdb_cluster.heal()
    with pytest.warns(
        StoreWarning, match=r"another version .* only there: 1 recording \(file[23]\)"
    ):
        at(0).segments()
    with pytest.warns(StoreWarning, match=r"taken from the other: 1 recording"):
        commit(at(0))
    assert files(at(1)) == ["file1", "file2", "file3"]
    assert list(at(2).damage()) == []


def test_two_writers_at_two_nodes_at_once(couchdb_cluster, at, speech, commit):
    """Neither gets 409. At most one goes on, and what is committed is kept."""
    stores = [at(0), at(1)]
    commit(stores[0], speech(1))
    both_wrote = threading.Barrier(2, timeout=20)

    def wait(name):
        if name == "manifest":
            with suppress(threading.BrokenBarrierError):
                both_wrote.wait()
            couchdb_cluster.after_first_copy = lambda name: None

    couchdb_cluster.after_first_copy = wait
    done = []

    def write(number):
        with suppress(StoreBusyError):
            commit(stores[number], speech(2 + number))
            done.append(f"file{2 + number}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        couchdb_cluster.heal()
        commit(stores[0])
    assert set(done) <= set(files(at(2)))
    assert read_winner(stores[0]._database).conflicts == ()
    assert list(stores[0].damage()) == []


def test_nodes_whose_clocks_disagree(couchdb_cluster, at, speech, commit):
    """A writer that is taken for dead commits nothing, and nobody's index is damaged."""
    store, ahead = at(0), at(1)
    commit(store, speech(1))
    with pytest.raises(StoreBusyError, match="lost the right to write"), store.writing():  # noqa: PT012
        couchdb_cluster.clock_ahead_s[1] = 3600.0
        commit(ahead, speech(2))
        store.commit([speech(3)], normalisation=PLAIN)
    assert files(at(2)) == ["file1", "file2"]
    assert list(ahead.damage()) == []


def test_purging_leaves_nothing_behind(couchdb_cluster, at, speech, commit, monkeypatch):
    monkeypatch.setattr(writer, "RETENTION_S", -1.0)
    store = at(0)
    commit(store, speech(1, slots=900))
    commit(store, replace=[speech(1, slots=900).digest()[:32]])
    purges = [status for line, status in couchdb_cluster.answers if line == "POST _purge"]
    assert len(purges) > 2  # a hundred documents each
    assert set(purges) == {201}
    assert [set(node["index"].documents) for node in couchdb_cluster.copies] == [{"manifest"}] * 3


def test_a_new_database_is_its_administrators(couchdb_cluster, opened, speech, commit, monkeypatch):
    """CouchDB 3 lets nobody else in, until `_security` names members; they may not purge."""
    couchdb_cluster.admin = ("admin", "secret")
    couchdb_cluster.users |= {"admin": "secret", "eve": "secret"}
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "secret")
    monkeypatch.setattr(writer, "RETENTION_S", -1.0)
    where = f"127.0.0.1:{couchdb_cluster.ports[0]}/index"
    with pytest.raises(
        StoreError,
        match=r"there is no such database, and it cannot be made: .*You are not a server",
    ):
        opened(f"couchdb://eve@{where}")
    commit(opened(f"couchdb://admin@{where}"), speech(1))
    with pytest.raises(StoreError, match=r"refuses this user: forbidden, You are not allowed"):
        opened(f"couchdb://eve@{where}")
    database = Database(f"couchdb://admin@{where}")
    database.put("_security", body={"members": {"names": ["eve"]}})
    database.close()
    store = opened(f"couchdb://eve@{where}")
    commit(store, speech(2), replace=[speech(1).digest()[:32]])
    assert ("POST _purge", 401) in couchdb_cluster.answers
    assert stored_segment_ids(store._database) == {speech(2).digest()[:32]}


def test_a_document_that_is_too_large(at):
    store = at(0)
    with pytest.raises(StoreError, match=r"no request of 8.00 MB \(413: document_too_large, x\)"):
        store._database.put("x", body={"x": "x" * 8_000_001})


class Killed(BaseException):
    """The end of a writer."""


steps = st.lists(
    st.one_of(
        st.tuples(st.just("index"), st.integers(0, 3), st.integers(1, 4), st.integers(30, 33)),
        st.tuples(st.just("die"), st.integers(0, 3), st.integers(1, 4), st.integers(1, 9)),
        st.tuples(st.just("merge"), st.integers(0, 3)),
        st.tuples(st.just("split"), st.integers(0, 2), st.integers(1, 4), st.integers(0, 2)),
        st.tuples(st.just("kill"), st.integers(0, 2)),
        st.tuples(st.just("revive"), st.integers(0, 2)),
        st.tuples(st.just("cut"), st.integers(0, 2)),
        st.tuples(st.just("heal")),
    ),
    min_size=3,
    max_size=12,
)


@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps, patient=st.booleans())
def test_what_was_committed_is_never_lost(couchdb_cluster, opened, speech, steps, patient):
    """Writers at any node or at a balancer index, merge and die, while nodes come and go: at the
    end all that a commit was reported for is there, nothing is damaged, nothing else is left."""
    opened.close_all()  # of the example before: a process may have a thousand files open
    cluster, committed = couchdb_cluster, set()
    for node in cluster.copies:
        node.clear()
    cluster.heal()

    alive: set[str] = set()  # writers, by the tokens of their leases

    def write(node, work, until=None):
        """A writer of its own; if it is killed, others see that its process ended."""
        url = f"couchdb://127.0.0.1:{cluster.ports[node]}/index"
        owner, real, left = new_owner(), Database._once, [until or 10**9]

        def once(self, *request):
            if self is store._database and request[1] != ("_all_docs",) and request[0] != "GET":
                left[0] -= 1
            if left[0] < 0:
                raise Killed
            return real(self, *request)

        alive.add(owner["token"])
        with pytest.MonkeyPatch.context() as patch, suppress(StoreError, Killed):
            store = opened(url, retry_policy=RetryPolicy(timeout_s=10, pauses_s=(0.001,)))
            patch.setattr(Database, "_once", once)
            patch.setattr(writer, "new_owner", lambda: owner)
            patch.setattr(writer, "owner_is_dead", lambda one: one["token"] not in alive)
            patch.setattr(writer, "RETENTION_S", 600.0 if patient else -1.0)
            with store.writing():
                committed.update(work(store))
        alive.discard(owner["token"])

    def index(file, slots):
        def work(store):
            name = f"file{file}"
            store.commit([speech(file, slots=slots)], normalisation=PLAIN, delete_files={name})
            return {name}

        return work

    def index_while_split(file, node, other):
        """The network is cut and heals between two commits; the other side writes, too."""

        def work(store):
            done = index(file, 31)(store)
            cluster.cut({node}, {0, 1, 2} - {node})
            write(other, index(file, 32))
            write(other, index(file + 4, 32))
            cluster.heal()
            committed.update(done)
            return index(file + 8, 31)(store)

        return work

    def merge(store):
        if len(segments := store.segments()) > 1:
            replaced = [one.id for one in segments]
            store.commit([merged(segments)], normalisation=PLAIN, replace=replaced)
        return set()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        for what, *rest in steps:
            if what == "index":
                write(rest[0], index(*rest[1:]))
            elif what == "die":
                write(rest[0], index(rest[1], 30), until=rest[2])
            elif what == "merge":
                write(rest[0], merge)
            elif what == "split":
                write(rest[0], index_while_split(rest[1], rest[0], rest[2]))
            elif what == "kill":
                cluster.kill(rest[0])
            elif what == "revive":
                cluster.revive(rest[0])
            elif what == "cut":
                cluster.cut({rest[0]}, {0, 1, 2} - {rest[0]})
            else:
                cluster.heal()
        cluster.heal()
        patient = False
        write(0, lambda store: (store.commit(normalisation=PLAIN), ())[1])
        write(1, lambda store: ())
    cluster.heal()
    store = opened(f"couchdb://127.0.0.1:{cluster.ports[2]}/index")
    held = files(store)
    assert committed <= set(held)
    assert len(held) == len(set(held))
    assert list(store.damage()) == []
    assert read_winner(store._database).conflicts == ()
    assert stored_segment_ids(store._database) == {one.id for one in store.segments()}
