"""std-search on real speech: what acceptance runs, called in process."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import searcher.commands.search
from searcher import Expected, open_index
from std.files import read
from std.nist import std_list

pytestmark = pytest.mark.slow


PLAIN = str(Path(__file__).parent.parent / "configs" / "plain.toml")


def batch(german_store, german, output, *more):
    given = ["--terms", str(german / "terms.xml"), "--ecf", str(german / "ecf.xml")]
    return searcher.commands.search.main(
        ["--store", german_store, *given, "--output", str(output), *more]
    )


def test_search_writes_the_hit_list(german, german_store, tmp_path, capsys):
    explained = tmp_path / "why.jsonl"
    plain = ["--config", str(german.parent.parent / "configs" / "plain.toml")]
    more = ["--json", "--explain", str(explained), *plain]
    assert batch(german_store, german, tmp_path / "h.xml", *more) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["terms"], figures["oov_terms"], figures["detections"]) == (265, 102, 391)
    lines = [json.loads(line) for line in explained.read_text().splitlines()]
    assert len(lines) == figures["detections"]
    assert all((one["decision"] == "YES") == (one["score"] >= one["threshold"]) for one in lines)
    assert (tmp_path / "h.xml").read_text().count("<term ") == figures["detections"]


@pytest.mark.parametrize("dialect", ["std2006", "kws2013"])
def test_each_hit_has_two_numbers(german, german_store, tmp_path, capsys, dialect):
    """The second list has the same hits and decisions, and the probabilities of --explain."""
    hits, second, explained = (tmp_path / name for name in ("h.xml", "p.xml", "why.jsonl"))
    more = [f"--probabilities={second}", f"--explain={explained}", f"--dialect={dialect}"]
    assert batch(german_store, german, hits, *more, "--json", "--config", PLAIN) == 0
    figures = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in explained.read_text().splitlines()]
    chances = [one["probability"] for one in lines]
    above = [one for one in chances if one >= 0.5]
    assert figures["expected"] == {
        "from": 0.5,
        "hits": len(above),
        "right": pytest.approx(sum(above)),
        "right_below": pytest.approx(sum(chances) - sum(above)),
    }
    by_score, by_probability = (read(std_list.parse, path) for path in (hits, second))
    assert by_score.detections.score.tolist() == [one["score"] for one in lines]
    assert by_probability.detections.score.tolist() == chances
    assert by_score.detections.score.tolist() != chances
    for name in ("terms", "recordings"):
        assert getattr(by_score.detections, name) == getattr(by_probability.detections, name)
    for name in ("term", "recording", "start_s", "duration_s", "yes"):
        columns = getattr(by_score.detections, name), getattr(by_probability.detections, name)
        assert np.array_equal(*columns)
    assert by_score.searches == by_probability.searches


@pytest.mark.parametrize("judged", ["whole", "independent"])
def test_a_list_of_probabilities_says_what_they_depend_on(
    german, german_store, tmp_path, capsys, judged
):
    more = ["--probabilities", str(tmp_path / "p.xml"), "--set", f"calibration.list={judged}"]
    assert batch(german_store, german, tmp_path / "h.xml", "--config", PLAIN, "--json", *more) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["list"] == judged
    assert ("depend on how many of the list's terms occur" in err) == (judged == "whole")


def test_an_answer_says_what_to_expect(german, german_store, tmp_path, capsys):
    about = (
        r"\d+ hits from probability 0\.5 up, about \d+ are right; about \d+ more right ones below\n"
    )
    assert batch(german_store, german, tmp_path / "h.xml", "--config", PLAIN) == 0
    assert re.search(about, capsys.readouterr().err)
    argv = ["--store", german_store, "landkreis", "im"]
    assert searcher.commands.search.main([*argv, "--json"]) == 0
    printed = capsys.readouterr()
    chances = [one["probability"] for one in json.loads(printed.out)]
    line = str(Expected.of(chances))
    assert line in printed.err
    assert searcher.commands.search.main(argv) == 0
    assert line in capsys.readouterr().err
    assert searcher.commands.search.main([*argv, "--quiet"]) == 0
    assert line not in capsys.readouterr().err
    with open_index(german_store) as index:
        assert str(index.find("landkreis", "im").expected) == line


def test_probabilities_are_written_for_lists_only(german_store, capsys):
    with pytest.raises(SystemExit, match="2"):
        searcher.commands.search.main(["--store", german_store, "im", "--probabilities", "p.xml"])
    assert "--probabilities writes the hits of a --terms file" in capsys.readouterr().err


def test_one_place_is_one_hit_whatever_found_it(german, german_store, tmp_path):
    """A split and a sound, or two sounds, are never both reported for overlapping speech."""
    explained = tmp_path / "why.jsonl"
    assert batch(german_store, german, tmp_path / "h.xml", "--explain", str(explained)) == 0
    by_term = {}
    for line in explained.read_text().splitlines():
        hit = json.loads(line)
        place = (hit["start_s"], hit["start_s"] + hit["duration_s"], hit["method"])
        by_term.setdefault((hit["term_id"], hit["file"]), []).append(place)
    assert {place[2] for some in by_term.values() for place in some} >= {
        "exact",
        "split",
        "phonetic",
    }
    for some in by_term.values():
        for one, other in pairwise(sorted(some)):
            assert other[0] >= one[1]
    assert len(by_term["GE-0242", "KERSTIN_06"]) == 1


@pytest.mark.parametrize(("dialect", "root"), [("std2006", "<stdlist "), ("kws2013", "<kwslist ")])
def test_both_dialects(german, german_store, tmp_path, dialect, root):
    assert batch(german_store, german, tmp_path / "h.xml", "--dialect", dialect) == 0
    assert root in (tmp_path / "h.xml").read_text()


def test_a_person_sees_a_table(german_store, capsys):
    argv = ["--store", german_store, "landkreis", "im brandenburgischen", "--fmt", "table"]
    assert searcher.commands.search.main(argv) == 0
    out = capsys.readouterr().out
    assert "KERSTIN_00" in out
    assert "im brandenburgischen landkreis" in out
    assert (
        searcher.commands.search.main(["--store", german_store, "quatschwort", "--config", PLAIN])
        == 1
    )
    printed = capsys.readouterr()
    assert "does not know quatschwort" in printed.err
    assert "no hits" in printed.err


def test_a_program_gets_a_list(german_store, capsys):
    assert searcher.commands.search.main(["--store", german_store, "landkreis", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert hits[0]["file"] == "KERSTIN_00"
    argv = ["--store", german_store, "quatschwort", "--json", "--config", PLAIN]
    assert searcher.commands.search.main(argv) == 1
    assert json.loads(capsys.readouterr().out) == []


def test_a_person_sees_probabilities_and_decisions_when_asked(german_store, capsys):
    argv = ["--store", german_store, "im", "haus"]
    table = [*argv, "--fmt", "table"]
    assert searcher.commands.search.main([*argv, "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    chances = [one["probability"] for one in hits]
    assert chances == sorted(chances, reverse=True)
    assert {one["term"] for one in hits[:30]} == {"im", "haus"}
    assert all(one["score"] == one["probability"] for one in hits)
    assert {one["decision"] for one in hits} == {one["threshold"] for one in hits} == {None}
    assert searcher.commands.search.main([*argv, "--json", "--decide"]) == 0
    decided = json.loads(capsys.readouterr().out)
    assert [one["probability"] for one in decided] == chances
    assert all((one["decision"] == "YES") == (one["score"] >= 0.5) for one in decided)
    assert searcher.commands.search.main(table) == 0
    out = capsys.readouterr().out
    assert "probability" in out
    assert not re.search(r"\b(YES|NO|score|decision)\b", out)
    for more in (["--decide"], ["--beta", "10"]):
        assert searcher.commands.search.main([*table, *more]) == 0
        out = capsys.readouterr().out
        assert re.search(r"\bYES\b", out)
        assert re.search(r"probability +score +decision", out)


def test_wildcards_are_explained(german, german_store, tmp_path, capsys):
    argv = ["--store", german_store]
    assert searcher.commands.search.main([*argv, "bran*", "im bran*", "--fmt", "table"]) == 0
    printed = capsys.readouterr()
    assert "bran*: 5 words of the index: brandenburg, brand, " in printed.err
    assert "bran* as brandenburgischen" in printed.out
    assert searcher.commands.search.main([*argv, "im bran*", "--json"]) == 0
    hit = json.loads(capsys.readouterr().out)[0]
    assert (hit["method"], hit["searched"]) == ("wildcard", "im brandenburgischen")
    assert hit["how"] == "bran* as brandenburgischen"
    assert searcher.commands.search.main([*argv, "xyz*"]) == 1
    assert "xyz*: no word of the index fits" in capsys.readouterr().err
    assert searcher.commands.search.main([*argv, "bran* quatschwort"]) == 1
    assert "quatschwort; a term with * is looked up only as written" in capsys.readouterr().err
    few = tmp_path / "few.toml"
    few.write_text("[search]\nwildcard_words = 2\n")
    assert searcher.commands.search.main([*argv, "bran*", "--config", str(few)]) == 0
    line = "5 words of the index, of which the 2 most frequent are searched"
    assert line in capsys.readouterr().err
    lists = tmp_path / "terms.xml"
    lists.write_text((german / "terms.xml").read_text().replace(">dort<", ">dort*<"))
    batch = ["--terms", str(lists), "--ecf", str(german / "ecf.xml"), "--config", PLAIN]
    assert searcher.commands.search.main([*argv, *batch, "--output", str(tmp_path / "h.xml")]) == 0
    assert "1 term with a *, which a list does not expand: looked up" in capsys.readouterr().err


def test_a_batch_that_finds_nothing_is_done(german, german_store, tmp_path):
    lists = tmp_path / "terms.xml"
    lists.write_text(
        re.sub(r"<termtext>[^<]*<", "<termtext>xyzzy<", (german / "terms.xml").read_text())
    )
    batch = ["--terms", str(lists), "--ecf", str(german / "ecf.xml"), "--config", PLAIN]
    assert (
        searcher.commands.search.main(
            ["--store", german_store, *batch, "--output", str(tmp_path / "h")]
        )
        == 0
    )


def test_terms_that_cannot_be_found_are_named(german, german_store, tmp_path, capsys):
    path = tmp_path / "terms.xml"
    text = (german / "terms.xml").read_text()
    text = text.replace(">dort<", ">...<").replace(">kampf<", f">{'donau' * 99}<")
    path.write_text(text)
    argv = ["--store", german_store, "--terms", str(path), "--ecf", str(german / "ecf.xml")]
    assert searcher.commands.search.main([*argv, "--output", str(tmp_path / "h.xml")]) == 0
    warnings = capsys.readouterr().err
    assert "1 term without a letter or a digit: nothing can be found (GE-0001 '...'" in warnings
    assert "1 term with a word of more than" in warnings


def test_a_person_can_ask_why(german_store, tmp_path):
    path = tmp_path / "why.jsonl"
    assert (
        searcher.commands.search.main(
            ["--store", german_store, "landkreis", "--explain", str(path)]
        )
        == 0
    )
    assert json.loads(path.read_text().splitlines()[0])["term"] == "landkreis"


def test_a_hit_behind_another_word_says_so(german_store, capsys):
    assert searcher.commands.search.main(["--store", german_store, "haus", "--fmt", "table"]) == 0
    assert "an alternative to 'aus'" in capsys.readouterr().out
