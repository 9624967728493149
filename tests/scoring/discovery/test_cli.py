"""The command: what it prints, writes and refuses."""

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scoring.discovery.cli import main

CASE = Path(__file__).parents[2] / "data" / "tde" / "s02"
GOLD = ["--phones", str(CASE / "gold.phn"), "--words", str(CASE / "gold.wrd")]
ARGS = [*GOLD, "--classes", str(CASE / "disc.class")]
RATES = ["boundary", "token", "type", "grouping", "matching"]


def document(capsys, *args):
    assert main([*ARGS, "--json", "--quiet", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_json(capsys):
    got = document(capsys)
    assert list(got) == ["profile", "measures", "counts", "reasons"]
    assert got["profile"] == "zrc2017"
    assert list(got["measures"]) == [*RATES, "coverage", "ned"]
    for measure in RATES:
        assert list(got["measures"][measure]) == ["precision", "recall", "fscore"]
    assert got["measures"]["coverage"] == 0.265  # expected_tdev2.json
    assert got["measures"]["ned"] == pytest.approx(0.35, abs=1e-12)


def test_json_with_folds_and_talkers(capsys, tmp_path):
    got = document(capsys, "--parts", "2", "--talker-pattern", "^s..", "--profile", "definition")
    assert got["folds"]["count"] == 2
    assert set(got["folds"]["token"]["precision"]) == {"mean", "std", "min", "max"}
    assert got["folds"]["ned"]["min"] <= got["folds"]["ned"]["max"]
    assert len(got["folds"]["per_fold"]) == 2
    pairs = [got[key]["counts"]["pairs"] for key in ("within_talker", "cross_talker")]
    assert sum(pairs) == got["counts"]["pairs"]

    talkers = tmp_path / "talkers"
    talkers.write_text("s00a s00\ns00b s00\ns01a s01\ns01b s01\n")
    folds = tmp_path / "folds"
    folds.write_text("s00a 0 9\ns00b 0 9\n\ns01a 0 9\ns01b 0 9\n")
    same = document(
        capsys, "--folds", str(folds), "--talkers", str(talkers), "--profile", "definition"
    )
    assert same["within_talker"] == got["within_talker"]
    assert same["folds"]["count"] == 2


@pytest.mark.parametrize("content", ["Class 0\ns00a 0.5 1.0\n", ""])
def test_undefined_is_null_with_a_reason(capsys, tmp_path, content):
    alone = tmp_path / "alone.class"
    alone.write_text(content)
    assert main([*GOLD, "--classes", str(alone), "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got["measures"]["ned"] is None
    assert got["measures"]["grouping"]["precision"] is None
    assert got["reasons"]["ned"] == "no two fragments form a pair"


def test_text(capsys):
    assert main(ARGS) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "token               0.6842     0.2281     0.3421" in out  # expected_tdev2.json


class Page(HTMLParser):
    """Collects what a page would fetch, and its numbers."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "rect"):
            self.open.append(tag)
        self.fetched += [v for k, v in attributes if k in ("src", "href")]

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, text):
        self.words += text.split()


def test_output_folder(capsys, tmp_path):
    folder = tmp_path / "new" / "scores"
    assert main([*ARGS, "--output", str(folder), "--parts", "2", "--talker-pattern", "^s.."]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{(folder / 'scores.txt').read_text()}\nreport {folder / 'report.html'}\n"
    assert sorted(p.name for p in folder.iterdir()) == [
        "report.html",
        "scores.csv",
        "scores.json",
        "scores.txt",
    ]
    with (folder / "scores.csv").open() as file:
        rows = {(r["scope"], r["measure"], r["part"]): r["value"] for r in csv.DictReader(file)}
    written = json.loads((folder / "scores.json").read_text())
    assert float(rows["all", "token", "recall"]) == written["measures"]["token"]["recall"]
    spread = written["folds"]["token"]["recall"]["std"]
    assert float(rows["folds", "token", "recall std"]) == spread
    assert ("fold 2", "ned", "") in rows
    page = Page((folder / "report.html").read_text())
    assert page.open == []
    assert page.fetched == []
    assert "0.6842" in page.words


REFUSED = [
    (["--classes", "{tmp}/none.class"], "none.class: expected a readable file"),
    (["--classes", "{tmp}/unknown.class"], "unknown.class:2: expected a recording of the phones"),
    (["--folds", "{tmp}/folds"], "folds:1: expected a recording of the phones, got 'zz'"),
    (["--talkers", "{tmp}/talkers"], "talkers: expected a talker for recording s00b"),
    (["--parts", "1000"], "--parts: expected a number that fits the corpus, got 1000 parts"),
    (["--talker-pattern", "("], "--talker-pattern: expected a regular expression"),
    (["--talker-pattern", "q"], "--talker-pattern: expected a match in every name"),
    (["--config", "{tmp}/none.toml"], "none.toml"),
]


@pytest.mark.parametrize(("args", "message"), REFUSED)
def test_refused_with_one_line(args, message, capsys, tmp_path):
    (tmp_path / "unknown.class").write_text("Class 0\nzz 0 1\n")
    (tmp_path / "folds").write_text("zz 0 1\n")
    (tmp_path / "talkers").write_text("s00a x\n")
    args = [one.format(tmp=tmp_path) for one in args]
    assert main([*ARGS, *args, "--output", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("std-discovery: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "out").exists()
