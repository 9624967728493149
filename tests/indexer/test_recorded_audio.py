"""A recording of an index knows its audio."""

import json
import shutil

import pytest

import indexer.cli
import indexer.store_cli
from indexer import index_files, rename_recording
from std.audio.facts import FACTS, NOTES, facts_of, write_notes
from std.errors import InputError
from std.store import open_store

pytest.importorskip("av")


@pytest.fixture
def archive(german, tmp_path):
    """Two recordings of one name in two folders, and captions of one of them."""
    for year, name in (("2024", "KERSTIN_01"), ("2025", "KERSTIN_00")):
        (tmp_path / "audio" / year).mkdir(parents=True)
        shutil.copy(german / "audio" / f"{name}.ogg", tmp_path / "audio" / year / "Interview 1.ogg")
    mesh = (german / "mesh" / "KERSTIN_00.mesh").read_text().replace("KERSTIN_00", "Interview_1")
    (tmp_path / "Interview 1.mesh").write_text(mesh)
    return tmp_path


def metadata(store):
    return open_store(str(store)).metadata().values("Interview 1")


def run(*argv):
    return indexer.cli.main([*map(str, argv), "--quiet"])


def test_which_of_two_is_meant_must_be_said_once(archive, capfd):
    store, audio = archive / "index", archive / "audio"
    assert run(archive / "Interview 1.mesh", "--store", store, "--audio", audio) == 2
    err = capfd.readouterr().err
    assert "expected one audio file of Interview 1, got '2024/Interview 1.ogg and 2025/" in err
    assert metadata(store) == {}
    table = archive / "m.csv"
    table.write_text("recording,audio\nInterview 1,2025/Interview 1.ogg\n")
    assert run("--store", store, "--metadata", table, "--audio", audio) == 0
    found = metadata(store)
    assert (found["audio"], found["audio_channels"]) == ("2025/Interview 1.ogg", "1")
    size = (audio / "2025" / "Interview 1.ogg").stat().st_size
    assert int(found["audio_bytes"]) == size
    assert run(archive / "Interview 1.mesh", "--store", store) == 0  # again: it stays
    assert metadata(store) == found


def test_audio_comes_with_the_recording(archive, german, capfd):
    store = archive / "index"
    argv = [german / "mesh", "--store", store, "--audio", german / "audio"]
    assert indexer.cli.main([*map(str, argv), "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["audio"] == {"found": 15, "missing": []}
    assert "audio of 15 of 15 files in" in err
    table = open_store(str(store)).metadata()
    assert table.values("KERSTIN_03")["audio"] == "KERSTIN_03.ogg"
    assert {*FACTS} <= {*table.columns}
    assert indexer.store_cli.main(["list", str(store), "--fmt", "lines"]) == 0
    assert "audio_hash" not in capfd.readouterr().out
    again = index_files([], store, audio=german / "audio")
    assert again.audio.found == 15  # nothing to note again


def test_what_is_called_as_audio_and_is_none_is_named(archive, capfd):
    (archive / "text").mkdir()
    (archive / "text" / "Interview 1.mp3").write_text("no audio")
    store = archive / "index"
    assert run(archive / "Interview 1.mesh", "--store", store, "--audio", archive / "text") == 2
    assert "expected audio of Interview 1, got another kind of file" in capfd.readouterr().err


def test_a_file_that_was_moved_is_found_again(archive, german):
    store, audio = archive / "index", archive / "all"
    (audio / "old").mkdir(parents=True)
    shutil.copy(german / "audio" / "KERSTIN_00.ogg", audio / "old")
    inputs = german / "mesh" / "KERSTIN_00.mesh"
    assert run(inputs, "--store", store, "--audio", audio) == 0
    (audio / "old" / "KERSTIN_00.ogg").rename(audio / "renamed.ogg")
    shutil.copy(german / "audio" / "KERSTIN_01.ogg", audio / "old" / "KERSTIN_00.ogg.tmp")
    assert run("--store", store, "--audio", audio) == 0
    found = open_store(str(store)).metadata().values("KERSTIN_00")
    assert found["audio"] == "renamed.ogg"


def test_a_root_that_is_no_folder(archive):
    with pytest.raises(InputError, match="expected a folder with audio files"):
        index_files([archive / "Interview 1.mesh"], archive / "i", audio=archive / "none")
    assert not (archive / "i").exists()


def test_links_out_of_the_root_are_told(archive, capfd):
    (archive / "linked").mkdir()
    (archive / "linked" / "Interview 1.ogg").symlink_to(
        archive / "audio" / "2025" / "Interview 1.ogg"
    )
    store = archive / "index"
    assert run(archive / "Interview 1.mesh", "--store", store, "--audio", archive / "linked") == 0
    assert "1 link out of" in capfd.readouterr().err
    assert metadata(store) == {}


@pytest.fixture
def networks(archive, german):
    """A folder as std-recognise writes it, of the interview of 2025."""
    folder = archive / "networks"
    folder.mkdir()
    (folder / "recognise.json").write_text("{}")
    lines = (german.parent / "english" / "whisper" / "kathleen.jsonl").read_text()
    (folder / "Interview 1.jsonl").write_text(lines.replace('"kathleen', '"Interview 1'))
    facts = facts_of(archive / "audio" / "2025" / "Interview 1.ogg")
    write_notes(folder / NOTES, {"Interview 1": facts.columns("2025/Interview 1.ogg")})
    return folder


def test_what_was_recognised_knows_its_audio(archive, networks, capfd):
    store, audio = archive / "index", archive / "audio"
    report = index_files([networks], store)
    assert not report.warnings
    assert not report.skipped  # neither settings nor notes are inputs
    found = metadata(store)
    assert found["audio"] == "2025/Interview 1.ogg"
    assert {*FACTS} < {*found}
    (audio / "2025" / "Interview 1.ogg").rename(audio / "2025" / "one.ogg")
    assert run("--store", store, "--audio", audio) == 0
    assert metadata(store)["audio"] == "2025/one.ogg"
    index_files([networks], store)  # the file is the same: it stays where it was found
    assert metadata(store)["audio"] == "2025/one.ogg"
    write_notes(networks / NOTES, {"Interview 1": {"audio": "x.ogg", "audio_hash": "1"}})
    index_files([networks], store)  # other audio was recognised
    assert (metadata(store)["audio"], metadata(store)["audio_hash"]) == ("x.ogg", "1")


def test_what_a_person_says_of_audio_stays(archive, networks):
    store, table = archive / "index", archive / "m.csv"
    table.write_text("recording,audio\nInterview 1,mine.ogg\n")
    index_files([networks], store, metadata=table)
    assert {*metadata(store)} & {"audio", *FACTS} == {"audio"}
    index_files([networks], store)
    assert metadata(store)["audio"] == "mine.ogg"


def test_of_another_file_nothing_is_known(archive, networks):
    store, table = archive / "index", archive / "m.csv"
    index_files([networks], store)
    table.write_text("recording,audio\nInterview 1,other.ogg\n")
    index_files([], store, metadata=table)
    assert {*metadata(store)} & {"audio", *FACTS} == {"audio"}


def test_a_renamed_recording_knows_its_audio(archive, networks):
    store = archive / "index"
    index_files([networks], store)
    rename_recording("Interview 1", "Ada", store)
    write_notes(networks / NOTES, {"Interview 1": {"audio": "x.ogg", "audio_hash": "1"}})
    index_files([networks], store)
    assert open_store(str(store)).metadata().values("Ada")["audio"] == "x.ogg"


def test_another_recording_at_the_path_is_an_error(archive, networks, capfd):
    store, audio = archive / "index", archive / "audio"
    index_files([networks], store)
    shutil.copy(audio / "2024" / "Interview 1.ogg", audio / "2025" / "Interview 1.ogg")
    assert run("--store", store, "--audio", audio) == 2
    assert "2025/Interview 1.ogg: expected the audio of Interview 1, 106." in capfd.readouterr().err
