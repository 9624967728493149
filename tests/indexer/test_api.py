"""Indexing from Python: what each function returns, and that std-index prints the same."""

import json
import subprocess
import sys

import pytest

import indexer
from indexer import (
    InputOptions,
    clean_up,
    delete_recordings,
    index_files,
    merge_segments,
    verify_index,
)
from indexer.cli import main
from std.errors import InputError
from std.values import Recording


def test_a_report_says_what_the_command_prints(german, tmp_path, capsys):
    report = index_files(german / "mesh", tmp_path / "a", ecf=german / "ecf.xml", language="de")
    argv = [str(german / "mesh"), "--ecf", str(german / "ecf.xml"), "--language", "de", "--json"]
    assert main([*argv, "--store", str(tmp_path / "b"), "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["files"] == len({recording.file for recording in report.recordings}) == 15
    for name in ("utterances", "slots", "postings", "words"):
        assert printed[name] == getattr(report, name) > 0
    assert printed["speech_seconds"] == report.speech_s
    assert printed["languages"] == [dict(one) for one in report.languages]


def test_recordings_are_deleted_and_segments_merged(german, tmp_path):
    store = tmp_path / "i"
    for name in ("KERSTIN_01", "KERSTIN_02"):
        index_files([german / "mesh" / f"{name}.mesh"], store)
    assert delete_recordings(["KERSTIN_01"], store).deleted == 1
    assert merge_segments(store).recordings == ()
    (check,) = verify_index(store)
    assert check.damage == ()
    assert list(check.inputs) == ["KERSTIN_02"]
    assert check.segments == 1
    assert dict(clean_up(store)).keys() == {str(store)}
    with pytest.raises(InputError, match="KERSTIN_01"):
        delete_recordings(["KERSTIN_01"], store)


def test_options_are_a_value_or_given_by_name(german, tmp_path):
    path = german / "mesh" / "KERSTIN_01.mesh"
    by_value = index_files(path, tmp_path / "a", options=InputOptions(input_format="mesh"))
    by_name = index_files(path, tmp_path / "b", input_format="mesh", jobs=1)
    assert by_value.recordings == by_name.recordings == (Recording("KERSTIN_01", 1),)
    with pytest.raises(TypeError):
        index_files(path, tmp_path / "c", colour="red")


def test_what_cannot_be_read_is_reported_or_raised(german, tmp_path):
    broken = tmp_path / "broken.mesh"
    broken.write_text("name x\nnumaligns 1\n")
    paths = [broken, german / "mesh" / "KERSTIN_01.mesh"]
    report = index_files(paths, tmp_path / "i", keep_going=True)
    assert [error.path for error in report.failures] == [broken]
    assert len(report.recordings) == 1
    with pytest.raises(InputError, match="1 align lines"):
        index_files(paths, tmp_path / "j")


def test_progress_gets_the_size_of_each_file(german, tmp_path):
    from contextlib import contextmanager

    calls = []

    @contextmanager
    def bar(total):
        calls.append(total)
        yield calls.append

    index_files(german / "mesh", tmp_path / "i", progress=bar)
    total, *sizes = calls
    assert sum(sizes) == total > 0


def test_importing_the_package_loads_no_array_library():
    code = "import sys, indexer; assert 'numpy' not in sys.modules; print(*dir(indexer))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*indexer.__all__} <= {*done.stdout.split()}
    with pytest.raises(AttributeError, match="no attribute 'search'"):
        _ = indexer.search
