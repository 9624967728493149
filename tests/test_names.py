"""Recordings keep their names: decomposed letters are composed, a dash in front is no option."""

import csv
import shutil
from contextlib import closing
from unicodedata import normalize

import pytest

from indexer import index_files
from indexer.cli import main as index
from indexer.formats.readers import jsonl
from indexer.segments.invert import invert
from indexer.store_cli import main as std_store
from searcher import open_index
from searcher.cli import main as search
from std.csv_input import records
from std.csv_output import write_csv
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
