"""One contract for every kind of store: damage is named, and so is what is no store."""

from dataclasses import replace

import numpy as np
import pytest

from std.errors import StoreError
from std.store import open_store
from std.store.columns import pack_vocabulary
from std.store.resident import ResidentSegment
from tests.std.store.contract.columns import commit, random_columns


def test_a_sound_index_has_no_damage(opened):
    store = opened()
    assert list(store.damage()) == []
    extra = {"phones": np.arange(5)}
    commit(store, random_columns(1), replace(random_columns(2, files=0), extra=extra))
    commit(store, delete_files={"1-0"})
    assert list(opened().damage()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"posting_start_ms": "backwards"}, "the postings of each word in order of time"),
        ({"posting_start_ms": "latest"}, "a posting ends after 2**32 ms"),
        ({"slot_key": "backwards"}, "slots in order of time"),
        ({"slot_key": 9 << 32}, "names a recording that does not exist"),
        ({"posting_slot": 10**6}, "a posting names a slot that does not exist"),
        ({"slot_word": 10**6}, "a slot names a word that does not exist"),
    ],
    ids=str,
)
def test_columns_that_a_faulty_writer_committed(opened, change, message):
    """All checksums are right, yet no reader can rely on them."""
    columns = random_columns(1)
    ((name, value),) = change.items()
    column = getattr(columns, name)
    if value == "backwards":
        bad = column[::-1].copy()
    elif value == "latest":
        bad = np.full_like(column, np.iinfo(column.dtype).max)
    else:
        bad = column + column.dtype.type(value)
    store = opened()
    if name == "posting_slot" and store.url.startswith("couchdb"):
        with pytest.raises(IndexError):  # its documents hold keys, which these columns do not have
            commit(store, replace(columns, **{name: bad}))
        return
    commit(store, replace(columns, **{name: bad}))
    assert any(message in line for line in store.damage())


def test_slots_of_a_recording_that_begin_elsewhere(opened):
    columns = random_columns(1)
    moved = columns.slot_offsets.copy()
    moved[1] += 1
    store = opened()
    commit(store, replace(columns, slot_offsets=moved))
    computed = store.url.startswith("couchdb")  # not stored there
    message = "another digest" if computed else "slots of each recording together"
    assert any(message in line for line in store.damage())


def test_words_that_do_not_ascend(opened):
    columns = random_columns(1)
    words = ResidentSegment(None, columns).words()
    store = opened()
    commit(store, replace(columns, vocabulary=pack_vocabulary(words[::-1])))
    assert any("words in ascending order" in line for line in store.damage())


@pytest.mark.parametrize(
    ("path", "got"),
    [
        ("nowhere", "nothing of that name"),
        ("empty", "an empty folder"),
        ("letters/0.txt", "a file"),
        ("letters", "a folder with 0.txt, 1.txt, 2.txt, ..."),
        ("data", "the folder of the index {}/data/index"),
        ("data/index/segments", "a part of the index {}/data/index"),
    ],
)
def test_no_index_there(tmp_path, path, got):
    (tmp_path / "empty").mkdir()
    (tmp_path / "letters").mkdir()
    for number in range(4):
        (tmp_path / "letters" / f"{number}.txt").write_text("Dear Sir")
    commit(open_store(str(tmp_path / "data" / "index"), create=True), random_columns(1))
    with pytest.raises(StoreError) as refused:
        open_store(str(tmp_path / path))
    expected = f"expected an index (made by std-index), got {got.format(tmp_path)}"
    assert str(refused.value) == f"{tmp_path / path}: {expected}"


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(StoreError, match=r"expected an empty folder or an index.*letter\.txt"):
        open_store(str(tmp_path), create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
