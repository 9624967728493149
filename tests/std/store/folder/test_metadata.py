"""Metadata beside the segments of an index."""

import json

import pytest

from std.errors import StoreError, StoreWarning
from std.metadata.table import of_rows
from std.store import folder, open_store
from std.store.manifest import digest_of
from tests.std.store.folder.conftest import (
    PLAIN,
    damage,
    described,
    files_of,
)


def test_an_index_without_metadata_is_as_it_was(index):
    before = {path: path.read_bytes() for path in files_of(index)}
    described(index, {"file1": {"title": "A"}})
    assert json.loads((index / "manifest.json").read_text())["version"] == 5
    store = open_store(str(index))
    with store.writing():
        store.commit(normalisation=PLAIN, metadata=of_rows({"file1": {}}))
    assert {path: path.read_bytes() for path in files_of(index)} == before
    assert not (index / "metadata").exists()


def test_damaged_metadata_are_named_and_can_be_replaced(index):
    path = described(index, {"file1": {"title": "A"}, "file2": {"title": "B"}})
    path.write_bytes(path.read_bytes().replace(b"A", b"Z"))
    problem = f"{path}: expected the metadata that were committed, got other content"
    assert damage(index) == [problem]
    store = open_store(str(index))
    with pytest.raises(StoreError, match="expected the metadata"):
        store.metadata()
    assert len(store.segments()) == 2  # what needs no metadata can be read
    with store.writing(), pytest.raises(StoreError, match="expected the metadata"):
        store.commit(normalisation=PLAIN, delete_files=["file1"])
    with pytest.warns(StoreWarning, match="only the metadata given now are kept"):
        described(index, {"file1": {"title": "C"}})
    assert damage(index) == []
    metadata = open_store(str(index)).metadata()
    assert {file: metadata.values(file) for file in metadata.files} == {"file1": {"title": "C"}}


def test_a_reader_beside_a_writer_of_metadata(index, monkeypatch):
    described(index, {"file1": {"title": "A"}})
    reader = open_store(str(index))
    reads = folder.FolderStore._content

    def read_after_a_commit(store, *names: str) -> bytes:
        if names[0] == "metadata":
            monkeypatch.setattr(folder.FolderStore, "_content", reads)
            described(index, {"file1": {"title": "B"}})
        return reads(store, *names)

    monkeypatch.setattr(folder.FolderStore, "_content", read_after_a_commit)
    assert reader.metadata().values("file1") == {"title": "B"}


def test_missing_metadata_are_named(index):
    path = described(index, {"file1": {"title": "A"}})
    path.unlink()
    with pytest.raises(StoreError, match="expected metadata of this index, got no file"):
        open_store(str(index)).metadata()


def test_foreign_metadata_are_refused(index):
    manifest = json.loads((index / "manifest.json").read_text())
    manifest |= {"metadata": "../../etc"}
    del manifest["digest"]
    (index / "manifest.json").write_text(json.dumps(manifest | {"digest": digest_of(manifest)}))
    with pytest.raises(StoreError, match="expected a manifest"):
        open_store(str(index))
