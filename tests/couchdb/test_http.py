"""Servers in trouble: what is repeated, and what is said when that does not help."""

import gzip
import json
import os
import shutil
import ssl
import subprocess
import time
import uuid
from dataclasses import replace

import pytest

from std.errors import StoreBusyError, StoreError
from std.store import open_store
from std.store.couchdb.database import Database
from std.store.couchdb.errors import ConflictError, RetryPolicy
from std.store.couchdb.store import CouchDBStore
from std.text import Normalisation

pytestmark = pytest.mark.slow

PLAIN = Normalisation()
HURRY = RetryPolicy(timeout_s=10, pauses_s=(0.01, 0.02, 0.05, 0.1))
couchdb = pytest.mark.couchdb

TROUBLES = ["reset", "silence", "412", "429", "500", "500 rows", "503", "untyped 502"]
TROUBLES += ["lost answer", "cut answer"]


@couchdb
@pytest.mark.parametrize("trouble", TROUBLES)
def test_passing_trouble_does_no_harm(gate, gate_url, opened, speech, trouble, commit, digests):
    """Once or twice at every kind of request, and the index is as without."""
    gate.troubles = [(word, trouble) for word in ("GET", "_all_docs", "_bulk", "PUT")]
    retry_policy = replace(HURRY, timeout_s=1.0) if trouble == "silence" else HURRY
    store = opened(gate_url, retry_policy=retry_policy)
    commit(store, speech(1), speech(2))
    commit(store, replace=[store.segments()[0].id])
    gate.troubles = [("GET", trouble), ("_all_docs", trouble)]
    assert digests(opened(gate_url, retry_policy=retry_policy)) == [speech(2).digest()]
    assert gate.troubles == []


@couchdb
def test_a_listing_that_fails_half_way_is_asked_for_again(
    gate, gate_url, opened, speech, commit, digests
):
    commit(opened(gate_url), speech(1))
    gate.troubles = [("include_docs", "half-way")] * 2
    assert digests(opened(gate_url)) == [speech(1).digest()]


@couchdb
def test_a_proxy_that_decodes_slashes_is_suspected(gate, gate_url):
    """It asks the server for a document b of a database a: 404, whatever is sent."""
    gate.troubles = [("", "404")] * 99
    with pytest.raises(StoreError, match=r"\(a proxy must pass %2F on as it is\)$"):
        CouchDBStore(Database(f"{gate_url}%2Fb", HURRY)).require(create=True)
    with pytest.raises(StoreError) as caught:
        CouchDBStore(Database(gate_url, HURRY)).require(create=True)
    assert "%2F" not in str(caught.value)


@couchdb
def test_nobody_waits_where_nothing_failed(couchdb_url, opened, speech, commit, monkeypatch):
    store = opened(couchdb_url)
    with monkeypatch.context() as patch:
        patch.setattr("std.store.couchdb.database.time.sleep", lambda pause: pytest.fail("waits"))
        commit(store, speech(1))
        commit(store, speech(1), speech(2))
        assert list(store.damage()) == []


@couchdb
def test_rows_that_fail_are_asked_for_again(gate, gate_url, opened, speech, commit, digests):
    """They are no documents that do not exist: their nodes did not answer in time."""
    commit(opened(gate_url), speech(1))
    gate.troubles = [("include_docs", "error row")] * 2
    assert digests(opened(gate_url)) == [speech(1).digest()]
    gate.troubles = [("include_docs", "error row")] * 99
    with pytest.raises(StoreError, match="no answer from the server: timeout"):
        digests(opened(gate_url))


@couchdb
@pytest.mark.parametrize("trouble", ["500", "reset"])
def test_lasting_trouble_is_one_clear_error(
    gate, gate_url, opened, speech, trouble, commit, digests
):
    store = opened(gate_url)
    commit(store, speech(1))
    gate.troubles = [("_bulk", trouble)] * 99
    with pytest.raises(StoreError, match=r"couchdb://127.*: no answer from the server: "):
        commit(store, speech(2))
    gate.troubles = []
    assert digests(store) == [speech(1).digest()]
    commit(store, speech(2))
    assert digests(store) == [speech(1).digest(), speech(2).digest()]


@couchdb
def test_a_server_that_is_away_for_the_release(
    gate, gate_url, opened, speech, monkeypatch, commit, digests
):
    """The commit counts; the lease is left behind, and this process's next writer gets it."""
    store = opened(gate_url)
    with store.writing():
        store.commit([speech(1)], normalisation=PLAIN)
        gate.troubles = [("", "500")] * 40
    gate.troubles = []
    assert digests(store) == [speech(1).digest()]
    with pytest.raises(StoreBusyError, match=f"process {os.getpid()} on"):
        commit(store, speech(2))
    monkeypatch.setattr(Database, "server_time_s", lambda self: time.time() + 3600)
    commit(store, speech(2))
    assert len(digests(store)) == 2


@couchdb
@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("401", "the server refuses this user: trouble, made up"),
        ("403", "the server refuses this user: trouble, made up"),
    ],
)
def test_refusals(gate, gate_url, opened, speech, trouble, message, commit):
    store = opened(gate_url)
    gate.troubles = [("_bulk", trouble)] * 2
    with pytest.raises(StoreError, match=message):
        commit(store, speech(1))


@couchdb
def test_a_document_that_the_server_does_not_take(gate, gate_url, opened, speech, commit):
    """A database's validation function may say so; CouchDB reports it row by row."""
    store = opened(gate_url)
    gate.troubles = [("_bulk", "forbidden row")]
    with pytest.raises(StoreError, match=r"the server refuses \w+\|v\|0: forbidden, made up"):
        commit(store, speech(1))
    assert store.segments() == ()


@pytest.fixture
def certificate(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing: no certificate to test TLS with")
    key, own = tmp_path / "key.pem", tmp_path / "own.pem"
    command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test"]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", own]
    subprocess.run(command, check=True, capture_output=True)
    return key, own


@couchdb
def test_tls(pouchdb, gate_to, certificate, opened, speech, monkeypatch, commit, digests):
    key, own = certificate
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(own, key)
    gate = gate_to(pouchdb.port, context)
    url = f"couchdbs://127.0.0.1:{gate.port}/std-test-{uuid.uuid4().hex[:12]}"
    with pytest.raises(StoreError, match=r"self.signed certificate"):
        opened(url)
    with monkeypatch.context() as patch:  # whatever server other tests use has another one
        patch.setenv("SSL_CERT_FILE", str(own))
        store = opened(url)
        commit(store, speech(1))
        assert digests(store) == [speech(1).digest()]
    store.close()


@couchdb
def test_requests_are_compressed_where_the_server_takes_it(
    gate, gate_url, opened, speech, commit, digests
):
    commit(opened(gate_url), speech(1))
    _, headers, body = next(one for one in gate.seen if "_bulk" in one[0])
    assert headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(body))["docs"]
    gate.troubles = [("_bulk", "no gzip")]
    gate.seen.clear()
    store = opened(gate_url)
    commit(store, speech(2))
    commit(store, speech(3))
    plain = [headers.get("Content-Encoding") for line, headers, _ in gate.seen if "_bulk" in line]
    assert plain == ["gzip", None, None]
    assert len(digests(store)) == 3


@couchdb
def test_every_body_says_that_it_is_json(gate, gate_url, opened, speech, commit):
    commit(opened(gate_url), speech(1))
    assert {h.get("Content-Type") for _, h, body in gate.seen if body} == {"application/json"}


@couchdb
def test_answers_are_not_cached(gate, gate_url, opened, speech, commit):
    """The package would send If-None-Match and give the first answer again, old Date and all."""
    store = opened(gate_url)
    commit(store, speech(1))
    store.segments()
    store.segments()
    assert not [line for line, headers, _ in gate.seen if "If-None-Match" in headers]


@couchdb
@pytest.mark.parametrize("trouble", ["chunked", "cut chunks"])
def test_answers_in_chunks(gate, gate_url, opened, speech, trouble, commit, digests):
    """As CouchDB sends its listings."""
    commit(opened(gate_url), speech(1))
    gate.troubles = [("GET", trouble), ("_all_docs", trouble), ("_all_docs", trouble)]
    assert digests(opened(gate_url)) == [speech(1).digest()]
    assert gate.troubles == []


def test_no_server(opened):
    with pytest.raises(StoreError, match="no answer from the server: ConnectionRefusedError"):
        CouchDBStore(Database("couchdb://127.0.0.1:9/x", RetryPolicy(0.1, ()))).require(create=True)


def test_no_such_host():
    with pytest.raises(StoreError, match="no-such-host"):
        open_store("couchdb://no-such-host.invalid/x")


@couchdb
def test_conflicts_do_not_escape(couchdb_url):
    database = Database(couchdb_url)
    database.create()
    database.put("x", body={})
    never = "9-" + "0" * 32  # what a node that is behind might take is no conflict there
    with pytest.raises(ConflictError):
        database.put("x", body={"_rev": never})
    database.close()
