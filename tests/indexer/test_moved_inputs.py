"""Inputs that are moved, linked or renamed: no recording loses what people know of it."""

import json
import os
import threading
import time

import pytest

from indexer import (
    correct_recording,
    index_files,
    list_corrections,
    list_recordings,
    relink_inputs,
    sync_folder,
    watch_folder,
)
from indexer.cli import main as std_index
from indexer.store_cli import main as std_store
from std.errors import InputError
from std.metadata.table import of_rows


def captions(path, *said):
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = (
        f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{words}\n\n" for n, words in enumerate(said, 1)
    )
    path.write_text("".join(blocks))
    return path


def held(store):
    """Number of words and title, by recording."""
    return {
        one.about.recording.file: (one.words, dict(one.about.metadata).get("title"))
        for one in list_recordings(store)
    }


def inputs(store):
    return {one.about.recording.file: one.about.inputs for one in list_recordings(store)}


def entitle(store, *names):
    index_files((), store, metadata=of_rows({name: {"title": f"of {name}"} for name in names}))


@pytest.fixture
def store(tmp_path):
    return tmp_path / "index"


def test_a_folder_that_became_a_link_is_not_gone(tmp_path, store, capsys):
    captions(tmp_path / "in" / "2023" / "a.srt", "eins")
    captions(tmp_path / "in" / "2024" / "b.srt", "zwei drei")
    sync_folder(tmp_path / "in", store)
    entitle(store, "a", "b")
    (tmp_path / "in" / "2023").rename(tmp_path / "elsewhere")
    (tmp_path / "in" / "2023").symlink_to(tmp_path / "elsewhere")
    assert std_store(["sync", str(store), str(tmp_path / "in")]) == 0
    assert held(store) == {"a": (1, "of a"), "b": (2, "of b")}
    told = f"1 linked folder not followed: {tmp_path}/in/2023; name it, too, to read it"
    assert told in capsys.readouterr().err
    (tmp_path / "elsewhere").rename(tmp_path / "not mounted")
    assert sync_folder(tmp_path / "in", store).changes.gone == ()


def test_linked_folders_are_told(tmp_path, store, capsys):
    captions(tmp_path / "elsewhere" / "a.srt", "eins")
    captions(tmp_path / "in" / "b.srt", "zwei")
    (tmp_path / "in" / "more").symlink_to(tmp_path / "elsewhere")
    told = f"1 linked folder not followed: {tmp_path}/in/more; name it, too, to read it"
    assert std_index([str(tmp_path / "in"), "--store", str(store)]) == 0
    assert told in capsys.readouterr().err
    assert std_index([str(tmp_path / "in"), "--dry-run", "--csv", "--verbose"]) == 0
    assert "a linked folder, not followed" in capsys.readouterr().out
    both = [str(tmp_path / "in"), str(tmp_path / "in" / "more")]
    assert std_index([*both, "--store", str(store)]) == 0
    assert "not followed" not in capsys.readouterr().err
    assert held(store).keys() == {"a", "b"}
    (tmp_path / "in" / "b.srt").unlink()
    with pytest.raises(InputError, match="got one with links to folders only"):
        index_files(tmp_path / "in", store)


def test_watching_keeps_what_is_known_of_a_renamed_file(tmp_path, store):
    file = captions(tmp_path / "in" / "a.srt", "eins zwei")
    os.utime(file, (1e9, 1e9))  # so it is complete at once under its new name
    sync_folder(tmp_path / "in", store)
    entitle(store, "a")
    correct_recording("a", store, words="drei", at_s=1.8)
    lines = watched(tmp_path / "in", store, lambda: file.rename(tmp_path / "in" / "b.srt"), "moved")
    assert held(store) == {"b": (2, "of a")}, lines
    assert len(list_corrections(store)) == 1


def watched(folder, store, change, until):
    """The lines of a watch during which something changes."""
    lines, stop = [], threading.Event()

    def run():
        watch_folder(
            folder, store, tell=lines.append, stopped=stop.wait, sync=True, poll_s=0.02,
            settle_s=0.2,
        )  # fmt: skip

    worker = threading.Thread(target=run)
    worker.start()
    try:
        wait_for(lambda: any("indexed already" in line for line in lines))
        change()
        wait_for(lambda: any(until in line for line in lines))
    finally:
        stop.set()
        worker.join()
    return lines


def wait_for(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_file_is_not_two_inputs(tmp_path, store):
    captions(tmp_path / "in" / "x" / "t.srt", "eins")
    captions(tmp_path / "in" / "y" / "t.srt", "zwei")
    index_files(tmp_path / "in", store, name_by="path")
    before = inputs(store)
    (tmp_path / "moved").mkdir()
    (tmp_path / "in" / "x" / "t.srt").rename(tmp_path / "moved" / "t.srt")
    assert relink_inputs(tmp_path, store, dry_run=True).places == {  # y/t.srt is there still
        str(tmp_path / "in" / "x" / "t.srt"): str(tmp_path / "moved" / "t.srt")
    }
    (tmp_path / "in" / "y" / "t.srt").unlink()
    with pytest.raises(InputError, match=r"expected a file each .*x/t\.srt and .*y/t\.srt, got"):
        relink_inputs(tmp_path, store)
    assert inputs(store) == before
    (tmp_path / "moved" / "y").mkdir()
    (tmp_path / "moved" / "t.srt").rename(tmp_path / "moved" / "y" / "t.srt")
    found = relink_inputs(tmp_path, store)  # the one whose path ends so
    assert [*found.places] == [str(tmp_path / "in" / "y" / "t.srt")]
    assert found.missing == (str(tmp_path / "in" / "x" / "t.srt"),)


def test_a_renamed_file_whose_name_is_taken_keeps_its_recordings_name(tmp_path, store):
    captions(tmp_path / "in" / "a.srt", "eins")
    sync_folder(tmp_path / "in", store)
    index_files(captions(tmp_path / "other" / "b.srt", "zwei"), store)
    entitle(store, "a", "b")
    file = tmp_path / "in" / "b.srt"
    (tmp_path / "in" / "a.srt").rename(file)
    captions(tmp_path / "in" / "c.srt", "vier")
    changes = sync_folder(tmp_path / "in", store).changes
    assert [one.renamed for one in changes.moved] == [None]
    assert held(store) == {"a": (1, "of a"), "b": (1, "of b"), "c": (1, None)}
    captions(file, "eins drei")
    assert not sync_folder(tmp_path / "in", store).report.failures
    assert held(store) == {"a": (2, "of a"), "b": (1, "of b"), "c": (1, None)}
    assert inputs(store)["a"] == (str(file),)


def test_a_recording_that_is_named_by_its_path_is_renamed_with_its_folder(
    tmp_path, store, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    file = captions(tmp_path / "in" / "s1" / "e1.srt", "eins")
    sync_folder("in", store, name_by="path")
    entitle(store, "in_s1_e1")
    file.parent.rename(tmp_path / "in" / "season1")
    assert sync_folder("in", store, name_by="path").changes.moved[0].renamed == (
        "in_s1_e1", "in_season1_e1",
    )  # fmt: skip
    captions(tmp_path / "in" / "season1" / "e1.srt", "eins", "zwei")
    sync_folder("in", store, name_by="path")
    assert held(store) == {"in_season1_e1": (2, "of in_s1_e1")}


def utterance(path, name, start_s, *words):
    path.parent.mkdir(parents=True, exist_ok=True)
    slots = [{"w": [[word, 1.0]]} for word in words]
    line = {"utt": name, "file": "talk", "start": start_s, "end": start_s + 2, "slots": slots}
    path.write_text(json.dumps(line) + "\n")
    return path


def test_watching_indexes_all_inputs_of_a_changed_recording(tmp_path, store):
    file = utterance(tmp_path / "in" / "b.jsonl", "b", 5.0, "zwei")
    utterance(tmp_path / "in" / "a.jsonl", "a", 0.0, "eins")
    sync_folder(tmp_path / "in", store)
    lines = watched(
        tmp_path / "in", store, lambda: utterance(file, "b", 5.0, "zwei", "drei"), "b.jsonl: "
    )
    assert held(store) == {"talk": (3, None)}, lines
    assert len(inputs(store)["talk"]) == 2


def test_a_first_sync_whose_files_are_all_refused_says_why(tmp_path, store, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"text": ')
    assert std_store(["sync", str(store), str(tmp_path / "in")]) == 2
    assert "a.json:1: expected" in capsys.readouterr().err


def test_a_dry_run_shows_names_that_are_not_utf8(tmp_path, capsys):
    captions(tmp_path / "in" / "a.srt", "eins")
    (tmp_path / "in" / os.fsdecode(b"b\xff.bin")).write_text("junk")
    assert std_index([str(tmp_path / "in"), "--dry-run", "--csv"]) == 0
    assert "b\\udcff.bin" in capsys.readouterr().out


def test_an_empty_folder_is_no_index_yet(tmp_path, store, capsys):
    captions(tmp_path / "in" / "a.srt", "eins")
    store.mkdir()
    assert std_store(["sync", str(store), str(tmp_path / "in"), "--dry-run"]) == 0
    assert std_index([str(tmp_path / "in"), "--store", str(store), "--dry-run"]) == 0
    assert "1 new" in capsys.readouterr().err
