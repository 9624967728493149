"""Disks in trouble, and what outlives a writer: a commit is whole, or it leaves nothing."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from std.errors import StoreBusyError, StoreError
from std.metadata.table import of_rows
from std.store import folder, open_store
from std.store.manifest import manifest_from_json
from tests.std.store.folder.conftest import (
    PLAIN,
    damage,
    files_of,
    read_everything,
)


class FailAt:
    """Replaces a function; its n-th call fails, the others do what they always do."""

    def __init__(self, real, n: int, error: OSError) -> None:
        self._real, self._left, self._error = real, n, error

    def __call__(self, *arguments, **options):
        self._left -= 1
        if self._left == 0:
            raise self._error
        return self._real(*arguments, **options)


TROUBLE = [OSError(errno.ENOSPC, "No space left on device"), OSError("12 requested and 3 written")]


@pytest.mark.parametrize("error", TROUBLE, ids=["no space", "short write"])
@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("call", ["np.save", "os.fsync", "os.replace"])
def test_a_full_disk_loses_nothing(index, speech, monkeypatch, call, n, error):
    before = read_everything(index)
    store = open_store(str(index))
    owner = {"np": np, "os": os}[call.split(".")[0]]
    name = call.split(".")[1]
    n = min(n, 2) if name == "replace" else n  # of the segment, of the manifest
    with monkeypatch.context() as patch:
        failing = FailAt(getattr(owner, name), n, error)
        patch.setattr(owner, name, lambda *a, **k: failing(*a, **k))
        with (
            pytest.raises(StoreError, match=f"cannot write: {error.strerror or error}"),
            store.writing(),
        ):
            store.commit([speech(3)], normalisation=PLAIN)
    assert read_everything(index) == before
    left = {path.name for path in (index / "segments").iterdir()}
    assert left == {one.id for one in store.segments()}, "a full disk needs the room"
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN)
    assert len(store.segments()) == 3
    assert damage(index) == []


def test_files_may_not_grow(index):
    """A real limit of the system instead of an injected error."""
    before = read_everything(index)
    code = (
        "import resource, sys\n"
        "from std.errors import StoreError\n"
        "from std.store import open_store\n"
        "from std.text import Normalisation\n"
        "store = open_store(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n"
        "    with store.writing():\n"
        "        store.commit(normalisation=Normalisation(), delete_files=['file1'])\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    # -B: cut modules would stay in this checkout
    command = [sys.executable, "-B", "-c", code, str(index)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == f"{index}: cannot write: File too large\n"
    assert read_everything(index) == before


def test_an_index_has_more_files_than_most_systems_let_a_process_open_at_first(index):
    """The limit is that of macOS; each of the shards has a segment with a file a column."""
    program = (
        "import resource, sys\n"
        "most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))\n"
        "from std.store import open_store\n"
        "stores = [open_store(sys.argv[1]) for _ in range(40)]\n"
        "segments = [store.segments() for store in stores]\n"
        "print(sum(len(some) for some in segments))\n"
    )
    command = [sys.executable, "-B", "-c", program, str(index)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert int(ran.stdout) >= 40


def test_a_folder_that_is_read_only(index, monkeypatch):
    """As root nothing is read-only, so the error is injected."""
    store = open_store(str(index))
    with monkeypatch.context() as patch:
        denied = FailAt(None, 1, PermissionError(errno.EACCES, "Permission denied"))
        patch.setattr(folder.OwnFolder, "appending", denied)
        with pytest.raises(StoreError, match="cannot write: Permission denied"), store.writing():
            pytest.fail("written without the right to")
    assert len(read_everything(index)) > 2


def test_a_file_system_without_locks(index, monkeypatch):
    no_locks = FailAt(None, 1, OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr(folder.system, "lock", no_locks)
    with (
        pytest.raises(StoreError, match="cannot lock this folder: No locks available"),
        open_store(str(index)).writing(),
    ):
        pytest.fail("written without a lock")


def test_no_place_for_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="expected a folder for the index, got: Not a directory"):
        open_store(str(tmp_path / "file" / "index"), create=True)
    with pytest.raises(StoreError, match="expected a folder for the index"):
        open_store(str(tmp_path / "file"), create=True)


def test_the_lock_is_no_error_of_the_disk(index):
    one, other = open_store(str(index)), open_store(str(index))
    with one.writing(), pytest.raises(StoreBusyError), other.writing():
        pytest.fail("two writers")


def test_a_reader_that_meets_a_merge_reads_again(index, speech, monkeypatch):
    """The segment it is about to map has just been replaced."""
    reader, writer = open_store(str(index)), open_store(str(index))
    real, once = folder.map_segment, []
    live = [one.id for one in writer.segments()]

    def merge_first(root, one):
        if not once:
            once.append(one)
            with writer.writing():
                writer.commit([speech(4)], normalisation=PLAIN, replace=live)
        return real(root, one)

    monkeypatch.setattr(folder, "map_segment", merge_first)
    assert [one.id for one in reader.segments()] == [speech(4).digest()[:32]]


@pytest.mark.parametrize("before", ["", "a", "a/b/index"])
def test_a_writer_that_commits_nothing_leaves_nothing(tmp_path, before):
    """Neither its lock, nor the folders that were made for the index."""
    (tmp_path / before).mkdir(parents=True, exist_ok=True)
    there = sorted(tmp_path.rglob("*"))
    store = open_store(str(tmp_path / "a/b/index"), create=True)
    with store.writing():
        assert (tmp_path / "a/b/index/lock").exists()
    store.close()
    assert sorted(tmp_path.rglob("*")) == there


def test_segments_whose_manifest_is_lost_stay(index, speech):
    """Those of a first commit that was killed go: `tests/std/store/test_crash.py`."""
    (index / "manifest.json").rename(index.parent / "kept")
    before = files_of(index)
    for _ in range(2):
        store = open_store(str(index), create=True)
        with pytest.raises(StoreError, match=r"of the segments there, got nothing of that"):
            store.writing().__enter__()
        store.close()
    assert files_of(index) == before
    (index.parent / "kept").rename(index / "manifest.json")
    store = open_store(str(index), create=True)
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN)
    assert len(read_everything(index)) > 2
    assert (index / "lock").read_bytes() == b""


def test_a_failed_commit_leaves_nothing(tmp_path, speech, monkeypatch):
    monkeypatch.setattr(folder, "manifest_to_json", lambda manifest: 1 / 0)
    store = open_store(str(tmp_path / "index"), create=True)
    with pytest.raises(ZeroDivisionError), store.writing():
        store.commit([speech(1)], normalisation=PLAIN, metadata=of_rows({"file1": {"a": "b"}}))
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_an_index_stays_after_a_writer_that_commits_nothing(index):
    before = read_everything(index)
    store = open_store(str(index), create=True)
    with pytest.raises(KeyError), store.writing():
        raise KeyError
    store.close()
    assert read_everything(index) == before


def test_a_lock_that_was_removed_is_not_taken(tmp_path, speech, monkeypatch):
    """Another writer removed the lock's file between its opening and its locking."""
    store, removed = open_store(str(tmp_path / "index"), create=True), []
    lock = folder.system.lock

    def removing(descriptor):
        if not removed:
            removed.append((tmp_path / "index" / "lock").unlink())
        lock(descriptor)

    monkeypatch.setattr(folder.system, "lock", removing)
    with store.writing():
        with pytest.raises(StoreBusyError), open_store(store.url, create=True).writing():
            pass
        store.commit([speech(1)], normalisation=PLAIN)


def test_a_manifest_is_read_once_until_somebody_commits(index, speech, monkeypatch):
    read = []

    def reading(text, place):
        read.append(place)
        return manifest_from_json(text, place)

    monkeypatch.setattr("std.store.folder.manifest_from_json", reading)
    store = open_store(str(index))
    seen = store.normalisation(), store.segments(), store.metadata()
    assert len(read) == 1
    other = open_store(str(index))
    with other.writing():
        other.commit([speech(3)], normalisation=PLAIN)
    assert len(store.segments()) == len(seen[1]) + 1
