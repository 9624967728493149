"""std-index and std-store on real speech: what acceptance runs, called in process."""

import json
import shutil
from pathlib import Path

import pytest

import indexer.cli
import searcher.commands.search
from indexer.store_cli import main as std_store
from std.errors import StoreBusyError

pytestmark = pytest.mark.slow


def test_index_reports_what_it_did(german, tmp_path, capsys):
    argv = [str(german / "mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--ecf", str(german / "ecf.xml")]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert set(figures) == {
        "files",
        "utterances",
        "slots",
        "postings",
        "words",
        "speech_seconds",
        "seconds",
        "cpu_seconds",
        "compile_seconds",
        "isf",
        "languages",
        "peak_memory_gb",
        "skipped",
        "wordless",
        "speakers",
        "nonwords",
        "tiers",
        "tiers_left_out",
        "times_estimated",
        "repairs",
    }
    assert (figures["files"], figures["utterances"]) == (15, 290)
    assert figures["speech_seconds"] == pytest.approx(1479.422)
    assert "times real time" in printed.err


def test_the_speech_of_files_that_were_not_indexed_does_not_count(german, tmp_path, capsys):
    argv = [str(german / "mesh" / "KERSTIN_01.mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--ecf", str(german / "ecf.xml")]) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    assert figures["speech_seconds"] == pytest.approx(104.521)
    assert figures["isf"] == pytest.approx(figures["cpu_seconds"] / 104.521)
    assert "; 105 s of speech in " in printed.err


def test_a_shard_that_somebody_else_writes_to_is_not_merged(german, tmp_path, capsys, monkeypatch):
    """What was indexed counts, and is not reported as a failure of indexing."""
    busy = StoreBusyError("X: somebody else is writing to this store")
    monkeypatch.setattr("indexer.index_run.uses_workers", lambda stores, workers: True)
    monkeypatch.setattr("indexer.index_run.upkeep", lambda *given, **rest: [busy])
    argv = [str(german / "mesh" / "KERSTIN_01.mesh"), "--store", str(tmp_path / "i"), "--quiet"]
    assert indexer.cli.main(argv) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("std-index: warning: ")
    assert line.endswith(f"{busy}; its segments were not merged, all else is done")
    assert std_store(["merge", str(tmp_path / "i")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"std-store: {busy}; its segments were not merged, all else is done"


def test_the_same_input_twice_is_the_same_index(german, german_store, tmp_path):
    path = tmp_path / "twice"
    files = [str(p) for p in sorted((german / "mesh").iterdir())]
    for argv in (files[:4], files, files[::-1], files[3:5]):
        assert indexer.cli.main([*argv, "--store", str(path), "--quiet"]) == 0
    assert std_store(["merge", str(path)]) == 0
    once, twice = (
        sorted(p.name for p in (s / "segments").iterdir()) for s in (Path(german_store), path)
    )
    assert once == twice


def test_deleting_a_recording(german_store, tmp_path, capsys):
    path = shutil.copytree(german_store, str(tmp_path / "i"))
    assert std_store(["delete", path, "KERSTIN_00"]) == 0
    assert searcher.commands.search.main(["--store", path, "landkreis", "--json"]) == 0
    files = {hit["file"] for hit in json.loads(capsys.readouterr().out)}
    assert "KERSTIN_00" not in files
    assert std_store(["delete", path, "KERSTIN_00"]) == 2
    assert "expected the name of an indexed audio file" in capsys.readouterr().err


def test_keep_going_indexes_what_can_be_read(german, tmp_path, capsys):
    bad = tmp_path / "bad.mesh"
    bad.write_text("name u\nnumaligns 1\n")
    argv = [str(bad), str(german / "mesh"), "--store", str(tmp_path / "i"), "--json"]
    assert indexer.cli.main([*argv, "--keep-going"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["files"] == 15
    assert "bad.mesh" in printed.err


def test_the_same_utterance_in_two_files_is_refused(german, tmp_path, capsys):
    copy = tmp_path / "KERSTIN_00.mesh"
    copy.write_bytes((german / "mesh" / "KERSTIN_00.mesh").read_bytes())
    argv = [str(copy), str(german / "mesh"), "--store", str(tmp_path / "i")]
    assert indexer.cli.main(argv) == 2
    assert "expected a recording of another name than that of" in capsys.readouterr().err


def test_recordings_that_the_ecf_does_not_have_are_named(german, tmp_path, capsys):
    ecf = tmp_path / "ecf.xml"
    text = (german / "ecf.xml").read_text()
    ecf.write_text(text.replace('"KERSTIN_03" channel="1"', '"KERSTIN_03" channel="2"'))
    argv = [str(german / "mesh"), "--store", str(tmp_path / "i"), "--ecf", str(ecf)]
    assert indexer.cli.main(argv) == 0
    assert "1 recording not in" in capsys.readouterr().err
