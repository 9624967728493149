"""std-search --alerts: each hit of a list is told once, here or by the service."""

import csv
import io
import json

import pytest

from indexer import index_files
from searcher import StandingSearch, open_index
from searcher.commands.search import main
from std.errors import InputError

CUE = "1\n00:00:01,000 --> 00:00:04,000\n{}\n"


@pytest.fixture
def index(tmp_path):
    """Add a caption to an index."""

    def add(name, text):
        (tmp_path / f"{name}.srt").write_text(CUE.format(text))
        index_files([tmp_path / f"{name}.srt"], tmp_path / "index", language="de")

    add("first", "Gestern sprach Olaf Scholz in Paris mit seinen Freunden.")
    (tmp_path / "names.csv").write_text("Name;Partei\nOlaf Scholz;SPD\nAngela Merkel;CDU\n")
    return add


@pytest.fixture
def search(tmp_path, capfd):
    """Run std-search --alerts; its status, output and messages."""

    def run(*more):
        capfd.readouterr()
        argv = ["--store", str(tmp_path / "index"), "--alerts", str(tmp_path / "names.csv"), *more]
        return main(argv), *capfd.readouterr()

    return run


def test_each_hit_is_told_once(index, search, tmp_path):
    status, out, err = search("--since", "LAST", "--csv")
    assert (status, out.count("\n")) == (1, 1)
    assert "2 terms from column Name of" in err
    assert "first search of this list: 1 hit written to" in err
    index("second", "Heute war Angela Merkel in Berlin bei ihren Freunden.")
    status, out, err = search("--since", "last", "--csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (status, row["term"], row["file"]) == (0, "Angela Merkel", "second")
    assert float(row["start_s"]) < float(row["end_s"])
    assert err.endswith("1 new hit\n")
    status, out, _ = search("--json")
    assert (status, json.loads(out)) == (1, [])
    kept = (tmp_path / "names.csv.hits.jsonl").read_text()
    lines = [json.loads(line) for line in kept.splitlines()]
    assert [line.get("new", line.get("posted")) for line in lines] == [False, 1, True, 2]


def test_a_file_that_another_has_open_is_refused(index, search, tmp_path):
    with StandingSearch(tmp_path / "names.csv"):
        status, _, err = search()
    assert status == 2
    assert "expected a file of this process alone, got one that another std-serve or" in err


def test_what_is_told_is_in_other_forms(index, search, tmp_path):
    search("--quiet")
    index("second", "Heute war Angela Merkel in Berlin bei ihren Freunden.")
    status, out, err = search("--quiet", "--nl")
    assert (status, err, json.loads(out)["file"]) == (0, "", "second")


def test_a_hit_of_less_probability_is_told_when_it_is_asked_for(index, search):
    search("--quiet")
    index("second", "Heute war Angela Merkel in Berlin bei ihren Freunden.")
    assert search("--quiet", "--nl", "--min-probability", "1") == (1, "", "")
    status, out, _ = search("--quiet", "--nl")
    assert (status, json.loads(out)["file"]) == (0, "second")


@pytest.mark.parametrize(
    "more",
    [
        *(["--where", "date = 2024"], ["word"], ["--since", "2024"], ["--output", "x.xml"]),
        *(["--ecf", "x.xml"], ["--limit", "3"], ["--explain", "x"], ["--within-words", "none"]),
    ],
    ids=lambda more: more[0].strip("-"),
)
def test_what_does_not_go_together(index, tmp_path, more, capfd):
    argv = ["--store", str(tmp_path / "index"), "--alerts", str(tmp_path / "names.csv")]
    with pytest.raises(SystemExit):
        main([*argv, *more])
    message = "expected LAST, got '2024'" if "--since" in more else "--alerts searches all"
    assert message in capfd.readouterr().err


def test_a_list_that_changes_tells_what_is_new_of_its_terms(index, tmp_path):
    path = tmp_path / "names.csv"
    with open_index(tmp_path / "index") as opened, StandingSearch(path) as search:
        search.look(opened)
        path.write_text("Name;Partei\nOlaf Scholz;SPD\nParis;\n")
    with open_index(tmp_path / "index") as opened, StandingSearch(path) as search:
        assert [line["term"] for line in search.look(opened)] == ["Paris"]
        assert search.look(opened) == []


def test_a_word_of_no_length_is_told_once(tmp_path):
    """Google and others write words whose start is their end."""
    slot = {"s": 1, "e": 1, "w": [["haus", 1, 1, 1]]}
    network = {"utt": "u", "file": "a", "start": 0, "end": 9, "slots": [slot]}
    (tmp_path / "a.jsonl").write_text(json.dumps(network))
    (tmp_path / "terms.txt").write_text("haus\n")
    index_files([tmp_path / "a.jsonl"], tmp_path / "index", language="de")
    with (
        open_index(tmp_path / "index") as opened,
        StandingSearch(tmp_path / "terms.txt") as search,
    ):
        assert [len(search.look(opened)), len(search.look(opened))] == [1, 0]


def test_a_damaged_file_is_named(index, tmp_path):
    (tmp_path / "names.csv.hits.jsonl").write_text('{"term": "a"}\n')
    with pytest.raises(InputError, match=r"names\.csv\.hits\.jsonl:1: expected"):
        StandingSearch(tmp_path / "names.csv")
