"""std-store sync, relink, move-audio: an index and the folders that it is made from."""

import json
import shutil
import threading
import time

import pytest

import indexer.cli
from indexer import index_files, list_recordings, relink_inputs, sync_folder, watch_folder
from indexer.store_cli import main
from std.appended import told_path
from std.errors import InputError
from std.marks import Mark, dump, read_marks
from std.metadata.table import of_rows
from std.store import open_store
from std.values import Recording

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]


@pytest.fixture
def archive(german, tmp_path):
    """A folder of three networks and an index that a sync has made of it."""
    (tmp_path / "in" / "old").mkdir(parents=True)
    for file in FILES:
        shutil.copy(german / "mesh" / f"{file}.mesh", tmp_path / "in" / "old")
    done = sync_folder(tmp_path / "in", tmp_path / "index", language="de")
    assert (len(done.changes.new), done.changes.unchanged) == (3, 0)
    titles = of_rows({file: {"title": f"of {file}"} for file in FILES})
    index_files((), tmp_path / "index", metadata=titles)
    return tmp_path


def names(folder):
    return [one.about.recording.file for one in list_recordings(folder / "index")]


def titles(folder):
    listed = list_recordings(folder / "index")
    return {one.about.recording.file: dict(one.about.metadata).get("title") for one in listed}


def sync(folder, *options):
    return main(["sync", str(folder / "index"), str(folder / "in"), *options])


def test_changes_are_shown_first_and_then_made(archive, german, capsys):
    old = archive / "in" / "old"
    with (old / "KERSTIN_04.mesh").open("a") as stream:
        stream.write("\n")
    (old / "KERSTIN_00.mesh").rename(archive / "in" / "KERSTIN_00.mesh")
    (old / "KERSTIN_07.mesh").unlink()
    shutil.copy(german / "mesh" / "KERSTIN_09.mesh", archive / "in")
    (archive / "in" / "notes.txt").write_text("none of ours")
    before = list_recordings(archive / "index")
    assert sync(archive, "--dry-run", "--json") == 0
    shown, err = capsys.readouterr()
    assert "1 new, 1 changed, 1 moved, 1 gone; 1 file as before; nothing was written" in err
    assert list_recordings(archive / "index") == before
    assert sync(archive, "--json") == 0
    done = json.loads(capsys.readouterr().out)
    for name in ("new", "changed", "moved", "gone", "unchanged"):
        assert done[name] == json.loads(shown)[name]
    assert [one.rpartition("/")[2] for one in done["new"]] == ["KERSTIN_09.mesh"]
    assert [one.rpartition("/")[2] for one in done["changed"]] == ["KERSTIN_04.mesh"]
    assert done["gone"] == ["KERSTIN_07"]
    assert titles(archive) == {
        "KERSTIN_00": "of KERSTIN_00", "KERSTIN_04": "of KERSTIN_04", "KERSTIN_09": None,
    }  # fmt: skip
    moved = list_recordings(archive / "index", recordings=["KERSTIN_00"])[0]
    assert moved.about.inputs == (str(archive / "in" / "KERSTIN_00.mesh"),)
    again = sync_folder(archive / "in", archive / "index").changes
    assert (again.inputs, again.moved, again.gone, again.unchanged) == ((), (), (), 3)


def test_a_recording_that_is_called_as_its_file_is_renamed_with_it(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    captions = "1\n00:00:01,000 --> 00:00:04,000\nDer Bundeskanzler sprach gestern.\n"
    (tmp_path / "in" / "monday.srt").write_text(captions)
    (tmp_path / "in" / "tuesday.srt").write_text(captions.replace("gestern", "heute"))
    sync_folder(tmp_path / "in", tmp_path / "index", language="de")
    index_files((), tmp_path / "index", metadata=of_rows({"monday": {"title": "of monday"}}))
    marks, terms = tmp_path / "marks.jsonl", tmp_path / "names.txt"
    marks.write_bytes(
        dump(Mark("a", Recording("monday", 1), 1.0, 1.5, True, "2026-11-22T09:30:00Z"))
    )
    told_path(terms).write_text('{"file": "monday", "term": "a"}\n')
    (tmp_path / "in" / "monday.srt").rename(tmp_path / "in" / "2024 monday.srt")
    files = ["--feedback", str(marks), "--alerts", str(terms)]
    assert sync(tmp_path, "--csv", *files) == 0
    assert read_marks(marks)[0].recording.file == "2024 monday"
    assert told_path(terms).read_text() == '{"file": "2024 monday", "term": "a"}\n'
    assert "monday is 2024 monday" in capsys.readouterr().out
    assert titles(tmp_path) == {"2024 monday": "of monday", "tuesday": None}


def test_metadata_are_taken_also_where_no_file_has_changed(archive):
    (archive / "table.csv").write_text("recording,title\nKERSTIN_04,Four\n")
    assert sync(archive, "--metadata", str(archive / "table.csv")) == 0
    assert titles(archive)["KERSTIN_04"] == "Four"


def test_what_is_odd_in_inputs_is_told_as_by_std_index(tmp_path, capsys):
    for folder in ("in", "audio"):
        (tmp_path / folder).mkdir()
    (tmp_path / "in" / "a.ctm").write_text("a 1 -1.0 0.5 haus\n")
    (tmp_path / "in" / "b.jsonl").write_text('{"utt": "u", "start": 0, "end": 5, "slots": []}\n')
    (tmp_path / "audio" / "a.wav").write_text("no audio")
    (tmp_path / "table.csv").write_text("recording,title\nz,Z\n")
    given = ["--audio", str(tmp_path / "audio"), "--metadata", str(tmp_path / "table.csv")]
    given += ["--language", "de", "--quiet"]
    assert sync(tmp_path, *given) == 2
    told = capsys.readouterr().err.replace("std-store: ", "std-index: ").replace("index", "INDEX")
    assert len(told.splitlines()) == 4
    other = ["--store", str(tmp_path / "other"), *given]
    assert indexer.cli.main([str(tmp_path / "in"), *other]) == 2
    assert capsys.readouterr().err.replace("index", "INDEX") == told


def test_an_option_that_the_command_lacks_is_not_named(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for number in range(22):
        cue = "WEBVTT\n\n00:00.000 --> 00:01.000\n-\n"
        (tmp_path / "in" / f"{number}.vtt").write_text(cue)
    assert sync(tmp_path, "--language", "de") == 0
    assert "warning: 2 more files without a word\n" in capsys.readouterr().err


def test_watching_tells_it_too(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ctm").write_text("a 1 -1.0 0.5 haus\n")
    lines = []
    watch_folder(
        tmp_path / "in", tmp_path / "index", tell=lines.append, poll_s=0.0, settle_s=0.0,
        stopped=lambda wait_s: len(lines) > 0,
    )  # fmt: skip
    assert "warning: repaired: time below 0, taken as 0 (2, first " in lines[0]


def test_incomplete_files_are_left_to_come(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.srt", "b.srt.part", "c.srt~"):
        (tmp_path / "in" / name).write_text("1\n00:00:01,000 --> 00:00:02,000\neins\n")
    assert len(sync_folder(tmp_path / "in", tmp_path / "index").changes.new) == 1
    assert names(tmp_path) == ["a"]


def test_what_an_index_has_from_elsewhere_stays(archive, german):
    elsewhere = german / "mesh" / "KERSTIN_09.mesh"
    index_files(elsewhere, archive / "index", language="de")
    (archive / "in" / "old" / "KERSTIN_00.mesh").unlink()
    assert sync_folder(archive / "in", archive / "index").changes.gone == ("KERSTIN_00",)
    assert names(archive) == ["KERSTIN_04", "KERSTIN_07", "KERSTIN_09"]


def test_inputs_that_std_index_has_read_are_read_once_more(german, tmp_path):
    shutil.copytree(german / "mesh", tmp_path / "in")
    index_files(tmp_path / "in", tmp_path / "index", language="de")
    first = sync_folder(tmp_path / "in", tmp_path / "index", dry_run=True).changes
    assert (len(first.changed), first.not_compared, first.new) == (15, 15, ())
    sync_folder(tmp_path / "in", tmp_path / "index")
    assert sync_folder(tmp_path / "in", tmp_path / "index").changes.unchanged == 15


def test_an_archive_is_not_emptied_because_a_folder_is_empty(german, tmp_path, capsys):
    shutil.copytree(german / "mesh", tmp_path / "in")
    sync_folder(tmp_path / "in", tmp_path / "index", language="de")
    for path in sorted((tmp_path / "in").iterdir())[1:]:
        path.unlink()
    assert sync(tmp_path) == 2
    err = capsys.readouterr().err
    assert "expected most of the 15 recordings that the index has from it, got 14 are gone" in err
    assert "--allow-gone deletes them" in err
    assert len(names(tmp_path)) == 15
    assert sync(tmp_path, "--allow-gone", "--quiet") == 0
    assert names(tmp_path) == ["KERSTIN_00"]
    (tmp_path / "in" / "KERSTIN_00.mesh").unlink()
    assert sync(tmp_path, "--allow-gone") == 2
    assert "got an empty folder" in capsys.readouterr().err
    with pytest.raises(InputError, match="expected a folder with recogniser output"):
        sync_folder(tmp_path / "none", tmp_path / "index")


def test_a_second_input_of_a_recording_is_refused_and_named(tmp_path):
    (tmp_path / "in").mkdir()
    for name, start in (("a", 0.5), ("b", 2.5)):
        (tmp_path / "in" / f"{name}.ctm").write_text(f"talk 1 {start} 0.4 haus 0.9\n")
    index_files(tmp_path / "in" / "a.ctm", tmp_path / "index", language="de")
    refused = sync_folder(tmp_path / "in", tmp_path / "index")
    assert "b.ctm: expected each utterance in one input" in str(refused.report.failures[0])
    assert list_recordings(tmp_path / "index")[0].words == 1


def test_a_new_input_of_a_recording_joins_those_that_the_index_has(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ctm").write_text("talk 1 0.5 0.4 haus 0.9\n")
    (tmp_path / "in" / "other.ctm").write_text("other 1 0.5 0.4 haus 0.9\n")
    sync_folder(tmp_path / "in", tmp_path / "index", language="de")
    (tmp_path / "in" / "b.ctm").write_text("talk 2 0.5 0.4 boot 0.9\n")
    for options in (("--dry-run",), ()):
        assert sync(tmp_path, *options) == 0
        assert "1 new; 2 files as before" in capsys.readouterr().err
    assert names(tmp_path) == ["other", "talk", "talk"]
    (tmp_path / "in" / "c.ctm").write_text("talk 2 0.5 0.4 boot 0.9\n")
    for options in (("--dry-run",), ()):
        assert sync(tmp_path, *options) == 2
        assert "1 refused; 3 files as before" in capsys.readouterr().err


def test_refused_files_are_neither_new_nor_changed(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ctm").write_text("")
    for options, written in ((["--dry-run"], "nothing was written"), ([], "-> ")):
        assert sync(tmp_path, *options) == 2
        assert f"1 refused; 0 files as before{'; ' if options else ' '}{written}" in (
            capsys.readouterr().err
        )
    (tmp_path / "in" / "a.ctm").write_text("talk 1 0.5 0.4 haus 0.9\n")
    assert sync(tmp_path) == 0
    (tmp_path / "in" / "a.ctm").write_text("talk 1 x 0.4 haus 0.9\n")
    assert sync(tmp_path) == 2
    assert "1 refused; 0 files as before" in capsys.readouterr().err
    assert names(tmp_path) == ["talk"]


def test_watching_sees_what_goes(archive):
    lines, stop = [], threading.Event()
    (archive / "in" / "old" / "KERSTIN_00.mesh").touch()

    def run():
        watch_folder(
            archive / "in",
            archive / "index",
            tell=lines.append,
            stopped=stop.wait,
            sync=True,
            poll_s=0.05,
            settle_s=0.2,
        )

    worker = threading.Thread(target=run)
    worker.start()
    try:
        wait_for(lambda: any("indexed already" in line for line in lines))
        (archive / "in" / "old" / "KERSTIN_07.mesh").unlink()
        wait_for(lambda: any("1 gone" in line for line in lines))
    finally:
        stop.set()
        worker.join()
    assert names(archive) == ["KERSTIN_00", "KERSTIN_04"]
    assert "no changes; 3 files as before" in lines[0]


def wait_for(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_inputs_are_found_elsewhere(archive, capsys):
    (archive / "in").rename(archive / "moved")
    assert main(["relink", str(archive / "index"), str(archive / "moved"), "--dry-run"]) == 0
    assert "3 inputs elsewhere than before; nothing was written" in capsys.readouterr().err
    assert relink_inputs(archive / "moved", archive / "index").missing == ()
    inputs = [one.about.inputs[0] for one in list_recordings(archive / "index")]
    assert inputs == [str(archive / "moved" / "old" / f"{name}.mesh") for name in FILES]
    assert not [*open_store(str(archive / "index")).damage()]
    assert sync_folder(archive / "moved", archive / "index").changes.unchanged == 3
    (archive / "moved" / "old" / "KERSTIN_00.mesh").unlink()
    assert main(["relink", str(archive / "index"), str(archive / "moved")]) == 2
    assert "KERSTIN_00.mesh: not found below" in capsys.readouterr().err
    for place in ("a", "b"):
        (archive / place).mkdir()
        (archive / place / "KERSTIN_00.mesh").write_text("")
    assert main(["relink", str(archive / "index"), str(archive)]) == 2
    assert "expected one file that was" in capsys.readouterr().err


def test_audio_is_found_elsewhere(archive, german, capsys):
    pytest.importorskip("av")
    shutil.copytree(german / "audio", archive / "audio")
    argv = ["move-audio", str(archive / "index"), str(archive / "audio")]
    assert main([*argv, "--dry-run"]) == 0
    out, err = capsys.readouterr()
    rows = [f"{name}\t\t{name}.ogg" for name in FILES]
    assert out.splitlines() == ["recording\tbefore\tnow", *rows]
    assert "audio of 3 of 3 recordings in" in err
    assert "nothing was written" in err
    assert not any("audio" in one.about.metadata for one in list_recordings(archive / "index"))
    assert main(argv) == 0
    assert capsys.readouterr() == (out, err.replace("; nothing was written", ""))
    assert main(argv) == 0
    assert capsys.readouterr().out == "recording\tbefore\tnow\n"
    (archive / "audio" / "KERSTIN_04.ogg").rename(archive / "audio" / "x.ogg")
    (archive / "audio" / "KERSTIN_07.ogg").unlink()
    assert main(["move-audio", str(archive / "index"), str(archive / "audio"), "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["missing"] == ["KERSTIN_07"]
    assert found["moved"] == {"KERSTIN_04": {"before": "KERSTIN_04.ogg", "now": "x.ogg"}}
    assert "KERSTIN_07: no audio below" in err
    listed = {
        one.about.recording.file: one.about.metadata for one in list_recordings(archive / "index")
    }
    assert listed["KERSTIN_04"]["audio"] == "x.ogg"


def test_names_that_begin_with_a_dash_or_are_decomposed(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("-dash", "Gro\u0308ße"):
        text = "1\n00:00:01,000 --> 00:00:04,000\nDer Bundeskanzler sprach gestern.\n"
        (tmp_path / "in" / f"{name}.srt").write_text(text)
    assert indexer.cli.main([str(tmp_path / "in"), "--store", str(tmp_path / "index")]) == 0
    store = str(tmp_path / "index")
    assert main(["rename", store, "--", "-dash", "-dash 2"]) == 0
    assert main(["rename", store, "Größe", "groß"]) == 0
    assert main(["show", store, "--", "-dash 2"]) == 0
    assert main(["delete", store, "--", "-dash 2"]) == 0
    assert names(tmp_path) == ["groß"]
