"""What an index prints of its recordings comes back through a spreadsheet."""

import csv
import io
import json

import pytest

import indexer.cli
import indexer.store_cli
from std.store import open_store


@pytest.fixture
def index(german, tmp_path):
    """An index of three recordings, one with an awkward name, with metadata."""
    mesh = (german / "mesh" / "KERSTIN_00.mesh").read_text()
    for name in ("KERSTIN_00", "-x", "=1"):
        (tmp_path / f"{name}.mesh").write_text(mesh.replace("KERSTIN_00", name))
    table = tmp_path / "meta.csv"
    table.write_text("recording,title,date,language\nKERSTIN_00,'-3 Grad,2024-01,German\n=1,B,,\n")
    inputs = [str(tmp_path / f"{name}.mesh") for name in ("KERSTIN_00", "-x", "=1")]
    store = str(tmp_path / "index")
    argv = [*inputs, "--store", store, "--metadata", str(table), "--quiet"]
    assert indexer.cli.main(argv) == 0
    return store


def listed(store, capfd):
    capfd.readouterr()
    assert indexer.store_cli.main(["list", store, "--csv", "--quiet"]) == 0
    return capfd.readouterr().out


def metadata(store):
    table = open_store(store).metadata()
    return {file: table.values(file) for file in table.files}


def given(store, path):
    assert indexer.cli.main(["--store", store, "--metadata", str(path)]) == 0


def test_a_list_that_comes_back_changes_nothing(index, tmp_path, capfd):
    before = (tmp_path / "index").rglob("*")
    before = {path: path.read_bytes() for path in before if path.is_file()}
    (tmp_path / "l.csv").write_text(listed(index, capfd))
    given(index, tmp_path / "l.csv")
    said = "channel, speech_s, words, utterances, times_estimated, speakers, inputs are the index's"
    assert f"metadata: {said} own columns: left out\n" in capfd.readouterr().err
    after = {path: path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()}
    assert after == before


def test_an_edit_in_a_workbook_is_all_that_changes(index, tmp_path, capfd):
    openpyxl = pytest.importorskip("openpyxl")
    rows = [*csv.reader(io.StringIO(listed(index, capfd)))]
    header = rows[0]
    by_name = {row[0]: row for row in rows[1:]}
    by_name["'-x"][header.index("title")] = "Neu"
    by_name["KERSTIN_00"][header.index("date")] = ""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "l.xlsx")
    given(index, tmp_path / "l.xlsx")
    assert metadata(index) == {
        "-x": {"title": "Neu"},
        "=1": {"title": "B"},
        "KERSTIN_00": {"title": "-3 Grad", "language": "German"},
    }


def test_a_language_that_a_person_changes_counts(index, tmp_path, capfd):
    rows = [*csv.reader(io.StringIO(listed(index, capfd)))]
    at = rows[0].index("language")
    for row in rows[1:]:
        row[at] = "nl" if row[0] == "'-x" else row[at]
    with (tmp_path / "l.csv").open("w", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(rows)
    given(index, tmp_path / "l.csv")
    assert {file: one.get("language") for file, one in metadata(index).items()} == {
        "-x": "nl", "=1": None, "KERSTIN_00": "German",
    }  # fmt: skip


def test_a_column_left_out_is_left_alone(index, tmp_path):
    (tmp_path / "m.csv").write_text("recording,title\nKERSTIN_00,C\n")
    given(index, tmp_path / "m.csv")
    before = {"title": "C", "date": "2024-01", "language": "German"}
    assert metadata(index)["KERSTIN_00"] == before
    (tmp_path / "m.json").write_text(json.dumps({"KERSTIN_00": {"date": None, "x": 1}}))
    given(index, tmp_path / "m.json")
    assert metadata(index)["KERSTIN_00"] == {"title": "C", "language": "German", "x": "1"}
