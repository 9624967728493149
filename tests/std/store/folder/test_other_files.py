"""Files that are not the index's own, links and pipes among them, are left alone."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from std.errors import StoreError
from std.metadata.table import of_rows
from std.store import open_store
from tests.std.store.folder.conftest import PLAIN, damage, described, files_of, read_everything


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    precious = tmp_path / "X" / "segments" / "precious"
    precious.mkdir(parents=True)
    with pytest.raises(StoreError, match="expected an empty folder or an index, got 'segments'"):
        open_store(str(tmp_path / "X"), create=True)
    assert precious.exists()


def test_only_our_own_leftovers_are_removed(index, speech):
    segments = index / "segments"
    ours = [segments / ("0" * 32), segments / ("1" * 32 + ".tmp")]
    for one in (*ours, segments / "notes"):
        one.mkdir()
    store = open_store(str(index))
    with store.writing():
        pass
    assert (segments / "notes").exists()
    assert not any(one.exists() for one in ours)


MINE = [
    "metadata/recordings.csv",
    "metadata/.hidden",
    "metadata/thesis.json",
    "metadata/" + "0" * 32 + ".csv",
    "metadata/notes/" + "0" * 32 + ".json",
    "segments/notes.txt",
    "segments/" + "0" * 32 + "/notes.txt",
    "segments/" + "0" * 32 + ".tmp/notes/" + "0" * 32 + ".npy",
    ".manifest.json.original",
    ".manifest.json.bak",
    "notes.csv",
]


@pytest.mark.parametrize("name", MINE)
def test_a_file_of_the_user_stays(index, speech, name):
    path = index / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    described(index, {"file1": {"title": "A"}})
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {}}))
    assert path.read_text() == "mine"
    assert damage(index) == []


@pytest.fixture
def home(tmp_path) -> Path:
    """A folder of the user's, with names that an index uses."""
    home = tmp_path / "home"
    for name in ("0" * 32 + ".json", "0" * 32 + "/words.npy", ".profile", "manifest.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("mine")
    return home


def everything(folder: Path) -> dict:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


LINKS = [
    ("metadata", ""),
    ("segments", ""),
    ("segments/" + "0" * 32, ""),
    ("segments/" + "0" * 32, "0" * 32),
    ("segments/" + "1" * 32 + ".tmp", ""),
    ("lock", ".profile"),
    ("lock", "none"),
    ("manifest.json", ".profile"),
    ("manifest.json", "manifest.json"),
    ("metadata/" + "0" * 32 + ".json", ".profile"),
    (".manifest.json.01234567.tmp", ".profile"),
]


@pytest.mark.parametrize(("name", "target"), LINKS)
def test_no_link_leads_out_of_the_folder(index, home, speech, name, target):
    path = index / name
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        path.rename(index.parent / "away")
    path.unlink(missing_ok=True)
    path.symlink_to(home / target)
    before = everything(home)
    with suppress(StoreError):
        store = open_store(str(index), create=True)
        with store.writing():
            store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {"x": "A"}}))
    assert everything(home) == before


def test_a_link_is_named(index, home):
    (index / "lock").unlink()
    (index / "lock").symlink_to(home / ".profile")
    with pytest.raises(StoreError, match="cannot write: A link, which is not followed"):
        described(index, {"file1": {"x": "A"}})
    (path, *_) = (index / "segments").rglob("*.npy")
    path.rename(home / "column")
    path.symlink_to(home / "column")
    problem = f"{path}: expected the file that was committed, got A link, which is not followed"
    assert damage(index) == [problem]
    with pytest.raises(StoreError, match=f"{path}: A link, which is not followed"):
        read_everything(index)


@pytest.mark.parametrize("name", ["lock", "manifest.json", "metadata", "segments", "a column"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_a_folder_in_the_place_of_a_file(index, speech, name, make):
    """It keeps nobody waiting."""
    path = next((index / "segments").rglob("*.npy")) if name == "a column" else index / name
    if path.exists():
        path.rename(index.parent / "away")
    make(path)
    with suppress(StoreError):
        read_everything(index)
    with suppress(StoreError):
        store = open_store(str(index), create=True)
        list(store.damage())
        with store.writing():
            store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {"x": "A"}}))


def test_hard_links_keep_what_they_had(index, speech, tmp_path):
    copy = tmp_path / "copy"
    for path in files_of(index):
        (copy / path.relative_to(index)).parent.mkdir(parents=True, exist_ok=True)
        os.link(path, copy / path.relative_to(index))
    before = everything(copy)
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN, replace=[s.id for s in store.segments()])
    assert everything(copy) == before
    assert damage(copy) == []


def test_a_manifest_keeps_its_permissions(index):
    (index / "manifest.json").chmod(0o660)
    described(index, {"file1": {"x": "A"}})
    assert (index / "manifest.json").stat().st_mode & 0o777 == 0o660


def test_the_index_itself_may_be_named_by_a_link(index, tmp_path):
    (tmp_path / "link").symlink_to(index)
    described(tmp_path / "link", {"file1": {"x": "A"}})
    assert damage(tmp_path / "link") == []
