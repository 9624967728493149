"""Several versions of one index: what a split cluster, or two writers at once, leave behind."""

import warnings
from dataclasses import replace

import pytest

from indexer.store_cli import main as std_store
from std.errors import StoreBusyError, StoreError, StoreWarning
from std.store.couchdb import writer
from std.store.couchdb.bulk import remove_segment, stored_segment_ids
from std.store.couchdb.manifest import (
    MANIFEST_ID,
    ManifestDocument,
    document_fields,
    read_conflicts,
    read_winner,
)
from std.store.couchdb.writer import new_owner
from std.store.manifest import manifest_after_commit
from std.store.versions import Versions, versions_after
from std.text import Normalisation

PLAIN = Normalisation()
pytestmark = pytest.mark.couchdb


def history(database) -> dict:
    """The revisions of the version that CouchDB shows, newest first."""
    return database.get(MANIFEST_ID, revs="true")["_revisions"]


def put_beside(database, ancestors: dict, document: dict, digest: str = "0" * 32) -> None:
    """Another version of the manifest document, as the replication between nodes brings it."""
    start = ancestors["start"] + 1
    revisions = {"start": start, "ids": [digest, *ancestors["ids"]]}
    version = document | {"_id": MANIFEST_ID, "_rev": f"{start}-{digest}", "_revisions": revisions}
    database.post("_bulk_docs", {"docs": [version], "new_edits": False})


def commit_elsewhere(store, ancestors, manifest, *columns, lease=None, delete_files=()) -> None:
    """A commit at a node that had no contact since the manifest was as given."""
    entries = [store._write(one, manifest) for one in columns]
    after = manifest_after_commit(manifest, entries, PLAIN, delete_files=delete_files)
    versions = versions_after(Versions(), manifest, after, entries, delete_files=delete_files)
    head = ManifestDocument(manifest=after, versions=versions, lease=lease)
    put_beside(store._database, ancestors, document_fields(head))


@pytest.fixture
def split(couchdb_url, opened, speech, commit):
    """A cluster that was split and has healed: CouchDB shows our version of the index."""

    def play(*, ours=(), theirs=(), lease=None, delete_files=()):
        store = opened(couchdb_url)
        commit(store, speech(1))
        ancestors, manifest = history(store._database), read_winner(store._database).manifest
        commit(store, *ours)
        commit_elsewhere(
            store, ancestors, manifest, *theirs, lease=lease, delete_files=delete_files
        )
        assert len(read_winner(store._database).conflicts) == 1
        return store

    return play


def alive():
    """A lease that somebody holds."""
    return {"owner": new_owner(), "until": 4e9}


def files(store) -> list[str]:
    return sorted(
        one.recording.file
        for segment in store.segments()
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    )


def quietly(store) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        return files(store)


def test_a_reader_is_told_what_it_does_not_see(split, opened, couchdb_url, speech):
    store = split(ours=[speech(2)], theirs=[speech(3), speech(4)])
    reader = opened(couchdb_url)
    before = reader.round_trips
    with pytest.warns(
        StoreWarning,
        match=r"another version .* only there: 2 recordings \(file3, file4\); the next",
    ):
        assert files(reader) == ["file1", "file2"]
    assert reader.round_trips == before + 2  # the manifest, and its other version
    assert files(reader) == ["file1", "file2"]  # says it once
    assert reader.round_trips == before + 3
    (line,) = store.damage()
    assert "only there: 2 recordings (file3, file4); the next std-index reconciles them" in line


def test_the_next_writer_brings_in_what_is_missing(split, opened, couchdb_url, speech, commit):
    store = split(ours=[speech(2)], theirs=[speech(3), speech(4)])
    with pytest.warns(
        StoreWarning, match=r"one now: taken from the other: 2 recordings \(file3, file4\)"
    ):
        commit(store, speech(5))
    assert read_winner(store._database).conflicts == ()
    for one in (store, opened(couchdb_url)):
        assert files(one) == [f"file{n}" for n in range(1, 6)]
        assert list(one.damage()) == []


def test_both_sides_indexed_a_file_again(split, speech, commit, digests):
    """Ours stays, and the writer says so."""
    store = split(ours=[speech(2)], theirs=[speech(2, slots=30)])
    with pytest.warns(StoreWarning, match=r"indexed in both, kept as here: 1 recording \(file2\)"):
        commit(store)
    assert speech(2).digest() in digests(store)
    assert speech(2, slots=30).digest() not in digests(store)


def test_a_version_with_nothing_of_its_own_goes_without_a_word(split, speech, commit):
    store = split(ours=[speech(2)])
    assert files(store) == ["file1", "file2"]
    (line,) = store.damage()
    assert "another version of this index" in line
    assert "with the same recordings" in line
    commit(store)
    assert list(store.damage()) == []


def test_nothing_of_another_version_is_swept(split, speech, commit, monkeypatch):
    """Not before it is settled; then what it alone named is kept as long as for any reader."""
    store = split(ours=[speech(2)], theirs=[speech(3)], lease=alive())
    monkeypatch.setattr(writer, "RETENTION_S", -1.0)
    with pytest.raises(StoreBusyError, match="somebody else"):
        commit(store)
    monkeypatch.setattr(writer, "_is_unleased", lambda database, document: True)
    theirs = speech(3).digest()[:32]
    with pytest.warns(StoreWarning, match="1 recording "):
        commit(store)
    assert theirs in stored_segment_ids(store._database)
    assert quietly(store) == ["file1", "file2", "file3"]


@pytest.mark.parametrize("shows", ["ours", "theirs"])
def test_versions_that_appear_while_we_write(couchdb_url, opened, speech, commit, shows):
    """The network heals during our run: what the other side wrote is in at the end, too."""
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = store._database
    ancestors, manifest = history(database), read_winner(database).manifest
    if shows == "theirs":  # the longer history
        longer = [f"{n:032x}" for n in range(30)]
        ancestors = {"start": ancestors["start"] + 30, "ids": [*longer, *ancestors["ids"]]}
    with (  # noqa: PT031
        pytest.warns(StoreWarning, match=r"taken from the other: 1 recording \(file3\)"),
        store.writing(),
    ):
        store.commit([speech(2)], normalisation=PLAIN)
        commit_elsewhere(store, ancestors, manifest, speech(3))
        store.commit([speech(4)], normalisation=PLAIN)
    assert files(store) == ["file1", "file2", "file3", "file4"]


def test_clean_up_waits_for_the_writer_of_another_version(
    couchdb_url, opened, speech, commit, monkeypatch
):
    """Its documents are named by no manifest yet: they look like what a killed writer left."""
    store = opened(couchdb_url)
    commit(store, speech(1))
    database, left = store._database, "0" * 32
    ancestors, manifest = history(database), read_winner(database).manifest
    with store.writing():
        database.put(f"{left}|b|7", body={"deflated": ""})
        commit_elsewhere(store, ancestors, manifest, speech(3), lease=alive())
        store.commit([speech(2)], normalisation=PLAIN)
    assert left in stored_segment_ids(database)
    assert quietly(store) == ["file1", "file2"]
    monkeypatch.setattr(writer, "_is_unleased", lambda database, document: True)
    monkeypatch.setattr(writer, "RETENTION_S", -1.0)
    with pytest.warns(StoreWarning, match="1 recording "):
        commit(store)
    assert left not in stored_segment_ids(database)
    assert files(store) == ["file1", "file2", "file3"]


def test_what_the_other_side_replaced_stays_for_its_readers(couchdb_url, opened, speech, commit):
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = store._database
    ancestors, manifest = history(database), read_winner(database).manifest
    commit(store, speech(2))
    theirs = store._write(speech(3), manifest)
    replaced = ManifestDocument(manifest=manifest, retired={theirs.id: database.server_time_s()})
    put_beside(database, ancestors, document_fields(replaced))
    commit(store)
    assert read_winner(database).conflicts == ()
    assert theirs.id in stored_segment_ids(database)


def test_clean_up_waits_for_a_version_that_is_on_its_way(split, speech, commit, monkeypatch):
    """A node names its revision and does not have it yet."""
    store = split(ours=[speech(2)], theirs=[speech(3)])
    monkeypatch.setattr(writer, "read_conflicts", lambda database, document: [])
    monkeypatch.setattr(writer, "RETENTION_S", -1.0)
    commit(store)
    assert speech(3).digest()[:32] in stored_segment_ids(store._database)


@pytest.mark.parametrize("prefers", ["us", "them"])
def test_two_take_the_right_at_two_nodes(couchdb_url, opened, speech, commit, monkeypatch, prefers):
    """Each node took one's document, none answered 409. The one that CouchDB shows goes on."""
    store = opened(couchdb_url)
    commit(store, speech(1))
    database = store._database
    ancestors, real = history(database), writer.write_manifest

    def put(database, head, pauses_s=None):
        monkeypatch.setattr(writer, "write_manifest", real)
        mine = real(database, head, pauses_s)
        rival = document_fields(replace(head, lease=alive(), revision=None))
        put_beside(database, ancestors, rival, ("0" if prefers == "us" else "f") * 32)
        return mine

    monkeypatch.setattr(writer, "write_manifest", put)
    if prefers == "us":
        with store.writing():
            store.commit([speech(2)], normalisation=PLAIN)
        assert quietly(store) == ["file1", "file2"]
    else:
        with pytest.raises(StoreBusyError, match="somebody else is writing"):
            commit(store, speech(2))
        assert read_winner(database).conflicts == ()  # we went without a trace
        assert read_winner(database).revision.endswith("f" * 32)


def test_a_right_that_nobody_confirms(couchdb_url, opened, speech, commit, monkeypatch):
    """The nodes that are asked do not know of our document: we let go, and harm nothing."""
    store = opened(couchdb_url)
    commit(store, speech(1))
    before = read_winner(store._database)
    with monkeypatch.context() as patch:
        patch.setattr(writer, "read_winner", lambda database, known: before)
        with pytest.raises(StoreBusyError, match="several other processes"):
            commit(store, speech(2))
    assert read_winner(store._database).lease is None
    assert files(store) == ["file1"]
    commit(store, speech(2))


def test_a_version_whose_documents_never_came(split, speech, commit):
    store = split(ours=[speech(2)], theirs=[speech(3)])
    remove_segment(store._database, speech(3).digest()[:32])
    with pytest.warns(StoreWarning, match=r"lost, for .*: 1 recording \(file3\)"):
        commit(store)
    assert files(store) == ["file1", "file2"]
    assert list(store.damage()) == []


def test_versions_of_different_words(split, speech, commit, monkeypatch):
    other = Normalisation(case="keep")
    store = split(ours=[speech(2)], theirs=[speech(3)])

    def otherwise(database, head):
        return [
            replace(one, manifest=replace(one.manifest, normalisation=other))
            for one in read_conflicts(database, head)
        ]

    monkeypatch.setattr(writer, "read_conflicts", otherwise)
    with pytest.raises(StoreError, match=r"text\.case = 'lower'"):
        commit(store)
    assert len(read_winner(store._database).conflicts) == 1


def test_a_damaged_version(split, speech, commit):
    """It hides nothing from readers, and no writer removes what it cannot read."""
    store = split(ours=[speech(2)], theirs=[speech(3)])
    database = store._database
    (revision,) = read_winner(database).conflicts
    start, _, digest = revision.partition("-")
    document = database.get(MANIFEST_ID, rev=revision) | {"index": "AAAA"}
    put_beside(database, {"start": int(start), "ids": [digest]}, document, "1" * 32)
    with pytest.warns(StoreWarning, match="another version of this index.*expected"):
        assert files(store) == ["file1", "file2"]
    assert any("another version of this index" in line for line in store.damage())
    with pytest.raises(StoreError, match="expected an index"):
        commit(store)


def test_the_command_says_it_in_one_line(split, speech, couchdb_url, capsys):
    split(ours=[speech(2)], theirs=[speech(3)])
    assert std_store(["verify", couchdb_url, "--quiet"]) == 2
    assert "only there: 1 recording (file3); the next std-index" in capsys.readouterr().err
    assert std_store(["merge", couchdb_url, "--quiet"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"std-store: warning: {couchdb_url}: this index had another version")
    assert std_store(["verify", couchdb_url, "--quiet"]) == 0
