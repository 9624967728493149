"""A manifest that is too long for one document."""

import random
import uuid
from dataclasses import replace

import numpy as np
import pytest

from std.errors import StoreError
from std.store.columns import IndexedRecording, SegmentColumns, pack_vocabulary
from std.store.couchdb import codec as codec_module
from std.store.couchdb import writer as writer_module
from std.store.couchdb.bulk import stored_segment_ids
from std.store.couchdb.codec import PART_BYTES, split_text
from std.store.couchdb.manifest import MANIFEST_ID, read_winner, stored_index
from std.store.couchdb.store import open_couchdb
from std.store.manifest import manifest_to_json
from std.text import Normalisation
from std.values import Recording

pytestmark = pytest.mark.slow

PLAIN = Normalisation()


@pytest.fixture
def in_parts(monkeypatch):
    monkeypatch.setattr(codec_module, "INLINE_BYTES", 10)
    monkeypatch.setattr(codec_module, "PART_BYTES", 400)


def many(recordings: int, seed: int) -> SegmentColumns:
    """A segment of silent recordings with UUIDs for names."""
    rng = random.Random(seed)
    names = sorted(str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(recordings))
    none = np.empty(0, np.uint32)
    return SegmentColumns(
        tuple(IndexedRecording(Recording(name, 1), rng.randrange(10**7), 9) for name in names),
        pack_vocabulary([]),
        np.zeros(1, np.int64),
        none,
        none.astype("<u2"),
        none.astype("<f4"),
        none.astype("<i4"),
        np.zeros(recordings + 1, np.int32),
        none.astype("<u8"),
        none.astype("<f4"),
        none.astype("<i4"),
    )


def test_an_archive_of_many_recordings(couchdb_cluster, commit):
    """No document comes near CouchDB's 8 MB, nor to the 1 MB of a proxy; few requests.

    45,000 recordings make several whole parts; more of them make more of these, no larger ones.
    """
    url = f"couchdb://127.0.0.1:{couchdb_cluster.ports[0]}/index"
    writer = open_couchdb(url, create=True)
    commit(writer, many(44_500, 1), many(500, 2))
    body = read_winner(writer._database).stored
    assert len(body.parts) > 3
    before = writer.round_trips
    commit(writer, many(10, 3), delete_files={"no such file"})
    again = read_winner(writer._database).stored
    assert len(again.parts - body.parts) == 1  # what the new segment is in, no more
    assert writer.round_trips - before < 25
    for document in couchdb_cluster.copies[0]["index"].documents.values():
        (leaf,) = document.values()
        assert len(str(leaf.body)) < 1_000_000
    reader = open_couchdb(url, create=False)
    before = reader.round_trips
    assert sum(len(one.recordings) for one in reader.segments()) == 45_010
    assert reader.round_trips == before + 1  # nothing has changed since it was opened
    reader.close()
    writer.close()


@pytest.mark.couchdb
def test_a_short_manifest_is_one_document(couchdb_url, opened, speech, commit):
    store = opened(couchdb_url)
    commit(store, speech(1))
    assert read_winner(store._database).stored.parts == frozenset()
    assert stored_segment_ids(store._database) == {speech(1).digest()[:32]}


@pytest.mark.couchdb
def test_parts_are_written_once_and_removed_like_segments(
    in_parts, couchdb_url, opened, speech, commit, monkeypatch, digests
):
    store = opened(couchdb_url)
    commit(store, speech(1), speech(2))
    first = read_winner(store._database).stored.parts
    commit(store, speech(3))
    head = read_winner(store._database)
    assert first & head.stored.parts  # the first segments are in parts of their own
    assert first - head.stored.parts == head.retired.keys() & first
    assert first <= stored_segment_ids(store._database)
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    commit(store)
    parts = read_winner(store._database).stored.parts
    assert stored_segment_ids(store._database) == parts | {one.id for one in store.segments()}
    assert digests(opened(couchdb_url)) == [speech(n).digest() for n in (1, 2, 3)]
    commit(store, speech(1))
    assert list(opened(couchdb_url).damage()) == []


@pytest.mark.couchdb
def test_a_reader_that_is_overtaken(in_parts, couchdb_url, opened, speech, commit, monkeypatch):
    """The parts that it was told of have gone when it asks for them: it looks again."""
    monkeypatch.setattr(writer_module, "RETENTION_S", -1.0)
    writer, reader = opened(couchdb_url), opened(couchdb_url)
    commit(writer, speech(1))
    real, late = reader._database.get, []

    def get(*path, **rest):
        found = real(*path, **rest)
        if path == (MANIFEST_ID,) and not late:
            late.append(commit(writer, speech(2)))
        return found

    monkeypatch.setattr(reader._database, "get", get)
    assert len(reader.segments()) == 2


@pytest.mark.couchdb
def test_a_damaged_part(in_parts, couchdb_url, opened, speech, commit):
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = store._database
    name = f"{min(read_winner(database).stored.parts)}|m|0"
    kept = database.get(name)
    other = database.get(f"{max(read_winner(database).stored.parts)}|m|0")
    for bad in (
        {"deflated": kept["deflated"][::-1]},
        {field: other[field] for field in ("rows", "deflated", "sha256")},
    ):
        database.put(name, body=kept | bad | {"_rev": database.get(name)["_rev"]})
        with pytest.raises(StoreError, match=f"document {name[:32]}.*expected"):
            opened(couchdb_url)
        with pytest.raises(StoreError, match=f"document {name[:32]}.*expected"):
            list(store.damage())
    database.put(name, body={"_rev": database.get(name)["_rev"], "_deleted": True})
    with pytest.raises(StoreError, match="a part of the manifest, got none"):
        opened(couchdb_url)


@pytest.mark.parametrize("stored", [7, {}, ["../x"], [7], "?", "AAAA"])
@pytest.mark.couchdb
def test_a_forged_manifest_document(couchdb_url, opened, speech, commit, stored):
    store = opened(couchdb_url)
    commit(store, speech(1))
    document = store._database.get(MANIFEST_ID)
    for field in ("index", "versions"):
        kept = store._database.get(MANIFEST_ID)
        store._database.put(MANIFEST_ID, body=document | {"_rev": kept["_rev"], field: stored})
        with pytest.raises(StoreError, match=r"expected an index, got a damaged document 'mani"):
            opened(couchdb_url)


def test_where_texts_are_cut(monkeypatch):
    """They are whole when put together, no part is longer, and most begin with a segment."""
    monkeypatch.setattr(codec_module, "PART_BYTES", 3000)
    for text in (b"", b"x" * 10_000, b'{"id":' * 5000):
        assert b"".join(split_text(text)) == text
        assert max(map(len, split_text(text))) <= 3000
    assert PART_BYTES == 1_000_000


def test_what_stays_before_a_change_keeps_its_parts(in_parts):
    from std.store.manifest import Manifest, manifest_after_commit, segment_entry
    from std.store.versions import Versions

    entries = [segment_entry(many(5, seed)) for seed in range(6)]
    before = manifest_after_commit(Manifest(), entries, PLAIN)
    after = replace(before, segments=before.segments[:-1])
    parts, fewer = (stored_index(one, Versions())[0].parts for one in (before, after))
    assert len(fewer & parts) >= len(fewer) - 2
    assert len(manifest_to_json(before)) > len(parts) * 200


@pytest.mark.couchdb
def test_requests_for_the_manifest(gate, gate_url, opened, speech, commit):
    """As docs/stores.md says: one to open a store, one for each look at its segments."""
    commit(opened(gate_url), speech(1))
    gate.seen.clear()
    store = opened(gate_url)
    assert store.normalisation() == PLAIN
    store.segments()
    assert [line for line, *_ in gate.seen if "manifest" in line] == [
        f"GET /{gate_url.rpartition('/')[2]}/manifest?conflicts=true"
    ] * 2
    assert len(gate.seen) == 3
