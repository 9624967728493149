"""Metadata in an index: with the recordings, alone, later; languages that they name."""

import json
import re
import shutil

import pytest

import indexer.cli
from indexer import delete_recordings, index_files, merge_segments
from indexer.languages.precedence import METADATA
from std.errors import InputError
from std.languages.detection import of_segment
from std.metadata.table import of_rows
from std.store import open_store

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]


@pytest.fixture
def meshes(german):
    return [german / "mesh" / f"{name}.mesh" for name in FILES]


def rows_of(*urls):
    found = {}
    for url in urls:
        metadata = open_store(str(url)).metadata()
        found |= {file: metadata.values(file) for file in metadata.files}
    return found


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def languages_in(url):
    return {
        one.recording.file: of_segment(segment)
        for segment in open_store(str(url)).segments()
        for one in segment.recordings
    }


def test_metadata_come_with_the_recordings_or_later(meshes, tmp_path):
    rows = {file: {"title": file.lower(), "date": "2011"} for file in FILES}
    report = index_files(meshes, tmp_path / "a", metadata=of_rows(rows | {"x": {"title": "no"}}))
    assert (report.described.recordings, report.described.not_indexed) == (3, ("x",))
    assert rows_of(tmp_path / "a") == rows
    index_files(meshes, tmp_path / "b")
    plain = tree(tmp_path / "b")
    report = index_files([], tmp_path / "b", metadata=of_rows(rows))
    assert report.described.recordings == 3
    assert tree(tmp_path / "a") == tree(tmp_path / "b")
    index_files([], tmp_path / "b", metadata=of_rows({file: {} for file in FILES}))
    assert tree(tmp_path / "b") == plain


def test_metadata_stay_when_the_index_changes(meshes, tmp_path):
    rows = {file: {"title": file.lower()} for file in FILES}
    for mesh in meshes:
        index_files(mesh, tmp_path / "a", metadata=of_rows(rows))
    merge_segments(tmp_path / "a")
    assert rows_of(tmp_path / "a") == rows
    index_files(meshes[0], tmp_path / "a")
    assert rows_of(tmp_path / "a") == rows
    delete_recordings([FILES[1]], tmp_path / "a")
    del rows[FILES[1]]
    assert rows_of(tmp_path / "a") == rows
    index_files([], tmp_path / "a", metadata=of_rows({FILES[0]: {"speaker": "Ada"}}))
    assert rows_of(tmp_path / "a") == rows | {FILES[0]: {"speaker": "Ada"}}


def test_a_recording_that_another_input_replaces_keeps_its_metadata(meshes, tmp_path):
    index_files(meshes, tmp_path / "a", metadata=of_rows({FILES[0]: {"title": "A"}}))
    moved = shutil.copy(meshes[0], tmp_path / meshes[0].name)
    index_files(moved, tmp_path / "a", delete=[FILES[0]])
    assert rows_of(tmp_path / "a") == {FILES[0]: {"title": "A"}}


def test_metadata_go_where_the_shard_is(meshes, tmp_path):
    rows = {file: {"title": file.lower()} for file in FILES}
    shards = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    index_files(meshes, shards[:1], metadata=of_rows(rows))
    index_files(meshes, shards)  # some recordings move to another shard
    held = [set(rows_of(shard)) for shard in shards]
    assert sum(map(bool, held)) > 1
    assert rows_of(*shards) == rows
    for shard, files in zip(shards, held, strict=True):
        live = {
            one.recording.file for s in open_store(str(shard)).segments() for one in s.recordings
        }
        assert files <= live
    index_files([], shards, metadata=of_rows({FILES[2]: {"title": "other"}}))
    assert rows_of(*shards) == rows | {FILES[2]: {"title": "other"}}


def test_the_language_of_metadata_decides(meshes, tmp_path):
    dutch = of_rows({FILES[0]: {"language": "Dutch"}, FILES[1]: {"language": "klingon-x1"}})
    report = index_files(meshes, tmp_path / "a", metadata=dutch)
    expected = {FILES[0]: "nl", FILES[1]: "de", FILES[2]: "de"}
    assert languages_in(tmp_path / "a") == expected
    told_by = {one["language"]: one["told_by"] for one in report.languages}
    assert told_by == {"nl": {METADATA: 1}, "de": {"words": 2}}
    warnings = " | ".join(report.language_warnings)
    assert "in 'nl' by the metadata, with words like 'de'" in warnings
    assert "no language 'klingon-x1', as metadata" in warnings

    index_files(meshes, tmp_path / "b")
    report = index_files([], tmp_path / "b", metadata=dutch)
    assert report.described.pronounced_again == 1
    assert languages_in(tmp_path / "b") == expected
    assert list(open_store(str(tmp_path / "b")).damage()) == []
    assert index_files([], tmp_path / "b", metadata=dutch).described.pronounced_again == 0
    ids = [{s.id for s in open_store(str(tmp_path / one)).segments()} for one in "ab"]
    assert ids[0] == ids[1]

    index_files(meshes[0], tmp_path / "b")  # by the metadata that the index has
    assert languages_in(tmp_path / "b") == expected
    index_files(meshes[0], tmp_path / "b", language="German")
    assert languages_in(tmp_path / "b") == dict.fromkeys(FILES, "de")


def test_the_command(meshes, tmp_path, capsys):
    store, table = str(tmp_path / "index"), tmp_path / "recordings.csv"
    table.write_text("file;title\nKERSTIN_00.wav;Ä\nnews;B\n")
    given = [*map(str, meshes), "--store", store, "--metadata", str(table)]
    assert indexer.cli.main([*given, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["metadata"] == {
        "recordings": 1,
        "not_indexed": ["news"],
        "pronounced_again": 0,
    }
    assert f"warning: 1 recording of {table} not in the index: news\n" in err
    assert f"metadata of 1 file -> {store}" in err
    assert indexer.cli.main(["--store", store, "--metadata", str(table), "--quiet"]) == 0
    table.write_text("title\nA\n")
    before = tree(tmp_path / "index")
    assert indexer.cli.main(given) == 2
    assert re.search(r"csv:1: expected a column that names the recordings", capsys.readouterr().err)
    assert tree(tmp_path / "index") == before


def test_a_store_that_is_not_there_gets_no_metadata(tmp_path):
    with pytest.raises(Exception, match="expected an index"):
        index_files([], tmp_path / "none", metadata=of_rows({"a": {"x": "1"}}))
    with pytest.raises(InputError, match="expected a readable file"):
        index_files([], tmp_path / "none", metadata=tmp_path / "none.csv")
