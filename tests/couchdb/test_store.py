"""What is in the database: foreign, removed, damaged, left behind."""

import gzip
import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.maintain import upkeep
from indexer.segments.invert import invert
from indexer.store_cli import main as std_store
from searcher.found_terms import prepare
from searcher.index.copies import find_copies
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.config import Config, PhoneticSearchConfig, SplittingConfig
from std.errors import StoreError, StoreWarning
from std.store import open_store
from std.store.couchdb import writer as writer_module
from std.store.couchdb.bulk import list_documents, stored_segment_ids
from std.store.couchdb.database import Database
from std.store.couchdb.layout import Layout
from std.store.couchdb.store import open_couchdb
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Term

pytestmark = pytest.mark.slow

PLAIN = Normalisation()
WORDS_ALONE = Config(
    splitting=SplittingConfig(words="none"), phonetic_search=PhoneticSearchConfig(words="none")
)
couchdb = pytest.mark.couchdb


@couchdb
def test_no_index_there(couchdb_url, opened):
    with pytest.raises(StoreError, match="expected a database with an index, got no database"):
        open_store(couchdb_url)
    opened(couchdb_url)
    with pytest.raises(StoreError, match="got a database without"):
        open_store(couchdb_url)


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


@couchdb
def test_only_slots_that_are_needed_are_fetched(couchdb_url, opened, network, commit):
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
    some, rows = segment.slots([2, 7]), np.arange(len(columns.slot_key))
    assert some.offsets is None  # not of all recordings
    assert len(some.key) < len(columns.slot_key)
    for recording in (2, 7):
        mine = columns.slot_key >> np.uint64(32) == recording
        got = some.key >> np.uint64(32) == recording
        for ours, theirs in zip(
            (some.key, some.epsilon, some.word, some.row),
            (columns.slot_key, columns.slot_epsilon, columns.slot_word, rows),
            strict=True,
        ):
            np.testing.assert_array_equal(ours[got], theirs[mine])
        positions = some.positions(np.flatnonzero(mine))
        np.testing.assert_array_equal(positions, np.flatnonzero(got))
    segment.slots([2])
    assert store.round_trips == before + 1
    assert len(segment.slots(range(9)).key) == len(columns.slot_key)


@couchdb
def test_only_rows_of_an_extra_column_that_are_needed_are_fetched(
    couchdb_url, opened, speech, commit
):
    column = np.arange(100, dtype="<u8")  # four in a document
    commit(opened(couchdb_url), replace(speech(1), extra={"signs": column}))
    store = opened(couchdb_url)
    (segment,) = store.segments()
    asked = []
    rows_of = store._database.rows

    def noted(path, **options):
        asked.extend(options["keys"])
        return rows_of(path, **options)

    store._database.rows = noted
    for rows in ([5, 98, 6], [99, 7]):
        np.testing.assert_array_equal(segment.extra_rows("signs", np.array(rows)), rows)
    parts = [name.rpartition("|")[2] for name in asked]
    assert parts == ["signs.1", "signs.24"]


@couchdb
def test_phrases_fetch_the_slots_that_they_skip(couchdb_url, opened, network, commit):
    """And say what they say where all slots are at hand."""
    random = np.random.default_rng(5)
    slots = [
        [(word, 0.3) for word in random.choice(list("abcdef"), 2, replace=False)]
        for _ in range(300)
    ]
    slots[100:103] = [[("rare", 0.9)], [("a", 0.1)], [("find", 0.9)]]
    slots[200:202] = [[("rare", 0.9)], [("find", 0.9)]]
    columns = invert([network(*slots)])
    store = opened(couchdb_url)
    commit(store, columns)
    resident = ResidentSegment(columns.digest()[:32], columns)
    for phrase, most in [("rare find", 2), ("find rare", 0), ("a b c d", 99)]:
        (segment,) = opened(couchdb_url).segments()
        fetched, real = [], segment._remote.slot_parts
        segment._remote.slot_parts = lambda wanted, to=fetched, real=real: (
            to.extend(wanted) or real(wanted)
        )
        there, here = (
            search(
                [Term("1", phrase)], prepare([one], WORDS_ALONE), SearchedSpeech(None, 60.0)
            ).candidates
            for one in (segment, resident)
        )
        assert len(here.probability) or not most
        for ours, theirs in zip(there, here, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert len(fetched) <= most
        assert bool(fetched) == bool(most)


@couchdb
def test_copies_are_found_by_the_slots_of_recordings_that_may_be_some(
    couchdb_url, opened, network, commit
):
    """And the search without them finds what it finds where all columns are at hand."""
    random = np.random.default_rng(6)
    networks = []
    for i, n in enumerate([9, 2000, 9, 2500, 3000]):  # slots: only the first and the third agree
        words = random.choice(list("abcdef"), n) if i != 2 else networks[0].words
        networks.append(network(*([(word, 0.8)] for word in words), file=f"file {i}"))
    columns = invert(networks)
    store = opened(couchdb_url)
    commit(store, columns)
    resident = ResidentSegment(columns.digest()[:32], columns)
    (segment,) = opened(couchdb_url).segments()
    fetched, real = [], segment._remote.slot_parts
    segment._remote.slot_parts = lambda wanted: fetched.extend(wanted) or real(wanted)
    copies = find_copies([segment])
    assert copies.originals == find_copies([resident]).originals != {}
    assert len({*fetched}) < len(segment._remote.layout.slot_starts)
    there, here = (
        search(
            [Term("1", "a b")], prepare([one], WORDS_ALONE), SearchedSpeech(None, 60.0)
        ).candidates
        for one in (segment, resident)
    )
    assert len(here.probability)
    for ours, theirs in zip(there, here, strict=True):
        np.testing.assert_array_equal(ours, theirs)


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


@couchdb
def test_round_trips_are_few(couchdb_url, opened, speech, commit):
    """One for the manifest, one for the vocabulary, one for any number of words."""
    writer = open_couchdb(couchdb_url, create=True)
    commit(writer, speech(1, slots=500))
    writer.close()
    store = opened(couchdb_url)
    before = store.round_trips
    (segment,) = store.segments()
    assert len(segment.postings([chr(97 + i) for i in range(26)])) > 10
    assert store.round_trips - before == 3
    segment.postings(["a"])
    assert store.round_trips - before == 3, "what was read is kept"
