"""Documents that no manifest names any more: when they go, and who removes them."""

import gzip
import json

import pytest

from indexer.store_cli import main as std_store
from std.errors import StoreError, StoreWarning
from std.store.couchdb import writer as writer_module
from std.store.couchdb.bulk import list_documents, stored_segment_ids
from std.text import Normalisation

pytestmark = pytest.mark.slow
PLAIN = Normalisation()
couchdb = pytest.mark.couchdb


@couchdb
def test_replaced_segments_go_after_a_while(
    couchdb_url, opened, speech, monkeypatch, commit, digests
):
    store = opened(couchdb_url)
    first, second = speech(1).digest()[:32], speech(2).digest()[:32]
    commit(store, speech(1))
    commit(store, speech(2), replace=[first])
    assert stored_segment_ids(store._database) == {first, second}
    commit(store, delete_files=[])
    assert stored_segment_ids(store._database) == {first, second}
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    commit(store, delete_files=[])
    assert stored_segment_ids(store._database) == {second}
    assert store._database.get("manifest")["retired"] == {}
    assert digests(store) == [speech(2).digest()]
    commit(store, speech(1))  # over what was deleted
    assert digests(store) == [speech(2).digest(), speech(1).digest()]


@couchdb
def test_cleaning_up_does_not_wait(couchdb_url, opened, speech, commit, digests, capsys):
    store = opened(couchdb_url)
    commit(store, speech(1), speech(2))
    (reader, _) = store.segments()
    assert std_store(["merge", couchdb_url, "--quiet"]) == 0
    assert std_store(["clean-up", couchdb_url]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{couchdb_url}: 2 replaced segments removed"
    (segment,) = store.segments()
    assert stored_segment_ids(store._database) == {segment.id}
    assert store._database.get("manifest")["retired"] == {}
    with pytest.raises(StoreError, match=r"its segment was replaced .* \(search again\)"):
        reader.words()
    assert std_store(["clean-up", couchdb_url, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert std_store(["clean-up", couchdb_url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed_segments"] == {couchdb_url: 0}
    assert len(digests(store)) == 1


@couchdb
def test_cleaning_up_where_the_server_is_in_trouble(gate, gate_url, opened, speech, commit):
    store = opened(gate_url)
    commit(store, speech(1))
    commit(store, speech(2), replace=[speech(1).digest()[:32]])
    gate.troubles = [("_all_docs", "403")]
    with pytest.warns(StoreWarning, match="1 replaced segment could not be removed now"):
        assert store.clean_up() == 0
    gate.troubles = [("_compact", "403")]
    assert store.clean_up() == 1


@couchdb
def test_documents_are_purged_where_the_server_can(
    gate, gate_url, opened, speech, monkeypatch, commit
):
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    store = opened(gate_url)
    commit(store, speech(1))
    database = store._database
    gone = speech(1).digest()[:32]
    rows = list_documents(database, f"{gone}|", limit=999)
    gate.seen.clear()
    gate.troubles = [("_purge", "purge works")] * 3
    commit(store, replace=[gone])
    asked = {}
    for line, headers, body in gate.seen:
        if "_purge" in line:
            plain = gzip.decompress(body) if "Content-Encoding" in headers else body
            asked = asked or json.loads(plain)
    assert asked == {row["id"]: [row["value"]["rev"]] for row in rows}
    assert stored_segment_ids(database) == set()  # nothing was purged, so the second way was taken
    assert len([line for line, *_ in gate.seen if "_purge" in line]) == 1


@couchdb
def test_what_a_killed_writer_left_is_swept(couchdb_url, opened, speech, commit, monkeypatch):
    store = opened(couchdb_url)
    commit(store, speech(1))
    left = "0" * 32
    store._database.put(f"{left}|b|7", body={"deflated": ""})
    assert left in stored_segment_ids(store._database)
    with pytest.raises(ZeroDivisionError), store.writing():
        1 / 0  # noqa: B018  # an error leaves it: running again may need it
    assert left in stored_segment_ids(store._database)
    commit(store, delete_files=[])
    assert left in stored_segment_ids(store._database)  # its manifest may be on its way
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    commit(store, delete_files=[])
    assert stored_segment_ids(store._database) == {speech(1).digest()[:32]}
