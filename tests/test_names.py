"""Recordings keep their names: decomposed letters are composed, a dash in front is no option."""

import csv
import json
import os
import shutil
from contextlib import closing
from io import BytesIO
from unicodedata import normalize

import pytest

from indexer import index_files
from indexer.cli import main as index
from indexer.formats.readers import jsonl
from indexer.segments.invert import invert
from indexer.store_cli import main as std_store
from searcher import open_index
from searcher.commands.search import main as search
from std.csv_files import records, write_csv
from std.metadata.read import parse
from std.metadata.table import renamed
from std.store import open_store
from std.text import Normalisation

COMPOSED, DECOMPOSED = (normalize(form, "Größe") for form in ("NFC", "NFD"))


@pytest.fixture(params=["new", "old"])
def store(request, network, tmp_path):
    """An index of a file that macOS names; an old one has the name as it was."""
    store, path = tmp_path / "index", tmp_path / f"{DECOMPOSED}.jsonl"
    if request.param == "new":
        with path.open("wb") as stream:
            jsonl.dump([network([("wort", 0.9)], file=DECOMPOSED)], stream)
        index_files([path], store)
    else:
        with closing(open_store(str(store), create=True)) as opened, opened.writing():
            columns = invert([network([("wort", 0.9)], file=DECOMPOSED)])
            opened.commit([columns], normalisation=Normalisation())
    return store


@pytest.mark.parametrize("name", [COMPOSED, DECOMPOSED])
def test_a_name_is_known_in_either_form(store, name, tmp_path, capsys):
    with open_index(store) as opened:
        assert len(opened.recordings(where=f"recording = {name}")) == 1
        assert len(opened.recordings(recordings=[name])) == 1
    table = tmp_path / "table.csv"
    table.write_text(f"recording,title\n{name},x\n", "utf-8")
    assert index(["--store", str(store), "--metadata", str(table)]) == 0
    with open_index(store) as opened:
        assert [one.metadata for one in opened.recordings()] == [{"title": "x"}]
    assert std_store(["delete", str(store), name]) == 0
    with open_index(store) as opened:
        assert opened.recordings() == []


@pytest.mark.parametrize("shards", [1, 2])
def test_a_name_of_an_older_index_is_replaced_as_a_whole(network, tmp_path, shards):
    """With its metadata, whichever shard had it; nothing of it stays under the old name."""
    stores = [str(tmp_path / f"index{number}") for number in range(shards)]
    path = tmp_path / f"{DECOMPOSED}.jsonl"
    for url in stores:
        with closing(open_store(url, create=True)) as opened, opened.writing():
            if url == stores[-1]:
                columns = invert([network([("wort", 0.9)], file=DECOMPOSED)])
                table = parse(BytesIO(b"recording,title\nx,said\n"))
                table = renamed(table, {"x": DECOMPOSED})
                opened.commit([columns], normalisation=Normalisation(), metadata=table)
    with path.open("wb") as stream:
        jsonl.dump([network([("anderes", 0.9)], file=DECOMPOSED)], stream)
    for _ in range(2):
        index_files([path], stores)
        with open_index(*stores) as opened:
            (one,) = opened.recordings()
            assert (one.recording.file, one.metadata) == (COMPOSED, {"title": "said"})
            assert [hit.file for hit in opened.search("anderes")] == [COMPOSED]
            assert not [*opened.search("wort")]


@pytest.mark.parametrize("probability", [0.9, 1])  # as std writes numbers, and as others do
def test_networks_give_composed_names(tmp_path, probability):
    slots = [{"s": 0, "e": 1, "w": [["wort", probability]]}]
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"utt": "u", "file": DECOMPOSED, "slots": slots}) + "\n", "utf-8")
    index_files([path], tmp_path / "index")
    with open_index(tmp_path / "index") as opened:
        assert [one.recording.file for one in opened.recordings()] == [COMPOSED]


def test_folders_give_composed_names(tmp_path):
    path = tmp_path / DECOMPOSED / "x.srt"
    path.parent.mkdir()
    path.write_text("1\n00:00:00,000 --> 00:00:02,000\nwort\n", "utf-8")
    index_files([path], tmp_path / "index", name_by="path")
    with open_index(tmp_path / "index") as opened:
        (one,) = opened.recordings()
    assert one.recording.file.endswith(f"{COMPOSED}_x")


def test_both_names_are_deleted(network, tmp_path):
    """An index that was added to before this was known has a recording twice."""
    store = str(tmp_path / "index")
    with closing(open_store(store, create=True)) as opened, opened.writing():
        for name in (COMPOSED, DECOMPOSED):
            columns = invert([network([("wort", 0.9)], file=name)])
            opened.commit([columns], normalisation=Normalisation())
    assert std_store(["delete", store, "--quiet", COMPOSED]) == 0
    with open_index(store) as opened:
        assert opened.recordings() == []


def test_a_name_with_a_dash_in_front_survives_csv_and_the_command_line(network, tmp_path, capsys):
    path, store = tmp_path / "-dash.jsonl", str(tmp_path / "index")
    with path.open("wb") as stream:
        jsonl.dump([network([("wort", 0.9)], file="-dash")], stream)
    shutil.copy(path, tmp_path / "other")
    index_files([path], store)
    assert search(["--store", store, "--recording", "-dash", "wort", "--json"]) == 0
    with (tmp_path / "m.csv").open("wb") as stream:
        write_csv(stream, ["recording", "title"], [["-dash", "=x"]])
    assert index(["--store", store, "--metadata", str(tmp_path / "m.csv")]) == 0
    with open_index(store) as opened:
        assert [one.metadata for one in opened.recordings()] == [{"title": "=x"}]
    assert std_store(["delete", store, "--quiet", "--", "-dash"]) == 0
    with open_index(store) as opened:
        assert opened.recordings() == []


def test_csv_that_is_written_is_read_as_it_was(tmp_path):
    cells = ["-dash", "=1+1", "'-s", "'s avonds", "@x", "-3.5", "plain"]
    with (tmp_path / "t.csv").open("wb") as stream:
        write_csv(stream, ["a"], [[cell] for cell in cells])
    text = (tmp_path / "t.csv").read_text("utf-8")
    assert [fields[0] for _, fields in records(text, "t.csv")][1:] == cells
    assert len(list(csv.reader(text.splitlines()))) == len(cells) + 1


def test_a_recording_is_not_named_after_a_file_name_of_other_bytes(tmp_path, capfd):
    file = tmp_path / os.fsdecode(b"caf\xe9.vtt")
    file.write_text("WEBVTT\n\n00:00.000 --> 00:02.000\ngreen beans\n")
    assert index([str(file), "--store", str(tmp_path / "index"), "--name-by", "stem"]) == 2
    err = capfd.readouterr().err
    assert "expected a recording's name in UTF-8 (rename the file), got 'caf\\udce9'" in err
    assert err.count("\n") == 1
