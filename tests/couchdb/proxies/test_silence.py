"""Servers that say nothing, say it too late, or are not there."""

import warnings

import pytest

from indexer import store_cli
from std.errors import StoreError, StoreWarning
from std.store import open_store
from std.store.couchdb.database import Database
from std.store.couchdb.errors import RetryPolicy, default_retry_policy
from std.store.couchdb.store import CouchDBStore
from std.text import Normalisation
from tests.couchdb.proxies.conftest import HURRY

pytestmark = pytest.mark.slow

couchdb = pytest.mark.couchdb


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: app"])
def test_a_hung_server(mute, says):
    """A notice, then one line; nothing is asked again when the time is over."""
    server = mute(says)
    retry_policy = RetryPolicy(timeout_s=3.0, give_up_s=3.0, notice_s=0.2)
    with (
        pytest.warns(StoreWarning, match=r"no answer from the server for \d s; waiting up to 3 s"),
        pytest.raises(
            StoreError, match=r"no answer from the server: none within (3|2\.\d) s \(STD"
        ),
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{server.port}/x", retry_policy)).require(
            create=False
        )
    assert server.connections == 1


def test_a_hung_server_and_a_command(mute, monkeypatch, capsys):
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "0.5")
    server = mute()
    assert store_cli.main(["verify", f"couchdb://127.0.0.1:{server.port}/x"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no answer from the server: none within 0.5 s" in line


def test_who_waited_in_vain_does_not_wait_as_long_again(mute):
    """To let go of the right to write, for example."""
    database = Database(
        f"couchdb://127.0.0.1:{mute().port}/x",
        RetryPolicy(timeout_s=1.0, give_up_s=1.0, notice_s=0.2),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        for waited in ("1", "0.2", "0.2"):
            with pytest.raises(StoreError, match=rf"none within {waited} s \("):
                database.get("manifest")


def test_tls_to_a_port_that_says_nothing(mute):
    server = mute()
    retry_policy = RetryPolicy(connect_s=0.3)
    with pytest.raises(StoreError, match=r"no TLS within 0.3 s: without TLS write couchdb://"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{server.port}/x", retry_policy)).require(
            create=False
        )
    assert server.connections == 1


def test_tls_to_a_plain_port(mute):
    server = mute(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(StoreError, match="expected TLS, got another answer: without TLS write"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{server.port}/x", HURRY)).require(create=False)
    assert server.connections == 1


def test_plain_to_a_tls_port(proxy, tls):
    front = proxy(lambda asked: asked.path, tls)
    with pytest.raises(StoreError, match=r"the server speaks TLS: write couchdbs://|no answer"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


def test_plain_to_a_tls_port_that_says_so(mute):
    server = mute(b"\x15\x03\x03\x00\x02\x02\x46", hang_up=True)
    with pytest.raises(StoreError, match=r"the server speaks TLS: write couchdbs://"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{server.port}/x", HURRY)).require(create=False)
    assert server.connections == 1


@pytest.mark.parametrize(("scheme", "port"), [("couchdb", 5984), ("couchdbs", 6984)])
def test_a_default_port_where_nobody_is(scheme, port, monkeypatch):
    def refuse(*_, **__):
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.socket.connect", refuse)
    with pytest.raises(StoreError, match=rf"\(port {port} is CouchDB's own; for a proxy's port"):
        CouchDBStore(Database(f"{scheme}://127.0.0.1/x", HURRY)).require(create=False)
    with pytest.raises(StoreError, match=r"Connection refused$"):
        CouchDBStore(Database(f"{scheme}://127.0.0.1:9/x", HURRY)).require(create=False)


def test_a_stale_connection_is_not_used(mute, monkeypatch):
    server = mute(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", again=True)
    database = Database(f"couchdb://127.0.0.1:{server.port}/x", HURRY)
    assert database.exists()
    assert database.exists()
    assert server.connections == 1
    monkeypatch.setattr("std.store.couchdb.connection.IDLE_S", -1.0)
    assert database.exists()
    assert server.connections == 2
    database.close()


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e9", "soon", "9" * 5000])
def test_time_outs_that_are_none(given, monkeypatch):
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", given)
    with pytest.raises(StoreError, match=r"STD_COUCHDB_TIMEOUT: expected seconds from 0.1 "):
        open_store("couchdb://127.0.0.1/x")


def test_time_outs(monkeypatch):
    monkeypatch.delenv("STD_COUCHDB_TIMEOUT", raising=False)
    assert default_retry_policy() == RetryPolicy()
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "2")
    assert default_retry_policy().connect_s == default_retry_policy().give_up_s == 2
    monkeypatch.setenv("STD_COUCHDB_TIMEOUT", "300")
    assert sum(default_retry_policy().pauses_s) > 240


@couchdb
def test_nobody_is_told_of_short_waits(couchdb_url, opened, speech, commit):
    retry_policy = RetryPolicy(notice_s=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store = opened(couchdb_url, retry_policy=retry_policy)
        commit(store, speech(1))
    assert store.normalisation() == Normalisation()
