"""The Python interface of term discovery against the command, and what it refuses."""

import json
from pathlib import Path

import pytest

from scoring.discovery import (
    equal_parts,
    evaluate_discovery,
    read_classes,
    read_corpus,
    read_folds,
    read_talkers,
    summary_document,
    talkers_by_name,
    with_talkers,
    write_report,
)
from scoring.discovery.cli import main
from std.errors import InputError, StdError
from std.numbers import written

CASE = Path(__file__).parents[2] / "data" / "tde" / "s02"
TALKERS = {"s00a": "s00", "s00b": "s00", "s01a": "s01", "s01b": "s01"}


@pytest.fixture(scope="module")
def corpus():
    return read_corpus(CASE / "gold.phn", str(CASE / "gold.wrd"))


def test_an_evaluation_is_what_the_command_prints_and_writes(corpus, tmp_path, capsys):
    corpus = with_talkers(corpus, talkers_by_name(corpus, "^s.."))
    discovery = read_classes(CASE / "disc.class", corpus)
    evaluation = evaluate_discovery(corpus, discovery, "zrc2015", equal_parts(corpus, 2))
    write_report(evaluation, tmp_path / "api", title="disc.class")
    files = [f"--{option}={CASE / name}" for option, name in (
        ("phones", "gold.phn"), ("words", "gold.wrd"), ("classes", "disc.class"),
    )]  # fmt: skip
    options = ["--profile=zrc2015", "--parts=2", "--talker-pattern=^s..", "--json", "--quiet"]
    assert main([*files, *options, f"--output={tmp_path / 'command'}"]) == 0
    assert json.loads(capsys.readouterr().out) == written(summary_document(evaluation))
    files_written = {path.name: path.read_bytes() for path in (tmp_path / "api").iterdir()}
    assert files_written.keys() == {"scores.txt", "scores.csv", "scores.json", "report.html"}
    for name, content in files_written.items():
        assert (tmp_path / "command" / name).read_bytes() == content


def test_talkers_of_a_file_and_of_names_are_the_same(corpus, tmp_path):
    path = tmp_path / "talkers"
    path.write_text("".join(f"{file} {talker}\n" for file, talker in TALKERS.items()))
    assert read_talkers(path, corpus) == talkers_by_name(corpus, "^s..") == TALKERS
    assert talkers_by_name(corpus, "^s(.)")["s00a"] == "0"
    named = with_talkers(corpus, TALKERS)
    assert (named.talkers, named.talker.tolist()) == (("s00", "s01"), [0, 0, 1, 1])
    assert with_talkers(named, {}).talkers == ("",)


@pytest.mark.parametrize(("pattern", "message"), [
    ("(", "expected a regular expression"),
    ("^s00", "expected a match in every name, got none in s01a"),
    ("(^s00)?", "expected a talker in every name, got none in s01a"),
])  # fmt: skip
def test_patterns_that_do_not_fit(corpus, pattern, message):
    with pytest.raises(ValueError, match=message):
        talkers_by_name(corpus, pattern)


def test_files_that_do_not_fit_the_corpus(corpus, tmp_path):
    path = tmp_path / "file"
    path.write_text("s00a s00\n")
    with pytest.raises(InputError, match="expected a talker for recording s00b, got none"):
        read_talkers(path, corpus)
    path.write_text("other 0 9 x\n")
    with pytest.raises(InputError, match=r"file: expected a recording of the phones, got 'other'"):
        read_corpus(CASE / "gold.phn", path)
    path.write_text("s00a 0 9\nother 0 9\n")
    with pytest.raises(InputError, match=r"file:2: expected a recording of the phones"):
        read_folds(path, corpus)
    path.write_text("Class 1\nother 0 9\n")
    with pytest.raises(InputError, match=r"file:2: expected a recording of the phones"):
        read_classes(path, corpus)


def test_a_report_does_not_overwrite_what_was_read(corpus, tmp_path):
    evaluation = evaluate_discovery(corpus, read_classes(CASE / "disc.class", corpus))
    gold = tmp_path / "scores.txt"
    gold.write_text("gold")
    with pytest.raises(StdError, match=r"scores\.txt"):
        write_report(evaluation, tmp_path, title="x", read_files={"--phones": gold})
    assert gold.read_text() == "gold"
