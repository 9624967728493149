"""What is in the database: foreign, removed, damaged, of an earlier version."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.maintain import upkeep
from indexer.shards import existing
from indexer.store_cli import main as std_store
from std.errors import StoreError
from std.store import open_store
from std.store.couchdb import writer as writer_module
from std.store.couchdb.bulk import list_documents, stored_segment_ids
from std.store.couchdb.database import Database
from std.store.couchdb.layout import Layout
from std.text import Normalisation

pytestmark = pytest.mark.slow
PLAIN = Normalisation()
couchdb = pytest.mark.couchdb


@couchdb
def test_no_index_there(couchdb_url, opened):
    with pytest.raises(StoreError, match="expected a database with an index, got no database"):
        open_store(couchdb_url)
    assert existing([couchdb_url]) == []  # std-index --dry-run has nothing to compare with
    opened(couchdb_url)
    with pytest.raises(StoreError, match="got a database without"):
        open_store(couchdb_url)
    assert existing([couchdb_url]) == []


@couchdb
def test_a_database_that_is_removed_meanwhile(couchdb_url, opened, speech, commit):
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
@pytest.mark.parametrize("body", [{"title": "Bill of lading", "pages": 3}, {}, {"index": 7}])
def test_somebody_elses_manifest_document(couchdb_url, body, capsys):
    """A name that others use, too."""
    database = Database(couchdb_url)
    database.create()
    database.put("manifest", body=body)
    database.close()
    for command in ("verify", "merge"):
        assert std_store([command, couchdb_url]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{couchdb_url}: expected an index" in line
        assert "Error" not in line
        assert "title" in line or "title" not in body


@couchdb
def test_a_run_again_writes_only_what_is_missing(gate, gate_url, opened, speech, commit, digests):
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
def test_a_damaged_document_is_seen_and_mended_by_indexing_again(
    couchdb_url, opened, speech, commit, digests
):
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = Database(couchdb_url)
    (segment,) = store.segments()
    for kind in ("v", "b", "w", "s"):
        (row,) = list_documents(database, f"{segment.id}|{kind}", limit=1)
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
def test_a_damaged_manifest(couchdb_url, opened, speech, commit, digests, part, where, bits):
    store = opened(couchdb_url)
    commit(store, speech(1))
    document = store._database.get("manifest")
    kept = dict(document)
    text = bytearray(json.dumps(document[part]).encode())
    text[where % len(text)] ^= bits
    document[part] = text.decode("latin-1")
    document["_rev"] = store._database.put("manifest", body=document)["rev"]
    with pytest.raises(StoreError, match="expected a"):
        opened(couchdb_url)
    store._database.put("manifest", body=kept | {"_rev": document["_rev"]})
    assert digests(store) == [speech(1).digest()]


@couchdb
def test_an_index_of_before_is_read_merged_and_added_to(
    couchdb_url, opened, speech, commit, digests, monkeypatch
):
    """Its slots lie in parts as long as those of other columns."""
    before = Layout(bucket_postings=3, part_rows=4, part_words=5, slot_rows=4)
    with monkeypatch.context() as patch:
        without = lambda self: {k: v for k, v in asdict(self).items() if k != "slot_rows"}  # noqa: E731
        patch.setattr(Layout, "recorded", without)
        old = opened(couchdb_url, layout=before)
        commit(old, speech(1), speech(2))
    database = old._database
    assert list_documents(database, f"{speech(1).digest()[:32]}|s|0", limit=1)
    store = opened(couchdb_url)
    assert digests(store) == [speech(1).digest(), speech(2).digest()]
    assert list(store.damage()) == []
    commit(store, speech(3))
    commit(store, speech(1))  # again: it keeps its layout
    upkeep([store], everything=True)
    (segment,) = store.segments()
    assert {one.recording.file for one in segment.recordings} == {"file1", "file2", "file3"}
    assert list(store.damage()) == []
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    commit(store)
    assert stored_segment_ids(database) == {segment.id}


@couchdb
def test_slots_of_a_forged_index(couchdb_url, opened, speech, commit):
    store = opened(couchdb_url)
    commit(store, speech(1))
    (segment,) = store.segments()
    for row in (-1, 60, 2**40):
        rows = np.array([row])
        with pytest.raises(StoreError, match="a slot that does not exist"):
            segment.slots_between(lambda rows=rows: (rows, rows))
