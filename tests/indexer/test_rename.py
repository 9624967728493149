"""std-store rename: the index is then as if the recording had always had its name."""

import json
import shutil
import uuid
from contextlib import closing
from unicodedata import normalize

import pytest

from indexer import delete_recordings, index_files, list_recordings, rename_recording
from indexer.store_cli import main
from searcher import open_index
from std.appended import AppendedFile, rename_in_lines, told_path
from std.errors import InputError
from std.marks import Mark, dump, parse, read_marks
from std.metadata.table import of_rows
from std.store import open_store
from std.values import Recording

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]


@pytest.fixture(params=["memory", "folder", "couchdb"])
def url(request, tmp_path):
    """Where no store is yet."""
    if request.param == "couchdb":
        return str(request.getfixturevalue("couchdb_url"))
    return f"memory:{uuid.uuid4().hex}" if request.param == "memory" else str(tmp_path / "index")


def meshes(german, folder, **renamed):
    """Files of networks, some of them under another name."""
    folder.mkdir()
    for file in FILES:
        name = renamed.get(file, file)
        shutil.copy(german / "mesh" / f"{file}.mesh", folder / f"{name}.mesh")
    return folder


def digests(url):
    with closing(open_store(url)) as store:
        assert not [*store.damage()]
        return sorted(segment.columns().digest() for segment in store.segments())


def names(url):
    return [one.about.recording.file for one in list_recordings(url)]


@pytest.mark.parametrize("new", ["ADA", "KERSTIN_05", "ZOE"])  # before, between, behind the others
def test_as_if_it_had_always_had_this_name(german, tmp_path, url, new):
    index_files(meshes(german, tmp_path / "in"), url, language="de")
    assert rename_recording("KERSTIN_04", f"audio/{new}.wav", url) == new
    other = str(tmp_path / "other")
    index_files(meshes(german, tmp_path / "renamed", KERSTIN_04=new), other, language="de")
    assert digests(url) == digests(other)
    assert names(url) == names(other)
    (entry,) = list_recordings(url, recordings=[new])
    assert entry.about.inputs == (str(tmp_path / "in" / "KERSTIN_04.mesh"),)


def test_deleted_recordings_go_and_metadata_follow(german, tmp_path, url):
    rows = {file: {"title": file.lower()} for file in FILES}
    index_files(meshes(german, tmp_path / "in"), url, language="de", metadata=of_rows(rows))
    with closing(open_store(url)) as store, store.writing():
        store.commit(normalisation=store.normalisation(), delete_files={"KERSTIN_00"})
    rename_recording("KERSTIN_04", "ADA", url)
    other = str(tmp_path / "other")
    index_files(meshes(german, tmp_path / "renamed", KERSTIN_04="ADA"), other, language="de")
    delete_recordings(["KERSTIN_00"], other)
    assert names(url) == ["ADA", "KERSTIN_07"]
    with closing(open_store(url)) as store, closing(open_store(other)) as reference:
        (renamed,), (deleted,) = store.segments(), reference.segments()
        assert renamed.words() == [
            word for word in deleted.words() if deleted.postings([word]).get(word)
        ]
    titles = {one.about.recording.file: dict(one.about.metadata) for one in list_recordings(url)}
    assert titles == {"ADA": {"title": "kerstin_04"}, "KERSTIN_07": {"title": "kerstin_07"}}


def test_hits_are_the_same_under_the_new_name(german, tmp_path):
    url = str(tmp_path / "index")
    index_files(meshes(german, tmp_path / "in"), url, language="de")

    def found():
        with open_index(url) as index:
            hits = [*index.search("hahnenfedern"), *index.search("haushalt")]
        return sorted((hit.file, hit.start_s, hit.probability) for hit in hits)

    before = found()
    rename_recording("KERSTIN_00", "ZOE", url)
    assert before
    assert {file for file, *_ in found()} >= {"ZOE"}
    assert sorted((file.replace("ZOE", "KERSTIN_00"), *hit) for file, *hit in found()) == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("KRESTIN_00", "x", "indexed audio file, got 'KRESTIN_00'; is 'KERSTIN_00' meant?"),
        ("KERSTIN_00", "KERSTIN_04", "expected a name that no recording has, got 'KERSTIN_04'"),
        ("KERSTIN_00", "KERSTIN_00", "expected a name that no recording has"),
        ("KERSTIN_00", " ", "expected a name that no recording has"),
    ],
)
def test_what_is_refused(german, tmp_path, capsys, old, new, message):
    url = str(tmp_path / "index")
    index_files(meshes(german, tmp_path / "in"), url, language="de")
    before = digests(url)
    assert main(["rename", url, old, new]) == 2
    assert message in capsys.readouterr().err
    assert digests(url) == before
    with pytest.raises(InputError):
        rename_recording(old, new, url)


def test_the_command_says_what_it_did(german, tmp_path, capsys):
    shards = [str(tmp_path / name) for name in ("one", "two")]
    index_files(meshes(german, tmp_path / "in"), shards, language="de")
    given = ["rename", shards[0], "--shard", shards[1]]
    assert main([*given, "KERSTIN_00", "Ada"]) == 0
    assert capsys.readouterr().err == f"KERSTIN_00 is Ada in {', '.join(shards)}\n"
    assert main([*given, "KERSTIN_04.wav", "b/Bo.wav", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["renamed"] == {"from": "KERSTIN_04.wav", "to": "Bo"}
    assert names(shards) == ["Ada", "Bo", "KERSTIN_07"]
    assert main([*given, "KERSTIN_07", "Ada"]) == 2


def test_marks_and_what_was_told_follow(german, tmp_path, capsys):
    url = str(tmp_path / "index")
    index_files(meshes(german, tmp_path / "in"), url, language="de")
    marks, terms = tmp_path / "marks.jsonl", tmp_path / "names.txt"
    said = Mark("burg", Recording("KERSTIN_04", 1), 1.0, 1.5, True, "2026-11-22T09:30:00Z")
    other = said._replace(recording=Recording("KERSTIN_00", 1))
    note = said._replace(term="", right=None, note="who?")
    # The last one is unfinished.
    marks.write_bytes(dump(note) + dump(said) + dump(other) + dump(said)[:9])
    told = told_path(terms)
    told.write_text('{"posted": 0}\n{"file": "KERSTIN_04", "term": "burg"}\n')
    files = ["--feedback", str(marks), "--alerts", str(terms)]
    held = AppendedFile(told)  # by a service
    assert main(["rename", url, "KERSTIN_04", "Größe", *files]) == 2
    assert "names.txt.hits.jsonl: expected a file of this process alone" in capsys.readouterr().err
    held.close()
    assert names(url) == FILES
    assert {mark.recording.file for mark in read_marks(marks)} == {"KERSTIN_00", "KERSTIN_04"}
    assert main(["rename", url, "KERSTIN_04", "Größe", *files]) == 0
    assert names(url) == ["Größe", "KERSTIN_00", "KERSTIN_07"]
    assert read_marks(marks) == [said._replace(recording=Recording("Größe", 1)), other]
    with marks.open("rb") as stream:
        assert next(parse(stream, marks)) == note._replace(recording=Recording("Größe", 1))
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    assert lines == [{"posted": 0}, {"file": "Größe", "term": "burg"}]
    before = told.stat().st_ino
    rename_in_lines({told: "file"}, "none", "x")
    assert told.stat().st_ino == before  # nothing to write
    decomposed = normalize("NFD", "Größe")
    assert main(["rename", url, decomposed, "KERSTIN_04", *files]) == 0
    assert read_marks(marks) == [said, other]


def test_a_file_that_is_missing_or_something_else_is_named_before_anything_changes(
    german, tmp_path, capsys
):
    url = str(tmp_path / "index")
    index_files(meshes(german, tmp_path / "in"), url, language="de")
    odd = tmp_path / "odd.jsonl"
    odd.write_text("[1]\n")
    for marks, message in ((tmp_path / "none", "got nothing of that name"), (odd, "line 1")):
        assert main(["rename", url, "KERSTIN_04", "x", "--feedback", str(marks)]) == 2
        err = capsys.readouterr().err
        assert message in err or "odd.jsonl:1: expected a JSON object" in err
    assert names(url) == FILES
    assert not (tmp_path / "none").exists()
