"""CouchDB where it differs: servers in trouble, leases, clean-up, damaged documents, secrets."""

import gzip
import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.invert import invert
from std.errors import StoreBusyError, StoreError
from std.store import couch, open_store
from std.store.couch import open_couch
from std.store.couch_bulk import listed, stored_segments
from std.store.couch_documents import (
    BUCKET,
    SLOTS,
    Layout,
    document_names,
    documents,
    layout_of,
    pack,
    segment_of,
    unpack,
)
from std.store.couch_http import Conflict, Database, Patience, address
from std.store.couch_lease import is_dead, new_owner
from std.store.resident import ResidentSegment
from std.text import Normalisation

PLAIN = Normalisation()
HURRY = Patience(timeout_s=10, pauses_s=(0.01, 0.02, 0.05, 0.1))
DEAF = Patience(timeout_s=0.4, pauses_s=HURRY.pauses_s)
SMALL = Layout(bucket_postings=3, part_rows=4, part_words=5)
couchdb = pytest.mark.couchdb


@pytest.fixture
def speech(network):
    """Segments by number; 26 words, some frequent."""

    def columns(number: int, slots: int = 60):
        letters = [[(chr(97 + i * i % 26), 0.5), (chr(65 + i % 5), 0.25)] for i in range(slots)]
        return invert([network(*letters, file=f"file{number}")])

    return columns


@pytest.fixture
def opened():
    stores = []

    def open_one(url: str, *, patience: Patience = HURRY):
        stores.append(open_couch(url, create=True, patience=patience, layout=SMALL))
        return stores[-1]

    yield open_one
    for one in stores:
        one.close()


def commit(store, *columns, **rest) -> None:
    with store.writing():
        store.commit(columns, normalisation=PLAIN, **rest)


def digests(store) -> list[str]:
    return [one.columns().digest() for one in store.segments()]


# --- documents, without a server ---------------------------------------------------------------


def test_documents_are_named_after_their_segment(speech):
    columns = speech(1)
    id_ = columns.digest()[:32]
    words = ResidentSegment(id_, columns).words()
    layout = SMALL.of(columns)
    made = [one["_id"] for one in documents(id_, columns, words, layout)]
    counts = np.diff(columns.posting_offsets)
    assert len(made) == len(set(made))
    assert set(made) == document_names(id_, words, counts, layout)
    assert {segment_of(name) for name in made} == {id_}
    assert {name.split("|")[1] for name in made} == {"v", "b", "w", "s"}


@given(st.lists(st.integers(0, 6), max_size=40), st.sets(st.integers(0, 7)))
def test_slots_are_found_by_recording(rows, asked):
    """Every slot of the recordings asked for is in one of the parts that are fetched."""
    rows = sorted(rows)
    starts = tuple((row << 32) + i for i, row in enumerate(rows))[::4]
    parts = replace(SMALL, slot_starts=starts).slot_parts(asked)
    needed = {i // 4 for i, row in enumerate(rows) if row in asked}
    assert needed <= set(parts) <= set(range(len(starts)))
    assert len(parts) <= len(needed) + 2 * len(asked)


@pytest.mark.parametrize("name", ["letter", "_design/x", "0" * 32, "0" * 31 + "|v|0"])
def test_names_of_others(name):
    assert segment_of(name) is None


@given(st.lists(st.integers(0, 2**64 - 1), max_size=9), st.data())
def test_packing_is_undone(keys, draw):
    n = len(keys)
    columns = {
        "key": np.array(sorted(keys), np.uint64),
        "epsilon": np.array(
            draw.draw(st.lists(st.floats(0, 1, width=32), min_size=n, max_size=n)), np.float32
        ),
        "word": np.array(
            draw.draw(st.lists(st.integers(-1, 2**31 - 1), min_size=n, max_size=n)), np.int32
        ),
    }
    got = unpack(json.loads(json.dumps(pack("x", SLOTS, columns))), SLOTS, "here")
    for name, column in columns.items():
        np.testing.assert_array_equal(got[name], column, strict=True)


def _packed() -> dict:
    n = np.arange(40)
    columns = {name: n.astype(dtype) for name, dtype in BUCKET.items()}
    return pack("x", BUCKET, columns)


@given(st.integers(0), st.integers(1, 127))
def test_flipped_bits_in_a_document_are_seen(where, bits):
    """Wherever they are: the columns come out as they went in, or not at all."""
    text = bytearray(json.dumps(_packed()).encode())
    text[where % len(text)] ^= bits
    try:
        damaged = json.loads(text)
    except ValueError:
        return  # a server does not give this to anybody
    try:
        got = unpack(damaged, BUCKET, "here") if isinstance(damaged, dict) else None
    except StoreError:
        return
    assert got is None or all((column == np.arange(40)).all() for column in got.values())


@pytest.mark.parametrize(
    "change",
    [
        {"rows": None},
        {"rows": {"key": -1}},
        {"rows": dict.fromkeys(BUCKET, 10**15)},
        {"deflated": "AAAA"},
        {"deflated": 7},
        {"sha256": "0" * 64},
        {"_id": "y"},
    ],
    ids=str,
)
def test_damaged_documents(change):
    with pytest.raises(StoreError, match="expected columns, got"):
        unpack(_packed() | change, BUCKET, "here")


@pytest.mark.parametrize(
    "recorded",
    [
        {},
        SMALL.recorded() | {"part_rows": 0},
        SMALL.recorded() | {"slot_starts": [-1]},
        SMALL.recorded() | {"extra": {"x": ["|O", [3]]}},
    ],
)
def test_damaged_layouts(recorded):
    with pytest.raises(StoreError, match="expected the layout of a segment"):
        layout_of(recorded, "here")


# --- URLs and secrets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("couchdb://db.example/news", "http://db.example:5984/news"),
        ("couchdbs://db.example:443/news", "https://db.example:443/news"),
        ("couchdb://[::1]:6000/news", "http://[::1]:6000/news"),
        ("couchdb://h/a%2Fb", "http://h:5984/a%2Fb"),
    ],
)
def test_addresses(url, expected, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert address(url) == (expected, None)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("couchdb://host", "expected couchdb"),
        ("couchdb:///news", "expected couchdb"),
        ("couchdb://host/a/b", "expected couchdb"),
        ("couchdb://host:port/news", "couchdb://host:port/news: Port could not be cast"),
        ("couchdb://eve:s3cret@host/news", "expected no password in the URL"),
        ("couchdb://eve:s3cret@host:port/news", "Port could not be cast"),
        ("couchdb://eve@host/news", "expected a password for this user"),
    ],
)
def test_refused_addresses(url, message, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("STD_COUCHDB_PASSWORD", raising=False)
    with pytest.raises(StoreError, match=message) as caught:
        address(url)
    assert "s3cret" not in str(caught.value)


def test_passwords(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("STD_COUCHDB_PASSWORD", raising=False)
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine host login eve password from-netrc\n")
    netrc.chmod(0o600)
    assert address("couchdb://eve@host/d")[1] == ("eve", "from-netrc")
    assert address("couchdb://host/d")[1] == ("eve", "from-netrc")
    assert address("couchdb://elsewhere/d")[1] is None
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "p:w@ä")
    assert address("couchdb://eve@host/d")[1] == ("eve", "p:w@ä")
    netrc.write_text("machine\n")
    monkeypatch.delenv("STD_COUCHDB_PASSWORD")
    with pytest.raises(StoreError, match="cannot read"):
        address("couchdb://host/d")


def test_modules_that_need_cgi_are_not_imported():
    """Python 3.13 has no cgi; couchdb.multipart and what uses it would fail there."""
    code = (
        "import sys; sys.modules['cgi'] = None\n"
        "from std.store.couch_http import Database\n"
        "assert 'couchdb' not in sys.modules\n"
        "Database('couchdb://127.0.0.1/x').close()\n"
        "print(sorted(m for m in sys.modules if m.startswith('couchdb')))\n"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "couchdb.http" in ran.stdout
    assert "multipart" not in ran.stdout
    assert "tools" not in ran.stdout


# --- a server that misbehaves ------------------------------------------------------------------


class Gate:
    """A proxy in front of a server, and a list of what it does with the next requests.

    Each trouble is (a word that the request line contains, what happens). A request takes the
    first trouble that fits it.
    """

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.troubles: list[tuple[str, str]] = []
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        self._lock = threading.Lock()
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def log_message(self, *arguments) -> None:
                pass

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                trouble = gate.take(f"{self.command} {self.path}", dict(self.headers), body)
                if trouble == "reset":
                    self.close_connection = True
                elif trouble == "silence":
                    time.sleep(1)
                    self.close_connection = True
                elif trouble and trouble.isdigit():
                    self.reply(int(trouble), b'{"error": "trouble", "reason": "made up"}')
                elif trouble == "untyped 502":
                    self.reply(502, b"<html>Bad gateway</html>" * 999, kind=None)
                elif trouble == "half-way":
                    self.reply(200, b'{"rows": [], "error": "timeout", "reason": "made up"}')
                elif trouble == "forbidden row":
                    self.reply(201, b'[{"id": "x", "error": "forbidden", "reason": "made up"}]')
                elif trouble == "purge works":
                    self.reply(201, b'{"purge_seq": null, "purged": {}}')
                else:
                    if "Content-Encoding" in self.headers and trouble == "no gzip":
                        return self.reply(415, b'{"error": "bad_ctype", "reason": "gzip"}')
                    self.forward(body, trouble)
                return None

            def forward(self, body: bytes, trouble: str | None) -> None:
                inner = HTTPConnection("127.0.0.1", port, timeout=30)
                headers = {k: v for k, v in self.headers.items() if k != "Host"}
                inner.request(self.command, self.path, body or None, headers)
                reply = inner.getresponse()
                content = reply.read()
                inner.close()
                if trouble == "lost answer":
                    self.close_connection = True
                elif trouble in ("chunked", "cut chunks"):
                    self.send_response_only(reply.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    half = len(content) // 2
                    for part in (content[:half], content[half:]):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                        if trouble == "cut chunks":
                            self.close_connection = True
                            return
                    self.wfile.write(b"0\r\n\r\n")
                elif trouble == "cut answer":
                    self.reply(reply.status, content, cut=len(content) // 2)
                    self.close_connection = True
                else:
                    self.reply(reply.status, content, date=reply.headers.get("Date"))

            def reply(self, status, content, kind="application/json", date=None, cut=None) -> None:
                self.send_response_only(status)
                if kind:
                    self.send_header("Content-Type", kind)
                if date:
                    self.send_header("Date", date)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[:cut])

            do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                plain, address = super().get_request()
                if gate.tls is not None:
                    plain = gate.tls.wrap_socket(plain, server_side=True)
                return plain, address

            def handle_error(self, request, client_address) -> None:
                pass  # the client went away: this is a place of trouble

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def take(self, line: str, headers: dict[str, str], body: bytes) -> str | None:
        with self._lock:
            self.seen.append((line, headers, body))
            for i, (word, trouble) in enumerate(self.troubles):
                if word in line:
                    del self.troubles[i]
                    return trouble
        return None

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def gate(pouchdb):
    one = Gate(pouchdb.port)
    yield one
    one.close()


@pytest.fixture
def gate_url(gate, couchdb_url):
    return f"couchdb://127.0.0.1:{gate.port}/{couchdb_url.rpartition('/')[2]}"


TROUBLES = ["reset", "silence", "500", "503", "429", "untyped 502", "lost answer", "cut answer"]


@couchdb
@pytest.mark.parametrize("trouble", TROUBLES)
def test_passing_trouble_does_no_harm(gate, gate_url, opened, speech, trouble):
    """Once or twice at every kind of request, and the index is as without."""
    gate.troubles = [(word, trouble) for word in ("GET", "_all_docs", "_bulk", "PUT")]
    patience = DEAF if trouble == "silence" else HURRY
    store = opened(gate_url, patience=patience)
    commit(store, speech(1), speech(2))
    commit(store, replace=[store.segments()[0].id])
    gate.troubles = [("GET", trouble), ("_all_docs", trouble)]
    assert digests(opened(gate_url, patience=patience)) == [speech(2).digest()]
    assert gate.troubles == []


@couchdb
def test_a_listing_that_fails_half_way_is_asked_for_again(gate, gate_url, opened, speech):
    commit(opened(gate_url), speech(1))
    gate.troubles = [("include_docs", "half-way")] * 2
    assert digests(opened(gate_url)) == [speech(1).digest()]


@couchdb
@pytest.mark.parametrize("trouble", ["500", "reset"])
def test_lasting_trouble_is_one_clear_error(gate, gate_url, opened, speech, trouble):
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
def test_a_server_that_is_away_for_the_release(gate, gate_url, opened, speech, monkeypatch):
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
        ("401", "the server refuses this user"),
        ("403", "the server refuses this user"),
        ("413", "the server answers 413"),
    ],
)
def test_refusals(gate, gate_url, opened, speech, trouble, message):
    store = opened(gate_url)
    gate.troubles = [("_bulk", trouble)] * 2
    with pytest.raises(StoreError, match=message):
        commit(store, speech(1))


@couchdb
def test_a_document_that_the_server_does_not_take(gate, gate_url, opened, speech):
    """A database's validation function may say so; CouchDB reports it row by row."""
    store = opened(gate_url)
    gate.troubles = [("_bulk", "forbidden row")] * 9
    with pytest.raises(StoreError, match=r"the server refuses \w+\|v\|0: forbidden: made up"):
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
def test_tls(pouchdb, couchdb_url, certificate, opened, speech, monkeypatch):
    key, own = certificate
    gate = Gate(pouchdb.port, ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
    gate.tls.load_cert_chain(own, key)
    url = f"couchdbs://127.0.0.1:{gate.port}/{couchdb_url.rpartition('/')[2]}"
    with pytest.raises(StoreError, match=r"self.signed certificate"):
        opened(url)
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    store = opened(url)
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    store.close()
    gate.close()


@couchdb
def test_requests_are_compressed_where_the_server_takes_it(gate, gate_url, opened, speech):
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
def test_every_body_says_that_it_is_json(gate, gate_url, opened, speech):
    commit(opened(gate_url), speech(1))
    assert {h.get("Content-Type") for _, h, body in gate.seen if body} == {"application/json"}


@couchdb
def test_answers_are_not_cached(gate, gate_url, opened, speech):
    """The package would send If-None-Match and give the first answer again, old Date and all."""
    store = opened(gate_url)
    commit(store, speech(1))
    store.segments()
    store.segments()
    assert not [line for line, headers, _ in gate.seen if "If-None-Match" in headers]


@couchdb
def test_only_slots_that_are_needed_are_fetched(couchdb_url, opened, network):
    networks = [
        network(*[[(word, 0.5)] for word in "abcdefgh"], file=f"file{number}")
        for number in range(9)
    ]
    columns = invert(networks)
    store = opened(couchdb_url)
    commit(store, columns)
    (segment,) = store.segments()
    before = store.round_trips
    assert len(segment.slots([]).key) == 0
    assert store.round_trips == before
    some = segment.slots([2, 7])
    assert len(some.key) < len(columns.slot_key)
    for recording in (2, 7):
        mine = columns.slot_key >> np.uint64(32) == recording
        got = some.key >> np.uint64(32) == recording
        for ours, theirs in zip(
            some, (columns.slot_key, columns.slot_epsilon, columns.slot_word), strict=True
        ):
            np.testing.assert_array_equal(ours[got], theirs[mine])
    segment.slots([2])
    assert store.round_trips == before + 1
    assert len(segment.slots(range(9)).key) == len(columns.slot_key)


@couchdb
@pytest.mark.parametrize("trouble", ["chunked", "cut chunks"])
def test_answers_in_chunks(gate, gate_url, opened, speech, trouble):
    """As CouchDB sends its listings."""
    commit(opened(gate_url), speech(1))
    gate.troubles = [("GET", trouble), ("_all_docs", trouble), ("_all_docs", trouble)]
    assert digests(opened(gate_url)) == [speech(1).digest()]
    assert gate.troubles == []


@couchdb
def test_round_trips_are_few(couchdb_url, opened, speech):
    """One for the manifest, one for the vocabulary, one for any number of words."""
    writer = open_couch(couchdb_url, create=True)
    commit(writer, speech(1, slots=500))
    writer.close()
    store = opened(couchdb_url)
    before = store.round_trips
    (segment,) = store.segments()
    assert len(segment.postings([chr(97 + i) for i in range(26)])) > 10
    assert store.round_trips - before == 3
    segment.postings(["a"])
    assert store.round_trips - before == 4


def test_no_server(opened):
    with pytest.raises(StoreError, match="no answer from the server: ConnectionRefusedError"):
        open_couch("couchdb://127.0.0.1:9/x", create=True, patience=Patience(0.1, ()))


def test_no_such_host():
    with pytest.raises(StoreError, match="no-such-host"):
        open_store("couchdb://no-such-host.invalid/x")


# --- what is in the database -------------------------------------------------------------------


@couchdb
def test_no_index_there(couchdb_url, opened):
    with pytest.raises(StoreError, match="expected a database with an index, got no database"):
        open_store(couchdb_url)
    opened(couchdb_url)
    with pytest.raises(StoreError, match="got a database without"):
        open_store(couchdb_url)


@couchdb
def test_a_database_that_is_removed_meanwhile(couchdb_url, opened, speech):
    """No hits would be a wrong answer."""
    store = opened(couchdb_url)
    commit(store, speech(1))
    (segment,) = store.segments()
    store._database._request("DELETE", (), None, {})
    with pytest.raises(StoreError, match="somebody removed this index"):
        store.segments()
    with pytest.raises(StoreError, match="there is no such database"):
        segment.words()
    with pytest.raises(StoreError, match="somebody removed this index"):
        commit(store, speech(2))


@couchdb
def test_somebody_elses_database_is_refused(couchdb_url, opened):
    database = Database(couchdb_url)
    database.create()
    database.create()
    database.put("letter", body={"text": "Dear Sir"})
    with pytest.raises(StoreError, match=r"expected an empty database or an index, .*'letter'"):
        opened(couchdb_url)
    database.close()


@couchdb
def test_a_run_again_writes_only_what_is_missing(gate, gate_url, opened, speech):
    gate.troubles = [("PUT /", "pass")] * 2 + [("PUT", "500")] * 5
    store = opened(gate_url)
    with pytest.raises(StoreError, match="no answer"):
        commit(store, speech(1))
    assert store.segments() == ()
    gate.troubles = []
    gate.seen.clear()
    commit(opened(gate_url), speech(1))
    assert not [line for line, *_ in gate.seen if "_bulk" in line]
    assert digests(store) == [speech(1).digest()]


@couchdb
def test_a_damaged_document_is_seen_and_mended_by_indexing_again(couchdb_url, opened, speech):
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = Database(couchdb_url)
    (segment,) = store.segments()
    for kind in ("v", "b", "w", "s"):
        (row,) = listed(database, f"{segment.id}|{kind}", limit=1)
        document = database.get(row["id"])
        database.put(row["id"], body=document | {"deflated": document["deflated"][::-1]})
        with pytest.raises(StoreError, match=r"expected columns, got"):
            digests(opened(couchdb_url))
        (line,) = store.damage()
        assert f"document {row['id']}: expected columns, got" in line
        commit(store, speech(1))
        assert digests(opened(couchdb_url)) == [speech(1).digest()]
        database.put(row["id"], body={"_rev": database.get(row["id"])["_rev"], "_deleted": True})
        with pytest.raises(StoreError, match=rf"expected document {segment.id}\|{kind}.*got none"):
            digests(opened(couchdb_url))
        (line,) = store.damage()
        assert row["id"] in line
        commit(store, speech(1))
        assert digests(opened(couchdb_url)) == [speech(1).digest()]
    database.close()


@couchdb
@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(["index", "lease", "retired"]), st.integers(0), st.integers(1, 255))
def test_a_damaged_manifest(couchdb_url, opened, speech, part, where, bits):
    store = opened(couchdb_url)
    commit(store, speech(1))
    document = store._database.get("manifest")
    kept = dict(document)
    text = bytearray(json.dumps(document[part]).encode())
    text[where % len(text)] ^= bits
    document[part] = text.decode("latin-1")
    document["_rev"] = store._database.put("manifest", body=document)["rev"]
    with pytest.raises(StoreError, match="expected a"):
        open_couch(couchdb_url, create=True, patience=HURRY)
    store._database.put("manifest", body=kept | {"_rev": document["_rev"]})
    assert digests(store) == [speech(1).digest()]


@couchdb
def test_replaced_segments_go_after_a_while(couchdb_url, opened, speech, monkeypatch):
    store = opened(couchdb_url)
    first, second = speech(1).digest()[:32], speech(2).digest()[:32]
    commit(store, speech(1))
    commit(store, speech(2), replace=[first])
    assert stored_segments(store._database) == {first, second}
    commit(store, delete_files=[])
    assert stored_segments(store._database) == {first, second}
    monkeypatch.setattr(couch, "RETIRED_S", -1.0)
    commit(store, delete_files=[])
    assert stored_segments(store._database) == {second}
    assert store._database.get("manifest")["retired"] == {}
    assert digests(store) == [speech(2).digest()]
    commit(store, speech(1))  # over what was deleted
    assert digests(store) == [speech(2).digest(), speech(1).digest()]


@couchdb
def test_documents_are_purged_where_the_server_can(gate, gate_url, opened, speech, monkeypatch):
    monkeypatch.setattr(couch, "RETIRED_S", -1.0)
    store = opened(gate_url)
    commit(store, speech(1))
    database = store._database
    gone = speech(1).digest()[:32]
    rows = listed(database, f"{gone}|", limit=999)
    gate.seen.clear()
    gate.troubles = [("_purge", "purge works")] * 3
    commit(store, replace=[gone])
    asked = {}
    for line, headers, body in gate.seen:
        if "_purge" in line:
            plain = gzip.decompress(body) if "Content-Encoding" in headers else body
            asked = asked or json.loads(plain)
    assert asked == {row["id"]: [row["value"]["rev"]] for row in rows}
    assert stored_segments(database) == set()  # nothing was purged, so the second way was taken
    assert len([line for line, *_ in gate.seen if "_purge" in line]) == 1


@couchdb
def test_what_a_killed_writer_left_is_swept(couchdb_url, opened, speech):
    store = opened(couchdb_url)
    commit(store, speech(1))
    left = "0" * 32
    store._database.put(f"{left}|b|7", body={"deflated": ""})
    assert left in stored_segments(store._database)
    with pytest.raises(ZeroDivisionError), store.writing():
        1 / 0  # noqa: B018  # an error leaves it: running again may need it
    assert left in stored_segments(store._database)
    commit(store, delete_files=[])
    assert stored_segments(store._database) == {speech(1).digest()[:32]}


# --- the lease ---------------------------------------------------------------------------------


def test_owners():
    me = new_owner()
    assert not is_dead(me)
    assert not is_dead(me | {"machine": "another", "pid": 1, "started": "0"})
    if me["machine"] is not None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        assert is_dead(me | {"pid": ended.pid})
        assert is_dead(me | {"started": "1"}), "the id of a process that ended is used again"


@couchdb
def test_the_lease_of_a_dead_process_is_taken_over(couchdb_url, opened, speech):
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
def test_a_writer_that_lost_its_lease_commits_nothing(couchdb_url, opened, speech, monkeypatch):
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
    monkeypatch.setattr(couch, "RENEW_S", 0.02)
    store = opened(couchdb_url)
    with store.writing():
        first = store._database.get("manifest")
        deadline = time.monotonic() + 10
        while store._database.get("manifest")["_rev"] == first["_rev"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        store.commit(normalisation=PLAIN)
    assert store._database.get("manifest")["lease"] is None


@couchdb
def test_two_that_start_at_once(gate, gate_url, opened, speech):
    """Both read that nobody writes; CouchDB takes the document of one (409 for the other)."""
    one, other = opened(gate_url), opened(gate_url)
    seen = other._head
    heads = [seen()]
    other._head = lambda: heads.pop() if heads else seen()  # what it read before `one` wrote
    with one.writing(), pytest.raises(StoreBusyError, match="somebody else"), other.writing():
        pytest.fail("two writers")
    commit(one, speech(1))


@couchdb
def test_a_commit_needs_the_right_to_write(couchdb_url, opened):
    with pytest.raises(RuntimeError, match="inside"):
        opened(couchdb_url).commit(normalisation=PLAIN)


@couchdb
def test_conflicts_do_not_escape(couchdb_url):
    database = Database(couchdb_url)
    database.create()
    database.put("x", body={})
    with pytest.raises(Conflict):
        database.put("x", body={})
    database.close()
